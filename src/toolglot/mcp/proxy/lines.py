"""Messages as lines: cutting a stream of bytes, our own standard streams, and an outbox that keeps the order."""

from __future__ import annotations

import asyncio
import os
import stat
import sys
from collections.abc import AsyncGenerator, Awaitable, Callable

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


class Outbox:
    """Lines on their way out. `put` never waits; `flush` sends what was put, in order, and waits for the reader."""

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._parts: list[bytes] = []

    def put(self, raw: bytes) -> None:
        """Add one line."""
        self._parts += (raw, b"\n")

    async def flush(self) -> None:
        """Send everything; a reader that is gone takes nothing, and whoever reads from it sees the end."""
        while self._parts:
            data = b"".join(self._parts)
            self._parts.clear()
            await self._send(data)


async def own_input() -> AsyncGenerator[bytes, None]:
    """Chunks of our standard input, until it ends."""
    loop = asyncio.get_running_loop()
    source = sys.stdin.buffer
    reader = asyncio.StreamReader(limit=CHUNK)
    if not _can_be_watched(source.fileno()):
        while chunk := await asyncio.to_thread(os.read, source.fileno(), CHUNK):
            yield chunk
        return
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), source)
    try:
        while chunk := await reader.read(CHUNK):
            yield chunk
    finally:
        transport.close()


async def own_output() -> Callable[[bytes], Awaitable[None]]:
    """A function that sends bytes to our standard output and waits until the reader has taken them."""
    loop = asyncio.get_running_loop()
    sink = sys.stdout.buffer
    if not _can_be_watched(sink.fileno()):
        return _to_file(sink.fileno())
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sink)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)

    async def send(data: bytes) -> None:
        try:
            writer.write(data)
            await writer.drain()
        except (BrokenPipeError, ConnectionResetError):
            return

    return send


def _can_be_watched(number: int) -> bool:
    """Whether the event loop can wait for a stream: not for a regular file, and not for devices like /dev/null."""
    mode = os.fstat(number).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or os.isatty(number)


def _to_file(number: int) -> Callable[[bytes], Awaitable[None]]:
    async def send(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(number, view) :]

    return send
