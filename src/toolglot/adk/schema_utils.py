"""ADK-Rust's `schema_utils`: the same names, the same answers.

One thing differs: ADK-Rust edits in place. These functions return the new schema and never change their input, so write
`schema = strip_schema_keyword(schema)`. Where nothing changes the same object comes back; a result shares with the
input what did not change. What they do is what `src/schema_utils.rs` of the crate adk-core 2.0.0 does, also where that
is plainly wrong; `explain` tells what it costs. All go on below `properties`, `items`, `additionalProperties`, `allOf`,
`anyOf`, `oneOf`, `not`, `patternProperties`, `prefixItems`, `if`, `then` and `else`, never inside definitions.
"""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

from toolglot.adk.refs import resolving
from toolglot.adk.transform import PLACES, Node, Transform, any_object, everywhere, places, without
from toolglot.schema.values import is_list, is_map, same

__all__ = [
    "add_implicit_object_type",
    "collapse_combiners",
    "collapse_type_arrays",
    "convert_const_to_enum",
    "enforce_nesting_depth",
    "merge_all_of",
    "resolve_refs",
    "strip_conditional_keywords",
    "strip_null_from_enum",
    "strip_schema_keyword",
    "strip_unsupported_formats",
    "truncate_tool_name",
]


@everywhere("$schema")
def strip_schema_keyword(schema: Node) -> Node:
    """Remove `$schema` everywhere. In: a schema; out: a new one, or the same object where there is none."""
    return without(schema, "$schema")


@everywhere("if", "then", "else")
def strip_conditional_keywords(schema: Node) -> Node:
    """Remove `if`, `then` and `else` everywhere; what they asked for is not checked any more. Out: the new schema."""
    return without(schema, "if", "then", "else")


@everywhere("properties")
def add_implicit_object_type(schema: Node) -> Node:
    """Add `type: object` where `properties` stand without a type. Out: the new schema."""
    return {**schema, "type": "object"} if "properties" in schema and "type" not in schema else schema


@everywhere("const")
def convert_const_to_enum(schema: Node) -> Node:
    """Write `const` as an `enum` of one value; an `enum` beside it is replaced. Out: the new schema."""
    return {**without(schema, "const"), "enum": [schema["const"]]} if "const" in schema else schema


@everywhere("enum", "const")
def strip_null_from_enum(schema: Node) -> Node:
    """Remove null from each `enum`; an `enum` of nothing else goes, so any value fits. Out: the new schema."""
    values = schema.get("enum")
    if not is_list(values):
        return schema
    kept = [value for value in values if value is not None]
    if not kept:
        return without(schema, "enum")
    return schema if len(kept) == len(values) else {**schema, "enum": kept}


@everywhere("anyOf", "oneOf")
def collapse_combiners(schema: Node) -> Node:
    """Keep the first branch of `anyOf` (without one: of `oneOf`) that is not `type: null`.

    Its keywords replace those beside the union. Of a schema with both unions only `anyOf` is collapsed. Out: the new
    schema.
    """
    word = "anyOf" if "anyOf" in schema else "oneOf"
    if word not in schema:
        return schema
    chosen = first_branch(schema[word])
    return {**without(schema, word), **(chosen if is_map(chosen) else {})}


def first_branch(branches: Any) -> Any:
    """The first branch of a union that is not `type: null`, else the first; None where there is none."""
    if not is_list(branches) or not branches:
        return None
    return next((branch for branch in branches if not _is_null(branch)), branches[0])


def _is_null(schema: Any) -> bool:
    return is_map(schema) and schema.get("type") == "null"


@everywhere("allOf")
def merge_all_of(schema: Node) -> Node:
    """Join the parts of `allOf` into the schema around it.

    Of a property that several declare, the last declaration counts, before one beside `allOf`; `required` are joined;
    types that differ become `object`; of any other keyword one beside `allOf` counts, else the last part's. Out: the
    new schema.
    """
    if "allOf" not in schema:
        return schema
    kept = without(schema, "allOf")
    parts = [part for part in schema["allOf"] if is_map(part)] if is_list(schema["allOf"]) else []
    others: Node = {}
    for part in parts:
        others.update(without(part, "properties", "required", "type"))
    return {**others, **kept, **_joined_type(parts), **_joined_properties(kept, parts), **_joined_required(kept, parts)}


