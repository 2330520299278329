"""What the proxy knows of a server's tools: from lists that pass by, or from a list it asks for itself."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolglot.mcp.proxy.envelope import dump, join_list, object_of
from toolglot.mcp.proxy.fitted import Fitter, Known, Page, tools_of
from toolglot.mcp.raw import items
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

Ask = Callable[["Mapping[str, bytes]"], Awaitable[bytes]]
"""Asks the server for one page of `tools/list`: raw params in, the raw result out. Raises RpcError, Problem."""

FETCH_EVERY = 10.0
"""Seconds between two lists that are asked for because a call names an unknown tool."""

FRESH = 300.0
"""Seconds that a list counts under a restriction, where the server does not say."""

_MOST_PAGES = 1000


@dataclass(slots=True)
class Shelf:
    """The tools of one server as one kind of caller sees them."""

    fitter: Fitter
    stale: bool = False
    public: bool = False
    doubled: frozenset[str] = frozenset()
    _wire: dict[str, Known] = field(default_factory=dict[str, Known])
    _published: dict[str, Known] = field(default_factory=dict[str, Known])
    _asked: float = float("-inf")
    _until: float = float("-inf")
    _fetching: asyncio.Task[Page] | None = None

    def find(self, name: str) -> Known | None:
        """The tool that a caller means: by its wire name, else by its published name."""
        return self._wire.get(name) or self._published.get(name)

    def learn(self, page: Page) -> None:
        """Remember the tools of one page; earlier ones of the same name give way."""
        for one in page.known:
            self._published.pop(one.shown, None)
            self._wire[one.wire] = one
            self._published[one.shown] = one

    @property
    def is_fresh(self) -> bool:
        """Whether a complete list was read, and still counts."""
        return not self.stale and time.monotonic() < self._until

    @property
    def may_ask(self) -> bool:
        """Whether a list may be asked for now: at most one in ten seconds; whoever comes meanwhile shares it."""
        if self._fetching is not None and not self._fetching.done():
            return True
        return time.monotonic() - self._asked >= FETCH_EVERY

    async def fetch(self, ask: Ask, meta: bytes | None) -> Page:
        """Read the whole list with the caller's own credentials; several callers share one reading.

        In: how to ask, and the `_meta` of the caller's request. Raises RpcError, Problem, JsonError.
        """
        if self._fetching is None or self._fetching.done():
            self._fetching = asyncio.create_task(self._fetch(ask, meta))
        return await asyncio.shield(self._fetching)

    async def _fetch(self, ask: Ask, meta: bytes | None) -> Page:
        self._asked = time.monotonic()
        raws, ttl = await _all_pages(ask, meta)
        page = self.fitter.page(join_list(raws))
        names = list(page.names)
        self.doubled = frozenset(name for name in names if names.count(name) > 1) if _doubles(names) else frozenset()
        self._wire.clear()
        self._published.clear()
        self.learn(page)
        self.stale = False
        self._until = time.monotonic() + ttl
        return page


def _doubles(names: list[str]) -> bool:
    return len(set(names)) != len(names)


async def _all_pages(ask: Ask, meta: bytes | None) -> tuple[list[bytes], float]:
    raws: list[bytes] = []
    cursor: str | None = None
    seen: set[str] = set()
    ttl = FRESH
    for _ in range(_MOST_PAGES):
        params: dict[str, bytes] = {} if cursor is None else {"cursor": dump(cursor)}
        if meta is not None:
            params["_meta"] = meta
        result = await ask(params)
        found = tools_of(result)
        if found is None:
            raise Problem("the answer to `tools/list` has no list `tools`")
        raws += items(found[0])
        ttl = min(ttl, _ttl(result))
        cursor = found[1]
        if cursor is None:
            return raws, ttl
        if cursor in seen:
            break
        seen.add(cursor)
    raise Problem("`tools/list` does not end")


def _ttl(result: bytes) -> float:
    try:
        return max(float(object_of(result).get("ttlMs", b"")) / 1000, 1.0)
    except ValueError:
        return FRESH
