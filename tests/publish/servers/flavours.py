"""The same tools on every kind of server that `publish` knows, each behind a function that makes a new one.

`python flavours.py FLAVOUR TARGET [read-only]` serves one over stdio, published. In FLAVOURS are those kinds whose SDK
is installed here: 2.x and fastmcp 4, or 1.x and an older fastmcp.
"""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable
from importlib.metadata import version
from typing import Any, Literal

from pydantic import BaseModel

import toolglot

CALLS: list[Any] = []
"""What the handlers got."""

MODERN = not version("mcp").startswith("1.")
READS = {"readOnlyHint": True}


class Text(BaseModel):
    type: Literal["text"]
    text: str


class Link(BaseModel):
    type: Literal["link"]
    urls: list[str]


def put(value: Text | Link, tags: dict[str, str] | None = None) -> str:
    """Store a value."""
    CALLS.append(("put", value.model_dump(), tags))
    return "stored"


def look(identifier: str) -> str:
    """Look something up."""
    CALLS.append(("look", identifier))
    return f"found {identifier}"


def manage(action: Literal["list", "get", "delete"], number: int = 0) -> str:
    """List, get or delete things."""
    CALLS.append(("manage", action, number))
    return action


class Count(BaseModel):
    number: int


def count(start: int) -> Count:
    """Count on from a number."""
    return Count(number=start + 1)


def odd(level: Literal[1, 2]) -> str:
    """A tool with a name that few targets take."""
    CALLS.append(("odd", level))
    return str(level)


ODD = "ns/odd tool"


def _annotations() -> Any:
    types: Any = importlib.import_module("mcp.types")
    return types.ToolAnnotations.model_validate(READS)


def _add_all(add: Callable[..., Any]) -> None:
    add(put)
    add(look, annotations=_annotations())
    add(manage)
    add(count)
    add(odd, name=ODD)


def sdk() -> Any:
    """The high-level server of the official SDK."""
    name, kind = ("mcp.server.mcpserver", "MCPServer") if MODERN else ("mcp.server.fastmcp", "FastMCP")
    server: Any = getattr(importlib.import_module(name), kind)("shop", log_level="ERROR")
    _add_all(server.add_tool)
    return server


def fast() -> Any:
    """The server of fastmcp."""
    module: Any = importlib.import_module("fastmcp")
    server: Any = module.FastMCP("shop", version="1")

    def add(function: Any, **more: Any) -> None:
        server.tool(function, **more)

    _add_all(add)
    return server


def _published() -> list[dict[str, Any]]:
    """The tools of the lowlevel server, by hand: the same as those that pydantic makes."""
    text = {"type": "string"}
    value = {
        "anyOf": [
            _object({"type": {"const": "text"}, "text": text}),
            _object({"type": {"const": "link"}, "urls": {"type": "array", "items": text}}),
        ]
    }
    tags = {"anyOf": [{"type": "object", "additionalProperties": text}, {"type": "null"}], "default": None}
    action = {"type": "string", "enum": ["list", "get", "delete"]}
    integer = {"type": "integer"}
    return [
        _tool("put", {"value": value, "tags": tags}, "value"),
        {**_tool("look", {"identifier": text}, "identifier"), "annotations": READS},
        _tool("manage", {"action": action, "number": {**integer, "default": 0}}, "action"),
        {**_tool("count", {"start": integer}, "start"), "outputSchema": _object({"number": integer})},
        _tool(ODD, {"level": {"enum": [1, 2]}}, "level"),
    ]


def _object(properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required or properties)}


def _tool(name: str, properties: dict[str, Any], *required: str) -> dict[str, Any]:
    return {"name": name, "description": f"The tool {name}.", "inputSchema": _object(properties, *required)}


def _answer(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """A result of the lowlevel server."""
    if name == "count":
        number = {"number": arguments["start"] + 1}
        return {"content": [{"type": "text", "text": json.dumps(number)}], "structuredContent": number}
    made = {
        "put": lambda: (("put", arguments["value"], arguments.get("tags")), "stored"),
        "look": lambda: (("look", arguments["identifier"]), f"found {arguments['identifier']}"),
        "manage": lambda: (("manage", arguments["action"], arguments.get("number", 0)), arguments["action"]),
        ODD: lambda: (("odd", arguments["level"]), str(arguments["level"])),
    }
    if name not in made:
        return {"content": [{"type": "text", "text": f"Unknown tool: {name}"}], "isError": True}
    called, text = made[name]()
    CALLS.append(called)
    return {"content": [{"type": "text", "text": text}]}


def low(tools: list[dict[str, Any]] | None = None) -> Any:
    """The lowlevel server of the official SDK; its list has two tools a page, and is read anew each time."""
    tools = _published() if tools is None else tools
    types: Any = importlib.import_module("mcp_types" if MODERN else "mcp.types")
    lowlevel: Any = importlib.import_module("mcp.server.lowlevel")

    def page(cursor: str | None) -> Any:
        start = int(cursor or 0)
        more = {"nextCursor": str(start + 2)} if start + 2 < len(tools) else {}
        return types.ListToolsResult.model_validate({"tools": tools[start : start + 2], **more})

    async def list_tools(context: Any, params: Any) -> Any:
        return page(params.cursor)

    async def call_tool(context: Any, params: Any) -> Any:
        return types.CallToolResult.model_validate(_answer(params.name, params.arguments or {}))

    if MODERN:
        return lowlevel.Server("shop", version="1", on_list_tools=list_tools, on_call_tool=call_tool)
    server: Any = lowlevel.Server("shop", version="1")

    async def list_tools_1(request: Any) -> Any:
        return page(request.params.cursor if request and request.params else None)

    list_tools_1.__annotations__ = {"request": types.ListToolsRequest, "return": types.ListToolsResult}
    server.list_tools()(list_tools_1)

    @server.call_tool()
    async def call_tool_1(name: str, arguments: dict[str, Any]) -> Any:
        return types.CallToolResult.model_validate(_answer(name, arguments))

    return server


def _is_there(name: str) -> bool:
    try:
        version(name)
    except Exception:
        return False
    return True


FLAVOURS: dict[str, Callable[[], Any]] = {"sdk": sdk, "low": low} | ({"fast": fast} if _is_there("fastmcp") else {})

if __name__ == "__main__":
    made = toolglot.publish(FLAVOURS[sys.argv[1]](), sys.argv[2], read_only="read-only" in sys.argv or None)
    if sys.argv[1] == "low":
        import anyio
        from mcp.server.stdio import stdio_server

        async def serve() -> None:
            async with stdio_server() as streams:
                await made.run(*streams, made.create_initialization_options())

        anyio.run(serve)
    else:
        more = {"show_banner": False} if sys.argv[1] == "fast" else {}
        made.run("stdio", **more)
