"""What can be connected to, and what a connection shows: one server or several, over every transport, views kept."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.live.live_help import DEMO, FAULTY, Seen, alive, run, text, until
from tests.mcp.mcp_help import SERVERS
from tests.waiting import is_listening

import toolglot
from toolglot import adk
from toolglot.demo.rpc import Server as DemoServer
from toolglot.mcp.prefixes import prefixes

PAGE = {"page_id": "home"}
CONFIG = {"mcpServers": {"cms": {"command": DEMO[0], "args": list(DEMO[1:])}}}


def fast() -> Any:
    from fastmcp import FastMCP

    server = FastMCP("fast")

    @server.tool
    def page_render(page_id: str) -> str:
        """Show a page."""
        return f"Things to do on {page_id}"

    return server


def official() -> Any:
    from mcp.server.mcpserver import MCPServer

    server = MCPServer("official", log_level="ERROR")

    @server.tool()
    def page_render(page_id: str) -> str:
        """Show a page."""
        return f"Things to do on {page_id}"

    return server


def config(folder: Path) -> Path:
    path = folder / "mcp.json"
    path.write_text(json.dumps(CONFIG))
    return path


FORMS: dict[str, Callable[[Path], tuple[tuple[Any, ...], dict[str, Any]]]] = {
    "command": lambda folder: (DEMO, {}),
    "configuration-path": lambda folder: ((config(folder),), {"server": "cms"}),
    "configuration-text": lambda folder: ((str(config(folder)),), {"server": "cms"}),
    "configuration-mapping": lambda folder: ((CONFIG,), {"server": "cms"}),
    "module-object": lambda folder: (("toolglot.demo.rpc:Server",), {}),
    "demo-object": lambda folder: ((DemoServer(),), {}),
    "fastmcp-object": lambda folder: ((fast(),), {}),
    "sdk-object": lambda folder: ((official(),), {}),
    "lowlevel-object": lambda folder: ((official()._lowlevel_server,), {}),
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("sync", [False, True], ids=["async", "sync"])
def test_every_form_of_a_server_can_be_called(form: str, sync: bool, tmp_path: Path) -> None:
    words, options = FORMS[form](tmp_path)

    async def work() -> None:
        async with toolglot.connect(*words, **options) as server:
            assert "page_render" in [tool.name for tool in server.tools]
            result = await server.view("openai-strict").call("page_render", PAGE)
            assert text(result).startswith("Things to do")

    def work_sync() -> None:
        with toolglot.connect_sync(*words, **options) as server:
            assert "page_render" in [tool.name for tool in server.tools]
            assert text(server.view("openai-strict").call("page_render", json.dumps(PAGE))).startswith("Things to do")
            assert text(server.call("page_render", PAGE)).startswith("Things to do")

    work_sync() if sync else run(work)


def test_what_a_server_prints_stays_where_the_program_prints(capsys: pytest.CaptureFixture[str]) -> None:
    async def work() -> None:
        async with toolglot.connect("toolglot.demo.rpc:Server"):
            print("mine")

    run(work)
    assert capsys.readouterr().out == "mine\n"


@pytest.mark.parametrize("script", ["fast4.py", "sdk2.py"])
@pytest.mark.parametrize("transport", ["http", "sse"])
def test_servers_over_http(script: str, transport: str, unused_port: int) -> None:
    path = {"http": "/mcp", "sse": "/sse"}[transport]
    address = f"http://127.0.0.1:{unused_port}{path}"

    async def work() -> None:
        await until(lambda: is_listening(unused_port), 30)
        async with toolglot.connect(address) as server:
            view = server.view("gemini-parameters")
            assert text(await view.call("search", {"query": "boats"})) == "boats"
            assert "`query` is missing" in text(await view.call("search", {}))
            process.kill()
            process.wait()
            lost = text(await view.call("search", {"query": "boats"}))
            assert "The call did not reach the server." in lost or "not known" in lost

    process = subprocess.Popen([sys.executable, str(SERVERS / script), transport, str(unused_port)])
    try:
        run(work)
    finally:
        process.kill()
        process.wait()


# Several servers


def several(tmp_path: Path) -> dict[str, Any]:
    entry = {"command": FAULTY[0], "args": [FAULTY[1]]}
    return {
        "mcpServers": {
            "b": {**entry, "args": [FAULTY[1], str(tmp_path / "b")]},
            "cms": DemoServer(),
            "a": {**entry, "args": [FAULTY[1], str(tmp_path / "a"), "legacy"]},
            "off": {**entry, "disabled": True},
            "bad": {"command": "no-such-command-here"},
        }
    }


def test_several_servers_are_one_list(tmp_path: Path) -> None:
    async def work() -> None:
        async with toolglot.connect(several(tmp_path)) as servers:
            assert [(one.name, one.prefix, one.up) for one in servers.servers] == [
                ("b", "b_", True),
                ("cms", "cms_", True),
                ("a", "a_", True),
                ("bad", "bad_", False),
            ]
            assert "was not found" in str(servers.servers[3].problem)
            view = servers.view("anthropic-strict")
            names = [tool.name for tool in view.tools]
            assert len(names) == len(set(names)) == len(servers.tools)
            owners = [name.partition("_")[0] for name in names]
            assert sorted(set(owners), key=owners.index) == ["b", "cms", "a"], "in the order of the configuration"
            assert [tool.name for tool in servers.tools][:2] == ["write", "die"], "as published"
            await view.call("a_write", {"seconds": 1})
            assert text(await view.call("cms_page_render", PAGE)).startswith("Things to do")
            assert Seen(tmp_path / "a").count('{"name": "write"') == 1
            assert Seen(tmp_path / "b").count('{"name": "write"') == 0
            assert text(await servers.call("b_write", {"x": 1})) == '{"x": 1}'
            assert "ended with exit code 3" in text(await view.call("a_die", {}))
            assert "isError" not in await view.call("b_write", {})
            assert "isError" not in await view.call("a_write", {})

    run(work)
    assert not [pid for name in "ab" for pid in Seen(tmp_path / name).pids() if alive(pid)]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["github", "files"], {"github": "github_", "files": "files_"}),
        (["a", "a_b"], {"a": "a__", "a_b": "a_b_"}),
        (["a", "a_", "a_b"], None),
        (["a", "a_", "a__", "a___"], None),
    ],
)
def test_prefixes_tell_servers_apart(names: list[str], expected: dict[str, str] | None) -> None:
    found = prefixes(names)
    assert expected is None or found == expected
    for one in names:
        for other in names:
            assert one == other or not found[one].startswith(found[other])


# What is no server

WRONG: dict[str, tuple[tuple[Any, ...], dict[str, Any], str]] = {
    "nothing": ((), {}, "no source is named"),
    "no-such-file": (("mcp.jsn",), {}, "Give the words of a command"),
    "no-command": (("no-such-command", "x"), {}, "was not found"),
    "saved-list": (("tools.json",), {}, "a saved list has no server to call"),
    "number": ((7,), {}, "an object of builtins.int is no server"),
    "no-server-of-it": ((CONFIG,), {"server": "cmz"}, "names no server 'cmz'"),
    "no-configuration": (({"a": 1},), {}, "no `mcpServers`"),
    "entry-is-no-object": (({"mcpServers": {"a": 7}},), {}, "its entry is not an object"),
    "server-of-one": ((*DEMO,), {"server": "x"}, "it is one server"),
    "nobody-there": (("http://127.0.0.1:9/mcp",), {}, "nothing answers"),
    "ends": ((sys.executable, "-c", "import sys; sys.exit('no licence')"), {}, "no licence"),
    "hangs": ((sys.executable, "-c", "import time; time.sleep(60)"), {"timeout": 0.5}, "within 0.5 seconds"),
    "all-down": (({"mcpServers": {"a": {"command": "no-such-a"}, "b": {"command": "no-such-b"}}},), {}, "no-such-b"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_connected_is_one_clear_error(
    case: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tools.json").write_text('{"tools": []}')
    words, options, said = WRONG[case]

    async def work() -> None:
        async with toolglot.connect(*words, **options):
            raise AssertionError("it was connected")

    with pytest.raises(toolglot.SourceError) as error:
        run(work)
    assert said in str(error.value)


def test_a_connection_that_was_never_opened_says_so() -> None:
    with pytest.raises(toolglot.ToolglotError, match="not open"):
        toolglot.connect(*DEMO).view("portable")
    with pytest.raises(RuntimeError, match="not open"):
        toolglot.connect_sync(*DEMO).call("x")


# Views


class Own(adk.SchemaAdapter):
    """A user's own adapter: it counts, and gives short names."""

    def __init__(self) -> None:
        self.seen = 0

    def normalize_schema(self, schema: Any) -> Any:
        self.seen += 1
        if len(schema.get("properties", {})) == 0:
            raise ValueError("no parameters")
        return {"type": "object", "properties": {key: {} for key in schema["properties"]}, "x-own": True}

    def normalize_tool_name(self, name: str) -> str:
        return name[:6]


