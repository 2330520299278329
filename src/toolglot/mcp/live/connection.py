"""`connect`: servers that stay connected for as long as a block runs, with the lists of all of them as one."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from threading import Lock
from typing import TYPE_CHECKING, Any

import anyio

from toolglot.adk.adapters import SchemaAdapter
from toolglot.adk.cache import SchemaCache
from toolglot.adk.lossless import LosslessSchemaAdapter
from toolglot.errors import SourceError, ToolglotError, UnknownTool
from toolglot.fitting.toolset import Toolset
from toolglot.mcp.live import results
from toolglot.mcp.live.adapted import adapt
from toolglot.mcp.live.given import Choices, read_given
from toolglot.mcp.live.link import Limits, Link
from toolglot.mcp.live.view import LiveView
from toolglot.mcp.prefixes import prefixed
from toolglot.mcp.wire import Problem
from toolglot.schema.tool import BadTool, Listing, Tool
from toolglot.targets.load import SHIPPED

if TYPE_CHECKING:
    from os import PathLike
    from pathlib import Path
    from types import TracebackType

    from toolglot.fitting.toolset import Strict
    from toolglot.mcp.kinds import HttpTransport
    from toolglot.mcp.live.given import Given
    from toolglot.targets.load import Catalogue
    from toolglot.targets.model import Target


@dataclass(frozen=True, slots=True)
class Server:
    """One server of a connection: its name, the prefix of its tools' names, whether it is up, and if not, why."""

    name: str
    prefix: str
    up: bool
    problem: SourceError | None


def connect(
    *source: Any,
    server: str | None = None,
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
    headers: Mapping[str, str] | None = None,
    transport: HttpTransport = "auto",
    timeout: float = 30,
    call_timeout: float | None = 120,
    keep_list: float = 300,
    catalogue: Catalogue = SHIPPED,
) -> Connection:
    """Connect to MCP servers, for `async with`.

    In: the words of a command; or one address, configuration (a path, or a mapping with `mcpServers`),
    `module:object`, or server object of the official SDK or of fastmcp. `server` chooses one server of a configuration;
    without it all that are switched on are connected, and their tools' names get the prefix of their server. `env` and
    `cwd` are for a command, `headers` and `transport` for an address. Seconds: `timeout` to connect and to read a list,
    `call_timeout` for the answer to a call (None: no limit), `keep_list` that the tools of a server which is down stay.
    Out: the connection; entering it raises SourceError where no server can be reached. Raises SourceError for what is
    no source.
    """
    choices = Choices(server, env, cwd, headers, transport)
    return Connection(read_given(source, choices), Limits(timeout, call_timeout, keep_list), catalogue)


@dataclass(frozen=True, slots=True)
class _Joined:
    """The lists of all servers as one; `owners`: whose a tool is, and how that server calls it."""

    lists: tuple[Listing | None, ...]
    toolset: Toolset
    owners: Mapping[str, tuple[Link, Tool]]


