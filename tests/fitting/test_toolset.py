"""A whole list for one target: problems, names, budgets, one look-up when repeated, the same bytes in every process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.shared import corpus, needs_shared

from toolglot.errors import ArgumentsError, UnknownTarget, UnknownTool
from toolglot.fitting.budgets import budgets, counts_of, exceeded, most_tools
from toolglot.fitting.toolset import Toolset, View
from toolglot.schema.tool import Listing, Tool
from toolglot.targets.accept import name_problem
from toolglot.targets.load import SHIPPED, Catalogue, target

TEXT = {"type": "string"}


def tool(name: str, optional: int = 0, required: int = 1, unions: int = 0) -> dict[str, Any]:
    """A tool with so many optional and required texts, and required parameters of two types."""
    texts = {f"o{place}": TEXT for place in range(optional)} | {f"r{place}": TEXT for place in range(required)}
    either = {f"u{place}": {"type": ["string", "integer"]} for place in range(unions)}
    needed = [f"r{place}" for place in range(required)] + list(either)
    schema = {"type": "object", "properties": texts | either, "required": needed, "additionalProperties": False}
    return {"name": name, "description": "Does something.", "inputSchema": schema}


def check_view(toolset: Toolset, view: View) -> None:
    """What holds for every view."""
    twin = SHIPPED.target(view.target.fallback) if view.target.fallback else None
    for one in (view.target, *((twin,) if twin else ())):
        counts = [counts_of(n.tool, budgets(one)) for n in view.tools if n.target is one]
        assert not exceeded(counts, budgets(one))
    most = most_tools(view.target, twin)
    assert most is None or most.proof.disputed or len(view.tools) <= most.value
    published = [one.name for one in toolset.tools]
    sent = [n.published.tool.name for n in view.tools]
    assert sent == [name for name in published if name in sent], "tools keep their order"
    gone = {problem.tool for problem in view.problems}
    assert all(name in gone for name in published if name not in sent), "nothing is left out in silence"
    assert len({n.name for n in view.tools}) == len(view.tools)
    assert [view.names[name] for name in sent] == [n.name for n in view.tools]


# The list itself.


def test_one_bad_tool_costs_only_itself() -> None:
    toolset = Toolset([tool("a"), {"inputSchema": {}}, "text", tool("b"), tool("a", optional=3), None, {"name": "c"}])
    assert [one.name for one in toolset.tools] == ["a", "b", "c"]
    assert [(one.tool, one.index) for one in toolset.problems] == [(None, 1), (None, 2), ("a", 4), (None, 5)]
    assert "earlier tool" in toolset.problems[2].message
    view = toolset.normalize("openai")
    check_view(toolset, view)
    assert view.problems == toolset.problems
    assert [n.name for n in view.tools] == ["a", "b", "c"]


def test_a_list_is_read_once() -> None:
    rows = [tool("a")]
    toolset = Toolset(iter(rows))
    rows[0]["inputSchema"]["properties"]["r0"] = {"type": "integer"}
    rows.append(tool("b"))
    (one,) = toolset.normalize("openai").tools
    assert one.published.tool.input_schema == tool("a")["inputSchema"]


def test_a_listing_is_a_list() -> None:
    entries = (Tool.of(tool("a")),)
    assert Toolset(Listing("x", entries)).tools == entries == Toolset(entries).tools


def test_no_tools() -> None:
    view = Toolset([]).normalize("anthropic-strict")
    assert (view.tools, view.problems, view.notes, dict(view.names)) == ((), (), (), {})
    with pytest.raises(UnknownTool):
        view.restore("a", {})


def test_an_unknown_target() -> None:
    with pytest.raises(UnknownTarget):
        Toolset([tool("a")]).normalize("opanai")


def test_what_was_made_is_kept() -> None:
    toolset = Toolset([tool("a")])
    view = toolset.normalize("openai-strict")
    assert toolset.normalize("openai-strict") is view
    assert toolset.normalize("openai-strict", strict="auto") is not view
    value = target("openai-strict")
    assert toolset.normalize(value) is toolset.normalize(value)


def test_threads_get_one_view() -> None:
    toolset = Toolset([tool(f"t{place}", optional=2) for place in range(50)])
    views: list[View] = []
    threads = [threading.Thread(target=lambda: views.append(toolset.normalize("gemini-parameters"))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(views) == 8
    assert all(view is views[0] for view in views)


# Names, and the way back.

LONG = "x" * 70


def test_names_and_the_way_back() -> None:
    toolset = Toolset([tool("pages.list"), tool(LONG), tool("plain")])
    view = toolset.normalize("openai")
    check_view(toolset, view)
    rule = view.target.tool_name
    assert rule is not None
    assert not any(name_problem(n.name, rule) for n in view.tools)
    for published, wire in view.names.items():
        arguments = {"r0": "a"}
        assert view.encode(published, arguments) == (wire, arguments)
        name, restored = view.restore(wire, arguments)
        assert (name, restored.arguments) == (published, arguments)
        assert view.restore(published, json.dumps(arguments))[0] == published


def test_a_wrong_call_names_the_published_tool() -> None:
    view = Toolset([tool("pages.list")]).normalize("openai-strict")
    with pytest.raises(ArgumentsError) as raised:
        view.restore(view.names["pages.list"], {"r0": [1]})
    assert raised.value.tool == "pages.list"
    assert [error.pointer for error in raised.value.errors] == ["/r0"]


def test_a_tool_that_no_form_fits_is_a_problem() -> None:
    schema = {"type": "object", "properties": {f"p{place}": TEXT for place in range(101)}}
    toolset = Toolset([tool("a"), {"name": "wide", "inputSchema": schema}])
    view = toolset.normalize("azure-openai")
    check_view(toolset, view)
    assert [n.name for n in view.tools] == ["a"]
    (problem,) = view.problems
    assert problem.message.startswith("is not sent to azure-openai: properties: ")
    auto = toolset.normalize("azure-openai", strict="auto")
    assert [n.target.id for n in auto.tools] == ["azure-openai", "openai-nonstrict"]
    assert [note.message for note in auto.notes] == ["is sent to openai-nonstrict: strict refuses it."]


def test_a_tool_that_is_too_large_is_a_problem() -> None:
    many = {f"p{place}": True for place in range(200_001)}
    toolset = Toolset([{"name": "huge", "inputSchema": {"type": "object", "properties": many}}, tool("a")])
    for strict in (True, "auto"):
        view = toolset.normalize("openai-strict", strict=strict)
        check_view(toolset, view)
        assert [n.name for n in view.tools] == ["a"]
        assert [one.message for one in view.problems] == ["has more than 30,000 schemas. Publish a smaller one."]


@pytest.mark.parametrize("wrong", ["plane", "", "x" * 100_000, "\ud800"])
def test_an_unknown_name_names_the_nearest(wrong: str) -> None:
    view = Toolset([tool("plain"), tool("pages.list")]).normalize("openai")
    with pytest.raises(UnknownTool) as raised:
        view.restore(wrong, {})
    assert raised.value.name == wrong
    assert ("plain" in raised.value.nearest) == (wrong == "plane")
    with pytest.raises(UnknownTool):
        view.encode(wrong, {})


def test_names_made_to_be_the_same() -> None:
    toolset = Toolset([tool("a :: :  .b"), tool("c"), tool("a../ ./://b")])
    view = toolset.normalize("openai")
    assert [problem.index for problem in view.problems] == [2]
    assert "same name" in view.problems[0].message
    check_view(toolset, view)


# Budgets.


def test_a_strict_target_is_strict_where_there_is_room() -> None:
    toolset = Toolset([tool("a", optional=2), tool("b", unions=1)])
    view = toolset.normalize("anthropic-strict")
    assert {n.target.id for n in view.tools} == {"anthropic-strict"}
    assert not view.notes
    assert not view.problems


def test_without_room_the_fewest_tools_go_to_the_twin() -> None:
    toolset = Toolset([tool("large", optional=20), tool("a", optional=8), tool("b", optional=8), tool("c", optional=8)])
    view = toolset.normalize("anthropic-strict")
    check_view(toolset, view)
    assert [n.target.id for n in view.tools] == ["anthropic-nonstrict", *["anthropic-strict"] * 3]
    (note,) = view.notes
    assert (note.tool, note.index) == ("large", 0)
    assert note.message == (
        "is sent to anthropic-nonstrict: anthropic-strict takes 24 optional parameters in one request."
    )
    assert not view.problems


def test_of_equal_tools_the_first_are_strict() -> None:
    toolset = Toolset([tool(f"t{place}") for place in range(25)])
    view = toolset.normalize("anthropic-strict")
    check_view(toolset, view)
    assert [n.target.id == "anthropic-strict" for n in view.tools] == [True] * 20 + [False] * 5


def test_other_tools_do_not_change_a_tool_within_the_budgets() -> None:
    few = Toolset([tool("a", optional=3)]).normalize("anthropic-strict").tools
    more = Toolset([tool("b", unions=2), tool("a", optional=3)]).normalize("anthropic-strict").tools
    assert few[0].tool == more[1].tool


def test_more_tools_than_a_request_takes() -> None:
    toolset = Toolset([tool(f"t{place}") for place in range(130)])
    for name in ("openai", "openai-strict"):
        view = toolset.normalize(name)
        check_view(toolset, view)
        assert [n.name for n in view.tools] == [f"t{place}" for place in range(128)]
        assert [problem.index for problem in view.problems] == [128, 129]
        assert view.problems[0].message == f"is not sent: {view.target.id} takes 128 tools in one request."


def test_a_disputed_number_of_tools_leaves_nothing_out() -> None:
    view = Toolset([tool(f"t{place}") for place in range(42)]).normalize("cursor")
    assert len(view.tools) == 42
    assert not view.problems
    assert [note.index for note in view.notes] == [40, 41]
    assert "sources differ" in view.notes[0].message


SIZES = st.tuples(st.integers(0, 15), st.integers(0, 4), st.integers(0, 6))


@pytest.mark.parametrize("strict", [True, "auto"])
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(sizes=st.lists(SIZES, max_size=30))
def test_no_view_exceeds_a_budget(strict: Any, sizes: list[tuple[int, int, int]]) -> None:
    toolset = Toolset([tool(f"t{place}", *size) for place, size in enumerate(sizes)])
    view = toolset.normalize("anthropic-strict", strict=strict)
    check_view(toolset, view)
    assert len(view.tools) == len(sizes)
    assert len(view.notes) == sum(n.target is not view.target for n in view.tools)


# strict="auto".

AUTO = [
    (tool("none", optional=0, required=0), "openai-strict"),
    (tool("half", optional=2, required=2), "openai-strict"),
    (tool("most", optional=3, required=2), "openai-nonstrict"),
    (
        {"name": "map", "inputSchema": {"type": "object", "additionalProperties": {"type": "string"}}},
        "openai-nonstrict",
    ),
]


@pytest.mark.parametrize(("row", "expected"), AUTO, ids=[row[0]["name"] for row in AUTO])
def test_strict_where_it_costs_nothing(row: dict[str, Any], expected: str) -> None:
    toolset = Toolset([row])
    view = toolset.normalize("openai-strict", strict="auto")
    (one,) = view.tools
    assert one.target.id == expected
    assert bool(view.notes) == (expected == "openai-nonstrict")
    assert toolset.normalize("openai-strict").tools[0].target.id == "openai-strict"


def test_auto_means_nothing_for_a_target_that_is_not_strict() -> None:
    toolset = Toolset([tool("a", optional=3)])
    assert toolset.normalize("openai", strict="auto").tools[0].tool == toolset.normalize("openai").tools[0].tool


# A user's own target.

_PROOF = 'evidence = "documented"\nsource = "toolglot: declared"\nseen = 2026-11-30\n'
OWN = f"""
[[target]]
id = "mine"
title = "Mine"
kind = "api"
field = "schema"

