"""The demo server as JSON-RPC: both eras of MCP, one message in, at most one message out.

The legacy era (2024-11-05 to 2025-11-25) opens with `initialize`. In the modern era (2026-07-28) every
request carries the protocol version and the client's capabilities in `_meta`; results carry `resultType`, lists
`ttlMs` and `cacheScope`. The wire is that of the official SDK (`mcp` 2.3.0, `mcp-types` 2.3.0). Which era a
request belongs to is read from the request itself, so one server object serves any number of clients.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, cast

import toolglot
from toolglot.demo.arguments import problem
from toolglot.demo.store import Refused, Store
from toolglot.demo.tools import TOOLS, DemoTool

Message = dict[str, Any]

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)

_META = "io.modelcontextprotocol/"
_VERSION = _META + "protocolVersion"
_CAPABILITIES = _META + "clientCapabilities"

INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, UNSUPPORTED_VERSION = -32600, -32601, -32602, -32022

_INSTRUCTIONS = "A small content system that keeps what it is given. page_render shows what visitors see."
_CACHE = {"ttlMs": 300_000, "cacheScope": "public"}


class RpcError(Exception):
    """A JSON-RPC error: `code`, text and optional `data`."""

    def __init__(self, code: int, message: str, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data


def as_object(value: Any) -> Message:
    """The value where it is a JSON object, else an empty one."""
    return cast("Message", value) if isinstance(value, dict) else {}


def error_message(request_id: Any, code: int, message: str, data: Any = None) -> Message:
    """A JSON-RPC error answer; `request_id` is None where the request could not be read."""
    error: Message = {"code": code, "message": message}
    if data is not None:
        error["data"] = data
    return {"jsonrpc": "2.0", "id": request_id, "error": error}


@dataclass(slots=True)
class Server:
    """The demo server: `handle` is the whole interface. `page_size` is how many tools a page of the list has."""

    store: Store = field(default_factory=Store)
    tools: tuple[DemoTool, ...] = TOOLS
    page_size: int = 8

    def handle(self, message: Any) -> Message | None:
        """The answer to one decoded JSON-RPC message; None for a notification or an answer. Never raises."""
        request = as_object(message)
        if "method" not in request and ("result" in request or "error" in request):
            return None
        if not isinstance(request.get("method"), str):
            return error_message(request.get("id"), INVALID_REQUEST, "not a JSON-RPC request")
        if "id" not in request:
            return None
        try:
            result = self._answer(request["method"], as_object(request.get("params")))
        except RpcError as error:
            return error_message(request["id"], error.code, str(error), error.data)
        return {"jsonrpc": "2.0", "id": request["id"], "result": result}

    def _answer(self, method: str, params: Message) -> Message:
        version = None if method == "initialize" else _modern_version(params, method)
        return self._legacy(method, params) if version is None else self._modern(method, params, version)

    def _legacy(self, method: str, params: Message) -> Message:
        match method:
            case "initialize":
                return self._initialize(params)
            case "ping":
                return {}
            case "tools/list":
                return self._list(params)
            case "tools/call":
                return self._call(params)
            case _:
                raise RpcError(METHOD_NOT_FOUND, "Method not found", method)

    def _modern(self, method: str, params: Message, version: str) -> Message:
        if version not in MODERN_VERSIONS:
            data = {"supported": list(MODERN_VERSIONS), "requested": version}
            raise RpcError(UNSUPPORTED_VERSION, "Unsupported protocol version", data)
        match method:
            case "server/discover":
                result = {**_discovered(), **_CACHE}
            case "tools/list":
                result = {**self._list(params), **_CACHE}
            case "tools/call":
                result = self._call(params)
            case _:
                raise RpcError(METHOD_NOT_FOUND, "Method not found", method)
        return {**result, "resultType": "complete", "_meta": {_META + "serverInfo": _server_info()}}

    def _initialize(self, params: Message) -> Message:
        asked = params.get("protocolVersion")
        return {
            "protocolVersion": asked if asked in LEGACY_VERSIONS else LEGACY_VERSIONS[-1],
            "capabilities": {"tools": {"listChanged": False}},
            "serverInfo": _server_info(),
            "instructions": _INSTRUCTIONS,
        }

    def _list(self, params: Message) -> Message:
        start = _cursor(params.get("cursor"), len(self.tools))
        end = start + self.page_size
        page: Message = {"tools": [tool.published() for tool in self.tools[start:end]]}
        return {**page, "nextCursor": str(end)} if end < len(self.tools) else page

    def _call(self, params: Message) -> Message:
        name = params.get("name")
        tool = next((tool for tool in self.tools if tool.name == name), None)
        if tool is None:
            raise RpcError(INVALID_PARAMS, f"Unknown tool: {name}")
        arguments = as_object(params.get("arguments"))
        wrong = problem(tool.schema, arguments)
        if wrong:
            return _content(wrong, is_error=True)
        try:
            return _content(tool.run(self.store, arguments))
        except Refused as refused:
            return _content(str(refused), is_error=True)


def _modern_version(params: Message, method: str) -> str | None:
    """The protocol version in `_meta` of a modern request; None for a legacy one."""
    carried = as_object(params.get("_meta"))
    if _VERSION not in carried and method != "server/discover":
        return None
    missing = [key for key in (_VERSION, _CAPABILITIES) if key not in carried]
    if missing:
        raise RpcError(INVALID_PARAMS, f"params._meta lacks {', '.join(missing)}")
    return str(carried[_VERSION])


def _discovered() -> Message:
    return {
        "supportedVersions": list(MODERN_VERSIONS),
        "capabilities": {"tools": {"listChanged": False}},
        "instructions": _INSTRUCTIONS,
    }


def _server_info() -> Message:
    return {"name": "toolglot-demo", "title": "toolglot demo", "version": toolglot.__version__}


def _cursor(cursor: Any, count: int) -> int:
    if cursor is None:
        return 0
    if cursor not in map(str, range(count)):
        raise RpcError(INVALID_PARAMS, "unknown cursor")
    return int(cursor)


def _content(text: str, *, is_error: bool = False) -> Message:
    return {"content": [{"type": "text", "text": text}], "isError": is_error}
