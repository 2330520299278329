"""Event streams: cut into events as bytes, so that an event that does not change keeps every byte."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from toolglot.errors import MAX_MESSAGE_BYTES
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Callable

_END = re.compile(rb"\r\n\r\n|\n\n|\r\r")
_LINE = re.compile(rb"\r\n|\n|\r")


class Events:
    """Cuts chunks into events, each with the blank line that ends it."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """The events that a chunk completes. Raises Problem past the size of one message."""
        self._rest += chunk
        if not _END.search(chunk) and not _END.search(self._rest, max(0, len(self._rest) - len(chunk) - 3)):
            if len(self._rest) > MAX_MESSAGE_BYTES:
                raise Problem(f"an event is larger than {MAX_MESSAGE_BYTES:,} bytes")
            return []
        found: list[bytes] = []
        start = 0
        for end in _END.finditer(self._rest):
            found.append(bytes(self._rest[start : end.end()]))
            start = end.end()
        del self._rest[:start]
        return found

    def end(self) -> bytes:
        """What is left where the stream ended in the middle of an event."""
        rest, self._rest = bytes(self._rest), bytearray()
        return rest


def data_of(event: bytes) -> bytes | None:
    """The data of one event; None for an event without any."""
    parts = [line[5:].removeprefix(b" ") for line in _LINE.split(event) if line.startswith(b"data:")]
    return b"\n".join(parts) if parts else None


def field_of(event: bytes, name: bytes) -> bytes | None:
    """The last value of another field of one event, such as `id`."""
    found = [line[len(name) + 1 :].strip() for line in _LINE.split(event) if line.startswith(name + b":")]
    return found[-1] if found else None


def through(event: bytes, change: Callable[[bytes], list[bytes]]) -> bytes:
    """One event with its data given to `change`, which says what goes on instead: none, one, or several."""
    data = data_of(event)
    if data is None or not data.strip():
        return event
    made = change(data)
    if made == [data]:
        return event
    kept = [line for line in _LINE.split(event) if line and not line.startswith(b"data:")]
    if not made:
        return b"\n".join([*kept, b"data:", b"", b""]) if kept else b""
    first = b"\n".join([*kept, *_data(made[0]), b"", b""])
    return first + b"".join(event_of(one) for one in made[1:])


def event_of(data: bytes) -> bytes:
    """A message as one event."""
    return b"\n".join([b"event: message", *_data(data), b"", b""])


def _data(data: bytes) -> list[bytes]:
    return [b"data: " + line for line in _LINE.split(data)]