def test_one_normalisation_per_tool_over_a_hundred_requests(monkeypatch: pytest.MonkeyPatch) -> None:
    from toolglot.fitting import plan
    from toolglot.providers import openai_chat

    made: list[str] = []
    inner = plan.fit_tool

    def counted(published: Any, target: Any) -> Any:
        made.append(published.tool.name)
        return inner(published, target)

    monkeypatch.setattr(plan, "fit_tool", counted)

    async def work() -> None:
        async with toolglot.connect(DemoServer()) as server:
            view, own = server.view("openai-nonstrict"), Own()
            mine = server.view(own)
            for _ in range(100):
                openai_chat.tools(view)
                openai_chat.tools(mine)
                await view.call("page_render", PAGE)
            assert sorted(made) == sorted(tool.name for tool in server.tools)
            assert own.seen == len({json.dumps(tool.raw["inputSchema"]) for tool in server.tools})

    run(work)


def test_an_adapter_of_ones_own() -> None:
    server = {
        "mcpServers": {
            "one": Listed("entries_get", "entries_put", "entries_of_a_kind", bare="nothing"),
        }
    }

    async def work() -> None:
        async with toolglot.connect(server, server="one") as connection:
            view = connection.view(Own())
            names = [tool.name for tool in view.tools]
            assert names[0] == "entrie"
            assert len(set(names)) == 3
            assert [tool.schema["x-own"] for tool in view.tools if tool.schema] == [True] * 3
            assert [problem.tool for problem in view.problems] == ["nothing"]
            assert "ValueError: no parameters" in view.problems[0].message
            for published, wire in view.names.items():
                assert text(await view.call(wire, {"id": "a"})) == published
            assert "`id` is missing" in text(await view.call("entrie", {}))
            assert view.encode("entries_put", {"id": "a"}) == (names[1], {"id": "a"})
            assert view.target.id == "Own"

    run(work)


