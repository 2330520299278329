"""A capture keeps what a server sent byte for byte, and is read back as it was."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

import pytest
from mcp_help import SERVERS, hand

from toolglot.errors import SourceError
from toolglot.mcp.capture import capture
from toolglot.mcp.kinds import ClientConfig
from toolglot.mcp.sources import parse_source, read

if TYPE_CHECKING:
    from pathlib import Path


def test_tools_keep_their_bytes() -> None:
    text = capture(hand("modern"))
    source = (SERVERS / "hand.py").read_text("utf-8")
    sent = "".join(re.findall(r"EXACT = \(\n    '(.*)'\n    '(.*)'\n\)", source)[0]).replace("\\\\", "\\")
    assert sent.encode() in text


def test_the_header_says_who_when_and_how() -> None:
    value = json.loads(capture(hand("good")))
    header = value["toolglot"]
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", header.pop("date"))
    assert header == {
        "capture": 1,
        "server": "hand",
        "version": "1.2.3",
        "protocol": "2025-06-18",
        "transport": "stdio",
    }
    assert [tool["name"] for tool in value["result"]["tools"]] == ["one", "two"]


@pytest.mark.parametrize("mode", ["modern", "pages", "exact", "bad"])
def test_a_capture_is_read_as_the_server_was(mode: str, tmp_path: Path) -> None:
    (live,) = read(hand(mode))
    path = tmp_path / "tools.json"
    path.write_bytes(capture(hand(mode)))
    (kept,) = read(parse_source(str(path)))
    assert kept.entries == live.entries
    assert [dict(tool.raw) for tool in kept.tools] == [dict(tool.raw) for tool in live.tools]
    assert (kept.server, kept.version, kept.protocol) == (live.server, live.version, live.protocol)


@pytest.mark.parametrize(
    ("mode", "message"), [("crash-list", "exit code 137"), ("repeat", "cursor"), ("empty", "no tool")]
)
def test_a_part_is_no_capture(mode: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        capture(hand(mode))


def test_no_tool_where_it_is_allowed() -> None:
    assert json.loads(capture(hand("empty"), allow_empty=True))["result"] == {"tools": []}


def test_a_capture_of_a_configuration_is_of_one_server(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    good = hand("good")
    path.write_text(json.dumps({"mcpServers": {"a": {"command": good.argv[0], "args": good.argv[1:]}}}))
    with pytest.raises(SourceError, match="of one server"):
        capture(ClientConfig(path))
    steps: list[str] = []
    assert b'"one"' in capture(ClientConfig(path), server="a", on_progress=steps.append)
    assert steps == ["starting a", "a: 2 tools"]
