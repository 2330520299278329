"""The lines about causes: at most four each, and shorter forms where there are many."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from toolglot.contract.model import NO_WITNESS
from toolglot.report.escape import cut, name, plain
from toolglot.report.view import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolglot.contract.model import FactNote, Finding
    from toolglot.report.fold import Cause, Place
    from toolglot.report.view import View

_COLORS: dict[str, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
_WITNESS_LABELS = {
    **dict.fromkeys(("TG101", "TG112", "TG201", "TG202"), "cannot be said"),
    "TG203": "can be said, and is refused by the server",
}
"""What a witness shows, by code; elsewhere it is an example of the fault."""

_SENTENCE_LIMIT = 600
_WITNESS_LIMIT = 160
_NAMED_TARGETS = 9
_NAMED_PLACES = 3


def lines_of(causes: Sequence[Cause], tools: int, view: View, room: int) -> tuple[list[str], bool]:
    """The lines about the causes of one source, and whether they say less than there is.

    Each cause is shown in full if that fits into `room` lines, or if the view is verbose or quiet. Else what does
    not fail becomes a line for each rule; then, of each rule that fails, only the first cause stays in full; then
    what does not fail becomes one line.
    """
    full = [line for cause in causes for line in full_lines(cause, tools, view)]
    if view.verbose or view.quiet or len(full) <= room:
        return full, False
    failing = [cause for cause in causes if view.fails(cause.first)]
    mild = _by_rule(cause for cause in causes if not view.fails(cause.first))
    each = [line for cause in failing for line in full_lines(cause, tools, view)]
    short = [_rule_line(group, tools, view) for group in mild]
    if len(each) + len(short) <= room:
        return each + short, bool(short)
    first = [line for group in _by_rule(failing) for line in _first_lines(group, tools, view)]
    if len(first) + len(short) <= room or len(short) < 2:
        return first + short, True
    return [*first, _rules_line(mild, view)], True


def _by_rule(causes: Iterable[Cause]) -> list[list[Cause]]:
    groups: dict[tuple[str, str], list[Cause]] = {}
    for cause in causes:
        groups.setdefault((cause.first.severity, cause.first.code), []).append(cause)
    return list(groups.values())


def _rule_line(group: Sequence[Cause], tools: int, view: View) -> str:
    """One line for all causes of a rule."""
    first = group[0].first
    if len(group) == 1:
        return f"{_head(first, view)}  {_where(group[0], tools)}: {sentence(first.message)}"
    hit = len({place.first.index for cause in group for place in cause.places})
    where = f"{hit} of {count(tools, 'tool')} ({len(group)} causes), first: {_place(first)}"
    return f"{_head(first, view)}  {where}"


def _first_lines(group: Sequence[Cause], tools: int, view: View) -> Iterator[str]:
    """The first cause of a rule in full, the others as places on one line."""
    yield from full_lines(group[0], tools, view)
    others = [_place(cause.first) for cause in group[1:]]
    if others:
        more = ", ..." if len(others) > _NAMED_PLACES else ""
        yield f"  and {count(len(others), 'other cause')}: {', '.join(others[:_NAMED_PLACES])}{more}"


def _rules_line(groups: Sequence[Sequence[Cause]], view: View) -> str:
    """One line for the causes of several rules."""
    first = groups[0][0].first
    rules = ", ".join(f"{group[0].first.code} {group[0].first.rule} {len(group)}" for group in groups)
    return f"{view.paint(first.severity, fg=_COLORS[first.severity], bold=True)} {rules}"


def full_lines(cause: Cause, tools: int, view: View) -> Iterator[str]:
    """One cause: where, who is hit and how, what cannot be said, what to write; the details where verbose.

    In: the cause, the number of tools of its source, the view.
    """
    first = cause.first
    yield f"{_head(first, view)}  {view.paint(_where(cause, tools), bold=True)}"
    yield f"  {_who(cause)}"
    if cause.witness is not NO_WITNESS:
        yield f"  {_WITNESS_LABELS.get(first.code, 'for example')}: {_witness(cause.witness, view)}"
    if first.fix:
        yield f"  instead: {sentence(first.fix)}"
    if view.verbose:
        for one in (cause, *cause.also):
            yield from (view.paint(line, dim=True) for line in _details(one))


def _head(finding: Finding, view: View) -> str:
    severity = view.paint(finding.severity, fg=_COLORS[finding.severity], bold=True)
    return f"{severity} {finding.code} {finding.rule}"


def _where(cause: Cause, tools: int) -> str:
    place = _place(cause.first)
    places = len(cause.places)
    if cause.tools > 1:
        extra = f" ({places} places)" if places > cause.tools else ""
        return f"{cause.tools} of {count(tools, 'tool')}{extra}, first: {place}"
    return f"{place} and {count(places - 1, 'more place')}" if places > 1 else place


def _place(finding: Finding) -> str:
    if finding.tool is not None:
        tool = name(finding.tool)
    elif finding.index is not None:
        tool = f"entry {finding.index}"
    else:
        return "the whole list"
    return f"{tool} {name(finding.pointer)}" if finding.pointer else tool


def _who(cause: Cause) -> str:
    parts = [sentence(cause.first.message), _hit(cause)]
    for other in _more(cause):
        code = "" if other.first.code == cause.first.code else f" {other.first.code}"
        severity = "" if other.first.severity == cause.first.severity else f" as a {other.first.severity}"
        parts.append(f"Also{code}{severity}: {_hit(other)}")
    return " ".join(filter(None, parts))


def _more(cause: Cause) -> Iterator[Cause]:
    """What stands behind a cause, without what only names targets that another one names as well."""
    told = [cause, *cause.also]
    for place, other in enumerate(cause.also, 1):
        targets = set(other.targets)
        rivals = (one for one in told if one is not other and _kind(one) == _kind(other))
        if not any(targets < set(r.targets) or (targets == set(r.targets) and r in told[:place]) for r in rivals):
            yield other


def _kind(cause: Cause) -> tuple[str, str]:
    return cause.first.code, cause.first.severity


def _hit(cause: Cause) -> str:
    """Who is hit and how; the targets follow where the sentence does not name them."""
    first = cause.first
    told = cause.targets == first.targets and any(target in first.why for target in first.targets)
    targets = f"({target_names(cause.targets)})" if cause.targets and not told else ""
    return " ".join(filter(None, (sentence(first.why), targets)))


def _witness(value: Any, view: View) -> str:
    text = plain(json.dumps(value, ensure_ascii=False, default=str))
    return text if view.verbose else cut(text, _WITNESS_LIMIT)


def sentence(text: str) -> str:
    """A sentence as one harmless line of bounded length."""
    return plain(cut(text, _SENTENCE_LIMIT))


def target_names(targets: Sequence[str]) -> str:
    """Targets by name; of many, the first ones and how many there are."""
    if len(targets) > _NAMED_TARGETS:
        return f"{len(targets)} targets: {', '.join(map(plain, targets[: _NAMED_TARGETS - 1]))}, ..."
    return ", ".join(map(plain, targets))


def _details(cause: Cause) -> Iterator[str]:
    if cause.targets:
        yield f"    targets: {', '.join(map(plain, cause.targets))}"
    for fact in cause.facts:
        yield f"    fact: {_fact(fact)}"
        if fact.says:
            yield f'    says: "{plain(fact.says)}"'
    if cause.first.listed:
        yield f"    listed by the baseline: {plain(cause.first.baseline or '')}"
    if len(cause.places) > 1:
        yield from (f"    at {_detail_of_place(place, cause)}" for place in cause.places)


def _fact(fact: FactNote) -> str:
    return f"{plain(fact.feature)} {plain(fact.status)}, {plain(fact.date or 'no date')}, {plain(fact.source)}"


def _detail_of_place(place: Place, cause: Cause) -> str:
    differs = place.targets != cause.targets
    return f"{_place(place.first)} ({', '.join(map(plain, place.targets))})" if differs else _place(place.first)
