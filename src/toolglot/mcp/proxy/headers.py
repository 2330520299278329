"""HTTP headers of messages: what the modern era mirrors from a message, and what is passed on between two sides.

The mirrored headers are those of the revision 2026-07-28, as pypi mcp==2.3.0: mcp/shared/inbound.py writes them.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from toolglot.errors import JsonError, parse_json
from toolglot.mcp.proxy.envelope import head_of, is_modern, object_of, text_of
from toolglot.mcp.wire import META
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from toolglot.mcp.proxy.fitted import Known
    from toolglot.mcp.proxy.shelf import Shelf

SESSION = "mcp-session-id"
VERSION = "mcp-protocol-version"
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}
_PARAM = "mcp-param-"
_MIRRORED = "x-mcp-header"
_SAFE = re.compile(r"[\x20-\x7E]*")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")

HOP = frozenset(
    (
        *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "te", "trailer", "upgrade"),
        *("transfer-encoding", "content-length", "content-encoding", "host", "accept-encoding", "proxy-connection"),
        *("forwarded", "x-forwarded-for", "x-forwarded-host", "x-forwarded-proto", "origin", "expect"),
    )
)
"""Headers that belong to one connection, or that we write ourselves."""

_CREDENTIALS = ("authorization", "cookie", "x-api-key", "api-key")


def passed(headers: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """The headers that go on to the other side, in their order."""
    return [(name, value) for name, value in headers if name.lower() not in HOP]


def caller_of(headers: Mapping[str, str]) -> bytes:
    """What tells one caller from another: the credentials they send."""
    return "\0".join(headers.get(name, "") for name in _CREDENTIALS).encode()


def mirrored(raw: bytes, shelf: Shelf) -> dict[str, str] | None:
    """The headers that mirror a message of the modern era, made from the message as it goes on.

    None for a message of the older era. Parameters are mirrored where the published schema of the tool says so.
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
        headers |= dict(_params(shelf.find(name), params.get("arguments")))
    return headers


def _params(known: Known | None, arguments: bytes | None) -> Iterator[tuple[str, str]]:
    if known is None or known.form is None or arguments is None:
        return
    schema = known.form.published.tool.schema
    try:
        value = parse_json(arguments)
    except JsonError:
        return
    for path, token in _mirrors(schema, ()):
        found = _at(value, path)
        if isinstance(found, (bool, str, int)):
            text = str(found).lower() if isinstance(found, bool) else str(found)
            yield f"{_PARAM}{token}".lower(), encoded(text)


def _mirrors(schema: Any, path: tuple[str, ...]) -> Iterator[tuple[tuple[str, ...], str]]:
    if not is_map(schema) or len(path) > 20:
        return
    token = schema.get(_MIRRORED)
    if path and isinstance(token, str) and _TOKEN.fullmatch(token):
        yield path, token
    properties = schema.get("properties")
    for name, inner in properties.items() if is_map(properties) else ():
        yield from _mirrors(inner, (*path, name))


def _at(value: Any, path: tuple[str, ...]) -> Any:
    for name in path:
        if not is_map(value):
            return None
        value = value.get(name)
    return value


def encoded(value: str) -> str:
    """A value as a header can have it: as it is, or in base64."""
    if _SAFE.fullmatch(value) and value == value.strip() and not _WRAPPED.fullmatch(value):
        return value
    return f"=?base64?{base64.b64encode(value.encode('utf-8', 'surrogatepass')).decode()}?="


def with_mirrored(headers: list[tuple[str, str]], raw: bytes, shelf: Shelf) -> list[tuple[str, str]]:
    """The headers of a client, with those that mirror the message made anew."""
    made = mirrored(raw, shelf)
    if made is None:
        return headers
    known = shelf.find(made.get("mcp-name", ""))
    keeps_params = known is None or known.form is None
    kept = [
        (name, value)
        for name, value in headers
        if name.lower() not in made and (keeps_params or not name.lower().startswith(_PARAM))
    ]
    return [*kept, *made.items()]
