"""A server of fastmcp; `python fast4.py [stdio|http|sse PORT]`."""

import sys
from typing import Literal

from fastmcp import Context, FastMCP
from pydantic import BaseModel

server = FastMCP("fast-four", version="4.4")


class Item(BaseModel):
    label: str
    count: int | None = None


@server.tool
def search(query: str, limit: int = 10, mode: Literal["fast", "exact"] = "fast") -> str:
    """Find entries."""
    return query


@server.tool
async def store(items: list[Item], ctx: Context, tags: dict[str, str] | None = None) -> str:
    """Store items."""
    return str(len(items))


if __name__ == "__main__":
    kind = sys.argv[1] if len(sys.argv) > 1 else "stdio"
    if kind == "stdio":
        server.run("stdio", show_banner=False)
    else:
        server.run(kind, port=int(sys.argv[2]), show_banner=False, log_level="error")