[target.limits.optional-parameters]
value = 3
{_PROOF}
[target.tool_name]
pattern = "[a-z-]+[0-9a-z]*"
max = 30
{_PROOF}
"""


def test_a_file_as_a_target(tmp_path: Path) -> None:
    path = tmp_path / "mine.toml"
    path.write_text(OWN)
    toolset = Toolset([tool("pages_list", optional=1), tool("b", optional=3), tool("c", optional=2)])
    view = toolset.normalize(str(path))
    assert [n.name for n in view.tools] == ["pages-list-h51a040a8", "c"]
    assert view.tools[0].field == "schema"
    assert [problem.message for problem in view.problems] == [
        "is not sent: mine takes 3 optional parameters in one request."
    ]
    assert toolset.normalize(str(path)) is view


def test_a_catalogue_of_ones_own() -> None:
    base = {"title": "x", "kind": "api", "field": "parameters"}
    limit = {"value": 1, "evidence": "documented", "source": "toolglot: declared", "seen": "unknown"}
    catalogue = Catalogue(
        [
            {**base, "id": "own-strict", "fallback": "own-plain", "limits": {"strict-tools": limit}},
            {**base, "id": "own-plain", "limits": {"fields": {**limit, "value": 2}}},
        ]
    )
    toolset = Toolset([tool(name) for name in "abcd"], catalogue=catalogue)
    view = toolset.normalize("own-strict")
    assert [n.target.id for n in view.tools] == ["own-strict", "own-plain", "own-plain"]
    assert [(problem.tool, problem.message) for problem in view.problems] == [
        ("d", "is not sent: own-plain takes 2 fields in one request.")
    ]


# The same bytes in every process.

_SCRIPT = """
import json, sys
from toolglot.fitting.toolset import Toolset
tools = json.load(sys.stdin)
for name in ("anthropic-strict", "openai-strict", "gemini-parameters", "portable-strict", "claude-code"):
    for strict in (True, "auto"):
        view = Toolset(tools).normalize(name, strict=strict)
        print(json.dumps([n.tool for n in view.tools]), view.problems, view.notes, [n.ledger for n in view.tools])
"""


def _in_process(tools: list[Any], seed: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _SCRIPT],
        input=json.dumps(tools),
        env=os.environ | {"PYTHONHASHSEED": seed},
        text=True,
        capture_output=True,
        timeout=120,
        check=True,
    )
    return done.stdout


def test_the_same_bytes_in_two_processes() -> None:
    tools = [tool(f"t.{place}", optional=place % 7, unions=place % 3) for place in range(40)]
    tools += [row for row, _ in AUTO]
    assert _in_process(tools, "1") == _in_process(tools, "2")


@needs_shared
def test_the_same_bytes_for_real_tools() -> None:
    tools = corpus()[::60]
    assert _in_process(tools, "0") == _in_process(tools, "31")


@needs_shared
@pytest.mark.parametrize("name", ["anthropic-strict", "openai-strict", "gemini-parameters", "cursor"])
def test_real_servers(name: str) -> None:
    servers: dict[str, list[dict[str, Any]]] = {}
    for row in corpus():
        servers.setdefault(row["server"], []).append(row)
    for place, rows in enumerate(servers.values()):
        if place % 5 == 0:
            toolset = Toolset(rows)
            for strict in (True, "auto"):
                check_view(toolset, toolset.normalize(name, strict=strict))
