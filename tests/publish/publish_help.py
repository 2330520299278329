"""Speaking to a server object of this process, or to a process: plain JSON-RPC, in either era."""

from __future__ import annotations

import importlib
import json
import subprocess
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
from mcp.server.stdio import stdio_server

from toolglot.mcp.inprocess import lowlevel

HERE = Path(__file__).parent
SERVERS = HERE / "servers"
if str(SERVERS) not in sys.path:
    sys.path.insert(0, str(SERVERS))
flavours: Any = importlib.import_module("flavours")
MODERN: bool = flavours.MODERN

INITIALIZE = {
    "protocolVersion": "2025-11-25",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}
META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientCapabilities": {},
    "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
}


class Talk:
    """One client of a server: `ask` sends a request and gives the whole answer."""

    def __init__(self, modern: bool) -> None:
        self.modern = modern
        self.id = 0
        self.send: Any = None
        self.heard: Any = None

    async def ask(self, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
        self.id += 1
        params = {**(params or {}), "_meta": META} if self.modern else params
        message = {"jsonrpc": "2.0", "id": self.id, "method": method, **({"params": params} if params else {})}
        await self.send(message)
        with anyio.fail_after(20):
            while (answer := await self.heard()).get("id") != self.id:
                pass
        return answer

    async def open(self) -> None:
        if not self.modern:
            await self.ask("initialize", INITIALIZE)
            await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def tools(self) -> list[dict[str, Any]]:
        """All pages of the list."""
        found: list[dict[str, Any]] = []
        params: dict[str, Any] = {}
        while True:
            result = (await self.ask("tools/list", params))["result"]
            found += result["tools"]
            if "nextCursor" not in result:
                return found
            params = {"cursor": result["nextCursor"]}

    async def call(self, name: str, arguments: Any = None) -> dict[str, Any]:
        params = {"name": name} if arguments is None else {"name": name, "arguments": arguments}
        return await self.ask("tools/call", params)


class _Out:
    def __init__(self, stream: Any) -> None:
        self.stream = stream

    async def write(self, text: str) -> None:
        await self.stream.send(json.loads(text))

    async def flush(self) -> None:
        await anyio.lowlevel.checkpoint()


@asynccontextmanager
async def talking(server: Any, *, modern: bool = False) -> AsyncGenerator[Talk]:
    """Run the server over the memory streams of its own stdio transport."""
    inner = lowlevel(server)
    talk = Talk(modern)
    to_server, from_client = anyio.create_memory_object_stream[str](16)
    to_client, from_server = anyio.create_memory_object_stream[Any](64)
    talk.send = lambda message: to_server.send(json.dumps(message) + "\n")
    talk.heard = from_server.receive
    async with AsyncExitStack() as stack:
        for stream in (to_server, from_client, to_client, from_server):
            await stack.enter_async_context(stream)
        if hasattr(server, "_lifespan_manager"):
            await stack.enter_async_context(server._lifespan_manager())
        group = await stack.enter_async_context(anyio.create_task_group())

        async def serve() -> None:
            async with stdio_server(from_client, _Out(to_client)) as streams:
                await inner.run(*streams, inner.create_initialization_options())

        group.start_soon(serve)
        await talk.open()
        yield talk
        to_server.close()


class Process(Talk):
    """A server behind a command."""

    def __init__(self, command: Sequence[str], modern: bool = False) -> None:
        super().__init__(modern)
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.send = self._send
        self.heard = self._heard

    async def _send(self, message: dict[str, Any]) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    async def _heard(self) -> dict[str, Any]:
        assert self.process.stdout
        line = await anyio.to_thread.run_sync(self.process.stdout.readline)
        assert line, self.process.stderr and self.process.stderr.read().decode()
        return json.loads(line)

    async def __aenter__(self) -> Process:
        await self.open()
        return self

    async def __aexit__(self, *_: object) -> None:
        self.process.communicate(timeout=20)


def published_command(flavour: str, target: str, *more: str) -> list[str]:
    return [sys.executable, str(SERVERS / "flavours.py"), flavour, target, *more]
