"""Normalised tools as text: a line each, the ledger, or a diff."""

from __future__ import annotations

import json
from collections import Counter
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

from toolglot.cli.factsheet import proof_words
from toolglot.fitting.ledger import SHAPES, VALUES
from toolglot.report.escape import cut, name, plain
from toolglot.report.view import count
from toolglot.targets.model import Fact, Limit

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from toolglot.cli.fitting import Fitting
    from toolglot.fitting.ledger import Entry
    from toolglot.fitting.normalized import Normalized
    from toolglot.fitting.problem import Problem
    from toolglot.fitting.toolset import View
    from toolglot.targets.model import NameRule

_LINE = 500
_WIDEST = 60


def lines(form: str, fitting: Fitting, view: View, *, verbose: bool) -> Iterator[str]:
    """The text of a view: `form` is `ledger`, `diff`, or empty for one line a tool. What is not sent always follows."""
    tools = [tool for tool in view.tools if fitting.shows(published(tool))]
    if form == "ledger":
        yield from (line for tool in tools for line in _ledger(tool, verbose))
    elif form == "diff":
        yield from (line for tool in tools for line in _diff(tool))
    else:
        yield from _table(tools, view)
    yield from _problems("not sent", view.problems, fitting)
    yield from _problems("note", view.notes, fitting)
    if form != "diff":
        yield _closing(tools, view, fitting)


def published(tool: Normalized) -> str:
    """The published name of a tool."""
    return tool.published.tool.name


def untouched(tool: Normalized) -> bool:
    """Whether a tool is sent as it was published."""
    return not tool.ledger


def _problems(word: str, problems: Iterable[Problem], fitting: Fitting) -> Iterator[str]:
    for problem in problems:
        if fitting.shows(problem.tool):
            what = name(problem.tool) if problem.tool else f"entry {problem.index + 1}"
            yield f"{word}: {what} {plain(cut(problem.message, _LINE))}"


# One line a tool.


def _table(tools: Sequence[Normalized], view: View) -> Iterator[str]:
    names = [_names(tool) for tool in tools]
    width = min(max(map(len, names), default=0), _WIDEST)
    for shown, tool in zip(names, tools, strict=True):
        yield f"{shown:{width}}  {_cost(tool, view)}"


def _names(tool: Normalized) -> str:
    old = published(tool)
    return name(old) if old == tool.name else f"{name(old)} -> {name(tool.name)}"


def _cost(tool: Normalized, view: View) -> str:
    """What happened to a tool, in a few words: by shape, then by values where they are not exact."""
    elsewhere = "" if tool.target is view.target else f"; sent to {plain(tool.target.id)}"
    if untouched(tool):
        return f"as published{elsewhere}"
    shapes = Counter(entry.shape for entry in tool.ledger)
    values = Counter(entry.values for entry in tool.ledger)
    parts = [f"{shapes[shape]} {shape}" for shape in SHAPES if shapes[shape]]
    costs = [f"{values[kind]} {kind}" for kind in VALUES if kind != "exact" and values[kind]]
    size = f"; {tool.size.published:,} -> {tool.size.sent:,} bytes"
    return ", ".join(parts) + (f" ({', '.join(costs)})" if costs else "") + size + elsewhere


def _closing(tools: Sequence[Normalized], view: View, fitting: Fitting) -> str:
    same = sum(map(untouched, tools))
    missing = sum(fitting.shows(problem.tool) for problem in view.problems)
    before, after = (sum(getattr(tool.size, side) for tool in tools) // 4 for side in ("published", "sent"))
    parts = [
        f"{count(len(tools), 'tool')} for {plain(view.target.id)}: {same} as published, {len(tools) - same} fitted"
    ]
    if missing:
        parts.append(f"{missing} not sent")
    tokens = f"about {after:,} tokens" if before == after else f"about {before:,} tokens before, {after:,} after"
    return f"{', '.join(parts)}; {tokens}."


# The ledger.


def _ledger(tool: Normalized, verbose: bool) -> Iterator[str]:
    if untouched(tool):
        return
    yield _names(tool)
    for entries in _alike(tool.ledger):
        yield from _entry(entries, verbose)


def _alike(ledger: Iterable[Entry]) -> Iterable[list[Entry]]:
    """Entries that say the same about several places, together."""
    groups: dict[object, list[Entry]] = {}
    for entry in ledger:
        key = (entry.feature, entry.shape, entry.values, entry.reason, json.dumps(entry.lost), id(entry.fact))
        groups.setdefault(key, []).append(entry)
    return groups.values()


def _entry(entries: Sequence[Entry], verbose: bool) -> Iterator[str]:
    first, *others = entries
    more = f" and {count(len(others), 'more place')}" if others else ""
    what = f"{first.feature}: {first.shape}, {first.values}; {plain(cut(first.reason, _LINE))}"
    yield f"  {_place(first)}{more}  {what}"
    if verbose:
        yield from (f"    also {_place(entry)}" for entry in others)
    if first.values in ("narrower", "changed"):
        yield f"    cannot be said: {plain(cut(json.dumps(first.lost, ensure_ascii=False), _LINE))}"
    if verbose and first.fact is not None:
        yield f"    {_fact(first.fact)}"


def _place(entry: Entry) -> str:
    return plain(cut(entry.pointer)) or "(root)"


def _fact(fact: Fact | Limit | NameRule) -> str:
    if isinstance(fact, Fact):
        words = f"{fact.id} is {fact.status}"
    else:
        words = f"at most {fact.value:,} {fact.unit}" if isinstance(fact, Limit) else "a rule for names"
    says = f', "{plain(cut(fact.proof.says, _LINE))}"' if fact.proof.says else ""
    return f"because {words} [{proof_words(fact.proof)}; {plain(fact.proof.source)}]{says}"


# The diff.


def _diff(tool: Normalized) -> Iterator[str]:
    before, after = (_pretty(one) for one in (tool.published.tool.raw, tool.tool))
    heads = (f"published/{published(tool)}", f"{tool.target.id}/{tool.name}")
    yield from (plain(line) for line in unified_diff(before, after, *heads, lineterm=""))


def _pretty(tool: Mapping[str, Any]) -> list[str]:
    return json.dumps(tool, indent=2, ensure_ascii=False).splitlines()
