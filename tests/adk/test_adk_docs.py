"""The page about ADK-Rust and the example do what they say."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
BLOCKS = re.findall(r"^```python\n(.*?)^```$", (ROOT / "docs" / "adk.md").read_text(), re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=range(len(BLOCKS)))
def test_a_block_runs(block: str) -> None:
    exec(compile(block, "docs/adk.md", "exec"), {})


def test_what_the_blocks_say() -> None:
    found: dict[str, Any] = {}
    for block in BLOCKS:
        exec(compile(block, "docs/adk.md", "exec"), found)
    assert found["name"] == "get_weather"
    assert found["arguments"] == {"id": 2}
    assert found["ledger"].loses({"id": 7})
    assert found["NoFormats"]().normalize_schema({"type": "string", "format": "date"}) == {"type": "string"}


def test_the_example() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "examples" / "schema_normalization.py"], capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    said = re.findall(r"^  the call can .*", done.stdout, re.MULTILINE)
    assert len(said) == 8
    assert said[0] == "  the call can no longer be said"
    assert said[-1] == "  the call can be said"
    assert done.stdout.splitlines()[-1].endswith(done.stdout.splitlines()[1].removeprefix("a call:    "))
