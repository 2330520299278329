"""A server of the official SDK 1.x; `python sdk1.py [stdio|http|sse PORT]`."""

import sys
from typing import Literal

from mcp.server.fastmcp import Context, FastMCP
from mcp.server.lowlevel import Server
from mcp.types import Tool
from pydantic import BaseModel

kind, port = sys.argv[1:3] if len(sys.argv) == 3 else ("stdio", "0")
server = FastMCP("sdk-one", port=int(port), log_level="ERROR")
low = Server("low-one", version="1")


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


@low.list_tools()
async def list_tools() -> list[Tool]:
    return [Tool(name="low", inputSchema={"type": "object", "maximum": 123456789012345678901234567890, "b": 1, "a": 2})]


def make() -> FastMCP:
    return server


if __name__ == "__main__":
    server.run({"stdio": "stdio", "http": "streamable-http", "sse": "sse"}[kind])
