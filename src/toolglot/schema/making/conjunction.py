"""Several schemas about one value, read together: its types, bounds, names, and the choices that unions leave."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import islice, product
from typing import Any

from toolglot.schema.keywords import UNIONS
from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import has_type, is_list, is_map, type_of
from toolglot.schema.walk import Schema

Part = dict[str, Any]

MAX_OPTIONS = 200
"""Most choices that are looked at for one value: unions in unions multiply."""

_NESTED = 8


def opened(schemas: Iterable[Schema], document: Document, known: Iterable[Part] = ()) -> list[Part] | None:
    """These schemas with references and `allOf` opened, each once and none of `known`; None where one takes nothing."""
    found: list[Part] = []
    seen = {id(part) for part in known}
    waiting = list(schemas)
    waiting.reverse()
    while waiting:
        schema = waiting.pop()
        if schema is False:
            return None
        if not is_map(schema) or id(schema) in seen:
            continue
        seen.add(id(schema))
        found.append(schema)
        if ref_of(schema) is not None and (target := document.follow(schema)) is not schema:
            waiting.append(target)
        waiting.extend(reversed(schema.get("allOf", ())))
    return found


def types_of(parts: Iterable[Part]) -> list[str] | None:
    """The types that all parts take, in the order of the first that names any; None where none does."""
    found: list[str] | None = None
    for part in parts:
        names = part.get("type")
        if names is None:
            continue
        mine: list[str] = [names] if isinstance(names, str) else names
        found = mine if found is None else _both(found, mine)
    return found


def _both(left: list[str], right: list[str]) -> list[str]:
    kept = [kind for kind in left if kind in right or (kind == "integer" and "number" in right)]
    return kept or (["integer"] if "number" in left and "integer" in right else [])


def implied_types(parts: Iterable[Part]) -> tuple[str, ...]:
    """The types that untyped parts speak about; every type where they speak about none."""
    words = {word for part in parts for word in part}
    for kind, speaking in _SPEAKING.items():
        if not words.isdisjoint(speaking):
            return (kind,)
    return ("string", "integer", "boolean", "object", "array", "null", "number")


_SPEAKING = {
    "object": frozenset(("properties", "required", "additionalProperties", "patternProperties", "propertyNames")),
    "array": frozenset(("items", "prefixItems", "minItems", "maxItems", "contains")),
    "string": frozenset(("minLength", "maxLength", "pattern", "format")),
    "number": frozenset(("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf")),
}


def key_of(value: Any) -> Any:
    """A hashable stand-in for a JSON value; equal exactly where type and value are."""
    if is_map(value):
        return "object", frozenset((name, key_of(item)) for name, item in value.items())
    return ("array", tuple(map(key_of, value))) if is_list(value) else (type_of(value), value)


def listed(parts: Iterable[Part], kinds: list[str] | None) -> list[tuple[int, Any]] | None:
    """What every `const` and `enum` lists, with its place in the first list; None where there is neither."""
    lists: list[list[Any]] = []
    for part in parts:
        if "const" in part:
            lists.append([part["const"]])
        if "enum" in part:
            lists.append(part["enum"])
    if not lists:
        return None
    others = [{key_of(value) for value in values} for values in lists[1:]]
    return [
        (place, value)
        for place, value in enumerate(lists[0])
        if all(key_of(value) in known for known in others)
        and (kinds is None or any(has_type(value, kind) for kind in kinds))
    ]


def bound(parts: Iterable[Part], word: str, strictest: Callable[[list[Any]], Any]) -> Any:
    """The strictest value of a numeric keyword; None where no part has it."""
    found = [part[word] for part in parts if word in part]
    return strictest(found) if found else None


def names_of(parts: Iterable[Part]) -> list[str]:
    """The declared property names, in published order."""
    return list(dict.fromkeys(name for part in parts for name in part.get("properties", ())))


def property_schemas(parts: Iterable[Part], name: str) -> tuple[Schema, ...]:
    """What the parts say about the property `name`; what says nothing is left out."""
    return tuple(schema for part in parts for schema in _of_property(part, name) if schema is not True)


def _of_property(part: Part, name: str) -> Iterator[Schema]:
    own = part.get("properties", {})
    fitting = [schema for pattern, schema in part.get("patternProperties", {}).items() if matches(pattern, name)]
    if name in own:
        yield own[name]
    yield from fitting
    if name not in own and not fitting and "additionalProperties" in part:
        yield part["additionalProperties"]


def item_schemas(parts: Iterable[Part], place: int) -> tuple[Schema, ...]:
    """What the parts say about the item at a place."""
    found: list[Schema] = []
    for part in parts:
        first = part.get("prefixItems", ())
        schema = first[place] if place < len(first) else part.get("items", True)
        if schema is not True:
            found.append(schema)
    return tuple(found)


@lru_cache(maxsize=4096)
def _matcher(pattern: str) -> Any:
    from toolglot.schema.validate import validator

    return validator({"pattern": pattern})


def matches(pattern: str, text: str) -> bool:
    """Whether a text matches a pattern that compiles; False where there is no verdict (half a surrogate pair)."""
    try:
        return _matcher(pattern).is_valid(text)
    except ValueError:
        return False


Mark = tuple[Any, ...]
"""One thing that instances should show: a branch, a property present, an enum value, a bound."""

Option = tuple[tuple[Part, ...], frozenset[Mark]]
"""Parts that one choice adds, and what it shows."""


class Choices:
    """The ways to decide every union that looks at one value."""

    def __init__(self, document: Document, place: Callable[[Any], str]) -> None:
        self.document = document
        self.place = place

    def of(self, schemas: Iterable[Schema]) -> Iterator[tuple[list[Part], frozenset[Mark]]]:
        """The parts of a value, once per way to choose, with what each shows. First the first branches, then one other
        branch at a time."""
        base = opened(schemas, self.document)
        if base is None or types_of(base) == []:
            return
        unions = self._unions(base)
        if not unions:
            yield base, _NONE
            return
        lists = [list(islice(self._options(union, base, _NESTED), MAX_OPTIONS)) for union in unions]
        for chosen in islice(_combinations(lists), MAX_OPTIONS):
            parts = [*base, *(part for added, _ in chosen for part in added)]
            if types_of(parts) != []:
                yield parts, _NONE.union(*(marks for _, marks in chosen))

    def _unions(self, parts: Iterable[Part]) -> list[tuple[Part, str]]:
        return [(part, word) for part in parts for word in (*UNIONS, "if") if word in part]

    def _branches(self, union: tuple[Part, str]) -> list[tuple[Schema, ...]]:
        part, word = union
        if word == "if":
            return [(part["if"], part.get("then", True)), (part.get("else", True),)]
        return [(branch,) for branch in part[word]]

    def _options(self, union: tuple[Part, str], base: list[Part], depth: int) -> Iterator[Option]:
        """The branches that go with the base, each with every choice inside it."""
        part, word = union
        if depth == 0:
            return
        for number, branch in enumerate(self._branches(union)):
            added = opened(branch, self.document, base)
            if added is None or types_of([*base, *added]) == []:
                continue
            mark: Mark = ("branch", f"{self.place(part)}/{word}/{number}")
            for parts, marks in self._inside(added, base, depth):
                yield parts, marks | {mark}

    def _inside(self, added: list[Part], base: list[Part], depth: int) -> Iterator[Option]:
        unions = self._unions(added)
        if not unions:
            yield tuple(added), _NONE
            return
        lists = [list(islice(self._options(u, [*base, *added], depth - 1), MAX_OPTIONS)) for u in unions]
        for chosen in islice(_combinations(lists), MAX_OPTIONS):
            parts = (*added, *(part for more, _ in chosen for part in more))
            yield parts, _NONE.union(*(marks for _, marks in chosen))


_NONE: frozenset[Mark] = frozenset()


def _combinations(lists: list[list[Option]]) -> Iterator[tuple[Option, ...]]:
    """One option of each list: the first of all, then one changed at a time, then everything."""
    if not all(lists):
        return
    first = tuple(options[0] for options in lists)
    yield first
    for place, options in enumerate(lists):
        for option in options[1:]:
            yield (*first[:place], option, *first[place + 1 :])
    if len(lists) > 1:
        yield from islice(product(*lists), 64)
