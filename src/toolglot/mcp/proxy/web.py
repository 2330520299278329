"""As much of a web server as the proxy needs, on the ASGI interface: a request, and ways to answer it."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, MutableMapping
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import anyio

from toolglot.errors import MAX_MESSAGE_BYTES

Message: TypeAlias = "MutableMapping[str, Any]"
Receive: TypeAlias = "Callable[[], Awaitable[Message]]"
Send: TypeAlias = "Callable[[Message], Awaitable[None]]"

Headers: TypeAlias = "list[tuple[str, str]]"

JSON = ("content-type", "application/json")
STREAM: Headers = [("content-type", "text/event-stream"), ("cache-control", "no-cache"), ("x-accel-buffering", "no")]


WELL_KNOWN = "/.well-known/oauth-protected-resource"

SILENT = 60.0
"""Seconds after which a client that says nothing in the middle of its request is given up."""


class TooLarge(Exception):
    """The body of a request is larger than a message may be."""


class Gone(Exception):
    """The client went away before its request was whole."""


@dataclass(slots=True)
class Request:
    """One HTTP request. `headers` has lower-case names; of a repeated one the last counts.

    `more` are headers that every answer gets, `closes` says that the connection ends with the answer.
    """

    method: str
    path: str
    query: str
    pairs: Headers = field(repr=False)
    receive: Receive = field(repr=False)
    send: Send = field(repr=False)
    scheme: str = "http"
    more: Headers = field(default_factory=list[tuple[str, str]])
    closes: bool = False
    started: bool = False

    @classmethod
    def of(cls, scope: Any, receive: Receive, send: Send) -> Request:
        """From an ASGI scope."""
        pairs = [(name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in scope["headers"]]
        query = scope["query_string"].decode("latin-1")
        return cls(scope["method"], scope["path"], query, pairs, receive, send, scope["scheme"])

    @property
    def headers(self) -> dict[str, str]:
        """The headers by name."""
        return dict(self.pairs)

    async def body(self) -> bytes:
        """The whole body. Raises TooLarge; Gone, since half a message is none."""
        found = bytearray()
        while True:
            with anyio.move_on_after(SILENT):
                message = await self.receive()
                if message["type"] == "http.disconnect":
                    raise Gone
                found += message.get("body", b"")
                if len(found) > MAX_MESSAGE_BYTES:
                    raise TooLarge
                if not message.get("more_body"):
                    return bytes(found)
                continue
            raise Gone

    async def gone(self) -> None:
        """Return once the client has gone; only after the body was read."""
        while (await self.receive())["type"] != "http.disconnect":
            pass

    async def while_there(self, work: Callable[[], Awaitable[None]], *streams: set[anyio.CancelScope] | None) -> None:
        """Do `work` until it ends or the client goes; each of `streams` holds what ends it meanwhile."""
        async with anyio.create_task_group() as group:

            async def end_when_gone() -> None:
                await self.gone()
                group.cancel_scope.cancel()

            holders = [holder for holder in streams if holder is not None]
            for holder in holders:
                holder.add(group.cancel_scope)
            group.start_soon(end_when_gone)
            try:
                with suppress(Gone):
                    await work()
            finally:
                for holder in holders:
                    holder.discard(group.cancel_scope)
            group.cancel_scope.cancel()

    async def answer(self, status: int, body: bytes = b"", headers: Iterable[tuple[str, str]] = ()) -> None:
        """One answer with a whole body."""
        await self.start(status, [*headers, ("content-length", str(len(body)))])
        await self.send({"type": "http.response.body", "body": b"" if self.method == "HEAD" else body})

    async def say(self, status: int, text: str) -> None:
        """A plain error for people."""
        await self.answer(status, json.dumps({"error": text}).encode() + b"\n", [JSON])

    async def fail(self) -> None:
        """The answer where we fail ourselves; nothing where an answer has begun."""
        if not self.started:
            await self.say(500, "the proxy itself failed")

    async def start(self, status: int, headers: Iterable[tuple[str, str]]) -> None:
        """Begin an answer; its body follows in pieces."""
        own = {name for name, _ in self.more}
        pairs = [*(pair for pair in headers if pair[0] not in own), *self.more]
        pairs += [("connection", "close")] if self.closes else []
        raw = [(name.encode("latin-1"), value.encode("latin-1", "replace")) for name, value in pairs]
        self.started = True
        await self.send({"type": "http.response.start", "status": status, "headers": raw})

    async def piece(self, data: bytes) -> None:
        """A piece of the body; waits for a slow reader."""
        if data:
            await self.send({"type": "http.response.body", "body": data, "more_body": True})

    async def finish(self) -> None:
        """The end of the body."""
        await self.send({"type": "http.response.body", "body": b""})

    async def stream(self, status: int, headers: Headers, pieces: AsyncIterator[bytes]) -> None:
        """An answer in pieces."""
        await self.start(status, headers)
        async for data in pieces:
            await self.piece(data)
        await self.finish()
