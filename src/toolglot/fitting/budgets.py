"""Budgets of one request: which tools of a list a target takes together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from toolglot.schema.tool import Tool
from toolglot.targets.accept import ScannedTool
from toolglot.targets.model import Limit, Target

Counts = Mapping[str, int]

TOOLS = "tools"
"""The one budget that counts every tool of a request, strict or not."""


def budgets(target: Target) -> tuple[Limit, ...]:
    """The limits of a target on one request, those without a cost and the number of tools left out."""
    return tuple(
        limit
        for limit in target.limits.values()
        if limit.per_request and limit.effect != "none" and limit.name != TOOLS
    )


def most_tools(*targets: Target | None) -> Limit | None:
    """The lowest limit on the number of tools in one request; None where nobody has one."""
    limits = [target.limits[TOOLS] for target in targets if target is not None and TOOLS in target.limits]
    return min((limit for limit in limits if limit.effect != "none"), key=lambda limit: limit.value, default=None)


def counts_of(tool: Mapping[str, object], limits: Iterable[Limit]) -> Counts:
    """What these limits count of a tool as it is sent. Raises ToolError for a mapping that is no tool."""
    scanned = ScannedTool(Tool.of(tool))
    return {limit.name: scanned.count(limit.name) for limit in limits}


def exceeded(counts: Sequence[Counts], limits: Iterable[Limit]) -> tuple[Limit, ...]:
    """The budgets that tools with these counts are over together."""
    return tuple(limit for limit in limits if sum(one.get(limit.name, 0) for one in counts) > limit.value)


def chosen(counts: Sequence[Counts], limits: Iterable[Limit]) -> frozenset[int]:
    """The places of the tools that keep every budget together: as many as can be found, the earlier of equal ones.

    All of them where no budget is exceeded. Else the cheapest are taken first, where the cost of a tool is its share
    of the budgets that are exceeded. The choice depends on the counts and their order alone.
    """
    over = exceeded(counts, limits)
    left = {limit.name: limit.value for limit in over}
    kept: set[int] = set()
    for place in sorted(range(len(counts)), key=lambda place: (_share(counts[place], over), place)):
        if all(counts[place].get(name, 0) <= room for name, room in left.items()):
            kept.add(place)
            for name in left:
                left[name] -= counts[place].get(name, 0)
    return frozenset(kept)


def _share(counts: Counts, limits: Sequence[Limit]) -> float:
    return sum(counts.get(limit.name, 0) / max(limit.value, 1) for limit in limits)
