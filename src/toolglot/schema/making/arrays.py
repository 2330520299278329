"""Arrays: the shortest, ones whose items show each way to fill them, the longest, each length of a tuple."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil, floor
from typing import TYPE_CHECKING

from toolglot.schema.making.conjunction import Mark, Part, bound, item_schemas, key_of
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from toolglot.schema.making.maker import Made, Maker
    from toolglot.schema.walk import Schema

MAX_ITEMS = 20
"""Longest array that is made for its length alone."""

_CHUNK = 5
_MANY = 10**9


def arrays(maker: Maker, parts: list[Part], covered: set[Mark], only_least: bool) -> Iterator[Made]:
    """Arrays that all parts take, the least one first."""
    form = _Form(maker, parts)
    if form.min > min(form.max, MAX_ITEMS * 5):
        return
    if (least := form.least()) is not None:
        yield least
    if only_least or form.max == 0:
        return
    yield from form.filled()
    yield from form.lengths()


class _Form:
    """What one array may hold."""

    def __init__(self, maker: Maker, parts: list[Part]) -> None:
        self.maker = maker
        self.parts = parts
        self.home = maker.place(parts[0])
        self.unique = any(part.get("uniqueItems") is True for part in parts)
        self.prefix = max((len(part.get("prefixItems", ())) for part in parts), default=0)
        self.wanted = [(p["contains"], ceil(p.get("minContains", 1))) for p in parts if "contains" in p]
        needed = sum(count for _, count in self.wanted)
        self.min = max(ceil(bound(parts, "minItems", max) or 0), needed)
        most = bound(parts, "maxItems", min)
        self.max = _MANY if most is None else floor(most)
        if False in item_schemas(parts, self.prefix):
            self.max = min(self.max, self.prefix)

    def schemas(self, place: int) -> tuple[Schema, ...]:
        """What is said about the item at a place; the first items are those that `contains` asks for."""
        said = item_schemas(self.parts, place)
        for schema, count in self.wanted:
            if 0 <= place < count and is_map(schema):
                return (*said, schema)
            place -= count
        return said

    def least(self) -> Made | None:
        """As few items as must be there."""
        mark: Mark = ("items", self.home, "fewest")
        one = self._of_length(1, 0, mark) if self.maker.telling and self.min == 0 and self.max >= 1 else None
        return self._of_length(self.min, 0, mark) if one is None else one

    def _of_length(self, length: int, turn: int, mark: Mark) -> Made | None:
        found: list[Made] = []
        keys: set[object] = set()
        for place in range(length):
            made = self._item(place, turn, keys)
            if made is None:
                return None
            found.append(made)
        return _joined(found, mark)

    def _item(self, place: int, turn: int, keys: set[object]) -> Made | None:
        if not self.unique:
            ways = self.maker.variants(self.schemas(place)) if turn else []
            return ways[turn % len(ways)] if ways else self.maker.least(self.schemas(place))
        ways = self.maker.variants(self.schemas(place))
        for made in ways[turn % max(1, len(ways)) :] + ways[: turn % max(1, len(ways))]:
            key = key_of(made.value)
            if key not in keys:
                keys.add(key)
                return made
        return None

    def filled(self) -> Iterator[Made]:
        """Arrays whose items show every variant, a few items each."""
        start = max(self.min, self.prefix if self.prefix <= self.max else 0, 1)
        if self.prefix:
            yield from self._tuples()
        ways = self.maker.variants(self.schemas(max(self.prefix, self.min)))
        first = 0
        while first < len(ways) and start <= self.max:
            head = self._of_length(max(self.min, self.prefix), 0, ("items", self.home, "some"))
            if head is None:
                return
            room = min(self.max - len(head.value), _CHUNK)
            if room <= 0:
                yield from self._rotated(len(ways))
                return
            more = self._distinct(head, ways[first : first + room])
            yield _joined(more, ("items", self.home, "some"), head)
            first += room

    def _distinct(self, head: Made, ways: list[Made]) -> list[Made]:
        keys = {key_of(value) for value in head.value} if self.unique else set[object]()
        return [made for made in ways if not self.unique or key_of(made.value) not in keys]

    def _rotated(self, turns: int) -> Iterator[Made]:
        for turn in range(turns):
            made = self._of_length(self.min, turn, ("items", self.home, "some"))
            if made is not None:
                yield made

    def _tuples(self) -> Iterator[Made]:
        """Every length of a tuple, then every variant of its items."""
        longest = min(self.prefix, self.max)
        turns = max((len(self.maker.variants(self.schemas(place))) for place in range(longest)), default=0)
        for length in range(self.min, longest + 1):
            made = self._of_length(length, length, ("length", self.home, length))
            if made is not None:
                yield made
        for turn in range(turns):
            made = self._of_length(longest, turn, ("length", self.home, longest))
            if made is not None:
                yield made

    def lengths(self) -> Iterator[Made]:
        """The longest array, where that is short."""
        if self.max <= MAX_ITEMS:
            made = self._of_length(self.max, 0, ("items", self.home, "most"))
            if made is not None:
                yield made


def _joined(items: list[Made], mark: Mark, head: Made | None = None) -> Made:
    from toolglot.schema.making.maker import Made

    before = [] if head is None else list(head.value)
    marks = frozenset([mark]).union(*(made.marks for made in items), head.marks if head else ())
    size = (head.size if head else 1) + sum(made.size for made in items)
    return Made([*before, *(made.value for made in items)], marks, size)
