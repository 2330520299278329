"""One way to talk to every kind of server: a connection that lasts as long as what is done with it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglot.mcp.kinds import Command, ServerObject, Url

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from toolglot.mcp.kinds import LiveSource
    from toolglot.mcp.pages import Reading


async def talk(source: LiveSource, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Connect to a server, do `work(exchange, reading, probe=...)`, end the connection and what was started for it.

    `work` may be done again where the server turns out to want another era or transport. Raises Problem.
    """
    # Each kind has imports of its own: httpx takes longer to import than a saved list takes to check.
    if isinstance(source, Command):
        from toolglot.mcp import stdio

        await stdio.read(source, reading, work)
    elif isinstance(source, Url):
        from toolglot.mcp import http

        await http.read(source, reading, work)
    else:
        from toolglot.mcp import inprocess

        if isinstance(source, ServerObject):
            await inprocess.read_object(source.server, reading, work)
        else:
            await inprocess.read(source, reading, work)
