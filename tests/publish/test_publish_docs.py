"""The examples of docs/publish.md, as they stand there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from publish_help import flavours, talking

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "docs" / "publish.md").read_text()

pytestmark = [
    pytest.mark.anyio,
    pytest.mark.skipif("fast" not in flavours.FLAVOURS, reason="the examples are of fastmcp"),
]


async def test_the_examples_do_what_they_say(capsys: pytest.CaptureFixture[str]) -> None:
    names: dict[str, object] = {"__name__": "example"}
    for block in re.findall(r"^```python\n(.*?)^```$", TEXT, re.MULTILINE | re.DOTALL):
        exec(compile(block, "publish.md", "exec", dont_inherit=True), names)
    assert capsys.readouterr().out.splitlines() == re.findall(r"^print\(.*?\)  # (.*)$", TEXT, re.MULTILINE)
    async with talking(names["mcp"]) as talk:
        tools = {tool["name"]: tool for tool in await talk.tools()}
        tags = await talk.call("set_tags", {"page": "home", "tags": [{"key": "en", "value": "Hi"}]})
        cell = await talk.call("set_cell", {"cell": {"field": "stock", "value": "3"}})
    assert tools["set_tags"]["inputSchema"]["properties"]["tags"]["type"] == "array"
    assert tags["result"]["content"][0]["text"] == "home: {'en': 'Hi'}"
    assert cell["result"]["content"][0]["text"] == "stock is now 3"
