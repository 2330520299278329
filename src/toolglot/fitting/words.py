"""Every sentence that a model will read: at most twenty words, none of ours, after the author's text, never twice."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema

SIGNATURE_LIMIT = 200
_SHORT = 60
_SHOWN = 12


def joined(author: Any, sentences: Iterable[str]) -> str:
    """The author's text with sentences after it; a sentence that the author already wrote is not repeated."""
    text = author.strip() if isinstance(author, str) else ""
    for sentence in sentences:
        if sentence and sentence.rstrip(".") not in text:
            text = f"{text}{'' if not text or text[-1] in '.!?:' else '.'} {sentence}".strip()
    return text


def as_json(value: Any, limit: int = _SHORT) -> str:
    """A value as JSON, cut where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= limit else text[: limit - 3] + "..."


def entries() -> str:
    """How to write a map as a list."""
    return 'List of entries, each key once. For {"en": "Hello"} write [{"key": "en", "value": "Hello"}].'


def one_of(names: Sequence[str]) -> str:
    """One property per branch, exactly one to be given."""
    return f"Give exactly one of: {', '.join(names)}."


def only_with(tag: str, value: str, names: Sequence[str]) -> str:
    """Which fields belong to which kind."""
    return f"Only with {tag} {json.dumps(value, ensure_ascii=False)}: {', '.join(names)}."


def needs(groups: Sequence[Sequence[str]]) -> str:
    """Alternatives of `required`."""
    return f"Needs {' or '.join(' and '.join(group) if group else 'nothing' for group in groups)}."


def json_text(schema: Schema, document: Document) -> str:
    """That a place takes JSON text, and of what shape."""
    shape = signature(schema, document)
    return f"JSON, as text. Shape: {shape}" if shape not in ("", "any") else "JSON, as text."


def listed(values: Sequence[Any]) -> str:
    """The values of an enum that the wire cannot list."""
    shown = [as_json(value) for value in values[:12]]
    return f"One of: {', '.join(shown)}{', ...' if len(values) > 12 else ''}."


def bounds(schema: Mapping[str, Any], words: Iterable[str]) -> list[str]:
    """Bounds and other rules that the wire does not carry, as sentences."""
    gone = set(words)
    if not gone:
        return []
    said = [_range(schema, gone, *row) for row in _RANGES]
    said += [template.format(as_json(schema[word], 120)) for word, template in _RULES if word in gone]
    return [sentence for sentence in said if sentence]


_RANGES = (
    ("minimum", "maximum", ""),
    ("exclusiveMinimum", "exclusiveMaximum", "!"),
    ("minLength", "maxLength", " characters"),
    ("minItems", "maxItems", " entries"),
    ("minProperties", "maxProperties", " names"),
    ("minContains", "maxContains", " matching entries"),
)
_RULES = (
    ("pattern", "Matches {}."),
    ("format", "Format {}."),
    ("multipleOf", "A multiple of {}."),
    ("contentEncoding", "Encoding {}."),
    ("contentMediaType", "Content {}."),
    ("const", "Always {}."),
    ("default", "Default {}."),
)


def _range(schema: Mapping[str, Any], gone: set[str], low: str, high: str, unit: str) -> str:
    least = schema.get(low) if low in gone else None
    most = schema.get(high) if high in gone else None
    if least is None and most is None:
        return ""
    if unit == "!":
        parts = [
            f"above {as_json(least)}" if least is not None else "",
            f"below {as_json(most)}" if most is not None else "",
        ]
        text = " and ".join(part for part in parts if part)
        return f"{text[0].upper()}{text[1:]}."
    if least is not None and most is not None:
        return f"{as_json(least)} to {as_json(most)}{unit}."
    return f"At least {as_json(least)}{unit}." if most is None else f"At most {as_json(most)}{unit}."


def signature(schema: Schema, document: Document, depth: int = 3) -> str:
    """A compact signature of a schema: `{op: "and" | "or", args: Filter[]}`."""
    text = _signature(schema, document, depth)
    return text if len(text) <= SIGNATURE_LIMIT else text[: SIGNATURE_LIMIT - 3] + "..."


def _signature(schema: Any, document: Document, depth: int) -> str:
    ref = ref_of(schema)
    if ref is not None:
        name = ref.rsplit("/", 1)[-1] or "the whole"
        return name if depth <= 1 else _signature(document.follow(schema), document, depth - 1)
    if not is_map(schema):
        return "any"
    if "const" in schema:
        return as_json(schema["const"])
    if is_list(schema.get("enum")):
        return " | ".join(as_json(value, 30) for value in schema["enum"][:8])
    for word in ("anyOf", "oneOf"):
        if is_list(schema.get(word)):
            if depth <= 0:
                return "any"
            return " | ".join(dict.fromkeys(_signature(branch, document, depth - 1) for branch in schema[word][:6]))
    return _typed(schema, document, depth)


def _typed(schema: Mapping[str, Any], document: Document, depth: int) -> str:
    kind = schema.get("type")
    if is_list(kind):
        return " | ".join(map(str, kind))
    if is_map(schema.get("properties")):
        return "{...}" if depth <= 0 else _object(schema, document, depth)
    if kind == "array" or "items" in schema:
        return f"{_signature(schema.get('items'), document, depth - 1)}[]"
    if kind == "object":
        others = schema.get("additionalProperties")
        return f"{{name: {_signature(others, document, depth - 1)}}}" if is_map(others) and others else "{...}"
    return kind if isinstance(kind, str) else "any"


def _object(schema: Mapping[str, Any], document: Document, depth: int) -> str:
    required = schema.get("required", ())
    parts: list[str] = []
    left = SIGNATURE_LIMIT
    for name, part in islice(schema["properties"].items(), _SHOWN):
        parts.append(f"{name}{'' if name in required else '?'}: {_signature(part, document, depth - 1)}")
        left -= len(parts[-1])
        if left < 0:
            break  # what follows would be cut off
    return "{" + ", ".join(parts) + (", ..." if len(schema["properties"]) > len(parts) else "") + "}"


def from_name(name: str) -> str:
    """A description made of a tool's name, for targets that demand one."""
    text = " ".join(name.replace("-", "_").replace(".", "_").split("_")).strip()
    return f"{text[:1].upper()}{text[1:]}." if text else "A tool."
