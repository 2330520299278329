"""What a report shows when everything in full would be too long: what fails first, the rest in a line each."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolglot.contract.model import Severity
    from toolglot.report.fold import Cause

ROOM = 10
"""Lines of findings that are shown in full; with the first and the last line of a report that makes twelve."""


def split(causes: Sequence[Cause], failing: Sequence[Severity]) -> Iterator[tuple[bool, tuple[Cause, ...]]]:
    """The causes in the order they are shown: (in full, causes).

    What fails is shown in full once per rule, its other causes in a line each. What does not fail is a line per rule
    of the contract, and one line for everything that targets do.
    """
    seen: set[str] = set()
    for cause in causes:
        if cause.first.severity in failing:
            yield cause.first.code not in seen, (cause,)
            seen.add(cause.first.code)
    rest = [cause for cause in causes if cause.first.severity not in failing]
    for family in dict.fromkeys(map(_family, rest)):
        yield False, tuple(cause for cause in rest if _family(cause) == family)


def _family(cause: Cause) -> tuple[str, str]:
    code = cause.first.code
    return (cause.first.severity, "TG2" if code.startswith("TG2") else code)


def codes(causes: Iterable[Cause]) -> str:
    """The rules of some causes with the number of places each has: `TG201 6, TG202 51`."""
    counts: Counter[str] = Counter()
    for cause in causes:
        counts[cause.first.code] += len(cause.places)
    return ", ".join(f"{code} {count}" for code, count in sorted(counts.items()))