class Listed:
    """A server with tools of some names, that answers with the name."""

    def __init__(self, *names: str, bare: str) -> None:
        schema = {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
        self.tools = [{"name": name, "inputSchema": schema} for name in names]
        self.tools.append({"name": bare, "inputSchema": {"type": "object"}})

    def handle(self, message: Any) -> Any:
        if "id" not in message:
            return None
        results = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "listed"}},
            "tools/list": {"tools": self.tools},
            "tools/call": {"content": [{"type": "text", "text": message.get("params", {}).get("name")}]},
        }
        found = results.get(message["method"])
        error = {"code": -32601, "message": "Method not found"}
        return {"jsonrpc": "2.0", "id": message["id"], **({"result": found} if found else {"error": error})}


@pytest.mark.parametrize("adapter", [*adk.choose.ADAPTERS.values(), adk.lossless("openai-strict")], ids=repr)
def test_every_adapter_gives_a_view(adapter: adk.SchemaAdapter) -> None:
    async def work() -> None:
        async with toolglot.connect(DemoServer()) as server:
            view = server.view(adapter)
            assert len(view.tools) == len(server.tools)
            assert text(await view.call("page_render", PAGE)).startswith("Things to do")
            assert view.explain("Invalid schema for function 'page_render'") is not None

    run(work)


def test_the_agent_loop_of_the_examples() -> None:
    done = subprocess.run(
        [sys.executable, "examples/agent_loop.py"], capture_output=True, text=True, timeout=120, check=True
    )
    runs = done.stdout.strip().split("\n\n")
    assert [one.partition(":")[0] for one in runs] == [
        *("gemini-parameters", "openai-strict", "anthropic-strict", "langflow"),
        "first branch only",
    ]
    assert all("[picture: price-list.pdf] Prices" in one for one in runs[:4])
    assert "[picture missing] 549896" in runs[4]
    assert all(one.splitlines()[0].endswith("updated") or "updated" in one for one in runs), "all say the same"
