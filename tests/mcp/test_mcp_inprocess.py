"""Servers of this process, read over the memory streams of their SDK."""

from __future__ import annotations

import asyncio
import logging
import sys

import pytest
from mcp_help import SERVERS, script

from toolglot.errors import SourceError
from toolglot.mcp.handlers import handlers_of
from toolglot.mcp.sources import InProcess, parse_source, read

pytest.importorskip("mcp", reason="the official SDK is not installed")


@pytest.fixture(autouse=True)
def _folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [item for item in sys.path if item != str(SERVERS)])
    monkeypatch.chdir(SERVERS)


@pytest.mark.parametrize("name", ["sdk2", "fast4"])
def test_the_same_list_as_over_stdio(name: str) -> None:
    if name == "fast4":
        pytest.importorskip("fastmcp", reason="fastmcp is not installed")
    (memory,) = read(parse_source(f"{name}:server"))
    (stdio,) = read(script(name))
    assert memory.entries == stdio.entries
    assert [(list(tool.raw), dict(tool.raw)) for tool in memory.tools] == [
        (list(tool.raw), dict(tool.raw)) for tool in stdio.tools
    ]
    assert (memory.server, memory.version, memory.protocol) == (stdio.server, stdio.version, stdio.protocol)
    assert (memory.transport, stdio.transport) == ("memory", "stdio")
    assert memory.protocol == "2026-07-28"


HANDLERS = {"search": ("query", "limit", "mode"), "store": ("items", "tags")}


@pytest.mark.parametrize("name", ["sdk2", "fast4"])
def test_the_parameters_of_handlers_are_shown(name: str) -> None:
    (listing,) = read(parse_source(f"{name}:server"))
    assert {tool: listing.handlers[tool] for tool in HANDLERS} == HANDLERS


@pytest.mark.parametrize("attribute", ["make", "make_async", "server"])
def test_a_factory_is_called(attribute: str) -> None:
    (listing,) = read(InProcess("sdk2", attribute))
    assert [tool.name for tool in listing.tools] == ["search", "store", "ping_all"]


@pytest.mark.parametrize("attribute", ["server", "Holder.server"])
def test_a_lowlevel_server(attribute: str, capfd: pytest.CaptureFixture[str]) -> None:
    (listing,) = read(InProcess("lowlevel2", attribute))
    (tool,) = listing.tools
    assert (listing.server, listing.version, dict(listing.handlers)) == ("low-two", "7", {})
    assert list(tool.schema) == ["type", "maximum", "b", "a"]
    assert tool.schema["maximum"] == 123456789012345678901234567890
    assert capfd.readouterr().out == ""


PLAIN = ["toolglot.demo:server", "toolglot.demo:Server", "plain:server", "plain:make"]


@pytest.mark.parametrize("text", PLAIN)
def test_an_object_that_handles_messages(text: str) -> None:
    (listing,) = read(parse_source(text))
    assert listing.tools
    assert (listing.transport, listing.error) == ("memory", None)


class Shown:
    """A tool as a server object shows it."""

    def __init__(self, name: str, function: object) -> None:
        self.name = name
        self.fn = function


class Getting:
    """A server of fastmcp 2.x, which shows its tools by name."""

    async def get_tools(self) -> dict[str, Shown]:
        return {"a": Shown("a", lambda x, *args, y=1, **more: None), "b": Shown("b", None)}


class Failing:
    def get_tools(self) -> None:
        raise RuntimeError("not now")


@pytest.mark.parametrize(("server", "expected"), [(Getting(), {"a": ("x", "y")}), (Failing(), {}), (object(), {})])
def test_handlers_are_a_best_effort(server: object, expected: dict[str, tuple[str, ...]]) -> None:
    assert asyncio.run(handlers_of(server)) == expected


BAD = [
    ("plain:broken", "the server failed: KeyError: 'tools/list'", ""),
    ("no_such_module:server", "there is no module `no_such_module`", "working directory"),
    ("sdk2.inner:server", "there is no module `sdk2.inner`|is not a package", ""),
    ("sdk2:sever", "`sdk2` has no attribute `sever`", "It has a server at sdk2:server."),
    ("sdk2:server.none", "`sdk2` has no attribute `none`", "the variable that holds the server"),
    ("sdk2:not_a_server", "it is an object of builtins.dict, not an MCP server", "official SDK"),
    ("sdk2:fail", r"failed: RuntimeError: no database \(sdk2.py, line \d+\)", ""),
    ("sdk2:search", "`search` was called without arguments and failed: TypeError: [^(]*\\(\\) [^(]*\\.$", ""),
    ("lowlevel2:leaves", "failed: SystemExit: leaving", ""),
    ("lowlevel2:failing", "answers `tools/list` with error -32603", ""),
    ("lowlevel2:unstarted", "the server failed: RuntimeError: no lifespan", ""),
    ("lowlevel2:toolless", "error -32601", "offers no tools"),
    ("broken_import:server", "cannot be imported: ModuleNotFoundError: No module named 'no_such_package_here'", ""),
    ("runs_at_import:server", "cannot be imported: RuntimeError", "runs a server when it is imported"),
]


@pytest.mark.parametrize(("text", "message", "hint"), BAD)
def test_what_cannot_be_read_is_one_clear_error(text: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError, match=message) as caught:
        read(parse_source(text))
    assert caught.value.message.startswith(f"{text}: ")
    assert hint in caught.value.hint
    assert str(SERVERS) not in str(caught.value)


LOGGING = """
import logging

logger = logging.getLogger("mcp.server.lowlevel.server")


class Server:
    def handle(self, message):
        logger.info("Processing request of type %s", message["method"])
        logger.warning("careful")
        result = {"tools": [{"name": "a", "inputSchema": {}}], "protocolVersion": "2025-11-25", "capabilities": {}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": result} if "id" in message else None


server = Server()
"""


def test_what_the_sdk_logs_about_requests_is_not_shown(tmp_path, monkeypatch, caplog) -> None:
    (tmp_path / "logging_server.py").write_text(LOGGING)
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    caplog.set_level(logging.INFO, "mcp")
    read(parse_source("logging_server:server"))
    assert {record.message for record in caplog.records} == {"careful"}
    assert logging.getLogger("mcp").level == logging.INFO
