"""The baseline: the violations that a project knows and will remove. Each entry is checked from both sides.

A violation that is not listed fails, and so does a listed one that is gone. The list exists to reach zero.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from toolglot.contract.entries import Baseline, Entry, Index, baseline_of, load_baseline, parse_baseline
from toolglot.contract.model import Finding, Severity
from toolglot.contract.patterns import is_literal, matches
from toolglot.schema.tool import BadTool, Listing

if TYPE_CHECKING:
    from datetime import date

__all__ = ["Baseline", "Entry", "Judged", "apply", "baseline_of", "load_baseline", "parse_baseline"]

RULES: Final[Mapping[str, str]] = {
    "TG301": "stale-entry",
    "TG302": "tool-gone",
    "TG303": "entry-without-reason",
    "TG304": "entry-without-issue",
    "TG305": "doubled-entry",
    "TG306": "expired-entry",
    "TG307": "baseline-growth",
    "TG308": "entry-not-judged",
}
"""The codes that a baseline itself can cause, with their names. None of them can be listed."""

_URL = re.compile(r"https?://\S+")
_CHANGES = "The list exists to reach zero, so an entry goes when its violation does."


@dataclass(frozen=True, slots=True)
class Judged:
    """What a check looked at; an entry is called stale only where that is enough to know.

    `tools` gives, for each tool that was read whole, the source. `broken` are the names of list entries that are no
    tools ("" for one without a name). `rules` are the codes that ran, `targets` the ids asked for, `skipped` the
    pairs of tool and code that the configuration leaves out. `complete`: every source was read.
    """

    tools: Mapping[str, str] = field(default_factory=dict[str, str])
    broken: frozenset[str] = frozenset()
    rules: frozenset[str] = frozenset()
    targets: frozenset[str] = frozenset()
    skipped: frozenset[tuple[str, str]] = frozenset()
    sources: tuple[str, ...] = ()
    complete: bool = True

    @classmethod
    def of(
        cls,
        listings: Sequence[Listing],
        rules: Iterable[str],
        targets: Iterable[str] = (),
        skipped: Iterable[tuple[str, str]] = (),
    ) -> Judged:
        """What was looked at: these sources, rules (codes) and targets (ids), without the skipped pairs."""
        entries = [(listing.id, entry) for listing in listings for entry in listing.entries]
        broken = {entry.name or "" for _, entry in entries if isinstance(entry, BadTool)}
        whole = {entry.name: source for source, entry in entries if not isinstance(entry, BadTool)}
        return cls(
            tools={name: source for name, source in whole.items() if name not in broken},
            broken=frozenset(broken),
            rules=frozenset(rules),
            targets=frozenset(targets),
            skipped=frozenset(skipped),
            sources=tuple(listing.id for listing in listings),
            complete=all(listing.error is None for listing in listings),
        )

    def without(self, tools: Iterable[str]) -> Judged:
        """The same, where these tools were not looked at whole."""
        broken = self.broken | frozenset(tools)
        whole = {name: source for name, source in self.tools.items() if name not in broken}
        return replace(self, tools=whole, broken=broken)


def apply(baseline: Baseline, findings: Iterable[Finding], judged: Judged, today: date) -> tuple[Finding, ...]:
    """The findings, the listed ones with the reason of their entry, and what is wrong with the entries themselves.

    A finding that is listed for some of its targets only becomes two. An entry has at most one finding that tells to
    remove it (TG301, TG302, TG305); entries that were not judged are one note (TG308) for each cause.
    """
    findings = tuple(findings)
    index = Index(baseline.entries)
    used: set[Entry] = set()
    judged = judged.without(finding.tool or "" for finding in findings if finding.code.startswith("TG0"))
    judgements = [part for finding in findings for part in _listed(finding, index, used)]
    problems = _Problems(baseline, judged, today)
    for entry in baseline.entries:
        problems.look_at(entry, index, used=entry in used)
    return (*judgements, *problems.findings())


def _listed(finding: Finding, index: Index, used: set[Entry]) -> Iterable[Finding]:
    """The finding, split into the part that is listed and the part that is not; the entries go to `used`."""
    entries = [entry for entry in index.near(finding.code, finding.tool or "") if entry.lists(finding)]
    used.update(entries)
    if not entries:
        return (finding,)
    reason = min(entries, key=lambda entry: entry.number).reason
    rest = tuple(target for target in finding.targets if target not in {entry.target for entry in entries})
    if not rest or any(entry.target is None for entry in entries):
        return (replace(finding, baseline=reason),)
    known = tuple(target for target in finding.targets if target not in rest)
    return (replace(finding, targets=known, baseline=reason), replace(finding, targets=rest))


class _Problems:
    """Collects what is wrong with the entries of a baseline."""

    def __init__(self, baseline: Baseline, judged: Judged, today: date) -> None:
        self._baseline, self._judged, self._today = baseline, judged, today
        self._found: list[Finding] = []
        self._not_judged: defaultdict[str, list[Entry]] = defaultdict(list)
        self._worded: set[int] = set()

    def look_at(self, entry: Entry, index: Index, *, used: bool) -> None:
        """Judge one entry; `used`: some finding is listed by it."""
        if not used and self._unneeded(entry):
            return
        covering = _covering(entry, index)
        if covering is not None:
            message = f"{covering.where} lists this already, so {self._at(entry)} says nothing new"
            self._add("TG305", entry, message, "Remove the narrower entry.")
            return
        if entry.number not in self._worded:  # an entry with several targets has its words once
            self._worded.add(entry.number)
            self._check_words(entry)

    def findings(self) -> tuple[Finding, ...]:
        """All that was found, the notes last."""
        return (*self._found, *(self._note(why, entries) for why, entries in self._not_judged.items()))

    def _unneeded(self, entry: Entry) -> bool:
        """Whether the unused entry is to be removed; one that was not judged is noted."""
        names = self._tools_of(entry)
        why = _not_judged(entry, names, self._judged)
        if why:
            self._not_judged[why].append(entry)
            return False
        if names or matches(entry.patterns[0], ()):
            message = f"{entry.violation} no longer violates here, but {self._at(entry)} lists it"
            self._add("TG301", entry, message, "Remove the entry (`toolglot baseline prune` does it).")
        else:
            message = f"no such tool is published, but {self._at(entry)} lists {entry.rule} in it"
            self._add("TG302", entry, message, "Remove the entry, or give it the new name of the tool.")
        return True

    def _tools_of(self, entry: Entry) -> list[str]:
        """The tools that were read whole and that the entry is about."""
        tool = entry.patterns[0]
        if is_literal(tool):
            return [entry.tool] if entry.tool in self._judged.tools else []
        return [name for name in self._judged.tools if matches(tool, tuple(name))]

    def _at(self, entry: Entry) -> str:
        return f"{entry.where} of {self._baseline.path}"

    def _check_words(self, entry: Entry) -> None:
        where = self._at(entry)
        if not entry.reason:
            self._add("TG303", entry, f"{where} gives no reason", "Say why the violation has to stay for now.")
        if not entry.issue:
            self._add("TG304", entry, f"{where} names no issue", "Name the issue that will remove it.")
        elif not self._is_issue(entry.issue):
            wanted = "a URL or what `issue-pattern` wants" if self._baseline.issue_pattern else "a URL"
            self._add("TG304", entry, f"{where} names an issue that is not {wanted}", _ISSUE_FIX)
        if entry.expires is not None and self._today > entry.expires:
            message = f"{where} expired on {entry.expires}"
            self._add("TG306", entry, message, "Remove the violation, or agree on a later date.")

    def _is_issue(self, issue: str) -> bool:
        pattern = self._baseline.issue_pattern
        return bool(_URL.fullmatch(issue) or (pattern and re.fullmatch(pattern, issue)))

    def _add(self, code: str, entry: Entry, message: str, fix: str) -> None:
        self._found.append(self._finding(code, "error", message, fix, entry))

    def _note(self, why: str, entries: list[Entry]) -> Finding:
        numbers = list(dict.fromkeys(str(entry.number) for entry in entries))
        message = f"not judged, because {why}: {'entry' if len(numbers) == 1 else 'entries'} {', '.join(numbers)}"
        return self._finding("TG308", "note", f"{message} of {self._baseline.path}", "", None)

    def _finding(self, code: str, severity: Severity, message: str, fix: str, entry: Entry | None) -> Finding:
        return Finding(
            code=code,
            rule=RULES[code],
            severity=severity,
            source=self._source(entry),
            tool=(entry and entry.tool) or None,
            index=None,
            pointer=entry.pointer if entry else "",
            keyword=None,
            message=f"{message[:1].upper()}{message[1:]}.",
            why=_WHY.get(code, ""),
            fix=fix,
            targets=(entry.target,) if entry and entry.target else (),
            group=entry.key if entry else message,
        )

    def _source(self, entry: Entry | None) -> str:
        """The source of the entry's tool where that is clear, else the first source."""
        known = self._judged.tools.get(entry.tool) if entry else None
        return known or next(iter(self._judged.sources), self._baseline.path)


