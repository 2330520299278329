"""A server as a child process: one JSON message a line, over its standard input and output."""

from __future__ import annotations

import re
from collections import deque
from typing import TYPE_CHECKING

import anyio

from toolglot.errors import MAX_MESSAGE_BYTES
from toolglot.mcp import processes
from toolglot.mcp.peer import Peer
from toolglot.mcp.text import tail
from toolglot.mcp.wire import NotSent, Problem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from anyio.abc import ByteReceiveStream, Process

    from toolglot.mcp.kinds import Command
    from toolglot.mcp.pages import Reading

EXIT_SECONDS = 1.0
"""How long a server whose output has closed may take to end, so that its exit code can be told."""

_STDERR_CHUNKS = 64
_WEB = re.compile(r"https?://(?:localhost|127\.0\.0\.1|0\.0\.0\.0)|\bport \d", re.IGNORECASE)
_NO_RETRY = (126, 127)
"""Exit codes of a shell that cannot run a command."""


class Ended(Problem):
    """The server ended; `code` is its exit code, None where only its output closed."""

    def __init__(self, message: str, hint: str, code: int | None, answered: bool) -> None:
        super().__init__(message, hint)
        self.code = code
        self.answered = answered


async def read(command: Command, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Start the command, do `work(peer, reading, probe=...)`, end the process tree.

    A server that ends at the first question of the modern era, as some of the older one do, is started once more
    and asked in the older one. Raises Problem: not found, ended (with exit code and the end of its stderr), ...
    """
    try:
        await _Child(command, reading).run(work, probe=True)
    except Ended as problem:
        if problem.answered or problem.code is None or problem.code in _NO_RETRY:
            raise
        await _Child(command, reading).run(work, probe=False)


class _Child:
    """One run of a command."""

    def __init__(self, command: Command, reading: Reading) -> None:
        self._command = command
        self._reading = reading
        self._stderr: deque[bytes] = deque(maxlen=_STDERR_CHUNKS)
        self._stderr_closed = anyio.Event()

    async def run(self, work: Callable[..., Awaitable[None]], *, probe: bool) -> None:
        process = await processes.start(self._command)
        stdin = process.stdin
        assert stdin is not None
        peer = Peer(lambda raw: stdin.send(raw + b"\n"))
        problem: Problem | None = None
        async with anyio.create_task_group() as group:
            group.start_soon(self._keep_stderr, process)
            group.start_soon(self._read_stdout, process, peer)
            group.start_soon(self._watch, process, peer)
            try:
                await work(peer, self._reading, probe=probe)
            except Problem as error:
                # Raised outside of the group, which would wrap it.
                problem = peer.problem if isinstance(error, NotSent) else error
            finally:
                self._reading.note = self._note(peer)
                await processes.end(process)
            group.cancel_scope.cancel()
        if problem is not None:
            raise problem

    async def _keep_stderr(self, process: Process) -> None:
        assert process.stderr is not None
        async for chunk in _chunks(process.stderr):
            self._stderr.append(chunk)
        self._stderr_closed.set()

    async def _read_stdout(self, process: Process, peer: Peer) -> None:
        assert process.stdout is not None
        async for line in _lines(process.stdout, peer):
            await peer.deliver(line)
        with anyio.move_on_after(EXIT_SECONDS):
            while process.returncode is None:
                await anyio.sleep(0.01)
        await self._close(process, peer)

    async def _watch(self, process: Process, peer: Peer) -> None:
        """Notice the end of a process whose output a child of its own still holds open."""
        while process.returncode is None:
            await anyio.sleep(0.05)
        await anyio.sleep(EXIT_SECONDS)
        await self._close(process, peer)

    async def _close(self, process: Process, peer: Peer) -> None:
        with anyio.move_on_after(0.3):
            await self._stderr_closed.wait()
        before = f" before it answered `{self._reading.waiting}`" if self._reading.waiting else ""
        message = f"the server {_how(process.returncode)}{before}"
        hint = self._note(peer) or "Run the command by hand to see why."
        peer.close(Ended(message, hint, process.returncode, peer.answered))

    def _note(self, peer: Peer) -> str:
        said = tail(b"".join(self._stderr))
        web = _WEB.search(said) and not peer.answered
        hint = "It may serve over HTTP: then name its address as the source." if web else ""
        return "\n".join(filter(None, [hint, peer.noise_note(), said and f"The end of its stderr:\n{said}"]))


def _how(code: int | None) -> str:
    if code is None:
        return "closed its output"
    return f"was ended by signal {-code}" if code < 0 else f"ended with exit code {code}"


async def _chunks(stream: ByteReceiveStream):
    try:
        async for chunk in stream:
            yield chunk
    except (anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
        return


async def _lines(stream: ByteReceiveStream, peer: Peer):
    rest = bytearray()
    async for chunk in _chunks(stream):
        if len(rest) + len(chunk) > MAX_MESSAGE_BYTES:
            peer.close(Problem(f"a message of the server is larger than {MAX_MESSAGE_BYTES:,} bytes"))
            return
        head, newline, following = chunk.rpartition(b"\n")
        if newline:
            for line in (bytes(rest) + head).split(b"\n"):
                if line.strip():
                    yield line
            rest = bytearray(following)
        else:
            rest += chunk
    if rest.strip():
        yield bytes(rest)
