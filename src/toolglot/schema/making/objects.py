"""Objects: the least one, then ones that show each property, each way to fill it, and names of the caller's own."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolglot.schema.lazy import lazy
from toolglot.schema.making.conjunction import Mark, Part, bound, matches, names_of, opened, property_schemas
from toolglot.schema.making.matching import texts_matching
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from toolglot.schema.making.maker import Made, Maker
    from toolglot.schema.walk import Schema

MAX_SIZE = 300
"""Most values in one object; properties that need not be there are left out beyond it."""

_CLOSING = ("additionalProperties", "unevaluatedProperties")
_SAYING = frozenset((*_CLOSING, "propertyNames"))
_OWN_NAMES = ("one", "two")

_Chosen = dict[str, "Made"]


@dataclass(frozen=True, slots=True)
class _Entry:
    """A name that is not declared, and what it shows."""

    name: str
    mark: Mark


def objects(maker: Maker, parts: list[Part], covered: set[Mark], only_least: bool) -> Iterator[Made]:
    """Objects that all parts take, the least one first; those that show nothing new are left out."""
    form = _Form(maker, parts)
    least = form.least()
    if least is not None:
        yield form.made(least)
    if only_least:
        return
    yield from form.full()
    if least is not None:
        yield from form.singles(least, covered)


class _Form:
    """What one object may hold."""

    def __init__(self, maker: Maker, parts: list[Part]) -> None:
        self.maker = maker
        self.parts = parts
        self.min: float = bound(parts, "minProperties", max) or 0
        most = bound(parts, "maxProperties", min)
        self.max: float = len(_OWN_NAMES) + 10**6 if most is None else most

    @lazy
    def names(self) -> list[str]:
        """Declared and required names, in published order."""
        return list(dict.fromkeys([*names_of(self.parts), *self.required]))

    @lazy
    def required(self) -> list[str]:
        return _settled(self.maker, self.parts, (n for part in self.parts for n in part.get("required", ())))[1]

    @lazy
    def homes(self) -> dict[str, str]:
        """Declared name to the place of the schema that declares it."""
        found: dict[str, str] = {}
        for part in self.parts:
            for name in part.get("properties", ()):
                found.setdefault(name, self.maker.place(part))
        return found

    @lazy
    def optional(self) -> list[str]:
        required = set(self.required)
        return [name for name in self.names if name not in required]

    @lazy
    def entries(self) -> list[_Entry]:
        """Names of the caller's own that can be given."""
        found = list(self._patterned())
        if self._is_open():
            home = self.maker.place(self.parts[0])
            taken = {*self.names, *(entry.name for entry in found)}
            free = [name for name in self._free_names() if name not in taken]
            found += [_Entry(name, ("entry", home, place)) for place, name in enumerate(free[:2])]
        return found

    def _patterned(self) -> Iterator[_Entry]:
        for part in self.parts:
            for pattern in part.get("patternProperties", ()):
                names = (*_OWN_NAMES, "a", *texts_matching(pattern))
                fitting = (n for n in names if n not in self.homes and matches(pattern, n))
                name = next(fitting, None)
                if name is not None:
                    yield _Entry(name, ("entry", self.maker.place(part), pattern))

    def _is_open(self) -> bool:
        closing = ("additionalProperties", "unevaluatedProperties")
        if any(part.get(word) is False for part in self.parts for word in closing):
            return False
        return not names_of(self.parts) or any(
            word in part for part in self.parts for word in (*closing, "propertyNames")
        )

    def _free_names(self) -> list[str]:
        rules = tuple(part["propertyNames"] for part in self.parts if is_map(part.get("propertyNames")))
        if not rules:
            return list(_OWN_NAMES)
        return [made.value for made in self.maker.variants((*rules, _TEXT)) if isinstance(made.value, str)]

    def schemas(self, name: str, parts: list[Part] | None = None) -> tuple[Schema, ...]:
        """What is said about the value of a name."""
        found = property_schemas(parts or self.parts, name)
        if found or name in self.homes:
            return found
        return tuple(p["unevaluatedProperties"] for p in self.parts if is_map(p.get("unevaluatedProperties")))

    def least(self) -> _Chosen | None:
        """The required properties, and as many others as must be there."""
        parts, names = _settled(self.maker, self.parts, self.required)
        chosen: _Chosen = {}
        for name in names:
            made = self.maker.least(self.schemas(name, parts))
            if made is None:
                return None
            chosen[name] = made
        if self.maker.telling and not chosen and self.max >= 1:
            self._tell(chosen)
        for name in [*self.optional, *(entry.name for entry in self.entries)] if len(chosen) < self.min else ():
            made = self.maker.least(self.schemas(name)) if len(chosen) < self.min else None
            if made is not None:
                chosen[name] = made
        return chosen

    def _tell(self, chosen: _Chosen) -> None:
        """Add the first declared property that has a value."""
        for name in self.optional[:3]:
            made = self.maker.least(self.schemas(name))
            if made is not None:
                chosen[name] = made
                return

    def full(self) -> Iterator[Made]:
        """Objects with everything in them; each shows the next variant of every property."""
        parts, names = _settled(self.maker, self.parts, self.names)
        ways = {name: self.maker.variants(self.schemas(name, parts)) for name in names}
        ways |= {entry.name: self.maker.variants(self.schemas(entry.name)) for entry in self.entries}
        if any(not ways[name] for name in self.required):
            return
        for turn in range(max(map(len, ways.values()), default=0)):
            yield self.made(self._filled(ways, turn))

    def _filled(self, ways: dict[str, list[Made]], turn: int) -> _Chosen:
        required = set(self.required)
        chosen: _Chosen = {}
        size = 0
        room = self.max - len(required)
        for place, (name, variants) in enumerate(ways.items()):
            if not variants:
                continue
            own = name not in self.homes and name not in required
            made = variants[(turn + place * own) % len(variants)]
            large = size + made.size > MAX_SIZE
            if name not in required:
                if room < 1 or large:
                    continue
                room -= 1
            elif large:
                made = variants[0]
            chosen[name] = made
            size += made.size
        return chosen

    def singles(self, least: _Chosen, covered: set[Mark]) -> Iterator[Made]:
        """The least object with one thing more, or one thing different."""
        everything = not self.made(least).marks <= covered
        for name in [*self.names, *(entry.name for entry in self.entries)]:
            for made in self.maker.variants(self.schemas(name)):
                mark = self._mark(name)
                if everything or mark not in covered or not made.marks <= covered:
                    parts, names = _settled(self.maker, self.parts, [*least, name])
                    chosen = {**least, name: made}
                    for other in names:
                        added = chosen.get(other) or self.maker.least(self.schemas(other, parts))
                        if added is not None:
                            chosen[other] = added
                    yield self.made(chosen)

    def _mark(self, name: str) -> Mark:
        if name in self.homes:
            return ("present", self.homes[name], name)
        return next((entry.mark for entry in self.entries if entry.name == name), ("present", "", name))

    def made(self, chosen: _Chosen) -> Made:
        """The object, with the marks of what is in it and of what is not."""
        from toolglot.schema.making.maker import Made

        marks: set[Mark] = {self._mark(name) for name in chosen}
        marks.update(("absent", self.homes[name], name) for name in self.homes if name not in chosen)
        for made in chosen.values():
            marks |= made.marks
        order = [*(name for name in self.names if name in chosen), *(n for n in chosen if n not in self.names)]
        value = {name: chosen[name].value for name in order}
        return Made(value, frozenset(marks), 1 + sum(made.size for made in chosen.values()))


_TEXT: dict[str, str] = {"type": "string"}


def _settled(maker: Maker, parts: list[Part], present: Iterable[str]) -> tuple[list[Part], list[str]]:
    """The parts and names that hold once these names are there (`dependentRequired`, `dependentSchemas`)."""
    names = dict.fromkeys(present)
    parts = list(parts)
    if not any("dependentRequired" in part or "dependentSchemas" in part for part in parts):
        return parts, list(names)
    before = -1
    while before != len(names) + len(parts):
        before = len(names) + len(parts)
        for part in list(parts):
            for name in list(names):
                names.update(dict.fromkeys(part.get("dependentRequired", {}).get(name, ())))
                schema = part.get("dependentSchemas", {}).get(name, True)
                added = opened((schema,), maker.document, parts) or []
                parts += added
                names.update(dict.fromkeys(n for one in added for n in one.get("required", ())))
    return parts, list(names)
