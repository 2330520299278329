"""The verbose text shows what to write in the language that wrote the schema."""

from __future__ import annotations

import pytest

from toolglot.contract.check import check
from toolglot.report.text import View, render_text

VERBOSE = View(verbose=True)


def lines(*tools, view=VERBOSE):
    return render_text(check(tools), view).splitlines()


def tool(**root):
    root = {"type": "object", "properties": {"rows": {"type": "array"}}} | root
    return {"name": "rows_import", "description": "Imports.", "inputSchema": root}


ROWS = {"type": "array"}
LANGUAGES = [
    ({}, "JSON Schema", "{"),
    ({"$schema": "http://json-schema.org/draft-07/schema#", "additionalProperties": False}, "zod", "const "),
    ({"properties": {"rows": ROWS | {"title": "Rows"}}}, "pydantic", "class "),
    ({"properties": {"rows": ROWS, "n": {"type": ["null", "integer"]}}}, "Go", "type "),
]


@pytest.mark.parametrize(("root", "language", "start"), LANGUAGES, ids=[row[1] for row in LANGUAGES])
def test_the_language_of_the_schema(root, language, start):
    shown = lines(tool(**root))
    place = shown.index(f"TG106 in {language}, for example (`toolglot explain TG106` shows all):")
    assert shown[place + 1].startswith(f"    {start}")


def test_each_rule_once_and_only_with_v():
    shown = lines(tool(), tool())
    assert sum(line.startswith("TG106 in ") for line in shown) == 1
    assert not [line for line in lines(tool(), view=View()) if " for example (" in line]


def test_notes_have_none():
    nothing = {"name": "ping", "description": "Answers.", "inputSchema": {"type": "object", "properties": {}}}
    shown = lines(nothing)
    assert [line for line in shown if line.startswith("note TG111")]
    assert not [line for line in shown if line.startswith("TG111 in ")]
