"""What the parts of the fixture share: content, and the shape of a tool."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any

from mcp.server.context import ServerRequestContext

Answer = dict[str, Any]
Context = ServerRequestContext[Any, Any]

IMAGE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
"""A picture of one pixel."""

AUDIO = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA="
"""A recording without a sample."""


@dataclass(frozen=True, slots=True)
class Tool:
    """One tool: `run` gets the context and the arguments."""

    run: Callable[[Context, Answer], Awaitable[Answer]]
    schema: Answer = field(default_factory=lambda: {"type": "object", "properties": {}})


def text(said: str) -> Answer:
    return {"type": "text", "text": said}


def embedded(uri: str, kind: str, said: str) -> Answer:
    return {"type": "resource", "resource": {"uri": uri, "mimeType": kind, "text": said}}


def answer(*content: Answer) -> Answer:
    return {"content": list(content)}
