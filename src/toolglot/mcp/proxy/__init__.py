"""The proxy: stands between any MCP client and any MCP server, makes tools fit a target, and loses no message."""
