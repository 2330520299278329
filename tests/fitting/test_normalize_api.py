"""What `normalize` gives, member by member, for the tools that have no schema to speak of too."""

from __future__ import annotations

import copy
import json
from pathlib import Path
from typing import Any

import pytest

from toolglot import ArgumentsError, ToolError, Toolset, accept, normalize, target
from toolglot.schema.tool import thaw

TOOL: dict[str, Any] = {
    "name": "entries.upsert",
    "title": "Upsert",
    "description": "Writes entries.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "id": {"type": "string"},
            "sites": {"type": "object", "additionalProperties": {"type": "integer"}},
        },
        "required": ["id"],
    },
    "annotations": {"readOnlyHint": False},
}


def test_the_mapping_is_never_changed() -> None:
    before = copy.deepcopy(TOOL)
    n = normalize(TOOL, "openai-strict")
    n.restore(n.encode({"id": "a", "sites": {"x": 1}}))
    assert before == TOOL


def test_the_published_mapping_keeps_what_is_not_replaced() -> None:
    n = normalize(TOOL, "openai")
    assert n.tool == {**TOOL, "name": n.name, "description": n.description, "inputSchema": n.schema}
    assert n.name.startswith("entries_upsert_h")
    assert n.field == "parameters"


def test_the_size_is_that_of_name_description_and_schema() -> None:
    n = normalize(TOOL, "gemini-parameters")
    sent = [n.name, n.description, thaw(n.schema)]
    assert n.size.sent == len(json.dumps(sent, separators=(",", ":"), ensure_ascii=False).encode())
    assert n.size.sent_tokens == n.size.sent // 4
    assert n.size.published < n.size.sent
    assert n.size.published_tokens == n.size.published // 4


EMPTY = {"type": "object", "properties": {}}
CLOSED = {"type": "object", "properties": {}, "additionalProperties": False}
NOTHING: list[tuple[Any, str, Any]] = [
    ({}, "gemini-parameters", None),
    ({"type": "object"}, "gemini-parameters", None),
    (EMPTY, "gemini-parameters", None),
    (CLOSED, "gemini-parameters", None),
    ({"description": "Nothing."}, "gemini-parameters", None),
    ({}, "openai-strict", CLOSED),
    ({"type": "object"}, "openai-strict", CLOSED),
    ({"type": "object"}, "anthropic-strict", {"type": "object", "additionalProperties": False}),
    (EMPTY, "openai-strict", CLOSED),
    ({}, "anthropic-nonstrict", {"type": "object"}),
    ({}, "portable", EMPTY),
    ({"type": "object"}, "portable", EMPTY),
    (CLOSED, "portable", CLOSED),
    ({}, "cursor", {}),
]


@pytest.mark.parametrize(("schema", "name", "wire"), NOTHING, ids=[f"{row[0]} {row[1]}" for row in NOTHING])
def test_a_tool_without_parameters(schema: Any, name: str, wire: Any) -> None:
    n = normalize({"name": "ping", "description": "Pings.", "inputSchema": schema}, name)
    assert (None if n.schema is None else thaw(n.schema)) == wire
    assert ("inputSchema" in n.tool) is (wire is not None)
    assert accept(n.tool, n.target) == ()
    for answer in (None, "", "null", {}, "{}"):
        assert n.restore(answer).arguments == {}


@pytest.mark.parametrize("name", ["gemini-parameters", "openai-strict", "portable", "cursor"])
@pytest.mark.parametrize("published", [{}, {"inputSchema": None}])
def test_a_tool_without_a_schema(published: dict[str, Any], name: str) -> None:
    n = normalize({"name": "ping", "description": "Pings.", **published}, name)
    assert n.schema is None
    assert "inputSchema" not in n.tool
    assert n.restore(None).arguments == {}


@pytest.mark.parametrize("tool", [{}, {"name": ""}, {"name": 5}, {"name": "a", "inputSchema": []}, "a", None])
def test_what_is_no_tool(tool: Any) -> None:
    with pytest.raises(ToolError):
        normalize(tool, "openai")


@pytest.mark.parametrize("name", [None, 5, ["openai"]])
def test_what_is_no_target(name: Any) -> None:
    with pytest.raises(TypeError, match=r"str, bytes or os\.PathLike"):
        normalize(TOOL, name)


def test_a_text_that_is_no_json_says_so_once() -> None:
    with pytest.raises(ArgumentsError) as raised:
        normalize(TOOL, "openai").restore('{"id":')
    assert str(raised.value).count("JSON:") == 1
    assert raised.value.errors[0].expected == "a JSON object"


MINE = """[[target]]
id = "mine"
title = "Mine"
kind = "api"
mirror = "openai-nonstrict"

[[target.fact]]
feature = "map"
status = "rejected"
effect = "refused"
evidence = "observed"
source = "https://mine.test"
seen = 2026-11-30
"""


@pytest.fixture(name="path")
def _path(tmp_path: Path) -> Path:
    path = tmp_path / "mine.toml"
    path.write_text(MINE)
    return path


def test_a_target_of_ones_own_works_everywhere(path: Path) -> None:
    for given in (str(path), path, target(path)):
        n = normalize(TOOL, given)
        assert (n.target.id, n.schema["properties"]["sites"]["type"] if n.schema else None) == ("mine", "array")
        assert accept(TOOL, target(given)) != ()
        assert Toolset([TOOL]).normalize(given).tools[0].schema == n.schema
    both = normalize(TOOL, f"cursor+{path}")
    assert both.target.id == "cursor+mine"
    assert both.schema is not None
    assert both.schema["properties"]["sites"]["type"] == "array"


def test_a_file_may_have_a_plus_in_its_name(path: Path, tmp_path: Path) -> None:
    odd = tmp_path / "a+b.toml"
    odd.write_text(path.read_text())
    assert target(odd).id == "mine"


@pytest.mark.parametrize("strict", [False, "never", None])
def test_strict_is_true_or_auto(strict: Any) -> None:
    with pytest.raises(ValueError, match="fallback"):
        Toolset([TOOL]).normalize("openai-strict", strict=strict)
