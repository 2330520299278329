"""What one conversation keeps and shares: open requests, the policy, and small questions about messages."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolglot.mcp.proxy.envelope import dump, head_of, join, object_of, text_of, with_parts
from toolglot.mcp.wire import META

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.proxy.calls import Verdict
    from toolglot.mcp.proxy.fitted import Known
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.shelf import Settle, Shelf


@dataclass(slots=True)
class Pending:
    """A request that went to the server. `verdict` and `known` only for calls that were judged."""

    method: str
    started: float = field(default_factory=time.perf_counter)
    known: Known | None = None
    verdict: Verdict | None = None
    arguments: bytes | None = None
    first_page: bool = True


@dataclass(frozen=True, slots=True)
class Policy:
    """What all conversations of one proxy share."""

    settings: Settings
    journal: Journal
    shelf_of: Callable[[str | None], Shelf]
    """The tools for a client by the name it gives itself; None: it has not said yet."""
    settle: Settle = lambda shelf, public: shelf
    """Which shelf learns from a list, and from one that the server calls public."""


def sent(raw: bytes, params: Mapping[str, bytes], known: Known, verdict: Verdict) -> bytes:
    """The call as it goes to the server: the very bytes where nothing changed."""
    parts: dict[str, bytes] = {}
    if text_of(params.get("name")) != known.name:
        parts["name"] = dump(known.name)
    if verdict.arguments is not None and not verdict.refused:
        parts["arguments"] = dump(verdict.arguments)
    return with_parts(raw, params=join({**params, **parts})) if parts else raw


def own_meta(meta: bytes | None) -> bytes | None:
    """The `_meta` of a caller's request for a question of our own: version and capabilities, no progress token."""
    parts = {key: value for key, value in object_of(meta).items() if key.startswith(META)}
    return join(parts) if parts else None


def key_of(raw: bytes) -> bytes:
    """The id of a message that is refused, where it can be told for certain."""
    head = head_of(raw)
    return head.key if head is not None and raw.count(b'"id"') == 1 else b""
