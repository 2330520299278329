"""Names that a tool does not declare: which are slips of the pen, and what was meant."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from toolglot.fitting.failures import Failure, Judge, Path, place_of
from toolglot.schema.refs import ref_of
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema, at

_ONE_SLIP, _TWO_SLIPS = 4, 8
"""Letters that a declared name needs so that one, or two, wrong letters count as the same name."""
_LONGEST = 200
_MOST_PAIRS = 20_000
"""Most pairs of an undeclared and a declared name of one object that are compared."""


@dataclass(frozen=True, slots=True)
class Slip:
    """An undeclared name that is nearly a declared one: its place, and the declared name."""

    path: Path
    meant: str


def slips(meaning: Judge, declared: Judge, value: Any) -> list[Slip]:
    """Names that the declared schema does not have, and that are nearly a declared name which is absent.

    In: a value, the meaning, and the declared schema of the same document, in which objects are closed that the
    meaning leaves open. A name that is not near any passes, whatever it holds.
    """
    failures = declared.failures(value)
    found: list[Slip] = []
    for failure in _unknown(failures or (), meaning, value):
        item = place_of(value, failure.path)
        known = known_names(meaning, failure.where, item)
        absent = [name for name in known if name not in item]
        for name in failure.data[: _MOST_PAIRS // max(1, len(absent))]:
            meant = None if name in known else near(name, absent)
            if meant is not None:
                found.append(Slip((*failure.path, name), meant))
    return found


def _unknown(failures: Iterable[Failure], meaning: Judge, value: Any) -> list[Failure]:
    """The failures about undeclared names; of a union those of the branch that the value fits best."""
    found: list[Failure] = []
    for failure in failures:
        if failure.kind in ("AdditionalProperties", "UnevaluatedProperties"):
            found.append(failure)
        elif failure.is_union:
            found.extend(_unknown(_best(failure, meaning, value), meaning, value))
    return found


def _best(failure: Failure, meaning: Judge, value: Any) -> tuple[Failure, ...]:
    """The failures of the branch that the meaning takes; else, and of several, of the one with the fewest."""
    item = place_of(value, failure.path)
    fitting = [
        branch
        for place, branch in enumerate(failure.branches)
        if meaning.verdict(item, f"{failure.where}/{failure.keyword}/{place}")
    ]
    return min(fitting or failure.branches, key=_weight, default=())


def _weight(branch: Iterable[Failure]) -> int:
    return sum(len(one.data) if is_list(one.data) else 1 for one in branch)


def known_names(judge: Judge, pointer: str, value: Any, *, wanted: bool = True) -> dict[str, Schema]:
    """The names that the schema at a pointer declares for an object, and the first schema of each.

    All parts count that look at the same object; of a union only the branches that the object fits, if it fits any.
    With `wanted` also names that are only required: they take any value.
    """
    found: dict[str, Schema] = {}
    seen: set[str] = set()
    waiting = [pointer]
    while waiting:
        pointer = waiting.pop()
        schema = at(judge.schema, pointer)
        if pointer in seen or not is_map(schema):
            continue
        seen.add(pointer)
        for name, item in schema.get("properties", {}).items():
            found.setdefault(name, item)
        for name in schema.get("required", ()) if wanted else ():
            found.setdefault(name, True)
        waiting.extend(reversed(_parts(judge, pointer, schema, value)))
    return found


def _parts(judge: Judge, pointer: str, schema: dict[str, Any], value: Any) -> list[str]:
    """Pointers of the schemas that look at the same value."""
    found: list[str] = []
    ref = ref_of(schema)
    target = judge.document.resolve(ref) if ref is not None else None
    if target is not None and not isinstance(target, str):
        found.append(target.pointer)
    found += [f"{pointer}/allOf/{place}" for place in range(len(schema.get("allOf", ())))]
    for word in ("anyOf", "oneOf"):
        branches = [f"{pointer}/{word}/{place}" for place in range(len(schema.get(word, ())))]
        found += [branch for branch in branches if judge.verdict(value, branch)] or branches
    found += [f"{pointer}/{word}" for word in ("if", "then", "else") if word in schema]
    return found


def near(name: str, declared: Collection[str]) -> str | None:
    """The declared name that a name is a slip of: equal but for case, `-` and `_`, or off by one or two letters."""
    if len(name) > _LONGEST:
        return None
    folded = _folded(name)
    for known in declared:
        if _folded(known) == folded:
            return known
    return min(
        (known for known in declared if _distance(name, known) <= _allowed(known)),
        key=lambda known: _distance(name, known),
        default=None,
    )


def nearest(name: str, declared: Collection[str]) -> str | None:
    """The declared name that resembles a name most, for an error text; None where none does."""
    found = near(name, declared)
    if found is not None or len(name) > _LONGEST:
        return found
    folded = _folded(name)
    inside = [known for known in declared if len(known) >= _ONE_SLIP and _folded(known) in folded]
    around = [known for known in declared if len(folded) >= _ONE_SLIP and folded in _folded(known)]
    return max(inside, key=len) if inside else min(around, key=len, default=None)


def _folded(name: str) -> str:
    return name.casefold().replace("-", "").replace("_", "")


def _allowed(known: str) -> int:
    return 2 if len(known) >= _TWO_SLIPS else 1 if len(known) >= _ONE_SLIP else 0


def _distance(left: str, right: str) -> int:
    """The Levenshtein distance of two names; 3 where it is more than 2."""
    if abs(len(left) - len(right)) > 2:
        return 3
    row = list(range(len(right) + 1))
    for place, letter in enumerate(left, 1):
        before, row[0] = row[0], place
        for column, other in enumerate(right, 1):
            before, row[column] = row[column], min(row[column] + 1, row[column - 1] + 1, before + (letter != other))
        if min(row) > 2:
            return 3
    return min(row[-1], 3)
