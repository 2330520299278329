"""The detectors: which features a keyword of a node means, as a bit mask. One table, one detector a feature."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from toolglot.schema.features import FEATURES
from toolglot.schema.keywords import ANNOTATIONS, COMBINERS, KEYWORDS
from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.values import has_type, is_list, is_map, is_schema, type_of
from toolglot.schema.walk import Node, Schema

_BIT = {name: feature.bit for name, feature in FEATURES.items()}
INVALID = _BIT["schema-invalid"] | _BIT["schema-invalid-draft7"]

Detector = Callable[[Mapping[str, Any], Any, Node, Document], int]


# --- References


def _ref(schema: Mapping[str, Any], value: Any, node: Node, document: Document) -> int:
    if not isinstance(value, str):
        return 0
    mask = _BIT["root-ref"] if node.parent is None else 0
    if node.role == "branch":
        mask |= _BIT["ref-in-union"]
    return mask | _where_it_leads(value, node, document) | _beside(schema, "ref", ("$ref", "$dynamicRef"))


_DEFS = re.compile(r"#/(\$defs|definitions)/[^/]+\Z")


def _where_it_leads(ref: str, node: Node, document: Document) -> int:
    found = document.resolve(ref, node)
    if not isinstance(found, Resolved):
        return _BIT["ref-dangling" if found == "dangling" else "ref-remote"]
    mask = _BIT["ref-recursive"] if found.pointer in document.recursive else 0
    place = _DEFS.match(ref)
    if place is None:
        return mask | _BIT["ref-to-root" if ref == "#" else "ref-other"]
    return mask | _BIT["ref" if place[1] == "$defs" else "ref-definitions"]


def _beside(schema: Mapping[str, Any], what: str, own: tuple[str, ...]) -> int:
    """The features `what-annotated` and `what-siblings` for the keywords beside those in `own`."""
    mask = 0
    for keyword in schema:
        if keyword in own or keyword not in KEYWORDS:
            continue
        if keyword in ANNOTATIONS:
            mask |= _BIT[f"{what}-annotated"]
        elif KEYWORDS[keyword].kind in ("assertion", "applicator", "reference") and keyword != "type":
            mask |= _BIT[f"{what}-siblings"]
        elif keyword == "type":
            mask |= _BIT["union-typed" if what == "union" else "ref-siblings"]
    return mask


def _defs(_: Mapping[str, Any], value: Any, node: Node, __: Document) -> int:
    if not value:
        return 0
    return _BIT["defs" if node.parent is None else "defs-nested"]


# --- Unions


def is_null(schema: Any) -> bool:
    """Whether a schema takes null and nothing else."""
    return is_map(schema) and (
        schema.get("type") in ("null", ["null"])
        or ("const" in schema and schema["const"] is None)
        or schema.get("enum") == [None]
    )


def is_structured(schema: Schema, document: Document, node: Node | None = None) -> bool:
    """Whether a union branch is structured (DESIGN: object or array, also in a type list; by what it refers to)."""
    if ref_of(schema) is not None:
        schema = document.follow(schema, node)
    if isinstance(schema, bool):
        return False
    kind = schema.get("type")
    if kind is None:
        return "properties" in schema or "items" in schema
    return kind in ("object", "array") or (is_list(kind) and ("object" in kind or "array" in kind))


def _union(schema: Mapping[str, Any], value: Any, node: Node, document: Document) -> int:
    if not is_list(value):
        return 0
    mask = _beside(schema, "union", ("anyOf", "oneOf"))
    if node.parent is None:
        return mask | _BIT["root-union"]
    branches = [branch for branch in value if is_schema(branch) and not is_null(document.follow(branch, node))]
    structured = sum(is_structured(branch, document, node) for branch in branches)
    return mask | _BIT[_union_kind(len(branches), structured)]


def _union_kind(branches: int, structured: int) -> str:
    if branches <= 1:
        return "null-union"
    if structured == 0:
        return "scalar-union"
    return "one-structured-union" if structured == 1 else "structured-union"


def _one_of(schema: Mapping[str, Any], value: Any, node: Node, document: Document) -> int:
    mask = _union(schema, value, node, document)
    return mask if node.parent is None else mask | _BIT["one-of"]


def _all_of(_: Mapping[str, Any], value: Any, node: Node, __: Document) -> int:
    if node.parent is None:
        return _BIT["root-all-of"]
    return _BIT["all-of" if is_list(value) and len(value) > 1 else "all-of-one"]


def _rooted(root: str, below: str) -> Detector:
    bits = _BIT[root], _BIT[below]
    return lambda _schema, _value, node, _document: bits[node.parent is not None]


# --- Types


def typed(schema: Mapping[str, Any], value: Any, node: Node, document: Document) -> int:
    """The features of `type`, and of the object or array that it makes of the node."""
    if value == "object":
        return _object(schema, node, document)
    mask = 0 if node.parent is not None else _BIT["root-untyped"]
    if is_list(value):
        mask |= _BIT["type-list-null" if len(value) == 2 and "null" in value else "type-list"]
    elif value == "null" and node.role != "branch":
        mask |= _BIT["type-null"]
    if value == "array" or (is_list(value) and "array" in value):
        mask |= _array(schema)
    if is_list(value) and "object" in value:
        mask |= _object(schema, node, document)
    return mask


_COMBINERS = frozenset(COMBINERS)
_FRAGMENTS = frozenset(("part", "condition", "names"))
_SHAPED = ("properties", "items", "prefixItems", "additionalProperties", "patternProperties", "required")


def without_type(schema: Mapping[str, Any], node: Node, document: Document) -> int:
    """A node without `type`: what that means depends on what else it has, and on where it stands.

    A root that says nothing about its shape declares no parameters.
    """
    mask = _BIT["root-untyped"] if node.parent is None else 0
    if "properties" in schema:
        mask |= _object(schema, node, document)
    if any(word in schema for word in ("$ref", "$dynamicRef", *COMBINERS)) or node.role in _FRAGMENTS:
        return mask
    if "enum" in schema or "const" in schema:
        return mask | _BIT["enum-untyped" if "enum" in schema else "const-untyped"]
    if any(word in schema for word in _SHAPED):
        return mask | _BIT["untyped-properties"]
    if node.parent is None:
        return mask | _BIT["root-no-parameters"] | _BIT["root-properties-missing"]
    anything = node.keyword in _TRUE_OR_FALSE and not schema
    return mask if anything else mask | _BIT["untyped"]


# --- Values


_OF_KIND = {
    "string": _BIT["enum"],
    "integer": _BIT["enum-number"],
    "number": _BIT["enum-number"],
    "boolean": _BIT["enum-boolean"],
    "null": _BIT["enum-null"],
    "object": _BIT["enum-structured"],
    "array": _BIT["enum-structured"],
}


def _enum(schema: Mapping[str, Any], value: Any, node: Node, _: Document) -> int:
    if not is_list(value):
        return 0
    mask = _BIT["root-enum"] if node.parent is None else 0
    for kind in set(map(type_of, value)):
        mask |= _OF_KIND[kind]
    if "" in value:
        mask |= _BIT["enum-empty-text"]
    kinds = mask & (_BIT["enum"] | _BIT["enum-number"] | _BIT["enum-boolean"] | _BIT["enum-structured"])
    if kinds & (kinds - 1):
        mask |= _BIT["enum-mixed"]
    return mask | _misfit(schema.get("type"), value)


def _misfit(types: Any, values: list[Any]) -> int:
    names = [types] if isinstance(types, str) else types
    if not is_list(names) or all(any(has_type(value, name) for name in names) for value in values):
        return 0
    return _BIT["enum-misfit"]


def _const(_: Mapping[str, Any], value: Any, node: Node, __: Document) -> int:
    mask = _BIT["const"] if isinstance(value, str) else _BIT["const"] | _BIT["const-not-text"]
    return mask | _BIT["root-enum"] if node.parent is None else mask


# --- Objects


def _object(schema: Mapping[str, Any], node: Node, document: Document) -> int:
    properties = schema.get("properties")
    if is_map(properties) and properties:
        mask = _with_properties(schema, properties, node)
    elif "$ref" in schema or not _COMBINERS.isdisjoint(schema):
        mask = 0
    else:
        mask = _without_properties(schema, node)
    if "required" in schema and _undeclared(schema, node, document):
        mask |= _BIT["required-undeclared"]
    return mask


def _with_properties(schema: Mapping[str, Any], properties: Mapping[str, Any], node: Node) -> int:
    others = schema.get("additionalProperties")
    mask = _BIT["object-closed" if others is False else "object-not-closed"]
    if others is True or others == {}:
        mask |= _BIT["additional-true"]
    elif is_map(others):
        mask |= _BIT["map"]
    if node.role in _FRAGMENTS:
        return mask
    mask |= 0 if node.parent is None or node.role == "definition" else _BIT["object-inline"]
    if _has_optional(properties, schema.get("required")):
        mask |= _BIT["property-optional"]
    return mask


def _has_optional(properties: Mapping[str, Any], required: Any) -> bool:
    if not is_list(required) or len(required) < len(properties):
        return True
    return any(name not in required for name in properties)


def _without_properties(schema: Mapping[str, Any], node: Node) -> int:
    others = schema.get("additionalProperties")
    if is_map(others) and others:
        return _BIT["map"]
    if "patternProperties" in schema or node.role in _FRAGMENTS:
        return 0
    if node.parent is not None:
        return _BIT["object-empty" if others is False else "object-open"]
    if others is True or others == {}:
        return _BIT["object-open"]
    mask = _BIT["root-no-parameters"] if others is False else _BIT["root-no-parameters"] | _BIT["object-not-closed"]
    return mask if "properties" in schema else mask | _BIT["root-properties-missing"]


def _undeclared(schema: Mapping[str, Any], node: Node, document: Document) -> bool:
    required = schema["required"]
    if not is_list(required) or _are_all_in(required, schema.get("properties")):
        return False
    known = set(_property_names(schema, document, node))
    parent = node.parent
    while parent is not None and node.role in ("branch", "part", "condition"):
        known.update(_property_names(parent.schema, document, parent))
        node, parent = parent, parent.parent
    return any(isinstance(name, str) and name not in known for name in required)


def _are_all_in(required: list[Any], properties: Any) -> bool:
    """Whether an object declares, itself, every name that it requires."""
    if not is_map(properties):
        return not required
    return all([isinstance(name, str) and name in properties for name in required])


def _property_names(schema: Schema, document: Document, node: Node, depth: int = 0) -> Iterator[str]:
    """Names that a schema declares, itself or through `$ref` and its parts (eight levels are looked through)."""
    schema = document.follow(schema, node)
    if isinstance(schema, bool) or depth > 8:
        return
    properties = schema.get("properties")
    if is_map(properties):
        yield from properties
    for word in COMBINERS:
        parts = schema.get(word)
        for part in parts if is_list(parts) else ():
            if is_schema(part):
                yield from _property_names(part, document, node, depth + 1)


# --- Arrays and bounds


def _array(schema: Mapping[str, Any]) -> int:
    return 0 if "items" in schema or "prefixItems" in schema else _BIT["array-no-items"]


def _items(_: Mapping[str, Any], value: Any, __: Node, ___: Document) -> int:
    return _BIT["tuple-items"] if is_list(value) else 0


def _min_items(_: Mapping[str, Any], value: Any, __: Node, ___: Document) -> int:
    return _BIT["min-items" if isinstance(value, (int, float)) and value > 1 else "min-items-one"]


def _exclusive(_: Mapping[str, Any], value: Any, __: Node, ___: Document) -> int:
    return _BIT["exclusive-flag" if isinstance(value, bool) else "exclusive-bounds"]


_LOOKAROUND = re.compile(r"\(\?(?:[=!]|<[=!])|\\[1-9]|\\k<")


def _pattern(schema: Mapping[str, Any], value: Any, _: Node, __: Document) -> int:
    mask = _BIT["pattern"]
    if not isinstance(value, str):
        return mask
    if _LOOKAROUND.search(value):
        mask |= _BIT["pattern-lookaround"]
    if not (value.startswith("^") and value.endswith("$")):
        mask |= _BIT["pattern-unanchored"]
    if "minLength" in schema or "maxLength" in schema:
        mask |= _BIT["pattern-with-bounds"]
    return mask


def _nullable(_: Mapping[str, Any], value: Any, __: Node, ___: Document) -> int:
    return _BIT["nullable"] if value is True else 0


_SILENT = 0
"""For keywords that say nothing any target disagrees about, or whose feature another detector finds."""

DETECTORS: dict[str, int | Detector] = {
    "type": typed,
    "$ref": _ref,
    "$dynamicRef": _ref,
    "$recursiveRef": _ref,
    "$defs": _defs,
    "definitions": _defs,
    "anyOf": _union,
    "oneOf": _one_of,
    "allOf": _all_of,
    "not": _rooted("root-not", "not"),
    "if": _rooted("root-conditional", "conditional"),
    "then": _rooted("root-conditional", "conditional"),
    "else": _rooted("root-conditional", "conditional"),
    "discriminator": _BIT["discriminator"],
    "nullable": _nullable,
    "enum": _enum,
    "const": _const,
    "properties": _SILENT,
    "required": _SILENT,
    "additionalProperties": _SILENT,
    "patternProperties": _BIT["pattern-properties"],
    "propertyNames": _BIT["property-names"],
    "minProperties": _BIT["object-bounds"],
    "maxProperties": _BIT["object-bounds"],
    "dependentRequired": _BIT["dependent"],
    "dependentSchemas": _BIT["dependent"],
    "dependencies": _BIT["dependent"],
    "unevaluatedProperties": _BIT["unevaluated"],
    "unevaluatedItems": _BIT["unevaluated"],
    "items": _items,
    "additionalItems": _SILENT,
    "prefixItems": _BIT["tuple"],
    "minItems": _min_items,
    "maxItems": _BIT["max-items"],
    "uniqueItems": _BIT["unique-items"],
    "contains": _BIT["contains"],
    "minContains": _BIT["contains-bounds"],
    "maxContains": _BIT["contains-bounds"],
    "minLength": _BIT["string-bounds"],
    "maxLength": _BIT["string-bounds"],
    "pattern": _pattern,
    "format": _BIT["format"],
    "contentEncoding": _BIT["content"],
    "contentMediaType": _BIT["content"],
    "contentSchema": _BIT["content"],
    "minimum": _BIT["number-bounds"],
    "maximum": _BIT["number-bounds"],
    "exclusiveMinimum": _exclusive,
    "exclusiveMaximum": _exclusive,
    "multipleOf": _BIT["multiple-of"],
    "default": _BIT["default"],
    "examples": _BIT["examples"],
    "example": _BIT["example"],
    "title": _BIT["title"],
    "description": _BIT["description"],
    "$schema": _BIT["dialect"],
    "$id": _BIT["id"],
    "$anchor": _BIT["id"],
    "$dynamicAnchor": _BIT["id"],
    "$comment": _BIT["comment"],
    "readOnly": _BIT["read-only"],
    "writeOnly": _BIT["read-only"],
    "deprecated": _BIT["deprecated"],
}


_TRUE_OR_FALSE = ("additionalProperties", "unevaluatedProperties", "additionalItems", "unevaluatedItems")
"""Where true, false and `{}` are the usual spelling of open and closed, and no schema of a value."""


def boolean(node: Node) -> int:
    """The features of `true` or `false` instead of a schema."""
    if node.keyword in _TRUE_OR_FALSE or node.role == "condition":
        return 0
    return _BIT["boolean-schema"] if node.parent is not None else _BIT["boolean-schema"] | _BIT["root-untyped"]


def malformed(keyword: str, value: Any) -> int:
    """A malformed keyword; a list of schemas as `items` was well-formed up to draft 2019-09."""
    if keyword == "items" and is_list(value):
        return _BIT["schema-invalid"]
    return INVALID
