"""Open answers over HTTP: what is put waits for its reader, in order, and not without end."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING

import anyio

from toolglot.mcp.proxy.envelope import batch_of, head_of
from toolglot.mcp.proxy.events import event_of
from toolglot.mcp.proxy.web import JSON, STREAM, Gone

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterable

    from toolglot.mcp.proxy.web import Request

MOST_WAITING = 1 << 22
"""Bytes that may wait for one reader before the server is read no more, or the reader is given up."""

STALLED = 60.0
"""Seconds after which a reader that takes nothing, while much waits for it, is given up."""


class Reader:
    """One open answer: what is put is sent in order; `wanted` are the ids it waits for."""

    def __init__(self, wanted: set[bytes]) -> None:
        self.wanted = wanted
        self.waiting = 0
        self.scopes: set[anyio.CancelScope] = set()
        self._items: deque[bytes] = deque()
        self._more = anyio.Event()
        self._ended = False
        self._taken = time.monotonic()

    def put(self, raw: bytes) -> None:
        """One message for this reader. An answer without an id, to what could not be read, is all it gets."""
        if not self._items:
            self._taken = time.monotonic()
        self._items.append(raw)
        self.waiting += len(raw)
        head = head_of(raw)
        if head is not None and head.is_answer:
            if head.key:
                self.wanted.discard(head.key)
            else:
                self.wanted.clear()
        self.wanted -= ids_of(batch_of(raw) or ())
        self._more.set()

    async def take(self) -> bytes:
        """The next message. Raises Gone where the end came first."""
        while not self._items:
            if self._ended:
                raise Gone
            await self._more.wait()
            self._more = anyio.Event()
        raw = self._items.popleft()
        self.waiting -= len(raw)
        self._taken = time.monotonic()
        return raw

    @property
    def done(self) -> bool:
        """Whether everything that was wanted has come, and was taken."""
        return not self.wanted and not self._items

    @property
    def full(self) -> bool:
        """Whether more waits than should. One message alone may be as large as it is."""
        return self.waiting > MOST_WAITING and len(self._items) > 1

    @property
    def stalled(self) -> bool:
        """Whether much waits, and nothing was taken for long."""
        return self.full and time.monotonic() - self._taken > STALLED

    def end(self) -> None:
        """Nothing more comes."""
        self._ended = True
        self._more.set()

    def cut(self) -> None:
        """Give the reader up: its connection is closed in the middle."""
        self.end()
        for scope in self.scopes:
            scope.cancel()


async def give(
    request: Request, reader: Reader, headers: list[tuple[str, str]], status: Callable[[bytes], int] = lambda _: 200
) -> None:
    """Send what a reader gets: one JSON answer where that is all, with its `status`, else an event stream."""
    first = await reader.take()
    head = head_of(first)
    if reader.done and (batch_of(first) is not None or (head is not None and head.is_answer)):
        await request.answer(status(first), first, [JSON, *headers])
        return

    async def rest() -> AsyncGenerator[bytes, None]:
        yield event_of(first)
        while not reader.done:
            yield event_of(await reader.take())

    await request.stream(200, [*STREAM, *headers], rest())


def wanted_of(raw: bytes) -> set[bytes]:
    """The ids of the requests in a body."""
    heads = [head_of(one) for one in batch_of(raw) or [raw]]
    return {head.key for head in heads if head is not None and head.is_request}


def ids_of(raws: Iterable[bytes]) -> set[bytes]:
    """The ids that messages have."""
    return {head.key for one in raws if (head := head_of(one)) is not None and head.key}