def _joined_type(parts: list[Node]) -> Node:
    """The type of the parts, as ADK-Rust finds it: one after the other, `object` where two differ."""
    joined: Node = {}
    for part in parts:
        if "type" in part:
            differs = "type" in joined and not same(joined["type"], part["type"])
            joined["type"] = "object" if differs else part["type"]
    return joined


def _joined_properties(kept: Node, parts: list[Node]) -> Node:
    joined: Node = {}
    for part in parts:
        joined.update(part["properties"] if is_map(part.get("properties")) else {})
    own = kept.get("properties", {})
    return {"properties": {**own, **joined}} if joined and is_map(own) else {}


def _joined_required(kept: Node, parts: list[Node]) -> Node:
    own = kept.get("required", [])
    if not is_list(own):
        return {}
    joined = list(own)
    for part in parts:
        names = part.get("required")
        joined += [name for name in (names if is_list(names) else ()) if not _holds(joined, name)]
    return {"required": joined} if len(joined) > len(own) else {}


def _holds(values: list[Any], value: Any) -> bool:
    return any(same(one, value) for one in values)


@everywhere("type")
def collapse_type_arrays(schema: Node) -> Node:
    """Keep the first type of a list of types that is not null; of a list of nulls, null. Out: the new schema."""
    types = schema.get("type")
    if not is_list(types) or not types:
        return schema
    return {**schema, "type": next((one for one in types if one != "null"), types[0])}


def strip_unsupported_formats(schema: Any, allowed: Container[str]) -> Any:
    """Remove each `format` that is not among `allowed`. In: a schema and names of formats; out: the new schema."""
    return only_formats(allowed)(schema)


def only_formats(allowed: Container[str]) -> Transform:
    """`strip_unsupported_formats` for some formats, as a step of an adapter."""

    def strip_unsupported_formats(schema: Node) -> Node:
        found = schema.get("format")
        return without(schema, "format") if isinstance(found, str) and found not in allowed else schema

    return everywhere("format")(strip_unsupported_formats)


def truncate_tool_name(name: str, max_bytes: int) -> str:
    """The beginning of a name that has at most `max_bytes` bytes as UTF-8; no character is cut in two.

    Half a surrogate pair, which has no UTF-8, counts three bytes.
    """
    encoded = name.encode("utf-8", "surrogatepass")
    if len(encoded) <= max_bytes:
        return name
    end = max_bytes
    while end > 0 and encoded[end] & 0xC0 == 0x80:
        end -= 1
    return encoded[:end].decode("utf-8", "surrogatepass")


def resolve_refs(schema: Any, definitions: Mapping[str, Any], depth: int = 0) -> Any:
    """Write out each `$ref` to `#/definitions/NAME` or `#/$defs/NAME`.

    In: a schema, the definitions by name, and how many references it stands behind already. A reference replaces all
    keywords beside it. One that leads elsewhere, or stands behind more than ten others, becomes `{"type": "object"}`;
    behind more than ten, what is no reference itself stays as it is, with the references in it. Definitions that would
    grow past a budget of nodes are cut earlier, where ADK-Rust runs out of memory: see `refs.MOST_NODES`. Out: the new
    schema.
    """
    return resolving(definitions, schema, depth)(schema, depth)


def enforce_nesting_depth(schema: Any, max_depth: int, current: int = 0) -> Any:
    """Replace each object schema inside `max_depth` others by `{"type": "object"}`.

    In: a schema, the bound, and how many objects it stands in already. Only objects count: with `type: object` or
    `properties`. Out: the new schema.
    """
    return nesting_limit(max_depth)(schema, current)


def nesting_limit(max_depth: int) -> Transform:
    """`enforce_nesting_depth` for one bound, as a step of an adapter."""

    def local(node: Node, current: int) -> tuple[Node, int | None]:
        if not is_object_schema(node):
            return node, current
        return (node, current + 1) if current < max_depth else (any_object(), None)

    return Transform("enforce_nesting_depth", local, below=_NESTING_PLACES, words=("type", "properties"))


_NESTING_PLACES = places(word for word in PLACES if word not in ("prefixItems", "if", "then", "else"))


def is_object_schema(schema: Node) -> bool:
    """Whether ADK-Rust takes a schema for that of an object: by its type, or because it has properties."""
    return schema.get("type") == "object" or "properties" in schema
