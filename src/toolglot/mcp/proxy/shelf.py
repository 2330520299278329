"""What the proxy knows of a server's tools: from lists that pass by, or from a list it asks for itself."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolglot.mcp.proxy.envelope import dump, join_list, object_of, text_of
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


class Left(Problem):
    """Whoever asked for a list has gone before it came: the next one asks with its own credentials."""


Settle = Callable[["Shelf", bool], "Shelf"]
"""Says which shelf learns from a list: the caller's own, or everybody's where the server calls the list public."""


@dataclass(slots=True)
class Tally:
    """What became of the tools of a list, over all its pages."""

    tools: int = 0
    alone: int = 0
    hidden: int = 0
    renamed: dict[str, str] = field(default_factory=dict[str, str])

    def add(self, page: Page, *, first: bool) -> None:
        """Count one page; the first one starts anew."""
        if first:
            self.tools = self.alone = self.hidden = 0
            self.renamed.clear()
        self.tools += len(page.known)
        self.alone += page.alone
        self.hidden += page.hidden
        self.renamed |= page.renamed


@dataclass(frozen=True, slots=True)
class Whole:
    """A whole list that was read for ourselves; `ttl` are the seconds it counts."""

    raws: list[bytes]
    ttl: float
    public: bool


@dataclass(slots=True)
class Shelf:
    """The tools of one server as one kind of caller sees them."""

    fitter: Fitter
    doubled: frozenset[str] = frozenset()
    tally: Tally = field(default_factory=Tally)
    _wire: dict[str, Known] = field(default_factory=dict[str, Known])
    _published: dict[str, Known] = field(default_factory=dict[str, Known])
    _asked: float = float("-inf")
    _until: float = float("-inf")
    _fetching: asyncio.Task[Page] | None = None
    _notices: int = 0
    _heeded: int = 0

    @property
    def stale(self) -> bool:
        """Whether the list has changed since it was read."""
        return self._heeded != self._notices

    def outdate(self) -> None:
        """The list has changed; one that is being read just now may be the old one still."""
        self._notices += 1

    def heed(self) -> None:
        """The list was read after the last change."""
        self._heeded = self._notices

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

    async def fetch(self, ask: Ask, meta: bytes | None, settle: Settle) -> Page:
        """Read the whole list with the caller's own credentials; several callers share one reading.

        In: how to ask, the `_meta` of the caller's request, and which shelf learns. Out: the list made fit. Raises
        RpcError, Problem, JsonError; Left where the one who asked has gone.
        """
        if self._fetching is None or self._fetching.done():
            self._asked = time.monotonic()
            self._fetching = asyncio.create_task(self._fetch(ask, meta, settle))
            self._fetching.add_done_callback(_heard)
        return await asyncio.shield(self._fetching)

    async def _fetch(self, ask: Ask, meta: bytes | None, settle: Settle) -> Page:
        notices = self._notices
        try:
            whole = await read_pages(ask, meta)
        except Left:
            self._asked = float("-inf")
            raise
        shelf = settle(self, whole.public)
        page = shelf.replace(whole)
        shelf._heeded = notices if shelf is self else shelf._notices
        return page

    def replace(self, whole: Whole) -> Page:
        """Know the tools of a whole list, and no others. Raises JsonError."""
        page = self.fitter.page(join_list(whole.raws))
        counts = Counter(page.names)
        self.doubled = frozenset(name for name, times in counts.items() if times > 1)
        self._wire.clear()
        self._published.clear()
        self.learn(page)
        self.tally.add(page, first=True)
        self._asked = time.monotonic()
        self._until = self._asked + whole.ttl
        return page


def _heard(task: asyncio.Task[Page]) -> None:
    """Whoever asked may have gone: then nobody hears why it failed, and nobody has to."""
    if not task.cancelled():
        task.exception()


async def read_pages(ask: Ask, meta: bytes | None) -> Whole:
    """Read all pages of a list, however its caller is asked. Raises RpcError, Problem, JsonError."""
    raws: list[bytes] = []
    cursor: str | None = None
    seen: set[str] = set()
    ttl, public = FRESH, True
    for _ in range(_MOST_PAGES):
        params: dict[str, bytes] = {} if cursor is None else {"cursor": dump(cursor)}
        if meta is not None:
            params["_meta"] = meta
        result = await ask(params)
        found = tools_of(result)
        if found is None:
            raise Problem("the answer to `tools/list` has no list `tools`")
        raws += items(found[0])
        ttl, public = min(ttl, _ttl(result)), public and is_public(result)
        cursor = found[1]
        if cursor is None:
            return Whole(raws, ttl, public)
        if cursor in seen:
            break
        seen.add(cursor)
    raise Problem("`tools/list` does not end")


def is_public(result: bytes) -> bool:
    """Whether the server says of a list that everybody gets the same."""
    return text_of(object_of(result).get("cacheScope")) == "public"


def _ttl(result: bytes) -> float:
    try:
        return max(float(object_of(result).get("ttlMs", b"")) / 1000, 1.0)
    except ValueError:
        return FRESH
