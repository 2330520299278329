"""The official SDK 2.x, and fastmcp from 4 on: one middleware around `tools/list` and `tools/call`.

It stands before every other middleware, so they and the handlers get the names and arguments of the server. The facts:
pypi mcp==2.3.0, mcp/server/context.py (`ServerMiddleware`) and mcp/server/runner.py (`ServerRunner._serialize`: a
middleware that answers itself writes the whole result).
"""

from __future__ import annotations

import importlib
import json
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, cast

from toolglot.mcp.proxy.envelope import dump, refusal
from toolglot.mcp.publishing.desk import Stopped, caller_of, with_restored
from toolglot.mcp.wire import META
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Mapping

    from toolglot.mcp.proxy.calls import Verdict
    from toolglot.mcp.proxy.shelf import Ask
    from toolglot.mcp.publishing.desk import Desk

    CallNext = Callable[[Any], Awaitable[Any]]


class Published:
    """The middleware. `desk` judges; `server` is the lowlevel server, whose name stands in modern results."""

    def __init__(self, desk: Desk, server: Any) -> None:
        self.desk = desk
        self._server = server

    async def __call__(self, context: Any, call_next: CallNext) -> Any:
        """Answer one message; all but the two methods pass as they are. Raises the SDK's MCPError."""
        if context.request_id is None or context.method not in ("tools/list", "tools/call"):
            return await call_next(context)
        try:
            answer = self._list if context.method == "tools/list" else self._call
            return await answer(context, call_next)
        except Stopped as stopped:
            exceptions: Any = importlib.import_module("mcp.shared.exceptions")
            raise exceptions.MCPError(code=stopped.code, message=stopped.message) from None

    async def _list(self, context: Any, call_next: CallNext) -> Any:
        result = _wire(await call_next(context))
        meta = _params(context).get("_meta")
        return await self.desk.listed(caller_of(context.request), result, meta, _ask(context, call_next))

    async def _call(self, context: Any, call_next: CallNext) -> Any:
        params = _params(context)
        name = params.get("name")
        if not isinstance(name, str):
            return await call_next(context)
        raw = dump(params["arguments"]) if "arguments" in params else None
        meta = params.get("_meta")
        caller = caller_of(context.request)
        known, verdict = await self.desk.judged(caller, name, raw, meta, _ask(context, call_next))
        if verdict.refused:
            return self._refusal(verdict, meta)
        changed: dict[str, Any] = {} if known is None or known.name == name else {"name": known.name}
        if verdict.arguments is not None:
            changed["arguments"] = verdict.arguments
        result = await call_next(replace(context, params={**params, **changed}) if changed else context)
        return _marked(result, verdict)

    def _refusal(self, verdict: Verdict, meta: Any) -> dict[str, Any]:
        modern = is_map(meta) and f"{META}protocolVersion" in meta
        result = refusal(verdict.refused, modern=modern)
        return {**result, "_meta": {f"{META}serverInfo": self._server.server_info_stamp}} if modern else result


def _params(context: Any) -> dict[str, Any]:
    return dict(context.params) if is_map(context.params) else {}


def _wire(result: Any) -> dict[str, Any]:
    """A result as it goes out; the SDK has done that already, unless another middleware answered itself."""
    if is_map(result):
        return result
    return {} if result is None else result.model_dump(by_alias=True, mode="json", exclude_none=True)


def _marked(result: Any, verdict: Verdict) -> Any:
    """The result, which says what was done to the arguments where something was."""
    if not verdict.restored:
        return result
    found = _wire(result)
    return {**found, "_meta": with_restored(cast("Mapping[str, Any] | None", found.get("_meta")), verdict)}


def _ask(context: Any, call_next: CallNext) -> Ask:
    """Asks the server's own list handler for a page, in the name of the caller."""

    async def ask(params: Mapping[str, bytes]) -> bytes:
        decoded = {name: json.loads(raw) for name, raw in params.items()}
        return dump(_wire(await call_next(replace(context, method="tools/list", params=decoded))))

    return ask


def hook(server: Any, desk: Desk) -> None:
    """Put the middleware first, and show headers of parameters as clients see them."""
    server.middleware.insert(0, Published(desk, server))
    published = getattr(server, "get_tool_input_schema", None)
    if published is not None:
        # Asked before any middleware, by the name on the wire; without it the SDK asks `tools/list`, as clients do.
        server.get_tool_input_schema = partial(desk.schema_on_the_wire, published)


def hooked(server: Any) -> Desk | None:
    """The desk of a server that is published already."""
    return next((one.desk for one in server.middleware if isinstance(one, Published)), None)
