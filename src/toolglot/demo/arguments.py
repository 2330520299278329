"""Arguments against a published schema, the way servers do it: shape and type, field by field.

The check is loose on purpose. It knows what the schema says and nothing about the content: for a union, one
branch that fits is enough, whatever field the value is meant for.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

Schema = Mapping[str, Any]

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
}


def problem(schema: Schema, arguments: Any) -> str:
    """Why these arguments do not fit the published schema, with the place; empty where they fit."""
    return _problem(schema, schema, arguments, "arguments")


def _problem(root: Schema, schema: Schema, value: Any, place: str) -> str:
    schema = _resolved(root, schema)
    if "type" in schema and not _has_type(value, schema["type"]):
        return f"{place}: expected {schema['type']}"
    if "const" in schema and value != schema["const"]:
        return f"{place}: expected {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        return f"{place}: expected one of {', '.join(map(str, schema['enum']))}"
    return _union_problem(root, schema, value, place) or _inner_problem(root, schema, value, place)


def _resolved(root: Schema, schema: Schema) -> Schema:
    if "$ref" not in schema:
        return schema
    found: Any = root
    for part in schema["$ref"].removeprefix("#/").split("/"):
        found = found[part]
    return found


def _has_type(value: Any, name: str) -> bool:
    if isinstance(value, bool):
        return name == "boolean"
    return isinstance(value, _TYPES[name])


def _union_problem(root: Schema, schema: Schema, value: Any, place: str) -> str:
    branches = schema.get("anyOf")
    if not branches:
        return ""
    problems = [_problem(root, branch, value, place) for branch in branches]
    return "" if "" in problems else f"{place}: fits no alternative ({problems[0]}; ...)"


def _inner_problem(root: Schema, schema: Schema, value: Any, place: str) -> str:
    if isinstance(value, dict):
        return _object_problem(root, schema, cast("dict[str, Any]", value), place)
    if isinstance(value, list) and "items" in schema:
        items = enumerate(cast("list[Any]", value))
        found = (_problem(root, schema["items"], item, f"{place}[{i}]") for i, item in items)
        return next(filter(None, found), "")
    return ""


def _object_problem(root: Schema, schema: Schema, value: dict[str, Any], place: str) -> str:
    declared: Mapping[str, Schema] = schema.get("properties", {})
    missing = [name for name in schema.get("required", ()) if name not in value]
    if missing:
        return f"{place}: {missing[0]} is missing"
    unknown = [name for name in value if name not in declared]
    if unknown and schema.get("additionalProperties") is False:
        return f"{place}: {unknown[0]} is not known"
    found = (_problem(root, declared[k], v, f"{place}.{k}") for k, v in value.items() if k in declared)
    return next(filter(None, found), "")
