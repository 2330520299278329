"""The proxy over stdio, end to end: the demo server, real clients of both eras, shutdown, restarts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import anyio
import pytest
from proxy_help import INITIALIZE, INITIALIZED, SERVERS, Line, environment, proxy_command
from test_proxy_fidelity import MESSAGES

from toolglot.demo.incident import RIGHT, upsert
from toolglot.targets.accept import accept
from toolglot.targets.load import SHIPPED

RESTORED = "io.toolglot/restored"
LONG = "workspace_localization_translation_memory_suggestions_export_as_csv"


async def _with_client(mode: str, *options: str) -> Any:
    pytest.importorskip("mcp", reason="the official SDK is not installed")
    from mcp import StdioServerParameters
    from mcp.client import Client

    command, *args = proxy_command(*options)
    parameters = StdioServerParameters(command=command, args=args, env=environment())
    async with Client(parameters, mode=mode) as client:
        first = await client.list_tools()
        second = await client.list_tools(cursor=first.next_cursor)
        change = {"group": "editors", "sites": '{"add": ["blog"]}'}
        return {
            "version": client.protocol_version,
            "tools": [*first.tools, *second.tools],
            "asset": await client.call_tool("entries_upsert", upsert(RIGHT)),
            "page": await client.call_tool("page_render", {"page_id": "home"}),
            "change": await client.call_tool("groups_manage", change),
            "refused": await client.call_tool("page_render", {"page_id": 3}),
        }


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
@pytest.mark.parametrize("target", ["gemini-parameters", "cursor+gemini-parameters", "portable", "openai-strict"])
def test_the_official_client(mode: str, version: str, target: str) -> None:
    found = anyio.run(_with_client, mode, "--for", target)
    assert found["version"] == version
    assert len(found["tools"]) == 10
    for tool in found["tools"]:
        sent = {"name": tool.name, "description": tool.description, "inputSchema": tool.input_schema}
        violations = accept(sent, SHIPPED.target(target))
        assert [one for one in violations if one.feature != "root-no-parameters"] == []
    assert found["asset"].content[0].text == "updated"
    assert "[picture: harbour-at-dawn.jpg]" in found["page"].content[0].text
    assert found["change"].content[0].text == "updated"
    assert found["change"].meta[RESTORED][-1] == {"kind": "JSON text decoded", "pointer": "/sites"}
    assert found["refused"].is_error
    assert "/page_id: 3 is a number" in found["refused"].content[0].text


def test_a_renamed_tool_is_called_by_either_name_before_any_list() -> None:
    with Line(proxy_command("--for", "gemini-parameters")) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear()
        by_published = line.ask("tools/call", {"name": LONG, "arguments": {"locale": "de"}}, id="a")
        wire = next(t["name"] for t in _all_tools(line) if t["name"].startswith(LONG[:40]))
        by_wire = line.ask("tools/call", {"name": wire, "arguments": {"locale": "de"}}, id="b")
        unknown = line.ask("tools/call", {"name": "nothing", "arguments": {}}, id="c")
        assert line.close() == 0
    assert len(wire) <= 64 < len(LONG)
    assert by_published["result"] == by_wire["result"]
    assert unknown["error"] == {"code": -32602, "message": "Unknown tool: nothing"}
    assert f"{LONG} is {wire}" in line.said
    assert "tools left alone" in line.said


def _all_tools(line: Line) -> list[dict[str, Any]]:
    tools: list[dict[str, Any]] = []
    params: dict[str, Any] = {}
    while True:
        result = line.ask("tools/list", params, id="list")["result"]
        tools += result["tools"]
        if "nextCursor" not in result:
            return tools
        params = {"cursor": result["nextCursor"]}


def test_answers_are_given_before_the_end(tmp_path: Path) -> None:
    """A client that writes everything and closes its side, from a file too, gets every answer."""
    calls = [
        json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {
            "name": "page_render", "arguments": {"page_id": "home"}}}).encode()
        for n in range(1, 50)
    ]  # fmt: skip
    with Line(proxy_command("--for", "gemini-parameters")) as line:
        line.say(INITIALIZE, INITIALIZED, *calls)
        assert line.close() == 0
    assert sorted(json.loads(answer)["id"] for answer in line.rest()) == list(range(50))


def test_standard_input_may_be_a_file(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.write_bytes(INITIALIZE + b"\n")
    out = tmp_path / "out"
    with source.open("rb") as given, out.open("wb") as taken:
        code = subprocess.run(proxy_command("-q"), stdin=given, stdout=taken, env=environment(), timeout=30).returncode
    assert code == 0
    assert json.loads(out.read_text())["result"]["serverInfo"]["name"] == "toolglot-demo"


def _scripted(tmp_path: Path, *steps: list[str]) -> tuple[str, ...]:
    script = tmp_path / "script"
    script.write_text(json.dumps(steps))
    return (sys.executable, str(SERVERS / "scripted.py"), str(script), str(tmp_path / "record"))


def _answer(id: Any, result: Any = None) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": id, "result": result or {}})


def test_a_server_that_ends_is_started_again(tmp_path: Path) -> None:
    """The open request gets an error and is not sent again; the session of the older era is opened again."""
    server = _scripted(tmp_path, [], [_answer(0)], [], ["!exit 3"], [_answer(2)])
    with Line(proxy_command("--for", "none", server=server)) as line:
        line.say(INITIALIZE)
        line.hear()
        line.say(INITIALIZED)
        lost = line.ask("tools/call", {"name": "x", "arguments": {}}, id=1)
        assert line.process.stdin
        line.say(b'{"jsonrpc":"2.0","id":2,"method":"ping"}')
        time.sleep(1)
        assert line.close() == 0
    assert lost["id"] == 1
    assert "is not known; it was not sent again" in lost["error"]["message"]
    came = [json.loads(text) for text in (tmp_path / "record").read_text().splitlines()]
    assert [message["method"] for message in came[:3]] == ["initialize", "notifications/initialized", "tools/call"]
    assert [message["method"] for message in came[3:]] == ["initialize"]
    assert came[3]["id"] != 0
    assert came[3]["params"] == came[0]["params"]


SERVER_THAT_DIES = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "die": sys.exit(1)
    if "id" in message: print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {}}), flush=True)
"""


