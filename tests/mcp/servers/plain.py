"""Servers without an SDK: objects that handle one message."""

from typing import Any

TOOLS = {"tools": [{"name": "plain", "inputSchema": {"type": "object"}}]}
INFO = {"protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": {"name": "plain"}}


class Plain:
    results: dict[str, Any] = {"initialize": INFO, "tools/list": TOOLS}  # noqa: RUF012

    async def handle(self, message: dict[str, Any]) -> dict[str, Any] | None:
        if "id" not in message:
            return None
        if message["method"] == "server/discover":
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no"}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": self.results[message["method"]]}


class Broken(Plain):
    results = {"initialize": INFO}  # noqa: RUF012


server = Plain()
broken = Broken()


def make() -> Plain:
    return server
