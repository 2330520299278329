"""Codecs: how values travel. `encode` goes from the server's shape to the wire, `restore` back.

Codecs are frozen data. Every codec also takes the published shape: where a value does not have the form of the wire but
is valid at its published place, it passes as it is and is reported as `plain`. What has neither form is an error with
its place, and the value goes on unchanged, so that all errors of a call come at once.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from toolglot.errors import ArgumentError, JsonError, parse_json
from toolglot.schema.values import is_list, is_map, same
from toolglot.schema.walk import Schema, escape

LEAVE_OUT = "(leave out)"
"""Stands for an absent optional where the target demands every property and null is a value of its own."""


class Run(Protocol):
    """One passage of a value through codecs."""

    errors: list[ArgumentError]
    plain: list[str]

    def valid(self, schema: Schema, value: Any) -> bool | None:
        """Whether a value is valid for a part of the meaning; None where nobody can say."""
        ...

    def carries(self, wire: Schema, value: Any) -> bool | None:
        """Whether a part of what is sent takes a value in its wire form; None where nobody can say."""
        ...

    def definition(self, pointer: str) -> Codec:
        """The codec of a referenced definition."""
        ...


class Codec(Protocol):
    """How the values of one place travel."""

    def encode(self, value: Any, run: Run) -> Any:
        """The server's value in the form of the wire."""
        ...

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The wire's value in the server's shape; `path` is the pointer of the value in the answer."""
        ...


@dataclass(frozen=True, slots=True)
class Identity:
    """Values travel as they are."""

    def encode(self, value: Any, run: Run) -> Any:
        """The value itself."""
        return value

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The value itself."""
        return value


IDENTITY = Identity()


def wrong(run: Run, path: str, wrong: str, expected: str) -> None:
    """Note an error of the answer, with its place."""
    run.errors.append(ArgumentError(path, wrong, expected))


@dataclass(frozen=True, slots=True)
class Definition:
    """The values of a reference travel as those of its definition."""

    pointer: str

    def encode(self, value: Any, run: Run) -> Any:
        """As the definition encodes."""
        return run.definition(self.pointer).encode(value, run)

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """As the definition restores."""
        return run.definition(self.pointer).restore(value, run, path)


@dataclass(frozen=True, slots=True)
class JsonText:
    """A value travels as JSON text, in the server's shape; `schema` is its meaning. `blank`: "" means absent."""

    schema: Schema

    def encode(self, value: Any, run: Run) -> Any:
        """The compact JSON of the value."""
        return _compact(value)

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The value of the text; a text that is no JSON counts as itself where a text is allowed."""
        if not isinstance(value, str):
            return plain(value, run, path)
        try:
            found = parse_json(value)
        except JsonError as error:
            if run.valid(self.schema, value):
                return plain(value, run, path)
            wrong(run, path, f"is no JSON: {error.message}", "JSON, as text")
            return value
        return self._once_more(found, run)

    def _once_more(self, found: Any, run: Run) -> Any:
        """A text inside the text is decoded too, where the place takes no text."""
        if isinstance(found, str) and run.valid(self.schema, found) is False:
            try:
                twice = parse_json(found)
            except JsonError:
                return found
            return twice if run.valid(self.schema, twice) else found
        return found


def _compact(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def plain(value: Any, run: Run, path: str) -> Any:
    """A value that came in the published shape: it stays, and is reported."""
    run.plain.append(path)
    return value


@dataclass(frozen=True, slots=True)
class Choice:
    """An enum of texts stands for any values, one for one."""

    texts: tuple[str, ...]
    values: tuple[Any, ...]

    def encode(self, value: Any, run: Run) -> Any:
        """The text of a value; another value stays as it is."""
        place = index_of(self.values, value)
        return value if place is None else self.texts[place]

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The value of a text; a value that is listed itself passes as it is."""
        if isinstance(value, str) and value in self.texts:
            return self.values[self.texts.index(value)]
        return value if index_of(self.values, value) is None else plain(value, run, path)


def index_of(values: tuple[Any, ...], value: Any) -> int | None:
    """The place of a value, compared as JSON: 1 is not true, 1 and 1.0 are one number."""
    for place, known in enumerate(values):
        if same(known, value):
            return place
    return None


