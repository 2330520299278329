"""A server of the official SDK 2.x over HTTP that gets another tool when it is told to; `python changing.py PORT`."""

import sys

from mcp.server.mcpserver import Context, MCPServer

server = MCPServer("changing", log_level="ERROR")


@server.tool()
async def more(ctx: Context) -> str:
    """Add a tool."""

    def added() -> str:
        """A new one."""
        return "new"

    server.add_tool(added)
    await ctx.notify_tools_changed()
    return "done"


server.run("streamable-http", port=int(sys.argv[1]))
