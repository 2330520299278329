"""The official SDK 1.x, and fastmcp up to 3: the two request handlers, wrapped when they are looked up.

So a handler that is registered later is wrapped, too. The facts: pypi mcp==1.30.0, mcp/server/lowlevel/server.py
(`_handle_request` looks a handler up by the class of the request; `_get_cached_tool_definition` calls the list handler
from within a call, with None, and must get the tools as published).
"""

from __future__ import annotations

import importlib
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from toolglot.errors import parse_json
from toolglot.mcp.proxy.envelope import dump, refusal
from toolglot.mcp.publishing.desk import Stopped, caller_of, with_restored
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from toolglot.mcp.proxy.calls import Verdict
    from toolglot.mcp.proxy.shelf import Ask
    from toolglot.mcp.publishing.desk import Desk

    Handler = Callable[[Any], Awaitable[Any]]

_WITHIN: ContextVar[Any] = ContextVar("toolglot.publish", default=None)
"""The request that is being answered: what its handler looks up for itself is not wrapped again."""


class Handlers(dict[type, Any]):
    """The request handlers of a lowlevel server, `tools/list` and `tools/call` wrapped."""

    def __init__(self, handlers: Mapping[type, Any], desk: Desk, server: Any) -> None:
        super().__init__(handlers)
        self.desk = desk
        self._server = server
        self._types: Any = importlib.import_module("mcp.types")

    def __getitem__(self, kind: type) -> Any:
        return self._wrapped(kind, super().__getitem__(kind))

    def get(self, kind: type, default: Any = None) -> Any:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The handler for a class of requests, wrapped where it is one of the two."""
        return self._wrapped(kind, super().__getitem__(kind)) if kind in self else default

    def _wrapped(self, kind: type, handler: Handler) -> Handler:
        answer = {self._types.ListToolsRequest: self._list, self._types.CallToolRequest: self._call}.get(kind)
        if answer is None or (_WITHIN.get() is not None and _WITHIN.get() is self._context()):
            return handler

        async def wrapped(request: Any) -> Any:
            token = _WITHIN.set(self._context())
            try:
                return await answer(handler, request)
            except Stopped as stopped:
                raise self._error(stopped) from None
            finally:
                _WITHIN.reset(token)

        return wrapped

    def _context(self) -> Any:
        """The request that the SDK answers now; None outside of one."""
        try:
            return self._server.request_context
        except LookupError:
            return None

    def _error(self, stopped: Stopped) -> Exception:
        exceptions: Any = importlib.import_module("mcp.shared.exceptions")
        return exceptions.McpError(self._types.ErrorData(code=stopped.code, message=stopped.message))

    def _caller(self) -> bytes:
        return caller_of(getattr(self._context(), "request", None))

    async def _list(self, handler: Handler, request: Any) -> Any:
        result = await handler(request)
        if request is None:
            return result
        before = _dumped(result.root)
        after = await self.desk.listed(self._caller(), before, None, self._ask(handler))
        if after is before:
            return result
        tools = [self._types.Tool.model_validate(tool) for tool in after["tools"]]
        return self._types.ServerResult(result.root.model_copy(update={"tools": tools}))

    async def _call(self, handler: Handler, request: Any) -> Any:
        params = request.params
        raw = None if params.arguments is None else dump(params.arguments)
        ask = self._ask(self._list_handler())
        known, verdict = await self.desk.judged(self._caller(), params.name, raw, None, ask)
        if verdict.refused:
            result = self._types.CallToolResult.model_validate(refusal(verdict.refused, modern=False))
            return self._types.ServerResult(result)
        changed: dict[str, Any] = {} if known is None or known.name == params.name else {"name": known.name}
        if verdict.arguments is not None:
            changed["arguments"] = verdict.arguments
        if changed:
            request = request.model_copy(update={"params": params.model_copy(update=changed)})
        return self._marked(await handler(request), verdict)

    def _marked(self, result: Any, verdict: Verdict) -> Any:
        if not verdict.restored:
            return result
        meta = with_restored(result.root.meta, verdict)
        return self._types.ServerResult(result.root.model_copy(update={"meta": meta}))

    def _list_handler(self) -> Handler:
        return super().get(self._types.ListToolsRequest, _no_list)

    def _ask(self, handler: Handler) -> Ask:
        """Asks the server's own list handler for a page."""

        async def ask(params: Mapping[str, bytes]) -> bytes:
            decoded = {name: parse_json(raw) for name, raw in params.items()}
            message = {"method": "tools/list", "params": decoded or None}
            result = await handler(self._types.ListToolsRequest.model_validate(message))
            return dump(_dumped(result.root))

        return ask


async def _no_list(_: Any) -> Any:
    raise Problem("the server has no list")


def _dumped(result: Any) -> dict[str, Any]:
    """A result as the session would send it."""
    return result.model_dump(by_alias=True, mode="json", exclude_none=True)


def hook(server: Any, desk: Desk) -> None:
    """Put the wrapping table in the place of the server's own."""
    server.request_handlers = Handlers(server.request_handlers, desk, server)


def hooked(server: Any) -> Desk | None:
    """The desk of a server that is published already."""
    handlers = server.request_handlers
    return handlers.desk if isinstance(handlers, Handlers) else None
