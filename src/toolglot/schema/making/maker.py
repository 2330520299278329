"""Builds values of schemas, with what each shows. Shared by `sample` and `instances` in `witness`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from typing import Any

from toolglot.schema.making.arrays import arrays
from toolglot.schema.making.conjunction import Choices, Mark, Part, implied_types, listed, types_of
from toolglot.schema.making.objects import objects
from toolglot.schema.making.scalars import numbers, texts
from toolglot.schema.refs import Document
from toolglot.schema.tool import thaw
from toolglot.schema.validate import validator
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema, at

MAX_VALUES = 20
"""Most values of one enum that are shown."""

_LOOKS = 20_000
"""Most places that are looked at for one document; after that only least values are made."""

MAX_NODES = 20_000
"""Largest value that is made: references can multiply without end."""

_SMALL = 10
_VARIANTS = 150
_DEPTH = 60
_CHECKS = 300

_TWICE = 2
"""How often a schema may stand inside itself before only its least value is made."""

_CROSSING = frozenset(
    (
        *("not", "oneOf", "if", "dependentRequired", "dependentSchemas", "propertyNames", "minProperties"),
        *("maxProperties", "uniqueItems", "contains", "multipleOf", "unevaluatedProperties", "unevaluatedItems"),
    )
)
"""Keywords that a value built part by part may break: such a value is checked where it is made."""


@dataclass(frozen=True, slots=True)
class Made:
    """A value, what it shows, and how many values are in it."""

    value: Any
    marks: frozenset[Mark]
    size: int = 1


_Key = tuple[int, ...]


class Maker:
    """Makes values of the schemas of one document (a meaning or a declared schema).

    `telling`: `{}` and `[]` say little, so the least object has its first property and the least list one entry where
    they may.
    """

    def __init__(
        self, document: Document, is_valid: Callable[[Any], bool] = lambda value: True, *, telling: bool = False
    ) -> None:
        self.document = document
        self.telling = telling
        self.is_valid = is_valid
        self.choices = Choices(document, self.place)
        self._looks = _LOOKS
        self._recursive = {id(at(document.schema, pointer)) for pointer in document.recursive}
        self._least: dict[_Key, Made | None] = {}
        self._inside: set[_Key] = set()
        self._cut = False
        self._variants: dict[Any, list[Made]] = {}
        self._path: Counter[_Key] = Counter()
        self._checks: dict[int, Any] = {}

    def place(self, schema: Any) -> str:
        """Where a schema stands in the document; another name for it where it does not."""
        node = self.document.places.get(id(schema))
        return f"@{id(schema)}" if node is None else node.pointer

    def least(self, schemas: tuple[Schema, ...]) -> Made | None:
        """The smallest value that is easily found for all these schemas."""
        key = tuple(map(id, schemas))
        if key in self._least:
            return self._least[key]
        self._looks -= 1
        if key in self._inside or len(self._inside) > _DEPTH or self._looks < -_LOOKS:
            self._cut = True
            return None
        outer, self._cut = self._cut, False
        self._inside.add(key)
        made = self._smallest(schemas)
        self._inside.discard(key)
        if made is not None or not self._cut:
            self._least[key] = made
        self._cut = self._cut or outer
        return made

    def _smallest(self, schemas: tuple[Schema, ...]) -> Made | None:
        """The first value that is found; where that is large, the smallest of the first few."""
        values = self._values(schemas, set(), True)
        first = next(values, None)
        if first is None or first.size <= _SMALL:
            return first
        return min((first, *islice(values, 8)), key=lambda made: made.size)

    def variants(self, schemas: tuple[Schema, ...]) -> list[Made]:
        """A few values that together show all that these schemas take; the least one first."""
        key = tuple(map(id, schemas))
        self._looks -= 1
        found = self._of_key(key, schemas)
        again = self._path[key]
        if not again or not schemas:
            return found
        mark: Mark = ("again", self.place(schemas[0]), again)
        return [Made(made.value, made.marks | {mark}, made.size) for made in found]

    def _of_key(self, key: _Key, schemas: tuple[Schema, ...]) -> list[Made]:
        if self._looks < 0 or self._path[key] >= _TWICE or self._path.total() > _DEPTH:
            least = self.least(schemas)
            return [] if least is None else [least]
        memo = (key, self._surroundings())
        if memo not in self._variants:
            self._path[key] += 1
            self._variants[memo] = self._covering(schemas)
            self._path[key] -= 1
        return self._variants[memo]

    def _surroundings(self) -> frozenset[tuple[_Key, int]]:
        """The recursive schemas that a value is made inside of, with how often."""
        if not self._recursive:
            return frozenset()
        return frozenset((key, times) for key, times in self._path.items() if times)

    def _covering(self, schemas: tuple[Schema, ...]) -> list[Made]:
        covered: set[Mark] = set()
        found: list[Made] = []
        for made in islice(self.values(schemas, covered), _VARIANTS):
            covered |= made.marks
            found.append(made)
        return found

    def values(self, schemas: tuple[Schema, ...], covered: set[Mark]) -> Iterator[Made]:
        """Values that show what is not in `covered`; the caller adds to it what it keeps."""
        return self._values(schemas, covered, False)

    def _values(self, schemas: tuple[Schema, ...], covered: set[Mark], only_least: bool) -> Iterator[Made]:
        first = True
        for parts, marks in self.choices.of(schemas):
            crossing = any(not _CROSSING.isdisjoint(part) for part in parts)
            for made in self._of_parts(parts, covered, only_least):
                shown = made.marks | marks
                if made.size > MAX_NODES:
                    continue
                if (first or not shown <= covered) and not (crossing and self._refuted(schemas, made.value)):
                    first = False
                    yield Made(made.value, shown, made.size)

    def _refuted(self, schemas: Iterable[Schema], value: Any) -> bool:
        """Whether one of the schemas takes the value not, as far as can be asked."""
        return any(is_map(schema) and not self._check(schema)(value) for schema in schemas)

    def _check(self, schema: Part) -> Callable[[Any], bool]:
        found = self._checks.get(id(schema))
        if found is None:
            node = self.document.places.get(id(schema))
            room = len(self._checks) < _CHECKS
            found = self._validator(node.pointer) if node is not None and room else _anything
            self._checks[id(schema)] = found
        return found

    def _validator(self, pointer: str) -> Callable[[Any], bool]:
        root: Any = self.document.schema
        joined = {"$defs": {"root": {**thaw(root), "$id": "urn:root"}}, "$ref": f"urn:root#{_quoted(pointer)}"}
        try:
            return validator(joined).is_valid
        except ValueError:
            return _anything

    def _of_parts(self, parts: list[Part], covered: set[Mark], only_least: bool) -> Iterator[Made]:
        if not parts:
            for number, value in enumerate(_ANYTHING):
                yield Made(value, frozenset([("any", number)]), 3)
            return
        kinds = types_of(parts)
        values = listed(parts, kinds)
        if values is not None:
            home = next(self.place(part) for part in parts if "enum" in part or "const" in part)
            for number, value in values[:MAX_VALUES]:
                yield Made(value, frozenset([("value", home, number)]))
            return
        several = kinds if kinds is not None else implied_types(parts)
        home = self.place(next((part for part in parts if "type" in part), parts[0]))
        for kind in several:
            marks: frozenset[Mark] = frozenset([("type", home, kind)]) if len(several) > 1 else frozenset()
            for made in self._of_kind(kind, parts, covered, only_least):
                yield Made(made.value, made.marks | marks, made.size)

    def _of_kind(self, kind: str, parts: list[Part], covered: set[Mark], only_least: bool) -> Iterator[Made]:
        if kind == "object":
            return objects(self, parts, covered, only_least)
        if kind == "array":
            return arrays(self, parts, covered, only_least)
        return self._scalars(kind, parts)

    def _scalars(self, kind: str, parts: list[Part]) -> Iterator[Made]:
        home = self.place(parts[0])
        shown: Iterable[tuple[str, Any]] = _PLAIN.get(kind, ())
        if kind == "string":
            shown = texts(parts)
        elif kind in ("integer", "number"):
            shown = numbers(parts, kind == "integer")
        for what, value in shown:
            yield Made(value, frozenset([(what, home)]))


_PLAIN: dict[str, tuple[tuple[str, Any], ...]] = {
    "boolean": (("true", True), ("false", False)),
    "null": (("null", None),),
}


_ANYTHING: tuple[Any, ...] = ("text", 1, True, {}, {"one": "text", "two": [1]}, [], ["text", {"one": 1}], None, 1.5)
"""Shown where a schema takes every value."""


def _anything(value: Any) -> bool:
    return True


def _quoted(pointer: str) -> str:
    from urllib.parse import quote

    return quote(pointer, safe="/$-._~!&'()*+,;=:@?")
