"""Why a value does not fit a meaning: verdicts of the validator, in our own terms, within an effort."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from toolglot.fitting.effort import MOST_ERRORS, MOST_VISITS, Effort
from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.refs import Document
from toolglot.schema.validate import NO_SCHEMA, NO_VERDICT, Parts, first_error, validator
from toolglot.schema.walk import Schema, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Path = tuple[str | int, ...]
"""A place in a value: names and places in lists."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One reason why a value does not fit.

    `kind` names the reason as the validator does ("Type", "Required", "AnyOf"), `data` is what the schema asks for
    there; `path` is the place in the value, `where` the pointer of the schema in the meaning that refuses it; `held` is
    the keyword through which its parent holds the place. `branches` are the reasons of each branch of a union.
    """

    kind: str
    path: Path
    where: str
    keyword: str
    data: Any = None
    held: str = ""
    branches: tuple[tuple[Failure, ...], ...] = ()

    @property
    def is_union(self) -> bool:
        """Whether no branch of a union fits."""
        return self.kind in ("AnyOf", "OneOfNotValid")


class Judge:
    """The verdicts of one meaning; `pointer` chooses a part of it. Validators are compiled when first used."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._known: dict[str, Any] = {}

    @cached_property
    def document(self) -> Document:
        """The meaning with its references."""
        return Document(self.schema)

    @cached_property
    def _parts(self) -> Parts | None:
        try:
            return Parts(self.schema)
        except NO_SCHEMA:
            return None

    @cached_property
    def _effort(self) -> Effort:
        return Effort(self.document)

    def _validator(self, pointer: str) -> Any:
        if pointer not in self._known:
            self._known[pointer] = self._build(pointer)
        return self._known[pointer]

    def _build(self, pointer: str) -> Any:
        try:
            if not pointer:
                return validator(self.schema)
            return self._parts.validator(pointer) if self._parts else None
        except NO_SCHEMA:
            return None

    def _is_too_much(self, value: Any, pointer: str) -> bool:
        return self._effort.branching and self._effort.visits(pointer, value, MOST_VISITS) > MOST_VISITS

    def verdict(self, value: Any, pointer: str = "") -> bool | None:
        """Whether a value is valid; None where there is no verdict, or where it would take too long."""
        found = self._validator(pointer)
        if found is None or self._is_too_much(value, pointer):
            return None
        try:
            return bool(found.is_valid(value))
        except NO_VERDICT:
            return None

    def failures(self, value: Any, pointer: str = "") -> tuple[Failure, ...] | None:
        """All reasons why a value does not fit, none where it does; None where they are too many to list.

        The validator lists the reasons of every branch below every branch, so their number is estimated first.
        """
        found = self._validator(pointer)
        if found is None or self._effort.visits(pointer, value, MOST_ERRORS) > MOST_ERRORS:
            return None
        try:
            return tuple(_failure(error) for error in found.iter_errors(value))
        except NO_VERDICT:
            return None

    def first(self, value: Any) -> Failure | None:
        """One reason why a value does not fit, for a value with too many to list; None where there is none to name."""
        found = self._validator("")
        try:
            error = None if found is None or self._effort.branching else first_error(found, value)
        except NO_VERDICT:
            return None
        return None if error is None else _failure(error)


def _failure(error: Any) -> Failure:
    kind = error.kind
    name: str = type(kind).__name__
    steps: list[str | int] = error.schema_path
    if name == "PropertyNames":
        return _names(error)
    branches: Iterable[Iterable[Any]] = getattr(kind, "context", ())
    return Failure(
        kind=name,
        path=tuple(error.instance_path),
        where=pointer_of(steps if name == "FalseSchema" else steps[:-1]),
        keyword=str(steps[-1]) if steps else "",
        data=_data(kind),
        held=_held(error.evaluation_path),
        branches=tuple(tuple(_failure(inner) for inner in branch) for branch in branches),
    )


def _names(error: Any) -> Failure:
    """A name that does not fit: `where` is the schema of names."""
    inner = _failure(error.kind.error)
    return Failure("PropertyNames", tuple(error.instance_path), inner.where, "propertyNames")


def _data(kind: Any) -> Any:
    names: tuple[str, ...] = kind.__match_args__
    return getattr(kind, names[0]) if names and names[0] != "context" else None


def _held(steps: Sequence[str | int]) -> str:
    """The last keyword on an evaluation path that leads into the value: `properties`, `items`, ..."""
    held, place = "", 0
    while place < len(steps):
        word = SCHEMA_HOLDERS.get(str(steps[place]))
        place += 1
        if word is None:
            continue
        if word.role in ("property", "value", "items"):
            held = word.name
        if word.holds in ("map", "list", "map-or-names"):
            place += 1
    return held


def pointer_of(path: Iterable[str | int]) -> str:
    """The JSON Pointer of a path."""
    return "".join(f"/{escape(str(step))}" for step in path)


def place_of(value: Any, path: Path) -> Any:
    """The value at a path of a value. Raises LookupError where there is none."""
    for step in path:
        value = value[step]
    return value
