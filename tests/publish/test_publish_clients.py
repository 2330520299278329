"""Real clients and published servers: lists, calls, wrong arguments, contexts, progress and structured output."""

from __future__ import annotations

from typing import Any

import pytest
from publish_help import MODERN, flavours

import toolglot

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not MODERN, reason="the clients of the newest SDK and of fastmcp 4"),
]
TARGET = "gemini-parameters"
SAID = {"value": {"type": "text", "text": "a"}, "tags": [{"key": "en", "value": "Hello"}]}


def _server(flavour: str) -> Any:
    return toolglot.publish(flavours.FLAVOURS[flavour](), TARGET)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
@pytest.mark.parametrize("flavour", ["sdk", "low"])
async def test_the_official_client(flavour: str, mode: Any) -> None:
    from mcp import Client

    async with Client(_server(flavour), mode=mode) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        stored = await client.call_tool("put", SAID)
        counted = await client.call_tool("count", {"start": "1"})  # the client checks the structured output
        wrong = await client.call_tool("put", {"value": {"type": "picture"}})
    assert names[:2] == ["put", "look"]
    assert [("put", SAID["value"], {"en": "Hello"})] == flavours.CALLS
    assert (stored.is_error, counted.structured_content, wrong.is_error) == (False, {"number": 2}, True)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
async def test_the_client_of_fastmcp_with_context_and_progress(mode: Any) -> None:
    from fastmcp import Client, Context, FastMCP
    from fastmcp.exceptions import ToolError

    server = FastMCP("shop", version="1")

    async def count_tags(tags: dict[str, str], context: Context) -> dict[str, int]:
        for done in range(len(tags)):
            await context.report_progress(done + 1, len(tags))
        return {"count": len(tags)}

    count_tags.__annotations__ = {"tags": dict[str, str], "context": Context, "return": dict[str, int]}
    server.tool(count_tags)
    steps: list[tuple[float, float | None]] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        steps.append((done, total))

    async with Client(toolglot.publish(server, TARGET), mode=mode) as client:
        entries = [{"key": "en", "value": "Hello"}, {"key": "de", "value": "Hallo"}]
        result = await client.call_tool("count_tags", {"tags": entries}, progress_handler=progress)
        with pytest.raises(ToolError, match="The arguments of count_tags are not valid"):
            await client.call_tool("count_tags", {"tags": [entries[0], entries[0]]})
    assert result.structured_content == {"count": 2}
    assert result.meta is not None
    assert result.meta["io.toolglot/restored"] == [{"kind": "re-shaped", "pointer": "/tags"}]
    assert steps == [(1, 2), (2, 2)]


async def test_middleware_of_the_sdk_sees_the_servers_own_names_and_arguments() -> None:
    server = flavours.low()
    seen: list[Any] = []

    async def watch(context: Any, call_next: Any) -> Any:
        if context.method == "tools/call":
            seen.append((context.params["name"], context.params["arguments"]))
        return await call_next(context)

    server.middleware.append(watch)
    toolglot.publish(server, TARGET)
    from mcp import Client

    async with Client(server) as client:
        (name,) = [tool.name for tool in (await client.list_tools(cursor="4")).tools]
        await client.call_tool(name, {"level": "2"})
    assert seen == [(flavours.ODD, {"level": 2})]
