"""The text form: two lines for a clean run, at most four lines a finding, everything with -v."""

from __future__ import annotations

from dataclasses import replace

import pytest
from report_rows import finding, listing, on_target, report, unread

from toolglot.report.text import View, render_text

HEAD = "cms 1.2.0, stdio, protocol 2025-11-25, 3 tools, about 300 tokens"
DEFAULT = View(default_targets=True)


def lines(*findings, view=DEFAULT, **fields):
    return render_text(report(*findings, **fields), view).splitlines()


NOTE = finding(severity="note", code="TG107", rule="untyped", group="g", index=1, tool="tool_1")
OTHER_NOTE = replace(NOTE, code="TG113", rule="hidden-branches", group="h")

TWO_LINES = [
    ((), {}, "All 3 tools work on the default targets (openai-nonstrict, cursor)."),
    ((), {"view": View()}, "All 3 tools work on openai-nonstrict, cursor."),
    ((), {"targets": ()}, "All 3 tools pass."),
    (
        (NOTE, NOTE),
        {},
        "All 3 tools work on the default targets (openai-nonstrict, cursor); 2 notes, shown with -v (TG107).",
    ),
    (
        (NOTE, OTHER_NOTE, OTHER_NOTE),
        {"view": View()},
        "All 3 tools work on openai-nonstrict, cursor; 3 notes, shown with -v (TG107 1, TG113 2).",
    ),
    (
        (finding(baseline="old"),),
        {"view": View()},
        "Nothing but the 1 finding that the baseline lists on openai-nonstrict, cursor.",
    ),
    (
        (),
        {"view": View(), "unknown": {"cursor": 2, "openai-nonstrict": 0}},
        "All 3 tools work on openai-nonstrict, cursor. No fact about some feature on 1 target (-v).",
    ),
    (
        (),
        {"view": View(verbose=True), "unknown": {"cursor": 2}},
        "All 3 tools work on openai-nonstrict, cursor. No fact about some feature: cursor 2 tools.",
    ),
    (
        (),
        {"view": View(), "corrected": ("cursor/type-list",)},
        "All 3 tools work on openai-nonstrict, cursor. Facts corrected here: cursor/type-list.",
    ),
    (
        (),
        {"targets": tuple(f"t{number}" for number in range(12)), "view": View()},
        "All 3 tools work on 12 targets: t0, t1, t2, t3, t4, t5, t6, t7, ....",
    ),
]


@pytest.mark.parametrize(("findings", "fields", "second"), TWO_LINES)
def test_a_run_without_errors_or_warnings_is_two_lines(findings, fields, second):
    assert lines(*findings, **fields) == [HEAD, second]


@pytest.mark.parametrize(
    ("count", "head", "second"),
    [
        (1, "cms 1.2.0, stdio, protocol 2025-11-25, 1 tool, about 100 tokens", "1 tool works on cursor."),
        (0, "cms 1.2.0, stdio, protocol 2025-11-25, 0 tools, about 0 tokens", "No tools, so nothing to check."),
    ],
)
def test_number_of_tools_in_words(count, head, second):
    assert lines(listings=(listing(count),), targets=("cursor",), view=View()) == [head, second]


def test_a_saved_list_is_named_by_its_source():
    saved = listing(source="tools.json", server=None, version=None, transport="file", protocol=None)
    assert lines(listings=(saved,))[0] == "tools.json, file, 3 tools, about 300 tokens"


FINDINGS = [
    pytest.param(
        [finding()],
        [
            "error TG101 structural-union  tool_0 /properties/items",
            "  A union of 3 objects. Clients that take the first branch lose the others.",
            "  instead: one object with optional fields.",
        ],
        id="one finding",
    ),
    pytest.param(
        [finding(witness={"type": "asset"})],
        [
            "error TG101 structural-union  tool_0 /properties/items",
            "  A union of 3 objects. Clients that take the first branch lose the others.",
            '  cannot be said: {"type": "asset"}',
            "  instead: one object with optional fields.",
        ],
        id="a witness",
    ),
    pytest.param(
        [on_target("cursor", witness=None), on_target("codex-cli")],
        [
            "error TG201 refused  tool_0 /properties/items",
            "  A union of 3 objects. The whole request is refused. (cursor, codex-cli)",
            "  cannot be said: null",
            "  instead: one object with optional fields.",
        ],
        id="targets that agree",
    ),
    pytest.param(
        [on_target("cursor"), on_target("cursor", pointer="/properties/b"), on_target("x", pointer="/properties/b")],
        [
            "error TG201 refused  tool_0 /properties/items and 1 more place",
            "  A union of 3 objects. The whole request is refused. (cursor, x)",
            "  instead: one object with optional fields.",
        ],
        id="places of one tool",
    ),
    pytest.param(
        [
            on_target("cursor"),
            on_target("cursor", index=1, tool="tool_1"),
            on_target("cursor", pointer="/properties/b"),
        ],
        [
            "error TG201 refused  2 of 3 tools (3 places), first: tool_0 /properties/items",
            "  A union of 3 objects. The whole request is refused. (cursor)",
            "  instead: one object with optional fields.",
        ],
        id="tools with the same cause",
    ),
    pytest.param(
        [finding(), finding(pointer="", message="The root is a union.", why="", fix="")],
        [
            "error TG101 structural-union  tool_0 /properties/items",
            "  A union of 3 objects. Clients that take the first branch lose the others.",
            "  instead: one object with optional fields.",
            "error TG101 structural-union  tool_0",
            "  The root is a union.",
        ],
        id="without a group nothing folds",
    ),
    pytest.param(
        [finding(tool=None, index=2, pointer="/name", fix=""), finding(tool=None, index=None, pointer="", fix="")],
        [
            "error TG101 structural-union  entry 2 /name",
            "  A union of 3 objects. Clients that take the first branch lose the others.",
            "error TG101 structural-union  the whole list",
            "  A union of 3 objects. Clients that take the first branch lose the others.",
        ],
        id="entries and the list",
    ),
    pytest.param(
        [finding(severity="warning", code="TG112", fix=""), finding(index=1, tool="b c", fix="")],
        [
            'error TG101 structural-union  "b c" /properties/items',
            "  A union of 3 objects. Clients that take the first branch lose the others.",
            "warning TG112 structural-union  tool_0 /properties/items",
            "  A union of 3 objects. Clients that take the first branch lose the others.",
        ],
        id="the worst first, odd names quoted",
    ),
]


