"""JSON values in Python: type guards, and equality by JSON type (1, 1.0 and true differ from one another)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeGuard


def is_map(value: Any) -> TypeGuard[dict[str, Any]]:
    """Whether a JSON value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Whether a JSON value is an array."""
    return isinstance(value, list)


def is_schema(value: Any) -> TypeGuard[dict[str, Any] | bool]:
    """Whether a JSON value can be a schema: an object or a boolean."""
    return isinstance(value, (dict, bool))


def type_of(value: Any) -> str:
    """The JSON Schema type of a value; `integer` for whole numbers written without a fraction."""
    for kind, name in _TYPES:
        if isinstance(value, kind):
            return name
    return "null"


_TYPES = (
    (str, "string"),
    (bool, "boolean"),
    (int, "integer"),
    (float, "number"),
    (dict, "object"),
    (list, "array"),
)


def has_type(value: Any, name: str) -> bool:
    """Whether a value is of the JSON Schema type `name`: 1.0 is an integer too, an integer is a number too."""
    found = type_of(value)
    if name == "number":
        return found in ("number", "integer")
    if name == "integer" and found == "number":
        return float(value).is_integer()
    return found == name


def same(left: Any, right: Any) -> bool:
    """Whether two values are equal as JSON: 1 is not true, 1 and 1.0 are one number, the order of keys is free."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if is_map(left) and is_map(right):
        return left.keys() == right.keys() and all(same(left[key], right[key]) for key in left)
    if is_list(left) and is_list(right):
        return len(left) == len(right) and all(map(same, left, right))
    return bool(left == right)


class Members:
    """Many values, to find one among them as `same` does: texts and numbers by hash, the rest one by one."""

    def __init__(self, values: Iterable[Any] = ()) -> None:
        self._plain: set[str | int | float] = set()
        self._others: list[Any] = []
        for value in values:
            self.add(value)

    def __contains__(self, value: Any) -> bool:
        return value in self._plain if _is_plain(value) else any(same(value, other) for other in self._others)

    def add(self, value: Any) -> bool:
        """Take in a value; whether it was not there yet."""
        if value in self:
            return False
        if _is_plain(value):
            self._plain.add(value)
        else:
            self._others.append(value)
        return True


def _is_plain(value: Any) -> TypeGuard[str | int | float]:
    return isinstance(value, (str, int, float)) and not isinstance(value, bool)
