"""What the frameworks write into a request, over real tools: nothing that the target could say gets lost on the way.

A framework writes schemas anew for each provider. Every covering value of every tool, in the form of the target, is
valid for what the framework made of its schema.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from copy import deepcopy
from typing import Any

import pytest
from framework_parts import framework
from tests.shared import corpus, needs_shared

from toolglot import ToolError, normalize
from toolglot.providers.form import parameters
from toolglot.schema.validate import compiles, validator
from toolglot.schema.witness import instances
from toolglot.targets.model import Target

STEP = 1 if os.environ.get("TOOLGLOT_ACCEPT") == "1" else 40
VALUES = 20

Write = Callable[[Any], Any]
Road = tuple[Target | str, Write]


def pydantic_openai(target: str, strict: bool) -> Road:
    profile = framework("pydantic_ai.profiles.openai")
    return on_pydantic_ai(target), lambda schema: profile.OpenAIJsonSchemaTransformer(schema, strict=strict).walk()


def pydantic_anthropic(target: str, strict: bool | None) -> Road:
    framework("pydantic_ai.models.anthropic")
    provider = framework("pydantic_ai.providers.anthropic")
    return on_pydantic_ai(target), lambda schema: provider.AnthropicJsonSchemaTransformer(schema, strict=strict).walk()


def pydantic_google(target: str, strict: bool | None) -> Road:
    profile = framework("pydantic_ai.profiles.google")
    return on_pydantic_ai(target), lambda schema: profile.GoogleJsonSchemaTransformer(schema, strict=strict).walk()


def on_pydantic_ai(target: str) -> Target:
    from toolglot.providers.frameworks.pydantic_ai import target_in_pydantic_ai

    return target_in_pydantic_ai(target)


def langchain(target: str, strict: bool | None) -> Road:
    tools = framework("langchain_core.tools")
    calling = framework("langchain_core.utils.function_calling")
    from toolglot.providers.frameworks.langchain import target_in_langchain

    def write(schema: Any) -> Any:
        tool = tools.StructuredTool(name="n", description="d", args_schema=schema, func=print)
        return calling.convert_to_openai_tool(tool, strict=strict)["function"]["parameters"]

    return target_in_langchain(target), write


def agents_copy(target: str, strict: bool) -> Road:
    agents = framework("agents")

    def write(schema: Any) -> Any:
        tool = agents.FunctionTool("n", "d", schema, on_invoke_tool=print, strict_json_schema=strict)
        return tool.params_json_schema

    return target, write


ROADS: list[tuple[Callable[..., Road], str, bool | None]] = [
    (pydantic_openai, "openai-strict", True),
    (pydantic_openai, "openai-nonstrict", False),
    (pydantic_anthropic, "anthropic-strict", True),
    (pydantic_anthropic, "anthropic-nonstrict", None),
    (pydantic_google, "gemini-parameters", None),
    (pydantic_google, "gemini-parameters-json-schema", None),
    (langchain, "openai-strict", True),
    (langchain, "openai-nonstrict", False),
    (langchain, "anthropic-strict", True),
    (langchain, "anthropic-nonstrict", False),
    (agents_copy, "openai-strict", True),
    (agents_copy, "openai-nonstrict", False),
]


def tools() -> list[dict[str, Any]]:
    """One tool for each distinct schema of the corpus; some of them in an ordinary run."""
    found = {json.dumps(tool["inputSchema"], sort_keys=True): tool for tool in corpus()}
    return list(found.values())[::STEP]


@needs_shared
@pytest.mark.parametrize(("road", "target", "strict"), ROADS, ids=lambda v: getattr(v, "__name__", str(v)))
def test_nothing_is_lost_on_the_way(road: Callable[..., Road], target: str, strict: bool | None) -> None:
    reached, write = road(target, strict)
    values = 0
    lost: list[str] = []
    for tool in tools():
        checked, found = judge(tool, reached, write)
        values += checked
        lost += found
    assert lost == []
    assert values > 10_000 / STEP


def judge(tool: dict[str, Any], target: Target | str, write: Write) -> tuple[int, list[str]]:
    """How many values of a tool were checked, and which the framework's schema does not take."""
    try:
        n = normalize({"name": tool["name"], "description": "d", "inputSchema": tool["inputSchema"]}, target)
    except ToolError:
        return 0, []
    schema = parameters(n)
    if not every_pattern_compiles(schema):
        return 0, []
    ours, theirs = validator(schema), validator(write(deepcopy(schema)))
    wire = [n.encode(value) for value in instances(n.published.declared, VALUES)]
    said = [value for value in wire if ours.is_valid(value)]
    return len(said), [f"{tool['name']}: {value}" for value in said if not theirs.is_valid(value)]


def every_pattern_compiles(schema: Any) -> bool:
    if isinstance(schema, list):
        return all(every_pattern_compiles(one) for one in schema)
    if not isinstance(schema, dict):
        return True
    pattern = schema.get("pattern")
    own = not isinstance(pattern, str) or compiles(pattern)
    return own and all(every_pattern_compiles(one) for one in schema.values())
