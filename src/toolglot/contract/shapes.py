"""Reading one schema: its types, the values it lists, the parameters it declares. References are followed."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import reduce
from typing import Any

from toolglot.schema.keywords import ANNOTATIONS, SCHEMA_HOLDERS, UNIONS
from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.values import has_type, is_list, is_map, is_schema
from toolglot.schema.walk import Node, Schema

MAX_LOOKS = 2_000
"""Most schemas one question looks at: references can fan out without end."""

MAX_DEPTH = 60
"""Most levels one question goes down."""

CONDITIONAL = ("then", "else", "dependentSchemas", "dependencies")
"""Keywords whose schemas describe the same value, under a condition."""


def types_of(schema: Schema) -> tuple[str, ...]:
    """The types that `type` names, in published order; empty where there is none that can be read."""
    found = schema.get("type") if is_map(schema) else None
    if isinstance(found, str):
        return (found,)
    return tuple(kind for kind in found if isinstance(kind, str)) if is_list(found) else ()


def is_structured(schema: Schema, document: Document, node: Node | None = None) -> bool:
    """Whether a union branch is structured: an object or an array; a reference is judged by what it refers to."""
    return _looks_structured(schema) or (
        ref_of(schema) is not None and _looks_structured(document.follow(schema, node))
    )


def _looks_structured(schema: Schema) -> bool:
    if not is_map(schema):
        return False
    types = types_of(schema)
    if types:
        return "object" in types or "array" in types
    return "type" not in schema and (is_map(schema.get("properties")) or is_schema_or_list(schema.get("items")))


def is_schema_or_list(value: Any) -> bool:
    """Whether a value can stand behind `items`: a schema, or the list of schemas of old drafts."""
    return is_schema(value) or is_list(value)


def entries(schema: Schema, keyword: str) -> list[Schema]:
    """The schemas that a list keyword (`anyOf`, `allOf`, ...) holds; what is no schema is left out."""
    found = schema.get(keyword) if is_map(schema) else None
    return [entry for entry in found if is_schema(entry)] if is_list(found) else []


def named(schema: Schema, keyword: str = "properties") -> dict[str, Schema]:
    """The schemas that a map keyword (`properties`, `$defs`, ...) holds, by name."""
    found = schema.get(keyword) if is_map(schema) else None
    return {name: entry for name, entry in found.items() if is_schema(entry)} if is_map(found) else {}


def required_of(schema: Schema) -> tuple[str, ...]:
    """The names in `required`; empty where it is malformed."""
    found = schema.get("required") if is_map(schema) else None
    return tuple(name for name in found if isinstance(name, str)) if is_list(found) else ()


def finite_values(schema: Schema, document: Document) -> tuple[Any, ...] | None:
    """The values that a schema lists with `enum` or `const`, in published order, or None where they are not listed.

    References and unions are followed; every branch of a union must list its values. Null counts as a value.
    """
    return _Finite(document).read(schema)


class _Finite:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.looks = MAX_LOOKS
        self.inside: set[int] = set()

    def read(self, schema: Schema) -> tuple[Any, ...] | None:
        self.looks -= 1
        if not is_map(schema) or self.looks < 0 or id(schema) in self.inside or len(self.inside) > MAX_DEPTH:
            return None
        self.inside.add(id(schema))
        lists = [found for found in self._lists(schema) if found is not None]
        self.inside.discard(id(schema))
        return _intersection(lists) if lists else None

    def _lists(self, schema: dict[str, Any]) -> Iterator[tuple[Any, ...] | None]:
        types = types_of(schema)
        if "const" in schema:
            yield (schema["const"],)
        if is_list(values := schema.get("enum")):
            yield tuple(value for value in values if not types or any(has_type(value, kind) for kind in types))
        if types == ("null",):
            yield (None,)
        ref = ref_of(schema)
        target = self.document.resolve(ref) if ref is not None else None
        if isinstance(target, Resolved):
            yield self.read(target.schema)
        for part in entries(schema, "allOf"):
            yield self.read(part)
        for keyword in UNIONS:
            if branches := entries(schema, keyword):
                yield self._union(branches)

    def _union(self, branches: list[Schema]) -> tuple[Any, ...] | None:
        found: list[Any] = []
        for branch in branches:
            values = self.read(branch)
            if values is None:
                return None
            found.extend(values)
        return tuple(found)


def _intersection(lists: list[tuple[Any, ...]]) -> tuple[Any, ...]:
    kept = {same_json(value): value for value in lists[0]}
    for other in lists[1:]:
        keys = {same_json(value) for value in other}
        kept = {key: value for key, value in kept.items() if key in keys}
    return tuple(kept.values())


def same_json(value: Any) -> str:
    """A text that is equal for equal JSON values and no others (1, 1.0 and true differ)."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def bare(schema: Any, depth: int = MAX_DEPTH) -> Any:
    """A schema without its annotations (title, description, default, ...), `depth` levels down."""
    if not is_map(schema) or depth == 0:
        return schema
    return {
        keyword: _bare_below(keyword, value, depth - 1)
        for keyword, value in schema.items()
        if keyword not in ANNOTATIONS
    }


