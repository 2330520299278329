"""What is wrong with a call, in words that a model can act on.

Made from the place, the keyword and the value of the schema, never from a validator's message. Of a union one branch
speaks: the one that the tag chooses, else the nearest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolglot.errors import ArgumentError
from toolglot.fitting.describe import describe, names, one_of, shown
from toolglot.fitting.failures import Failure, Judge, Path, place_of, pointer_of
from toolglot.fitting.sides import Side, choose, sides, tag_of
from toolglot.fitting.takes import without
from toolglot.fitting.unknown import Slip, known_names, nearest
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import at

_MOST_NAMES = _MOST_NULLS = 20
"""Most unknown names of one object that are named, and most nulls of one call that are looked at closely."""


def errors_of(judge: Judge, value: Any, slips: Iterable[Slip] = ()) -> tuple[ArgumentError, ...]:
    """All errors of the arguments of a call, each once, in the order of the schema; slips of the pen last.

    Where they are too many to list, those of one part of the call.
    """
    failures = judge.failures(value)
    told = _of_part(judge, value) if failures is None else _Saying(judge, value).all(failures)
    found = {(error.pointer, error.wrong): error for error in told}
    for slip in slips:
        error = _unknown_name(slip.path, f"`{slip.meant}`")
        found.setdefault((error.pointer, error.wrong), error)
    return tuple(found.values())


def _of_part(judge: Judge, value: Any) -> list[ArgumentError]:
    """The errors of a small part of a call."""
    path, pointer = judge.smallest(value)
    part = place_of(value, path)
    saying = _Saying(judge, part)
    start = pointer_of(path)
    failures = judge.failures(part, pointer)
    if not failures:
        return [ArgumentError(start, "does not fit", saying.expected(pointer))]
    return [ArgumentError(start + one.pointer, one.wrong, one.expected) for one in saying.all(failures)]


class _Saying:
    """Puts into words why one value does not fit."""

    def __init__(self, judge: Judge, value: Any) -> None:
        self.judge = judge
        self.value = value
        self.nulls = _MOST_NULLS

    def all(self, failures: Sequence[Failure]) -> list[ArgumentError]:
        """The errors of failures that count together."""
        found: list[ArgumentError] = []
        for failure in _telling(failures):
            item = place_of(self.value, failure.path)
            if failure.is_union:
                found.extend(self._union(failure, item))
            elif failure.kind in ("AdditionalProperties", "UnevaluatedProperties"):
                found.extend(self._unknown(failure, item))
            else:
                found.append(self._leaf(failure, item))
        return found or [
            _unknown_name((*failure.path, name), "")
            for failure in failures
            if failure.kind == "UnevaluatedProperties"
            for name in failure.data[:_MOST_NAMES]
        ]

    def expected(self, pointer: str) -> str:
        """What the schema at a pointer asks for."""
        return describe(at(self.judge.schema, pointer), self.judge.document)

    def _union(self, failure: Failure, item: Any) -> list[ArgumentError]:
        """One branch speaks; none where no branch takes such a type, or where all lack something."""
        found = sides(failure, self.judge, item)
        if not found:
            wrong = kind_of(item)
            return [ArgumentError(pointer_of(failure.path), wrong, self._or_left_out(failure, item))]
        tag = tag_of(found) if is_map(item) and len(found) > 1 else None
        if tag is not None and not any(side.takes(tag, item) for side in found):
            return [_tag_error(failure.path, tag, found, item)]
        missing = [_only_missing(side, failure.path) for side in found]
        groups = list(dict.fromkeys(names(group, " and ") for group in missing))
        if tag is None and len(groups) > 1 and all(missing):
            join = ", or " if any(len(group) > 1 for group in missing) else " or "
            return [ArgumentError(pointer_of(failure.path), "something is missing", join.join(groups))]
        errors = self.all(choose(found, tag, item).failures)
        if is_map(item) or is_list(item):
            return errors
        return [ArgumentError(error.pointer, error.wrong, self.expected(failure.where)) for error in errors]

    def _unknown(self, failure: Failure, item: dict[str, Any]) -> list[ArgumentError]:
        known = known_names(self.judge, failure.where, item)
        absent = [name for name in known if name not in item]
        found: list[ArgumentError] = []
        strange: list[str] = failure.data
        if failure.kind == "UnevaluatedProperties":  # it also names what is wrong in itself
            declared = known_names(self.judge, failure.where, item, wanted=False)
            strange = [name for name in strange if name not in declared]
        for name in strange[:_MOST_NAMES]:
            meant = nearest(name, absent)
            others = f"only {names(known)}" if known else self._other_names(failure.where)
            found.append(_unknown_name((*failure.path, name), others if meant is None else f"`{meant}`"))
        return found

    def _other_names(self, pointer: str) -> str:
        """Which names belong to an object that declares none."""
        schema = at(self.judge.schema, pointer)
        patterns = list(schema.get("patternProperties", ())) if is_map(schema) else []
        return f"only names that match {' or '.join(patterns[:3])}" if patterns else "no names"

    def _leaf(self, failure: Failure, item: Any) -> ArgumentError:
        pointer, kind = pointer_of(failure.path), failure.kind
        if kind == "Type" or item is None:
            return ArgumentError(pointer, kind_of(item), self._or_left_out(failure, item))
        if kind == "Required":
            return self._missing(failure, item, pointer)
        if kind == "OneOfMultipleValid":
            return self._too_many(failure, item, pointer)
        if kind == "PropertyNames":
            return self._bad_name(failure, item)
        if kind == "FalseSchema":
            return self._never(failure, pointer)
        if kind == "Not":
            return self._not(failure, item, pointer)
        size = _counted(len(item), "item" if is_list(item) else "name") if is_map(item) or is_list(item) else ""
        wrong = _WRONG.get(kind, "{shown} does not fit").format(shown=shown(item), size=size)
        return ArgumentError(pointer, wrong, self._expected_of(failure))

    def _expected_of(self, failure: Failure) -> str:
        """What one keyword asks for."""
        if failure.kind in ("Enum", "Constant"):
            return one_of(failure.data if failure.kind == "Enum" else [failure.data])
        schema = at(self.judge.schema, failure.where)
        if failure.kind == "Contains":
            return f"an item that is {describe(schema['contains'], self.judge.document)}"
        if failure.kind in _COUNTS:
            return _COUNTS[failure.kind].format(failure.data)
        return describe(schema, self.judge.document)

    def _or_left_out(self, failure: Failure, item: Any) -> str:
        """What is expected; for null in an optional place also that it can be left out."""
        expected = self._expected_of(failure)
        optional = item is None and failure.held == "properties" and self._is_optional(failure.path)
        return f"{expected}, or leave it out" if optional else expected

    def _is_optional(self, path: Path) -> bool:
        self.nulls -= 1
        failures = self.judge.failures(without(self.value, path)) if self.nulls >= 0 else None
        if failures is None:
            return False
        return not any(
            one.kind == "Required" and one.path == path[:-1] and one.data == path[-1] for one in _flat(failures)
        )

    def _never(self, failure: Failure, pointer: str) -> ArgumentError:
        """A place that takes no value: an item too many, or a name that must not be given."""
        if failure.held == "items":
            schema = at(self.judge.schema, failure.where.removesuffix("/items"))
            most = len(schema.get("prefixItems", ())) if is_map(schema) else 0
            return ArgumentError(pointer, "is one item too many", f"at most {_counted(most, 'item')}")
        return ArgumentError(pointer, "is not allowed here", "to be left out")

    def _missing(self, failure: Failure, item: Any, pointer: str) -> ArgumentError:
        name: str = failure.data
        if failure.keyword == "dependentRequired":
            schema = at(self.judge.schema, failure.where)
            beside = [key for key, needed in schema["dependentRequired"].items() if key in item and name in needed]
            return ArgumentError(pointer, f"`{name}` is missing beside {names(beside)}")
        known = known_names(self.judge, failure.where, item).get(name, True)
        expected = describe(known, self.judge.document)
        return ArgumentError(pointer, f"`{name}` is missing", "" if expected == "any value" else expected)

    def _too_many(self, failure: Failure, item: Any, pointer: str) -> ArgumentError:
        """More than one branch of `oneOf` fits: name what tells them apart."""
        branches: list[Any] = at(self.judge.schema, failure.where)["oneOf"]
        where = f"{failure.where}/oneOf"
        fitting = [b for place, b in enumerate(branches) if self.judge.verdict(item, f"{where}/{place}")]
        needed = [names(b.get("required", ()), " and ") if is_map(b) else "" for b in fitting]
        if is_map(item) and all(needed) and len(set(needed)) == len(needed):
            return ArgumentError(pointer, f"{', '.join(needed)} do not go together", "only one of them")
        kinds = dict.fromkeys(describe(b, self.judge.document, 1) for b in fitting)
        return ArgumentError(pointer, f"{shown(item)} fits more than one form", f"only one of: {'; '.join(kinds)}")

    def _bad_name(self, failure: Failure, item: dict[str, Any]) -> ArgumentError:
        expected = self.expected(failure.where)
        for name in item:
            if self.judge.verdict(name, failure.where) is False:
                return ArgumentError(pointer_of((*failure.path, name)), f"{shown(name)} is no allowed name", expected)
        return ArgumentError(pointer_of(failure.path), "has a name that is not allowed", expected)

    def _not(self, failure: Failure, item: Any, pointer: str) -> ArgumentError:
        refused = failure.data
        together = refused.get("required") if is_map(refused) else None
        if is_map(item) and is_list(together) and len(refused) == 1:
            more = len(together) > 1
            wrong = f"{names(together)} {'do not go together' if more else 'is not allowed here'}"
            return ArgumentError(pointer, wrong, "" if more else "to be left out")
        if refused in ({}, True):
            return ArgumentError(pointer, "is not allowed here", "to be left out")
        return ArgumentError(
            pointer, f"{shown(item)} is not allowed", f"anything but {describe(refused, self.judge.document)}"
        )


def kind_of(item: Any) -> str:
    """What a value of a wrong type is: `"abc" is a text`."""
    if item is None:
        return "null is not allowed"
    if is_map(item) or is_list(item):
        return "is an object" if is_map(item) else "is a list"
    kind = "a text" if isinstance(item, str) else "a boolean" if isinstance(item, bool) else "a number"
    return f"{shown(item)} is {kind}"


_WRONG = {
    "Enum": "{shown} is not allowed",
    "Constant": "{shown} is not allowed",
    "Pattern": "{shown} has another form",
    "MinLength": "{shown} is too short",
    "MaxLength": "{shown} is too long",
    "Minimum": "{shown} is too small",
    "ExclusiveMinimum": "{shown} is too small",
    "Maximum": "{shown} is too large",
    "ExclusiveMaximum": "{shown} is too large",
    "MinItems": "has {size}, too few",
    "MaxItems": "has {size}, too many",
    "UniqueItems": "has an item twice",
    "UnevaluatedItems": "has {size}, too many",
    "Contains": "has not as many of certain items as it should",
    "MinProperties": "has {size}, too few",
    "MaxProperties": "has {size}, too many",
}

_COUNTS = {
    "UniqueItems": "each item once",
    "MinProperties": "at least {}",
    "MaxProperties": "at most {}",
}


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def _telling(failures: Sequence[Failure]) -> list[Failure]:
    """The failures worth telling: what follows from another one at the same place is left out."""
    kinds: dict[Path, set[str]] = {}
    for failure in failures:
        kinds.setdefault(failure.path, set()).add(failure.kind)
    return [failure for failure in failures if _tells(failure, kinds[failure.path])]


def _tells(failure: Failure, others: set[str]) -> bool:
    if failure.kind in ("Enum", "Constant"):
        return True
    if others & {"Enum", "Constant"} and failure.kind != "Required":
        return False
    return failure.kind == "Type" or "Type" not in others


def _flat(failures: Iterable[Failure]) -> Iterable[Failure]:
    for failure in failures:
        yield failure
        for branch in failure.branches:
            yield from _flat(branch)


def _unknown_name(path: Path, expected: str) -> ArgumentError:
    return ArgumentError(pointer_of(path), f"`{path[-1]}` is an unknown name", expected)


def _tag_error(path: Path, tag: str, found: Sequence[Side], item: dict[str, Any]) -> ArgumentError:
    """A tag that is missing, or that no branch has."""
    expected = one_of([value for side in found for value in side.tags[tag]])
    if tag not in item:
        return ArgumentError(pointer_of(path), f"`{tag}` is missing", expected)
    return ArgumentError(pointer_of((*path, tag)), f"{shown(item[tag])} is not allowed", expected)


def _only_missing(side: Side, path: Path) -> list[str]:
    """The names that a branch misses, where it misses nothing else."""
    plain = all(one.kind == "Required" and one.path == path for one in side.failures)
    return [one.data for one in side.failures] if plain else []
