"""A server as a child process, for as long as the client stays: started again, with growing pauses, when it ends."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Protocol

import anyio

from toolglot.errors import JsonError
from toolglot.mcp import processes
from toolglot.mcp.proxy.lines import Lines, Outbox
from toolglot.mcp.wire import Problem, RpcError

if TYPE_CHECKING:
    from anyio.abc import Process

    from toolglot.mcp.kinds import Command
    from toolglot.mcp.proxy.journal import Journal

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 10.0
STEADY = 30.0
"""Seconds that a server must have lived for the pauses to start from the first again."""

LAST_ANSWERS = 10.0
"""Seconds that a server has for the answers it owes, once its input is closed."""


class Listener(Protocol):
    """Who hears what a server says: one conversation, or several that share the server."""

    def server_says(self, raw: bytes) -> None:
        """Take one message."""
        ...

    def server_lost(self) -> None:
        """The server is gone."""
        ...

    async def shake_hands(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Open the session of the older era again, where there was one. Raises RpcError, Problem."""
        ...


class CommandUpstream:
    """One child process after the other. What is put while none is up waits, and is sent once one is."""

    def __init__(self, command: Command, journal: Journal) -> None:
        self._command = command
        self._journal = journal
        self._outbox = Outbox(self._send)
        self._process: Process | None = None
        self._up = False
        self._closing = False
        self._ended = anyio.Event()
        self.heard = False
        self.put = self._outbox.put

    async def flush(self) -> None:
        """Send what was put, unless no server is up: then it waits."""
        if self._up:
            await self._outbox.flush()

    async def run(self, conversation: Listener, after: Callable[[], Awaitable[None]]) -> None:
        """Run the server until `close`. `after` is awaited after each bundle of messages that it sent.

        Raises Problem where it cannot be started, or ended before it said anything at all.
        """
        pause = FIRST_PAUSE
        try:
            while not self._closing:
                started = time.monotonic()
                await self._run_once(conversation, after)
                if self._closing:
                    return
                conversation.server_lost()
                await after()
                pause = FIRST_PAUSE if time.monotonic() - started > STEADY else pause
                self._journal.count("toolglot_proxy_upstream_restarts_total")
                self._journal.event("restart", pause=pause)
                await anyio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self._ended.set()

    async def close(self, owed: Callable[[], bool]) -> None:
        """Close the server's input, wait for the answers it owes, end it with all it started."""
        with anyio.move_on_after(LAST_ANSWERS):
            while owed() and not self._up and not self._ended.is_set():
                await anyio.sleep(0.01)
            await self.flush()
        self._closing = True
        process = self._process
        if process is None:
            return
        if process.stdin is not None:
            with anyio.CancelScope(shield=True), anyio.move_on_after(1):
                await _close_quietly(process)
        with anyio.move_on_after(LAST_ANSWERS):
            while owed() and not self._ended.is_set() and process.returncode is None:
                await anyio.sleep(0.01)
        await processes.end(process)

    async def _run_once(self, conversation: Listener, after: Callable[[], Awaitable[None]]) -> None:
        process = self._process = await processes.start(self._command, own_stderr=True)
        again = self.heard
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._open, conversation, again)
                await self._read(process, conversation, after)
                group.cancel_scope.cancel()
        finally:
            self._up = False
            self._process = None
            await processes.end(process)
        if not self.heard and not self._closing:
            code = process.returncode
            raise Problem(f"the server ended with exit code {code} before it said anything", "Run it by hand.")

    async def _open(self, conversation: Listener, again: bool) -> None:
        """Let messages through; a server that was started again gets the handshake first."""
        if again:
            try:
                await conversation.shake_hands(lambda raw: self._send(raw + b"\n"))
            except (Problem, RpcError, JsonError):
                self._journal.tell("the server was started again, and does not answer the handshake")
                return
        self._up = True
        await self._outbox.flush()

    async def _read(self, process: Process, conversation: Listener, after: Callable[[], Awaitable[None]]) -> None:
        stream = process.stdout
        assert stream is not None
        lines = Lines()
        try:
            while True:
                for line in lines.feed(await stream.receive(1 << 18)):
                    self.heard = True
                    conversation.server_says(line)
                await after()
        except (anyio.EndOfStream, anyio.ClosedResourceError, anyio.BrokenResourceError, OSError):
            for line in lines.end():
                conversation.server_says(line)
        except Problem as problem:
            self._journal.tell(problem.message)
        await after()

    async def _send(self, data: bytes) -> None:
        process = self._process
        if process is None or process.stdin is None:
            return
        try:
            await process.stdin.send(data)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            return  # whoever reads from it sees the end, and answers what is open


async def _close_quietly(process: Process) -> None:
    try:
        assert process.stdin is not None
        await process.stdin.aclose()
    except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
        return
