"""JSON texts taken apart into raw members, so that one bad member does not spoil the others."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import msgspec

from toolglot.errors import JsonError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_KINDS = {b"{": "an object", b"[": "a list", b'"': "a text", b"t": "a boolean", b"f": "a boolean", b"n": "null"}
_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"|"|[\[\]{},:]', re.DOTALL)
_SPACE = b" \t\n\r"
_SYNTAX = json.JSONDecoder(parse_int=str, parse_float=str)


def kind(raw: bytes) -> str:
    """What a JSON text is, by its first character: "an object", "a list", "a text", "a number", ..."""
    first = raw.lstrip(_SPACE)[:1]
    return _KINDS.get(first, "a number" if first else "empty")


def members(raw: bytes, *, once: Sequence[str] = ()) -> dict[str, bytes]:
    """The members of a JSON object, each value as its own raw text, in published order.

    Values are not judged: numbers of any size, NaN, any depth and doubled keys inside them are left to whoever
    parses them. Raises JsonError for what is no JSON (line and column), and where a key of `once` is doubled.
    """
    found = _fast_members(raw)
    if found is None:
        found = {_text(key): value for key, value in _split(raw, b"{")}
    for key in once:
        if key in found and _is_doubled(raw, key, found):
            raise JsonError(f"the key {key!r} stands twice in one object")
    return found


def items(raw: bytes) -> list[bytes]:
    """The items of a JSON list, each as its own raw text; judged and raising as `members`."""
    try:
        return [bytes(item) for item in msgspec.json.decode(raw, type=list[msgspec.Raw])]
    except (msgspec.DecodeError, RecursionError):
        return [value for _, value in _split(raw, b"[")]


def _fast_members(raw: bytes) -> dict[str, bytes] | None:
    try:
        found = msgspec.json.decode(raw, type=dict[str, msgspec.Raw])
    except (msgspec.DecodeError, RecursionError):
        return None
    return {key: bytes(value) for key, value in found.items()}


def _is_doubled(raw: bytes, key: str, found: dict[str, bytes]) -> bool:
    # The values are disjoint parts of `raw`, so one more occurrence of the quoted key than in all of them
    # together is the key itself, and two more are the key twice. Cheaper than reading 100 MB in Python.
    quoted = json.dumps(key).encode()
    return raw.count(quoted) > 1 + sum(value.count(quoted) for value in found.values())


def _split(raw: bytes, opening: bytes) -> list[tuple[bytes, bytes]]:
    """The members by structure alone, for texts that the fast reader refuses; raises JsonError as it must."""
    try:
        _SYNTAX.decode(raw.decode("utf-8", "replace"))
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        pass  # one member is too deep for the reader; the structure below still tells the members apart
    return list(_parts(raw, opening))


def _parts(raw: bytes, opening: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Pairs of key (empty in a list) and value, each the raw text between the commas of the outermost level."""
    depth, start, key, done = 0, 0, b"", False
    for token in _TOKEN.finditer(raw):
        mark = token[0]
        if done or mark == b'"':
            raise JsonError("not JSON: a text or a bracket that does not close")
        if mark in b"[{":
            depth += 1
            if depth == 1:
                _expect(mark == opening, raw)
                start = token.end()
        elif depth == 1 and mark == b":":
            key, start = raw[start : token.start()].strip(_SPACE), token.end()
        elif mark in b",]}":
            value = raw[start : token.start()].strip(_SPACE)
            if depth == 1 and value:
                yield key, value
                key, start = b"", token.end()
            depth -= mark != b","
            done = depth == 0
    _expect(done, raw)


def _expect(condition: bool, raw: bytes) -> None:
    if not condition:
        raise JsonError(f"{kind(raw)} where another kind of value is needed")


def _text(quoted: bytes) -> str:
    try:
        return str(json.loads(quoted))
    except ValueError:
        raise JsonError("not JSON: an object with a key that is no text") from None
