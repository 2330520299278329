"""Keywords at one node: what the target takes stays, a rule that it does not take becomes a sentence, hints go."""

from __future__ import annotations

from collections.abc import Mapping
from math import ceil, floor
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.codec import IDENTITY, Codec
from toolglot.fitting.engine import REPEATS, Fit, Fitter, Site
from toolglot.schema.features import FEATURES, mask_of
from toolglot.schema.values import is_map

HINTS: Mapping[str, str] = {
    "default": "default",
    "examples": "examples",
    "example": "example",
    "title": "title",
    "$comment": "comment",
    "readOnly": "read-only",
    "writeOnly": "read-only",
    "deprecated": "deprecated",
    "discriminator": "discriminator",
    "nullable": "nullable",
    "$schema": "dialect",
    "$id": "id",
    "$anchor": "id",
    "$dynamicAnchor": "id",
}
RULES: Mapping[str, tuple[str, ...]] = {
    "minLength": ("string-bounds",),
    "maxLength": ("string-bounds",),
    "pattern": ("pattern", "pattern-lookaround", "pattern-unanchored", "pattern-with-bounds"),
    "format": ("format",),
    "contentEncoding": ("content",),
    "contentMediaType": ("content",),
    "contentSchema": ("content",),
    "minimum": ("number-bounds",),
    "maximum": ("number-bounds",),
    "exclusiveMinimum": ("exclusive-bounds",),
    "exclusiveMaximum": ("exclusive-bounds",),
    "multipleOf": ("multiple-of",),
    "minItems": ("min-items", "min-items-one"),
    "maxItems": ("max-items",),
    "uniqueItems": ("unique-items",),
    "contains": ("contains",),
    "minContains": ("contains-bounds", "contains"),
    "maxContains": ("contains-bounds", "contains"),
    "minProperties": ("object-bounds",),
    "maxProperties": ("object-bounds",),
    "propertyNames": ("property-names",),
    "dependentRequired": ("dependent",),
    "dependentSchemas": ("dependent",),
    "unevaluatedProperties": ("unevaluated",),
    "unevaluatedItems": ("unevaluated",),
    "not": ("not", "root-not"),
    "if": ("conditional", "root-conditional"),
    "then": ("conditional", "root-conditional"),
    "else": ("conditional", "root-conditional"),
}
LOOKS_INSIDE = frozenset(("contains", "minContains", "maxContains", "minProperties", "maxProperties", "propertyNames",
                          "dependentRequired", "dependentSchemas", "uniqueItems", "unevaluatedProperties",
                          "unevaluatedItems", "not", "if", "then", "else"))  # fmt: skip
"""Assertions about a value as a whole: kept only where every value below has the identity codec."""


def write(
    fitter: Fitter, published: Mapping[str, Any], new: dict[str, Any], site: Site, codec: Codec = IDENTITY,
    sentences: tuple[str, ...] = (), inside: bool = False,
) -> Fit:  # fmt: skip
    """Finish a node: strip what the target refuses of its keywords, and say in words what is worth saying.

    `inside`: something below travels in another form, so assertions that look inside are left out whole.
    """
    gone = [word for word in list(new) if _refused(fitter, new, word, site) or (inside and word in LOOKS_INSIDE)]
    _exclusive(fitter, new, gone, site)
    rules = [word for word in gone if word in RULES]
    for word in gone:
        new.pop(word, None)
    if rules:
        feature = next((name for name in RULES[rules[0]] if fitter.refuses(name)), RULES[rules[0]][0])
        fitter.note(site, feature, "left out", "wider", f"{', '.join(rules)} checked before the server is called")
    for word in gone:
        if word in HINTS or word.startswith("x-") or word in _UNKNOWN:
            fitter.note(site, _feature(word), "left out", "exact", "a hint")
    said = [*sentences, *words.bounds(published, rules)]
    if "default" in gone and published.get("default") is not None:
        said.append(f"Default {words.as_json(published['default'])}.")
    if codec is not IDENTITY:
        _hints_on_the_wire(new, published)
    _describe(fitter, new, said)
    return Fit(new, codec)


def _describe(fitter: Fitter, new: dict[str, Any], said: list[str]) -> None:
    """Put sentences after the description; where none may stand beside a union, into its first branch."""
    if not said:
        return
    branches = new.get("anyOf")
    if branches and fitter.refuses("union-annotated") and is_map(branches[0]):
        first = {**branches[0], "description": words.joined(branches[0].get("description"), said)}
        new["anyOf"] = [first, *branches[1:]]
    else:
        new["description"] = words.joined(new.get("description"), said)


_UNKNOWN = ("$comment",)


def _hints_on_the_wire(new: dict[str, Any], published: Mapping[str, Any]) -> None:
    """Defaults and examples are in the server's shape: beside another wire form they would mislead."""
    for word in ("default", "examples", "example"):
        if word in new and word in published:
            del new[word]


def _feature(word: str) -> str:
    if word.startswith("x-"):
        return "vendor-keyword"
    return HINTS.get(word, "unknown-keyword")


def _refused(fitter: Fitter, schema: Mapping[str, Any], word: str, site: Site) -> bool:
    if word in RULES:
        return _refused_rule(fitter, schema, word, site)
    if word in HINTS:
        return fitter.refuses(HINTS[word])
    if word == "x-mcp-header":
        return True
    if word.startswith("x-"):
        return fitter.refuses("vendor-keyword")
    return word not in _KNOWN and fitter.refuses("unknown-keyword")


def _refused_rule(fitter: Fitter, schema: Mapping[str, Any], word: str, site: Site) -> bool:
    if word in REPEATS and fitter.repeats(schema[word]):
        return True
    names = RULES[word]
    if site.is_root:
        names = tuple(name for name in names if f"root-{name}" not in RULES[word])
    else:
        names = tuple(name for name in names if not name.startswith("root-"))
    if fitter.own_at(_alone(schema, word), site) & mask_of(*names):
        return True
    return word in LOOKS_INSIDE and bool(fitter.mask({word: schema[word]}, "not") & fitter.refused)


def _alone(schema: Mapping[str, Any], word: str) -> dict[str, Any]:
    """The keyword with those that matter to its features."""
    near = ("type", "minLength", "maxLength") if word == "pattern" else ("type",)
    return {name: schema[name] for name in (*near, word) if name in schema}


def _exclusive(fitter: Fitter, new: dict[str, Any], gone: list[str], site: Site) -> None:
    """An exclusive bound of whole numbers is an inclusive one, next to it."""
    for word, other, step in (("exclusiveMinimum", "minimum", 1), ("exclusiveMaximum", "maximum", -1)):
        if word not in gone or new.get("type") != "integer" or fitter.refuses("number-bounds"):
            continue
        bound = new[word]
        inclusive = floor(bound) + 1 if step > 0 else ceil(bound) - 1
        new[other] = (
            max(new.get(other, inclusive), inclusive) if step > 0 else min(new.get(other, inclusive), inclusive)
        )
        gone.remove(word)
        del new[word]
        fitter.note(site, "exclusive-bounds", "kept", "exact", "written as an inclusive bound")


_KNOWN = frozenset(
    [
        "type",
        "enum",
        "const",
        "properties",
        "required",
        "additionalProperties",
        "patternProperties",
        "items",
        "prefixItems",
        "anyOf",
        "oneOf",
        "allOf",
        "$ref",
        "$defs",
        "definitions",
        "description",
    ]
)
assert all(name in FEATURES for names in RULES.values() for name in names)
