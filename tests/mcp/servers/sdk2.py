"""A server of the official SDK 2.x; `python sdk2.py [stdio|http|sse PORT]`."""

import sys
from typing import Any, Literal

from mcp.server.mcpserver import Context, MCPServer
from pydantic import BaseModel

server = MCPServer("sdk-two", version="2.0.1", log_level="ERROR")


class Item(BaseModel):
    label: str
    count: int | None = None


@server.tool()
def search(query: str, limit: int = 10, mode: Literal["fast", "exact"] = "fast") -> str:
    """Find entries. Ünïcode: “ ” 🙂."""
    return query


@server.tool()
async def store(items: list[Item], context: Context, tags: dict[str, str] | None = None) -> str:
    """Store items."""
    return str(len(items))


@server.tool()
def ping_all() -> str:
    """No parameters."""
    return "ok"


def make() -> MCPServer:
    return server


async def make_async() -> MCPServer:
    return server


def fail() -> MCPServer:
    raise RuntimeError("no database")


not_a_server: Any = {"tools": []}

if __name__ == "__main__":
    kind = sys.argv[1] if len(sys.argv) > 1 else "stdio"
    if kind == "stdio":
        server.run("stdio")
    else:
        server.run({"http": "streamable-http", "sse": "sse"}[kind], port=int(sys.argv[2]))
