"""One small value of a schema: what a witness is made of. A guess that the caller checks with a validator."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil
from typing import Any

from toolglot.contract.model import NO_WITNESS
from toolglot.contract.shapes import entries, named, required_of, types_of
from toolglot.schema.keywords import UNIONS
from toolglot.schema.refs import Document
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema

_DEPTH = 12
_TEXTS = ("text", "a", "1", "2026-01-01", "2026-01-01T00:00:00Z", "a@example.com", "https://example.com", "en", "A1")
"""Tried in this order where a text must match a pattern."""


def sample(schema: Schema, document: Document) -> Any:
    """A small value that should be valid for a schema, or NO_WITNESS. References are looked up in `document`.

    What the schema only forbids (`not`, `if`, `dependent*`) is not looked at: check the value before showing it.
    """
    return _sample(schema, document, _DEPTH)


def _sample(schema: Schema, document: Document, depth: int) -> Any:
    if depth == 0 or schema is False:
        return NO_WITNESS
    if not is_map(schema):
        return "text"
    if "const" in schema:
        return schema["const"]
    values = schema.get("enum")
    if is_list(values):
        return values[0] if values else NO_WITNESS
    if "$ref" in schema:
        return _sample(document.follow(schema), document, depth - 1)
    for keyword in (*UNIONS, "allOf"):
        if found := entries(schema, keyword):
            return _first([{**_rest(schema, keyword), **entry} for entry in found if is_map(entry)], document, depth)
    return _plain(schema, document, depth)


def _rest(schema: Mapping[str, Any], keyword: str) -> dict[str, Any]:
    return {word: value for word, value in schema.items() if word != keyword}


def _first(schemas: list[dict[str, Any]], document: Document, depth: int) -> Any:
    found = (_sample(schema, document, depth - 1) for schema in schemas)
    return next((value for value in found if value is not NO_WITNESS), NO_WITNESS)


def _plain(schema: dict[str, Any], document: Document, depth: int) -> Any:
    types = types_of(schema)
    kind = types[0] if types else "object" if "properties" in schema else "array" if "items" in schema else "string"
    if kind == "object":
        return _object(schema, document, depth)
    if kind == "array":
        return _array(schema, document, depth)
    if kind == "string":
        return _text(schema)
    return {"boolean": True, "null": None}.get(kind) if kind in ("boolean", "null") else _number(schema, kind)


def _object(schema: dict[str, Any], document: Document, depth: int) -> Any:
    properties = named(schema)
    found: dict[str, Any] = {}
    for name in required_of(schema):
        value = _sample(properties.get(name, True), document, depth - 1)
        if value is NO_WITNESS:
            return NO_WITNESS
        found[name] = value
    return found


def _array(schema: dict[str, Any], document: Document, depth: int) -> Any:
    least = schema.get("minItems", 0)
    if not isinstance(least, int) or least > 20:
        return NO_WITNESS
    places = [*entries(schema, "prefixItems"), *[schema.get("items", True)] * least][:least]
    found = [_sample(place, document, depth - 1) for place in places]
    return NO_WITNESS if any(value is NO_WITNESS for value in found) else found


def _text(schema: dict[str, Any]) -> Any:
    least, most, pattern = schema.get("minLength", 0), schema.get("maxLength", 100), schema.get("pattern")
    if not isinstance(least, int) or not isinstance(most, int) or least > 200:
        return NO_WITNESS
    texts = [text if len(text) >= least else text.ljust(least, "x") for text in _TEXTS]
    texts = [text if len(text) <= most else text[:most] for text in texts]
    return next((text for text in texts if _matches(pattern, text)), NO_WITNESS)


def _matches(pattern: Any, text: str) -> bool:
    from toolglot.schema.validate import validator

    if not isinstance(pattern, str):
        return True
    try:
        return validator({"pattern": pattern}).is_valid(text)
    except ValueError:
        return False


def _number(schema: dict[str, Any], kind: str) -> Any:
    low = schema.get("minimum", schema.get("exclusiveMinimum", 0))
    high = schema.get("maximum", schema.get("exclusiveMaximum", 1))
    if not isinstance(low, (int, float)) or not isinstance(high, (int, float)):
        return NO_WITNESS
    value = low if "minimum" in schema else low + 1 if "exclusiveMinimum" in schema else min(1, high)
    return ceil(value) if kind == "integer" else value