class Connection:
    """Connected servers: their tools, views of them for a target, and calls. Made by `connect`.

    Servers are kept connected: one that is lost is connected again, with a pause that grows from 0.1 to 10 seconds, or
    at once when it is called. Leaving the block ends every process that was started.
    """

    def __init__(self, given: Given, limits: Limits, catalogue: Catalogue) -> None:
        self._given = given
        self._limits = limits
        self._catalogue = catalogue
        self._links: tuple[Link, ...] = ()
        self._task: asyncio.Task[None] | None = None
        self._joined = _Joined((), Toolset(()), {})
        self._joining = Lock()

    async def __aenter__(self) -> Connection:
        """Start and connect. Raises SourceError where no server can be reached."""
        if self._task is not None:
            raise ToolglotError("the connection is open already.", hint="Make another one with `connect`.")
        self._links = tuple(Link(source, prefix, self._limits, name) for name, prefix, source in self._given.servers)
        # A task of its own: whoever opens the connection need not be the one who closes it.
        self._task = asyncio.create_task(self._run(), name=f"toolglot: {self._given.id}")
        try:
            for link in self._links:
                await link.settled()
            self._check()
        except BaseException:
            await self.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """As `close`."""
        await self.close()

    async def _run(self) -> None:
        async with anyio.create_task_group() as group:
            for link in self._links:
                group.start_soon(link.run)

    async def close(self) -> None:
        """End the connections and every process that was started, within seconds, also where this is cancelled."""
        task, self._task = self._task, None
        if task is None:
            return
        task.cancel()
        cancelled: asyncio.CancelledError | None = None
        with anyio.CancelScope(shield=True):  # else a cancelled scope of anyio cancels each turn of the loop
            while not task.done():
                try:
                    await asyncio.wait({task})
                except asyncio.CancelledError as error:
                    cancelled = error
        if cancelled is not None:
            raise cancelled

    def _check(self) -> None:
        if any(link.up for link in self._links):
            return
        problems = [link.problem for link in self._links if link.problem is not None]
        if len(problems) == 1:
            raise problems[0]
        said = "\n".join(str(problem) for problem in problems)
        raise SourceError(self._given.id, f"{self._given.id}: none of its servers can be reached.", hint=said)

    # What there is

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The tools as the servers published them, in the order of the configuration."""
        return tuple(tool for link in self._links if (now := link.listing) for tool in now.tools)

    @property
    def servers(self) -> tuple[Server, ...]:
        """Every server, with its state."""
        return tuple(Server(link.name, link.prefix, link.up, link.problem) for link in self._links)

    @property
    def toolset(self) -> Toolset:
        """The tools of all servers as one list, names with their server's prefix; the same while no list changes."""
        return self._current().toolset

    def _current(self) -> _Joined:
        with self._joining:  # threads of `connect_sync` ask too
            lists, known = tuple(link.listing for link in self._links), self._joined.lists
            if len(lists) != len(known) or any(a is not b for a, b in zip(lists, known, strict=True)):
                self._joined = self._join(lists)
            return self._joined

    def _join(self, lists: tuple[Listing | None, ...]) -> _Joined:
        entries: list[Tool | BadTool] = []
        owners: dict[str, tuple[Link, Tool]] = {}
        for link, listing in zip(self._links, lists, strict=True):
            for entry in listing.entries if listing else ():
                found = _placed(entry, link.prefix, len(entries))
                entries.append(found)
                if isinstance(found, Tool) and isinstance(entry, Tool):
                    owners.setdefault(found.name, (link, entry))
        listing = Listing(self._given.id, tuple(entries))
        return _Joined(lists, Toolset(listing, catalogue=self._catalogue), owners)

    def view(self, target: str | PathLike[str] | Target | SchemaAdapter, strict: Strict = True) -> LiveView:
        """The tools for a target, now and whenever the list changes.

        In: an id, a short name, a combination `client+api`, a Target, the path of a TOML file, or a SchemaAdapter of
        `toolglot.adk` or of your own; `strict` as in `Toolset.normalize`. Raises UnknownTarget, ConfigError;
        ToolglotError where the connection was never opened.
        """
        if not self._links:
            raise ToolglotError("the connection is not open.", hint="Use it with `async with`.")
        if isinstance(target, LosslessSchemaAdapter):
            target = target.target
        if isinstance(target, SchemaAdapter):
            cache = SchemaCache(target)
            return LiveView(self, lambda toolset: adapt(toolset, cache))
        wanted = target
        return LiveView(self, lambda toolset: toolset.normalize(wanted, strict))

    # What can be done

    async def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a tool as it is published: nothing is restored, mended or checked.

        In: the published name (with the prefix of its server where there are several), the arguments in the server's
        shape, `timeout` in seconds instead of `call_timeout`. Out: the result of `tools/call`, as the server sent it.
        Raises UnknownTool; CallError where the server refuses the call, dies, or does not answer in time.
        """
        owner = self._current().owners.get(name)
        if owner is None:
            await self.refresh_for_unknown()
            owner = self._current().owners.get(name)
        if owner is None:
            raise UnknownTool(name, get_close_matches(name[:200], self._current().owners, 3))
        link, tool = owner
        limit = self._limits.call if timeout is None else timeout
        return results.read_result(name, await link.call(tool, arguments or {}, limit))

    async def refresh(self) -> None:
        """Read the lists of all servers now. Raises SourceError where one server cannot be asked, after the others."""
        problems: list[SourceError] = []

        async def one(link: Link) -> None:
            try:
                await link.refresh()
            except Problem as problem:
                problems.append(link.error(problem))

        async with anyio.create_task_group() as group:
            for link in self._links:
                group.start_soon(one, link)
        if problems:
            raise problems[0]

    async def refresh_for_unknown(self) -> None:
        """Read the lists because a call names a tool that is not there: each at most once in ten seconds."""
        async with anyio.create_task_group() as group:
            for link in self._links:
                group.start_soon(link.refresh_for_unknown)


def _placed(entry: Tool | BadTool, prefix: str, index: int) -> Tool | BadTool:
    if isinstance(entry, Tool):
        return prefixed(entry, prefix, index)
    name = entry.name and prefix + entry.name
    return BadTool(index, name, entry.pointer, entry.problem, entry.hint)
