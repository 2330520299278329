"""Findings and baseline texts for the tests of the baseline."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from typing import Any

from toolglot.contract.baseline import Judged, apply, parse_baseline
from toolglot.contract.model import Finding
from toolglot.schema.tool import Listing, read_entries

TODAY = date(2026, 11, 30)
URL = "https://example.org/1"
RULES = ("TG101", "TG102", "TG201", "TG202")
TARGETS = ("gemini", "openai", "cursor")


def finding(tool: str | None, code: str = "TG101", pointer: str = "/a", targets: Iterable[str] = ()) -> Finding:
    """A finding of a rule."""
    return Finding(
        code=code,
        rule="a-rule",
        severity="error",
        source="server",
        tool=tool,
        index=0,
        pointer=pointer,
        keyword="anyOf",
        message="is wrong.",
        targets=tuple(targets),
    )


def entry(tool: str = "t", rule: str = "TG101", pointer: str = "/a", **more: Any) -> str:
    """The text of an entry with reason and issue."""
    members = {"tool": tool, "pointer": pointer, "rule": rule, "reason": "old editor", "issue": URL} | more
    lines = [f"{key} = {_toml(value)}" for key, value in members.items() if value is not None]
    return "\n".join(["[[entry]]", *lines, "", ""])


def _toml(value: object) -> str:
    return str(value) if isinstance(value, (date, list)) else f"'{value}'"


def listing(*names: str | None, error: Any = None) -> Listing:
    """A source with these tools; None stands for an entry that is no tool and has no name."""
    tools = [{"name": name, "inputSchema": {"type": "object"}} if name else 5 for name in names]
    return Listing("server", read_entries(tools), error=error)


def judged(*names: str | None, rules: Iterable[str] = RULES, **more: Any) -> Judged:
    """A check of these tools by these rules."""
    return Judged.of([listing(*names)], rules, more.pop("targets", TARGETS), **more)


def applied(text: str, findings: Iterable[Finding], looked: Judged, **more: Any) -> list[Finding]:
    """What `apply` says about a baseline text."""
    return list(apply(parse_baseline(text, "b.toml", **more), findings, looked, TODAY))


def problems(findings: Iterable[Finding]) -> list[str]:
    """The codes of the findings about entries."""
    return sorted(found.code for found in findings if found.code.startswith("TG3"))
