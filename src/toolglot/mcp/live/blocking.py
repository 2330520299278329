"""`connect_sync`: the same connection for programs without an event loop."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from functools import partial
from typing import TYPE_CHECKING, Any

from anyio.from_thread import start_blocking_portal

from toolglot.mcp.live.connection import Connection, connect
from toolglot.mcp.live.view import CurrentView, LiveView

if TYPE_CHECKING:
    from os import PathLike
    from types import TracebackType

    from anyio.from_thread import BlockingPortal

    from toolglot.adk.adapters import SchemaAdapter
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.toolset import Strict, Toolset
    from toolglot.mcp.live.connection import Server
    from toolglot.mcp.live.view import WholeView
    from toolglot.schema.tool import Tool
    from toolglot.targets.model import Target


def connect_sync(*source: Any, **options: Any) -> BlockingConnection:
    """Connect to MCP servers, for `with`; the arguments are those of `connect`.

    A thread of its own keeps the connection. Raises SourceError for what is no source.
    """
    return BlockingConnection(connect(*source, **options))


class BlockingConnection:
    """A `Connection` whose methods block. Made by `connect_sync`; several threads may use it."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._stack = ExitStack()
        self._portal: BlockingPortal | None = None

    def __enter__(self) -> BlockingConnection:
        """Start and connect. Raises SourceError where no server can be reached."""
        with ExitStack() as stack:
            self._portal = stack.enter_context(start_blocking_portal("asyncio", name="toolglot"))
            stack.enter_context(self._portal.wrap_async_context_manager(self._connection))
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """End the connections, every process that was started, and the thread."""
        self._portal = None
        self._stack.close()

    @property
    def tools(self) -> tuple[Tool, ...]:
        """See `Connection.tools`."""
        return self._connection.tools

    @property
    def servers(self) -> tuple[Server, ...]:
        """See `Connection.servers`."""
        return self._connection.servers

    @property
    def toolset(self) -> Toolset:
        """See `Connection.toolset`."""
        return self._connection.toolset

    def view(self, target: str | PathLike[str] | Target | SchemaAdapter, strict: Strict = True) -> BlockingView:
        """The tools for a target, see `Connection.view`."""
        return BlockingView(self, self._connection.view(target, strict))

    def call(
        self, name: str, arguments: Mapping[str, Any] | None = None, *, timeout: float | None = None
    ) -> dict[str, Any]:
        """Call a tool as it is published, see `Connection.call`."""
        return self.run(partial(self._connection.call, name, arguments, timeout=timeout))

    def refresh(self) -> None:
        """Read the lists of all servers now, see `Connection.refresh`."""
        self.run(self._connection.refresh)

    def run(self, function: Any) -> Any:
        """Run a coroutine function without arguments in the connection's thread; its result.

        Raises RuntimeError where the connection is not open.
        """
        portal = self._portal  # another thread may close it
        if portal is None:
            raise RuntimeError("the connection is not open; use it with `with`")
        return portal.call(function)


class BlockingView(CurrentView):
    """The tools of a `BlockingConnection` for one target, with the way to call them."""

    def __init__(self, connection: BlockingConnection, view: LiveView) -> None:
        self._blocking = connection
        self._live = view

    @property
    def now(self) -> WholeView:
        """The view of the list that counts now, as a value that does not change."""
        return self._live.now

    def call(
        self, name: str, arguments: Any = None, *, mend: Mend = "safe", timeout: float | None = None
    ) -> dict[str, Any]:
        """Carry out a model's call, see `LiveView.call`."""
        return self._blocking.run(partial(self._live.call, name, arguments, mend=mend, timeout=timeout))
