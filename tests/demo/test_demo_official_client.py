"""The official client reads the demo server in both eras and sees the same tools."""

from __future__ import annotations

import sys

import anyio
import pytest

from toolglot.demo.incident import WRONG, upsert
from toolglot.demo.tools import TOOLS

mcp = pytest.importorskip("mcp", reason="the official SDK is not installed")


async def _read(mode):
    from mcp import StdioServerParameters
    from mcp.client import Client

    parameters = StdioServerParameters(command=sys.executable, args=["-m", "toolglot.demo"])
    async with Client(parameters, mode=mode) as client:
        tools, cursor = [], None
        while True:
            page = await client.list_tools(cursor=cursor)
            tools += page.tools
            cursor = page.next_cursor
            if cursor is None:
                break
        updated = await client.call_tool("entries_upsert", upsert(WRONG))
        page = await client.call_tool("page_render", {"page_id": "home"})
        return client.protocol_version, client.server_info, tools, updated, page


@pytest.mark.parametrize(
    ("mode", "version"),
    [("auto", "2026-07-28"), ("2026-07-28", "2026-07-28"), ("legacy", "2025-11-25")],
)
def test_the_official_client(mode, version):
    found, info, tools, updated, page = anyio.run(_read, mode)
    assert found == version
    # Pinned to a version, the client asks nothing before its first call and so knows no name.
    assert (info and info.name) == (None if mode == "2026-07-28" else "toolglot-demo")
    assert [tool.name for tool in tools] == [tool.name for tool in TOOLS]
    assert [tool.input_schema for tool in tools] == [tool.schema for tool in TOOLS]
    assert [tool.annotations is not None for tool in tools] == [tool.annotations is not None for tool in TOOLS]
    assert updated.content[0].text == "updated"
    assert updated.is_error is False
    assert "[picture missing] 549895" in page.content[0].text
