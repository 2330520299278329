"""The engine: one recursive descent over the meaning of a schema, in the manner of a code generator.

`Fitter.fit` writes one node: where the target refuses nothing below, as it is; else by the first lowering that applies.
Children are fitted by `fit` again, so codecs nest exactly as values nest.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

from toolglot.fitting import words
from toolglot.fitting.codec import IDENTITY, Codec, JsonText, Wrapped
from toolglot.fitting.ledger import Entry, Shape, Values
from toolglot.fitting.nodes import place_name
from toolglot.schema.declared import says_nothing
from toolglot.schema.features import FEATURES, mask_of, names_of
from toolglot.schema.lazy import lazy
from toolglot.schema.plans import features_at
from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.scan import Scan
from toolglot.schema.values import is_map
from toolglot.schema.walk import Node, Schema, children, escape
from toolglot.targets.accept import name_problem
from toolglot.targets.model import NameRule, Target

MAX_WIRE_NODES = 4_000
"""Most nodes that are written; past it subtrees become JSON text. The largest real tool has some 5,000, untouched."""

NO_LIMIT = 10**9
_FORMAT = FEATURES["format"].bit
_NAME = 1 << (len(FEATURES) + 1)
"""Stands beside the features for a property name that the target does not take."""
_REPEATED = _NAME << 1
"""Stands beside the features for a bound that is more than the target repeats."""
_NAMED_LAST = mask_of("object-inline")
"""What is put right in the schema as a whole, once it is written (`fitting.named`)."""
REPEATS = ("minLength", "maxLength", "minItems", "maxItems")
_MOVED = mask_of("ref-other", "ref-to-root")
"""References to places that move when the schema around them is written anew."""
_MOVING = mask_of("ref", "ref-definitions", "ref-other", "ref-to-root", "ref-recursive", "ref-dangling", "ref-remote")
"""With references, what is below a node is not all of what it says."""
_ROOT_PARENT = Node({})


class Fit(NamedTuple):
    """A node as it is written, and how its values travel."""

    schema: Any
    codec: Codec = IDENTITY


class Site(NamedTuple):
    """Where a node stands: pointer in the meaning, keyword that holds it, depth on the wire, references written out."""

    pointer: str = ""
    keyword: str = ""
    depth: int = 0
    stack: tuple[str, ...] = ()

    def below(self, keyword: str, key: str | int | None = None, deeper: int = 1) -> Site:
        """The place of a schema behind a keyword."""
        segment = f"/{keyword}" if key is None else f"/{keyword}/{escape(str(key))}"
        return Site(self.pointer + segment, keyword, self.depth + deeper, self.stack)

    @property
    def is_root(self) -> bool:
        """Whether this is the root of the input schema."""
        return not self.keyword


Lowering = Callable[["Fitter", Mapping[str, Any], Site], "Fit | None"]


class Fitter:
    """One run of the engine: a tool, a target, and what was noted on the way."""

    def __init__(
        self,
        document: Document,
        target: Target,
        lowerings: Sequence[Lowering],
        forced: frozenset[str],
        scan: Scan | None = None,
    ) -> None:
        self.document = document
        self.target = target
        self.lowerings = lowerings
        self.forced = forced
        self.refused = target.refuses & ~_NAMED_LAST | _NAME | _REPEATED
        self.most_repeated = target.limits["repetitions"].value if "repetitions" in target.limits else NO_LIMIT
        self._refused_names = refused_names(target)
        self._has_refs = scan is None and bool(document.refs)
        self.entries: dict[tuple[str, str, str], Entry] = {}
        self.definitions: dict[str, str] = {}
        self.written: dict[str, Any] = {}
        self.codecs: dict[str, Codec] = {}
        self.left = MAX_WIRE_NODES
        self.null_order: tuple[str, ...] = ()
        self.null_beside: set[str] = set()
        self.null_known: dict[int, tuple[Any, bool]] = {}
        self.silent_root = is_map(document.schema) and says_nothing(document.schema)
        self.depth_limit = target.limits["depth"].value if "depth" in target.limits else NO_LIMIT
        self._roomy = NO_LIMIT if self.depth_limit == NO_LIMIT else -1
        self._known: Mapping[int, int] = {}
        self._masks: dict[tuple[int, str], int] = {}
        self._heights: dict[int, int] = {}
        self._kept: list[Any] = []
        rule = target.property_name
        self._names = rule if rule is not None and rule.effect != "none" else None
        if scan is not None:
            self._take_over(scan)

    def _take_over(self, scan: Scan) -> None:
        """Use what a scan of this very document found: each node's features and those below it."""
        self._roomy = self.depth_limit - scan.counts["depth"]
        if scan.mask & _MOVING:
            return
        masks = scan.masks
        if self._is_choosy(scan):
            masks = [self._refined(mask, node.schema) for node, mask in zip(self.document.nodes, masks, strict=True)]
        self._known = _totals(self.document.nodes, masks)

    def _is_choosy(self, scan: Scan) -> bool:
        """Whether features of the scan do not say all: formats that pass, names and bounds that do not."""
        names = self._names
        return (
            (bool(scan.mask & _FORMAT) and "format" in self.target.facts and bool(self.target.facts["format"].allow))
            or (names is not None and any(name_problem(name, names) for name in scan.names))
            or scan.counts["repetitions"] > self.most_repeated
        )

    def refuses(self, *features: str) -> bool:
        """Whether the target refuses or silently changes one of these features."""
        return not self._refused_names.isdisjoint(features)

    def fit(self, schema: Any, site: Site) -> Fit:
        """Write one node. Past the budget of nodes it becomes JSON text."""
        self.left -= 1
        if isinstance(schema, bool):
            schema = {} if schema else {"not": {}}
        if self.left < 0 or (self.forced and site.pointer in self.forced):
            return self.text(schema, site, "limit")
        if self.is_clean(schema, site) and self.has_room(schema, site):
            return Fit(self.keep(schema))
        for lowering in self.lowerings:
            found = lowering(self, schema, site)
            if found is not None:
                return found
        return Fit(schema)

    # What the target says about a subtree.

    def stays(self, schema: Any, site: Site) -> bool:
        """Whether a schema below a place is written as it is published, with values as they are."""
        if self.forced or self.left <= 0 or not is_map(schema):
            return False
        return self.is_clean(schema, site) and self.has_room(schema, site)

    def is_clean(self, schema: Mapping[str, Any], site: Site) -> bool:
        """Whether nothing in a subtree, nor in what it refers to, is refused."""
        return not self.mask(schema, site.keyword) & (self.refused | _MOVED)

    def mask(self, schema: Any, keyword: str) -> int:
        """The features in a subtree and in the definitions it refers to."""
        known = self._known.get(id(schema))
        if known is not None:
            return known
        try:
            return self._total(Node(schema, _ROOT_PARENT if keyword else None, keyword, "x" if keyword else None))
        except RecursionError:
            return self._everything

    def _total(self, node: Node) -> int:
        """The features of a node, of what is below it and of what it refers to; each node is looked at once."""
        if isinstance(node.schema, bool):
            return self.own(node)  # true is the same object everywhere; what it means goes by its keyword
        key = (id(node.schema), node.role)
        mask = self._masks.get(key)
        if mask is None:
            mask = self.own(node) | self._referred(node)
            for child in children(node):
                if child.keyword not in ("$defs", "definitions"):
                    mask |= self._total(child)
            self._masks[key] = mask
            self._kept.append(node.schema)
        return mask

    def _referred(self, node: Node) -> int:
        ref = ref_of(node.schema)
        found = None if ref is None else self.document.resolve(ref)
        if not isinstance(found, Resolved):
            return 0
        if found.pointer in self.document.recursive:
            return self._everything
        return self._total(Node(found.schema, _ROOT_PARENT, "$defs", "x"))

    @lazy
    def _everything(self) -> int:
        """The features of the whole document: what a recursive place may lead to, without following every way."""
        mask = 0
        for node in self.document.nodes:
            mask |= self.own(node)
        return mask

    def own(self, node: Node) -> int:
        """The features of one node, a format that the target takes left out, a name that it does not take included."""
        return self._refined(features_at(node, self.document), node.schema)

    def _refined(self, mask: int, schema: Any) -> int:
        if mask & _FORMAT and is_map(schema):
            fact = self.target.facts.get("format")
            if fact is not None and schema.get("format") in fact.allow:
                mask &= ~_FORMAT
        if self._names is not None and is_map(schema) and self._is_odd(schema.get("properties"), self._names):
            mask |= _NAME
        if self.most_repeated < NO_LIMIT and is_map(schema) and any(self.repeats(schema.get(w)) for w in REPEATS):
            mask |= _REPEATED
        return mask

    def repeats(self, bound: Any) -> bool:
        """Whether a bound is more than the target repeats."""
        return isinstance(bound, int) and bound > self.most_repeated

    def _is_odd(self, properties: Any, rule: NameRule) -> bool:
        """Whether the target does not take the name of some property."""
        return is_map(properties) and any(name_problem(name, rule) for name in properties)

    def own_at(self, schema: Mapping[str, Any], site: Site) -> int:
        """The features of one node at a place, of those that the target refuses."""
        parent = _ROOT_PARENT if site.keyword else None
        return self.own(Node(schema, parent, site.keyword, "x" if site.keyword else None)) & self.refused

    def has_room(self, schema: Mapping[str, Any], site: Site) -> bool:
        """Whether a subtree fits into the depth that the target takes."""
        return site.depth <= self._roomy or site.depth + self.height(schema) <= self.depth_limit

    def height(self, schema: Any) -> int:
        """How many levels of objects and lists a subtree has; references are not followed."""
        if id(schema) not in self._heights:
            self._kept.append(schema)
            deepest = 0
            waiting = [Node(schema)]
            while waiting:
                node = waiting.pop()
                if is_map(node.schema) and any(word in node.schema for word in _CONTAINERS):
                    deepest = max(deepest, node.depth + 1)
                waiting += children(node)
            self._heights[id(schema)] = deepest
        return self._heights[id(schema)]

    # Writing.

    def keep(self, schema: Any) -> Any:
        """A subtree as it is; the definitions it refers to are written too."""
        if not self._has_refs:
            return schema
        waiting = [Node(schema)]
        while waiting:
            node = waiting.pop()
            ref = ref_of(node.schema)
            if ref is not None:
                found = self.document.resolve(ref)
                if isinstance(found, Resolved):
                    self.define(found)
            waiting += children(node)
        return schema

    def define(self, found: Resolved) -> str:
        """Write a definition once; gives the reference to it on the wire."""
        if found.pointer not in self.definitions:
            container, name = self._place(found.pointer)
            self.definitions[found.pointer] = f"#/{container}/{escape(name)}"
            fitted = self.fit(found.schema, Site(found.pointer, "$defs", 0, ()))
            self.written.setdefault(container, {})[name] = fitted.schema
            self.codecs[found.pointer] = fitted.codec
        return self.definitions[found.pointer]

    def _place(self, pointer: str) -> tuple[str, str]:
        parts = pointer.split("/")
        if len(parts) == 3 and parts[1] in ("$defs", "definitions"):
            kind = "ref" if parts[1] == "$defs" else "ref-definitions"
            if not self.refuses(kind):
                return parts[1], parts[2].replace("~1", "/").replace("~0", "~")
        name = place_name(pointer) or "root"
        taken = {ref.rsplit("/", 1)[-1] for ref in self.definitions.values()} | self._published_definitions()
        unique = (
            name if name not in taken else next(f"{name}_{n}" for n in range(2, 10**6) if f"{name}_{n}" not in taken)
        )
        return ("definitions" if self.refuses("ref") else "$defs"), unique

    def _published_definitions(self) -> set[str]:
        """The names of definitions at the root of the document: others must not be called the same."""
        root = self.document.schema
        return {name for box in ("$defs", "definitions") if is_map(root) for name in root.get(box, ())}

    def text(self, schema: Schema, site: Site, feature: str) -> Fit:
        """A value as JSON text, in the server's shape."""
        if isinstance(schema, bool):
            schema = {} if schema else {"not": {}}
        self.note(site, feature, "encoded", "wider", "sent as JSON text")
        described = self.describe({"type": "string"}, schema, [words.json_text(schema, self.document)])
        made = Fit(described, JsonText(schema))
        return self.wrapped(made, schema) if site.is_root else made

    def wrapped(self, inner: Fit, schema: Schema) -> Fit:
        """Arguments that are sent as a text, inside an object: a root is an object."""
        wire: dict[str, Any] = {"type": "object", "properties": {"arguments": inner.schema}, "required": ["arguments"]}
        if self.refuses("object-not-closed"):
            wire["additionalProperties"] = False
        return Fit(wire, Wrapped("arguments", inner.codec, schema))

    def describe(self, new: dict[str, Any], published: Mapping[str, Any], sentences: Sequence[str]) -> dict[str, Any]:
        """A node with the author's description and, after it, sentences of ours."""
        text = words.joined(published.get("description"), sentences)
        if text:
            new["description"] = text
        title = published.get("title")
        if isinstance(title, str) and not self.refuses("title"):
            new.setdefault("title", title)
        return new

    def note(self, site: Site, feature: str, shape: Shape, values: Values, reason: str, lost: Any = None) -> None:
        """Put an entry into the ledger, once."""
        key = (site.pointer, feature, reason)
        if key not in self.entries:
            self.entries[key] = Entry(site.pointer, feature, shape, values, reason, lost, self.fact(feature))

    def fact(self, feature: str) -> Any:
        """The statement about the target behind a feature, a limit or a name."""
        if feature in ("property-name", "tool-name"):
            return self.target.property_name if feature == "property-name" else self.target.tool_name
        return self.target.facts.get(feature) or self.target.limits.get(feature)

    def follow(self, schema: Schema) -> Schema:
        """What a reference at the top of a schema leads to, its siblings joined to it."""
        from toolglot.fitting.intersect import Unmergeable, intersect

        steps = 0
        while is_map(schema) and (ref := ref_of(schema)) is not None and steps < 50:
            found = self.document.resolve(ref)
            if not isinstance(found, Resolved):
                break
            rest = {word: value for word, value in schema.items() if word != "$ref"}
            steps += 1
            try:
                schema = intersect(rest, found.schema, lambda one: one) if rest else found.schema
            except Unmergeable:
                schema = {**rest, "allOf": [*rest.get("allOf", ()), found.schema]}
        return schema


def _totals(nodes: Sequence[Node], masks: Sequence[int]) -> dict[int, int]:
    """The features of each schema and of all below it, by the identity of the schema."""
    found: dict[int, int] = {}
    for node, mask in zip(reversed(nodes), reversed(masks), strict=True):
        total = mask
        if not isinstance(node.schema, bool):
            here = id(node.schema)
            total = found[here] = found.get(here, 0) | mask
        if node.parent is not None:
            above = id(node.parent.schema)
            found[above] = found.get(above, 0) | total
    return found


_CONTAINERS = ("properties", "items", "prefixItems", "additionalProperties", "patternProperties")


def refused_names(target: Target) -> frozenset[str]:
    """The features that a target rejects or drops at a cost."""
    return _names(target.refuses)


@lru_cache(maxsize=512)
def _names(mask: int) -> frozenset[str]:
    return frozenset(names_of(mask))
