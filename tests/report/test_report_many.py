"""Many findings: a source gets about twelve lines, -v shows each in full."""

from __future__ import annotations

import pytest
from report_rows import finding, listing, on_target, report

from toolglot.contract.ruledoc import parse_doc
from toolglot.contract.rules import RULES
from toolglot.report.text import LINES, View, render_text

WHERE = "/properties/items"


def shown(*findings, view=None, tools=9):
    return render_text(report(*findings, listings=(listing(tools),)), view or View()).splitlines()


def causes(number, **fields):
    words = f"Says {fields['code']}."
    return [finding(group=f"{n}", index=n, tool=f"tool_{n}", message=words, **fields) for n in range(number)]


def test_what_fits_is_shown_in_full():
    found = [*causes(2, code="TG101"), *causes(1, code="TG112", severity="warning")]
    lines = shown(*found)
    assert len(lines) == 2 + 3 * 3
    assert "-v" not in lines[-1]


def test_then_warnings_are_one_line_for_each_rule():
    found = [*causes(2, code="TG101"), *causes(2, code="TG112", severity="warning")]
    one = causes(1, code="TG206", severity="warning")
    assert shown(*found, *one)[7:] == [
        "warning TG112 structural-union  2 of 9 tools (2 causes), first: tool_0 /properties/items",
        "warning TG206 structural-union  tool_0 /properties/items: Says TG206.",
        "2 errors, 3 warnings in 2 of 9 tools on openai-nonstrict, cursor. -v shows each in full.",
    ]


def test_then_errors_are_the_first_of_each_rule():
    lines = shown(*causes(5, code="TG101"), *causes(2, code="TG112", severity="warning"))
    assert lines[1:] == [
        f"error TG101 structural-union  tool_0 {WHERE}",
        "  Says TG101. Clients that take the first branch lose the others.",
        "  instead: one object with optional fields.",
        f"  and 4 other causes: tool_1 {WHERE}, tool_2 {WHERE}, tool_3 {WHERE}, ...",
        "warning TG112 structural-union  2 of 9 tools (2 causes), first: tool_0 /properties/items",
        "5 errors, 2 warnings in 5 of 9 tools on openai-nonstrict, cursor. -v shows each in full.",
    ]


def test_then_warnings_are_one_line():
    errors = [*causes(2, code="TG101"), *causes(2, code="TG106")]
    warnings = [*causes(3, code="TG112", severity="warning"), *causes(1, code="TG206", severity="warning")]
    lines = shown(*errors, *warnings, *causes(1, code="TG208", severity="warning"))
    assert lines[9] == "warning TG112 structural-union 3, TG206 structural-union 1, TG208 structural-union 1"
    assert len(lines) == 11 <= LINES


EXAMPLES = sum(1 + parse_doc(rule.doc).instead["json"].count("\n") for rule in RULES if rule.code in ("TG101", "TG112"))
"""The lines of *Instead* of both rules, each below a line of its own."""


@pytest.mark.parametrize(
    ("view", "lines"),
    [(View(verbose=True), 2 + 7 * 3 + EXAMPLES), (View(quiet=True), 5 * 3), (View(fail_on="warning"), 2 + 2 * 4)],
)
def test_views(view, lines):
    found = [*causes(5, code="TG101"), *causes(2, code="TG112", severity="warning")]
    assert len(shown(*found, view=view)) == lines


def test_the_same_said_of_the_same_places_is_one_finding():
    message = "Has `anyOf` at the root."
    found = [
        on_target("cursor", message=message, why="Refused by cursor."),
        on_target("codex-cli", message=message, why="Refused by codex-cli (undated).", severity="warning"),
        on_target("vscode", message=message, why="Narrowed.", severity="warning", code="TG202"),
        on_target(
            "x", message=message, why="Refused by x.", severity="warning", pointer="/properties/other", group="x"
        ),
    ]
    assert shown(*found)[1:7] == [
        f"error TG201 refused  tool_0 {WHERE}",
        "  Has `anyOf` at the root. Refused by cursor. Also as a warning: Refused by codex-cli (undated)."
        " Also TG202 as a warning: Narrowed. (vscode)",
        "  instead: one object with optional fields.",
        "warning TG201 refused  tool_0 /properties/other",
        "  Has `anyOf` at the root. Refused by x.",
        "  instead: one object with optional fields.",
    ]


def test_details_name_the_targets_of_all():
    found = [on_target("cursor"), on_target("codex-cli", severity="warning")]
    details = [line for line in shown(*found, view=View(verbose=True)) if "targets:" in line]
    assert details == ["    targets: cursor", "    targets: codex-cli"]
