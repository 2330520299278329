"""The wire: reads MCP servers as JSON-RPC. With the providers the only code that opens a socket."""
