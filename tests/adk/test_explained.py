"""What an adapter loses, and what it does to a whole list."""

from __future__ import annotations

from typing import Any

import pytest
from rows import ADAPTERS, own
from tests.shared import corpus, needs_shared

from toolglot.adk import SchemaAdapter, SchemaCache, explain, lossless
from toolglot.demo.tools import TOOLS
from toolglot.errors import ToolError
from toolglot.schema.declared import declared
from toolglot.schema.refs import Document
from toolglot.schema.validate import validator
from toolglot.schema.witness import NO_VALUE, instances

TEXT, INTEGER = {"type": "string"}, {"type": "integer"}
GEMINI = ADAPTERS["gemini"]
FIELD = next(tool for tool in TOOLS if tool.name == "entries_upsert").schema


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


LOSSES: list[tuple[str, str, Any, list[tuple[str, str, str]]]] = [
    ("a plain schema", "gemini", of(a=TEXT), []),
    ("a bound", "gemini", of(a={**INTEGER, "maximum": 5}), [("/properties/a", "remove_unsupported_keywords", "wider")]),
    ("a hint", "gemini", of(a={**TEXT, "default": "x"}), [("/properties/a", "remove_unsupported_keywords", "exact")]),
    ("a union", "gemini", of(a={"anyOf": [TEXT, INTEGER]}), [("/properties/a", "collapse_combiners", "narrower")]),
    ("a type list", "gemini", of(a={"type": ["string", "integer"]}),
     [("/properties/a", "collapse_type_arrays", "narrower")]),
    ("a map that is closed", "openai-strict", of(a={"type": "object", "additionalProperties": TEXT}),
     [("/properties/a", "close_objects", "narrower")]),
    ("a union that stays", "anthropic", of(a={"anyOf": [TEXT, INTEGER]}), []),
    ("a dangling reference", "gemini", of(a={"$ref": "#/$defs/gone"}), [("/properties/a", "resolve_refs", "narrower")]),
]  # fmt: skip


@pytest.mark.parametrize(("adapter", "schema", "losses"), [row[1:] for row in LOSSES], ids=[row[0] for row in LOSSES])
def test_what_is_lost(adapter: str, schema: Any, losses: list[tuple[str, str, str]]) -> None:
    ledger = explain(ADAPTERS[adapter], schema)
    assert [(one.pointer, one.step, one.values) for one in ledger] == losses
    assert ledger.normalized == ADAPTERS[adapter].normalize_schema(schema)
    assert (ledger.lost is False) is all(values not in ("narrower", "changed") for *_, values in losses)


def test_the_asset_that_can_no_longer_be_written() -> None:
    ledger = explain(GEMINI, FIELD)
    (union,) = [one for one in ledger if one.step == "collapse_combiners"]
    assert union.pointer == "/properties/field_values/items"
    assert union.reason == "only the first branch of 17 of `anyOf` is kept"
    assets = [one for one in union.witnesses if one["type"] == "asset"]
    assert len({one["type"] for one in union.witnesses}) == 16
    call = {"entry_id": "1", "content_type": "article", "field_values": [assets[0]]}
    assert ledger.loses(call)
    assert not ledger.loses({**call, "field_values": [{"field": "a", "type": "string", "value": "b"}]})
    assert ledger.loses(ledger.witness)


def judged(schema: Any, value: Any) -> bool:
    return validator(schema).is_valid(value)


@pytest.mark.parametrize("row", own(), ids=lambda row: row["id"])
def test_lost_values_are_lost(row: dict[str, Any]) -> None:
    """A witness is taken by the lost set; the lost set takes nothing that can still be said."""
    for adapter in ADAPTERS.values():
        ledger = explain(adapter, row["input"])
        for one in ledger:
            assert one.lost in (None, False) or all(judged(one.lost, value) for value in one.witnesses), one
        if ledger.lost in (None, False) or not isinstance(ledger.normalized, dict):
            continue
        assert ledger.witness is NO_VALUE or ledger.loses(ledger.witness)
        sayable = instances(declared(Document({**ledger.normalized, "type": "object"})), 20)
        assert not any(judged(ledger.lost, value) for value in sayable)


@needs_shared
def test_a_sample_of_the_corpus_is_explained() -> None:
    tools = [{"name": t["name"], "inputSchema": t["inputSchema"]} for t in corpus()[::100]]
    for adapter in (GEMINI, ADAPTERS["openai-strict"]):
        ledger = explain(adapter, tools)
        assert len(ledger.tools) + len(ledger.problems) == len(tools)
        assert any(one.ledger.lost is not False for one in ledger.tools)


def test_a_list() -> None:
    long = "a" * 64
    tools = [
        {"name": f"{long}1", "inputSchema": of(a=TEXT)},
        {"name": f"{long}2", "inputSchema": of(a=TEXT)},
        {"name": "nothing"},
        {"inputSchema": 1},
    ]
    ledger = explain(GEMINI, tools)
    assert ledger.equal == {long: (f"{long}1", f"{long}2")}
    assert [one.what for one in ledger.tools[2].refused] == ["root-no-parameters"]
    assert [len(one.refused) for one in ledger.tools[:2]] == [0, 0]
    assert [(one.tool, one.index) for one in ledger.problems] == [(None, 3)]


def test_lossless_loses_nothing() -> None:
    ledger = explain(lossless("gemini-parameters"), FIELD)
    assert ledger.lost is False
    assert {one.values for one in ledger} <= {"exact", "wider", "unproved"}


class Upper(SchemaAdapter):
    """An adapter of a user's own: it takes the first property only."""

    def normalize_schema(self, schema: Any) -> Any:
        name, part = next(iter(schema["properties"].items()))
        return {"type": "object", "properties": {name: part}}


def test_an_adapter_of_ones_own() -> None:
    ledger = explain(Upper(), of(a=TEXT, b=INTEGER))
    assert [one.values for one in ledger] == ["narrower"]
    assert "b" in ledger.witness
    assert Upper().normalize_tool_name("ß" * 40) == "ß" * 32
    assert (Upper().parameters_field(), Upper().empty_schema()) == ("parameters", {"type": "object", "properties": {}})


DEEP: dict[str, Any] = {"type": "string"}
for _ in range(10_000):
    DEEP = {"type": "array", "items": DEEP}
LOOP: dict[str, Any] = {"type": "object"}
LOOP["properties"] = {"a": LOOP}
TOO_LARGE = {"wide": of(**{f"p{n}": TEXT for n in range(40_000)}), "deep": DEEP, "endless": LOOP}


@pytest.mark.parametrize("schema", TOO_LARGE.values(), ids=TOO_LARGE)
def test_what_is_too_large_is_an_error(schema: Any) -> None:
    with pytest.raises(ToolError):
        explain(GEMINI, schema)
    assert len(explain(GEMINI, [{"name": "t", "inputSchema": schema}]).problems) == 1


@pytest.mark.parametrize("schema", [DEEP, LOOP], ids=["deep", "endless"])
def test_no_cache_keeps_what_is_too_deep(schema: Any) -> None:
    with pytest.raises(ToolError):
        SchemaCache.for_adapter(GEMINI).normalize(schema)
