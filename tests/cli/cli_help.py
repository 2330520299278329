"""Running the command line in tests: in this process, or as a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from toolglot.cli.app import run

_SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
OK = [{"name": "pages_list", "description": "Lists pages.", "inputSchema": _SCHEMA}]
UNION = {
    "name": "groups_manage",
    "description": "Changes groups.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "sites": {
                "description": "The sites.",
                "anyOf": [
                    {"type": "array", "items": {"type": "string"}},
                    {"type": "object", "properties": {"add": {"type": "string"}}, "required": ["add"]},
                ],
            }
        },
    },
}
DEMO = (sys.executable, "-m", "toolglot.demo")


@dataclass(frozen=True)
class Done:
    """What a run did."""

    code: int
    out: str
    err: str


class Cli:
    """`cli("check", ...)` runs one command line in a directory of its own, without TOOLGLOT_* variables."""

    def __init__(self, directory: Path, capsys: pytest.CaptureFixture[str]) -> None:
        self.directory = directory
        self._capsys = capsys

    def __call__(self, *args: str) -> Done:
        self._capsys.readouterr()
        code = run(args)
        out, err = self._capsys.readouterr()
        return Done(code, out, err)

    def file(self, name: str, content: Any) -> str:
        """A file in the directory: JSON, or a text as it is."""
        path = self.directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return name


def process(
    *args: str, cwd: Path, env: dict[str, str] | None = None, **settings: Any
) -> subprocess.CompletedProcess[str]:
    """`python -m toolglot ARGS` as a process; `env` is added to a clean environment."""
    return subprocess.run(
        [sys.executable, "-m", "toolglot", *args],
        cwd=cwd,
        env=clean() | (env or {}),
        text=True,
        capture_output=True,
        timeout=60,
        check=False,
        **settings,
    )


def clean() -> dict[str, str]:
    """The environment without what changes the output."""
    dropped = ("TOOLGLOT_", "NO_COLOR", "FORCE_COLOR", "COV_CORE", "COVERAGE")
    return {key: value for key, value in os.environ.items() if not key.startswith(dropped)}