def test_a_server_that_is_started_again_answers_again() -> None:
    with Line(proxy_command("--for", "none", server=(sys.executable, "-c", SERVER_THAT_DIES))) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear()
        for round in range(2):
            assert "error" in line.ask("die", id=f"d{round}")
            assert line.ask("ping", id=f"p{round}") == {"jsonrpc": "2.0", "id": f"p{round}", "result": {}}
        assert line.close() == 0


ENDING_AT_ONCE = [
    ((sys.executable, "-c", "raise SystemExit(4)"), "exit code 4 before it said anything"),
    (("no-such-command-anywhere",), "was not found"),
]


@pytest.mark.parametrize(("server", "says"), ENDING_AT_ONCE)
def test_without_a_server_there_is_one_clear_error(server: tuple[str, ...], says: str) -> None:
    with Line(proxy_command(server=server)) as line:
        code = line.process.wait(20)
        line.close()
    assert code == 2
    assert says in line.said


STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
print('{"jsonrpc":"2.0","method":"notifications/pids","params":{"pids":[%d]}}' % child.pid, flush=True)
time.sleep(600)
"""


@pytest.mark.parametrize("ending", ["close", signal.SIGTERM, signal.SIGINT])
def test_no_process_is_left_behind(ending: Any) -> None:
    """A server that takes no hint, and what it started, end with the proxy, however that ends."""
    with Line(proxy_command("--for", "none", server=(sys.executable, "-c", STUBBORN))) as line:
        (pid,) = json.loads(line.hear())["params"]["pids"]
        if ending != "close":
            line.process.send_signal(ending)
            line.process.wait(20)
        line.close()
    end = time.monotonic() + 10
    while _alive(pid) and time.monotonic() < end:
        time.sleep(0.05)
    assert not _alive(pid)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
        return not Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0].startswith("Z")
    except OSError:
        return False


def test_the_target_goes_by_the_client() -> None:
    hello = INITIALIZE.replace(b'"test"', b'"cursor-vscode"')
    with Line(proxy_command("--for", "auto")) as line:
        line.say(hello, INITIALIZED)
        line.hear()
        _all_tools(line)
        assert line.close() == 0
    assert "its target is cursor" in line.said
    assert "which model is behind the client cannot be seen" in line.said


FLOOD = """
import sys
for n in range(600):
    sys.stdout.write('{"jsonrpc":"2.0","method":"notifications/message","params":"' + "x" * 200000 + '"}\\n')
sys.stdout.flush()
"""


def test_a_slow_reader_does_not_fill_the_memory() -> None:
    """120 MB wait in the server, not in the proxy, until the client reads; then all of it comes."""
    command = proxy_command("--for", "none", server=(sys.executable, "-c", FLOOD))
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment())
    assert process.stdin
    assert process.stdout
    try:
        time.sleep(3)
        resident = Path(f"/proc/{process.pid}/statm")
        if resident.exists():
            assert int(resident.read_text().split()[1]) * os.sysconf("SC_PAGESIZE") < 100_000_000
        assert sum(len(process.stdout.readline()) > 200_000 for _ in range(600)) == 600
    finally:
        process.stdin.close()
        process.stdout.close()
        process.wait(30)


@pytest.mark.parametrize(
    "options", [("--for=portable",), ("--for=none", "--read-only"), ("--for=portable", "--observe")]
)
def test_messages_that_are_none_do_not_end_it(tmp_path: Path, options: tuple[str, ...]) -> None:
    """Noise, doubled keys, depth, from both sides: the next request gets its answer."""
    server = _scripted(tmp_path, [*MESSAGES], *[[] for _ in MESSAGES])
    with Line(proxy_command(*options, server=server)) as line:
        line.say(*(message.encode() for message in MESSAGES if "initialize" not in message))
        line.say(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
        end = time.monotonic() + 30
        record = tmp_path / "record"
        while not (record.exists() and b'"last"' in record.read_bytes()):
            assert time.monotonic() < end, line.said
            time.sleep(0.05)
        line.process.terminate()
        assert line.process.wait(30) == 143
        line.close()
    assert "toolglot/mcp" not in line.said  # no traceback of ours
    assert "itself failed" not in line.said
