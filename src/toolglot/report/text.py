"""The text form of a report: two lines where all is well, at most four lines a finding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglot.contract.model import SEVERITIES
from toolglot.report.causes import lines_of, sentence, target_names
from toolglot.report.escape import cut, plain
from toolglot.report.fold import by_rule, fold
from toolglot.report.instead import instead_lines
from toolglot.report.view import View, count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolglot.contract.model import Finding, Report
    from toolglot.errors import SourceError
    from toolglot.schema.tool import Listing

LINES = 12
"""Lines of one source that should be enough; findings are shortened where they need more (see `causes.lines_of`)."""

__all__ = ["LINES", "View", "header", "render_text"]


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
    causes = [cause for cause in fold(findings) if view.shows(cause.first)]
    tools = len(listing.entries)
    lines, shortened = lines_of(causes, tools, view, LINES - 2)
    if view.verbose and not view.quiet:
        lines += [view.paint(line, dim=True) for line in instead_lines(causes, listing)]
    if view.quiet:
        return [*head, *lines] if several and lines else lines
    closing = _closing(report, findings, tools, view)
    more = " -v shows each in full." if shortened else ""
    extra = "" if several else _aside(report, view)
    return [*head, *lines, view.paint(closing + more + extra, fg=None if causes else "green")]


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
        parts += [count(len(listing.entries), "tool"), f"about {size // 4:,} tokens"]
    line = ", ".join(parts)
    return f"{plain(cut(listing.id))}: {line}" if named and server else line


def _unread(error: SourceError, view: View) -> Iterator[str]:
    message = error.message.removeprefix(f"{error.source}: ")
    yield f"  {view.paint('could not be read:', fg='red')} {sentence(message)}"
    yield from (f"  {sentence(line)}" for line in error.hint.splitlines())


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
        where = f" in {hit} of {count(tools, 'tool')}" if hit else ""
        return f"{_severities(bad)}{where}{_on(report, view, named=False)}"
    if listed:
        return f"Nothing but the {count(listed, 'finding')} that the baseline lists{_on(report, view)}"
    if not tools:
        return "No tools, so nothing to check"
    verb = ("work" if tools > 1 else "works") if report.targets else ("pass" if tools > 1 else "passes")
    return f"{'All ' if tools > 1 else ''}{count(tools, 'tool')} {verb}{_on(report, view)}"


def _severities(findings: Iterable[Finding]) -> str:
    counts = dict.fromkeys(SEVERITIES, 0)
    for finding in findings:
        counts[finding.severity] += 1
    return ", ".join(count(number, severity) for severity, number in counts.items() if number)


def _on(report: Report, view: View, *, named: bool = True) -> str:
    if not report.targets:
        return ""
    if not view.default_targets:
        return f" on {target_names(report.targets)}"
    return f" on the default targets ({target_names(report.targets)})" if named else " on the default targets"


def _notes(notes: dict[str, int], view: View) -> str:
    total = count(sum(notes.values()), "note")
    if view.verbose or view.fail_on == "note":
        return total
    rules = ", ".join(f"{code} {number}" if len(notes) > 1 else code for code, number in notes.items())
    return f"{total}, shown with -v ({rules})"


def _aside(report: Report, view: View) -> str:
    """What is not known and what the project corrected: sentences after the closing line."""
    parts: list[str] = []
    unknown = {target: number for target, number in report.unknown.items() if number}
    if unknown and view.verbose:
        each = ", ".join(f"{plain(target)} {count(number, 'tool')}" for target, number in unknown.items())
        parts.append(f" No fact about some feature: {each}.")
    elif unknown:
        parts.append(f" No fact about some feature on {count(len(unknown), 'target')} (-v).")
    if report.corrected:
        parts.append(f" Facts corrected here: {', '.join(map(plain, report.corrected))}.")
    return "".join(parts)


def _total(report: Report, view: View) -> str:
    counted = [finding for finding in report.findings if not finding.listed]
    parts = [f"{count(len(report.listings), 'source')}: {_severities(counted) or 'no findings'}"]
    listed = len(report.findings) - len(counted)
    if listed:
        parts.append(f"{listed} listed by the baseline")
    if report.unread:
        parts.append(f"{count(len(report.unread), 'source')} could not be read")
    return "; ".join(parts) + "." + _aside(report, view)
