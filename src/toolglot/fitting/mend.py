"""Mend sloppy answers: from invalid to valid only, one place at a time, each mend reported.

The validator's reasons lead: nothing is mended where no reason is given, and a text is decoded only where the reasons
say that the place takes no text. A branch of a union is mended on its own; where two branches could be mended to
different values, none is.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from toolglot.errors import JsonError, parse_json
from toolglot.fitting.failures import Failure, Judge, Path, place_of, pointer_of
from toolglot.fitting.takes import replaced, taken, without
from toolglot.schema.values import has_type, is_list, is_map, same

JSON_TEXT = "JSON text decoded"
NUMBER_TEXT = "text made a number"
BOOLEAN_TEXT = "text made a boolean"
NULL_DROPPED = "null dropped"
NO_ARGUMENTS = "read as no arguments"
INDEX_OBJECT = "object with the keys 0, 1, ... made a list"
LONE_VALUE = "lone value made a list"
WHOLE_FLOAT = "integral float made an integer"

MOST_MENDS = 100
_MOST_REASONS = 20_000
"""Most reasons that are looked at for one call: unions in unions multiply."""


@dataclass(frozen=True, slots=True)
class Mended:
    """One mend: the place in the arguments, and what was done there."""

    pointer: str
    what: str


Settled = tuple[Any, tuple[Mended, ...]]


def mended(judge: Judge, value: Any, *, guess: bool = False) -> Settled | None:
    """A value that is valid, made from one that is not, and how; None where no mend makes it valid.

    With `guess` also what the model may have meant: a list written as an object with the keys 0 to n, or a lone value,
    where only a list fits.
    """
    return _Mender(judge).settle(value, _Run("", (), guess, {}))


@dataclass(frozen=True, slots=True)
class _Run:
    """What is being mended: the part of the meaning, its place in the call, and what was mended already."""

    part: str
    base: Path
    guess: bool
    done: Mapping[str, str]

    def pointer(self, path: Path) -> str:
        return pointer_of((*self.base, *path))

    def after(self, mends: Iterable[Mended]) -> _Run:
        done = {mend.pointer: mend.what for mend in mends}
        return _Run(self.part, self.base, self.guess, {**self.done, **done})


class _Mender:
    def __init__(self, judge: Judge) -> None:
        self.judge = judge
        self.left = _MOST_REASONS

    def settle(self, value: Any, run: _Run) -> Settled | None:
        """Mend one place after the other until no reason is left."""
        mends: tuple[Mended, ...] = ()
        while True:
            failures = self.judge.failures(value, run.part) if self.left >= 0 else None
            self.left -= 1 + sum(one.size for one in failures or ())
            if failures and len({one.path for one in failures if one.kind == "Type"}) > MOST_MENDS:
                return None
            if not failures:
                return None if failures is None else (value, mends)
            step = self._step(value, failures, run.after(mends))
            if step is None or len(run.done) + len(mends) + len(step[1]) > MOST_MENDS:
                return None
            value, mends = step[0], mends + step[1]

    def _step(self, value: Any, failures: Sequence[Failure], run: _Run) -> Settled | None:
        """The first mend that the reasons allow."""
        for failure in failures:
            here = place_of(value, failure.path)
            found = self._simple(value, here, failure, failures, run)
            if found is None and failure.is_union and isinstance(here, (dict, list)):
                found = self._union(value, here, failure, run)
            if found is not None:
                return found
        return None

    def _simple(
        self, value: Any, here: Any, failure: Failure, failures: Sequence[Failure], run: _Run
    ) -> Settled | None:
        """A mend of the place itself, whatever branch is meant."""
        path, pointer = failure.path, run.pointer(failure.path)
        if pointer in run.done:
            return None
        if here is None and path and failure.held == "properties":
            return without(value, path), (Mended(pointer, NULL_DROPPED),)
        types = taken(failures, path)
        if types is None:
            return None
        made = decoded(here, types) if isinstance(here, str) else None
        whole = path or not run.part  # a branch does not say what its place takes, only the whole union does
        if made is None and run.guess and whole and types in _ONLY_LISTS:
            made = _as_list(here, run.done.get(pointer.rpartition("/")[0]))
        return None if made is None else (replaced(value, path, made[0]), (Mended(pointer, made[1]),))

    def _union(self, value: Any, here: Any, failure: Failure, run: _Run) -> Settled | None:
        """The value that all branches which can be mended agree on; guesses only where nothing else helps."""
        for guess in (False, True) if run.guess else (False,):
            found = self._candidates(here, failure, run, guess)
            if found:
                agreed = all(same(found[0][0], other[0]) for other in found[1:])
                return (replaced(value, failure.path, found[0][0]), found[0][1]) if agreed else None
        return None

    def _candidates(self, here: Any, failure: Failure, run: _Run, guess: bool) -> list[Settled]:
        base = (*run.base, *failure.path)
        texts = {pointer_of((*base, *path)) for path in _misfit_texts(here, failure)}
        found: list[Settled] = []
        for place, branch in enumerate(failure.branches):
            if _is_hopeless(here, branch, len(failure.path)):
                continue
            part = f"{failure.where}/{failure.keyword}/{place}"
            settled = self.settle(here, _Run(part, base, guess, run.done))
            if settled is not None and not any(m.what in _DECODED and m.pointer in texts for m in settled[1]):
                found.append(settled)
        return found


_ONLY_LISTS = (frozenset(("array",)), frozenset(("array", "null")))
_DECODED = (JSON_TEXT, NUMBER_TEXT, BOOLEAN_TEXT)


def _is_hopeless(here: Any, branch: Sequence[Failure], skip: int) -> bool:
    """Whether a branch lists values for a place and the value there, of a type it takes, is none of them."""
    for failure in branch:
        if failure.kind in ("Enum", "Constant"):
            types = taken(branch, failure.path) or ()
            if any(has_type(place_of(here, failure.path[skip:]), name) for name in types):
                return True
    return False


def _misfit_texts(here: Any, failure: Failure) -> list[Path]:
    """Places whose text some branch would take if only the text were another one: text is allowed there."""
    found: list[Path] = []
    skip = len(failure.path)
    for branch in failure.branches:
        paths = [inner.path[skip:] for inner in branch]
        if all(isinstance(place_of(here, path), str) for path in paths) and _all_take_text(branch):
            found.extend(paths)
    return found


def _all_take_text(branch: Sequence[Failure]) -> bool:
    types = [taken(branch, inner.path) for inner in branch]
    return all(found is None or "string" in found for found in types)


def decoded(text: str, types: frozenset[str]) -> tuple[Any, str] | None:
    """What a text says as JSON, where a place takes values of these types and no text; None where it says nothing.

    Numbers only where the text gives exactly the number: no hexadecimal, no separators, no leading zeros, no digits
    that a float cannot hold.
    """
    if "string" in types:
        return None
    if text.strip() in ("True", "False", "TRUE", "FALSE"):
        return (text.strip().lower() == "true", BOOLEAN_TEXT) if "boolean" in types else None
    try:
        value = _inner(parse_json(text), types)
    except JsonError:
        return None
    if not any(has_type(value, name) for name in types):
        return None
    if isinstance(value, bool):
        return value, BOOLEAN_TEXT
    if isinstance(value, (int, float)):
        return _faithful(value, text, types)
    return value, JSON_TEXT


def _inner(value: Any, types: frozenset[str]) -> Any:
    """An object or list that was encoded twice."""
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
        return parse_json(value)
    return value


def _faithful(value: float, text: str, types: frozenset[str]) -> tuple[Any, str] | None:
    if isinstance(value, float) and Decimal(text.strip()) != Decimal(repr(value)):
        return None
    whole = isinstance(value, float) and "number" not in types
    return (int(value) if whole else value), NUMBER_TEXT


def _as_list(value: Any, above: str | None) -> tuple[Any, str] | None:
    """The list that a value may stand for where only a list fits; `above` is how the place above was mended."""
    if is_map(value) and value and all(str(place) in value for place in range(len(value))):
        return [value[str(place)] for place in range(len(value))], INDEX_OBJECT
    if value in (None, {}) or is_list(value) or above == LONE_VALUE:
        return None
    if isinstance(value, str) and _may_be_several(value):
        return None
    return [value], LONE_VALUE


def _may_be_several(text: str) -> bool:
    """Whether a text may stand for none or several entries, or for a list that is broken JSON."""
    stripped = text.strip()
    return stripped in ("", "null") or stripped[0] in "[{" or any(mark in stripped for mark in ",;\n")


def as_arguments(value: Any) -> tuple[Any, str] | None:
    """What stands for arguments that are no object: `null` or nothing for none, JSON text; None: nothing does."""
    if not isinstance(value, str):
        return None
    if value.strip() in ("", "null"):
        return {}, NO_ARGUMENTS
    found = decoded(value, frozenset(("object",)))
    return found if found is not None and is_map(found[0]) else None