@dataclass(frozen=True, slots=True)
class Wrapped:
    """A value travels inside an object, under one name."""

    name: str
    codec: Codec
    schema: Schema

    def encode(self, value: Any, run: Run) -> Any:
        """The object around the value."""
        return {self.name: self.codec.encode(value, run)}

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The value inside the object."""
        if is_map(value) and set(value) == {self.name}:
            return self.codec.restore(value[self.name], run, f"{path}/{self.name}")
        return plain(value, run, path)


@dataclass(frozen=True, slots=True)
class Field:
    """One property. `absent` says what stands for an absent one on the wire, and what null means there.

    `""`: nothing, null is null. `null`: null stands for absent. `null-too`: so does it, and the server's null is left
    out (the server declared them equal). `sentinel`: the text `(leave out)`. `swap`: absent on the wire is null for the
    server. `drop`: the server's null is left out.
    """

    server: str
    wire: str
    codec: Codec = IDENTITY
    absent: str = ""

    def encode(self, given: Mapping[str, Any], wire: dict[str, Any], run: Run) -> None:
        """Put the property of the server's object onto the wire."""
        if self.server not in given:
            if self.absent in ("null", "null-too"):
                wire[self.wire] = None
            elif self.absent == "sentinel":
                wire[self.wire] = LEAVE_OUT
            return
        value = given[self.server]
        if value is None and self.absent in ("swap", "drop"):
            return
        if value is None and self.absent == "null-too":
            wire[self.wire] = None
            return
        wire[self.wire] = self.codec.encode(value, run)

    def restore(self, value: Any, out: dict[str, Any], run: Run, path: str) -> None:
        """Put the property of the wire into the server's object."""
        if (value is None and self.absent in ("null", "null-too")) or (
            value == LEAVE_OUT and self.absent == "sentinel"
        ):
            return
        out[self.server] = self.codec.restore(value, run, path)


@dataclass(frozen=True)
class Properties:
    """An object: some properties renamed, encoded, made nullable or required; other names pass as they are.

    `entries`: the name of the list of `{key, value}` that carries the names which are not declared, with the codec of
    its values (None: it is JSON text of an object); `declared` are the server's names that may not be keys there.
    `always`: the list is there even if it is empty.
    """

    fields: tuple[Field, ...]
    entries: str = ""
    value: Codec | None = IDENTITY
    declared: frozenset[str] = frozenset()
    always: bool = False
    by_server: Mapping[str, Field] = field(init=False, compare=False, repr=False)
    by_wire: Mapping[str, Field] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Index the fields by both names."""
        object.__setattr__(self, "by_server", {one.server: one for one in self.fields})
        object.__setattr__(self, "by_wire", {one.wire: one for one in self.fields})

    def encode(self, value: Any, run: Run) -> Any:
        """The server's object on the wire."""
        if not is_map(value):
            return value
        wire: dict[str, Any] = {}
        others: dict[str, Any] = {}
        for name, item in value.items():
            if name in self.by_server:
                self.by_server[name].encode(value, wire, run)
            elif self.entries and name not in self.declared:
                others[name] = item
            else:
                wire[name] = item
        for one in self.fields:
            if one.absent and one.server not in value:
                one.encode(value, wire, run)
        if self.entries and (others or self.always):
            text = self.value is None
            wire[self.entries] = _compact(others) if text else Entries(self.value or IDENTITY).encode(others, run)
        return wire

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The wire's object in the server's shape."""
        if not is_map(value):
            return value
        out: dict[str, Any] = {}
        listed: Any = None
        for name, item in value.items():
            if name in self.by_wire:
                self.by_wire[name].restore(item, out, run, f"{path}/{escape(name)}")
            elif name == self.entries and self.entries:
                listed = item
            elif name in self.by_server and name not in out:
                self.by_server[name].restore(item, out, run, f"{path}/{escape(name)}")
            else:
                out[name] = item
        for one in self.fields:
            if one.absent == "swap" and one.wire not in value and one.server not in value:
                out[one.server] = None
        if listed is not None:
            self._add(listed, out, run, f"{path}/{escape(self.entries)}")
        return out

    def _add(self, listed: Any, out: dict[str, Any], run: Run, path: str) -> None:
        if self.value is None and isinstance(listed, str):
            try:
                listed = parse_json(listed)
            except JsonError as error:
                wrong(run, path, f"is no JSON: {error.message}", "a JSON object, as text")
                return
        restore_entries(listed, out, self.value or IDENTITY, self.declared, run, path)


def restore_entries(
    listed: Any, out: dict[str, Any], codec: Codec, declared: frozenset[str], run: Run, path: str
) -> None:
    """Put the entries of a list of `{key, value}` into an object; an object is taken as it is."""
    if is_map(listed):
        run.plain.append(path)
        out.update({name: codec.restore(item, run, f"{path}/{escape(name)}") for name, item in listed.items()})
        return
    if not is_list(listed):
        wrong(run, path, "is no list of entries", 'a list such as [{"key": "a", "value": 1}]')
        return
    for place, entry in enumerate(listed):
        key = entry.get("key") if is_map(entry) else None
        if not isinstance(key, str) or not is_map(entry):
            wrong(run, f"{path}/{place}", "has no text `key`", 'an entry such as {"key": "a", "value": 1}')
        elif key in out or key in declared:
            wrong(run, f"{path}/{place}/key", f"{json.dumps(key)} is given twice", "each key once")
        else:
            out[key] = codec.restore(entry.get("value"), run, f"{path}/{place}/value")


@dataclass(frozen=True, slots=True)
class Entries:
    """A map travels as a list of `{key, value}`."""

    value: Codec

    def encode(self, value: Any, run: Run) -> Any:
        """The list of a map."""
        if not is_map(value):
            return value
        return [{"key": name, "value": self.value.encode(item, run)} for name, item in value.items()]

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The map of a list; a map passes as it is."""
        if not is_list(value) and not is_map(value):
            return value
        out: dict[str, Any] = {}
        restore_entries(value, out, self.value, frozenset(), run, path)
        return out
