"""A published server over Streamable HTTP: headers that mirror a parameter, which are judged before any middleware."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from publish_help import META, MODERN

import toolglot

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif(not MODERN, reason="only the modern era has these headers"),
]
TARGET = "portable"
URL = "http://127.0.0.1:8000/mcp"


_ROUTE = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "level": {"type": "integer", "minimum": 0, "exclusiveMinimum": True, "x-mcp-header": "Level"},
    },
    "required": ["region", "level"],
}
_TOOLS = {name: {"name": name, "inputSchema": _ROUTE} for name in ("route", "ns/route it")}


def _server() -> Any:
    from mcp.server.lowlevel import Server
    from mcp_types import CallToolResult, ListToolsResult

    async def list_tools(context: Any, params: Any) -> Any:
        return ListToolsResult.model_validate({"tools": list(_TOOLS.values())})

    async def call_tool(context: Any, params: Any) -> Any:
        said = f"{params.arguments['region']} {params.arguments['level']}"
        return CallToolResult.model_validate({"content": [{"type": "text", "text": said}]})

    def schema_of(name: str) -> Any:
        return _TOOLS[name]["inputSchema"] if name in _TOOLS else None

    return Server("mirrors", on_list_tools=list_tools, on_call_tool=call_tool, get_tool_input_schema=schema_of)


async def _post(client: httpx.AsyncClient, method: str, params: dict[str, Any], **headers: str) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": {**params, "_meta": META}}
    base = {"Accept": "application/json, text/event-stream", "MCP-Protocol-Version": "2026-07-28", "Mcp-Method": method}
    named = {"Mcp-Name": params["name"]} if "name" in params else {}
    mirrored = {f"Mcp-Param-{name}": value for name, value in headers.items()}
    answer = await client.post(URL, json=message, headers={**base, **named, **mirrored})
    return answer.json()


CALLS = [
    ("route", {"Region": "eu"}, "eu 2"),
    ("route", {"Region": "us"}, ""),
    ("route", {}, ""),
    ("wire", {"Region": "eu"}, "eu 2"),
    ("ns/route it", {"Region": "eu"}, "eu 2"),
]


@pytest.mark.parametrize("listed", [True, False], ids=["listed-here", "listed-by-another-worker"])
@pytest.mark.parametrize(("name", "headers", "says"), CALLS)
async def test_headers_are_those_of_the_published_list(
    listed: bool, name: str, headers: dict[str, str], says: str
) -> None:
    """`region` stays as it is and keeps its header; `level` is written anew, and has none any more."""
    wire = toolglot.normalize({"name": "ns/route it", "inputSchema": {"type": "object"}}, TARGET).name
    server = toolglot.publish(_server(), TARGET)
    app = server.streamable_http_app(json_response=True)
    async with (
        server.session_manager.run(),
        httpx.AsyncClient(transport=httpx.ASGITransport(app), timeout=20) as client,
    ):
        if listed:
            tools = (await _post(client, "tools/list", {}))["result"]["tools"]
            assert [tool["name"] for tool in tools] == ["route", wire]
            properties = tools[0]["inputSchema"]["properties"]
            assert [name for name, schema in properties.items() if "x-mcp-header" in schema] == ["region"]
        called = wire if name == "wire" else name
        arguments = {"region": "eu", "level": 2}
        answer = await _post(client, "tools/call", {"name": called, "arguments": arguments}, **headers)
    if says:
        assert answer["result"]["content"][0]["text"] == says
    else:
        assert "Mcp-Param-Region" in answer["error"]["message"]
