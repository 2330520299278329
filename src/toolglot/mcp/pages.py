"""What was read from a source, as raw text: the tools of all pages, and who published them."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from toolglot.errors import MAX_MESSAGE_BYTES, JsonError, ToolError, parse_json
from toolglot.mcp.raw import members
from toolglot.mcp.wire import Problem, text
from toolglot.schema.tool import BadTool, Listing, Tool

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolglot.errors import SourceError


@dataclass(slots=True)
class Reading:
    """What is known so far while a source is being read; kept where the reading fails half-way.

    `fresh`: seconds that the server says its list counts.
    """

    transport: str
    raws: list[bytes] = field(default_factory=list[bytes])
    server: str | None = None
    version: str | None = None
    protocol: str | None = None
    waiting: str = "the server to start"
    note: str = ""
    tells_changes: bool = False
    fresh: float = math.inf
    handlers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    _bytes: int = 0

    def add(self, raws: Iterable[bytes]) -> None:
        """Keep the tools of one page; raises Problem where all together are too large."""
        for raw in raws:
            self.raws.append(raw)
            self._bytes += len(raw)
        if self._bytes > MAX_MESSAGE_BYTES:
            raise Problem(f"all pages together are larger than {MAX_MESSAGE_BYTES:,} bytes")

    def identify(self, info: bytes | None) -> None:
        """Take name and version from a raw `serverInfo`, where it is one."""
        try:
            parts = members(info) if info else {}
            self.server, self.version = text(parts.get("name")), text(parts.get("version"))
        except JsonError:
            self.server = self.version = None

    def pages(self, id: str, error: SourceError | None = None) -> Pages:
        """What was read, frozen."""
        return Pages(
            id=id,
            raws=tuple(self.raws),
            server=self.server,
            version=self.version,
            transport=self.transport,
            protocol=self.protocol,
            error=error,
            handlers=self.handlers,
        )


@dataclass(frozen=True, slots=True)
class Pages:
    """The answer of one source; `raws` are the list entries byte for byte, in published order."""

    id: str
    raws: tuple[bytes, ...] = ()
    server: str | None = None
    version: str | None = None
    transport: str = "file"
    protocol: str | None = None
    error: SourceError | None = None
    handlers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    def listing(self) -> Listing:
        """Every entry as a Tool, or as a BadTool that says what is wrong with it."""
        return Listing(
            id=self.id,
            entries=tuple(entry(raw, index) for index, raw in enumerate(self.raws)),
            server=self.server,
            version=self.version,
            transport=self.transport,
            protocol=self.protocol,
            error=self.error,
            handlers=self.handlers,
        )


def entry(raw: bytes, index: int) -> Tool | BadTool:
    """One list entry, parsed within the limits of one tool (depth, size, digits, doubled keys)."""
    try:
        value = parse_json(raw)
        return Tool.of(value, index)  # pyright: ignore[reportArgumentType]
    except JsonError as error:
        return BadTool(index, _name(raw), "", error.message, "Publish plain JSON that every client can read.")
    except ToolError as error:
        return BadTool(index, error.tool, error.pointer, error.message, error.hint)


def _name(raw: bytes) -> str | None:
    try:
        return text(members(raw).get("name"))
    except JsonError:
        return None
