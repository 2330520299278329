"""A server as a child process, for as long as the client stays: started again, with growing pauses, when it ends."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Awaitable, Callable, Collection
from typing import TYPE_CHECKING, Protocol

import anyio

from toolglot.errors import JsonError
from toolglot.mcp import processes
from toolglot.mcp.pauses import FIRST_PAUSE, LONGEST_PAUSE, STEADY
from toolglot.mcp.proxy.conversation import LOST, NOT_SENT
from toolglot.mcp.proxy.envelope import batch_of, head_of
from toolglot.mcp.proxy.lines import Inlet, Lines, Outlet
from toolglot.mcp.wire import Problem, RpcError

if TYPE_CHECKING:
    from anyio.abc import Process

    from toolglot.mcp.kinds import Command
    from toolglot.mcp.proxy.journal import Journal

LAST_ANSWERS = 10.0
"""Seconds that a server has for the answers it owes, once its input is closed."""

MOST_FAILURES = 3
"""How often in a row a server may end before it takes anything; then what waits for it is answered."""

_MOST_KEPT = 1 << 23
"""Bytes that may wait for a server before the client is read no more."""


class Listener(Protocol):
    """Who hears what a server says: one conversation, or several that share the server."""

    def server_says(self, raw: bytes) -> None:
        """Take one message."""
        ...

    def server_lost(self, said: str = LOST, waiting: Collection[bytes] = ()) -> None:
        """The server is gone; requests with the ids `waiting` were not written to it, and wait for the next one."""
        ...

    async def shake_hands(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Open the session of the older era again, where there was one. Raises RpcError, Problem."""
        ...


def never() -> bool:
    """Nobody is slow."""
    return False


class CommandUpstream:
    """One child process after the other. What is put while none is up waits, and is sent once one is."""

    def __init__(self, command: Command, journal: Journal) -> None:
        self._command = command
        self._journal = journal
        self._process: Process | None = None
        self._outlet: Outlet | None = None
        self._kept: list[bytes] = []
        self._kept_bytes = 0
        self._up = False
        self._taken = False
        self._closing = False
        self._ended = anyio.Event()
        self.heard = False

    def put(self, raw: bytes, /) -> None:
        """Write one message, or keep it until a server is up."""
        if self._up and self._outlet is not None:
            self._outlet.put(raw)
        else:
            self._kept.append(raw)
            self._kept_bytes += len(raw)

    def wake(self) -> None:
        """Nothing to do: what was put is written already."""

    @property
    def full(self) -> bool:
        """Whether the server reads slower than is written."""
        return self._kept_bytes > _MOST_KEPT or (self._outlet is not None and self._outlet.full)

    async def flush(self) -> None:
        """Wait until a slow server has caught up, and one that is being started takes what waits."""
        while self._kept_bytes > _MOST_KEPT and not self._ended.is_set():
            await anyio.sleep(0.02)
        if self._outlet is not None:
            await self._outlet.flush()

    async def run(
        self,
        conversation: Listener,
        after: Callable[[], Awaitable[None]],
        full: Callable[[], bool] = never,
    ) -> None:
        """Run the server until `close`. While `full`, nothing is read from it before `after` has returned.

        Raises Problem where it cannot be started, or ended before it said anything at all.
        """
        pause, failures = FIRST_PAUSE, 0
        try:
            while not self._closing:
                started = time.monotonic()
                await self._run_once(conversation, after, full)
                failures = 0 if self._taken else failures + 1
                if self._closing or failures >= MOST_FAILURES:
                    self._give_up(conversation)
                await after()
                if self._closing:
                    return
                pause = FIRST_PAUSE if time.monotonic() - started > STEADY else pause
                self._journal.count("toolglot_proxy_upstream_restarts_total")
                self._journal.event("restart", pause=pause)
                await anyio.sleep(pause)
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self._ended.set()

    def _give_up(self, conversation: Listener) -> None:
        """Answer what waits for a server that does not come up, and what one that is closed still owed."""
        self._kept, self._kept_bytes = [], 0
        conversation.server_lost(NOT_SENT)

    def _lost(self, conversation: Listener) -> None:
        """From here on what is put waits; what was written is lost."""
        self._up = False
        self._outlet = None
        heads = [head_of(one) for raw in self._kept for one in batch_of(raw) or [raw]]
        conversation.server_lost(LOST, {head.key for head in heads if head is not None})

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
        with anyio.CancelScope(shield=True):
            if self._outlet is not None:
                await self._outlet.close()
        with anyio.move_on_after(LAST_ANSWERS):
            while owed() and not self._ended.is_set() and process.returncode is None:
                await anyio.sleep(0.01)
        await processes.end(process)
        with anyio.move_on_after(1):  # its last answers are taken, and what it still owes is answered
            await self._ended.wait()

    async def _run_once(
        self, conversation: Listener, after: Callable[[], Awaitable[None]], full: Callable[[], bool]
    ) -> None:
        lines = Lines()

        def take(chunk: bytes) -> bool:
            self.heard = True
            for line in lines.feed(chunk):
                conversation.server_says(line)
            return full()

        self._taken = False
        inlet, outlet = Inlet(take, after), Outlet()
        process = await self._start(inlet, outlet)
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._open, conversation, inlet, outlet, self.heard)
                group.start_soon(self._watch, process, inlet)
                await inlet.ended.wait()
                for line in lines.end():
                    conversation.server_says(line)
                if self.heard or self._closing:
                    self._lost(conversation)
                group.cancel_scope.cancel()
        finally:
            self._up = False
            self._process = self._outlet = None
            with anyio.CancelScope(shield=True):
                await outlet.close()
            await processes.end(process)
            inlet.close()
        if inlet.problem is not None:
            self._journal.tell(inlet.problem.message)
        if not self.heard and not self._closing:
            code = process.returncode
            raise Problem(f"the server ended with exit code {code} before it said anything", "Run it by hand.")

    async def _start(self, inlet: Inlet, outlet: Outlet) -> Process:
        """Start the process on two pipes of ours: those of the library would wake a task for each chunk."""
        loop = asyncio.get_running_loop()
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        try:
            process = self._process = await processes.start(self._command, pipes=(theirs_in, theirs_out))
        except BaseException:
            os.close(ours_in)
            os.close(ours_out)
            raise
        finally:
            os.close(theirs_in)
            os.close(theirs_out)
        self._outlet = outlet
        await loop.connect_write_pipe(lambda: outlet, os.fdopen(ours_out, "wb", 0))
        await loop.connect_read_pipe(lambda: inlet, os.fdopen(ours_in, "rb", 0))
        return process

    async def _open(self, conversation: Listener, inlet: Inlet, outlet: Outlet, again: bool) -> None:
        """Let messages through; a server that was started again gets the handshake first."""
        if again:

            async def send(raw: bytes) -> None:
                outlet.put(raw)
                await outlet.flush()

            try:
                await conversation.shake_hands(send)
            except (Problem, RpcError, JsonError):
                self._journal.tell("the server was started again, and does not answer the handshake")
                inlet.ended.set()
                return
        kept, self._kept, self._kept_bytes = self._kept, [], 0
        self._up = self._taken = True
        for raw in kept:
            outlet.put(raw)

    async def _watch(self, process: Process, inlet: Inlet) -> None:
        """Notice the end of a process whose output a child of its own still holds open."""
        while process.returncode is None:
            await anyio.sleep(0.2)
        await anyio.sleep(1)
        inlet.close()
        inlet.ended.set()
