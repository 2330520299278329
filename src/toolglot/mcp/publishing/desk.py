"""What one published server knows of its tools, whichever SDK serves it: lists made fit, calls judged.

It is the proxy's own engine (`Fitter`, `Shelf`, `judge`) between an SDK and its handlers, instead of between two pipes.
"""

from __future__ import annotations

import json
import logging
from collections import OrderedDict
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from toolglot.errors import ToolError
from toolglot.fitting.normalized import normalize
from toolglot.mcp.proxy.answers import RESTORED
from toolglot.mcp.proxy.calls import Verdict, judge
from toolglot.mcp.proxy.envelope import INVALID_PARAMS, dump, join_list
from toolglot.mcp.proxy.fitted import without_headers
from toolglot.mcp.proxy.pending import own_meta
from toolglot.mcp.proxy.shelf import Shelf, read_pages
from toolglot.mcp.wire import INTERNAL_ERROR
from toolglot.schema.values import is_list, is_map

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolglot.mcp.proxy.fitted import Fitter, Known, Page
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.shelf import Ask

_LOG = logging.getLogger("toolglot.publish")

FRESH = 10.0
"""Seconds that a list counts under a restriction: tools of a running server may change without a notice."""

_MOST_CALLERS = 1000
_TELLS_CALLERS_APART = ("authorization", "cookie", "mcp-session-id")


