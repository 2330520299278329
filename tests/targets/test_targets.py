"""The shipped data: every target loads, every row of the source is accounted for, combinations and groups work."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from tests.shared import SHARED, needs_shared

from toolglot.errors import ConfigError, UnknownTarget
from toolglot.schema.features import FEATURES
from toolglot.targets.accept import accept, name_problem
from toolglot.targets.load import GROUPS, SHIPPED, Catalogue, target, targets
from toolglot.targets.model import Target

ROWS = Path(__file__).parent / "rows"
TODAY = date(2026, 11, 30)
DEFAULTS = [
    "openai-nonstrict",
    "anthropic-nonstrict",
    "gemini-parameters-json-schema",
    "claude-code",
    "vscode-copilot",
    "copilot-cli",
    "codex-cli",
    "gemini-cli",
    "cursor",
]


@pytest.mark.parametrize("name", SHIPPED.ids)
def test_every_target_loads(name: str) -> None:
    found = target(name)
    assert found.id == name
    assert found.title
    assert not set(found.facts) - set(FEATURES)
    if found.fallback:
        assert target(found.fallback).id == found.fallback
    for other in found.passes_to:
        assert target(other).kind != "client"


def test_there_are_51_targets_and_two_of_our_own() -> None:
    assert len(set(SHIPPED.ids)) == 53
    assert {"portable", "portable-strict"} <= set(SHIPPED.ids)


@pytest.mark.parametrize("name", SHIPPED.ids)
def test_a_fact_that_bites_says_what_happens_to_arguments(name: str) -> None:
    for fact in target(name).facts.values():
        assert (fact.effect != "none") <= fact.bites or fact.only
        assert fact.proof.seen is None or fact.proof.seen <= TODAY


def rows() -> dict[str, dict[str, Any]]:
    """Per target and keyword of the source: the features it became, or why it became none."""
    found: dict[str, dict[str, Any]] = {}
    for path in sorted(ROWS.glob("*.toml")):
        for name, table in tomllib.loads(path.read_text()).items():
            assert name not in found, f"{name} is accounted for twice"
            found[name] = table
    return found


def facts_of_rows() -> Iterator[tuple[str, str, str]]:
    for name, table in rows().items():
        for keyword, became in table.items():
            for feature in became if isinstance(became, list) else ():
                yield name, keyword, feature


def test_what_a_row_became_is_there() -> None:
    missing = [row for row in facts_of_rows() if row[2] not in target(row[0]).facts]
    assert missing == []


def test_a_row_that_became_nothing_says_why() -> None:
    silent = [(name, key) for name, table in rows().items() for key, became in table.items() if not became]
    assert silent == []


@needs_shared
def test_every_row_of_the_source_is_accounted_for() -> None:
    source = json.loads((SHARED / "targets.json").read_text())
    ours = {(name, key) for name, table in rows().items() for key in table}
    assert ours == {(name, key) for name, row in source.items() for key in row["keywords"]}
    assert len(ours) == 863


def test_the_default_targets() -> None:
    assert [one.id for one in targets()] == DEFAULTS


@pytest.mark.parametrize("group", GROUPS)
def test_groups(group: str) -> None:
    members = targets(group)
    assert members
    if group == "strict":
        assert all(one.fallback for one in members)
    if group == "agents":
        assert all(one.kind == "client" for one in members)


def test_names_and_groups_mix_and_each_counts_once() -> None:
    assert [one.id for one in targets(["gemini", "gemini-parameters-json-schema", "claude"])] == [
        "gemini-parameters-json-schema",
        "claude-code",
    ]


def test_an_unknown_target_names_the_nearest() -> None:
    with pytest.raises(UnknownTarget) as raised:
        target("gemini-paramters")
    assert "gemini-parameters" in raised.value.nearest


def test_a_combination_is_the_stricter_of_both_with_the_clients_names() -> None:
    both = target("cursor+gemini-parameters")
    assert both.bites & target("gemini-parameters").bites == target("gemini-parameters").bites
    assert both.bites & target("cursor").bites == target("cursor").bites
    assert both.tool_name == target("cursor").tool_name
    assert both.field == target("gemini-parameters").field


@pytest.mark.parametrize(
    ("name", "pattern", "problem"),
    [
        ("get_it", "[a-z_]+", ""),
        ("get-it", "[a-z_]+", "has characters outside `[a-z_]+`"),
        ("1st", "[a-z][a-z0-9]*", "does not match `[a-z][a-z0-9]*`"),
        ("x" * 9, "[a-z]+", "has 9 characters, 8 are allowed"),
    ],
)
def test_what_is_wrong_with_a_name(name: str, pattern: str, problem: str) -> None:
    rule = {"pattern": pattern, "max": 8, **PROOF}
    mine = Catalogue(extra=[{**MINE, "tool_name": rule}]).target("mine").tool_name
    assert mine is not None
    assert name_problem(name, mine) == problem


def test_portable_has_no_disputed_fact_and_no_mere_widening() -> None:
    facts = target("portable").facts.values()
    assert facts
    assert not [f.id for f in facts if f.proof.disputed or f.effect in ("wider", "none", "unknown")]


STRICT_TAKES: list[tuple[dict[str, Any], bool]] = [
    ({"type": "object", "properties": {"a": {"type": "string"}}}, True),
    ({"type": "object", "properties": {"a": {"type": "array", "items": {"type": "integer"}}}}, True),
    ({"type": "object", "properties": {"a": {"type": "string", "enum": ["x"]}}, "required": ["a"]}, True),
    ({"type": "object", "properties": {"a": {"type": ["string", "null"]}}}, False),
    ({"type": "object", "properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}, False),
    ({"type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "$defs": {"a": {"type": "string"}}}, False),
    ({"type": "object", "properties": {"a": {"type": "object", "additionalProperties": {"type": "string"}}}}, False),
    ({"type": "object", "properties": {"a": {"type": "array", "prefixItems": [{"type": "string"}]}}}, False),
    ({"type": "object", "properties": {"a": {}}}, False),
    ({"type": "object", "properties": {"a": {"type": "integer", "enum": [1]}}}, False),
]


@pytest.mark.parametrize(("schema", "takes"), STRICT_TAKES)
def test_portable_strict_is_declared(schema: dict[str, Any], takes: bool) -> None:
    found = accept({"name": "t", "description": "d", "inputSchema": schema}, target("portable-strict"))
    assert (not found) == takes


REFUSES: list[tuple[str, dict[str, Any], str]] = [
    ("gemini-parameters", {"properties": {"a": {"type": ["string", "null"]}}}, "type-list-null"),
    ("gemini-parameters", {"properties": {"a": {"type": "integer", "enum": [1, 2]}}}, "enum-number"),
    ("openai-nonstrict", {"properties": {"a": {"type": "array"}}}, "array-no-items"),
    ("openai-nonstrict", {"anyOf": [{"required": ["a"]}], "properties": {"a": {"type": "string"}}}, "root-union"),
    ("openai-strict", {"properties": {"a": {"type": "string"}}}, "property-optional"),
    ("openai-strict", {"properties": {"a": {"oneOf": [{"type": "string"}, {"type": "integer"}]}}}, "one-of"),
    ("anthropic-strict", {"properties": {"a": {"type": "integer", "minimum": 1}}}, "number-bounds"),
    ("anthropic-nonstrict", {"properties": {"a[]": {"type": "string"}}}, "property-name"),
    ("claude-code", {"oneOf": [{"required": ["a"]}], "properties": {"a": {"type": "string"}}}, "root-union"),
    ("langflow", {"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "integer"}]}}}, "scalar-union"),
    ("moonshot-kimi", {"properties": {"a": {"enum": ["x", 1]}}}, "enum-mixed"),
    ("llama-cpp-server", {"properties": {"a": {"type": "string", "maxLength": 10000}}}, "repetitions"),
]


@pytest.mark.parametrize(("name", "schema", "what"), REFUSES)
def test_what_a_target_is_known_to_refuse(name: str, schema: dict[str, Any], what: str) -> None:
    found = accept({"name": "t", "description": "d", "inputSchema": {"type": "object", **schema}}, target(name))
    assert what in {violation.what for violation in found}


PROOF = {"evidence": "observed", "source": "https://e.test/", "seen": date(2026, 10, 1)}
FACT = {"feature": "ref", "status": "rejected", "effect": "refused", **PROOF}
MINE = {"id": "mine", "title": "Mine", "kind": "api", "fact": [FACT]}

WRONG: list[tuple[dict[str, Any], str]] = [
    ({**MINE, "kind": "server"}, "`kind` is 'server'"),
    ({**MINE, "knid": 1}, "unknown key 'knid'"),
    ({**MINE, "fact": [{**FACT, "feature": "reff"}]}, "unknown feature 'reff'"),
    ({**MINE, "fact": [{**FACT, "status": "refused"}]}, "`status` is 'refused'"),
    ({**MINE, "fact": [{k: v for k, v in FACT.items() if k != "effect"}]}, "`effect` is missing"),
    ({**MINE, "fact": [{**FACT, "status": "accepted"}]}, "has no `effect`"),
    ({**MINE, "fact": [{k: v for k, v in FACT.items() if k != "source"}]}, "`source` is missing"),
    ({**MINE, "fact": [{**FACT, "source": "a friend"}]}, "no known form"),
    ({**MINE, "fact": [{**FACT, "source": "public code"}]}, "at most `inferred`"),
    ({**MINE, "fact": [{**FACT, "seen": "last year"}]}, "`seen` is neither a date"),
    ({**MINE, "fact": [FACT, FACT]}, "has a fact already"),
    ({**MINE, "limits": {"depths": {"value": 1, **PROOF}}}, "unknown limit"),
    ({**MINE, "limits": {"depth": {"value": "1", **PROOF}}}, "no whole number"),
    ({**MINE, "tool_name": {"pattern": "[", **PROOF}}, "no regular expression"),
]


@pytest.mark.parametrize(("table", "message"), WRONG, ids=[row[1] for row in WRONG])
def test_a_wrong_target_names_the_place(table: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match="mine") as raised:
        Catalogue(extra=[table]).target("mine")
    assert message in str(raised.value)


def test_a_project_adds_a_target_that_mirrors_another() -> None:
    mine = Catalogue(extra=[{**MINE, "mirror": "openai-nonstrict"}]).target("mine")
    assert mine.facts["ref"].status == "rejected"
    assert mine.facts["array-no-items"] == target("openai-nonstrict").facts["array-no-items"]


def test_a_project_corrects_a_fact() -> None:
    correction = {"target": "openai-nonstrict", **FACT, "feature": "root-union", "status": "accepted"}
    del correction["effect"]
    catalogue = Catalogue(corrections=[correction])
    assert catalogue.target("openai").facts["root-union"].status == "accepted"
    assert catalogue.check_corrections() == ("openai-nonstrict/root-union",)


@pytest.mark.parametrize(
    ("name", "hint"),
    [("copliot-cli", "copilot-cli"), ("portable", "portable-strict"), ("cursor+gemini", "cursor"), ("zzz", "targets")],
)
def test_a_correction_of_what_has_no_facts_is_an_error(name: str, hint: str) -> None:
    with pytest.raises(ConfigError, match="correct 1: no target") as raised:
        Catalogue(corrections=[{"target": name, **FACT}]).check_corrections()
    assert hint in raised.value.hint


def test_a_correction_may_use_a_short_name() -> None:
    row = {"target": "openai", **FACT, "feature": "one-of"}
    assert Catalogue(corrections=[row]).check_corrections() == ("openai-nonstrict/one-of",)


def test_a_correction_that_our_data_have_caught_up_with_is_an_error() -> None:
    shipped = target("openai-nonstrict").facts["root-union"]
    row = {"target": "openai-nonstrict", **FACT, "feature": "root-union", "effect": shipped.effect}
    with pytest.raises(ConfigError, match="says the same now"):
        Catalogue(corrections=[row]).check_corrections()


def test_a_target_from_a_file(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text('[[target]]\nid = "mine"\ntitle = "Mine"\nkind = "api"\nmirror = "openai-nonstrict"\n')
    found = target(str(path))
    assert isinstance(found, Target)
    assert found.facts == target("openai-nonstrict").facts


@pytest.mark.parametrize(("text", "message"), [("[[target]", "is no TOML"), ("", "has 0 [[target]] tables")])
def test_a_broken_target_file(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(text)
    with pytest.raises(ConfigError) as raised:
        target(str(path))
    assert message in str(raised.value)


def test_a_target_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        target(str(tmp_path / "none.toml"))
