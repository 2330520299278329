"""Normalised tools as JSON: `tools` is what a `tools/list` would say, so the text can be checked again."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolglot.report.escape import embedded
from toolglot.targets.model import Fact, Limit

if TYPE_CHECKING:
    from toolglot.cli.fitting import Fitting
    from toolglot.fitting.ledger import Entry
    from toolglot.fitting.normalized import Normalized
    from toolglot.fitting.problem import Problem
    from toolglot.fitting.toolset import View
    from toolglot.targets.model import NameRule

VERSION = 1


def render(fitting: Fitting, view: View) -> str:
    """A view as one JSON document, ending in a line end; its form is described in `docs/normalize.md`.

    `tools` are the tools as they are sent; `fitted` says, for each of them, what was published and what changed.
    """
    tools = [tool for tool in view.tools if fitting.shows(tool.published.tool.name)]
    document = {
        "version": VERSION,
        "target": view.target.id,
        "tools": [tool.tool for tool in tools],
        "fitted": [_fitted(tool) for tool in tools],
        "problems": [_problem(one) for one in view.problems if fitting.shows(one.tool)],
        "notes": [_problem(one) for one in view.notes if fitting.shows(one.tool)],
    }
    return embedded(json.dumps(document, indent=2)) + "\n"


def _fitted(tool: Normalized) -> dict[str, Any]:
    return {
        "published": tool.published.tool.name,
        "name": tool.name,
        "target": tool.target.id,
        "field": tool.field if tool.schema is not None else None,
        "bytes": {"published": tool.size.published, "sent": tool.size.sent},
        "ledger": [_entry(entry) for entry in tool.ledger],
    }


def _entry(entry: Entry) -> dict[str, Any]:
    row: dict[str, Any] = {
        "pointer": entry.pointer,
        "feature": entry.feature,
        "shape": entry.shape,
        "values": entry.values,
        "reason": entry.reason,
        "fact": None if entry.fact is None else _fact(entry.fact),
    }
    return {**row, "lost": entry.lost} if entry.values in ("narrower", "changed") else row


def _fact(fact: Fact | Limit | NameRule) -> dict[str, Any]:
    says: dict[str, Any] = {"source": fact.proof.source, "date": None, "disputed": fact.proof.disputed}
    if fact.proof.seen is not None:
        says["date"] = fact.proof.seen.isoformat()
    if isinstance(fact, Fact):
        return {"target": fact.target, "status": fact.status, "effect": fact.effect, **says}
    return (
        {"limit": fact.value, **says} if isinstance(fact, Limit) else {"pattern": fact.pattern, "max": fact.max, **says}
    )


def _problem(problem: Problem) -> dict[str, Any]:
    return {"tool": problem.tool, "index": problem.index, "message": problem.message}
