"""What servers and models do wrong: one clear error each, the other tools go on, no process is left behind."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import anyio
import pytest
from tests.live.live_help import FAULTY, Seen, alive, run, text, until

import toolglot

ERAS = ["legacy", "modern"]

FAULTS: dict[str, tuple[str, Any, list[str]]] = {
    "dies": ("die", {}, ["ended with exit code 3", "not known; it was not sent again"]),
    "broken-json": ("broken", {}, ["broken message", "not known"]),
    "error-answer": ("refuse", {}, ["the server refused the call: no licence"]),
    "no-object": ("odd", {}, ["no result of a call"]),
    "not-a-number": ("nan", {}, ["cannot be read", "NaN"]),
    "unknown-tool": ("wrte", {}, ["There is no tool wrte.", "Did you mean write?"]),
    "made-up-name": ("no\x1bsuch " + "x" * 500, {}, ["There is no tool no"]),
    "wrong-arguments": ("write", {"value": 7}, ["not valid", "/value"]),
    "broken-arguments": ("write", '{"value":', ["cannot be read"]),
}


@pytest.fixture
def seen(tmp_path: Path) -> Seen:
    return Seen(tmp_path / "seen")


def faulty(seen: Seen, era: str = "modern", **options: Any) -> Any:
    return toolglot.connect(*FAULTY, str(seen.path), era, **options)


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("fault", FAULTS)
def test_a_fault_is_an_error_result_and_the_other_tools_go_on(fault: str, era: str, seen: Seen) -> None:
    name, arguments, words = FAULTS[fault]

    async def work() -> None:
        async with faulty(seen, era) as server:
            view = server.view("langflow")
            result = await view.call(name, arguments)
            assert result["isError"] is True
            for part in words:
                assert part in text(result)
            assert "\x1b" not in text(result)
            wire, said = view.encode("write", {"value": {"id": 1}})
            assert said != {"value": {"id": 1}}
            again = await view.call(wire, said)
            assert json.loads(text(again)) == {"value": {"id": 1}}

    run(work)
    assert seen.count(json.dumps({"name": name})[:-1]) <= 1, "it was sent again"
    assert not [pid for pid in seen.pids() if alive(pid)]


def test_ten_megabytes_arrive_whole(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            result = await server.view("portable").call("large", {})
            assert len(text(result)) == 10_000_000
            assert "isError" not in result

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_a_call_that_takes_too_long_is_cancelled_and_its_late_answer_dropped(era: str, seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen, era) as server:
            view = server.view("portable")
            result = await view.call("slow", {"seconds": 0.6}, timeout=0.2)
            assert "no answer within 0.2 seconds" in text(result)
            await until(lambda: seen.count("cancelled"))
            await until(lambda: seen.count("answered a cancelled call"))
            assert json.loads(text(await view.call("write", {"seconds": 1}))) == {"seconds": 1}

    run(work)


@pytest.mark.parametrize("era", ERAS)
def test_cancelling_the_task_cancels_the_call(era: str, seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen, era) as server:
            view = server.view("portable")
            task = asyncio.create_task(view.call("slow", {"seconds": 0.6}))
            await until(lambda: seen.count('{"name": "slow"'))
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            await until(lambda: seen.count("answered a cancelled call"))
            assert "isError" not in await view.call("write", {})

    run(work)


def test_all_calls_in_flight_get_an_answer_when_the_server_dies(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            view = server.view("portable")
            slow = [asyncio.create_task(view.call("slow", {"seconds": 20})) for _ in range(5)]
            await until(lambda: seen.count('{"name": "slow"') == 5)
            died, *others = [await view.call("die", {}), *await asyncio.gather(*slow)]
            for result in (died, *others):
                assert "not known; it was not sent again" in text(result)
            assert "isError" not in await view.call("write", {}), "it was started again"
            assert [server.up for server in server.servers] == [True]

    run(work)
    assert seen.count('{"name": "slow"') == 5
    assert seen.count("started") == 2


@pytest.mark.parametrize("era", ERAS)
def test_a_list_that_changes_in_mid_conversation(era: str, seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen, era) as server:
            view = server.view("portable")
            before = view.now
            await view.call("more", {})
            await until(lambda: "added" in view.names)
            assert view.now is not before
            await view.call("less", {})
            await until(lambda: "write" not in view.names)
            gone = text(await view.call("write", {}))
            assert gone == "The server no longer offers write. Use another tool."
            assert "isError" not in await view.call("added", {})

    run(work)


def test_a_tool_that_is_not_listed_yet_is_looked_for_once(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolglot.mcp.live.link.ASK_AGAIN", 0.3)

    async def work() -> None:
        async with faulty(seen) as server:
            view = server.view("portable")
            await until(lambda: seen.count("list") == 2)  # the second once changes are told
            await anyio.sleep(0.4)
            for _ in range(5):
                assert "There is no tool" in text(await view.call("nothing", {}))

    run(work)
    assert seen.count("list") == 3


def test_a_list_that_is_no_longer_fresh_is_read_with_the_next_call(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolglot.mcp.live.link.ASK_AGAIN", 0.2)

    async def work() -> None:
        async with faulty(seen, "quiet") as server:
            view = server.view("portable")
            await view.call("more", {})
            await anyio.sleep(0.3)
            assert "added" not in view.names
            await view.call("write", {})
            await until(lambda: "added" in view.names)

    run(work)


def test_more_input_is_an_error_result(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            assert "more input" in text(await server.view("portable").call("asks", {}))

    run(work)


def test_the_raw_way_raises(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            with pytest.raises(toolglot.CallError) as refused:
                await server.call("refuse", {})
            assert (refused.value.code, refused.value.sent) == (-32000, True)
            with pytest.raises(toolglot.CallError, match="exit code 3"):
                await server.call("die")
            with pytest.raises(toolglot.UnknownTool) as unknown:
                await server.call("wrte")
            assert unknown.value.nearest == ("write",)
            with pytest.raises(toolglot.CallError, match=r"within 0\.1 seconds"):
                await server.call("silent", timeout=0.1)
            assert json.loads(text(await server.call("write", {"value": 7}))) == {"value": 7}, "nothing is checked"

    run(work)


ONCE = """
import os, subprocess, sys
if os.path.exists(sys.argv[1] + ".once"):
    sys.exit("the licence has run out")
