"""A rule of the contract, and what targets do to the same thing in the same place, are one cause."""

from __future__ import annotations

from dataclasses import replace
from datetime import date

import pytest
from report_rows import finding, on_target, report

from toolglot.contract.check import check
from toolglot.contract.model import FactNote
from toolglot.contract.rules import RULES
from toolglot.contract.topics import TOPICS
from toolglot.report.fold import fold
from toolglot.report.text import View, render_text
from toolglot.schema.features import FEATURES

TODAY = date(2026, 11, 30)


def tool(name: str, **root):
    return {"name": name, "description": "Does it.", "inputSchema": {"type": "object"} | root}


def array(name: str):
    return tool(name, properties={"rows": {"type": "array"}})


ROOT_UNION = {"anyOf": [{"type": "object", "properties": {name: {"type": "string"}}} for name in "ab"]}
LIST = {"type": "array", "items": {"type": "string"}}
DELTA = {"type": "object", "properties": {"add": LIST}}

CAUSES = [
    ("an array without items", [array("a")], ["TG106"]),
    ("the same in two tools", [array("a"), array("b")], ["TG106"]),
    ("oneOf of objects", [tool("a", properties={"x": {"oneOf": [LIST, DELTA]}})], ["TG101"]),
    ("a root union", [tool("a", **ROOT_UNION)], ["TG101", "TG102"]),
    ("a type that is no schema", [tool("a", properties={"type": "object"})], ["TG103"]),
    ("a dangling reference", [tool("a", properties={"x": {"$ref": "#/$defs/x"}})], ["TG104"]),
    ("a name that is required only", [tool("a", properties={"b": LIST}, required=["c"])], ["TG108"]),
]


@pytest.mark.parametrize(("tools", "codes"), [row[1:] for row in CAUSES], ids=[row[0] for row in CAUSES])
def test_one_cause_for_the_rule_and_the_targets(tools, codes):
    found = [one for one in check(tools, today=TODAY).findings if one.severity != "note"]
    assert len(found) > len(codes)
    assert [cause.first.code for cause in fold(found)] == codes


@pytest.mark.parametrize("topic", [pytest.param(code, id=code) for code in TOPICS])
def test_topics_name_rules_and_features(topic):
    assert topic in {rule.code for rule in RULES}
    assert FEATURES.keys() >= set(TOPICS[topic])


RULE = finding(code="TG106", rule="array-without-items", group="TG106")
FACT = FactNote("array-no-items", "rejected", "https://example.com/items", "2026-05-01")
REFUSED = on_target("cursor", message="No items.", why="Refused by cursor.", fact=FACT, group="array-no-items cursor")
MANY = replace(REFUSED, why="Refused by cursor, x.", targets=("cursor", "x"), group="many")
WIDE = on_target("y", code="TG202", message="No items.", why="Lost on y.", fact=FACT, group="lost", severity="warning")


@pytest.mark.parametrize(
    ("findings", "also"),
    [
        ([REFUSED], " Also TG201: Refused by cursor."),
        ([REFUSED, WIDE], " Also TG201: Refused by cursor. Also TG202 as a warning: Lost on y."),
        ([REFUSED, REFUSED], " Also TG201: Refused by cursor."),
    ],
)
def test_who_refuses_it_follows(findings, also):
    shown = render_text(report(RULE, *findings), View()).splitlines()
    assert len(shown) == 5
    assert shown[2] == f"  A union of 3 objects. Clients that take the first branch lose the others.{also}"


def test_what_only_names_fewer_targets_is_not_said():
    few = on_target("cursor", fact=FACT, group="few", why="Refused by cursor.", message="Few.")
    shown = render_text(report(RULE, few, MANY), View()).splitlines()
    assert shown[2].endswith("the others. Also TG201: Refused by cursor, x.")


@pytest.mark.parametrize("other", [{"pointer": "/properties/b"}, {"index": 1}, {"baseline": "later"}])
def test_another_place_is_another_cause(other):
    elsewhere = on_target("cursor", fact=FACT, **other)
    assert len(fold([RULE, elsewhere])) == 2
