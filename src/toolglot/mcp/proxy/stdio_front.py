"""The proxy over standard input and output: one client, for as long as its input is open."""

from __future__ import annotations

import signal
from typing import TYPE_CHECKING, Protocol

import anyio

from toolglot.mcp import processes
from toolglot.mcp.proxy.conversation import Conversation
from toolglot.mcp.proxy.lines import Inlet, Lines, own_output, read_own_input
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from toolglot.mcp.proxy.pending import Policy

_ENDING = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]


class Upstream(Protocol):
    """Whatever leads to the server: a child process, an address, or several of them."""

    def put(self, raw: bytes, /) -> None:
        """Take one message for the server; never waits."""
        ...

    def wake(self) -> None:
        """Something was put: see that it is sent."""
        ...

    @property
    def full(self) -> bool:
        """Whether the server is slower than the client."""
        ...

    async def flush(self) -> None:
        """Wait until a slow server has caught up."""
        ...

    async def run(
        self, conversation: Conversation, after: Callable[[], Awaitable[None]], full: Callable[[], bool]
    ) -> None:
        """Hand over what the server says, until `close`. Raises Problem where there is no server."""
        ...

    async def close(self, owed: Callable[[], bool]) -> None:
        """End the server in order; `owed` says whether answers are still to come."""
        ...


def serve(upstream: Upstream, policy: Policy) -> int:
    """Serve our standard streams until the client closes them, or a signal comes.

    Out: the exit code; the server and everything it started have ended. Raises Problem where there is no server.
    """
    try:
        return anyio.run(_serve, upstream, policy)
    finally:
        processes.kill_rest()


async def _serve(upstream: Upstream, policy: Policy) -> int:
    front = _Front(upstream, policy)
    await front.open()
    with anyio.open_signal_receiver(*_ENDING) as signals:
        async with anyio.create_task_group() as group:

            async def listen() -> None:
                async for number in signals:
                    front.code = 128 + number
                    group.cancel_scope.cancel()
                    return

            group.start_soon(listen)
            try:
                await front.run()
            finally:
                group.cancel_scope.cancel()
    if front.problem is not None:
        raise front.problem
    return front.code


class _Front:
    def __init__(self, upstream: Upstream, policy: Policy) -> None:
        self._upstream = upstream
        self._policy = policy
        self.code = 0
        self.problem: Problem | None = None

    async def open(self) -> None:
        self._out = await own_output()
        self._conversation = Conversation(self._policy, self._upstream.put, self._out.put, wake=self._upstream.wake)

    async def run(self) -> None:
        try:
            async with anyio.create_task_group() as group:
                group.start_soon(self._run_upstream, group.cancel_scope)
                await self._read_client()
                with anyio.move_on_after(60):
                    await self._conversation.settled()
                await self._upstream.close(lambda: bool(self._conversation.pending))
                group.cancel_scope.cancel()
        finally:
            self._conversation.close()
            with anyio.CancelScope(shield=True):
                await self._upstream.close(lambda: False)
                await self._out.close()

    async def _run_upstream(self, scope: anyio.CancelScope) -> None:
        try:
            await self._upstream.run(self._conversation, self._out.flush, lambda: self._out.full)
        except Problem as problem:
            self.problem = problem
            self._conversation.server_lost(f"There is no server: {problem.message}")
            scope.cancel()

    async def _read_client(self) -> None:
        lines = Lines()
        says, wake = self._conversation.client_says, self._upstream.wake

        def take(chunk: bytes) -> bool:
            for line in lines.feed(chunk):
                says(line)
            wake()
            return self._upstream.full or self._out.full

        inlet = Inlet(take, self._flush)
        await read_own_input(inlet)
        for line in lines.end():
            says(line)
        wake()
        if inlet.problem is not None:
            self._policy.journal.tell(inlet.problem.message)

    async def _flush(self) -> None:
        await self._upstream.flush()
        await self._out.flush()