class Stopped(Exception):
    """A request that no handler gets: why, as a JSON-RPC error."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(slots=True)
class Desk:
    """Lists and calls of one server. `settings` has the restriction, `fitter` the target."""

    settings: Settings
    fitter: Fitter
    _shelves: OrderedDict[bytes, Shelf] = field(default_factory=OrderedDict[bytes, Shelf], repr=False)
    _schemas: dict[str, Any] = field(default_factory=dict[str, Any], repr=False)
    _told: set[str] = field(default_factory=set[str], repr=False)

    def does_the_same(self, other: Desk) -> bool:
        """Whether another desk has this target and this restriction."""
        return (self.fitter.target, self.settings) == (other.fitter.target, other.settings)

    async def listed(self, caller: bytes, result: dict[str, Any], meta: Any, ask: Ask) -> dict[str, Any]:
        """A result of `tools/list` as the client gets it: the same object where nothing changes.

        In: who asks, the result as it would go out, the `_meta` of the request, how to read a page. Raises Stopped.
        """
        tools = result.get("tools")
        if self.fitter.idle or not is_list(tools):
            return result
        shelf = self._shelf_of(caller)
        if self._is_late(shelf):
            self._must(await self._read(shelf, meta, ask))
        page = self.fitter.page(_dump_list(tools), shelf.doubled)
        if not self.settings.restriction:
            shelf.learn(page)
            self._tell(page)
        sent: list[Any] = tools if page.raw is None else json.loads(page.raw)
        self._schemas |= {tool["name"]: tool.get("inputSchema") for tool in sent if is_map(tool) and "name" in tool}
        return result if page.raw is None else {**result, "tools": sent}

    async def judged(
        self, caller: bytes, name: str, arguments: bytes | None, meta: Any, ask: Ask
    ) -> tuple[Known | None, Verdict]:
        """The tool that a call means, and what becomes of the call; no tool: it goes on as it came.

        In: who calls, the name as called, the raw arguments (None: none), the rest as for `listed`. Raises Stopped.
        """
        if self.fitter.idle:
            return None, Verdict()
        shelf = self._shelf_of(caller)
        known = None if self._is_late(shelf) else shelf.find(name)
        if known is None:
            self._must(await self._read(shelf, meta, ask))
            known = shelf.find(name)
        if known is None:
            if self.settings.restriction:
                raise Stopped(INVALID_PARAMS, f"Unknown tool: {name[:200]}")
            return None, Verdict()
        verdict = judge(known, arguments, self.settings)
        if verdict.refused and not shelf.is_fresh and not await self._read(shelf, meta, ask):
            # The tool may have changed since it was listed here, or be listed by another worker only.
            known = shelf.find(name) or known
            verdict = judge(known, arguments, self.settings)
        if verdict.warning:
            _LOG.warning("%s: %s", known.shown, verdict.warning)
        return known, verdict

    def schema_on_the_wire(self, published: Callable[[str], Mapping[str, Any] | None], name: str) -> Any:
        """The schema that clients see for a tool, by its wire name; None for a tool that is not known.

        In: how to look a published schema up, for a tool that nobody has listed here yet, and the name.
        """
        if name in self._schemas or self.fitter.target is None:
            return self._schemas.get(name) or published(name)
        schema = published(name)
        if schema is None:
            return None
        try:
            form = normalize({"name": name, "inputSchema": schema}, self.fitter.target)
        except ToolError:
            return schema
        return schema if form.schema is None else without_headers(form.schema, form.published.tool.input_schema)

    def _shelf_of(self, caller: bytes) -> Shelf:
        """The tools as one caller knows them; of many callers those are kept that came last."""
        shelf = self._shelves.pop(caller, None) or Shelf(self.fitter)
        self._shelves[caller] = shelf
        if len(self._shelves) > _MOST_CALLERS:
            self._shelves.popitem(last=False)
        return shelf

    def _is_late(self, shelf: Shelf) -> bool:
        """Whether a restriction asks for a newer list: nothing is shown or called before all tools are known."""
        return bool(self.settings.restriction) and not shelf.is_fresh

    async def _read(self, shelf: Shelf, meta: Any, ask: Ask) -> str:
        """Read the whole list as the caller sees it; out: why it could not be read, empty where it was."""
        try:
            whole = await read_pages(ask, own_meta(dump(meta)) if is_map(meta) else None)
            page = shelf.replace(replace(whole, ttl=min(whole.ttl, FRESH)))
        except Exception as error:  # the list handler is the server's: what it raises costs the list, never the call
            return str(error) or type(error).__name__
        self._tell(page)
        self._look_for_names(page)
        return ""

    def _must(self, failed: str) -> None:
        """Under a restriction a list that cannot be read ends the request; else a call goes on as it came."""
        if not failed:
            return
        restricted = bool(self.settings.restriction)
        _LOG.warning(
            "the list of tools could not be read, and a call %s: %s",
            "is refused" if restricted else "goes on as it came",
            failed,
        )
        if restricted:  # the reason is the server's own, and not for clients
            raise Stopped(INTERNAL_ERROR, "The list of tools could not be read, and this server is restricted here.")

    def _tell(self, page: Page) -> None:
        """Log once what becomes of the tools."""
        for note in page.notes:
            self._log(logging.WARNING, f"{note.tool or 'an entry without a name'} {note.text}")
        renamed = ", ".join(f"{shown} is {wire}" for shown, wire in list(page.renamed.items())[:20])
        target = self.fitter.target.id if self.fitter.target else "none"
        said = f"{target}: {page.alone} of {len(page.known)} tools left alone, {page.hidden} hidden"
        self._log(logging.INFO, f"{said}; renamed: {renamed or 'none'}")

    def _look_for_names(self, page: Page) -> None:
        """A name in `except_` that no tool has hides nothing: say so."""
        asked = self.settings.restriction.allow | self.settings.restriction.deny
        for name in sorted(asked.difference(page.names)):
            self._log(logging.WARNING, f"`only` or `except_` names {name!r}, and no tool has that name now")

    def _log(self, level: int, text: str) -> None:
        if text not in self._told:
            self._told.add(text)
            _LOG.log(level, "%s", text)


def caller_of(request: Any) -> bytes:
    """What tells callers apart, as a digest: headers of the HTTP request that a call came with; empty over a pipe."""
    headers = getattr(request, "headers", None)
    if headers is None:
        return b""
    return sha256(repr([headers.get(name) for name in _TELLS_CALLERS_APART]).encode()).digest()


def with_restored(meta: Mapping[str, Any] | None, verdict: Verdict) -> dict[str, Any]:
    """The `_meta` of a result that also says what was done to the arguments."""
    return {**(meta or {}), RESTORED: verdict.restored}


def _dump_list(tools: list[Any]) -> bytes:
    return join_list(dump(tool) for tool in tools)
