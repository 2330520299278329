"""Whether the value of a keyword has the form that JSON Schema 2020-12 demands.

The same answers as the 2020-12 meta-schema gives (a test compares them), but keyword by keyword and cheap: the scan
asks it of every keyword, `meaning` of every schema that has a malformed one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from toolglot.schema.keywords import TYPES
from toolglot.schema.values import is_list, is_map, is_schema

Form = Callable[[Any], bool]
"""Whether a value may stand behind a keyword."""


def _number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _count(value: Any) -> bool:
    return _number(value) and value >= 0 and value == int(value)


def _text(value: Any) -> bool:
    return isinstance(value, str)


def _flag(value: Any) -> bool:
    return isinstance(value, bool)


def _any(_: Any) -> bool:
    return True


def _type(value: Any) -> bool:
    if isinstance(value, str):
        return value in TYPES
    return is_list(value) and bool(value) and len(set(map(repr, value))) == len(value) and _all_types(value)


def _all_types(names: list[Any]) -> bool:
    return all(isinstance(name, str) and name in TYPES for name in names)


def _names(value: Any) -> bool:
    return is_list(value) and all([isinstance(name, str) for name in value]) and len(set(value)) == len(value)


def _schemas(value: Any) -> bool:
    return is_list(value) and bool(value) and all(is_schema(item) for item in value)


def _schema_map(value: Any) -> bool:
    return is_map(value) and all([isinstance(item, (dict, bool)) for item in value.values()])


def _names_map(value: Any) -> bool:
    return is_map(value) and all(_names(item) for item in value.values())


def _dependencies(value: Any) -> bool:
    return is_map(value) and all(is_schema(item) or _names(item) for item in value.values())


def _positive(value: Any) -> bool:
    return _number(value) and value > 0


def _group(check: Form, names: str) -> dict[str, Form]:
    return dict.fromkeys(names.split(), check)


FORMS: dict[str, Form] = (
    {
        "type": _type,
        "enum": is_list,
        "required": _names,
        "dependencies": _dependencies,
        "multipleOf": _positive,
    }
    | _group(_schema_map, "properties patternProperties dependentSchemas $defs definitions")
    | _group(_schemas, "anyOf oneOf allOf prefixItems")
    | _group(is_schema, "items additionalProperties unevaluatedProperties propertyNames contains unevaluatedItems")
    | _group(is_schema, "not if then else contentSchema")
    | _group(_names_map, "dependentRequired")
    | _group(_count, "minLength maxLength minItems maxItems minContains maxContains minProperties maxProperties")
    | _group(_number, "minimum maximum exclusiveMinimum exclusiveMaximum")
    | _group(_flag, "uniqueItems readOnly writeOnly deprecated")
    | _group(_text, "title description $comment pattern format contentEncoding contentMediaType")
    | _group(_text, "$ref $dynamicRef $id $anchor $dynamicAnchor $schema")
    | _group(is_list, "examples")
)


def wellformed(keyword: str, value: Any) -> bool:
    """Whether `value` may stand behind `keyword` in 2020-12; keywords without a form of their own take any value."""
    return FORMS.get(keyword, _any)(value)
