"""Which JSON types a place takes, read from the reasons why a value does not fit; whole floats where whole is meant."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, cast

from toolglot.errors import MAX_DEPTH
from toolglot.fitting.failures import Failure, Judge, Path
from toolglot.schema.values import is_list, is_map, type_of

Eligible = Callable[[Iterable[Failure]], bool]


def taken(failures: Iterable[Failure], path: Path, eligible: Eligible = lambda branch: False) -> frozenset[str] | None:
    """The JSON types that are left for the place at a path; None where the reasons say nothing about its type.

    All reasons count together; of a union the types of its branches, of those that are `eligible` if there are any.
    `number` includes `integer`.
    """
    left: frozenset[str] | None = None
    for failure in failures:
        types = _types(failure, path, eligible)
        if types is not None:
            left = types if left is None else left & types
    return left


def _types(failure: Failure, path: Path, eligible: Eligible) -> frozenset[str] | None:
    if failure.is_union and path[: len(failure.path)] == failure.path:
        branches = [branch for branch in failure.branches if eligible(branch)] or failure.branches
        found = [taken(branch, path, eligible) for branch in branches]
        known = [types for types in found if types is not None]
        return frozenset(name for types in known for name in types) if len(known) == len(found) else None
    return _own_types(failure) if failure.path == path else None


def _own_types(failure: Failure) -> frozenset[str] | None:
    if failure.kind == "Type":
        return _wide(failure.data)
    if failure.kind == "Enum":
        return _wide(type_of(value) for value in failure.data)
    if failure.kind == "Constant":
        return _wide((type_of(failure.data),))
    nothing = failure.kind == "FalseSchema" or (failure.kind == "Not" and failure.data in ({}, True))
    return frozenset() if nothing else None


def _wide(types: Iterable[str]) -> frozenset[str]:
    found = frozenset(types)
    return found | {"integer"} if "number" in found else found


def with_whole_numbers(judge: Judge, value: Any) -> tuple[Any, tuple[Path, ...]]:
    """A value in which floats without a fraction are integers where the meaning takes integers and no other numbers.

    Out: the value (the same object where nothing changed), and the places that changed. The validator is asked about
    the value with a fraction at each of these places: where it then refuses the type, no fraction is taken.
    """
    places = whole_floats(value)
    if not places:
        return value, ()
    probe = {path: number + 0.5 if abs(number) < _EXACT else 0.5 for path, number in places.items()}
    failures = _by_path(judge.failures(_all_replaced(value, probe, ())) or ())
    chosen = {path: int(number) for path, number in places.items() if _only_whole(failures, path, places)}
    return (_all_replaced(value, chosen, ()) if chosen else value), tuple(chosen)


_EXACT = 2.0**51
"""Below it a half can be added to every float."""


def _by_path(failures: Iterable[Failure]) -> dict[Path, list[Failure]]:
    found: dict[Path, list[Failure]] = {}
    for failure in failures:
        found.setdefault(failure.path, []).append(failure)
    return found


def _only_whole(failures: Mapping[Path, list[Failure]], path: Path, probed: Collection[Path]) -> bool:
    """Whether a place takes integers and no other numbers; only what fails there or above it can say so."""
    above = [failure for length in range(len(path) + 1) for failure in failures.get(path[:length], ())]
    types = taken(above, path, lambda branch: all(failure.path in probed for failure in branch))
    return types is not None and "integer" in types and "number" not in types


def whole_floats(value: Any) -> dict[Path, float]:
    """Every float without a fraction in a value, by its place, in order."""
    found: dict[Path, float] = {}
    waiting: list[tuple[Path, Any]] = [((), value)]
    while waiting:
        path, item = waiting.pop()
        if isinstance(item, float) and item.is_integer():
            found[path] = item
        elif isinstance(item, (dict, list)):
            waiting.extend(((*path, step), below) for step, below in reversed(_entries(item)))
    return found


def _entries(value: Any) -> list[tuple[str | int, Any]]:
    """The parts of an object or list that may hold numbers."""
    steps = value.items() if is_map(value) else enumerate(value)
    return [(step, below) for step, below in steps if not isinstance(below, str)]


def _all_replaced(value: Any, places: Mapping[Path, Any], path: Path) -> Any:
    if path in places:
        return places[path]
    if is_map(value):
        return {name: _all_replaced(item, places, (*path, name)) for name, item in value.items()}
    if is_list(value):
        return [_all_replaced(item, places, (*path, place)) for place, item in enumerate(value)]
    return value


MOST_VALUES = 5_000_000
"""Most values of one call: 10 MB of JSON text have no more."""


def extent(value: Any) -> tuple[bool, bool]:
    """Whether a value holds a float without a fraction, and whether it is too deep or too large to be judged."""
    whole = False
    level: list[Any] = [value]
    seen = 0
    for _ in range(MAX_DEPTH + 1):
        below: list[Any] = []
        for item in level:
            if isinstance(item, dict):
                below.extend(cast("dict[str, Any]", item).values())
            elif isinstance(item, list):
                below.extend(cast("list[Any]", item))
            elif isinstance(item, float) and item.is_integer():
                whole = True
        if not below:
            return whole, False
        seen += len(below)
        if seen > MOST_VALUES:
            break
        level = below
    return whole, True


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A value with another value at a path; what did not change is shared."""
    if not path:
        return new
    step, rest = path[0], path[1:]
    if is_list(value):
        return [replaced(item, rest, new) if place == step else item for place, item in enumerate(value)]
    return {name: replaced(item, rest, new) if name == step else item for name, item in value.items()}


def without(value: Any, path: Path) -> Any:
    """A value without the property at a path; what did not change is shared."""
    if len(path) == 1:
        return {name: item for name, item in value.items() if name != path[0]}
    return replaced(value, path[:1], without(value[path[0]], path[1:]))
