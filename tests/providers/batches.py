"""The corpus in lists that fit one request, and lists sent by other means than ours."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from sdks import Case
from tests.shared import corpus

from toolglot.fitting.budgets import most_tools
from toolglot.schema.tool import thaw
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import REQUEST_LIMITS, Target

WHOLE = os.environ.get("TOOLGLOT_ACCEPT") == "1"
"""Whether the whole corpus is asked for; else a sample of it."""

MOST = 100
STRICT = 20


def tools(every: int, whole: int = 1) -> list[dict[str, Any]]:
    """Each so many-th tool of the corpus, with a description; each `whole`-th where the whole is asked for."""
    found = corpus()[:: whole if WHOLE else every]
    return [{"name": t["name"], "description": "What it does.", "inputSchema": t["inputSchema"]} for t in found]


def size(target: Target) -> int:
    """How many tools go into one request: within what the target takes, and few enough for its strict budgets."""
    twin = SHIPPED.target(target.fallback) if target.fallback else None
    limit = most_tools(target, twin)
    tight = any(name in target.limits for name in REQUEST_LIMITS if name != "tools")
    return min(MOST, limit.value if limit else MOST, STRICT if tight else MOST)


def batches(found: list[dict[str, Any]], most: int) -> list[list[dict[str, Any]]]:
    """Lists of at most `most` tools, no name twice in one."""
    open_lists: list[dict[str, dict[str, Any]]] = []
    for tool in found:
        place = next((one for one in open_lists if len(one) < most and tool["name"] not in one), None)
        if place is None:
            place = {}
            open_lists.append(place)
        place[tool["name"]] = tool
    return [list(one.values()) for one in open_lists]


@dataclass(frozen=True)
class Plain:
    """A tool that is sent without us."""

    name: str
    description: str
    schema: Any
    target: Target

    @property
    def field(self) -> str:
        return self.target.field


@dataclass(frozen=True)
class PlainView:
    """A list that is sent without us."""

    target: Target
    tools: tuple[Plain, ...]


def as_published(case: Case, found: list[dict[str, Any]]) -> PlainView:
    """A list with names and schemas as the server published them."""
    target = SHIPPED.target(case.target)
    return PlainView(target, tuple(Plain(t["name"], t["description"], thaw(t["inputSchema"]), target) for t in found))