def _bare_below(keyword: str, value: Any, depth: int) -> Any:
    if keyword not in SCHEMA_HOLDERS:
        return value
    if is_map(value):
        if SCHEMA_HOLDERS[keyword].holds.startswith("map"):
            return {name: bare(entry, depth) for name, entry in value.items()}
        return bare(value, depth)
    return [bare(entry, depth) for entry in value] if is_list(value) else value


def fingerprint(schema: Schema) -> str:
    """A text that is equal for schemas that differ in annotations only."""
    return same_json(bare(schema))


@dataclass(frozen=True, slots=True)
class Parameters:
    """What an object declares: every property's schemas, wherever they stand, and the names it always requires.

    `hidden` are the names that `properties` of the object itself does not have.
    """

    schemas: Mapping[str, tuple[Schema, ...]]
    required: frozenset[str]
    hidden: tuple[str, ...]


def parameters_of(schema: Schema, document: Document) -> Parameters:
    """The parameters of an object, read through references, unions, `allOf` and conditions."""
    gathered = _Gather(document)
    required = gathered.read(schema)
    own = named(schema)
    return Parameters(
        {name: tuple(found) for name, found in gathered.schemas.items()},
        required,
        tuple(name for name in gathered.schemas if name not in own),
    )


class _Gather:
    def __init__(self, document: Document) -> None:
        self.document = document
        self.schemas: dict[str, list[Schema]] = {}
        self.seen: set[int] = set()
        self.depth = 0

    def read(self, schema: Schema) -> frozenset[str]:
        """Notes the properties of a schema; the names it requires, under no condition."""
        if not is_map(schema) or id(schema) in self.seen or len(self.seen) > MAX_LOOKS:
            return frozenset()
        if self.depth > MAX_DEPTH:
            return frozenset()
        self.seen.add(id(schema))
        self.depth += 1
        required = self._read(schema)
        self.depth -= 1
        return required

    def _read(self, schema: dict[str, Any]) -> frozenset[str]:
        for name, entry in named(schema).items():
            self.schemas.setdefault(name, []).append(entry)
        required = frozenset(required_of(schema)) | self._referred(schema)
        for part in entries(schema, "allOf"):
            required |= self.read(part)
        for keyword in UNIONS:
            if branches := [self.read(branch) for branch in entries(schema, keyword)]:
                required |= reduce(frozenset[str].intersection, branches)
        for part in _conditional(schema):
            self.read(part)
        return required

    def _referred(self, schema: Schema) -> frozenset[str]:
        ref = ref_of(schema)
        target = self.document.resolve(ref) if ref is not None else None
        return self.read(target.schema) if isinstance(target, Resolved) else frozenset()


def _conditional(schema: dict[str, Any]) -> Iterator[Schema]:
    for keyword in CONDITIONAL:
        value = schema.get(keyword)
        if keyword in ("then", "else"):
            if is_schema(value):
                yield value
        else:
            yield from named(schema, keyword).values()


def same_value_owner(node: Node) -> Node:
    """The outermost node that describes the same value: up through union branches, parts and conditions."""
    while node.parent is not None and node.role in ("branch", "part", "condition"):
        node = node.parent
    return node


def is_condition(node: Node) -> bool:
    """Whether a node stands below a condition (`not`, `if`, `then`, ...): it refines what is declared elsewhere."""
    step: Node | None = node
    while step is not None:
        if step.role in ("condition", "names"):
            return True
        step = step.parent
    return False


def place_name(node: Node) -> str:
    """The name nearest above a node: of the property or definition it belongs to; "" at the root."""
    step: Node | None = node
    while step is not None:
        if step.role in ("property", "definition") and isinstance(step.key, str):
            return step.key
        step = step.parent
    return ""
