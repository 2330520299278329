"""The smallest input schema with each feature: for `explain` and for bug reports."""

from __future__ import annotations

from typing import Any

from toolglot.errors import parse_json

_PARAMETER: dict[str, str] = {
    "ref-annotated": '{"$ref": "#/$defs/Item", "description": "What to store"}',
    "ref-siblings": '{"$ref": "#/$defs/Item", "minLength": 1}',
    "ref-in-union": '{"anyOf": [{"$ref": "#/$defs/Item"}, {"type": "null"}]}',
    "ref-dangling": '{"$ref": "#/$defs/Missing"}',
    "ref-remote": '{"$ref": "https://example.com/item.json"}',
    "defs-nested": '{"type": "string", "$defs": {"Item": {"type": "string"}}}',
    "null-union": '{"anyOf": [{"type": "string"}, {"type": "null"}]}',
    "scalar-union": '{"anyOf": [{"type": "string"}, {"type": "number"}]}',
    "one-structured-union": '{"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}',
    "structured-union": (
        '{"anyOf": [{"type": "array", "items": {"type": "string"}},'
        ' {"type": "object", "properties": {"add": {"type": "string"}}}]}'
    ),
    "one-of": '{"oneOf": [{"type": "string"}, {"type": "number"}]}',
    "union-typed": '{"type": "string", "anyOf": [{"minLength": 3}, {"const": ""}]}',
    "union-annotated": '{"description": "What to store", "anyOf": [{"type": "string"}, {"type": "number"}]}',
    "union-siblings": '{"minLength": 1, "anyOf": [{"type": "string"}, {"type": "number"}]}',
    "all-of-one": '{"allOf": [{"type": "string"}]}',
    "all-of": '{"allOf": [{"type": "string"}, {"minLength": 1}]}',
    "not": '{"type": "string", "not": {"const": ""}}',
    "conditional": '{"type": "string", "if": {"minLength": 1}, "then": {"pattern": "^[a-z]+$"}}',
    "discriminator": (
        '{"discriminator": {"propertyName": "kind"},'
        ' "oneOf": [{"type": "object", "properties": {"kind": {"const": "a"}}, "required": ["kind"]}]}'
    ),
    "type-list-null": '{"type": ["string", "null"]}',
    "type-list": '{"type": ["string", "number"]}',
    "type-null": '{"type": "null"}',
    "nullable": '{"type": "string", "nullable": true}',
    "untyped": '{"description": "Any value"}',
    "untyped-properties": '{"properties": {"name": {"type": "string"}}}',
    "boolean-schema": "true",
    "enum": '{"type": "string", "enum": ["a", "b"]}',
    "enum-number": '{"type": "integer", "enum": [1, 2]}',
    "enum-boolean": '{"type": "boolean", "enum": [true]}',
    "enum-null": '{"type": ["string", "null"], "enum": ["a", null]}',
    "enum-structured": '{"type": "object", "enum": [{"a": 1}]}',
    "enum-mixed": '{"enum": ["a", 1]}',
    "enum-empty-text": '{"type": "string", "enum": ["", "a"]}',
    "enum-untyped": '{"enum": ["a", "b"]}',
    "enum-misfit": '{"type": "string", "enum": ["a", 1]}',
    "const": '{"type": "string", "const": "a"}',
    "const-untyped": '{"const": "a"}',
    "const-not-text": '{"type": "integer", "const": 1}',
    "object-open": '{"type": "object"}',
    "object-empty": '{"type": "object", "additionalProperties": false}',
    "map": '{"type": "object", "additionalProperties": {"type": "string"}}',
    "pattern-properties": '{"type": "object", "patternProperties": {"^x_": {"type": "string"}}}',
    "property-names": '{"type": "object", "propertyNames": {"pattern": "^[a-z]+$"}}',
    "object-bounds": '{"type": "object", "minProperties": 1}',
    "array-no-items": '{"type": "array"}',
    "tuple": '{"type": "array", "prefixItems": [{"type": "number"}, {"type": "string"}]}',
    "tuple-items": '{"type": "array", "items": [{"type": "number"}, {"type": "string"}]}',
    "min-items-one": '{"type": "array", "items": {"type": "string"}, "minItems": 1}',
    "min-items": '{"type": "array", "items": {"type": "string"}, "minItems": 2}',
    "max-items": '{"type": "array", "items": {"type": "string"}, "maxItems": 5}',
    "unique-items": '{"type": "array", "items": {"type": "string"}, "uniqueItems": true}',
    "contains": '{"type": "array", "items": {"type": "string"}, "contains": {"const": "a"}}',
    "contains-bounds": ('{"type": "array", "items": {"type": "string"}, "contains": {"const": "a"}, "maxContains": 2}'),
    "string-bounds": '{"type": "string", "maxLength": 20}',
    "pattern": '{"type": "string", "pattern": "^[a-z]+$"}',
    "pattern-lookaround": '{"type": "string", "pattern": "^(?!tmp)[a-z]+$"}',
    "pattern-unanchored": '{"type": "string", "pattern": "[a-z]+"}',
    "pattern-with-bounds": '{"type": "string", "pattern": "^[a-z]+$", "maxLength": 20}',
    "format": '{"type": "string", "format": "uri"}',
    "content": '{"type": "string", "contentEncoding": "base64"}',
    "number-bounds": '{"type": "integer", "minimum": 1}',
    "exclusive-bounds": '{"type": "number", "exclusiveMinimum": 0}',
    "exclusive-flag": '{"type": "number", "minimum": 0, "exclusiveMinimum": true}',
    "multiple-of": '{"type": "number", "multipleOf": 0.01}',
    "default": '{"type": "string", "default": "a"}',
    "examples": '{"type": "string", "examples": ["a"]}',
    "example": '{"type": "string", "example": "a"}',
    "title": '{"type": "string", "title": "Name"}',
    "description": '{"type": "string", "description": "The name"}',
    "comment": '{"type": "string", "$comment": "From the database"}',
    "read-only": '{"type": "string", "readOnly": true}',
    "deprecated": '{"type": "string", "deprecated": true}',
    "vendor-keyword": '{"type": "string", "x-order": 1}',
    "unknown-keyword": '{"type": "string", "order": 1}',
    "schema-invalid": '{"type": "string", "minLength": "1"}',
    "schema-invalid-draft7": '{"type": "string", "minLength": "1"}',
}
"""The schema of one parameter."""

