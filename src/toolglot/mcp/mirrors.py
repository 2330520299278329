"""Headers that repeat parts of a call over HTTP in the modern era: its tool, and parameters that a schema marks.

The revision 2026-07-28, as pypi mcp==2.3.0: mcp/shared/inbound.py writes them.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING, Any

from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from collections.abc import Iterator

PARAM = "mcp-param-"
"""The beginning of the header of a parameter."""

_MIRRORED = "x-mcp-header"
_SAFE = re.compile(r"[\x20-\x7E]*")
_TOKEN = re.compile(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_WRAPPED = re.compile(r"=\?base64\?.*\?=")


def mirrored_parameters(schema: Any, arguments: Any) -> Iterator[tuple[str, str]]:
    """Header and value of each parameter that the published schema marks, where the arguments have it."""
    for path, token in _mirrors(schema, ()):
        found = _at(arguments, path)
        if isinstance(found, (bool, str, int)):
            text = str(found).lower() if isinstance(found, bool) else str(found)
            yield f"{PARAM}{token}".lower(), encoded(text)


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


def decoded(value: str) -> str | None:
    """The text that the value of a header stands for; None for broken base64."""
    if not _WRAPPED.fullmatch(value):
        return value
    try:
        return base64.b64decode(value[len("=?base64?") : -len("?=")], validate=True).decode("utf-8", "surrogatepass")
    except ValueError:
        return None
