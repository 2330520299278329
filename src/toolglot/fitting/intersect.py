"""The intersection of two schemas as one schema: bounds, enums, types, properties recursively; never "last wins"."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from toolglot.schema.keywords import ANNOTATIONS
from toolglot.schema.values import Members, has_type, is_list, is_map, same
from toolglot.schema.walk import Schema

_LARGER = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties", "minContains")
_SMALLER = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties", "maxContains")
MAX_BRANCHES = 64


class Unmergeable(Exception):
    """Two schemas whose intersection cannot be written as one without `allOf`."""


def intersect(left: Schema, right: Schema, follow: Callable[[Schema], Schema]) -> Schema:
    """A schema of the values that both take; False where none is. `follow` resolves references.

    Annotations of the left win. Raises Unmergeable where two assertions of one kind cannot be joined.
    """
    left, right = follow(left), follow(right)
    if left is False or right is False:
        return False
    if isinstance(left, bool):
        return right
    if isinstance(right, bool):
        return left
    both: dict[str, Any] = {**right, **left}
    for word in right.keys() & left.keys():
        if word not in ANNOTATIONS and not same(left[word], right[word]):
            both[word] = _join(word, left, right, follow)
    _properties(both, left, right, follow)
    if is_list(both.get("enum")) and "type" in both:
        both["enum"] = [value for value in both["enum"] if _is_of(value, both["type"])]
    return False if _empty(both) else both


def _join(word: str, left: Mapping[str, Any], right: Mapping[str, Any], follow: Callable[[Schema], Schema]) -> Any:
    one, other = left[word], right[word]
    if word in _LARGER:
        return max(one, other)
    if word in _SMALLER:
        return min(one, other)
    if word in _JOINS:
        return _JOINS[word](one, other, follow)
    raise Unmergeable(word)


def _types(one: Any, other: Any, _: object) -> Any:
    left = [one] if isinstance(one, str) else one
    right = [other] if isinstance(other, str) else other
    both = [name for name in left if name in right]
    if "integer" in right and "number" in left and "integer" not in both:
        both.append("integer")
    if "integer" in left and "number" in right and "integer" not in both:
        both.append("integer")
    return both[0] if len(both) == 1 else both


def _enum(one: list[Any], other: list[Any], _: object) -> list[Any]:
    known = Members(other)
    return [value for value in one if value in known]


def _required(one: list[str], other: list[str], _: object) -> list[str]:
    return list(dict.fromkeys([*one, *other]))


def _schema(one: Schema, other: Schema, follow: Callable[[Schema], Schema]) -> Schema:
    return intersect(one, other, follow)


def _union(one: list[Schema], other: list[Schema], follow: Callable[[Schema], Schema]) -> list[Schema]:
    if len(one) * len(other) > MAX_BRANCHES:
        raise Unmergeable("anyOf")
    joint = [intersect(left, right, follow) for left in one for right in other]
    return [schema for schema in joint if schema is not False]


def _both(one: bool, other: bool, _: object) -> bool:
    return one or other


def _keep(one: Any, _: Any, __: object) -> Any:
    return one


def _properties_join(one: Any, _: Any, __: object) -> Any:
    return one


_JOINS: dict[str, Callable[[Any, Any, Any], Any]] = {
    "type": _types,
    "enum": _enum,
    "required": _required,
    "items": _schema,
    "propertyNames": _schema,
    "anyOf": _union,
    "oneOf": _union,
    "uniqueItems": _both,
    "properties": _properties_join,
    "additionalProperties": _keep,
    "patternProperties": _keep,
    "$defs": _keep,
    "definitions": _keep,
}


def _properties(
    both: dict[str, Any], left: Mapping[str, Any], right: Mapping[str, Any], follow: Callable[[Schema], Schema]
) -> None:
    """Each property of either side, joined with what the other side says about its name."""
    words = ("properties", "additionalProperties", "patternProperties")
    if not any(word in left for word in words) or not any(word in right for word in words):
        return
    if ("patternProperties" in left or "patternProperties" in right) and not same(
        left.get("patternProperties"), right.get("patternProperties")
    ):
        raise Unmergeable("patternProperties")
    mine, theirs = left.get("properties", {}), right.get("properties", {})
    joint: dict[str, Any] = {}
    for name in [*mine, *(name for name in theirs if name not in mine)]:
        one = mine.get(name, left.get("additionalProperties", True))
        other = theirs.get(name, right.get("additionalProperties", True))
        joint[name] = intersect(one, other, follow)
    if joint:
        both["properties"] = joint
    others = intersect(left.get("additionalProperties", True), right.get("additionalProperties", True), follow)
    if others is not True:
        both["additionalProperties"] = others


def _empty(both: Mapping[str, Any]) -> bool:
    """Whether structure alone shows that no value is left."""
    if both.get("type") == [] or any(both.get(word) == [] for word in ("enum", "anyOf", "oneOf")):
        return True
    if "const" in both and is_list(both.get("enum")) and not any(same(both["const"], v) for v in both["enum"]):
        return True
    if "const" in both and "type" in both and not _is_of(both["const"], both["type"]):
        return True
    properties = both.get("properties")
    return is_map(properties) and any(properties.get(name) is False for name in both.get("required", ()))


def _is_of(value: Any, kinds: Any) -> bool:
    """Whether a value has one of the types that `type` names."""
    return any(has_type(value, name) for name in ([kinds] if isinstance(kinds, str) else kinds))
