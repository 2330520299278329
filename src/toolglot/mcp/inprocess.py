"""A server object of this process, asked over the memory streams of its own SDK.

The official SDK's stdio transport takes any pair of text files, in 1.x (pypi mcp==1.30.0: mcp/server/stdio.py) as in
2.x (pypi mcp==2.3.0: same path). Given lines in memory it writes exactly what it would write to a pipe, so the same
reader reads it, and nothing depends on how a version of the SDK serialises its models.
"""

from __future__ import annotations

import importlib
import inspect
import json
import logging
import sys
import traceback
from contextlib import asynccontextmanager, contextmanager, redirect_stdout
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import anyio
from anyio.lowlevel import checkpoint

from toolglot.mcp.handlers import handlers_of
from toolglot.mcp.peer import Peer
from toolglot.mcp.text import clean
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Generator

    from anyio.abc import TaskGroup
    from anyio.streams.memory import MemoryObjectReceiveStream

    from toolglot.mcp.kinds import InProcess
    from toolglot.mcp.pages import Reading

_LOWLEVEL = ("_lowlevel_server", "_mcp_server")
"""Where MCPServer of SDK 2.x, and FastMCP of SDK 1.x and of fastmcp, keep the server that speaks the protocol."""

_END_SECONDS = 2.0


