"""Properties of the adapters and their functions, over schemas that nobody wrote."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from rows import ADAPTERS, text

from toolglot.adk import SchemaAdapter, lossless, schema_adapter, schema_utils
from toolglot.adk.adapters import FORMATS
from toolglot.adk.transform import definitions_of
from toolglot.schema.refs import Document
from toolglot.schema.values import is_list, is_map

NAMES = st.sampled_from(["a", "b", "type", "$ref", "properties"])
TYPES = st.sampled_from(["string", "object", "array", "null", ["string", "null"], ["null"]])
VALUES = st.sampled_from([None, 1, "x", True])


def nodes(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(inner, max_size=3)
    by_name = st.dictionaries(NAMES, inner, max_size=3)
    words: dict[str, st.SearchStrategy[Any]] = {
        "type": TYPES, "properties": by_name, "required": st.lists(NAMES, max_size=2), "items": inner,
        "anyOf": several, "oneOf": several, "allOf": several, "enum": st.lists(VALUES, max_size=3), "const": VALUES,
        "if": inner, "then": inner, "additionalProperties": inner, "format": st.sampled_from(["date", "ipv4"]),
        "$ref": st.sampled_from(["#/$defs/a", "#/$defs/b", "#/definitions/a", "#/gone"]), "$schema": st.just("x"),
    }  # fmt: skip
    return st.fixed_dictionaries({}, optional=words)


PARTS = st.recursive(st.just({}) | st.booleans(), nodes, max_leaves=12)
SCHEMAS = st.builds(
    lambda node, defs: {**node, "$defs": defs} if is_map(node) else node, PARTS, st.dictionaries(NAMES, PARTS)
)
ONE_ARGUMENT = [
    *("strip_schema_keyword", "strip_conditional_keywords", "add_implicit_object_type", "convert_const_to_enum"),
    *("strip_null_from_enum", "collapse_combiners", "merge_all_of", "collapse_type_arrays"),
]
IDEMPOTENT = [name for name in ONE_ARGUMENT if name not in ("merge_all_of", "collapse_combiners")]


@given(SCHEMAS)
def test_nothing_changes_its_input(schema: Any) -> None:
    before = copy.deepcopy(schema)
    for adapter in ADAPTERS.values():
        adapter.normalize_schema(schema)
    for name in ONE_ARGUMENT:
        getattr(schema_utils, name)(schema)
    schema_utils.resolve_refs(schema, definitions_of(schema))
    schema_utils.enforce_nesting_depth(schema, 3)
    schema_utils.strip_unsupported_formats(schema, FORMATS)
    assert text(schema) == text(before)


@given(SCHEMAS)
def test_twice_is_once(schema: Any) -> None:
    for name in IDEMPOTENT:
        once = getattr(schema_utils, name)(schema)
        assert getattr(schema_utils, name)(once) is once, name


def refs(schema: Any) -> list[Any]:
    """The references in a schema, where ADK-Rust looks."""
    found: list[Any] = []
    waiting = [schema]
    while waiting:
        node = waiting.pop()
        if not is_map(node):
            continue
        found += [node["$ref"]] if isinstance(node.get("$ref"), str) else []
        for word in ("properties", "patternProperties"):
            waiting += node[word].values() if is_map(node.get(word)) else ()
        for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
            waiting += node[word] if is_list(node.get(word)) else ()
        waiting += [node.get(word) for word in ("items", "additionalProperties", "not", "if", "then", "else")]
    return found


@given(SCHEMAS)
def test_no_reference_is_left(schema: Any) -> None:
    """Where none leads back to itself; else ADK-Rust leaves those that stand behind more than ten others."""
    assume(not Document(schema).recursive)
    assert refs(schema_utils.resolve_refs(schema, definitions_of(schema))) == []


def test_what_adk_rust_leaves_of_a_cycle() -> None:
    schema = {"$ref": "#/$defs/a", "$defs": {"a": {"items": {"$ref": "#/$defs/a"}}}}
    made = schema_utils.resolve_refs(schema, definitions_of(schema))
    for _ in range(11):
        made = made["items"]
    assert made == {"$ref": "#/$defs/a"}


def depth(schema: Any) -> int:
    """How many objects stand inside one another, as ADK-Rust counts."""
    if not is_map(schema):
        return 0
    below = [*schema["properties"].values()] if is_map(schema.get("properties")) else []
    below += [schema.get("items"), schema.get("additionalProperties")]
    for word in ("anyOf", "oneOf", "allOf"):
        below += schema[word] if is_list(schema.get(word)) else []
    return max(map(depth, below), default=0) + bool(schema.get("properties"))


@given(SCHEMAS, st.integers(0, 4))
def test_the_depth_is_held(schema: Any, most: int) -> None:
    assert depth(schema_utils.enforce_nesting_depth(schema, most)) <= most + 1


@given(st.text(max_size=100), st.integers(0, 80))
def test_a_name_is_cut_and_stays_a_text(name: str, most: int) -> None:
    cut = schema_utils.truncate_tool_name(name, most)
    assert len(cut.encode()) <= most
    assert name.startswith(cut)


CHOICES: list[tuple[str, str]] = [
    ("gemini-3.7-flash", "gemini"),
    ("openai:gpt-5", "openai"),
    ("claude-sonnet-4-5", "anthropic"),
    ("openai-strict", "openai-strict"),
    ("vertex-ai", "gemini-vertex"),
    ("ollama/llama3", "generic"),
    ("deepseek-chat", "generic"),
    ("nobody-knows", "generic"),
]


@pytest.mark.parametrize(("model", "name"), CHOICES)
def test_the_adapter_of_a_model(model: str, name: str) -> None:
    assert schema_adapter(model) == ADAPTERS[name]


def test_the_adapter_of_a_client() -> None:
    client = type("OpenAI", (), {"__module__": "openai.lib"})()
    assert schema_adapter(client) == ADAPTERS["openai"]
    assert schema_adapter(object()) == ADAPTERS["generic"]


def test_adapters_are_values() -> None:
    shown = [repr(adapter) for adapter in ADAPTERS.values()]
    assert shown[:4] == [
        "GeminiSchemaAdapter()",
        "GeminiSchemaAdapter.vertex_ai()",
        "GeminiSchemaAdapter.json_schema()",
        "OpenAiStrictSchemaAdapter()",
    ]
    assert len({*ADAPTERS.values()}) == len(ADAPTERS)
    with pytest.raises(TypeError):
        SchemaAdapter()  # pyright: ignore[reportAbstractUsage]
    with pytest.raises(AttributeError):
        ADAPTERS["gemini"].surface = "vertex"  # pyright: ignore[reportAttributeAccessIssue]


ASSET = {"field": {"kind": "asset", "id": 549895}}
TOOL: dict[str, Any] = {
    "name": "set_field",
    "inputSchema": {
        "type": "object",
        "required": ["field"],
        "properties": {
            "field": {
                "anyOf": [
                    {"type": "object", "required": ["kind", "text"],
                     "properties": {"kind": {"const": "text"}, "text": {"type": "string"}}},
                    {"type": "object", "required": ["kind", "id"],
                     "properties": {"kind": {"const": "asset"}, "id": {"enum": [549895]}}},
                ]
            }
        },
    },
}  # fmt: skip


def test_the_way_out_takes_two_lines() -> None:
    """With the first line only, the server would get the model's shape."""
    adapter = lossless("langflow")
    sent = adapter.normalize_schema(TOOL["inputSchema"])
    answer = adapter.normalized(TOOL["inputSchema"]).encode(ASSET)
    assert answer != ASSET
    assert sent == adapter.normalized(TOOL["inputSchema"]).schema
    assert adapter.restore(TOOL, answer).arguments == ASSET
