"""Hostile published text: never a control character on a terminal, always JSON that parses back."""

from __future__ import annotations

import json
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st
from report_rows import finding, listing, report, unread

from toolglot.report.escape import cut, embedded, name, plain
from toolglot.report.json import render_json
from toolglot.report.text import View, render_text

ESCAPES = [
    ("entries_upsert", "entries_upsert"),
    ("größe 名前", "größe 名前"),
    ("\x1b[31mred\x1b[0m", "\\x1b[31mred\\x1b[0m"),
    ("a\nb\r\tc", "a\\nb\\r\\tc"),
    ("\x9b31m", "\\x9b31m"),
    ("\x7f", "\\x7f"),
    ("user\u202etxt.exe", "user\\u202etxt.exe"),
    ("\u2066\u2069", "\\u2066\\u2069"),
    ("zero\u200bwidth", "zero\\u200bwidth"),
    ("\ud800", "\\ud800"),
    ("\u2028\u2029", "\\u2028\\u2029"),
    ("\U000e0041", "\\U000e0041"),
    ("[bold red]markup[/]", "[bold red]markup[/]"),
    ("\x1b]8;;https://example.com\x07link\x1b]8;;\x07", "\\x1b]8;;https://example.com\\x07link\\x1b]8;;\\x07"),
]


@pytest.mark.parametrize(("text", "shown"), ESCAPES)
def test_escapes(text, shown):
    assert plain(text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a", "a"),
        ("", '""'),
        ("a b", '"a b"'),
        ("a,b", '"a,b"'),
        ("a\nb", "a\\nb"),
        ("x" * 200, "x" * 80 + "…" + "x" * 39),
    ],
)
def test_names(text, shown):
    assert name(text) == shown


@given(st.text(max_size=300), st.integers(10, 50))
def test_cut_keeps_the_limit(text, limit):
    assert len(cut(text, limit)) <= limit


hostile = st.text(st.characters(exclude_categories=()), max_size=20)
"""Any characters, lone surrogates and controls included."""
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | hostile,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(hostile, inner, max_size=3),
    max_leaves=5,
)


@st.composite
def hostile_reports(draw):
    def text():
        return draw(hostile)

    source = text()
    found = finding(
        source=source, tool=text(), pointer=text(), message=text(), why=text(), fix=text(), targets=(text(),),
        witness=draw(values), group=text(), baseline=draw(st.none() | hostile),
    )  # fmt: skip
    one = listing(2, source=source, server=text(), version=text(), protocol=text())
    listings = draw(st.sampled_from([(one,), (one, unread(text()))]))
    return report(found, listings=listings, targets=(text(),), unknown={text(): 1}, corrected=(text(),))


@given(hostile_reports(), st.booleans())
def test_nothing_hostile_reaches_the_terminal(hostile_report, verbose):
    shown = render_text(hostile_report, View(verbose=verbose))
    assert not {c for c in shown.replace("\n", "") if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")}
    assert "error TG101 structural-union" in shown or hostile_report.findings[0].listed


@given(st.lists(hostile.filter(bool), min_size=9, max_size=9), values)
def test_no_line_can_be_forged(texts, witness):
    assert len(_lines_of(texts, witness)) == len(_lines_of(["x"] * 9, 1))


def _lines_of(texts, witness):
    source, tool, pointer, message, why, fix, target, group, server = texts
    found = finding(
        source=source, tool=tool, pointer=pointer, message=message, why=why, fix=fix, targets=(target,),
        witness=witness, group=group,
    )  # fmt: skip
    one = listing(2, source=source, server=server, version=server, protocol=server)
    return render_text(report(found, listings=(one,)), View(verbose=True)).splitlines()


@given(hostile_reports())
def test_json_parses_back(hostile_report):
    text = render_json(hostile_report)
    assert text.isascii()
    assert "<" not in text
    parsed = json.loads(text)
    found = hostile_report.findings[0]
    for key in ("source", "tool", "pointer", "message", "why", "fix", "group", "baseline"):
        assert parsed["findings"][0][key] == getattr(found, key)


@pytest.mark.parametrize("text", ["</script>", "<!--", "a<b"])
def test_embedded_json_holds_no_tag(text):
    shown = embedded(json.dumps([text]))
    assert "<" not in shown
    assert json.loads(shown) == [text]
