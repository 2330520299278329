"""Why a value does not fit a meaning: verdicts of the validator, in our own terms, within an effort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolglot.fitting.effort import MOST_BRANCHED, MOST_REASONS, MOST_VISITS, Effort
from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.lazy import lazy
from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.validate import NO_SCHEMA, NO_VERDICT, Parts, validator
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema, at, escape

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

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

    @property
    def size(self) -> int:
        """How many reasons there are, those of branches included."""
        return 1 + sum(one.size for branch in self.branches for one in branch)


class Judge:
    """The verdicts of one meaning; `pointer` chooses a part of it. Validators are compiled when first used."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self._known: dict[str, Any] = {}

    @lazy
    def document(self) -> Document:
        """The meaning with its references."""
        return Document(self.schema)

    @lazy
    def _parts(self) -> Parts | None:
        try:
            return Parts(self.schema)
        except NO_SCHEMA:
            return None

    @lazy
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
        """All reasons why a value does not fit, none where it does; None where they cannot be listed.

        The validator lists the reasons of every branch below every branch, so their number is estimated first.
        """
        found = self._validator(pointer)
        most = MOST_BRANCHED if self._effort.branching else MOST_REASONS
        if found is None or self._effort.visits(pointer, value, most) > most:
            return None
        if "" in pointer.split("/")[1:] or _has_empty_name(value):
            return None
        try:
            return _each_once(_failure(error, value) for error in found.iter_errors(value))
        except NO_VERDICT:
            return None

    def smallest(self, value: Any) -> tuple[Path, str]:
        """A small part of an invalid value that is invalid on its own, and the pointer of the schema that refuses it.

        For values with too many reasons to list: only verdicts are asked for, down the first way that leads into one.
        """
        path: Path = ()
        pointer = ""
        seen: set[tuple[Path, str]] = set()
        while (path, pointer) not in seen:
            seen.add((path, pointer))
            for steps, below, item in _ways(self.document, pointer, value):
                if self.verdict(item, below) is False:
                    path, pointer, value = (*path, *steps), below, item
                    break
        return path, pointer


def _has_empty_name(value: Any) -> bool:
    """Whether a member in a value has the empty name: jsonschema_rs 0.61 leaves such steps out of its paths."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if is_map(one):
            if "" in one:
                return True
            waiting += one.values()
        elif is_list(one):
            waiting += one
    return False


def _ways(document: Document, pointer: str, value: Any) -> Iterator[tuple[Path, str, Any]]:
    """The parts of a schema that every value must fit: steps into the value, pointer of the part, what it looks at."""
    schema = at(document.schema, pointer)
    if not is_map(schema):
        return
    ref = ref_of(schema)
    target = document.resolve(ref) if ref is not None else None
    if isinstance(target, Resolved):
        yield (), target.pointer, value
    for place in range(len(schema.get("allOf", ()))):
        yield (), f"{pointer}/allOf/{place}", value
    if is_map(value):
        own, rest = schema.get("properties", {}), "additionalProperties" in schema and "patternProperties" not in schema
        for name, item in value.items():
            if name in own:
                yield (name,), f"{pointer}/properties/{escape(name)}", item
            elif rest and is_map(schema["additionalProperties"]):
                yield (name,), f"{pointer}/additionalProperties", item
    elif is_list(value):
        first = len(schema.get("prefixItems", ()))
        for place, item in enumerate(value):
            if place < first:
                yield (place,), f"{pointer}/prefixItems/{place}", item
            elif is_map(schema.get("items")):
                yield (place,), f"{pointer}/items", item


def _each_once(failures: Iterable[Failure]) -> tuple[Failure, ...]:
    """The failures without those that come twice, through two references to one schema."""
    found: dict[object, Failure] = {}
    for one in failures:
        data = one.data if isinstance(one.data, str) else None
        found.setdefault((one.kind, one.path, one.where, one.keyword, data), one)
    return tuple(found.values())


def _failure(error: Any, value: Any) -> Failure:
    kind = error.kind
    name: str = type(kind).__name__
    steps: list[str | int] = error.schema_path
    path = _path(error.instance_path, value)
    if name == "PropertyNames":
        return Failure(name, path, _where(kind.error), "propertyNames")
    if name == "FalseSchema" and steps and steps[-1] in _OF_NAMES and not _is_property(steps, path):
        return _of_names(str(steps[-1]), steps, path, value)
    branches: Iterable[Iterable[Any]] = getattr(kind, "context", ())
    return Failure(
        kind=name,
        path=path,
        where=_where(error),
        keyword=str(steps[-1]) if steps else "",
        data=_data(kind),
        held=_held(error.evaluation_path),
        branches=tuple(_each_once(_failure(inner, value) for inner in branch) for branch in branches),
    )


_OF_NAMES = ("additionalProperties", "propertyNames")


def _is_property(steps: Sequence[str | int], path: Path) -> bool:
    """Whether a schema path ends in a property that is called like a keyword."""
    return len(steps) > 1 and steps[-2] == "properties" and path[-1:] == (steps[-1],)


def _of_names(word: str, steps: Sequence[str | int], path: Path, value: Any) -> Failure:
    """An object whose names are all refused: the validator says it of the object as if it were refused itself."""
    if word == "propertyNames":
        return Failure("PropertyNames", path, pointer_of(steps), word)
    return Failure("AdditionalProperties", path, pointer_of(steps[:-1]), word, list(place_of(value, path)))


def _where(error: Any) -> str:
    """The pointer of the schema that refuses; of names, the schema of names."""
    steps: list[str | int] = error.schema_path
    return pointer_of(steps if type(error.kind).__name__ == "FalseSchema" else steps[:-1])


def _path(steps: Iterable[str | int], value: Any) -> Path:
    """A path that leads through the value: inside branches the validator gives the name "0" as the number 0."""
    path: list[str | int] = []
    for given in steps:
        step: Any = int(given) if is_list(value) else str(given)
        path.append(step)
        value = value[step] if is_list(value) else value.get(step) if is_map(value) else None
    return tuple(path)


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
