"""Headers of the modern era that repeat a message: carried on to a server, and checked before a command.

A command sees no headers, so the front answers for it as the revision 2026-07-28 asks of a server over HTTP.
"""

from __future__ import annotations

from http import HTTPStatus
from typing import TYPE_CHECKING

from toolglot.mcp.mirrors import decoded
from toolglot.mcp.proxy.envelope import head_of, object_of
from toolglot.mcp.proxy.headers import VERSION, mirrored, with_mirrored

if TYPE_CHECKING:
    from toolglot.mcp.proxy.shelf import Shelf
    from toolglot.mcp.proxy.web import Headers

HEADER_MISMATCH = -32020

_STATUS = {
    **dict.fromkeys((-32700, -32600, -32602, HEADER_MISMATCH, -32021, -32022), HTTPStatus.BAD_REQUEST),
    -32601: HTTPStatus.NOT_FOUND,
}
"""The status that belongs to the code of an error in the modern era; every other answer is 200."""


def carried(headers: Headers, said: bytes, goes: bytes, shelf: Shelf, *, closed: bool = False) -> Headers:
    """The headers of a client for the message that goes on.

    One that repeats what the client `said` repeats what `goes` on instead. One that is missing or wrong stays so: the
    server judges it as if nobody stood between. `closed`: all are made from what was judged, whatever came.
    """
    if closed:
        return with_mirrored(headers, goes, shelf, closed=True)
    made = mirrored(goes, shelf)
    if made is None:
        return headers
    before = mirrored(said, shelf, shown=True) or {}
    given = dict(headers)
    fresh = {
        name: value
        for name, value in made.items()
        if name not in before or (before[name] != value and _repeats(given.get(name), before[name]))
    }
    gone = {name for name in before if name not in made and _repeats(given.get(name), before[name])}
    kept = [(name, value) for name, value in headers if name not in gone and name not in fresh]
    return [*kept, *fresh.items()]


def mismatch(headers: Headers, said: bytes, shelf: Shelf) -> str:
    """What a header says that the request does not; empty where they agree.

    A client that does not name the version in a header sends none of them: it is served all the same. Which headers a
    notification has is not laid down.
    """
    head = head_of(said)
    wanted = mirrored(said, shelf, shown=True) if head is not None and head.is_request else None
    given = dict(headers)
    if wanted is None or VERSION not in given:
        return ""
    for name, value in wanted.items():
        if name not in given:
            return f"the header {name} is missing"
        if sum(1 for other, _ in headers if other == name) > 1:
            return f"the header {name} is there more than once"
        if not _repeats(given[name], value):
            return f"the header {name} does not say what the message says"
    return ""


def _repeats(given: str | None, value: str) -> bool:
    """Whether a header says the same; text may be written in base64, or not."""
    return given is not None and decoded(given.strip(" \t")) == decoded(value)


def status_of(raw: bytes) -> int:
    """The HTTP status of an answer in the modern era."""
    head = head_of(raw)
    code = object_of(head.error).get("code", b"") if head is not None else b""
    return next((status for known, status in _STATUS.items() if code == b"%d" % known), HTTPStatus.OK)
