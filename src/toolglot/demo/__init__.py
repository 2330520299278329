"""A small real MCP server, without any SDK, whose tools re-tell incidents.

`python -m toolglot.demo` serves it over stdio; `toolglot check toolglot.demo:server` reads it in the process.
"""

from toolglot.demo.rpc import Server

__all__ = ["Server", "server"]

server = Server()
