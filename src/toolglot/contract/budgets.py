"""Budgets per request: what a target limits over all tools together, and the smallest set of tools to leave out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from toolglot.contract.losses import note_of
from toolglot.contract.rule import Hit
from toolglot.contract.unions import listed
from toolglot.targets.accept import ScannedTool, Violation
from toolglot.targets.model import Limit, Target


def budget_hits(tools: Sequence[ScannedTool], targets: Iterable[Target], today: date) -> Iterator[Hit]:
    """One hit per target and budget that the list exceeds."""
    for target in targets:
        for limit in target.limits.values():
            if limit.per_request and limit.effect != "unknown":
                total = sum(tool.count(limit.name) for tool in tools)
                if total > limit.value:
                    yield _hit(target, limit, total, leave_out(tools, limit), today)


def leave_out(tools: Sequence[ScannedTool], limit: Limit) -> list[str]:
    """The names of the fewest tools without which the list keeps a budget: the largest first, later ones before."""
    order = sorted(enumerate(tools), key=lambda pair: (-pair[1].count(limit.name), -pair[0]))
    total = sum(tool.count(limit.name) for tool in tools)
    names: list[str] = []
    for _, tool in order:
        if total <= limit.value:
            break
        total -= tool.count(limit.name)
        names.append(tool.tool.name)
    return names


def _hit(target: Target, limit: Limit, total: int, names: list[str], today: date) -> Hit:
    doubt = limit.proof.doubt(today)
    return Hit(
        pointer="",
        message=f"The list has {total:,} {limit.unit}; {target.id} takes {limit.value:,} in one request.",
        why=_why(target, doubt),
        fix=f"Leave out at least {len(names)}: {listed(names)}."
        if len(names) <= 40
        else f"Leave out {len(names)} tools.",
        severity="warning" if doubt else "error",
        targets=(target.id,),
        group=f"{limit.name} {limit.value}",
        fact=note_of(Violation(target.id, limit.name, limit.effect, limit, total)),
    )


def _why(target: Target, doubt: str) -> str:
    says = f"On {target.id}: {target.failure or 'the request is refused'}"
    return f"{says} ({doubt})." if doubt else f"{says.rstrip('.')}."
