"""A place in a schema as an error text spells it, and where that is in the schema."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolglot.schema.keywords import COMBINERS, SCHEMA_HOLDERS
from toolglot.schema.refs import Resolved, ref_of
from toolglot.schema.values import is_list, is_map, is_schema
from toolglot.schema.walk import Schema, escape, unescape

if TYPE_CHECKING:
    from toolglot.schema.refs import Document
    from toolglot.targets.error_texts import PathForm

_FIELD = re.compile(r"\[([^\]]*)\]|([^.\[\]]+)")
_KEY = re.compile(r"'([^']*)'")
_CAPITAL = re.compile(r"_([a-z])")
_OWN_NAMES = {"defs": "$defs", "ref": "$ref", "schema": "$schema"}
"""Keywords that a field of a message cannot be called."""


def segments(path: str, form: PathForm) -> tuple[str, ...]:
    """The segments of a place, as a JSON Pointer would have them; positions stay numbers.

    In: the place as the text spells it, and how that form is written (`targets.error_texts.PathForm`).
    """
    return tuple(_READERS[form](path))


def _fields(path: str) -> Iterator[str]:
    found = [(bracket, name) for bracket, name in _FIELD.findall(path)]
    for place, (bracket, name) in enumerate(found):
        if bracket:
            yield bracket.strip("\"'")
        elif name != "value" or place == 0 or not found[place - 1][0]:
            word = _CAPITAL.sub(lambda letter: letter[1].upper(), name)
            yield _OWN_NAMES.get(word, word)


def _dots(path: str) -> Iterator[str]:
    return iter(filter(None, path.removeprefix("root").split(".")))


def _names(path: str) -> Iterator[str]:
    for name in filter(None, path.split(".")):
        yield from ("properties", name)


_READERS: dict[str, Callable[[str], Iterator[str]]] = {
    "": lambda path: iter(()),
    "root": lambda path: iter(()),
    "fields": _fields,
    "keys": lambda path: iter(_KEY.findall(path)),
    "dots": _dots,
    "names": _names,
    "slashes": lambda path: map(unescape, filter(None, path.split("/"))),
}


@dataclass(frozen=True, slots=True)
class Found:
    """Where segments lead in a schema: the JSON Pointer of the last schema on the way, and the segments left over."""

    pointer: str
    schema: Schema
    rest: tuple[str, ...] = ()

    @property
    def whole(self) -> bool:
        """Whether all of it was found; a keyword that holds no schema may be left, such as `type`."""
        return not self.rest or (self.rest[0] not in SCHEMA_HOLDERS and is_map(self.schema))


Names = Callable[[str], str]
"""The wire name of a published property."""


def locate(document: Document, path: tuple[str, ...], names: Names = lambda name: name) -> Found:
    """Follow segments through a schema.

    References are followed, and so is what texts leave out: `items` of an array, the one branch of a union that has
    the property. A property may be given by its place. `names`: the name under which a property was sent. Never raises.
    """
    found = _inside(document, Found("", document.schema, path), names)
    while found.rest:
        step = _step(found, names) or _hidden(document, found, names)
        if step is None:
            return found
        found = _inside(document, step, names)
    return found


def _inside(document: Document, found: Found, names: Names) -> Found:
    """The schema that a chain of references ends in, where the way goes on below it."""
    seen: set[str] = set()
    while found.rest and (ref := ref_of(found.schema)) is not None and ref not in seen:
        if _step(found, names) is not None or found.rest[0] == "$ref":
            break
        seen.add(ref)
        target = document.resolve(ref)
        if not isinstance(target, Resolved):
            break
        found = Found(target.pointer, target.schema, found.rest)
    return found


def _step(found: Found, names: Names) -> Found | None:
    """The next schema on the way; None where the segments name nothing here."""
    if not is_map(found.schema):
        return None
    word, *rest = found.rest
    holder = found.schema.get(word)
    if word not in SCHEMA_HOLDERS or holder is None:
        return None
    if SCHEMA_HOLDERS[word].holds in ("schema", "schema-or-list") and is_schema(holder):
        return Found(f"{found.pointer}/{word}", holder, tuple(rest))
    key = _key(holder, rest[0], names) if rest else None
    if key is None:
        return None
    return Found(f"{found.pointer}/{word}/{escape(str(key))}", holder[key], tuple(rest[1:]))


def _key(holder: Any, segment: str, names: Names) -> Any:
    """The key of a schema in a map or list of them: by name, by the name it was sent under, by its place."""
    if is_list(holder):
        place = int(segment) if segment.isdecimal() else len(holder)
        return place if place < len(holder) and is_schema(holder[place]) else None
    if not is_map(holder):
        return None
    keys = list(holder)
    at = keys[int(segment)] if segment.isdecimal() and int(segment) < len(keys) else None
    found = segment if segment in holder else next((key for key in keys if names(key) == segment), at)
    return found if found is not None and is_schema(holder[found]) else None


def _hidden(document: Document, found: Found, names: Names) -> Found | None:
    """A schema below that the text passes over, in which the next segment leads on."""
    if not is_map(found.schema):
        return None
    for below in _passed(found.schema):
        inside = _inside(document, Found(found.pointer + below[0], below[1], found.rest), names)
        if _step(inside, names) is not None:
            return inside
    return None


def _passed(schema: Mapping[str, Any]) -> Iterator[tuple[str, Schema]]:
    for word in COMBINERS:
        branches = schema.get(word)
        if is_list(branches):
            yield from ((f"/{word}/{n}", branch) for n, branch in enumerate(branches) if is_schema(branch))
    if is_schema(schema.get("items")):
        yield "/items", schema["items"]
