"""The shared data of the workshop, where it is there: a clone from anywhere skips what needs it."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

SHARED = Path(__file__).resolve().parents[2] / "shared"

needs_shared = pytest.mark.skipif(
    not (SHARED / "corpus" / "tools.jsonl").exists(), reason="the folder `shared` is not beside this checkout"
)


def corpus() -> list[dict[str, Any]]:
    """Every tool of the corpus: `server`, `name`, `inputSchema`."""
    return _lines(SHARED / "corpus" / "tools.jsonl")


def cases() -> list[dict[str, Any]]:
    """Every case from a public report; nothing where the folder is missing."""
    return [json.loads(path.read_text()) for path in sorted((SHARED / "cases").glob("*.json"))]


def hard() -> list[dict[str, Any]]:
    """The schemas that break most converters; nothing where the folder is missing."""
    path = SHARED / "hard.jsonl"
    return _lines(path) if path.exists() else []


def _lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]
