"""The JSON form is an interface: its keys, their order and its schema are held here."""

from __future__ import annotations

import json
from pathlib import Path

import jsonschema_rs
import pytest
from report_rows import FACT, finding, listing, on_target, report, unread

from toolglot.report.json import render_json

SCHEMA = json.loads((Path(__file__).parents[2] / "docs" / "report.schema.json").read_text())
FULL = report(
    on_target("cursor", witness={"b": 1, "a": [None]}),
    finding(baseline="until 2.0", witness=None),
    finding(tool=None, index=None, keyword=None, severity="note"),
    listings=(listing(), unread()),
    unknown={"cursor": 2},
    corrected=("cursor/type-list",),
)
REPORTS = [report(), report(listings=()), FULL]

KEYS = [
    ((), "version sources tools findings summary"),
    (("sources", 0), "id server version transport protocol error"),
    (("tools", 0), "source name index class bytes"),
    (
        ("findings", 0),
        "source code rule severity tool index pointer keyword targets message why fact witness fix group baseline",
    ),
    (("findings", 0, "fact"), "feature status source date"),
    (("summary",), "errors warnings notes listed tools targets unknown corrected exit"),
]


@pytest.mark.parametrize(("path", "keys"), KEYS)
def test_keys_and_their_order(path, keys):
    value = json.loads(render_json(FULL))
    for step in path:
        value = value[step]
    assert list(value) == keys.split()


@pytest.mark.parametrize(("path", "keys"), KEYS)
def test_the_schema_names_the_same_keys(path, keys):
    schema = {"sources": "source", "tools": "tool", "findings": "finding", "summary": "summary"}
    node = SCHEMA if not path else SCHEMA["$defs"][schema[path[0]]]
    node = node["properties"]["fact"] if path[-1:] == ("fact",) else node
    assert list(node["properties"]) == node["required"] == keys.split()


@pytest.mark.parametrize("one", REPORTS)
def test_output_is_valid_for_the_published_schema(one):
    jsonschema_rs.validate(SCHEMA, json.loads(render_json(one)))


def test_values():
    value = json.loads(render_json(FULL, exit_code=0))
    first, listed, _ = value["findings"]
    assert first["fact"] == {"feature": "type-list", "status": "rejected", "source": FACT.source, "date": FACT.date}
    assert list(first["witness"]) == ["b", "a"]
    assert listed["witness"] is None
    assert listed["baseline"] == "until 2.0"
    assert value["sources"][1]["error"] == "the server ended with exit code 1 Its last words: no such file."
    assert value["summary"] == {
        "errors": 1,
        "warnings": 0,
        "notes": 1,
        "listed": 1,
        "tools": 3,
        "targets": ["openai-nonstrict", "cursor"],
        "unknown": {"cursor": 2},
        "corrected": ["cursor/type-list"],
        "exit": 0,
    }


@pytest.mark.parametrize(
    ("one", "fail_on", "code"),
    [
        (report(), "note", 0),
        (report(finding(severity="note")), "warning", 0),
        (report(finding(severity="note")), "note", 1),
        (report(finding()), "error", 1),
        (report(finding(baseline="x")), "error", 0),
        (FULL, "error", 2),
    ],
)
def test_exit_code(one, fail_on, code):
    assert json.loads(render_json(one, fail_on=fail_on))["summary"]["exit"] == code


@pytest.mark.parametrize(
    ("witness", "shown"),
    [
        (10**40, 10**40),
        (float("inf"), None),
        ({1: (float("nan"), b"x")}, {"1": [None, "b'x'"]}),
        ({"__proto__": [True, 1.5]}, {"__proto__": [True, 1.5]}),
    ],
)
def test_witness_of_any_kind(witness, shown):
    assert json.loads(render_json(report(finding(witness=witness))))["findings"][0]["witness"] == shown
