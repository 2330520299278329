"""The features: what targets disagree about, one polarity each. Each has one bit, one sentence, one detector.

The detectors are in `scan`; the facts that name these features are in `targets/data`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Feature:
    """`says` completes "this place ..."; `kind` groups features for reports and for the severity of a loss."""

    name: str
    kind: str  # root | reference | union | object | array | value | bound | annotation | tool
    says: str
    bit: int = 0


_TABLE: tuple[tuple[str, str, str], ...] = (
    # The root of the input schema.
    ("root-untyped", "root", "is a root that is not simply `type: object`"),
    ("root-union", "root", "has `anyOf` or `oneOf` at the root"),
    ("root-all-of", "root", "has `allOf` at the root"),
    ("root-conditional", "root", "has `if`, `then` or `else` at the root"),
    ("root-not", "root", "has `not` at the root"),
    ("root-enum", "root", "has `enum` or `const` at the root"),
    ("root-ref", "root", "is a root that is a `$ref`"),
    (
        "root-no-parameters",
        "root",
        "is a root that declares no parameters, `properties: {}` included",
    ),
    ("root-properties-missing", "root", "is an object root without the member `properties`"),
    # References.
    ("ref", "reference", "is a `$ref` to `#/$defs/NAME`"),
    ("ref-definitions", "reference", "is a `$ref` to `#/definitions/NAME`"),
    ("ref-to-root", "reference", "is a `$ref` to the whole document (`#`)"),
    ("ref-other", "reference", "is a `$ref` to another place in the document (`#/properties/...`, an anchor)"),
    ("ref-recursive", "reference", "is a `$ref` that leads back to itself"),
    ("ref-dangling", "reference", "is a `$ref` to a place that does not exist"),
    ("ref-remote", "reference", "is a `$ref` to another document"),
    ("ref-annotated", "reference", "has a description, title or default beside `$ref`"),
    ("ref-siblings", "reference", "has keywords that assert something beside `$ref`"),
    ("ref-in-union", "reference", "is a `$ref` as a branch of a union"),
    ("defs", "reference", "carries `$defs` or `definitions` at the root"),
    ("defs-nested", "reference", "carries `$defs` or `definitions` below the root"),
    # Unions below the root (anyOf, oneOf; a null alternative is not counted as a branch).
    ("null-union", "union", "is a union of one alternative and null"),
    ("scalar-union", "union", "is a union of several scalars"),
    ("one-structured-union", "union", "is a union of one structured branch and scalars"),
    ("structured-union", "union", "is a union of several structured branches"),
    ("one-of", "union", "is spelled `oneOf`"),
    ("union-typed", "union", "has `type` beside a union"),
    ("union-annotated", "union", "has a description, title or default beside a union"),
    ("union-siblings", "union", "has keywords that assert something beside a union"),
    ("all-of-one", "union", "is an `allOf` with one entry"),
    ("all-of", "union", "is an `allOf` with several entries"),
    ("not", "union", "has `not`"),
    ("conditional", "union", "has `if`, `then` or `else`"),
    ("discriminator", "union", "has the OpenAPI keyword `discriminator`"),
    # Types.
    ("type-list-null", "value", "has a list of one type and null as `type`"),
    ("type-list", "value", "has a list of several types (or of one) as `type`"),
    ("type-null", "value", "is `type: null` itself"),
    ("nullable", "value", "has the OpenAPI keyword `nullable`"),
    ("untyped", "value", "says nothing about its type"),
    ("untyped-properties", "value", "has `properties` or `items` without a `type`"),
    ("boolean-schema", "value", "is `true` or `false` instead of a schema object"),
    # Values.
    ("enum", "value", "is an `enum` of texts"),
    ("enum-number", "value", "is an `enum` with numbers"),
    ("enum-boolean", "value", "is an `enum` with booleans"),
    ("enum-null", "value", "is an `enum` with null"),
    ("enum-structured", "value", "is an `enum` with objects or lists"),
    ("enum-mixed", "value", "is an `enum` of several JSON types (null not counted)"),
    ("enum-empty-text", "value", "is an `enum` with the empty text"),
    ("enum-untyped", "value", "is an `enum` without a `type`"),
    ("enum-misfit", "value", "is an `enum` with values that its own `type` refuses"),
    ("const", "value", "has a `const`"),
    ("const-untyped", "value", "has a `const` without a `type`"),
    ("const-not-text", "value", "has a `const` that is no text"),
    # Objects.
    ("property-optional", "object", "has properties that are not required"),
    ("object-not-closed", "object", "is a root, or an object with properties, without `additionalProperties: false`"),
    ("object-closed", "object", "has `additionalProperties: false`"),
    ("object-inline", "object", "is an object with properties below the root, and no definition"),
    ("object-open", "object", "is an object without properties that takes any"),
    ("object-empty", "object", "is an object below the root that can only be `{}`"),
    ("additional-true", "object", "has `additionalProperties: true` beside properties"),
    ("map", "object", "is a map: `additionalProperties` is a schema"),
    ("pattern-properties", "object", "has `patternProperties`"),
    ("property-names", "object", "has `propertyNames`"),
    ("object-bounds", "object", "has `minProperties` or `maxProperties`"),
    ("dependent", "object", "has `dependentRequired`, `dependentSchemas` or `dependencies`"),
    ("unevaluated", "object", "has `unevaluatedProperties` or `unevaluatedItems`"),
    ("required-undeclared", "object", "requires a property that it does not declare"),
    # Arrays.
    ("array-no-items", "array", "is an array without `items`"),
    ("tuple", "array", "has `prefixItems`"),
    ("tuple-items", "array", "has a list as `items`"),
    ("min-items-one", "array", "has `minItems` of 0 or 1"),
    ("min-items", "array", "has `minItems` above 1"),
    ("max-items", "array", "has `maxItems`"),
    ("unique-items", "array", "has `uniqueItems`"),
    ("contains", "array", "has `contains`"),
    ("contains-bounds", "array", "has `minContains` or `maxContains`"),
    # Bounds of texts and numbers.
    ("string-bounds", "bound", "has `minLength` or `maxLength`"),
    ("pattern", "bound", "has a `pattern`"),
    ("pattern-lookaround", "bound", "has a `pattern` with look-around or a back-reference"),
    ("pattern-unanchored", "bound", "has a `pattern` that does not start with ^ and end with $"),
    ("pattern-with-bounds", "bound", "has a `pattern` beside `minLength` or `maxLength`"),
    ("format", "bound", "has a `format`"),
    ("content", "bound", "has `contentEncoding`, `contentMediaType` or `contentSchema`"),
    ("number-bounds", "bound", "has `minimum` or `maximum`"),
    ("exclusive-bounds", "bound", "has `exclusiveMinimum` or `exclusiveMaximum` as numbers"),
    ("exclusive-flag", "bound", "has `exclusiveMinimum` or `exclusiveMaximum` as booleans (draft-04)"),
    ("multiple-of", "bound", "has `multipleOf`"),
    # Annotations and other keywords.
    ("default", "annotation", "has a `default`"),
    ("examples", "annotation", "has `examples`"),
    ("example", "annotation", "has the OpenAPI keyword `example`"),
    ("title", "annotation", "has a `title`"),
    ("description", "annotation", "has a `description`"),
    ("dialect", "annotation", "has `$schema`"),
    ("id", "annotation", "has `$id`, `id`, `$anchor` or `$dynamicAnchor`"),
    ("comment", "annotation", "has `$comment`"),
    ("read-only", "annotation", "has `readOnly` or `writeOnly`"),
    ("deprecated", "annotation", "has `deprecated`"),
    ("vendor-keyword", "annotation", "has a keyword that starts with `x-`"),
    ("unknown-keyword", "annotation", "has a keyword that JSON Schema does not know"),
    # The tool around the schema.
    ("tool-description-empty", "tool", "has no description"),
    ("schema-invalid", "tool", "has an input schema that is not valid under the 2020-12 meta-schema"),
    ("schema-invalid-draft7", "tool", "has an input schema that is not valid under the draft-07 meta-schema"),
)

FEATURES: dict[str, Feature] = {
    name: Feature(name, kind, says, 1 << place) for place, (name, kind, says) in enumerate(_TABLE)
}


def mask_of(*names: str) -> int:
    """The bits of these features together. Raises KeyError for a name that is no feature."""
    mask = 0
    for name in names:
        mask |= FEATURES[name].bit
    return mask


def names_of(mask: int) -> tuple[str, ...]:
    """The features in a mask, in the order of the table."""
    return tuple(name for name, feature in FEATURES.items() if mask & feature.bit)
