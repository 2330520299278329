"""What to write instead of each feature: one sentence per feature, for the author of a server."""

from __future__ import annotations

from toolglot.schema.features import FEATURES

_UNION = "Publish one object with optional fields, or one parameter per form; check the combination in the server."
_FLAT = "Publish `type: object` with `properties` at the root, and check combinations in the server."
_BOUND = "Keep the check in the server and state it in the description."
_INLINE = "Write the definition in place of the reference."
_ENUM = "Publish the values as texts and convert them in the server."
_HINT = "Put what it says into the description."
_TYPE = "Give the place a `type`."

_WAYS: dict[str, str] = {
    "root-untyped": "Write `type: object` and `properties` at the root.",
    "root-union": _FLAT,
    "root-all-of": "Merge the parts into one object at the root.",
    "root-conditional": _FLAT,
    "root-not": _FLAT,
    "root-enum": _FLAT,
    "root-ref": "Write the referenced object at the root itself.",
    "root-no-parameters": "Declare one optional parameter.",
    "root-properties-missing": "Add `properties: {}`.",
    "ref": _INLINE,
    "ref-definitions": "Move the definitions to `$defs`, or write them in place.",
    "ref-to-root": "Move the shared schema to `$defs` and refer to `#/$defs/NAME`.",
    "ref-other": "Move the shared schema to `$defs` and refer to `#/$defs/NAME`, or write it in place.",
    "ref-recursive": "Unroll the recursion to the depth that is really used, or take the deep part as JSON text.",
    "ref-dangling": "Define what the reference names under `$defs`.",
    "ref-remote": "Copy the schema into `$defs`; nobody fetches it.",
    "ref-annotated": "Move the description into the definition, or write the definition in place.",
    "ref-siblings": "Move the keywords into the definition, or write the definition in place.",
    "ref-in-union": "Write the definition in place of the reference in the union.",
    "defs": "Write the definitions in place.",
    "defs-nested": "Move the definitions to `$defs` at the root.",
    "null-union": "Leave the parameter out of `required` instead of allowing null.",
    "scalar-union": "Publish one type, best a text, and convert it in the server.",
    "one-structured-union": "Publish the structured form only; a single value is a list with one entry.",
    "structured-union": _UNION,
    "one-of": "Write `anyOf`; where only one may match, check it in the server.",
    "union-typed": "Move `type` into the branches.",
    "union-annotated": "Move the description into the first branch, or to the parameter's parent.",
    "union-siblings": "Move the keywords into the branches.",
    "all-of-one": "Write the one entry in place of `allOf`.",
    "all-of": "Merge the parts into one schema.",
    "not": _BOUND,
    "conditional": _BOUND,
    "discriminator": "Leave it out; the constant in each branch says the same.",
    "type-list-null": "Write one type and leave the parameter out of `required`.",
    "type-list": "Publish one type and convert it in the server.",
    "type-null": "Leave the parameter out.",
    "nullable": "Leave the parameter out of `required` instead of allowing null.",
    "untyped": _TYPE,
    "untyped-properties": "Add `type: object` or `type: array`.",
    "boolean-schema": "Write a schema with a `type` instead of true or false.",
    "enum": _BOUND,
    "enum-number": _ENUM,
    "enum-boolean": "Write `type: boolean`, or texts.",
    "enum-null": "Leave null out of the enum and the parameter out of `required`.",
    "enum-structured": "Name the values with texts and map them in the server.",
    "enum-mixed": _ENUM,
    "enum-empty-text": "Use a word such as `none` for the empty value.",
    "enum-untyped": "Add `type: string` beside the enum.",
    "enum-misfit": "Make `type` and the values of the enum agree.",
    "const": "Write an `enum` with one value.",
    "const-untyped": "Add a `type` beside `const`.",
    "const-not-text": "Use a text as the constant.",
    "property-optional": "Make every parameter required and let null mean that it is absent.",
    "object-not-closed": "Write `additionalProperties: false`.",
    "object-closed": "Leave `additionalProperties` out.",
    "object-inline": "Put the object into `$defs`, and refer to it.",
    "object-open": "Declare the properties, or take a list of key and value entries.",
    "object-empty": "Leave the object out, or declare a property.",
    "additional-true": "Leave `additionalProperties: true` out, or take a list of key and value entries.",
    "map": "Publish a list of objects with `key` and `value`.",
    "pattern-properties": "Publish a list of objects with `key` and `value`.",
    "property-names": _BOUND,
    "object-bounds": _BOUND,
    "dependent": _BOUND,
    "unevaluated": "Write `additionalProperties: false` on a merged object.",
    "required-undeclared": "Declare the property, or take its name out of `required`.",
    "array-no-items": "Add `items` with the type of an entry.",
    "tuple": "Publish an object with one property per position, or a list of one kind with bounds.",
    "tuple-items": "Write `prefixItems` (2020-12), or better an object with one property per position.",
    "min-items-one": _BOUND,
    "min-items": _BOUND,
    "max-items": _BOUND,
    "unique-items": _BOUND,
    "contains": _BOUND,
    "contains-bounds": _BOUND,
    "string-bounds": _BOUND,
    "pattern": _BOUND,
    "pattern-lookaround": "Write the pattern without look-around and back-references.",
    "pattern-unanchored": "Start the pattern with ^ and end it with $, with .* where anything may stand.",
    "pattern-with-bounds": "Keep either the pattern or the length bounds.",
    "format": _BOUND,
    "content": _HINT,
    "number-bounds": _BOUND,
    "exclusive-bounds": "Write `minimum` and `maximum`.",
    "exclusive-flag": "Write the bound itself as `exclusiveMinimum` or `exclusiveMaximum`.",
    "multiple-of": _BOUND,
    "default": "State the default in the description.",
    "examples": _HINT,
    "example": _HINT,
    "title": _HINT,
    "description": "Keep it short.",
    "dialect": "Leave `$schema` out.",
    "id": "Leave the identifier out.",
    "comment": "Leave it out.",
    "read-only": "Leave the property out of the input schema.",
    "deprecated": _HINT,
    "vendor-keyword": "Leave it out, or move it to the tool's `_meta`.",
    "unknown-keyword": "Leave it out.",
    "tool-description-empty": "Describe the tool.",
    "schema-invalid": "Make the schema valid under JSON Schema 2020-12, too.",
    "schema-invalid-draft7": "Make the schema valid under draft-07, too.",
}

_missing = FEATURES.keys() ^ _WAYS.keys()
if _missing:
    raise KeyError(f"features without a way out, or the reverse: {sorted(_missing)}")


def way_out(feature: str) -> str:
    """What to write instead of a feature. Raises KeyError for a name that is no feature."""
    return _WAYS[feature]
