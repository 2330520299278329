"""What the proxy tells: a log in JSON lines, counters in the text format of Prometheus, and notes on stderr.

No argument, no header and no result is ever written, except arguments with `--log-arguments`.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from toolglot.mcp.proxy.calls import Verdict
    from toolglot.mcp.proxy.fitted import Known, Page

OTHER = "other"
"""The label of every tool that no list names: labels must not grow with what callers make up."""

_MOST_NOTES = 200

_HELP = {
    "toolglot_proxy_calls_total": "Calls of tools, by what became of them.",
    "toolglot_proxy_mends_total": "Repairs of arguments.",
    "toolglot_proxy_reshaped_calls_total": "Calls whose arguments had another form on the wire.",
    "toolglot_proxy_call_seconds": "Time from a call to its answer.",
    "toolglot_proxy_lists_total": "Pages of tools/list that were passed on.",
    "toolglot_proxy_upstream_restarts_total": "How often the server was started again.",
}


def _silent(text: str) -> None:
    """No notes."""


@dataclass(slots=True)
class Journal:
    """One journal for a whole proxy; every method is cheap and never raises for a full disk or a closed stderr."""

    log: BinaryIO | None = None
    log_arguments: bool = False
    note: Callable[[str], None] = _silent
    _counts: defaultdict[tuple[str, tuple[tuple[str, str], ...]], float] = field(
        default_factory=lambda: defaultdict[tuple[str, tuple[tuple[str, str], ...]], float](float)
    )
    _told: set[str] = field(default_factory=set[str])

    def tell(self, text: str) -> None:
        """A line for people on stderr; the same line only once."""
        if text not in self._told and len(self._told) < _MOST_NOTES:
            self._told.add(text)
            self.note(text)

    def count(self, name: str, labels: dict[str, str] | None = None, amount: float = 1) -> None:
        """Add to a counter."""
        self._counts[name, tuple((labels or {}).items())] += amount

    def listed(self, page: Page, target: str) -> None:
        """A page of tools went to a client."""
        self.count("toolglot_proxy_lists_total", {"target": target})
        self._write(
            "list",
            target=target,
            tools=len(page.known),
            alone=page.alone,
            hidden=page.hidden,
            renamed=dict(page.renamed),
            notes=[{"tool": note.tool, "says": note.text} for note in page.notes],
        )

    def called(
        self, known: Known | None, target: str, outcome: str, seconds: float, verdict: Verdict | None, arguments: Any
    ) -> None:
        """A call ended: passed, refused, gated, unknown, error, lost, or observed."""
        tool = known.shown if known else OTHER
        labels = {"tool": tool, "target": target}
        self.count("toolglot_proxy_calls_total", {**labels, "outcome": outcome})
        self.count("toolglot_proxy_call_seconds_sum", labels, seconds)
        self.count("toolglot_proxy_call_seconds_count", labels)
        mends = verdict.mends if verdict else ()
        reshaped = verdict.reshaped if verdict else ()
        if mends:
            self.count("toolglot_proxy_mends_total", labels, len(mends))
        if reshaped:
            self.count("toolglot_proxy_reshaped_calls_total", labels)
        if self.log is None:
            return
        fields: dict[str, Any] = {"tool": tool, "target": target, "outcome": outcome}
        fields |= {"changes": known.changes if known else 0, "reshaped": len(reshaped), "mends": len(mends)}
        fields["ms"] = round(seconds * 1000, 3)
        if verdict and verdict.warning:
            fields["warning"] = verdict.warning
        if self.log_arguments and arguments is not None:
            fields["arguments"] = arguments.decode("utf-8", "replace") if isinstance(arguments, bytes) else arguments
        self._write("call", **fields)

    def event(self, name: str, **fields: Any) -> None:
        """Anything else: a start, an end, a restart, a warning."""
        self._write(name, **fields)

    def _write(self, event: str, **fields: Any) -> None:
        if self.log is None:
            return
        line = json.dumps({"time": round(time.time(), 3), "event": event, **fields}) + "\n"
        try:
            self.log.write(line.encode())
            self.log.flush()
        except (OSError, ValueError):
            self.log = None
            self.tell("the log cannot be written any more; the proxy goes on without it")

    def exposition(self) -> str:
        """The counters in the text format of Prometheus."""
        return "".join(f"{line}\n" for line in self._lines())

    def _lines(self) -> Iterator[str]:
        told: set[str] = set()
        for (name, labels), value in sorted(self._counts.items()):
            family = re.sub(r"_(sum|count)$", "", name)
            if family not in told:
                told.add(family)
                yield f"# HELP {family} {_HELP.get(family, family)}"
                yield f"# TYPE {family} {'counter' if family.endswith('_total') else 'summary'}"
            shown = ",".join(f'{key}="{_label(text)}"' for key, text in labels)
            yield f"{name}{{{shown}}} {value:.9g}" if shown else f"{name} {value:.9g}"


def _label(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")[:200]