_OBJECT = '{"type": "object", "properties": {"name": {"type": "string"}}'
_ROOT: dict[str, str] = {
    "root-untyped": '{"properties": {"name": {"type": "string"}}}',
    "root-union": '{"type": "object", "anyOf": [{"required": ["id"]}, {"required": ["name"]}]}',
    "root-all-of": f'{{"type": "object", "allOf": [{_OBJECT}}}]}}',
    "root-conditional": _OBJECT + ', "if": {"required": ["name"]}, "then": {"required": ["id"]}}',
    "root-not": _OBJECT + ', "not": {"required": ["id"]}}',
    "root-enum": '{"type": "object", "enum": [{}]}',
    "root-ref": f'{{"$ref": "#/$defs/Arguments", "$defs": {{"Arguments": {_OBJECT}}}}}}}',
    "root-no-parameters": '{"type": "object", "properties": {}}',
    "root-properties-missing": '{"type": "object"}',
    "ref": (
        '{"type": "object", "properties": {"value": {"$ref": "#/$defs/Item"}}, "$defs": {"Item": {"type": "string"}}}'
    ),
    "ref-definitions": (
        '{"type": "object", "properties": {"value": {"$ref": "#/definitions/Item"}},'
        ' "definitions": {"Item": {"type": "string"}}}'
    ),
    "ref-other": '{"type": "object", "properties": {"a": {"type": "string"}, "b": {"$ref": "#/properties/a"}}}',
    "ref-to-root": '{"type": "object", "properties": {"child": {"$ref": "#"}}}',
    "ref-recursive": (
        '{"type": "object", "properties": {"value": {"$ref": "#/$defs/Node"}}, "$defs":'
        ' {"Node": {"type": "object", "properties": {"next": {"$ref": "#/$defs/Node"}}}}}'
    ),
    "defs": _OBJECT + ', "$defs": {"Item": {"type": "string"}}}',
    "property-optional": _OBJECT + "}",
    "object-not-closed": _OBJECT + "}",
    "object-closed": _OBJECT + ', "additionalProperties": false}',
    "object-inline": '{"type": "object", "properties": {"of": ' + _OBJECT + "}}}",
    "additional-true": _OBJECT + ', "additionalProperties": true}',
    "dependent": _OBJECT + ', "dependentRequired": {"name": ["id"]}}',
    "unevaluated": _OBJECT + ', "unevaluatedProperties": false}',
    "required-undeclared": _OBJECT + ', "required": ["id"]}',
    "dialect": '{"$schema": "http://json-schema.org/draft-07/schema#", ' + _OBJECT[1:] + "}",
    "id": '{"$id": "https://example.com/arguments", ' + _OBJECT[1:] + "}",
    "tool-description-empty": _OBJECT + "}",
}
"""A whole input schema."""

_ITEM = ("ref-annotated", "ref-siblings", "ref-in-union")


def example(feature: str) -> Any:
    """The smallest input schema with a feature. Raises KeyError for a name that is no feature."""
    if feature in _ROOT:
        return parse_json(_ROOT[feature])
    schema: dict[str, Any] = {"type": "object", "properties": {"value": parse_json(_PARAMETER[feature])}}
    return schema | {"$defs": {"Item": {"type": "string"}}} if feature in _ITEM else schema
