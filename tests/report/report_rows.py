"""Reports to render: built from real values, small enough to read."""

from __future__ import annotations

from typing import Any

from toolglot.contract.model import CheckedTool, FactNote, Finding, Report
from toolglot.errors import SourceError
from toolglot.schema.tool import Listing, read_entries

FACT = FactNote("type-list", "rejected", "https://example.com/types", "2026-05-01", "Proto field is not repeating")


def listing(count: int = 3, source: str = "cms", **fields: Any) -> Listing:
    entries = read_entries({"name": f"tool_{number}", "inputSchema": {}} for number in range(count))
    known = {"server": "cms", "version": "1.2.0", "transport": "stdio", "protocol": "2025-11-25"}
    return Listing(source, entries, **(known | fields))


def finding(**fields: Any) -> Finding:
    known: dict[str, Any] = {
        "code": "TG101",
        "rule": "structural-union",
        "severity": "error",
        "source": "cms",
        "tool": "tool_0",
        "index": 0,
        "pointer": "/properties/items",
        "keyword": "anyOf",
        "message": "A union of 3 objects.",
        "why": "Clients that take the first branch lose the others.",
        "fix": "one object with optional fields.",
    }
    return Finding(**(known | fields))


def on_target(target: str, **fields: Any) -> Finding:
    known: dict[str, Any] = {
        "code": "TG201",
        "rule": "refused",
        "targets": (target,),
        "fact": FACT,
        "group": "type-list",
        "why": "The whole request is refused.",
    }
    return finding(**(known | fields))


def report(*findings: Finding, listings: tuple[Listing, ...] | None = None, **fields: Any) -> Report:
    listings = listings if listings is not None else (listing(),)
    tools = tuple(CheckedTool(one.id, tool.name, tool.index, "read", 400) for one in listings for tool in one.tools)
    return Report(listings, tools, findings, **({"targets": ("openai-nonstrict", "cursor")} | fields))


def unread(source: str = "other") -> Listing:
    error = SourceError(source, "the server ended with exit code 1", hint="Its last words: no such file.")
    return Listing(source, transport="stdio", error=error)
