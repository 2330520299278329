"""Questions of our own on the line between client and server: a page of the list, a handshake once more."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING
from uuid import uuid4

import msgspec

from toolglot.mcp.proxy.envelope import dump, join, with_parts
from toolglot.mcp.wire import Problem, rpc_error

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection, Mapping

    from toolglot.mcp.proxy.envelope import Head

ASK_SECONDS = 30.0


class OwnQuestions:
    """Puts questions of our own beside those of the client, and keeps their answers from it."""

    def __init__(self, to_server: Callable[[bytes], None], wake: Callable[[], None]) -> None:
        self._to_server = to_server
        self._wake = wake
        self._open: dict[bytes, asyncio.Future[bytes]] = {}
        self._stem = f"toolglot-{uuid4().hex[:12]}"
        self._start = f'"{self._stem}'.encode()
        self.handshake: list[bytes] = []

    def remember(self, raw: bytes, *, first: bool) -> None:
        """Keep what opens the session of the older era; a server that is started again gets it again."""
        self.handshake = [raw] if first else [*self.handshake[:1], raw]

    async def ask(self, params: Mapping[str, bytes]) -> bytes:
        """Ask the server for a page of `tools/list`. Raises RpcError, Problem."""
        key = self._new()
        raw = b'{"jsonrpc":"2.0","id":' + key + b',"method":"tools/list"'
        self._to_server(raw + (b',"params":' + join(params) if params else b"") + b"}")
        self._wake()
        return await self._answer(key, "tools/list")

    async def shake_hands(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Open the session of the older era again, on a server that was started again. Raises RpcError, Problem."""
        if not self.handshake:
            return
        key = self._new()
        await send(with_parts(self.handshake[0], id=key))
        await self._answer(key, "initialize")
        for raw in self.handshake[1:]:
            await send(raw)

    def take(self, key: bytes, head: Head) -> bool:
        """Whether a message answers a question of ours; then it is taken."""
        future = self._open.get(key)
        if future is None:
            return key.startswith(self._start)  # it comes too late: nobody else has asked
        if future.done():
            return True
        if head.error is not msgspec.UNSET and bytes(head.error) != b"null":
            future.set_exception(rpc_error(bytes(head.error)))
        else:
            future.set_result(b"null" if head.result is msgspec.UNSET else bytes(head.result))
        return True

    def lost(self, why: Problem, waiting: Collection[bytes] = ()) -> None:
        """Nothing is answered any more, but for the questions that were not written yet (`waiting`)."""
        for key, future in self._open.items():
            if not future.done() and key not in waiting:
                future.set_exception(why)
                future.exception()  # it may be that nobody waits

    def _new(self) -> bytes:
        key = dump(f"{self._stem}-{uuid4().hex[:8]}")
        self._open[key] = asyncio.get_running_loop().create_future()
        return key

    async def _answer(self, key: bytes, method: str) -> bytes:
        try:
            return await asyncio.wait_for(self._open[key], ASK_SECONDS)
        except TimeoutError:
            raise Problem(f"no answer to `{method}`") from None
        finally:
            self._open.pop(key, None)
