"""The demo server, what a model says to it, and the frameworks where they are installed."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from toolglot import Toolset, connect
from toolglot.demo.rpc import Server
from toolglot.demo.tools import TOOLS
from toolglot.fitting.toolset import View
from toolglot.mcp.live.view import LiveView
from toolglot.schema.validate import validator
from toolglot.targets.model import Target

TARGETS = ("gemini-parameters", "openai-strict", "anthropic-strict")
EACH_TARGET = pytest.mark.parametrize("target", TARGETS)

COMMAND = sys.executable
ARGUMENTS = ["-m", "toolglot.demo"]

LONG = "workspace_localization_translation_memory_suggestions_export_as_csv"
PICTURE = {"field": "picture", "type": "asset", "asset_id": 549896, "alt": "What it costs"}
UPSERT = {"entry_id": "harbour-tour", "content_type": "card", "field_values": [PICTURE]}
STORED = {"type": "asset", "asset_id": 549896, "alt": "What it costs"}
WRONG = {"entry_id": "harbour-tour", "content_type": "card", "field_values": 7}
PAGE = {"page_id": "home"}


def framework(name: str) -> Any:
    """A framework; the test is skipped where it is not installed."""
    return pytest.importorskip(name, reason=f"the framework {name} is not installed (make accept installs it)")


def published() -> list[dict[str, Any]]:
    """The tools of the demo server."""
    return [tool.published() for tool in TOOLS]


def view_for(target: str | Target) -> View:
    """The tools of the demo server for a target."""
    return Toolset(published()).normalize(target)


def said(target: str | Target, name: str, arguments: dict[str, Any], schema: Any) -> tuple[str, dict[str, Any]]:
    """What a model says for a call: wire name, and arguments that are valid for the schema that it was sent."""
    wire, encoded = view_for(target).encode(name, arguments)
    assert validator(schema).is_valid(encoded), schema
    return wire, encoded


class Memory:
    """The demo server in this process; `calls` are those that arrived."""

    def __init__(self) -> None:
        self.server = Server()
        self.calls: list[tuple[str, Any]] = []

    def call(self, name: str, arguments: dict[str, Any]) -> Any:
        """The result of `tools/call`."""
        self.calls.append((name, arguments))
        params = {"name": name, "arguments": arguments}
        answer = self.server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
        assert answer is not None
        return answer["result"]

    async def acall(self, name: str, arguments: dict[str, Any]) -> Any:
        """The same, to be awaited."""
        return self.call(name, arguments)

    @property
    def picture(self) -> Any:
        """What is stored in the picture field of the one entry."""
        return self.server.store.entries["harbour-tour"]["fields"]["picture"]


Call = Callable[[str, dict[str, Any]], Any]


class Recorded:
    """The server of a Memory as a server object, which keeps the calls that arrive."""

    def __init__(self, memory: Memory) -> None:
        self._memory = memory

    def handle(self, message: Any) -> Any:
        """The answer to one message."""
        if message["method"] == "tools/call":
            self._memory.calls.append((message["params"]["name"], message["params"]["arguments"]))
        return self._memory.server.handle(message)


@asynccontextmanager
async def live_view(memory: Memory, target: str | Target) -> AsyncIterator[LiveView]:
    """The live view of a Memory for a target."""
    async with connect(Recorded(memory)) as server:
        yield server.view(target)
