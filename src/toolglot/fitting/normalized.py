"""`normalize`: a tool as a target takes it, with the way back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os import PathLike
from typing import Any, Literal

from toolglot.errors import ArgumentError, ArgumentsError, JsonError, ToolError, parse_json
from toolglot.fitting import words
from toolglot.fitting.codec import IDENTITY, Codec
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.ledger import Entry, placed
from toolglot.fitting.lowerings import LOWERINGS
from toolglot.fitting.named import with_named_objects
from toolglot.fitting.names import wire_name
from toolglot.fitting.published import Published, Restored
from toolglot.fitting.reading import changes, respelled
from toolglot.fitting.wire import Wire
from toolglot.schema.features import FEATURES, mask_of
from toolglot.schema.lazy import lazy
from toolglot.schema.refs import Document
from toolglot.schema.scan import Scan
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema, escape
from toolglot.targets.accept import ScannedTool, broken_limits, json_bytes, name_problem
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Limit, Target

Mend = Literal["safe", "all", False]

_FORMAT = FEATURES["format"].bit
_GROWTH = 4
"""How many times larger than published a tool may become; one nearer to a limit is counted as it is sent."""
_DEEPER = 2
"""How many times deeper, at most, where nothing is counted again: the engine itself keeps below the depth."""
_ROUNDS = 40
"""Most times that a subtree is turned into JSON text because the whole is over a limit."""


@dataclass(frozen=True, slots=True)
class Size:
    """Bytes of name, description and schema as compact JSON, published and sent; tokens are about bytes / 4."""

    published: int
    sent: int

    @property
    def published_tokens(self) -> int:
        """About how many tokens the published tool costs."""
        return self.published // 4

    @property
    def sent_tokens(self) -> int:
        """About how many tokens the tool costs as it is sent."""
        return self.sent // 4


@dataclass(frozen=True)
class Normalized:
    """A tool as a target takes it.

    `name`, `description` and `schema` are what to send, the schema under the request member `field` (None: send no
    such member). `ledger` says what could not stay as published. `refused`: nothing fits; send nothing for this tool.
    """

    published: Published = field(repr=False)
    target: Target = field(repr=False)
    name: str
    description: str
    schema: Mapping[str, Any] | None
    noted: tuple[Entry, ...] = field(repr=False)
    codec: Codec = field(repr=False)
    codecs: Mapping[str, Codec] = field(repr=False, default_factory=dict[str, Codec])

    @lazy
    def ledger(self) -> tuple[Entry, ...]:
        """What could not stay as published, each entry at its place in the published schema."""
        if not self.noted:
            return tuple(respelled(self.published, self.target, self.schema))
        published = self.published.tool.schema
        return tuple(dict.fromkeys([placed(entry, published) for entry in self.noted]))

    @property
    def field(self) -> str:
        """The request member that takes the schema."""
        return self.target.field

    @property
    def refused(self) -> bool:
        """Whether a limit of the target leaves no way to send this tool."""
        return any(entry.shape == "refused" for entry in self.noted)

    @lazy
    def tool(self) -> dict[str, Any]:
        """The published mapping with name, description and inputSchema replaced (none where the schema is None)."""
        raw = dict(self.published.tool.raw)
        raw["name"] = self.name
        if self.description or "description" in raw:
            raw["description"] = self.description
        raw.pop("inputSchema", None)
        return raw if self.schema is None else {**raw, "inputSchema": self.schema}

    @lazy
    def wire(self) -> Wire:
        """Who judges values by parts of the schema that is sent."""
        return Wire(self.schema)

    @lazy
    def size(self) -> Size:
        """Bytes before and after."""
        tool = self.published.tool
        before = [tool.name, tool.description, tool.input_schema]
        return Size(json_bytes(before), json_bytes([self.name, self.description, self.schema]))

    def encode(self, arguments: Mapping[str, Any]) -> Any:
        """Arguments in the server's shape as the wire has them (history, examples, defaults).

        In: a JSON object, valid for the published schema. Out: a JSON object, valid for `schema`.
        """
        if self.codec is IDENTITY:
            return dict(arguments)
        return self.codec.encode(thaw(dict(arguments)), _Passage(self))

    def restore(self, answer: Any, mend: Mend = "safe") -> Restored:
        """What a model answered, in the server's shape, checked against the published schema.

        In: an object, JSON text of one, or None for no arguments. Raises ArgumentsError with every error of the call.
        """
        value = self._parsed(answer)
        if self.codec is IDENTITY or not is_map(value):
            return self.published.finish(value, mend)
        run = _Passage(self)
        try:
            restored = self.codec.restore(value, run, "")
        except RecursionError:
            wrong = ArgumentError("", "the arguments are nested too deep", "a flatter value")
            raise ArgumentsError(self.published.tool.name, (wrong,)) from None
        errors = ArgumentsError(self.published.tool.name, tuple(run.errors)) if run.errors else None
        try:
            if errors is None:
                return self.published.finish(restored, mend, plain=tuple(run.plain))
        except ArgumentsError as error:
            errors = error
        return self._in_the_published_shape(value, mend, errors)

    def _in_the_published_shape(self, value: Any, mend: Mend, errors: ArgumentsError | None) -> Restored:
        """The answer read as if the tool had been sent as published; where that fails too, the first errors count."""
        try:
            return self.published.finish(value, mend, plain=("",))
        except ArgumentsError as error:
            raise errors or error from None

    def _parsed(self, answer: Any) -> Any:
        if not isinstance(answer, str) or answer.strip() in ("", "null"):
            return answer.strip() if isinstance(answer, str) else answer
        try:
            return parse_json(answer)
        except JsonError as error:
            wrong = ArgumentError("", f"the arguments cannot be read: {error.message}", "a JSON object")
            raise ArgumentsError(self.published.tool.name, (wrong,)) from None


class _Passage:
    """One passage of arguments through the codecs of a tool."""

    def __init__(self, normalized: Normalized) -> None:
        self._normalized = normalized
        self.errors: list[ArgumentError] = []
        self.plain: list[str] = []

    def valid(self, schema: Schema, value: Any) -> bool | None:
        """Whether a value is valid for a part of the meaning."""
        return self._normalized.published.valid_for(schema, value)

    def carries(self, wire: Schema, value: Any) -> bool | None:
        """Whether a part of what is sent takes a value in its wire form."""
        return self._normalized.wire.takes(wire, value)

    def definition(self, pointer: str) -> Codec:
        """The codec of a referenced definition."""
        return self._normalized.codecs.get(pointer, IDENTITY)


def normalize(tool: Tool | Mapping[str, Any], target: str | PathLike[str] | Target) -> Normalized:
    """Make a tool fit a target, without losing arguments.

    In: a tool (mapping with `name`, `description`, `inputSchema`, ...; never changed) and a target (id, short name,
    Target, path of a TOML file, or a combination `client+api`). Raises UnknownTarget, ToolError (no name, no schema
    object, too large).
    """
    published = Published(Tool.of(tool))
    return fit_tool(published, SHIPPED.target(target))


def fit_tool(published: Published, target: Target) -> Normalized:
    """As `normalize`, for a tool whose published side is made already."""
    scanned = published.scanned
    tool = published.tool
    name = wire_name(tool.name, target.tool_name)
    ledger = _name_entries(tool, target, name)
    if not _is_refused(scanned, target):
        entries = (*ledger, *_description_entries(tool, target))
        schema = tool.input_schema if isinstance(tool.input_schema, Mapping) else None
        return Normalized(published, target, name, _description(tool, target, ""), schema, entries, IDENTITY)
    return _fitted(published, target, name, ledger)


def _is_refused(scanned: ScannedTool, target: Target) -> bool:
    """Whether the schema has to be written differently."""
    bites = scanned.scan.mask & target.refuses
    if bites & _FORMAT and scanned.scan.formats.issubset(target.facts["format"].allow):
        bites &= ~_FORMAT
    if bites:
        return True
    if any(scanned.count(limit.name) > limit.value for limit in target.tool_limits if limit.effect != "none"):
        return True
    rule = target.property_name
    return rule is not None and rule.effect != "none" and any(name_problem(n, rule) for n in scanned.scan.names)


def _name_entries(tool: Tool, target: Target, name: str) -> list[Entry]:
    rule = target.tool_name
    if rule is not None and rule.effect != "none" and (problem := name_problem(name, rule)):
        return [Entry("", "tool-name", "refused", "changed", f"no name can be legal: {name} {problem}", True, rule)]
    if name == tool.name:
        return []
    return [Entry("", "tool-name", "encoded", "exact", f"called {name}", fact=target.tool_name)]


def _fitted(published: Published, target: Target, name: str, ledger: list[Entry]) -> Normalized:
    forced: frozenset[str] = frozenset()
    tool = published.tool
    for _ in range(_ROUNDS):
        try:
            made = _once(published, target, name, ledger, forced)
        except RecursionError:
            problem = "refers to itself in a way that cannot be written out"
            raise ToolError(tool.name, "/inputSchema", problem, hint="Publish a flatter schema.") from None
        over = _open_limits(made, target)
        if not over:
            return made
        larger = _largest(published.document_of_meaning, made, forced)
        if larger is None:
            reason = f"{over[0].name}: more than {over[0].value:,} {over[0].unit}, and nothing is left to shorten"
            entry = Entry("", over[0].name, "refused", "changed", reason, True, over[0])
            return replace(made, noted=(*made.noted, entry))
        forced |= {larger}
    raise ToolError(
        tool.name, "/inputSchema", "does not fit the limits of the target", hint="Publish a smaller schema."
    )


def _open_limits(made: Normalized, target: Target) -> list[Limit]:
    if made.schema is None or not any(_is_near(made, limit) for limit in target.tool_limits):
        return []
    found = broken_limits(ScannedTool(Tool.of(made.tool)), target)
    return [one.statement for one in found if isinstance(one.statement, Limit) and one.effect != "none"]


def _is_near(made: Normalized, limit: Limit) -> bool:
    """Whether the published tool is so near to a limit that the one to send could be over it."""
    growth = _DEEPER if limit.name == "depth" else _GROWTH
    return limit.effect != "none" and made.published.scanned.count(limit.name) * growth > limit.value


def _largest(document: Document, made: Normalized, forced: frozenset[str]) -> str | None:
    """The largest parameter of the meaning that is not JSON text yet and holds more than a scalar."""
    best, size = None, 60
    root = document.schema
    for name, part in root.get("properties", {}).items() if is_map(root) else ():
        pointer = f"/properties/{escape(name)}"
        here = 0 if pointer in forced else json_bytes(part)
        if here > size:
            best, size = pointer, here
    return best


def _once(published: Published, target: Target, name: str, ledger: list[Entry], forced: frozenset[str]) -> Normalized:
    document, scan = _to_read(published)
    fitter = Fitter(document, target, LOWERINGS, forced, scan)
    body = _body(document.schema)
    fitted = _root(fitter, body)
    wire = fitted.schema
    if wire is not None and fitter.written:
        wire = {**wire, **{box: dict(defs) for box, defs in fitter.written.items()}}
    if wire is not None and fitter.refuses("object-inline"):
        wire = _with_named_objects(fitter, wire)
    tool = published.tool
    if wire is None:
        extra = ""
    else:
        wire, extra = _root_sentences(wire, body.get("description"))
    read = changes(published, target) if scan is None else ()
    entries = (*ledger, *_description_entries(tool, target), *read, *fitter.entries.values())
    return Normalized(
        published, target, name, _description(tool, target, extra), wire, entries, fitted.codec, fitter.codecs
    )


_READ = mask_of(
    *("ref", "ref-definitions", "ref-to-root", "ref-other", "ref-recursive", "ref-dangling", "ref-remote", "id"),
    *("schema-invalid", "nullable", "tuple-items", "exclusive-flag", "dependent", "pattern", "pattern-properties"),
    "enum-misfit",
)
"""Features without which a schema means what it says: `meaning` would return it as it is."""


def _to_read(published: Published) -> tuple[Document, Scan | None]:
    """What is to be fitted, with its scan where there is one already."""
    scanned = published.scanned
    if scanned.scan.mask & _READ:
        return published.document_of_meaning, None
    return scanned.document, scanned.scan


def _body(schema: Schema) -> Mapping[str, Any]:
    """The root without its definitions. Arguments are always an object, whatever the root says about its type."""
    if not is_map(schema):
        return {"type": "object"}
    if schema.get("type") == "object" and "$defs" not in schema and "definitions" not in schema:
        return schema
    kept = {word: value for word, value in schema.items() if word not in ("$defs", "definitions", "type")}
    return {"type": "object", **kept}


def _root(fitter: Fitter, body: Mapping[str, Any]) -> Fit:
    fitted = fitter.fit(body, Site())
    schema = fitted.schema
    if fitter.refuses("root-no-parameters") and _is_empty(schema):
        fitter.note(Site(), "root-no-parameters", "kept", "exact", "no parameters member is sent")
        return Fit(None, fitted.codec)
    return fitted


def _with_named_objects(fitter: Fitter, wire: Mapping[str, Any]) -> Mapping[str, Any]:
    named = with_named_objects(wire)
    if named is not wire:
        fitter.note(Site(), "object-inline", "kept", "exact", "objects are definitions that are referred to")
    return named


def _is_empty(schema: Mapping[str, Any]) -> bool:
    """Whether a root declares no parameters and takes none."""
    open_words = ("anyOf", "oneOf", "allOf", "$ref", "patternProperties")
    others = schema.get("additionalProperties") in (None, False)
    return not schema.get("properties") and others and not any(word in schema for word in open_words)


def _root_sentences(wire: Mapping[str, Any], published: Any) -> tuple[Mapping[str, Any], str]:
    """What was added to the root's description goes into the tool's description, where models look first."""
    text = wire.get("description", "")
    before = published.strip() if isinstance(published, str) else ""
    if text in (published, before) or not text.startswith(before):
        return wire, ""
    rest = {word: value for word, value in wire.items() if word != "description"}
    own = {**rest, "description": published} if isinstance(published, str) else rest
    return own, text[len(before) :].lstrip(". ").strip()


def _description(tool: Tool, target: Target, extra: str) -> str:
    text = words.joined(tool.description, [extra]) if extra else tool.description
    if text.strip() or not _wants_description(target):
        return text
    return words.from_name(tool.name)


def _wants_description(target: Target) -> bool:
    return bool(target.refuses & FEATURES["tool-description-empty"].bit)


def _description_entries(tool: Tool, target: Target) -> list[Entry]:
    if tool.description.strip() or not _wants_description(target):
        return []
    fact = target.facts["tool-description-empty"]
    return [Entry("", "tool-description-empty", "kept", "exact", "described by its name", fact=fact)]


__all__ = ["Mend", "Normalized", "Size", "fit_tool", "normalize"]
