"""Local references: `$ref`, `$defs`, `$id`, `$anchor`, recursion. Nothing is ever fetched."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import unquote, urldefrag, urljoin

from toolglot.schema.dialect import DRAFT_04, dialect_of
from toolglot.schema.lazy import lazy
from toolglot.schema.values import is_map, is_schema
from toolglot.schema.walk import Node, Schema, at, walk

REF_WORDS = ("$ref", "$dynamicRef", "$recursiveRef")


@dataclass(frozen=True, slots=True)
class Resolved:
    """Where a reference leads: the schema and its pointer from the root of the document."""

    pointer: str
    schema: Schema


Failure = Literal["dangling", "remote"]
"""Why a reference leads nowhere: no such place, or a place in another document."""


class Document:
    """One published schema with its references. Immutable; what is costly is computed when first asked for."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._plain: dict[str, Resolved | Failure] = {}
        self._id_words = ("$id", "id") if dialect_of(schema) == DRAFT_04 else ("$id",)

    @lazy
    def nodes(self) -> tuple[Node, ...]:
        """Every schema of the document, parents first."""
        return tuple(walk(self.schema))

    @lazy
    def places(self) -> dict[int, Node]:
        """The first node of each schema, by the identity of the schema."""
        return {id(node.schema): node for node in reversed(self.nodes)}

    @lazy
    def refs(self) -> tuple[Node, ...]:
        """The nodes that hold a reference."""
        return tuple(node for node in self.nodes if ref_of(node.schema) is not None)

    @lazy
    def _identified(self) -> bool:
        words = {*self._id_words, "$anchor", "$dynamicAnchor"}
        return any(is_map(node.schema) and not words.isdisjoint(node.schema) for node in self.nodes)

    @lazy
    def _resources(self) -> dict[str, str]:
        """Absolute URI (of a resource, or with `#anchor`) to pointer, for every `$id` and anchor."""
        found: dict[str, str] = {"": ""}
        for node in self.nodes:
            self._register(node, found)
        return found

    def _register(self, node: Node, found: dict[str, str]) -> None:
        if isinstance(node.schema, bool):
            return
        base = self._base(node)
        if self._id_of(node.schema):
            found.setdefault(base, node.pointer)
        for word in ("$anchor", "$dynamicAnchor"):
            anchor = node.schema.get(word)
            if isinstance(anchor, str):
                found.setdefault(f"{base}#{anchor}", node.pointer)
        if (old := self._old_id(node.schema)).startswith("#"):
            found.setdefault(f"{base}{old}", node.pointer)

    def _base(self, node: Node) -> str:
        """The base URI at a node: the `$id`s on its way, joined."""
        ids: list[str] = []
        step: Node | None = node
        while step is not None:
            if uri := self._id_of(step.schema):
                ids.append(uri)
            step = step.parent
        base = ""
        for uri in reversed(ids):
            base = urldefrag(_join(base, uri)).url
        return base

    def _id_of(self, schema: Schema) -> str:
        """The `$id` (draft-04: `id`) of a schema, where it names a resource; "#name" is an old anchor."""
        uri = self._old_id(schema)
        return "" if uri.startswith("#") else uri

    def _old_id(self, schema: Schema) -> str:
        if isinstance(schema, bool):
            return ""
        return next((schema[w] for w in self._id_words if isinstance(schema.get(w), str)), "")

    def resolve(self, ref: str, node: Node | None = None) -> Resolved | Failure:
        """Where `ref`, standing at `node` (the root if not given), leads.

        JSON Pointers, anchors and URIs of resources inside the document are understood.
        """
        if not self._identified:
            if ref not in self._plain:
                self._plain[ref] = self._resolve_in("", ref[1:]) if ref.startswith("#") else _outside(ref)
            return self._plain[ref]
        base = self._base(node) if node is not None else self._id_of(self.schema)
        uri, fragment = urldefrag(_join(base, ref))
        if uri not in self._resources:
            return _outside(ref)
        if fragment and not fragment.startswith("/"):
            pointer = self._resources.get(f"{uri}#{unquote(fragment)}")
            return "dangling" if pointer is None else Resolved(pointer, at(self.schema, pointer))
        return self._resolve_in(self._resources[uri], fragment)

    def _resolve_in(self, start: str, fragment: str) -> Resolved | Failure:
        if fragment and not fragment.startswith("/"):
            return "dangling"
        pointer = start + unquote(fragment)
        try:
            schema = at(self.schema, pointer)
        except (LookupError, ValueError):
            return "dangling"
        return Resolved(pointer, schema) if is_schema(schema) else "dangling"

    def target(self, node: Node) -> Resolved | Failure | None:
        """Where the reference at a node leads in one step; None where the node has none."""
        ref = ref_of(node.schema)
        return None if ref is None else self.resolve(ref, node)

    def follow(self, schema: Schema, node: Node | None = None) -> Schema:
        """The schema that a chain of references ends in; the last one reached where it is broken or circular."""
        seen: set[str] = set()
        while (ref := ref_of(schema)) is not None and ref not in seen:
            seen.add(ref)
            found = self.resolve(ref, node)
            if not isinstance(found, Resolved):
                break
            schema, node = found.schema, None
        return schema

    @lazy
    def targets(self) -> dict[str, Resolved]:
        """Pointer of each reference that leads somewhere, and where it leads."""
        found: dict[str, Resolved] = {}
        for node in self.refs:
            target = self.target(node)
            if isinstance(target, Resolved):
                found[node.pointer] = target
        return found

    @lazy
    def uses(self) -> dict[str, tuple[str, ...]]:
        """Pointer of each referenced place, and the pointers of the nodes that refer to it."""
        found: defaultdict[str, list[str]] = defaultdict(list)
        for pointer, target in self.targets.items():
            found[target.pointer].append(pointer)
        return {pointer: tuple(users) for pointer, users in found.items()}

    @lazy
    def recursive(self) -> frozenset[str]:
        """The referenced places that lead back to themselves."""
        inside = self._edges()
        return frozenset(place for component in _components(inside) for place in component)

    def _edges(self) -> dict[str, set[str]]:
        """For each referenced place, the places that references below it lead to."""
        users = sorted(self.targets)
        edges: dict[str, set[str]] = {}
        for place in self.uses:
            below = users[bisect_left(users, place) :] if place else users
            edges[place] = set()
            for user in below:
                if user == place or user.startswith(place + "/"):
                    edges[place].add(self.targets[user].pointer)
                elif not user.startswith(place):
                    break
        return edges


