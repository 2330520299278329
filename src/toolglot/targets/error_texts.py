"""What targets say when they refuse tools: patterns for their error texts, kept beside their facts."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, get_args

from toolglot.schema.features import FEATURES
from toolglot.targets.model import REQUEST_LIMITS, SCHEMA_LIMITS
from toolglot.targets.tables import PROOF_KEYS, Place, check_keys, nearest, parse_proof, text_in, texts_in

if TYPE_CHECKING:
    from toolglot.targets.model import Proof

PathForm = Literal["", "fields", "keys", "dots", "names", "slashes", "root"]
"""How a text spells a place. `fields`: `properties[3].value.any_of[0]`; `keys`: `'properties', 'x', 'items'`; `dots`:
`properties.x.items`; `names`: property names only, `a.b`; `slashes`: `properties/x`; `root`: the text is about the root
and spells no place."""

PATH_FORMS: tuple[str, ...] = get_args(PathForm)
GROUPS = ("index", "tool", "path", "word")
"""Groups of a pattern: the tool's place in the request, its name there, the place in its schema, and a keyword."""

NAMES = ("tool-name", "property-name")
LONGEST = 100_000
"""Characters of an error text that are read."""

_KEYS = ("pattern", "path", "about", *PROOF_KEYS)


@dataclass(frozen=True, slots=True)
class ErrorText:
    """One kind of error text of a target.

    `pattern` is searched in a text without line breaks and escapes (`clean`). `about`: the features, limits or kinds of
    name that it can be about, the likeliest first; empty where the group `word` or nothing says it. `proof.says` is a
    real text.
    """

    target: str
    pattern: re.Pattern[str]
    path: PathForm
    about: tuple[str, ...]
    proof: Proof

    def causes(self, word: str | None) -> tuple[str, ...]:
        """What a text is about: the features of the keyword that it names, within `about` where both are known."""
        named = KEYWORD_FEATURES.get(word or "", ())
        return tuple(one for one in named if one in self.about) or self.about or named


def parse_errors(table: Mapping[str, Any], place: Place) -> tuple[ErrorText, ...]:
    """The error texts of a target table. Raises ConfigError for what cannot work, with the place."""
    target = str(table.get("id", ""))
    return tuple(_error(row, target, place.at(f"error {n}")) for n, row in enumerate(table.get("error", []), 1))


def _error(row: Any, target: str, place: Place) -> ErrorText:
    check_keys(row, _KEYS, place)
    pattern = _compiled(text_in(row, "pattern", place), place)
    form = text_in(row, "path", place, "")
    if form not in PATH_FORMS:
        raise place.wrong(f"`path` is {form!r}.", f"It is one of: {', '.join(filter(None, PATH_FORMS))}.")
    if ("path" in pattern.groupindex) != (form not in ("", "root")):
        raise place.wrong("a pattern with the group `path` needs the key `path`, and no other has it.")
    about = texts_in(row, "about", place)
    for name in about:
        if name not in _ABOUT:
            raise place.wrong(f"unknown feature, limit or kind of name {name!r}.", nearest(name, _ABOUT))
    proof = parse_proof(row, place)
    if not pattern.search(clean(proof.says)):
        raise place.wrong("the pattern does not match the text in `says`.", "Give a real text of the target.")
    return ErrorText(target, pattern, form, about, proof)  # pyright: ignore[reportArgumentType]


_ABOUT = (*FEATURES, *SCHEMA_LIMITS, *REQUEST_LIMITS, *NAMES)


def _compiled(text: str, place: Place) -> re.Pattern[str]:
    try:
        pattern = re.compile(text)
    except re.error as error:
        raise place.wrong(f"`pattern` is no regular expression: {error}.") from None
    unknown = [name for name in pattern.groupindex if name not in GROUPS]
    if unknown:
        raise place.wrong(f"unknown group {unknown[0]!r}.", f"Groups are: {', '.join(GROUPS)}.")
    if _UNBOUNDED.search(text):
        raise place.wrong("`pattern` has a group that is repeated without a bound.", "Such a pattern can hang.")
    return pattern


_UNBOUNDED = re.compile(r"(?<!\\)\)[*+]")
"""A repeated group: the only way to a pattern whose search takes exponential time."""

