"""The text form of a report: two lines where all is well, at most four lines a finding."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from toolglot.contract.model import NO_WITNESS, SEVERITIES
from toolglot.report.brief import ROOM, codes, split
from toolglot.report.escape import cut, name, plain
from toolglot.report.fold import Cause, by_rule, fold

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolglot.contract.model import FactNote, Finding, Report, Severity
    from toolglot.errors import SourceError
    from toolglot.report.fold import Place
    from toolglot.schema.tool import Listing

_COLORS: dict[str, str] = {"error": "red", "warning": "yellow", "note": "cyan"}
_WITNESS_LABELS = {
    **dict.fromkeys(("TG101", "TG112", "TG201", "TG202"), "cannot be said"),
    "TG203": "can be said, and is refused by the server",
}
"""What a witness shows, by code; elsewhere it is an example of the fault."""

_SENTENCE_LIMIT = 600
_WITNESS_LIMIT = 160
_NAMED_TARGETS = 9


@dataclass(frozen=True, slots=True)
class View:
    """How a report is shown.

    `verbose` shows notes, listed findings, sources and every place. `quiet` shows only what fails. `fail_on`
    is the mildest severity that fails; it is always shown in full. `default_targets`: nobody named targets.
    """

    verbose: bool = False
    quiet: bool = False
    color: bool = False
    fail_on: Severity = "error"
    default_targets: bool = False

    def paint(self, text: str, **style: Any) -> str:
        """The text in a colour, or as it is where there is none. In: text that is harmless already."""
        return click.style(text, **style) if self.color else text


def render_text(report: Report, view: View | None = None) -> str:
    """A report for people, ending in a line end; empty where `quiet` has nothing to say.

    A section for each source, each with the two lines of a clean run or its findings and a closing line. With
    several sources a line about all of them follows.
    """
    view = view or View()
    sections = [_section(report, listing, view) for listing in report.listings]
    lines = [line for section in sections for line in section]
    if len(report.listings) > 1 and not view.quiet:
        lines.append(view.paint(_total(report, view), bold=True))
    return "".join(f"{line}\n" for line in lines)


def _section(report: Report, listing: Listing, view: View) -> list[str]:
    several = len(report.listings) > 1
    head = [view.paint(header(report, listing, named=several), bold=True)]
    if listing.error is not None:
        head += _unread(listing.error, view)
        if not listing.entries:
            return head
    findings = [finding for finding in report.findings if finding.source == listing.id]
    causes = [cause for cause in fold(findings) if _shown(cause, view)]
    tools = len(listing.entries)
    lines = [line for cause in causes for line in _cause(cause, tools, view)]
    if len(lines) > ROOM and not view.verbose:
        lines = list(_briefly(causes, tools, view))
    if view.quiet:
        return [*head, *lines] if several and lines else lines
    closing = _closing(report, findings, tools, view)
    extra = "" if several else _aside(report, view)
    return [*head, *lines, view.paint(closing + extra, fg=None if causes else "green")]


def header(report: Report, listing: Listing, *, named: bool = False) -> str:
    """What was read, on one line: server, version, transport, protocol, number of tools, about-tokens.

    `named` puts the id of the source in front, to tell several sources apart.
    """
    size = sum(tool.bytes for tool in report.tools if tool.source == listing.id)
    server = " ".join(plain(cut(part)) for part in (listing.server, listing.version) if part)
    parts = [server or plain(cut(listing.id)), listing.transport]
    if listing.protocol:
        parts.append(f"protocol {plain(cut(listing.protocol))}")
    if listing.error is None or listing.entries:
        parts += [_count(len(listing.entries), "tool"), f"about {size // 4:,} tokens"]
    line = ", ".join(parts)
    return f"{plain(cut(listing.id))}: {line}" if named and server else line


def _unread(error: SourceError, view: View) -> Iterator[str]:
    message = error.message.removeprefix(f"{error.source}: ")
    yield f"  {view.paint('could not be read:', fg='red')} {_sentence(message)}"
    yield from (f"  {_sentence(line)}" for line in error.hint.splitlines())


def _shown(cause: Cause, view: View) -> bool:
    failing = SEVERITIES.index(cause.first.severity) <= SEVERITIES.index(view.fail_on)
    if cause.first.listed:
        return view.verbose and not view.quiet
    if view.quiet:
        return failing
    return failing or view.verbose or cause.first.severity != "note"


# One finding.


def _cause(cause: Cause, tools: int, view: View) -> Iterator[str]:
    first = cause.first
    severity = view.paint(first.severity, fg=_COLORS[first.severity], bold=True)
    yield f"{severity} {first.code} {first.rule}  {view.paint(_where(cause, tools), bold=True)}"
    yield f"  {_who(cause)}"
    if cause.witness is not NO_WITNESS:
        label = _WITNESS_LABELS.get(first.code, "for example")
        yield f"  {label}: {_witness(cause.witness, view)}"
    if first.fix:
        yield f"  instead: {_sentence(first.fix)}"
    if view.verbose:
        yield from (view.paint(line, dim=True) for line in _details(cause))


def _briefly(causes: Sequence[Cause], tools: int, view: View) -> Iterator[str]:
    failing = SEVERITIES[: SEVERITIES.index(view.fail_on) + 1]
    for full, group in split(causes, failing):
        if full:
            yield from _cause(group[0], tools, view)
        else:
            yield _one_line(group, tools, view)


def _one_line(group: Sequence[Cause], tools: int, view: View) -> str:
    """One or several causes in one line; -v shows them in full."""
    first = group[0].first
    severity = view.paint(first.severity, fg=_COLORS[first.severity], bold=True)
    if len(group) == 1:
        where = view.paint(_where(group[0], tools), bold=True)
        return f"{severity} {first.code} {first.rule}  {where}: {_sentence(first.message)}"
    hit = {place.first.index for cause in group for place in cause.places if place.first.index is not None}
    where = view.paint(f"{len(hit)} of {_count(tools, 'tool')}" if hit else "the whole list", bold=True)
    targets = tuple(dict.fromkeys(target for cause in group for target in cause.targets))
    on = f" on {_targets(targets)}" if targets else ""
    what = first.rule if len({cause.first.code for cause in group}) == 1 else "losses"
    return f"{severity} {what}  {where}{on} ({codes(group)}), shown with -v"


def _where(cause: Cause, tools: int) -> str:
    place = _place(cause.first)
    count = len(cause.places)
    if cause.tools > 1:
        places = f" ({count} places)" if count > cause.tools else ""
        return f"{cause.tools} of {_count(tools, 'tool')}{places}, first: {place}"
    return f"{place} and {_count(count - 1, 'more place')}" if count > 1 else place


def _place(finding: Finding) -> str:
    if finding.tool is not None:
        tool = name(finding.tool)
    elif finding.index is not None:
        tool = f"entry {finding.index}"
    else:
        return "the whole list"
    return f"{tool} {name(finding.pointer)}" if finding.pointer else tool


def _who(cause: Cause) -> str:
    first = cause.first
    told = cause.targets == first.targets and any(target in first.why for target in first.targets)
    hit = f"({_targets(cause.targets)})" if cause.targets and not told else ""
    return " ".join(part for part in (_sentence(first.message), _sentence(first.why), hit) if part)


def _witness(value: Any, view: View) -> str:
    text = plain(json.dumps(value, ensure_ascii=False, default=str))
    return text if view.verbose else cut(text, _WITNESS_LIMIT)


def _sentence(text: str) -> str:
    return plain(cut(text, _SENTENCE_LIMIT))


def _targets(targets: Sequence[str]) -> str:
    if len(targets) > _NAMED_TARGETS:
        return f"{len(targets)} targets: {', '.join(map(plain, targets[: _NAMED_TARGETS - 1]))}, ..."
    return ", ".join(map(plain, targets))


def _details(cause: Cause) -> Iterator[str]:
    if cause.targets:
        yield f"    targets: {', '.join(map(plain, cause.targets))}"
    for fact in cause.facts:
        yield f"    fact: {_fact(fact)}"
        if fact.says:
            yield f'    in its own words: "{plain(fact.says)}"'
    if cause.first.listed:
        yield f"    listed by the baseline: {plain(cause.first.baseline or '')}"
    if len(cause.places) > 1:
        yield from (f"    at {_detail_of_place(place, cause)}" for place in cause.places)


def _fact(fact: FactNote) -> str:
    seen = fact.date or "no date"
    return f"{plain(fact.feature)} {plain(fact.status)}, {plain(seen)}, {plain(fact.source)}"


def _detail_of_place(place: Place, cause: Cause) -> str:
    differs = place.targets != cause.targets
    return f"{_place(place.first)} ({', '.join(map(plain, place.targets))})" if differs else _place(place.first)


# The closing line.


def _closing(report: Report, findings: Sequence[Finding], tools: int, view: View) -> str:
    listed = sum(finding.listed for finding in findings)
    bad = [finding for finding in findings if finding.severity != "note" and not finding.listed]
    parts = [_verdict(report, bad, listed, tools, view)]
    if listed and bad:
        parts.append(f"{listed} listed by the baseline")
    notes = by_rule(findings, "note")
    if notes:
        parts.append(_notes(notes, view))
    return "; ".join(parts) + "."


def _verdict(report: Report, bad: Sequence[Finding], listed: int, tools: int, view: View) -> str:
    if bad:
        hit = len({finding.index for finding in bad if finding.index is not None})
        where = f" in {hit} of {_count(tools, 'tool')}" if hit else ""
        return f"{_severities(bad)}{where}{_on(report, view, named=False)}"
    if listed:
        return f"Nothing but the {_count(listed, 'finding')} that the baseline lists{_on(report, view)}"
    if not tools:
        return "No tools, so nothing to check"
    verb = ("work" if tools > 1 else "works") if report.targets else ("pass" if tools > 1 else "passes")
    return f"{'All ' if tools > 1 else ''}{_count(tools, 'tool')} {verb}{_on(report, view)}"


def _severities(findings: Iterable[Finding]) -> str:
    counts = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        counts[finding.severity] += 1
    return ", ".join(_count(count, severity) for severity, count in counts.items() if count)


def _on(report: Report, view: View, *, named: bool = True) -> str:
    if not report.targets:
        return ""
    if not view.default_targets:
        return f" on {_targets(report.targets)}"
    return f" on the default targets ({_targets(report.targets)})" if named else " on the default targets"


def _notes(notes: dict[str, int], view: View) -> str:
    total = _count(sum(notes.values()), "note")
    if view.verbose or view.fail_on == "note":
        return total
    rules = ", ".join(f"{code} {count}" if len(notes) > 1 else code for code, count in notes.items())
    return f"{total}, shown with -v ({rules})"


def _aside(report: Report, view: View) -> str:
    """What is not known and what the project corrected: sentences after the closing line."""
    parts: list[str] = []
    unknown = {target: count for target, count in report.unknown.items() if count}
    if unknown and view.verbose:
        each = ", ".join(f"{plain(target)} {_count(count, 'tool')}" for target, count in unknown.items())
        parts.append(f" No fact about some feature: {each}.")
    elif unknown:
        parts.append(f" No fact about some feature on {_count(len(unknown), 'target')} (-v).")
    if report.corrected:
        parts.append(f" Facts corrected here: {', '.join(map(plain, report.corrected))}.")
    return "".join(parts)


def _total(report: Report, view: View) -> str:
    counted = [finding for finding in report.findings if not finding.listed]
    parts = [f"{_count(len(report.listings), 'source')}: {_severities(counted) or 'no findings'}"]
    listed = len(report.findings) - len(counted)
    if listed:
        parts.append(f"{listed} listed by the baseline")
    if report.unread:
        parts.append(f"{_count(len(report.unread), 'source')} could not be read")
    return "; ".join(parts) + "." + _aside(report, view)


def _count(number: int, word: str) -> str:
    return f"{number:,} {word}{'' if number == 1 else 's'}"
