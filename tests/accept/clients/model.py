"""The model that the tests play: it says what the schema it is shown lets it say, and knows nothing else."""

from __future__ import annotations

from typing import Any

from toolglot.schema.validate import validator

KINDS: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
LISTED = "type"
"""The parameter whose values are words of the server: nobody says one that no schema lists."""


def can_say(schema: Any, value: Any) -> bool:
    """Whether a model gets to this value: it is valid, every name in it is shown, and every word is listed."""
    return validator(schema).is_valid(value) and _shown(schema, schema, value, "")


def _shown(root: Any, schema: Any, value: Any, name: str) -> bool:
    if not isinstance(schema, dict):
        return not isinstance(value, dict | list)
    if "$ref" in schema:
        return _shown(root, _resolved(root, schema["$ref"]), value, name)
    for union in ("anyOf", "oneOf"):
        if union in schema:
            return any(_shown(root, branch, value, name) for branch in schema[union])
    return _is_kind(schema, value) and _shown_inside(root, schema, value, name)


def _shown_inside(root: Any, schema: Any, value: Any, name: str) -> bool:
    if isinstance(value, dict):
        properties = schema.get("properties", {})
        if set(schema.get("required", ())) - value.keys() or value.keys() - properties.keys():
            return False
        return all(_shown(root, properties[key], inner, key) for key, inner in value.items())
    if isinstance(value, list):
        return all(_shown(root, schema.get("items"), inner, "") for inner in value)
    words = schema.get("enum", [schema["const"]] if "const" in schema else None)
    return name != LISTED if words is None else value in words


def _is_kind(schema: Any, value: Any) -> bool:
    kinds = schema.get("type")
    if kinds is None:
        return "enum" in schema or "const" in schema or not isinstance(value, dict | list)
    found = [kinds] if isinstance(kinds, str) else kinds
    return (schema.get("nullable") is True and value is None) or any(isinstance(value, KINDS[kind]) for kind in found)


def _resolved(root: Any, reference: str) -> Any:
    found = root
    for part in reference.removeprefix("#/").split("/"):
        found = found[part]
    return found
