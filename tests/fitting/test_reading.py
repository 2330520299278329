"""Malformed schemas: no target gets them as published, and the ledger says what became of them."""

from __future__ import annotations

from typing import Any

import pytest
from targets_asked import distinct_targets
from tests.shared import cases, hard

from toolglot import Target, accept, normalize, target
from toolglot.schema.features import FEATURES, mask_of
from toolglot.schema.tool import thaw
from toolglot.targets.accept import ScannedTool
from toolglot.targets.model import PROTOCOL, Fact, Proof

NUMBER = {"type": "number"}
OLD = {"$schema": "http://json-schema.org/draft-04/schema#"}
FLAG = {"properties": {"a": {**NUMBER, "minimum": 0, "exclusiveMinimum": True}}}
LIST = {"$schema": "http://json-schema.org/draft-07/schema#", "properties": {"a": {"type": "array", "items": [NUMBER]}}}
PROPERTIES = "malformed: only what is valid of `properties` is sent"

ROWS: list[tuple[str, dict[str, Any], str, dict[str, Any], tuple[str, str, str, str]]] = [
    (
        *("properties: null", {"properties": {"a": {"type": "object", "properties": None}}}, "openai-nonstrict"),
        {"properties": {"a": {"type": "object"}}},
        ("/properties/a", "schema-invalid", "left out", "exact"),
    ),
    (
        *("description: null", {"properties": {"a": {**NUMBER, "description": None}}}, "claude-code"),
        {"properties": {"a": NUMBER}},
        ("/properties/a", "schema-invalid", "left out", "exact"),
    ),
    (
        *("a property that is no schema", {"properties": {"a": None, "b": NUMBER}}, "openai-nonstrict"),
        {"properties": {"b": NUMBER}},
        ("", "schema-invalid", "left out", "exact"),
    ),
    (
        *("boolean bound", FLAG, "openai-nonstrict"),
        {"properties": {"a": {**NUMBER, "exclusiveMinimum": 0}}},
        ("/properties/a", "exclusive-flag", "kept", "exact"),
    ),
    (
        *("boolean bound of its own draft", {**OLD, **FLAG}, "openai-nonstrict"),
        {"properties": {"a": {**NUMBER, "exclusiveMinimum": 0}}},
        ("/properties/a", "exclusive-flag", "kept", "exact"),
    ),
    (
        *("a dangling reference", {"properties": {"a": {"$ref": "#/$defs/none"}}}, "openai-nonstrict"),
        {"properties": {"a": {}}},
        ("/properties/a", "ref-dangling", "left out", "wider"),
    ),
    (
        *("a remote reference", {"properties": {"a": {"$ref": "https://a.test/b"}}}, "openai-nonstrict"),
        {"properties": {"a": {}}},
        ("/properties/a", "ref-remote", "left out", "wider"),
    ),
    (
        *("a list as items", LIST, "anthropic-nonstrict"),
        {"properties": {"a": {"type": "array", "prefixItems": [NUMBER]}}},
        ("/properties/a", "tuple-items", "kept", "exact"),
    ),
    (
        *("a hint that only reading drops", {**LIST, "properties": {"a": {"type": "string", "pattern": "^a$"}}},),
        *("gemini-parameters", {"properties": {"a": {"type": "string", "pattern": "^a$"}}}),
        ("", "dialect", "left out", "exact"),
    ),
]  # fmt: skip


def tool(schema: dict[str, Any]) -> dict[str, Any]:
    return {"name": "t", "description": "d", "inputSchema": {"type": "object", **schema}}


@pytest.mark.parametrize(("schema", "name", "wire", "entry"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_meaning_is_sent(schema: Any, name: str, wire: Any, entry: tuple[str, str, str, str]) -> None:
    n = normalize(tool(schema), name)
    assert thaw(n.schema) == {"type": "object", **wire}
    assert [one[:4] for one in n.ledger] == [entry]
    assert n.ledger[0].reason
    assert n.ledger[0].fact is not None
    assert accept(tool(schema), n.target) != ()
    assert accept(n.tool, n.target) == ()


def test_the_reason_names_the_keyword_and_the_statement_is_that_of_the_protocol() -> None:
    [entry] = normalize(tool({"properties": None}), "claude-code").ledger
    assert entry.reason == PROPERTIES
    assert entry.fact is PROTOCOL["schema-invalid-draft7"]


def test_a_list_as_items_stays_where_no_fact_speaks_of_it() -> None:
    published = tool(LIST)
    n = normalize(published, "openai-nonstrict")
    assert n.schema == published["inputSchema"]
    assert n.ledger == ()


def test_a_target_that_takes_what_is_malformed_gets_it() -> None:
    proof = Proof("https://lenient.test", "observed")
    facts = {"schema-invalid": Fact("lenient", "schema-invalid", "ignored", "none", proof)}
    lenient = Target("lenient", "Takes everything", "api", facts=facts)
    assert not accept(tool(FLAG), lenient)
    assert normalize(tool(FLAG), lenient).ledger == ()


PUBLISHED = [case["tool"] for case in cases()] + [{"name": r["id"], "inputSchema": r["inputSchema"]} for r in hard()]
RULED_OUT = mask_of("schema-invalid-draft7", "ref-dangling", "ref-remote")


@pytest.mark.parametrize("name", [one.id for one in distinct_targets()])
def test_no_target_gets_what_the_protocol_rules_out(name: str) -> None:
    one = target(name)
    for published in PUBLISHED:
        if ScannedTool(normalize(published, one).published.tool).mask & RULED_OUT:
            sent = normalize(published, one)
            assert sent.refused or not [v for v in accept(sent.tool, one) if v.statement in PROTOCOL.values()]


@pytest.mark.parametrize("name", [one.id for one in distinct_targets()])
def test_an_empty_ledger_means_sent_as_published(name: str) -> None:
    for published in PUBLISHED:
        n = normalize(published, name)
        same = n.schema == n.published.tool.input_schema
        assert bool(n.ledger) or same, (published["name"], thaw(n.schema))


def test_a_feature_of_the_protocol_is_a_feature() -> None:
    assert set(PROTOCOL) <= set(FEATURES)