_QUOTES = re.compile(r"(?<!\\)\\+([\"'/`])")
_BREAKS = re.compile(r"(?<!\\)\\+[nrt]")
_CODES = re.compile(r"(?<!\\)\\+u([0-9a-fA-F]{4})")
_SPACE = re.compile(r"\s+")


def clean(text: str) -> str:
    """An error text without the escapes of JSON in JSON and without line breaks: terminals and logs add both."""
    text = _QUOTES.sub(r"\1", text[:LONGEST])
    text = _CODES.sub(lambda found: chr(int(found[1], 16)), text)
    return _SPACE.sub(" ", _BREAKS.sub(" ", text)).strip()


_UNIONS = (
    *("root-union", "structured-union", "one-structured-union", "scalar-union", "null-union"),
    *("union-siblings", "union-typed", "union-annotated"),
)
_TYPES = ("type-list", "type-list-null", "type-null", "untyped", "enum-untyped", "const-untyped", "untyped-properties")
_ENUMS = ("enum-number", "enum-boolean", "enum-structured", "enum-null", "enum-mixed", "enum-empty-text", "enum")
_OPEN = ("additional-true", "map", "object-open", "object-closed")
_REFS = (
    *("ref", "ref-definitions", "ref-other", "ref-recursive", "ref-dangling", "ref-remote", "ref-to-root"),
    "root-ref",
)
_EXCLUSIVE = ("exclusive-bounds", "exclusive-flag")

KEYWORD_FEATURES: dict[str, tuple[str, ...]] = {
    "type": _TYPES,
    "anyOf": _UNIONS,
    "oneOf": ("root-union", "one-of", *_UNIONS[1:]),
    "allOf": ("root-all-of", "all-of", "all-of-one"),
    "not": ("not", "root-not"),
    "if": ("conditional", "root-conditional"),
    "then": ("conditional", "root-conditional"),
    "else": ("conditional", "root-conditional"),
    "$ref": _REFS,
    "$defs": ("defs", "defs-nested"),
    "definitions": ("defs", "defs-nested"),
    "enum": _ENUMS,
    "const": ("const", "const-untyped", "const-not-text"),
    "nullable": ("nullable",),
    "discriminator": ("discriminator",),
    "properties": ("root-properties-missing", "object-open", "object-empty", "root-no-parameters"),
    "additionalProperties": _OPEN,
    "patternProperties": ("pattern-properties",),
    "propertyNames": ("property-names",),
    "minProperties": ("object-bounds",),
    "maxProperties": ("object-bounds",),
    "dependentRequired": ("dependent",),
    "dependentSchemas": ("dependent",),
    "dependencies": ("dependent",),
    "unevaluatedProperties": ("unevaluated",),
    "unevaluatedItems": ("unevaluated",),
    "required": ("required-undeclared", "property-optional"),
    "items": ("array-no-items", "tuple-items"),
    "prefixItems": ("tuple",),
    "minItems": ("min-items", "min-items-one"),
    "maxItems": ("max-items",),
    "uniqueItems": ("unique-items",),
    "contains": ("contains",),
    "minContains": ("contains-bounds",),
    "maxContains": ("contains-bounds",),
    "minLength": ("string-bounds",),
    "maxLength": ("string-bounds",),
    "pattern": ("pattern", "pattern-unanchored", "pattern-lookaround"),
    "format": ("format",),
    "contentEncoding": ("content",),
    "contentMediaType": ("content",),
    "contentSchema": ("content",),
    "minimum": ("number-bounds",),
    "maximum": ("number-bounds",),
    "exclusiveMinimum": _EXCLUSIVE,
    "exclusiveMaximum": _EXCLUSIVE,
    "multipleOf": ("multiple-of",),
    "default": ("default",),
    "examples": ("examples",),
    "example": ("example",),
    "title": ("title",),
    "$schema": ("dialect",),
    "$id": ("id",),
    "id": ("id",),
    "$anchor": ("id",),
    "$comment": ("comment",),
    "readOnly": ("read-only",),
    "writeOnly": ("read-only",),
    "deprecated": ("deprecated",),
}
"""The features that a keyword can be the sign of, as a text names it."""
