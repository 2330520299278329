"""Live servers over HTTP: news of a changed list in both eras, sessions that are forgotten, answers that are cut."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.live.live_help import SERVERS, run, text, until
from tests.live.old_web import old_web

import toolglot

HERE = Path(__file__).parent


def test_news_over_a_stream_of_the_older_era() -> None:
    async def work() -> None:
        with old_web() as web:
            async with toolglot.connect(web.url) as server:
                view = server.view("gemini-parameters")
                await until(lambda: web.streams)
                await view.call("more")
                await until(lambda: "added" in view.names)
                assert text(await view.call("added")) == "added"

    run(work)


def test_news_over_a_subscription_of_the_modern_era(unused_port: int) -> None:
    async def work() -> None:
        address = f"http://127.0.0.1:{unused_port}/mcp"
        await until(lambda: _answers(address), 30)
        async with toolglot.connect(address) as server:
            view = server.view("gemini-parameters")
            assert list(view.names) == ["more"]
            assert "done" in text(await view.call("more"))
            await until(lambda: "added" in view.names)
            assert text(await view.call("added")) == "new"

    process = subprocess.Popen([sys.executable, str(SERVERS / "changing.py"), str(unused_port)])
    try:
        run(work)
    finally:
        process.kill()
        process.wait()


def _answers(address: str) -> bool:
    import httpx

    try:
        return httpx.get(address).status_code > 0
    except httpx.ConnectError:
        return False


@pytest.mark.parametrize("status", [404, 400])
def test_a_call_that_meets_a_forgotten_session_is_sent_once_more(status: int) -> None:
    """The server refused it unread: it says so with 404, or with 400 and the word."""

    async def work() -> None:
        with old_web() as web:
            web.unknown = status
            async with toolglot.connect(web.url) as server:
                view = server.view("portable")
                await view.call("forget")
                assert text(await view.call("write")) == "write"
                assert web.seen == ["forget", "write"]

    run(work)


def test_an_answer_that_is_cut_is_never_asked_for_again() -> None:
    async def work() -> None:
        with old_web() as web:
            async with toolglot.connect(web.url) as server:
                view = server.view("portable")
                assert "not known; it was not sent again" in text(await view.call("cut"))
                assert text(await view.call("write")) == "write"
                assert web.seen == ["cut", "write"]

    run(work)


def test_ctrl_c_leaves_no_process(tmp_path: Path) -> None:
    script = f"""
import toolglot, sys
with toolglot.connect_sync(sys.executable, {str(SERVERS / "faulty.py")!r}, {str(tmp_path / "seen")!r}) as server:
    print("ready", flush=True)
    server.view("portable").call("slow", {{"seconds": 50}})
"""
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"ready\n"
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=20)
    pid = int((tmp_path / "seen").read_text().split()[1])
    assert not Path(f"/proc/{pid}").exists()


def test_headers_go_into_no_error() -> None:
    async def work() -> Any:
        async with toolglot.connect("http://127.0.0.1:9/mcp", headers={"Authorization": "Bearer secret-token-1"}):
            pass

    with pytest.raises(toolglot.SourceError) as error:
        run(work)
    assert "secret" not in str(error.value)
