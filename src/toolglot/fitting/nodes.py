"""Questions about one schema, and smaller copies of it: what the lowerings ask again and again."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.schema.keywords import COMBINERS, KEYWORDS
from toolglot.schema.values import is_map


def place_name(pointer: str) -> str:
    """The name of the property or definition that a pointer leads through last; "" where it has none."""
    parts = pointer.split("/")[1:]
    named = [
        part
        for place, part in enumerate(parts)
        if place and parts[place - 1] in ("properties", "$defs", "definitions", "patternProperties")
    ]
    return named[-1].replace("~1", "/").replace("~0", "~") if named else ""


def is_never(schema: Any) -> bool:
    """Whether a schema takes no value at all: false, or the negation of everything."""
    return schema is False or (is_map(schema) and "not" in schema and schema["not"] in (True, {}))


def without(schema: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """A schema without some keywords."""
    return {word: value for word, value in schema.items() if word not in names}


def looking_at(schema: Mapping[str, Any], kind: str) -> dict[str, Any]:
    """A schema of one type without the keywords that only look at values of other types."""
    domain = {"integer": "number"}.get(kind, kind)
    return {
        word: value
        for word, value in schema.items()
        if word not in KEYWORDS or KEYWORDS[word].domain in ("any", domain)
    }


def types_of(schema: Mapping[str, Any]) -> list[str]:
    """The types that a schema names; those of its keywords or values where it names none."""
    kind = schema.get("type")
    if isinstance(kind, str):
        return [kind]
    if isinstance(kind, list):
        return [name for name in kind if isinstance(name, str)]  # pyright: ignore[reportUnknownVariableType]
    if any(word in schema for word in COMBINERS):
        return []
    if any(word in schema for word in _OBJECT_WORDS):
        return ["object"]
    return ["array"] if any(word in schema for word in ("items", "prefixItems", "minItems", "maxItems")) else []


_OBJECT_WORDS = ("properties", "additionalProperties", "patternProperties", "required")
