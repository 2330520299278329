"""The examples of the document run as they stand, against servers of this machine."""

from __future__ import annotations

import ast
import inspect
import json
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.live.live_help import DEMO, run, text

import toolglot

ROOT = Path(__file__).resolve().parents[2]
PAGE = {"page_id": "home"}


def blocks(path: str) -> list[str]:
    """The Python blocks of a document that connect to something."""
    found = re.findall(r"^```python\n(.*?)^```$", (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)
    return [block for block in found if "connect" in block]


BLOCKS = [*blocks("docs/live.md"), *blocks("README.md")]


class Client:
    """A model behind Anthropic's API: one call, then it has finished."""

    def __init__(self) -> None:
        self.messages = self
        self.sent: list[Any] = []

    def create(self, **request: Any) -> Any:
        self.sent.append(request)
        done = {"type": "text", "text": "Done."}
        call = {"type": "tool_use", "id": "1", "name": "page_render", "input": PAGE}
        return {"role": "assistant", "content": [done if len(self.sent) > 1 else call], "stop_reason": "end_turn"}


@pytest.mark.parametrize("number", range(len(BLOCKS)))
def test_an_example_runs(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    monkeypatch.chdir(tmp_path)
    entry = {"command": DEMO[0], "args": list(DEMO[1:])}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"one": entry, "two": entry}}))
    example = BLOCKS[number].replace('"npx", "-y", "@modelcontextprotocol/server-everything"', repr(DEMO)[1:-1])
    example = re.sub(r'"https://example.com/mcp", headers=.*?}', repr(DEMO)[1:-1], example)
    names: dict[str, Any] = {"name": "page_render", "arguments": PAGE, "toolglot": toolglot, "token": "x"}
    client = names["client"] = Client()
    names["messages"] = []

    async def work() -> None:
        found = eval(compile(example, "the document", "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.isawaitable(found):
            await found

    run(work)
    if "result" in names:
        assert text(names["result"]).startswith("Things to do")
    elif "results" in names:
        assert text(names["results"][0]).startswith("Things to do")
        assert len(client.sent) == 2
    else:
        assert len(names["view"].names) == 20
