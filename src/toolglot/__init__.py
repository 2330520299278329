"""toolglot: make the tools of an MCP server work with every model provider and every MCP client."""

__version__ = "0.1.0"
