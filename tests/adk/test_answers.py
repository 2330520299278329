"""The answers of ADK-Rust 2.0.0: of its adapters, of each function of `schema_utils`, and for names."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from rows import ADAPTERS, RECORDINGS, needs_recordings, own, recorded, text
from tests.clock import ends_within, untraced

from toolglot.adk import GeminiSchemaAdapter, schema_utils
from toolglot.adk.adapters import FORMATS
from toolglot.adk.transform import definitions_of

EVERY = [*own(), *recorded("golden.jsonl")]


@pytest.mark.parametrize("row", EVERY, ids=lambda row: row["id"])
def test_an_adapter_answers_as_adk_rust(row: dict[str, Any]) -> None:
    given = copy.deepcopy(row["input"])
    for name, expected in row["outputs"].items():
        assert text(ADAPTERS[name].normalize_schema(given)) == text(expected), name
    assert text(given) == text(row["input"])


@needs_recordings
def test_the_recordings_are_there() -> None:
    assert len(EVERY) > 600


FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    **{name: getattr(schema_utils, name) for name in schema_utils.__all__ if name != "truncate_tool_name"},
    "resolve_refs": lambda schema: schema_utils.resolve_refs(schema, definitions_of(schema)),
    "strip_unsupported_formats": lambda schema: schema_utils.strip_unsupported_formats(schema, FORMATS),
    "enforce_nesting_depth": lambda schema: schema_utils.enforce_nesting_depth(schema, 3),
}
UTILS = recorded("utils.jsonl")


@needs_recordings
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_function_answers_as_adk_rust(name: str) -> None:
    for row in UTILS:
        made = FUNCTIONS[name](row["input"])
        assert text(made) == text(row["changed"].get(name, row["input"])), row["id"]
        assert (made is row["input"]) is (name not in row["changed"]), row["id"]


@needs_recordings
def test_each_function_is_recorded_with_a_change() -> None:
    assert FUNCTIONS.keys() == {name for row in UTILS for name in row["changed"]}


NAMES = [
    ("get_weather", "get_weather"),
    ("a" * 65, "a" * 64),
    ("ß" * 40, "ß" * 32),
    ("€" * 30, "€" * 21),
    ("x" * 62 + "😀", "x" * 62),
    ("", ""),
]


@pytest.mark.parametrize(("name", "expected"), NAMES)
def test_a_name_is_cut_at_a_character(name: str, expected: str) -> None:
    assert {adapter.normalize_tool_name(name) for adapter in ADAPTERS.values()} == {expected}


@needs_recordings
def test_names_are_those_of_adk_rust() -> None:
    for row in json.loads((RECORDINGS / "names.json").read_text()):
        assert ADAPTERS["gemini"].normalize_tool_name(row["name"]) == row["normalized"]


def fan_out(width: int, levels: int) -> dict[str, Any]:
    """Definitions that each use the next one `width` times."""
    objects: dict[str, Any] = {
        f"L{level}": {
            "type": "object",
            "properties": {f"k{n}": {"$ref": f"#/$defs/L{level + 1}"} for n in range(width)},
        }
        for level in range(levels)
    }
    definitions = {**objects, f"L{levels}": {"type": "string"}}
    return {"type": "object", "properties": {"x": {"$ref": "#/$defs/L0"}}, "$defs": definitions}


HOSTILE = {
    "fan-out": fan_out(8, 9),
    "wide": fan_out(3_000, 3),
    "fan-out in a cycle": {"$ref": "#/$defs/a", "$defs": {"a": {"allOf": [{"$ref": "#/$defs/a"}] * 10}}},
    "a reference to itself": {"$ref": "#/$defs/a", "$defs": {"a": {"$ref": "#/$defs/a"}}},
}


@untraced
@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.parametrize("adapter", ADAPTERS.values(), ids=ADAPTERS)
def test_references_that_fan_out_end(name: str, adapter: Any) -> None:
    with ends_within(0.05):
        adapter.normalize_schema(HOSTILE[name])


def test_past_the_budget_stands_any_object() -> None:
    made = GeminiSchemaAdapter().normalize_schema(fan_out(8, 9))
    deepest = made["properties"]["x"]["properties"]["k0"]["properties"]["k7"]["properties"]["k3"]
    assert deepest == {"type": "object"}
    assert "$ref" not in text(made)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_what_is_nested_too_deep_ends(name: str) -> None:
    deep: Any = {"type": "string"}
    for _ in range(10_000):
        deep = {"type": "array", "items": deep}
    made = FUNCTIONS[name](deep)
    for _ in range(128):
        made = made["items"]
    assert made == {"type": "object"}
