"""`toolglot adk`: what an adapter makes of tools, and what that loses."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_help import DEMO, OK, UNION

from toolglot.adk.choose import ADAPTERS
from toolglot.cli.adk import NAMES


def named(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


def test_every_adapter_has_a_name() -> None:
    assert tuple(ADAPTERS) == NAMES


def test_what_loses_is_shown(cli):
    cli.file("tools.json", [*OK, UNION])
    done = cli("adk", "tools.json", "--adapter", "gemini")
    assert (done.code, done.err) == (1, "")
    lines = done.out.splitlines()
    assert lines[0] == UNION["name"]
    assert lines[1].startswith("  schema: {")
    assert "collapse_combiners: narrower; only the first branch of 2 of" in lines[2]
    assert lines[3].startswith("    lost, for example: ")
    assert lines[-1] == "2 tools with GeminiSchemaAdapter(): 1 lose arguments, 1 do not."


def test_nothing_is_lost(cli):
    cli.file("tools.json", OK)
    done = cli("adk", "tools.json", "--adapter", "anthropic")
    assert (done.code, done.out.count("\n")) == (0, 1)
    assert OK[0]["name"] in cli("adk", "tools.json", "--adapter", "anthropic", "-v").out


def test_names_that_became_equal_and_empty_schemas(cli):
    long = "a" * 64
    cli.file("tools.json", [named(f"{long}1", a={}), named(f"{long}2", a={}), {"name": "nothing"}, {"name": 1}])
    done = cli("adk", "tools.json", "--adapter", "gemini")
    assert done.code == 1
    assert f"one name for several tools: {long} stands for {long}1, {long}2" in done.out
    assert "refuses this schema of no parameters" in done.out
    assert "not explained: entry 4 " in done.out


TREE = {
    "name": "tree",
    "inputSchema": {
        "type": "object",
        "properties": {"root": {"$ref": "#/$defs/node"}},
        "$defs": {"node": {"type": "object", "properties": {"children": {"items": {"$ref": "#/$defs/node"}}}}},
    },
}


def test_what_is_not_decided_is_not_read_as_fine(cli):
    cli.file("tools.json", [*OK, TREE, {"name": "nothing"}])
    done = cli("adk", "tools.json", "--adapter", "gemini")
    assert done.code == 1
    assert "  whole calls: the algebra gives no verdict" in done.out
    said = "3 tools with GeminiSchemaAdapter(): 0 lose arguments, 1 may lose some, 1 would be refused, 1 do not."
    assert done.out.splitlines()[-1] == said


def test_every_kind_that_is_lost(cli):
    done = cli("adk", "--adapter", "gemini", "--tool", "entries_upsert", "-v", "--", *DEMO)
    assert '    lost, for example: {"field": "text", "type": "asset", "asset_id": 1' in done.out


def test_json(cli):
    cli.file("tools.json", [*OK, UNION])
    done = cli("adk", "tools.json", "--adapter", "gemini", "--json", "--tool", UNION["name"])
    found = json.loads(done.out)
    assert (found["adapter"], found["field"], len(found["tools"])) == ("GeminiSchemaAdapter()", "parameters", 1)
    (loss,) = [one for one in found["tools"][0]["losses"] if one["values"] == "narrower"]
    assert set(loss) == {"pointer", "step", "values", "reason", "lost", "witnesses", "witness"}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["tools.json"], "name one adapter with --adapter: gemini, "),
        (["tools.json", "--adapter", "gemni"], "'gemni' is not one of"),
        (["tools.json", "--adapter", "gemini", "--tool", "nobody"], "nobody"),
        (["missing.json", "--adapter", "gemini"], "missing.json"),
        (["broken.json", "--adapter", "gemini"], "broken.json"),
    ],
)
def test_wrong_words(cli, words: list[str], said: str):
    cli.file("tools.json", OK)
    cli.file("broken.json", [])
    done = cli("adk", *words)
    assert done.code == 2
    assert said in done.err
    assert "Traceback" not in done.err


def test_a_real_server(cli):
    done = cli("adk", "--adapter", "openai-strict", "--", *DEMO)
    assert done.out.splitlines()[-1].startswith("10 tools with OpenAiStrictSchemaAdapter(): ")
