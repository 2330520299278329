"""The public reports, the hard schemas and the corpus: what the rules say about each, and that they say it soon."""

from __future__ import annotations

from typing import Any

import pytest
from rule_rows import found, hits_of_list
from tests.clock import ends_within, untraced
from tests.shared import cases, corpus, hard, needs_shared

X = "error"
CASES: dict[str, set[tuple[str, str, str]]] = {
    "calendar-lookahead-openai": {("TG115", "note", "/properties/attendees/items/properties/email")},
    "calva-windsurf-description-null": {("TG103", X, "/properties/code"), ("TG103", X, "/properties/namespace")},
    "claude-code-empty-schema-stringified": {("TG107", "note", "/properties/b_any")},
    "claude-code-one-bad-root-hides-server": {("TG101", X, ""), ("TG102", X, ""), ("TG110", "note", "")},
    "codex-integer-to-number-and-string-default": {
        ("TG107", "note", "/properties/payload"),
        ("TG107", "note", "/properties/when"),
    },
    "copilot-cli-object-without-properties": {("TG111", "note", "")},
    "crewai-untyped-items-become-object": {
        ("TG107", "note", "/properties/fields/anyOf/0"),
        ("TG107", "note", "/properties/expand"),
    },
    "deepseek-parameters-empty-object": {("TG102", X, "")},
    "dify-unions-become-strings": {("TG112", "warning", "/properties/when")},
    "fastmcp-discriminator-tag-optional": {("TG101", X, "/properties/shape")},
    "gemini-bare-array-inside-anyof": {
        ("TG106", X, "/properties/filter/anyOf/1"),
        ("TG112", "warning", "/properties/filter"),
    },
    "gitlab-root-allof-required-union": {("TG102", X, "")},
    "godot-anthropic-root-discriminated-union": {("TG101", X, ""), ("TG102", X, "")},
    "hermes-gemini-items-required-only": {("TG108", "warning", "/properties/files/items")},
    "hyperdx-anthropic-tuple-draft7": {("TG103", X, "/properties/condition/properties/value")},
    "langchain-nested-anyof-required-intersect": {("TG101", X, "/properties/target")},
    "langchain4j-list-of-anything": {
        ("TG107", "note", "/properties/args/items"),
        ("TG107", "note", "/properties/rows/items/items"),
    },
    "mcpgo-definitions-renamed": {("TG112", "warning", "/definitions/__schema0")},
    "mcpgo-properties-null-skipped": {("TG103", X, ""), ("TG111", "note", "")},
    "mistral-draft4-exclusive-flag": {("TG103", X, "/properties/sources/items/properties/pages/anyOf/0/items")},
    "notion-openai-nested-allof": {("TG101", X, "/properties/data/allOf/1")},
    "obsidian-required-ghost-name": {("TG108", "warning", "")},
    "omniroute-pattern-parameter-dropped": {("TG115", "note", "/properties/path")},
    "omp-strict-property-names": {("TG112", "warning", "/properties/formats/anyOf/0/items")},
    "openai-2d-array-inner-items-missing": {("TG106", X, "/properties/values/items")},
    "openai-array-default-no-items": {("TG106", X, "/properties/outputFormats")},
    "opencodex-xai-merged-branches-lose-correlation": {("TG101", X, ""), ("TG102", X, "")},
    "openhands-items-true": {("TG107", "note", "/properties/cursor/anyOf/0/items")},
    "pi-bedrock-root-without-type": {("TG101", X, ""), ("TG102", X, "")},
    "pi-kimi-allof-if-conflict": {("TG107", "note", "/properties/task")},
    "pizza-recursive-filter-union-merged": {("TG101", X, "/definitions/F")},
    "python-genai-boolean-leaf": {("TG107", "note", "/properties/anything")},
    "sttp-strict-bare-empty-schema": {("TG102", X, "")},
    "unify-stray-type-in-properties": {("TG103", X, "")},
    "windsurf-draft4-exclusive-flag": {("TG103", X, "/properties/quality/anyOf/0")},
    "windsurf-events-array-no-items": {("TG106", X, "/properties/events")},
    "workspace-gemini-oneof-requests": {("TG101", X, "/properties/operations/items")},
    "zed-defs-tool-silently-missing": {("TG101", X, "/$defs/Parent"), ("TG110", "note", "/$defs/Parent")},
    "zed-gemini-const-discriminator": {("TG101", X, "/properties/block")},
}
"""What the contract says about a case. The other cases are sound schemas that a target treats badly (TG2xx), names, or
what a model sent."""

HARD: dict[str, set[tuple[str, str, str]]] = {
    "ref-unresolvable": {("TG104", X, "/properties/opt")},
    "union-oneof-discriminated": {("TG101", X, "/properties/shape")},
    "union-beside-properties": {("TG101", X, "/properties/job"), ("TG110", "note", "/properties/job")},
    "union-three-way-null": {("TG112", "warning", "/properties/tags")},
    "array-no-items": {("TG106", X, "/properties/values")},
    "boolean-schema": {("TG107", "note", "/properties/any"), ("TG107", "note", "/properties/list/items")},
    "name-required-undeclared": {("TG108", "warning", "")},
    "root-ref": {("TG102", X, "")},
}


@pytest.mark.parametrize("case", cases(), ids=lambda case: case["id"])
def test_a_public_report(case: dict[str, Any]) -> None:
    assert found([case["tool"], *case.get("other_tools", [])]) == CASES.get(case["id"], set())


@untraced
@pytest.mark.parametrize("case", hard(), ids=lambda case: case["id"])
def test_a_hard_schema(case: dict[str, Any]) -> None:
    with ends_within(1):
        assert found([{"name": case["id"], "inputSchema": case["inputSchema"]}]) == HARD.get(case["id"], set())


@needs_shared
def test_every_name_in_the_tables_is_a_case() -> None:
    assert CASES.keys() <= {case["id"] for case in cases()}
    assert HARD.keys() <= {case["id"] for case in hard()}


@needs_shared
def test_broken_schemas_are_told_as_broken() -> None:
    broken = {case["id"] for case in cases() if case.get("schema_valid") is False}
    assert broken == {name for name, told in CASES.items() if any(code == "TG103" for code, _, _ in told)}


@untraced
@needs_shared
def test_the_corpus_is_checked_without_a_crash() -> None:
    servers: dict[str, list[dict[str, Any]]] = {}
    for tool in corpus():
        servers.setdefault(tool["server"], []).append({"name": tool["name"], "inputSchema": tool["inputSchema"]})
    failing = {server for server, tools in servers.items() if any(_fails(*pair) for pair in hits_of_list(tools))}
    assert 20 <= len(failing) <= 40, "the rules of the contract fail about one server in eight"


def _fails(rule: Any, hit: Any) -> bool:
    return (hit.severity or rule.severity) == "error"
