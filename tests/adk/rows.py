"""What ADK-Rust answers: the shared recordings where they are, and rows of our own that every clone has."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.shared import SHARED

from toolglot.adk import (
    AnthropicSchemaAdapter,
    GeminiSchemaAdapter,
    GenericSchemaAdapter,
    OpenAiSchemaAdapter,
    OpenAiStrictSchemaAdapter,
    SchemaAdapter,
)

ADAPTERS: dict[str, SchemaAdapter] = {
    "gemini": GeminiSchemaAdapter(),
    "gemini-vertex": GeminiSchemaAdapter.vertex_ai(),
    "gemini-json": GeminiSchemaAdapter.json_schema(),
    "openai-strict": OpenAiStrictSchemaAdapter(),
    "openai": OpenAiSchemaAdapter(),
    "anthropic": AnthropicSchemaAdapter(),
    "generic": GenericSchemaAdapter(),
}
"""The names of the recordings."""

RECORDINGS = SHARED / "adk"

needs_recordings = pytest.mark.skipif(
    not RECORDINGS.exists(), reason="the recorded answers of ADK-Rust are not beside this checkout (shared/adk)"
)


def recorded(name: str) -> list[dict[str, Any]]:
    """The rows of one recording; none where it is missing."""
    path = RECORDINGS / name
    return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


def own() -> list[dict[str, Any]]:
    """The rows of our own: `id`, `input`, `outputs` by adapter; adapters with the same answer stand in one name."""
    lines = (Path(__file__).parent / "answers.jsonl").read_text().splitlines()
    return [json.loads(line) for line in lines]


def text(value: Any) -> str:
    """JSON text by which values are the same only if their types are, too."""
    return json.dumps(value, sort_keys=True)
