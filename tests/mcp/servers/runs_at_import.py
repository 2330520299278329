"""A server module without `if __name__ == "__main__"`."""

from mcp.server.mcpserver import MCPServer

server = MCPServer("runs", log_level="ERROR")
server.run("stdio")
