"""The errors of toolglot, and reading JSON within limits.

Every error carries fields; its text is for people and no API.
"""

from __future__ import annotations

import json
import math
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NoReturn, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Json: TypeAlias = "dict[str, Json] | list[Json] | str | int | float | bool | None"

MAX_DEPTH = 200
MAX_BYTES = 10_000_000
MAX_DIGITS = 1_000
MAX_MESSAGE_BYTES = 100_000_000
"""Limit of one message of a server, a saved list or the proxy; the other limits are per tool and per call."""


class ToolglotError(Exception):
    """Base of all errors; `hint` says what to do next."""

    def __init__(self, message: str, *, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".rstrip()


class UnknownTarget(ToolglotError):
    """No target has this name; `nearest` are known names that resemble it."""

    def __init__(self, name: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(f"unknown target {name!r}.", hint=_did_you_mean(nearest, "`toolglot targets` lists them."))
        self.name = name
        self.nearest = tuple(nearest)


class ToolError(ToolglotError):
    """One tool cannot be used: no name, no schema object, not readable; `pointer` is the place in the tool."""

    def __init__(self, tool: str | None, pointer: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.tool = tool
        self.pointer = pointer


class UnknownTool(ToolglotError):
    """No tool has this name; `nearest` are published names that resemble it."""

    def __init__(self, name: str, nearest: Sequence[str] = ()) -> None:
        super().__init__(f"unknown tool {name!r}.", hint=_did_you_mean(nearest))
        self.name = name
        self.nearest = tuple(nearest)


@dataclass(frozen=True, slots=True)
class ArgumentError:
    """One wrong place in the arguments of a call, in words that a model can act on.

    `pointer` is the JSON Pointer of a place that is there ("" for the arguments as a whole; for a name that is missing,
    the object without it); `wrong` says what is wrong with the value, `expected` what belongs there ("": nothing more
    to say). Both texts may hold a shortened argument value: they are for the model, not for logs.
    """

    pointer: str
    wrong: str
    expected: str = ""

    def __str__(self) -> str:
        expected = f"; expected {self.expected}" if self.expected else ""
        return _one_line(f"{self.pointer or 'arguments'}: {self.wrong}{expected}")


MAX_ERROR_LINES = 20
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff]")


def _one_line(text: str) -> str:
    """A text without line breaks and other control characters, each written as its escape."""
    return _CONTROL.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


class ArgumentsError(ToolglotError):
    """The arguments of a call are refused; `errors` are all that is wrong, `tool` is the published name.

    The text is for the model: at most 20 lines.
    """

    def __init__(self, tool: str, errors: Iterable[ArgumentError]) -> None:
        self.errors = tuple(errors)
        lines = [f"- {error}" for error in self.errors[: MAX_ERROR_LINES - 1]]
        if len(self.errors) > len(lines):
            lines[-1] = f"- and {len(self.errors) - len(lines) + 1} more"
        super().__init__("\n".join([f"The arguments of {_one_line(tool)} are not valid:", *lines]))
        self.tool = tool


class CallError(ToolglotError):
    """A call of a live server got no result; `tool` is the published name.

    `code` is that of the server's JSON-RPC error, where it answered with one. `sent` is False where the server never
    saw the call: it may be made again.
    """

    def __init__(self, tool: str, message: str, *, hint: str = "", code: int | None = None, sent: bool = True) -> None:
        super().__init__(f"{_one_line(tool)}: {message}", hint=hint)
        self.tool = tool
        self.code = code
        self.sent = sent


class SourceError(ToolglotError):
    """A source of tools could not be read; `source` is what the user named."""

    def __init__(self, source: str, message: str, *, hint: str = "") -> None:
        super().__init__(message, hint=hint)
        self.source = source


class ConfigError(ToolglotError):
    """A configuration, baseline or target file is wrong; `path` and `where` say at what place."""

    def __init__(self, path: str, where: str, message: str, *, hint: str = "") -> None:
        super().__init__(f"{path}: {where}: {message}" if where else f"{path}: {message}", hint=hint)
        self.path = path
        self.where = where


class JsonError(ToolglotError):
    """A text is no JSON within the limits; `line` and `column` count from 1 (0 where there is no one place)."""

    def __init__(self, message: str, line: int = 0, column: int = 0) -> None:
        super().__init__(f"{message} at line {line}, column {column}" if line else message)
        self.line = line
        self.column = column


def _did_you_mean(nearest: Sequence[str], otherwise: str = "") -> str:
    return f"Did you mean {' or '.join(nearest)}?" if nearest else otherwise


def parse_json(text: str | bytes | bytearray | memoryview, *, max_bytes: int = MAX_BYTES) -> Json:
    """Parse one JSON text strictly.

    In: a text, or UTF-8 bytes. Out: the value; integers of any size up to 1,000 digits stay exact.
    Raises JsonError for what is no JSON (with line and column), for NaN and Infinity, doubled keys, depth above
    200, more than `max_bytes` bytes, and numbers that a Python number cannot hold.
    The standard reader is used because orjson turns integers above 64 bits into floats.
    """
    string = _decode(text, max_bytes)
    _check_depth(string)
    try:
        return _DECODER.decode(string)
    except json.JSONDecodeError as error:
        raise JsonError(f"not JSON: {error.msg}", error.lineno, error.colno) from None
    except RecursionError:
        raise JsonError(f"nested deeper than {MAX_DEPTH} levels") from None


def _decode(text: str | bytes | bytearray | memoryview, max_bytes: int) -> str:
    if len(text) > max_bytes:
        raise JsonError(f"larger than {max_bytes:,} bytes")
    if isinstance(text, str):
        return text.removeprefix("\ufeff")
    try:
        return bytes(text).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise JsonError(f"not UTF-8: byte {error.start} cannot be read") from None


_STRING = re.compile(r'"(?:[^"\\]|\\.)*"', re.DOTALL)
_BRACKET = re.compile(r"[\[{\]}]")
_CHUNK = 100_000
"""Brackets are counted in pieces, so that what is far too deep is refused soon."""


def _check_depth(text: str) -> None:
    if text.count("{") + text.count("[") <= MAX_DEPTH:
        return
    depth = 0
    bare = _STRING.sub("", text)
    for start in range(0, len(bare), _CHUNK):
        for bracket in _BRACKET.findall(bare, start, start + _CHUNK):
            depth += 1 if bracket in "[{" else -1
            if depth > MAX_DEPTH:
                raise JsonError(f"nested deeper than {MAX_DEPTH} levels")


def _integer(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise JsonError(f"a number of more than {MAX_DIGITS:,} digits")
    return int(digits)


def _float(digits: str) -> float:
    if len(digits) > MAX_DIGITS:
        raise JsonError(f"a number of more than {MAX_DIGITS:,} digits")
    value = float(digits)
    if math.isinf(value):
        raise JsonError(f"the number {digits[:40]} is too large")
    return value


def _constant(name: str) -> NoReturn:
    raise JsonError(f"{name} is not JSON")


def _object(pairs: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    items = list(pairs)
    value = dict(items)
    if len(value) != len(items):
        raise JsonError(f"the key {_first_doubled(items)!r} stands twice in one object")
    return value


def _first_doubled(items: Iterable[tuple[str, Json]]) -> str:
    seen: set[str] = set()
    for key, _ in items:
        if key in seen:
            return key
        seen.add(key)
    return ""


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_float, parse_constant=_constant)