@pytest.mark.parametrize(("findings", "expected"), FINDINGS)
def test_findings(findings, expected):
    assert lines(*findings)[1:-1] == expected


@pytest.mark.parametrize(
    ("findings", "closing"),
    [
        ([finding()], "1 error in 1 of 3 tools on the default targets."),
        ([finding(index=None)], "1 error on the default targets."),
        (
            [finding(), finding(severity="warning", index=2), NOTE, finding(baseline="old")],
            "1 error, 1 warning in 2 of 3 tools on the default targets; 1 listed by the baseline; "
            "1 note, shown with -v (TG107).",
        ),
    ],
)
def test_closing_line(findings, closing):
    assert lines(*findings)[-1] == closing


def test_verbose_shows_facts_places_notes_and_listed_findings():
    findings = [
        on_target("cursor"),
        on_target("codex-cli"),
        on_target("cursor", index=1, tool="tool_1"),
        finding(baseline="until 2.0"),
        NOTE,
    ]
    assert lines(*findings, view=View(verbose=True))[1:] == [
        "error TG201 refused  2 of 3 tools, first: tool_0 /properties/items",
        "  A union of 3 objects. The whole request is refused. (cursor, codex-cli)",
        "  instead: one object with optional fields.",
        "    targets: cursor, codex-cli",
        "    fact: type-list rejected, 2026-05-01, https://example.com/types",
        '    says: "Proto field is not repeating"',
        "    at tool_0 /properties/items",
        "    at tool_1 /properties/items (cursor)",
        "error TG101 structural-union  tool_0 /properties/items",
        "  A union of 3 objects. Clients that take the first branch lose the others.",
        "  instead: one object with optional fields.",
        "    listed by the baseline: until 2.0",
        "note TG107 untyped  tool_1 /properties/items",
        "  A union of 3 objects. Clients that take the first branch lose the others.",
        "  instead: one object with optional fields.",
        "3 errors in 2 of 3 tools on openai-nonstrict, cursor; 1 listed by the baseline; 1 note.",
    ]


def test_notes_are_shown_in_full_where_they_fail():
    shown = lines(NOTE, view=View(fail_on="note"))
    assert shown[1] == "note TG107 untyped  tool_1 /properties/items"
    assert shown[-1] == "All 3 tools work on openai-nonstrict, cursor; 1 note."


@pytest.mark.parametrize(
    ("findings", "count"), [([], 0), ([NOTE, finding(severity="warning"), finding(baseline="x")], 0), ([finding()], 3)]
)
def test_quiet_shows_only_what_fails(findings, count):
    assert len(lines(*findings, view=View(quiet=True))) == count


def test_several_sources_have_a_section_each():
    listings = (listing(), unread(), listing(1, source="last.json", server=None, version=None))
    shown = lines(finding(fix=""), listings=listings, targets=("cursor",), unknown={"cursor": 1}, view=View())
    assert shown == [
        "cms: " + HEAD,
        "error TG101 structural-union  tool_0 /properties/items",
        "  A union of 3 objects. Clients that take the first branch lose the others.",
        "1 error in 1 of 3 tools on cursor.",
        "other, stdio",
        "  could not be read: the server ended with exit code 1",
        "  Its last words: no such file.",
        "last.json, stdio, protocol 2025-11-25, 1 tool, about 100 tokens",
        "1 tool works on cursor.",
        "3 sources: 1 error; 1 source could not be read. No fact about some feature on 1 target (-v).",
    ]


def test_quiet_with_several_sources_names_the_source():
    listings = (listing(), listing(source="b"))
    shown = lines(finding(), listings=listings, view=View(quiet=True))
    assert shown[0] == "cms: " + HEAD
    assert len(shown) == 4


def test_colour_is_only_there_when_asked_for():
    found = report(finding())
    coloured = render_text(found, View(color=True))
    assert "\x1b[31m" in coloured
    assert "\x1b" not in render_text(found, View())


@pytest.mark.parametrize("verbose", [False, True])
def test_a_long_witness_is_cut_unless_verbose(verbose):
    shown = lines(finding(witness="x" * 900), view=View(verbose=verbose))
    assert (len(shown[3]) > 900) is verbose


@pytest.mark.parametrize(
    ("code", "label"),
    [("TG202", "cannot be said"), ("TG203", "can be said, and is refused by the server"), ("TG110", "for example")],
)
def test_what_a_witness_shows(code, label):
    assert lines(finding(code=code, witness=1))[3] == f"  {label}: 1"


@pytest.mark.parametrize(
    ("why", "others", "end"),
    [
        ("Refused by cursor.", (), "Refused by cursor."),
        ("Refused by cursor.", (on_target("x", pointer="/properties/b"),), "Refused by cursor. (cursor, x)"),
        ("Refused.", (), "Refused. (cursor)"),
    ],
)
def test_targets_that_the_sentence_names_are_not_named_again(why, others, end):
    assert lines(on_target("cursor", why=why), *others)[2].endswith(end)
