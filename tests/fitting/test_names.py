"""Wire names: golden, legal, never changed without need, never the same for two."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from names_rules import NAMES, RULES

from toolglot.fitting.names import property_names, wire_name
from toolglot.targets.accept import name_problem
from toolglot.targets.load import SHIPPED

GOLDEN = [json.loads(line) for line in (Path(__file__).parent / "golden" / "names.jsonl").read_text().splitlines()]
OWN = re.compile(r"[_.-]?h[0-9a-f]{8}\Z")
ROOMY = [label for label in RULES if label != "no room"]
RULED = [name for name in SHIPPED.ids if SHIPPED.target(name).tool_name is not None]


@pytest.mark.parametrize("label", RULES)
def test_names_never_change_between_releases(label: str) -> None:
    rows = [row for row in GOLDEN if row["rule"] == label]
    assert [row["name"] for row in rows] == list(NAMES)
    assert [wire_name(row["name"], RULES[label]) for row in rows] == [row["wire"] for row in rows]


@pytest.mark.parametrize("label", ROOMY)
@given(name=st.text(min_size=1, max_size=90) | st.sampled_from(NAMES))
def test_a_wire_name_is_legal_and_a_legal_name_stays(label: str, name: str) -> None:
    rule = RULES[label]
    wire = wire_name(name, rule)
    assert not name_problem(wire, rule)
    if wire == name:
        assert not name_problem(name, rule)
    else:
        assert OWN.search(wire)
        assert name_problem(name, rule) or OWN.search(name)


@pytest.mark.parametrize("name", RULED)
def test_every_target_gets_names_that_it_takes(name: str) -> None:
    rule = SHIPPED.target(name).tool_name
    assert rule is not None
    for published in NAMES:
        wire = wire_name(published, rule)
        assert rule.effect == "none" or not name_problem(wire, rule)


@pytest.mark.parametrize("label", ROOMY)
def test_two_names_never_share_a_wire_name(label: str) -> None:
    wire = {name: wire_name(name, RULES[label]) for name in NAMES}
    again = {name: wire_name(name, RULES[label]) for name in wire.values()}
    both = {**again, **wire}
    assert len(set(both.values())) == len(both)


def test_no_rule_changes_nothing() -> None:
    assert [wire_name(name, None) for name in NAMES] == list(NAMES)


def test_a_name_that_the_client_makes_legal_itself_stays() -> None:
    rule = SHIPPED.target("vscode-copilot").tool_name
    assert rule is not None
    assert rule.effect == "none"
    assert wire_name("pages.list", rule) == "pages.list"


def test_a_name_for_which_there_is_no_room_comes_back() -> None:
    assert wire_name("pages.list", RULES["no room"]) == "pages.list"
    assert name_problem("pages.list", RULES["no room"])


def test_names_of_one_object() -> None:
    names = property_names(["id", "user name", "user.name", "id"], RULES["letters, 64"])
    assert list(names) == ["id", "user name", "user.name"]
    assert names["id"] == "id"
    assert len(set(names.values())) == 3
    assert names["user name"] == wire_name("user name", RULES["letters, 64"])


SAME_HASH = ("a :: :  .b", "a../ ./://b")


def test_names_made_to_have_one_hash_are_told_apart() -> None:
    rule = RULES["letters, 64"]
    assert wire_name(SAME_HASH[0], rule) == wire_name(SAME_HASH[1], rule)
    names = property_names(SAME_HASH, rule)
    assert names[SAME_HASH[0]] == wire_name(SAME_HASH[0], rule)
    assert names[SAME_HASH[1]] not in ("", names[SAME_HASH[0]])
    assert not name_problem(names[SAME_HASH[1]], rule)
    assert property_names(SAME_HASH, None) == {name: name for name in SAME_HASH}
