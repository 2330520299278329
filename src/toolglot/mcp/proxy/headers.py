"""HTTP headers of messages: what the modern era mirrors from a message, and what is passed on between two sides.

The mirrored headers are those of the revision 2026-07-28, as pypi mcp==2.3.0: mcp/shared/inbound.py writes them.
"""

from __future__ import annotations

import re
from hashlib import sha256
from typing import TYPE_CHECKING

from toolglot.errors import JsonError, parse_json
from toolglot.mcp.mirrors import PARAM, encoded, mirrored_parameters
from toolglot.mcp.proxy.envelope import head_of, is_modern, object_of, text_of
from toolglot.mcp.proxy.fitted import shown_schema
from toolglot.mcp.wire import META

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolglot.mcp.proxy.fitted import Known
    from toolglot.mcp.proxy.shelf import Shelf
    from toolglot.mcp.proxy.web import Headers

SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}

HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade"),
        *("transfer-encoding", "content-length", "host", "accept-encoding", "proxy-connection"),
        *("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "origin", "expect"),
    )
)
"""Headers that belong to one connection, or that we write ourselves."""

_CREDENTIAL = re.compile(r"auth|cookie|token|key|secret|tenant|account|subject|cert|user(?!-agent)")
"""Headers that may say who a caller is: servers have names of their own for them."""


def passed(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers that go on to the other side, in their order."""
    return [(name, value) for name, value in headers if name.lower() not in HOP]


def caller_of(headers: Mapping[str, str]) -> bytes:
    """What tells one caller from another: the credentials they send, as a digest."""
    named = sorted((name, value) for name, value in headers.items() if _CREDENTIAL.search(name))
    return sha256(repr(named).encode()).digest() if named else b""


def mirrored(raw: bytes, shelf: Shelf, *, shown: bool = False) -> dict[str, str] | None:
    """The headers that mirror a message of the modern era, made from the message as it goes on.

    None for a message of the older era. Parameters are mirrored where the published schema of the tool says so, or
    the one that the client was `shown`.
    """
    head = head_of(raw)
    if head is None or not head.name or not is_modern(head.params):
        return None
    params = object_of(head.params)
    version = text_of(object_of(params.get("_meta")).get(f"{META}protocolVersion")) or ""
    headers = {VERSION: version, "mcp-method": head.name}
    name = text_of(params.get(_NAMED.get(head.name, "")))
    if name is not None:
        headers["mcp-name"] = encoded(name)
    if head.name == "tools/call" and name is not None:
        headers |= dict(_params(shelf.find(name), params.get("arguments"), shown))
    return headers


def _params(known: Known | None, arguments: bytes | None, shown: bool) -> Iterator[tuple[str, str]]:
    if known is None or known.form is None or arguments is None:
        return
    try:
        value = parse_json(arguments)
    except JsonError:
        return
    yield from mirrored_parameters(shown_schema(known.form) if shown else known.form.published.tool.schema, value)


def with_mirrored(headers: Headers, raw: bytes, shelf: Shelf, *, closed: bool = False) -> Headers:
    """The headers of a client, with those that mirror the message made anew.

    A message of the older era has none; `closed`: those that a client sends with it all the same do not go on.
    """
    made = mirrored(raw, shelf)
    if made is None:
        return [pair for pair in headers if not _is_mirror(pair[0])] if closed else headers
    known = shelf.find(made.get("mcp-name", ""))
    keeps_params = not closed and (known is None or known.form is None)
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in made and (keeps_params or not name.lower().startswith(PARAM))
    ]
    return [*kept, *made.items()]


def _is_mirror(name: str) -> bool:
    return name.lower() in ("mcp-method", "mcp-name") or name.lower().startswith(PARAM)
