"""Asks a server for its tools: finds out the era it speaks, then reads every page."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import anyio

from toolglot import __version__
from toolglot.errors import JsonError
from toolglot.mcp.raw import items, kind, members
from toolglot.mcp.wire import (
    LEGACY_VERSIONS,
    META,
    MODERN_VERSIONS,
    UNSUPPORTED_VERSION,
    NoAnswer,
    Problem,
    Request,
    RpcError,
    text,
)

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.pages import Reading
    from toolglot.mcp.wire import Exchange

MAX_PAGES = 1000
PROBE_SECONDS = 2.0
"""How long a server may take to answer the first question of the modern era before the older one is tried.

A slow start is no harm: what was sent waits, and a modern server refuses the handshake by naming its versions.
"""

_CLIENT: Mapping[str, str] = {"name": "toolglot", "version": __version__}


async def read_tools(exchange: Exchange, reading: Reading, *, probe: bool = True) -> None:
    """Connect and read all pages of `tools/list` into `reading`.

    In: a connection; `probe=False` starts with the handshake of the older era. Raises Problem; what was read until
    then stays in `reading`.
    """
    await read_pages(exchange, reading, await connect(exchange, reading, probe=probe))


async def connect(exchange: Exchange, reading: Reading, *, probe: bool = True) -> bool:
    """Agree on a protocol version, as the official client does; true for the modern era. Raises Problem."""
    try:
        return await _connect(exchange, reading, probe)
    except JsonError as error:
        raise _unreadable(reading, error) from None


async def read_pages(exchange: Exchange, reading: Reading, modern: bool) -> None:
    """Read all pages of `tools/list` into `reading`, over a connection of that era. Raises Problem."""
    try:
        await _read_pages(exchange, reading, modern)
    except JsonError as error:
        raise _unreadable(reading, error) from None


def _unreadable(reading: Reading, error: JsonError) -> Problem:
    return Problem(f"the answer to `{reading.waiting}` is {error}")


async def _connect(exchange: Exchange, reading: Reading, probe: bool) -> bool:
    version = MODERN_VERSIONS[-1] if probe else ""
    last_try = not probe
    while True:
        try:
            if version and await _discover(exchange, reading, version, limited=not last_try):
                return True
        except RpcError as error:
            mutual = _mutual(error)
            if mutual and not last_try:
                version, last_try = mutual, True
                continue
            if _is_modern_only(error):
                raise error.problem("server/discover") from None
        except NoAnswer:
            pass  # slow, or not understood: the handshake decides
        try:
            await _initialize(exchange, reading)
            return False
        except RpcError as error:
            version = _mutual(error)
            if last_try or not version:
                raise error.problem("initialize") from None
            last_try = True


async def _discover(exchange: Exchange, reading: Reading, version: str, *, limited: bool) -> bool:
    """Ask in the modern era; false where the answer shows that the server speaks only the older one."""
    left = anyio.current_effective_deadline() - anyio.current_time()
    within = min(PROBE_SECONDS, left / 4) if limited else None
    result = await _ask(exchange, reading, modern_request("server/discover", version), within=within)
    if kind(result) != "an object":
        return False
    parts = members(result)
    versions = _texts(parts.get("supportedVersions"))
    mutual = [known for known in MODERN_VERSIONS if known in versions]
    if mutual:
        reading.protocol = mutual[-1]
        reading.tells_changes = _tells_changes(parts.get("capabilities"))
        reading.identify(_server_stamp(parts.get("_meta")))
    return bool(mutual)


async def _initialize(exchange: Exchange, reading: Reading) -> None:
    """The handshake of the older era."""
    params: dict[str, Any] = {
        "protocolVersion": LEGACY_VERSIONS[-1],
        "capabilities": {},
        "clientInfo": _CLIENT,
    }
    result = await _ask(exchange, reading, Request("initialize", params))
    if kind(result) != "an object":
        raise Problem(f"the answer to `initialize` is {kind(result)}, not an object")
    parts = members(result)
    reading.protocol = text(parts.get("protocolVersion"))
    reading.tells_changes = _tells_changes(parts.get("capabilities"))
    reading.identify(parts.get("serverInfo"))
    await exchange.tell(Request("notifications/initialized", version=reading.protocol or ""))


async def _read_pages(exchange: Exchange, reading: Reading, modern: bool) -> None:
    cursor: str | None = None
    seen: set[str] = set()
    for number in range(1, MAX_PAGES + 1):
        request = _list_request(reading.protocol or "", cursor, modern)
        label = "tools/list" if number == 1 else f"tools/list (page {number})"
        try:
            result = await _ask(exchange, reading, request, label=label)
        except RpcError as error:
            raise error.problem(label) from None
        cursor = _take_page(result, reading, label)
        if cursor is None:
            return
        if cursor in seen:
            raise Problem(
                f"page {number} of `tools/list` names a cursor that was there before",
                "The server must end its list with a page without `nextCursor`.",
            )
        seen.add(cursor)
    raise Problem(f"`tools/list` has more than {MAX_PAGES:,} pages", "End the list without `nextCursor`.")


def _list_request(version: str, cursor: str | None, modern: bool) -> Request:
    params: dict[str, Any] = {} if cursor is None else {"cursor": cursor}
    return modern_request("tools/list", version, params) if modern else Request("tools/list", params, version)


def _take_page(result: bytes, reading: Reading, label: str) -> str | None:
    """Keep the tools of one page; the cursor of the next one, or None at the end."""
    if kind(result) != "an object":
        raise Problem(f"the answer to `{label}` is {kind(result)}, not an object with `tools`")
    parts = members(result, once=("tools", "nextCursor"))
    tools = parts.get("tools")
    if tools is None or kind(tools) != "a list":
        found = "has no `tools`" if tools is None else f"has `tools` that is {kind(tools)}, not a list"
        raise Problem(f"the answer to `{label}` {found}", "It must be an object with a list `tools`.")
    reading.add(items(tools))
    reading.fresh = min(reading.fresh, _fresh(parts.get("ttlMs")))
    if not reading.server:
        reading.identify(_server_stamp(parts.get("_meta")))
    following = parts.get("nextCursor", b"null")
    if kind(following) not in ("a text", "null"):
        raise Problem(f"the answer to `{label}` has a `nextCursor` that is {kind(following)}, not a text")
    return text(following) or None


def modern_request(method: str, version: str, params: Mapping[str, Any] | None = None) -> Request:
    """A request of the modern era: version, client and capabilities stand in its `_meta`."""
    meta: dict[str, Any] = {
        f"{META}protocolVersion": version,
        f"{META}clientInfo": _CLIENT,
        f"{META}clientCapabilities": {},
    }
    return Request(method, {**(params or {}), "_meta": meta}, version, modern=True)


async def _ask(
    exchange: Exchange, reading: Reading, request: Request, *, label: str = "", within: float | None = None
) -> bytes:
    reading.waiting = label or request.method
    return await exchange.ask(request, within=within)


def _mutual(error: RpcError) -> str:
    """The newest modern version that an error -32022 names and we speak."""
    supported = error.supported() if error.code == UNSUPPORTED_VERSION else ()
    return next((version for version in reversed(MODERN_VERSIONS) if version in supported), "")


def _is_modern_only(error: RpcError) -> bool:
    supported = error.supported() if error.code == UNSUPPORTED_VERSION else ()
    return bool(supported) and not any(version in LEGACY_VERSIONS for version in supported)


def _server_stamp(meta: bytes | None) -> bytes | None:
    if meta is None or kind(meta) != "an object":
        return None
    return members(meta).get(f"{META}serverInfo")


def _fresh(ttl: bytes | None) -> float:
    """The seconds of a raw `ttlMs`; for ever where the server does not say."""
    try:
        return math.inf if ttl is None else int(ttl) / 1000
    except ValueError:
        return math.inf


def _tells_changes(capabilities: bytes | None) -> bool:
    """Whether a server says when its list of tools has changed."""
    try:
        tools = members(capabilities or b"{}").get("tools", b"{}")
        return members(tools).get("listChanged") == b"true"
    except JsonError:
        return False


def _texts(raw: bytes | None) -> list[str]:
    if raw is None or kind(raw) != "a list":
        return []
    return [value for value in map(text, items(raw)) if value]