def _components(edges: Mapping[str, set[str]]) -> list[set[str]]:
    """The strongly connected components with a cycle (Tarjan, without recursion)."""
    order: dict[str, int] = {}
    low: dict[str, int] = {}
    stack: list[str] = []
    on_stack: set[str] = set()
    found: list[set[str]] = []
    for start in edges:
        if start in order:
            continue
        work = [(start, iter(edges[start]))]
        order[start] = low[start] = len(order)
        stack.append(start)
        on_stack.add(start)
        while work:
            place, rest = work[-1]
            following = next(rest, None)
            if following is None:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[place])
                if low[place] == order[place]:
                    _close(place, stack, on_stack, edges, found)
            elif following not in order:
                order[following] = low[following] = len(order)
                stack.append(following)
                on_stack.add(following)
                work.append((following, iter(edges.get(following, ()))))
            elif following in on_stack:
                low[place] = min(low[place], order[following])
    return found


def _close(
    place: str, stack: list[str], on_stack: set[str], edges: Mapping[str, set[str]], found: list[set[str]]
) -> None:
    component: set[str] = set()
    while True:
        member = stack.pop()
        on_stack.discard(member)
        component.add(member)
        if member == place:
            break
    if len(component) > 1 or place in edges.get(place, ()):
        found.append(component)


def ref_of(schema: Any) -> str | None:
    """The reference that a schema holds, or None."""
    if not is_map(schema) or _REF_WORDS.isdisjoint(schema):
        return None
    for word in REF_WORDS:
        ref = schema.get(word)
        if isinstance(ref, str):
            return ref
    return None


_REF_WORDS = frozenset(REF_WORDS)


def _join(base: str, ref: str) -> str:
    try:
        return urljoin(base, ref) if base else ref
    except ValueError:
        return ref


def _outside(ref: str) -> Failure:
    return "dangling" if ref.startswith("#") else "remote"