async def read(source: InProcess, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Import the object, run its server in this process, do `work(peer, reading, probe=...)`.

    Raises Problem where the object cannot be found, made or run. What the server prints goes to stderr.
    """
    with redirect_stdout(sys.stderr), _quiet():
        await read_object(await _made(source, _load(source)), reading, work)


async def read_object(server: Any, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Run a server object in this process, do `work(peer, reading, probe=...)`.

    Raises Problem where it is no server, or fails.
    """
    if not is_server(server):
        kind: Any = cast("Any", type(server))
        raise Problem(
            f"it is an object of {kind.__module__}.{kind.__qualname__}, not an MCP server",
            "Name a server of the official SDK or of fastmcp, or a function without arguments that makes one.",
        )
    reading.handlers = await handlers_of(server)
    try:
        await (_talk if lowlevel(server) is None else _run)(server, reading, work)
    except Exception as error:
        if isinstance(error, Problem):
            raise
        raise Problem(f"the server failed: {_reason(error)}") from None


async def made(source: InProcess) -> Any:
    """Import the object; call it where it is a factory. Raises Problem."""
    return await _made(source, _load(source))


@contextmanager
def _quiet() -> Generator[None]:
    """Without the lines that the SDK logs about every request, where the server has logging switched on."""
    logger = logging.getLogger("mcp")
    level = logger.level
    logger.setLevel(max(logger.getEffectiveLevel(), logging.WARNING))
    try:
        yield
    finally:
        logger.setLevel(level)


def _load(source: InProcess) -> Any:
    """The named object. The working directory is searched first, as `python -m` does."""
    here = str(Path.cwd())
    if here not in sys.path and "" not in sys.path:
        sys.path.insert(0, here)
    try:
        found: Any = importlib.import_module(source.module)
    except ModuleNotFoundError as error:
        if error.name and f"{source.module}.".startswith(f"{error.name}."):
            hint = "Is the working directory right, and is the package installed here?"
            raise Problem(f"there is no module `{error.name}`", hint) from None
        raise _broken(source, "cannot be imported", error) from None
    except (Exception, SystemExit) as error:
        raise _broken(source, "cannot be imported", error) from None
    for name in source.attribute.split("."):
        if not hasattr(found, name):
            raise _no_attribute(source.module, found, name)
        found = getattr(found, name)
    return found


def _no_attribute(module: str, holder: Any, name: str) -> Problem:
    attributes: dict[str, Any] = dict(getattr(holder, "__dict__", {}))
    public = ((key, value) for key, value in attributes.items() if not key.startswith("_"))
    servers = [f"{module}:{key}" for key, value in public if is_server(value)]
    hint = f"It has a server at {' and at '.join(servers[:3])}." if servers else ""
    return Problem(f"`{module}` has no attribute `{name}`", hint or "Name the variable that holds the server.")


async def _made(source: InProcess, found: Any) -> Any:
    """The server itself: what a factory makes, where the object is a factory."""
    if is_server(found) or not callable(found):
        return found
    try:
        made = found()
        return await made if inspect.isawaitable(made) else made
    except (Exception, SystemExit) as error:
        raise _broken(source, "was called without arguments and failed", error, source.attribute) from None


def is_server(found: Any) -> bool:
    """Whether an object is a server that can be run here."""
    handles = callable(getattr(found, "handle", None)) and not isinstance(found, type)
    return handles or lowlevel(found) is not None


def lowlevel(server: Any) -> Any:
    """The server of an SDK that speaks the protocol behind a server object; None for everything else."""
    for name in _LOWLEVEL:
        inner = getattr(server, name, None)
        if inner is not None and _is_lowlevel(inner):
            return inner
    return server if _is_lowlevel(server) else None


def _is_lowlevel(server: Any) -> bool:
    if isinstance(server, type):
        return False
    return callable(getattr(server, "run", None)) and callable(getattr(server, "create_initialization_options", None))


class _Lines:
    """The standard input of a server in memory: lines from a stream."""

    def __init__(self, stream: MemoryObjectReceiveStream[str]) -> None:
        self._stream = stream

    def __aiter__(self) -> AsyncIterator[str]:
        return self._stream.__aiter__()


class _Out:
    """The standard output of a server in memory: every line goes to the peer."""

    def __init__(self, peer: Peer) -> None:
        self._peer = peer

    async def write(self, text: str) -> None:
        await self._peer.deliver(text.encode("utf-8", "surrogatepass"))

    async def flush(self) -> None:
        await checkpoint()


async def _talk(server: Any, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Ask an object with `handle(message)`, which answers one decoded message, or None to a notification."""

    async def send(raw: bytes) -> None:
        try:
            answer = server.handle(json.loads(raw))
            answer = await answer if inspect.isawaitable(answer) else answer
            line = json.dumps(answer).encode()
        except Exception as error:  # the server's own fault, which must not reach whoever makes a call
            peer.close(Problem(f"the server failed: {_reason(error)}"))
            return
        if answer is not None:
            await peer.deliver(line)

    peer = Peer(send)
    await work(peer, reading, probe=True)


async def _run(server: Any, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Ask a server of an SDK, over the streams of its own stdio transport."""
    to_server, from_us = anyio.create_memory_object_stream[str](16)
    peer = Peer(lambda raw: to_server.send(raw.decode() + "\n"))
    problem: Problem | None = None
    async with to_server, from_us, _lifespan(server), anyio.create_task_group() as group:
        ended = _serve(group, lowlevel(server), _Lines(from_us), peer)
        try:
            await work(peer, reading, probe=_is_modern_sdk())
        except Problem as error:
            problem = error  # raised outside of the group, which would wrap it
        to_server.close()
        with anyio.move_on_after(_END_SECONDS):
            await ended.wait()
        group.cancel_scope.cancel()
    if problem is not None:
        raise problem


def _serve(group: TaskGroup, lowlevel: Any, lines: _Lines, peer: Peer) -> anyio.Event:
    ended = anyio.Event()

    async def serve() -> None:
        stdio: Any = importlib.import_module("mcp.server.stdio")
        try:
            async with stdio.stdio_server(lines, _Out(peer)) as streams:
                try:
                    await lowlevel.run(*streams, lowlevel.create_initialization_options())
                finally:
                    await _close(streams)  # a server whose lifespan fails leaves them open
            peer.close(Problem("the server ended before it answered"))
        except Exception as error:
            peer.close(Problem(f"the server failed: {_reason(error)}"))
        finally:
            ended.set()

    group.start_soon(serve)
    return ended


async def _close(streams: tuple[Any, Any]) -> None:
    with anyio.CancelScope(shield=True):
        for stream in streams:
            await stream.aclose()


@asynccontextmanager
async def _lifespan(server: Any) -> AsyncGenerator[None, None]:
    """The lifespan that fastmcp enters outside of the server's own run; others have none out here."""
    manager = getattr(server, "_lifespan_manager", None)
    if manager is None:
        yield
        return
    async with manager():
        yield


def _is_modern_sdk() -> bool:
    """Whether the installed SDK is 2.x; 1.x logs a warning for a question of the modern era."""
    return find_spec("mcp_types") is not None


def _broken(source: InProcess, what: str, error: BaseException, name: str = "") -> Problem:
    hint = ""
    if "Already running asyncio" in str(error) or "asyncio.run() cannot be called" in str(error):
        hint = 'The module runs a server when it is imported; put that under `if __name__ == "__main__":`.'
    return Problem(f"`{name or source.module}` {what}: {_reason(error)}", hint)


def _reason(error: BaseException) -> str:
    """The error in a line, with the place where it was raised (the file's name, not its path)."""
    inner: BaseException = error
    while isinstance(inner, BaseExceptionGroup):
        inner = cast("BaseException", inner.exceptions[0])
    frames = traceback.extract_tb(inner.__traceback__)
    theirs = frames and frames[-1].filename != __file__
    where = f" ({Path(frames[-1].filename).name}, line {frames[-1].lineno})" if theirs else ""
    return clean(f"{type(inner).__name__}: {inner}", 400) + where
