"""Messages as lines: cutting a stream of bytes, our own standard streams, and pipes."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import Awaitable, Callable

from toolglot.errors import MAX_MESSAGE_BYTES
from toolglot.mcp.wire import Problem

CHUNK = 1 << 18


class Lines:
    """Cuts chunks into lines; a line keeps every byte but its line end."""

    def __init__(self) -> None:
        self._rest = bytearray()

    def feed(self, chunk: bytes) -> list[bytes]:
        """The lines that a chunk completes. Raises Problem past the size of one message."""
        head, newline, following = chunk.rpartition(b"\n")
        if not newline:
            self._rest += chunk
            self._check()
            return []
        whole = bytes(self._rest) + head if self._rest else head
        self._rest = bytearray(following)
        return whole.split(b"\n")

    def end(self) -> list[bytes]:
        """What is left when the stream ends without a line end."""
        rest, self._rest = bytes(self._rest), bytearray()
        return [rest] if rest.strip() else []

    def _check(self) -> None:
        if len(self._rest) > MAX_MESSAGE_BYTES:
            raise Problem(f"a message is larger than {MAX_MESSAGE_BYTES:,} bytes")


class Inlet(asyncio.Protocol):
    """The reading end of a pipe. Chunks go to `take` as they come, in the callback of the event loop itself.

    A task that waits for each chunk would cost more than all that is done with it. `take` says whether whoever takes
    what it made is full: then nothing is read until `wait` returns. A Problem that it raises ends the reading.
    """

    def __init__(self, take: Callable[[bytes], bool], wait: Callable[[], Awaitable[None]]) -> None:
        self._take = take
        self._wait = wait
        self._transport: asyncio.ReadTransport | None = None
        self._waiting: asyncio.Task[None] | None = None
        self.problem: Problem | None = None
        self.ended = asyncio.Event()

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The pipe is open."""
        assert isinstance(transport, asyncio.ReadTransport)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        """A chunk came."""
        try:
            if self._take(data) and self._waiting is None and self._transport is not None:
                self._transport.pause_reading()
                self._waiting = asyncio.get_running_loop().create_task(self._resume())
        except Problem as problem:
            self.problem = problem
            self.close()

    def connection_lost(self, exc: Exception | None) -> None:
        """The pipe is closed."""
        self.ended.set()

    async def _resume(self) -> None:
        await self._wait()
        self._waiting = None
        if self._transport is not None and not self._transport.is_closing():
            self._transport.resume_reading()

    def close(self) -> None:
        """Read no more."""
        if self._waiting is not None:
            self._waiting.cancel()
        if self._transport is not None:
            self._transport.close()


class Outlet(asyncio.BaseProtocol):
    """The writing end of a pipe. `put` never waits; `full` says that the reader is slow, `flush` waits for it."""

    def __init__(self) -> None:
        self._transport: asyncio.WriteTransport | None = None
        self._clear = asyncio.Event()
        self._clear.set()
        self.full = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """The pipe is open."""
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport

    def pause_writing(self) -> None:
        """Much is waiting to be read."""
        self.full = True
        self._clear.clear()

    def resume_writing(self) -> None:
        """The reader has caught up."""
        self.full = False
        self._clear.set()

    def connection_lost(self, exc: Exception | None) -> None:
        """The reader is gone, and takes nothing: whoever reads from it sees the end."""
        self.resume_writing()
        self._transport = None

    def put(self, raw: bytes) -> None:
        """Write one line."""
        if self._transport is not None and not self._transport.is_closing():
            self._transport.write(raw + b"\n")

    async def flush(self) -> None:
        """Wait until a slow reader has caught up."""
        if self.full:
            await self._clear.wait()

    async def close(self) -> None:
        """Close the pipe once everything is written, or nobody reads."""
        if self._transport is not None:
            self._transport.close()
            for _ in range(100):
                if self._transport is None:  # pyright: ignore[reportUnnecessaryComparison]
                    return
                await asyncio.sleep(0.01)


class FileOutlet(Outlet):
    """A regular file, which no event loop can wait for."""

    def __init__(self, number: int) -> None:
        super().__init__()
        self._number = number

    def put(self, raw: bytes) -> None:
        """Write one line."""
        view = memoryview(raw + b"\n")
        while view:
            view = view[os.write(self._number, view) :]


async def read_own_input(inlet: Inlet) -> None:
    """Let an inlet take our standard input, until it ends."""
    loop = asyncio.get_running_loop()
    source = sys.stdin.buffer
    if _can_be_watched(source.fileno()):
        # A copy: the loop closes what it is given, and others may still want the stream.
        await loop.connect_read_pipe(lambda: inlet, os.fdopen(os.dup(source.fileno()), "rb", 0))
        await inlet.ended.wait()
        return
    while inlet.problem is None and (chunk := await asyncio.to_thread(os.read, source.fileno(), CHUNK)):
        inlet.data_received(chunk)


async def own_output() -> Outlet:
    """Our standard output."""
    sink = sys.stdout.buffer
    if not _can_be_watched(sink.fileno()):
        return FileOutlet(sink.fileno())
    outlet = Outlet()
    copy = os.fdopen(os.dup(sink.fileno()), "wb", 0)
    await asyncio.get_running_loop().connect_write_pipe(lambda: outlet, copy)
    return outlet


def _can_be_watched(number: int) -> bool:
    """Whether the event loop can wait for a stream: not for a regular file, and not for devices like /dev/null."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)
