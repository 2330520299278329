"""How a report is shown as text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from toolglot.contract.model import SEVERITIES

if TYPE_CHECKING:
    from toolglot.contract.model import Finding, Severity


@dataclass(frozen=True, slots=True)
class View:
    """How a report is shown.

    `verbose` shows notes, listed findings, sources and every place. `quiet` shows only what fails. `fail_on` is the
    mildest severity that fails. `default_targets`: nobody named targets.
    """

    verbose: bool = False
    quiet: bool = False
    color: bool = False
    fail_on: Severity = "error"
    default_targets: bool = False

    def paint(self, text: str, **style: Any) -> str:
        """The text in a colour, or as it is where there is none. In: text that is harmless already."""
        return click.style(text, **style) if self.color else text

    def fails(self, finding: Finding) -> bool:
        """Whether a finding fails, if no baseline lists it."""
        return SEVERITIES.index(finding.severity) <= SEVERITIES.index(self.fail_on)

    def shows(self, finding: Finding) -> bool:
        """Whether a finding gets lines of its own. What fails always does, unless a baseline lists it."""
        if finding.listed:
            return self.verbose and not self.quiet
        if self.quiet:
            return self.fails(finding)
        return self.fails(finding) or self.verbose or finding.severity != "note"


def count(number: int, word: str) -> str:
    """A number with its word: `1 tool`, `2,000 tools`."""
    return f"{number:,} {word}{'' if number == 1 else 's'}"