_ISSUE_FIX = "Write the URL of the issue, or set `issue-pattern` in the configuration."
_WHY: Mapping[str, str] = {
    "TG301": _CHANGES,
    "TG302": _CHANGES,
    "TG303": "A violation without a reason is never removed.",
    "TG304": "A violation without an issue is never removed.",
    "TG305": "Two entries for one violation hide that it is gone: only one of them is removed.",
    "TG306": "The date was agreed on as the end of this violation.",
}


def _not_judged(entry: Entry, names: Sequence[str], judged: Judged) -> str:
    """Why it cannot be known that the entry no longer violates; empty where it can."""
    if entry.rule not in judged.rules:
        return f"{entry.rule} did not run"
    if entry.target is not None and entry.target not in judged.targets:
        return f"{entry.target} was not asked for"
    if any((name, entry.rule) in judged.skipped for name in names):
        return f"{entry.rule} is ignored for the tool"
    literal = names == [entry.tool]
    if not judged.complete and not literal:
        return "a source could not be read"
    tool = entry.patterns[0]
    if any(matches(tool, tuple(name)) or not (name or literal) for name in judged.broken):
        return "the tool could not be read whole"
    return ""


def _covering(entry: Entry, index: Index) -> Entry | None:
    """Another entry that lists all that this one does; of two that list the same, the earlier one."""
    for other in index.near(entry.rule, entry.tool):
        if other is not entry and other.covers(entry) and (other.number < entry.number or not entry.covers(other)):
            return other
    return None
