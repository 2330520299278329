"""One server, kept connected: opened again when it is lost, its list read again when that has changed."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import TYPE_CHECKING, Any

import anyio

from toolglot.errors import JsonError, SourceError
from toolglot.mcp.inprocess import made
from toolglot.mcp.kinds import InProcess, ServerObject
from toolglot.mcp.live import results
from toolglot.mcp.mirrors import encoded, mirrored_parameters
from toolglot.mcp.pages import Reading
from toolglot.mcp.pauses import FIRST_PAUSE, LONGEST_PAUSE, STEADY
from toolglot.mcp.reading import new_reading, source_error, without_secrets
from toolglot.mcp.responses import Refused
from toolglot.mcp.session import connect, modern_request, read_pages
from toolglot.mcp.text import clean
from toolglot.mcp.transports import talk
from toolglot.mcp.wire import LIST_CHANGED, NoAnswer, NotSent, Problem, Request, RpcError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.kinds import LiveSource
    from toolglot.mcp.wire import Exchange
    from toolglot.schema.tool import Listing, Tool

ASK_AGAIN = 10.0
"""Seconds, at least, between two lists that no notice of the server asked for."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Seconds: to connect and read a list, to answer a call (None: no limit), that a list counts without its server."""

    connect: float = 30.0
    call: float | None = 120.0
    keep_list: float = 300.0


