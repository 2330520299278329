"""Findings and the report: frozen values that every output format is a view of."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal, get_args

from toolglot.schema.tool import Listing

Severity = Literal["error", "warning", "note"]
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
"""From worst to mildest."""

Surface = Literal["read", "gated", "mutation"]


class _NoWitness:
    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_WITNESS"

    def __bool__(self) -> bool:
        return False


NO_WITNESS: Final = _NoWitness()
"""The witness of a finding that has none (None is a JSON value and may be a witness)."""


@dataclass(frozen=True, slots=True)
class FactNote:
    """The fact behind a finding, for display: `date` is ISO or None, `says` the target's own words."""

    feature: str
    status: str
    source: str
    date: str | None = None
    says: str = ""


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that is wrong with one published tool (or, with `tool` None, with the list).

    `pointer` is a JSON Pointer inside `inputSchema` ("" is its root); `keyword` the keyword at that node. `message`
    says what is wrong, `why` who is hit and how, `fix` what to write instead: one sentence each. Findings with the
    same `group` have the same cause and fold together. `baseline` is the reason of the entry that lists it.
    """

    code: str
    rule: str
    severity: Severity
    source: str
    tool: str | None
    index: int | None
    pointer: str
    keyword: str | None
    message: str
    why: str = ""
    fix: str = ""
    targets: tuple[str, ...] = ()
    fact: FactNote | None = None
    witness: Any = NO_WITNESS
    group: str = ""
    baseline: str | None = None

    @property
    def listed(self) -> bool:
        """Whether a baseline entry accepts it."""
        return self.baseline is not None


@dataclass(frozen=True, slots=True)
class CheckedTool:
    """A tool that was checked; `bytes` is the size of its compact JSON."""

    source: str
    name: str
    index: int
    surface: Surface
    bytes: int


@dataclass(frozen=True, slots=True)
class Report:
    """What a check found. `findings` are sorted by source, tool, severity, code and pointer.

    `targets` are the ids asked for; `unknown` counts, per target, the tools with a feature about which nothing is
    known; `corrected` names the facts that the project's configuration replaced.
    """

    listings: tuple[Listing, ...]
    tools: tuple[CheckedTool, ...]
    findings: tuple[Finding, ...]
    targets: tuple[str, ...] = ()
    unknown: Mapping[str, int] = field(default_factory=dict[str, int])
    corrected: tuple[str, ...] = ()

    @property
    def counts(self) -> dict[Severity, int]:
        """Findings by severity, those that the baseline lists left out."""
        found = Counter(finding.severity for finding in self.findings if not finding.listed)
        return {severity: found[severity] for severity in SEVERITIES}

    @property
    def unread(self) -> tuple[Listing, ...]:
        """The sources that could not be read."""
        return tuple(listing for listing in self.listings if listing.error is not None)

    def failing(self, fail_on: Severity = "error") -> tuple[Finding, ...]:
        """The findings at or above `fail_on` that no baseline entry accepts."""
        worst = SEVERITIES[: SEVERITIES.index(fail_on) + 1]
        return tuple(f for f in self.findings if f.severity in worst and not f.listed)

    def exit_code(self, fail_on: Severity = "error") -> int:
        """0 clean, 1 failing findings, 2 where a source could not be read."""
        if self.unread:
            return 2
        return 1 if self.failing(fail_on) else 0
