"""How each provider gets a tool: with parameters, without, strict or not. No SDK is needed."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from toolglot import Toolset
from toolglot.providers.conversation import NAMES, form_of

NOTE = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}
CLOSED = {**NOTE, "additionalProperties": False}
TOOLS = [
    {"name": "note", "description": "Notes.", "inputSchema": NOTE},
    {"name": "ping", "description": "", "inputSchema": {"type": "object"}},
    {"name": "bare", "description": "Bare."},
]
NOTHING = {"type": "object", "properties": {}}
NOTHING_STRICT = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def function(**members: Any) -> dict[str, Any]:
    return {"type": "function", "function": members}


def spec(name: str, description: str, schema: Any, **more: Any) -> dict[str, Any]:
    return {"toolSpec": {"name": name, "description": description, "inputSchema": {"json": schema}, **more}}


ROWS: list[tuple[str, str, list[dict[str, Any]]]] = [
    (
        "openai_chat",
        "openai-nonstrict",
        [
            function(name="note", description="Notes.", parameters=NOTE, strict=False),
            function(name="ping", parameters=NOTHING, strict=False),
            function(name="bare", description="Bare.", strict=False),
        ],
    ),
    (
        "openai_chat",
        "openai-strict",
        [
            function(name="note", description="Notes.", parameters=CLOSED, strict=True),
            function(name="ping", parameters=NOTHING_STRICT, strict=True),
            function(name="bare", description="Bare.", strict=True),
        ],
    ),
    (
        "openai_responses",
        "openai-strict",
        [
            {"type": "function", "name": "note", "description": "Notes.", "parameters": CLOSED, "strict": True},
            {"type": "function", "name": "ping", "parameters": NOTHING_STRICT, "strict": True},
            {"type": "function", "name": "bare", "description": "Bare.", "parameters": NOTHING_STRICT, "strict": True},
        ],
    ),
    (
        "openai_responses",
        "openai-nonstrict",
        [
            {"type": "function", "name": "note", "description": "Notes.", "parameters": NOTE, "strict": False},
            {"type": "function", "name": "ping", "parameters": NOTHING, "strict": False},
            {"type": "function", "name": "bare", "description": "Bare.", "parameters": NOTHING, "strict": False},
        ],
    ),
    (
        "anthropic",
        "anthropic-nonstrict",
        [
            {"name": "note", "description": "Notes.", "input_schema": NOTE, "strict": False},
            {"name": "ping", "input_schema": NOTHING, "strict": False},
            {"name": "bare", "description": "Bare.", "input_schema": NOTHING, "strict": False},
        ],
    ),
    (
        "google_genai",
        "gemini-parameters",
        [
            {
                "function_declarations": [
                    {"name": "note", "description": "Notes.", "parameters": NOTE},
                    {"name": "ping"},
                    {"name": "bare", "description": "Bare."},
                ]
            }
        ],
    ),
    (
        "google_genai",
        "gemini",
        [
            {
                "function_declarations": [
                    {"name": "note", "description": "Notes.", "parameters_json_schema": NOTE},
                    {"name": "ping"},
                    {"name": "bare", "description": "Bare."},
                ]
            }
        ],
    ),
    (
        "bedrock",
        "bedrock",
        [
            spec("note", "Notes.", NOTE),
            spec("ping", "Ping.", NOTHING),
            spec("bare", "Bare.", NOTHING),
        ],
    ),
    (
        "mistral",
        "mistral",
        [
            function(name="note", description="Notes.", parameters=NOTE, strict=False),
            function(name="ping", parameters=NOTHING, strict=False),
            function(name="bare", description="Bare.", parameters=NOTHING, strict=False),
        ],
    ),
    (
        "ollama",
        "ollama",
        [
            function(name="note", description="Notes.", parameters=NOTE),
            function(name="ping", parameters=NOTHING),
            function(name="bare", description="Bare.", parameters=NOTHING),
        ],
    ),
    (
        "compatible",
        "deepseek-strict",
        [
            function(name="note", description="Notes.", parameters=CLOSED, strict=True),
            function(name="ping", strict=True),
            function(name="bare", description="Bare.", strict=True),
        ],
    ),
]


@pytest.mark.parametrize(("provider", "target", "expected"), ROWS, ids=[f"{row[0]}-{row[1]}" for row in ROWS])
def test_tools_as_they_are_written(provider: str, target: str, expected: list[dict[str, Any]]) -> None:
    assert form_of(provider).tools(Toolset(TOOLS).normalize(target)) == expected


def test_a_strict_view_says_of_each_tool_what_it_is() -> None:
    """What the strict budgets have no room for goes to the twin that is not strict."""
    many = [{**TOOLS[0], "name": f"note{number}"} for number in range(25)]
    found = form_of("anthropic").tools(Toolset(many).normalize("anthropic-strict"))
    assert [tool["strict"] for tool in found].count(True) == 20
    assert len(found) == 25


@pytest.mark.parametrize(("target", "field"), [("cursor+gemini-parameters", "parameters"), ("portable", "")])
def test_which_of_googles_fields_a_view_goes_into(target: str, field: str) -> None:
    (group,) = form_of("google_genai").tools(Toolset(TOOLS[:1]).normalize(target))
    assert set(group["function_declarations"][0]) == {"name", "description", field or "parameters_json_schema"}


@pytest.mark.parametrize("name", NAMES)
def test_a_provider_has_the_same_functions_as_all(name: str) -> None:
    module = __import__(f"toolglot.providers.{name}", fromlist=["tools"])
    assert set(module.__all__) == {"FORM", "calls", "history", "results", "said", "tools"}
    assert form_of(module).name == name


def test_no_module_imports_an_sdk() -> None:
    """Nor does the package itself load more than it is asked for."""
    code = (
        "import sys, toolglot.providers as p\n"
        "assert not [m for m in sys.modules if m.startswith('toolglot.providers.')], 'loaded too soon'\n"
        f"for name in {NAMES!r}: __import__('toolglot.providers.' + name)\n"
        "assert p.history and p.Call\n"
        "sdks = ('openai', 'anthropic', 'google.genai', 'boto3', 'mistralai', 'ollama')\n"
        "print([m for m in sdks if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout.strip() == "[]"


def test_the_bytes_are_the_same_in_another_process() -> None:
    code = (
        "import json, sys\nfrom toolglot import Toolset\nfrom toolglot.providers import openai_chat\n"
        "tools = json.loads(sys.stdin.read())\n"
        "print(json.dumps(openai_chat.tools(Toolset(tools).normalize('openai-strict'))), end='')"
    )
    command = [sys.executable, "-c", code]
    runs = {
        subprocess.run(command, input=json.dumps(TOOLS), capture_output=True, text=True, timeout=60, check=True).stdout
        for _ in range(2)
    }
    assert runs == {json.dumps(form_of("openai_chat").tools(Toolset(TOOLS).normalize("openai-strict")))}