open(sys.argv[1] + ".once", "w").close()
sys.exit(subprocess.call(sys.argv[2:]))
"""


def test_a_server_that_stays_down_keeps_its_list_for_a_while(seen: Seen, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toolglot.mcp.live.link.LONGEST_PAUSE", 0.2)
    words = (FAULTY[0], "-c", ONCE, str(seen.path), *FAULTY, str(seen.path))

    async def work() -> None:
        async with toolglot.connect(*words, keep_list=1.5) as server:
            view = server.view("portable")
            tools = len(view.tools)
            await view.call("die", {})
            await until(lambda: server.servers[0].problem is not None)
            assert len(view.tools) == tools
            result = text(await view.call("write", {}))
            assert "exit code 1" in result
            assert "The call did not reach the server." in result
            await until(lambda: not view.tools)
            assert "no longer offers" in text(await view.call("write", {}))
            assert "the licence has run out" in str(server.servers[0].problem)

    run(work)
    assert seen.count('{"name": "write"') == 0


def test_leaving_the_block_ends_calls_and_processes(seen: Seen) -> None:
    async def work() -> None:
        async with faulty(seen) as server:
            view = server.view("portable")
            slow = asyncio.create_task(view.call("slow", {"seconds": 20}))
            await until(lambda: seen.count('{"name": "slow"'))
        assert "isError" in await slow
        assert "The call did not reach the server." in text(await view.call("write", {}))

    run(work)
    assert not [pid for pid in seen.pids() if alive(pid)]


def test_who_opens_need_not_be_who_closes(seen: Seen) -> None:
    async def work() -> None:
        server = faulty(seen)
        await asyncio.create_task(server.__aenter__())
        assert server.tools
        await asyncio.create_task(server.close())
        await server.close()

    run(work)
    assert not [pid for pid in seen.pids() if alive(pid)]