@dataclass(frozen=True, slots=True)
class Line:
    """One open connection, and what was agreed on it."""

    exchange: Exchange
    reading: Reading
    modern: bool

    def request(self, method: str, params: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Request:
        """A request in the form of this connection's era."""
        version = self.reading.protocol or ""
        if not self.modern:
            return Request(method, params, version, cancels=True)
        made = modern_request(method, version, params)
        return Request(method, made.params, version, modern=True, headers=headers or {}, cancels=True)


@dataclass(slots=True)
class _Call:
    """One call; `sent`: the server may have seen it."""

    params: Mapping[str, Any]
    headers: Mapping[str, str]
    sent: bool = False

    async def over(self, line: Line) -> bytes:
        """Make the call over a connection. Raises NotSent, other Problems, RpcError."""
        self.sent = True
        try:
            return await line.exchange.ask(line.request("tools/call", self.params, self.headers))
        except NotSent:
            self.sent = False
            raise
        except JsonError as error:
            raise NoAnswer(f"the answer to the call is {error}") from None
        except Refused as error:
            raise error.problem("tools/call") from None


class Link:
    """One server. `listing` is the last list that was read; `problem` says why there is no connection."""

    def __init__(self, source: LiveSource | SourceError, prefix: str, limits: Limits, name: str) -> None:
        self.source = source
        self.name = name
        self.prefix = prefix
        self.limits = limits
        self.problem: SourceError | None = source if isinstance(source, SourceError) else None
        self._listing: Listing | None = None
        self._raws: tuple[bytes, ...] = ()
        self._down_since = time.monotonic()
        self._line: Line | None = None
        self._turn = anyio.Event()
        self._attempts = 0
        self._settled = 0
        self._wanted = anyio.Event()
        self._stale = anyio.Event()
        self._read_at = float("-inf")
        self._fresh_until = float("inf")
        self._reading = anyio.Lock()
        self._asking = anyio.Lock()
        self._opening = anyio.CancelScope()
        self._closed = isinstance(source, SourceError)

    @property
    def listing(self) -> Listing | None:
        """The list that counts now: none where the server has been down for longer than a list is kept."""
        if self._line is None and time.monotonic() - self._down_since > self.limits.keep_list:
            return None
        return self._listing

    @property
    def up(self) -> bool:
        """Whether there is a connection."""
        return self._line is not None

    async def run(self) -> None:
        """Keep connected until this is cancelled; returns at once where there is nothing to connect to."""
        if isinstance(self.source, SourceError):
            return
        pause = FIRST_PAUSE
        try:
            while True:
                began = time.monotonic()
                await self._connection(self.source)
                pause = FIRST_PAUSE if time.monotonic() - began > STEADY else pause
                await anyio.sleep(FIRST_PAUSE)
                with anyio.move_on_after(pause - FIRST_PAUSE):
                    await self._wanted.wait()
                pause = min(pause * 2, LONGEST_PAUSE)
        finally:
            self._closed = True
            self._tell()

    async def settled(self) -> None:
        """Wait until the first attempt to connect has ended, either way."""
        await self._settled_at(1)

    async def refresh(self) -> None:
        """Read the list now. Raises Problem where that fails; the old list stays."""
        line = await self._connected()
        await self._read_list(line)

    async def refresh_for_unknown(self) -> None:
        """Read the list because a call names a tool that is not on it; at most once in ten seconds, and in silence."""
        async with self._asking:  # whoever comes meanwhile waits for the same answer
            changed = self.up and self._stale.is_set()
            if not changed and time.monotonic() - self._read_at < ASK_AGAIN:
                return
            with suppress(Problem):
                await self.refresh()
            self._read_at = time.monotonic()

    async def call(self, tool: Tool, arguments: Mapping[str, Any], timeout: float | None) -> bytes:
        """Call a tool by the server's own name for it; the raw result. Raises CallError."""
        call = _Call({"name": tool.name, "arguments": arguments}, mirrors(tool, arguments))
        try:
            with anyio.fail_after(timeout):
                return await self._called(call)
        except TimeoutError:
            raise results.late(tool.name, timeout or 0, sent=call.sent) from None
        except RecursionError:
            raise results.lost(tool.name, "the arguments are nested too deep", sent=False) from None
        except RpcError as error:
            raise results.refused(tool.name, self._hidden(error.message), error.code) from None
        except Problem as problem:
            raise results.lost(tool.name, self._hidden(problem.message), sent=call.sent) from None

    def _hidden(self, text: str) -> str:
        return text if isinstance(self.source, SourceError) else without_secrets(self.source, text)

    async def _called(self, call: _Call) -> bytes:
        """What the server never saw is sent once more, over the next connection.

        A list that the server called fresh for a time that has passed is read again beside the call.
        """
        line = await self._connected()
        if time.monotonic() > self._fresh_until and not line.reading.tells_changes:
            self._stale.set()
        try:
            return await call.over(line)
        except NotSent:
            while self._line is line:
                await self._turn.wait()
            return await call.over(await self._connected())

    def error(self, problem: Problem) -> SourceError:
        """A problem with the name of this server before it, and without anything that was configured as secret."""
        return self.source if isinstance(self.source, SourceError) else source_error(self.source, problem)

    # The connection

    async def _connection(self, source: LiveSource) -> None:
        """One connection from its beginning to its end; afterwards `problem` says why it ended."""
        reading = new_reading(source)
        self._attempts += 1
        self._wanted = anyio.Event()
        try:
            with anyio.fail_after(self.limits.connect) as self._opening:
                if isinstance(source, InProcess):
                    source = ServerObject(await made(source), source.id)
                await talk(source, reading, self._serve)
            problem = Problem("the connection ended")
        except Problem as error:
            problem = error
        except TimeoutError:
            problem = self._slow(reading)
        except Exception as error:  # of a server object, or a fault of ours: the caller's own work must not end by it
            problem = Problem(f"the connection failed: {type(error).__name__}: {clean(str(error), 200)}")
        self._line = None
        self.problem = self.error(problem)
        self._tell()

    async def _serve(self, exchange: Exchange, reading: Reading, *, probe: bool) -> None:
        """What is done with a connection: read the list, then keep it until it is lost."""
        exchange.on_notice = self._notice
        self._opening.deadline = math.inf  # what follows has limits of its own
        try:
            line = await self._opened(exchange, reading, probe)
            self._line, self.problem = line, None
            reading.waiting = ""
            self._tell()
            async with anyio.create_task_group() as group:
                group.start_soon(self._listen, line)
                group.start_soon(self._keep_fresh, line)
                await exchange.lost.wait()
                group.cancel_scope.cancel()
        finally:
            if self._line is not None:
                self._line, self._down_since = None, time.monotonic()
            exchange.close(Problem("the connection was closed"))
            self._opening.deadline = anyio.current_time() + self.limits.connect
        raise exchange.problem

    async def _opened(self, exchange: Exchange, reading: Reading, probe: bool) -> Line:
        try:
            with anyio.fail_after(self.limits.connect):
                modern = await connect(exchange, reading, probe=probe)
        except TimeoutError:
            raise self._slow(reading) from None
        line = Line(exchange, reading, modern)
        reading.waiting = "tools/list"
        await self._read_list(line)
        return line

    def _slow(self, reading: Reading) -> Problem:
        what = f"no answer to `{reading.waiting}`" if reading.waiting else "the connection did not end"
        text = f"{what} within {self.limits.connect:g} seconds"
        return Problem(text, "timeout=SECONDS waits longer.")

    async def _connected(self) -> Line:
        """The open connection; where there is none, that of the attempt under way, or of the next one.

        Raises NotSent where that fails.
        """
        if self._line is None:
            self._wanted.set()
            await self._settled_at(self._attempts + (self._settled == self._attempts))
        if self._line is None:
            raise NotSent("the connection was closed" if self.problem is None else self.problem.message)
        return self._line

    async def _settled_at(self, attempt: int) -> None:
        """Wait until an attempt has led to a connection, or failed."""
        while self._settled < attempt and not self._closed:
            await self._turn.wait()

    def _tell(self) -> None:
        self._settled = self._attempts
        turn, self._turn = self._turn, anyio.Event()
        turn.set()

    # The list

    def _notice(self, method: str) -> None:
        if method in (LIST_CHANGED, _LISTENING):
            self._stale.set()

    async def _keep_fresh(self, line: Line) -> None:
        """Read the list again whenever the server says that it has changed; one that says it all the time waits."""
        pause = FIRST_PAUSE
        while True:
            await self._stale.wait()
            with suppress(Problem):  # the old list stays, and the next notice is another chance
                await self._read_list(line)
            await anyio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE) if self._stale.is_set() else FIRST_PAUSE

    async def _read_list(self, line: Line) -> None:
        async with self._reading:
            if self._stale.is_set():  # never another one while `_keep_fresh` waits for this
                self._stale = anyio.Event()
            self._read_at = time.monotonic()
            pages = Reading(line.reading.transport, server=line.reading.server, version=line.reading.version)
            pages.protocol = line.reading.protocol
            pages.waiting = line.reading.waiting
            try:
                with anyio.fail_after(self.limits.connect):
                    await read_pages(line.exchange, pages, line.modern)
            except TimeoutError:
                raise self._slow(pages) from None
            finally:
                self._read_at = time.monotonic()
            self._fresh_until = time.monotonic() + max(pages.fresh, ASK_AGAIN)
            if self._listing is None or pages.raws != list(self._raws):
                self._raws = tuple(pages.raws)
                self._listing = pages.pages(self.name).listing()

    async def _listen(self, line: Line) -> None:
        """Hear of changes where the server tells them on a stream of its own."""
        if not line.modern:
            await line.exchange.listen()
        elif line.reading.tells_changes:
            await self._subscribe(line)

    async def _subscribe(self, line: Line) -> None:
        pause = FIRST_PAUSE
        while True:
            try:
                await line.exchange.ask(line.request("subscriptions/listen", _CHANGES))
            except (RpcError, NotSent) as error:
                if not isinstance(error, Refused) or error.status < HTTPStatus.INTERNAL_SERVER_ERROR:
                    return
            except Problem:
                pass
            await anyio.sleep(pause)
            pause = min(pause * 2, LONGEST_PAUSE)
            self._stale.set()  # what was said in between is not repeated


_LISTENING = "notifications/subscriptions/acknowledged"
"""From now on changes are told; what changed since the list was read was not."""

_CHANGES: Mapping[str, Any] = {"notifications": {"toolsListChanged": True}}


def mirrors(tool: Tool, arguments: Mapping[str, Any]) -> dict[str, str]:
    """The headers that repeat a call over HTTP in the modern era."""
    return {"mcp-name": encoded(tool.name), **dict(mirrored_parameters(tool.schema, arguments))}
