"""Servers, adapters and callers at their worst: storms of news, silence, nonsense, many calls at once, sudden ends."""

from __future__ import annotations

import asyncio
import socket
import sys
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.live.live_help import FAULTY, Seen, alive, run, text, until
from tests.live.old_web import old_web

import toolglot
from toolglot import adk


@pytest.fixture
def seen(tmp_path: Path) -> Seen:
    return Seen(tmp_path / "seen")


def faulty(seen: Seen, era: str = "modern", **options: Any) -> Any:
    return toolglot.connect(*FAULTY, str(seen.path), era, **options)


@pytest.mark.parametrize("era", ["legacy", "modern"])
def test_news_is_heard_after_the_list_was_read_at_once(era: str, seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen, era) as server:
            view = server.view("portable")
            await until(lambda: era == "legacy" or seen.count("list") == 2)  # the second once changes are told
            await anyio.sleep(0.3)
            await server.refresh()
            await view.call("more", {})
            await until(lambda: "added" in view.names)

    run(work)


def test_a_storm_of_news_is_not_a_storm_of_questions(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen, "storm") as server:
            await until(lambda: seen.count("list") >= 3)
            before = seen.count("list")
            await anyio.sleep(0.5)
            assert seen.count("list") - before <= 3
            assert "isError" not in await server.view("portable").call("write", {})

    run(work)


