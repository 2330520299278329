"""What belongs at a place, in words: "a whole number from 1 to 100", "a list (each item a text)"."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema

LIMIT = 240
_MOST_LISTED = 20
_MOST_BRANCHES = 6
_DEPTH = 3


def _python(value: Any) -> str:
    """What stands for a value of Python that is no JSON."""
    return f"a Python {type(value).__name__}"


def shown(value: Any, limit: int = 60) -> str:
    """A value as JSON, cut where it is long; objects and lists in general terms."""
    if is_map(value):
        return "an object" if value else "an empty object"
    if is_list(value):
        return f"a list of {len(value)}" if value else "an empty list"
    if isinstance(value, str):
        cut = value if len(value) <= limit else value[: limit - 3] + "..."
        return json.dumps(cut, ensure_ascii=False)
    text = json.dumps(value, default=_python)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def one_of(values: Sequence[Any]) -> str:
    """The values of an enum: "one of "a", "b" and 3 more"."""
    if len(values) == 1:
        return _literal(values[0])
    more = f" and {len(values) - _MOST_LISTED} more" if len(values) > _MOST_LISTED else ""
    return f"one of {', '.join(_literal(value) for value in values[:_MOST_LISTED])}{more}"


def _literal(value: Any) -> str:
    if not isinstance(value, (dict, list)):
        return shown(value)
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= LIMIT // 3 else shown(value)


def names(found: Iterable[str], join: str = ", ", most: int = 8) -> str:
    """Names in back quotes, the first few."""
    known = list(found)
    more = f" and {len(known) - most} more" if len(known) > most else ""
    return join.join(f"`{name}`" for name in known[:most]) + more


def describe(schema: Schema, document: Document, depth: int = _DEPTH) -> str:
    """What a schema of a meaning asks for, in a few words; references are looked up in the document."""
    text = _describe(schema, document, depth)
    return text if len(text) <= LIMIT else text[: LIMIT - 3] + "..."


def _describe(schema: Schema, document: Document, depth: int) -> str:
    schema = _target(schema, document)
    if not is_map(schema) or not schema or depth < 0:
        return "no value" if schema is False else "any value"
    if "const" in schema:
        return _literal(schema["const"])
    if is_list(schema.get("enum")) and schema["enum"]:
        return one_of(schema["enum"])
    for word in ("anyOf", "oneOf"):
        if schema.get(word) and "properties" not in schema:
            if len(schema[word]) > _MOST_LISTED:
                return "one of several forms"
            branches = [_with_type(_target(branch, document), schema) for branch in schema[word]]
            return _either((_describe(branch, document, depth - 1) for branch in branches), "one of several forms")
    if schema.get("allOf") and "type" not in schema:
        return _all(schema["allOf"], document, depth)
    kinds = schema.get("type", _implied(schema))
    listed = kinds if is_list(kinds) else [kinds]
    return _either((_typed(kind, schema, document, depth) for kind in listed), "any value")


def _target(schema: Schema, document: Document) -> Schema:
    """What a reference leads to, joined with what stands beside it."""
    if not is_map(schema) or ref_of(schema) is None:
        return schema
    target = document.follow(schema)
    return {**target, **{k: v for k, v in schema.items() if k != "$ref"}} if is_map(target) else target


def _with_type(branch: Schema, schema: dict[str, Any]) -> Schema:
    """A branch with the type that stands beside the union, where it has none of its own."""
    if is_map(branch) and "type" not in branch and "type" in schema:
        return {"type": schema["type"], **branch}
    return branch


def _all(parts: Sequence[Schema], document: Document, depth: int) -> str:
    texts = dict.fromkeys(_describe(part, document, depth - 1) for part in parts if depth)
    return " and ".join(text for text in texts if text != "any value") or "any value"


def _either(texts: Iterable[str], otherwise: str) -> str:
    """The alternatives, each once, null last; too many are not listed."""
    known: dict[str, None] = {}
    null = False
    for text in texts:
        null = null or text == "null" or text.endswith(_OR_NULL)
        known[text.removesuffix(_OR_NULL)] = None
    listed = [text for text in known if text not in ("null", "no value")] + ["null"] * null
    return " or ".join(listed) if 0 < len(listed) <= _MOST_BRANCHES else otherwise


_OR_NULL = " or null"


def _implied(schema: dict[str, Any]) -> str:
    for kind, words in _IMPLIED:
        if any(word in schema for word in words):
            return kind
    return "any"


_IMPLIED = (
    ("object", ("properties", "required", "additionalProperties")),
    ("array", ("items", "prefixItems", "minItems", "maxItems")),
    ("string", ("pattern", "minLength", "maxLength")),
    ("number", ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
)

_SIMPLE = {"boolean": "true or false", "null": "null", "any": "any value"}


def _typed(kind: str, schema: dict[str, Any], document: Document, depth: int) -> str:
    if kind == "string":
        return " ".join(part for part in ("a text", *_of_text(schema)) if part)
    if kind in ("integer", "number"):
        return " ".join(part for part in (_NUMBERS[kind], *_of_number(schema)) if part)
    if kind == "array":
        return _list(schema, document, depth)
    return _object(schema) if kind == "object" else _SIMPLE.get(kind, "any value")


_NUMBERS = {"integer": "a whole number", "number": "a number"}


def _of_text(schema: dict[str, Any]) -> list[str]:
    size = _range(schema.get("minLength"), schema.get("maxLength"), "character")
    pattern = schema.get("pattern")
    form = schema.get("format")
    return [
        f"of {size}" if size else "",
        f"that matches {pattern}" if isinstance(pattern, str) and len(pattern) <= LIMIT // 2 else "",
        f"in the form {form}" if isinstance(form, str) else "",
    ]


def _of_number(schema: dict[str, Any]) -> list[str]:
    low, high = schema.get("minimum"), schema.get("maximum")
    bounds = [text.format(schema[word]) for word, text in _BOUNDS if word in schema]
    if low is not None and high is not None:
        bounds = [f"from {low} to {high}", *bounds[2:]]
    return [" and ".join(bounds)]


_BOUNDS = (
    ("minimum", "of at least {}"),
    ("maximum", "of at most {}"),
    ("exclusiveMinimum", "above {}"),
    ("exclusiveMaximum", "below {}"),
    ("multipleOf", "that is a multiple of {}"),
)


def _range(low: int | None, high: int | None, what: str) -> str:
    """A count with its bounds: "1 to 5 characters", "at least 2 items"."""
    if low and high is not None:
        return f"{low} {what}{'' if low == 1 else 's'}" if low == high else f"{low} to {high} {what}s"
    if low:
        return f"at least {low} {what}{'' if low == 1 else 's'}"
    return "" if high is None else f"at most {high} {what}{'' if high == 1 else 's'}"


def _list(schema: dict[str, Any], document: Document, depth: int) -> str:
    size = _range(schema.get("minItems"), schema.get("maxItems"), "item")
    text = f"a list of {size}" if size else "a list"
    items = schema.get("items", True)
    if depth <= 1 or "prefixItems" in schema or not is_map(items) or not items:
        return text
    return f"{text} (each item {_describe(items, document, depth - 1)})"


def _object(schema: dict[str, Any]) -> str:
    required = schema.get("required", ())
    return f"an object with {names(required)}" if required else "an object"
