"""Enums, constants, scalars, values of any type, and null."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.codec import IDENTITY, Choice, Codec
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.lowerings.hints import write
from toolglot.fitting.nodes import looking_at, types_of, without
from toolglot.schema.features import mask_of, names_of
from toolglot.schema.values import is_list, is_map, same

_ENUM_BITS = mask_of(
    *("enum", "enum-number", "enum-boolean", "enum-null", "enum-structured", "enum-mixed", "enum-empty-text"),
    *("enum-untyped", "enum-misfit", "const", "const-untyped", "const-not-text", "root-enum"),
    *("object-open", "object-empty", "object-not-closed", "array-no-items"),
)


def listed(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """`enum` and `const`: kept, given a type, or carried by an enum of unique texts."""
    if "enum" not in schema and "const" not in schema:
        return None
    values = _values(schema)
    if any(word in schema for word in _STRUCTURE):
        schema = _bare(fitter, schema, values, site)
    if site.is_root and not all(map(is_map, values)):
        return fitter.text(schema, site, "root-enum")
    if not fitter.own_at(schema, site) & _ENUM_BITS:
        return write(fitter, schema, dict(schema), site)
    if len(values) == 2 and any(value is True for value in values) and any(value is False for value in values):
        fitter.note(site, "enum-boolean", "kept", "exact", "both booleans are the type boolean")
        return write(fitter, schema, {**without(schema, "enum", "const"), "type": "boolean"}, site)
    rest = without(schema, "enum", "const", "type", *_BOUNDS)
    if all(isinstance(value, str) and value for value in values):
        plain = {**rest, "type": "string", "enum": values}
        if not fitter.own_at(plain, site) & _ENUM_BITS:
            _note(fitter, schema, site, "kept", "written as an enum of texts")
            return write(fitter, schema, plain, site)
    return _as_texts(fitter, schema, values, site)


def _bare(fitter: Fitter, schema: Mapping[str, Any], values: Sequence[Any], site: Site) -> dict[str, Any]:
    """A list of values without what is said about their parts: each value is written out already."""
    if any(is_map(value) or is_list(value) for value in values):
        fitter.note(site, "enum", "left out", "wider", "what else is said of the values is checked after the call")
    return without(schema, *_STRUCTURE)


_STRUCTURE = ("properties", "required", "additionalProperties", "patternProperties", "items", "prefixItems")
_BOUNDS = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "format", "pattern",
           "minLength", "maxLength")  # fmt: skip


def _values(schema: Mapping[str, Any]) -> list[Any]:
    if "enum" not in schema:
        return [schema["const"]]
    values = list(schema["enum"])
    return [value for value in values if same(value, schema["const"])] if "const" in schema else values


def _note(fitter: Fitter, schema: Mapping[str, Any], site: Site, shape: Any, reason: str) -> None:
    refused = names_of(fitter.own_at(schema, site) & _ENUM_BITS)
    fitter.note(site, refused[0] if refused else "enum", shape, "exact", reason)


def _as_texts(fitter: Fitter, schema: Mapping[str, Any], values: Sequence[Any], site: Site) -> Fit:
    texts = unique_texts(values)
    codec: Codec = IDENTITY if list(texts) == list(values) else Choice(texts, tuple(values))
    if fitter.refuses("enum"):
        fitter.note(site, "enum", "left out" if codec is IDENTITY else "encoded", "wider", "listed in the description")
        new = fitter.describe({"type": "string"}, schema, [words.listed(texts)])
        return fitter.wrapped(Fit(new, codec), schema) if site.is_root else Fit(new, codec)
    _note(fitter, schema, site, "encoded", "carried by an enum of texts")
    made = Fit(fitter.describe({"type": "string", "enum": list(texts)}, schema, []), codec)
    return fitter.wrapped(made, schema) if site.is_root else made


def unique_texts(values: Sequence[Any]) -> tuple[str, ...]:
    """A text for each value, all different, none empty: a text is itself, other values are their JSON."""
    taken = {value for value in values if isinstance(value, str) and value}
    texts: list[str] = []
    for value in values:
        text = value if isinstance(value, str) and value else _name(value)
        while text in taken and text is not value:
            text += "_"
        taken.add(text)
        texts.append(text)
    return tuple(texts)


def _name(value: Any) -> str:
    return "(empty)" if value == "" else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def scalar(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """A text, a number, a boolean: bounds that the target does not take become sentences."""
    types = types_of(schema)
    if len(types) == 1 and types[0] in ("string", "number", "integer", "boolean", "null"):
        if types == ["null"] and fitter.refuses("type-null"):
            return _as_texts(fitter, schema, [None], site)
        return write(fitter, schema, looking_at(schema, types[0]), site)
    return None


def anything(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """A value of any type: as it is where the target takes an untyped place, else JSON text."""
    if fitter.own_at(schema, site) & mask_of("untyped", "untyped-properties", "boolean-schema"):
        return fitter.text(schema, site, "untyped")
    return write(fitter, schema, dict(schema), site)