def test_many_calls_to_a_tool_that_is_not_there_ask_once(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolglot.mcp.live.link.ASK_AGAIN", 0.5)

    async def work() -> None:
        async with faulty(seen, "quiet") as server:
            view = server.view("portable")
            await anyio.sleep(0.6)
            monkeypatch.setattr("toolglot.mcp.live.link.ASK_AGAIN", 60.0)
            server._links[0]._read_at = float("-inf")
            for result in await asyncio.gather(*(view.call(f"nothing{number}", {}) for number in range(20))):
                assert "There is no tool" in text(result)

    run(work)
    assert seen.count("list") == 2


def test_an_error_that_cannot_be_read_is_a_call_error(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            with pytest.raises(toolglot.CallError):
                await server.call("bytes", {})
            assert "isError" not in await server.call("write", {})

    run(work)


def test_a_mistake_of_the_caller_leaves_nothing_behind(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen, "legacy") as server:
            with pytest.raises(TypeError):
                await server.call("write", {"value": object()})
            result = await server.view("portable").call("broken", {})
            assert "not known" in text(result)
            deep: dict[str, Any] = {}
            for _ in range(50_000):
                deep = {"text": deep}
            with pytest.raises(toolglot.CallError, match="nested too deep"):
                await server.call("write", {"value": deep})

    run(work)
    assert seen.count("started") == 1, "the broken answer ended one question, not the connection"


@pytest.mark.parametrize("status", [404, 400])
def test_a_cut_answer_whose_rest_is_forgotten_is_never_asked_for_again(status: int) -> None:
    async def work() -> None:
        with old_web() as web:
            web.unknown = status
            async with toolglot.connect(web.url) as server:
                assert "not known; it was not sent again" in text(await server.view("portable").call("half"))
                assert web.seen == ["half"]

    run(work)


def test_a_gateway_that_fails_is_no_refusal_of_the_call() -> None:
    async def work() -> None:
        with old_web() as web:
            async with toolglot.connect(web.url, headers={"Authorization": "Bearer secret-token-1"}) as server:
                said = text(await server.view("portable").call("gateway"))
                assert "502 (Bad Gateway)" in said
                assert "not known" in said
                assert "you sent" in said
                assert "secret-token" not in said

    run(work)


@pytest.mark.parametrize("transport", ["auto", "streamable-http", "sse"])
def test_an_address_that_takes_everything_and_says_nothing(transport: Any) -> None:
    async def work() -> None:
        with socket.create_server(("127.0.0.1", 0)) as line:
            address = f"http://127.0.0.1:{line.getsockname()[1]}/mcp"
            with pytest.raises(toolglot.SourceError, match=r"within 0\.3 seconds"):
                await toolglot.connect(address, transport=transport, timeout=0.3).__aenter__()

    run(work)


class Fails:
    """A server object that raises at each call."""

    def handle(self, message: dict[str, Any]) -> Any:
        results: dict[str, Any] = {
            "initialize": {"protocolVersion": "2025-11-25", "capabilities": {}},
            "tools/list": {"tools": [{"name": "write", "inputSchema": {"type": "object"}}]},
        }
        if message["method"] == "tools/call":
            raise ValueError("no ink")
        if "id" not in message:
            return None
        if message["method"] not in results:
            return {"jsonrpc": "2.0", "id": message["id"], "error": {"code": -32601, "message": "no such method"}}
        return {"jsonrpc": "2.0", "id": message["id"], "result": results[message["method"]]}


def test_a_server_object_that_raises_is_an_error_result() -> None:
    async def work() -> None:
        async with toolglot.connect(Fails()) as server:
            view = server.view("portable")
            for _ in range(2):
                assert "no ink" in text(await view.call("write", {}))

    run(work)


class Wild(adk.SchemaAdapter):
    """An adapter that does to the tool `write` what a test says."""

    __hash__ = None

    def __init__(self, name: Any, schema: Any) -> None:
        self.name, self.schema = name, schema

    def normalize_tool_name(self, name: str) -> Any:
        return self._done(self.name) if name == "write" else name

    def normalize_schema(self, schema: Mapping[str, Any]) -> Any:
        return self._done(self.schema)

    def _done(self, value: Any) -> Any:
        if isinstance(value, Exception):
            raise value
        return value


NONSENSE: dict[str, tuple[Any, Any, bool]] = {
    "name-raises": (ValueError("no name"), {}, True),
    "name-number": (7, {}, True),
    "name-list": ([], {}, True),
    "schema-raises": ("write", KeyError("type"), False),
    "schema-text": ("write", "object", False),
    "schema-list": ("write", [], False),
}


@pytest.mark.parametrize("case", NONSENSE)
def test_an_adapter_that_makes_nonsense(case: str, seen: Seen) -> None:
    name, schema, others = NONSENSE[case]

    async def work() -> None:
        async with faulty(seen) as server:
            view = server.view(Wild(name, schema))
            assert "write" in [problem.tool for problem in view.problems]
            assert bool(view.tools) is others
            assert "There is no tool" in text(await view.call("write", {}))

    run(work)


def test_many_threads_share_one_connection(seen: Seen) -> None:
    with toolglot.connect_sync(*FAULTY, str(seen.path)) as server:
        view = server.view("gemini-parameters")

        def one(number: int) -> bool:
            return len(view.tools) > 5 and "isError" not in view.call("write", {"seconds": number})

        with ThreadPoolExecutor(8) as pool:
            assert all(pool.map(one, range(40)))
    with pytest.raises(RuntimeError, match="not open"):
        view.call("write", {})


def test_a_connection_is_opened_once(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            with pytest.raises(toolglot.ToolglotError, match="open already"):
                await server.__aenter__()
            assert "isError" not in await server.view("portable").call("write", {})

    run(work)
    assert seen.count("started") == 1


MUTE = "import os, sys, time; open(sys.argv[1], 'w').write(f'started {os.getpid()}\\n'); time.sleep(60)"


@pytest.mark.parametrize("how", ["task", "scope"])
def test_cancelling_the_opening_leaves_no_process(how: str, seen: Seen) -> None:
    async def opened(scope: anyio.CancelScope) -> None:
        with scope:
            async with toolglot.connect(sys.executable, "-c", MUTE, str(seen.path)):
                pytest.fail("it was opened")

    async def work() -> None:
        scope = anyio.CancelScope()
        task = asyncio.create_task(opened(scope))
        await until(seen.pids)
        task.cancel() if how == "task" else scope.cancel()
        await asyncio.wait({task})
        assert task.cancelled() is (how == "task")

    run(work)
    assert not [pid for pid in seen.pids() if alive(pid)]


def test_an_error_in_the_block_is_raised_as_it_is(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen):
            raise LookupError("mine")

    with pytest.raises(LookupError, match="mine"):
        run(work)
    assert not [pid for pid in seen.pids() if alive(pid)]
