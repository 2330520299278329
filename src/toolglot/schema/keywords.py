"""The keyword table: what each keyword of JSON Schema holds, and of what kind it is.

Sources: JSON Schema core and validation, drafts 04, 06, 07, 2019-09 and 2020-12; OpenAPI 3.0 for `nullable`,
`discriminator` and `example`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Holds = Literal["data", "schema", "list", "map", "schema-or-list", "map-or-names"]
"""What stands behind a keyword: plain data, one schema, a list or a map of schemas, or (old `items`,
`dependencies`) either form."""

Kind = Literal["assertion", "applicator", "reference", "identifier", "definitions", "annotation"]

Domain = Literal["any", "string", "number", "array", "object"]
"""The JSON type whose values a keyword looks at; values of other types always pass."""


@dataclass(frozen=True, slots=True)
class Keyword:
    """One keyword; `role` is what a schema below it is for its parent."""

    name: str
    kind: Kind
    holds: Holds = "data"
    domain: Domain = "any"
    role: str = "other"


def _table(*rows: tuple[str, Kind, Holds, Domain, str]) -> dict[str, Keyword]:
    return {name: Keyword(name, kind, holds, domain, role) for name, kind, holds, domain, role in rows}


_APPLICATORS = _table(
    ("properties", "applicator", "map", "object", "property"),
    ("patternProperties", "applicator", "map", "object", "value"),
    ("additionalProperties", "applicator", "schema", "object", "value"),
    ("unevaluatedProperties", "applicator", "schema", "object", "value"),
    ("propertyNames", "applicator", "schema", "object", "names"),
    ("dependentSchemas", "applicator", "map", "object", "condition"),
    ("dependencies", "applicator", "map-or-names", "object", "condition"),
    ("items", "applicator", "schema-or-list", "array", "items"),
    ("prefixItems", "applicator", "list", "array", "items"),
    ("additionalItems", "applicator", "schema", "array", "items"),
    ("unevaluatedItems", "applicator", "schema", "array", "items"),
    ("contains", "applicator", "schema", "array", "items"),
    ("anyOf", "applicator", "list", "any", "branch"),
    ("oneOf", "applicator", "list", "any", "branch"),
    ("allOf", "applicator", "list", "any", "part"),
    ("not", "applicator", "schema", "any", "condition"),
    ("if", "applicator", "schema", "any", "condition"),
    ("then", "applicator", "schema", "any", "condition"),
    ("else", "applicator", "schema", "any", "condition"),
    ("contentSchema", "applicator", "schema", "string", "content"),
    ("$defs", "definitions", "map", "any", "definition"),
    ("definitions", "definitions", "map", "any", "definition"),
)


def _plain(kind: Kind, domain: Domain, names: str) -> dict[str, Keyword]:
    return {name: Keyword(name, kind, "data", domain) for name in names.split()}


KEYWORDS: dict[str, Keyword] = (
    _APPLICATORS
    | _plain("assertion", "any", "type enum const nullable")
    | _plain("assertion", "string", "minLength maxLength pattern format contentEncoding contentMediaType")
    | _plain("assertion", "number", "minimum maximum exclusiveMinimum exclusiveMaximum multipleOf")
    | _plain("assertion", "array", "minItems maxItems uniqueItems minContains maxContains")
    | _plain("assertion", "object", "required minProperties maxProperties dependentRequired")
    | _plain("reference", "any", "$ref $dynamicRef $recursiveRef")
    | _plain("identifier", "any", "$id id $anchor $dynamicAnchor $recursiveAnchor $schema $vocabulary")
    | _plain("annotation", "any", "title description default examples example $comment")
    | _plain("annotation", "any", "readOnly writeOnly deprecated discriminator")
)

SCHEMA_HOLDERS: dict[str, Keyword] = {name: word for name, word in KEYWORDS.items() if word.holds != "data"}

COMBINERS = ("anyOf", "oneOf", "allOf")
UNIONS = ("anyOf", "oneOf")
ANNOTATIONS = frozenset(name for name, word in KEYWORDS.items() if word.kind == "annotation")
TYPES = ("null", "boolean", "object", "array", "number", "string", "integer")
SCALARS = frozenset(("null", "boolean", "number", "string", "integer"))
