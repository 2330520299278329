"""One small value of a schema: what a witness is made of. A guess that the caller checks with a validator."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

from toolglot.contract.model import NO_WITNESS
from toolglot.contract.shapes import entries, named, required_of, same_json, types_of
from toolglot.schema.keywords import UNIONS
from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import has_type, is_list, is_map
from toolglot.schema.walk import Schema

_DEPTH = 12
_LOOKS = 400
"""Most places one sample looks at: unions in unions multiply."""

_TEXTS = ("text", "a", "1", "2026-01-01", "2026-01-01T00:00:00Z", "a@example.com", "https://example.com", "en", "A1")
"""Tried in this order where a text must match a pattern."""

Part = dict[str, Any]


def sample(schema: Schema, document: Document, *, telling: bool = False) -> Any:
    """A small value that should be valid for a schema, or NO_WITNESS. References are looked up in `document`.

    `telling`: `{}` and `[]` say little, so an object has its first property and a list one entry where they may.
    What the schema only forbids (`not`, `if`, `dependent*`, ...) is not looked at: check the value before showing it.
    """
    return _Sampler(document, telling).value([schema], _DEPTH)


class _Sampler:
    def __init__(self, document: Document, telling: bool) -> None:
        self.document = document
        self.telling = telling
        self.looks = _LOOKS

    def value(self, schemas: list[Schema], depth: int) -> Any:
        """A value that all these schemas take."""
        self.looks -= 1
        if depth == 0 or self.looks < 0 or False in schemas:
            return NO_WITNESS
        parts = self._parts(schemas)
        if parts is None:
            return NO_WITNESS
        for place, part in enumerate(parts):
            for keyword in UNIONS:
                if branches := entries(part, keyword):
                    return self._of_union(parts, place, keyword, branches, depth)
        return self._plain(parts, depth)

    def _parts(self, schemas: list[Schema]) -> list[Part] | None:
        """The schemas with references and `allOf` opened, each once; None where one takes nothing."""
        found: list[Part] = []
        seen: set[int] = set()
        waiting = list(reversed(schemas))
        while waiting:
            schema = waiting.pop()
            if schema is False:
                return None
            if is_map(schema) and id(schema) not in seen:
                seen.add(id(schema))
                found.append(schema)
                waiting.extend(reversed(entries(schema, "allOf")))
                if ref_of(schema) is not None and (target := self.document.follow(schema)) is not schema:
                    waiting.append(target)
        return found

    def _of_union(self, parts: list[Part], place: int, keyword: str, branches: list[Schema], depth: int) -> Any:
        part = {word: value for word, value in parts[place].items() if word not in (keyword, "allOf", "$ref")}
        others = [{word: value for word, value in p.items() if word not in ("allOf", "$ref")} for p in parts]
        rest: list[Schema] = [*others[:place], part, *others[place + 1 :]]
        found = (self.value([*rest, branch], depth - 1) for branch in branches)
        return next((value for value in found if value is not NO_WITNESS), NO_WITNESS)

    def _plain(self, parts: list[Part], depth: int) -> Any:
        kinds = _kinds(parts)
        if (listed := _listed(parts)) is not None:
            fitting = (value for value in listed if kinds is None or any(has_type(value, kind) for kind in kinds))
            return next(fitting, NO_WITNESS)
        for kind in kinds if kinds is not None else (_implied(parts),):
            if kind == "object":
                return self._object(parts, depth)
            if kind == "array":
                return self._array(parts, depth)
            return _scalar(kind, parts)
        return NO_WITNESS

    def _object(self, parts: list[Part], depth: int) -> Any:
        found: dict[str, Any] = {}
        names = dict.fromkeys(name for part in parts for name in required_of(part))
        if self.telling and not names:
            names = dict.fromkeys([name for part in parts for name in named(part)][:1])
        for name in names:
            value = self.value([_property(part, name) for part in parts], depth - 1)
            if value is NO_WITNESS:
                return NO_WITNESS
            found[name] = value
        return found

    def _array(self, parts: list[Part], depth: int) -> Any:
        least = _bound(parts, "minItems", max, 0)
        if self.telling and _bound(parts, "maxItems", min, 1) >= 1:
            least = max(least, 1)
        found: list[Any] = []
        for place in range(ceil(least) if least <= 20 else 0):
            value = self.value([_item(part, place) for part in parts], depth - 1)
            if value is NO_WITNESS:
                return NO_WITNESS
            found.append(value)
        return found


def _kinds(parts: list[Part]) -> list[str] | None:
    """The types that all parts take, in the order of the first that names any; None where none does."""
    lists = [types_of(part) for part in parts if types_of(part)]
    if not lists:
        return None
    return [kind for kind in lists[0] if all(_takes(other, kind) for other in lists[1:])] or _integers(lists)


def _takes(kinds: tuple[str, ...], kind: str) -> bool:
    return kind in kinds or (kind == "integer" and "number" in kinds)


def _integers(lists: list[tuple[str, ...]]) -> list[str]:
    return ["integer"] if all(_takes(kinds, "integer") for kinds in lists) else []


def _implied(parts: list[Part]) -> str:
    words = {word for part in parts for word in part}
    if words & {"properties", "required", "additionalProperties"}:
        return "object"
    return "array" if words & {"items", "prefixItems", "minItems"} else "string"


def _listed(parts: list[Part]) -> list[Any] | None:
    """The values that every `const` and `enum` lists; None where there is neither."""
    lists = [[part["const"]] for part in parts if "const" in part]
    lists += [part["enum"] for part in parts if is_list(part.get("enum"))]
    if not lists:
        return None
    keys = [{same_json(value) for value in values} for values in lists[1:]]
    return [value for value in lists[0] if all(same_json(value) in known for known in keys)]


def _property(part: Part, name: str) -> Schema:
    own = named(part)
    if name in own:
        return own[name]
    other = part.get("additionalProperties", True)
    return other if is_map(other) or other is False else True


def _item(part: Part, place: int) -> Schema:
    first = entries(part, "prefixItems")
    if place < len(first):
        return first[place]
    other = part.get("items", True)
    return other if is_map(other) or other is False else True


def _bound(parts: list[Part], word: str, strictest: Any, default: float) -> float:
    found = [part[word] for part in parts if isinstance(part.get(word), (int, float))]
    return strictest(found) if found else default


def _scalar(kind: str, parts: list[Part]) -> Any:
    if kind == "string":
        return next((text for text in _texts(parts) if _matches(parts, text)), NO_WITNESS)
    if kind in ("boolean", "null"):
        return True if kind == "boolean" else None
    low = _bound(parts, "minimum", max, _bound(parts, "exclusiveMinimum", max, 0 - 1e-9) + 1)
    high = _bound(parts, "maximum", min, _bound(parts, "exclusiveMaximum", min, max(low, 2)) - 1)
    value = max(low, min(1, high))
    return ceil(value) if kind == "integer" or float(value).is_integer() else value


def _texts(parts: list[Part]) -> Iterator[str]:
    least, most = ceil(_bound(parts, "minLength", max, 0)), ceil(_bound(parts, "maxLength", min, 100))
    for text in _TEXTS if least <= 200 else ():
        yield text.ljust(least, "x")[:most]


def _matches(parts: list[Part], text: str) -> bool:
    from toolglot.schema.validate import validator

    patterns = [part["pattern"] for part in parts if isinstance(part.get("pattern"), str)]
    try:
        return all(validator({"pattern": pattern}).is_valid(text) for pattern in patterns)
    except ValueError:
        return False
