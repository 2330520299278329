"""The proxy under load: the server is killed again and again, messages are large, lists are long."""

from __future__ import annotations

import json
import os
import signal
import socket
import statistics
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.clock import SLACK

sys.path.insert(0, str(Path(__file__).parent.parent / "proxy"))
from proxy_help import INITIALIZE, INITIALIZED, Line, proxy_command
from web_help import address_of

CALLS, CONNECTIONS, KILL_EVERY = 20_000, 50, 5.0
META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}

SERVER = """
import json, os, sys
TOOL = {"name": "set", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
with open(sys.argv[1], "w") as file: file.write(str(os.getpid()))
seen = open(sys.argv[2], "a")
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    result = {"tools": [TOOL]}
    if m["method"] == "tools/call":
        seen.write(f'{m["params"]["arguments"]["n"]}\\n'); seen.flush()
        result = {"content": [], "n": m["params"]["arguments"]["n"]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


def resident(pid: int) -> int:
    return int(Path(f"/proc/{pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is read from /proc")
def test_load_and_kills(tmp_path: Path) -> None:
    """Each call gets exactly one answer; a lost one says so, and no call is sent twice; memory stays flat."""
    pid, seen = tmp_path / "pid", tmp_path / "seen"
    behind = [sys.executable, "-c", SERVER, str(pid), str(seen)]
    line = Line([sys.executable, "-m", "toolglot", "proxy", "--isolated", "--http", "127.0.0.1:0", "--", *behind])
    url = f"{address_of(line)}/mcp"
    answers: list[tuple[int, Any]] = []
    memory: list[int] = []
    done = threading.Event()

    def work(first: int) -> None:
        with httpx.Client(timeout=60) as client:
            for n in range(first, CALLS, CONNECTIONS):
                params = {"name": "set", "arguments": {"n": str(n)}, "_meta": META}
                message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
                answers.append((n, client.post(url, json=message).json()))

    def kill() -> None:
        while not done.wait(KILL_EVERY):
            memory.append(resident(line.process.pid))
            with suppress(ProcessLookupError):  # it is being started just now
                os.kill(int(pid.read_text()), signal.SIGKILL)

    killer = threading.Thread(target=kill)
    threads = [threading.Thread(target=work, args=(n,)) for n in range(CONNECTIONS)]
    for thread in [*threads, killer]:
        thread.start()
    for thread in threads:
        thread.join()
    done.set()
    killer.join()
    end = resident(line.process.pid)
    line.process.terminate()
    line.process.wait(30)
    line.close()
    assert len(answers) == CALLS
    assert len({n for n, _ in answers}) == CALLS
    lost = {n for n, answer in answers if "error" in answer}
    assert {answer["error"]["message"][:38] for _, answer in answers if "error" in answer} <= {
        "The server ended before it answered. W"
    }
    assert all(answer["result"]["n"] == n for n, answer in answers if n not in lost)
    came = [int(text) for text in seen.read_text().split()]
    assert len(came) == len(set(came))
    assert set(range(CALLS)) - lost <= set(came)
    assert memory, "it was over before the first kill"
    assert end < memory[0] + 50_000_000
    print(f"{len(lost)} of {CALLS} calls lost in {len(memory)} kills; memory {memory[0]:,} to {end:,} bytes")


BIG = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}
             for n in range(int(sys.argv[1]))]
    result = {"tools": tools}
    if m["method"] == "tools/call":
        came = len(json.dumps(m["params"], ensure_ascii=False))
        result = {"came": came, "content": [{"type": "text", "text": "x" * 50_000_000}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""
LARGE = 50_000_000


def large_call(id: Any, meta: dict[str, Any]) -> tuple[bytes, int]:
    """A call with 50 MB, and how many characters its params have."""
    params = {"name": "t1", "arguments": {"a": "z"}, "_meta": {**meta, "text": "y" * LARGE}}
    message = {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}
    return json.dumps(message).encode(), len(json.dumps(params, ensure_ascii=False))


def test_large_messages_and_long_lists() -> None:
    with Line(proxy_command("--for", "gemini-parameters", server=(sys.executable, "-c", BIG, "10000"))) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear(60)
        times: list[float] = []
        for _ in range(2):
            started = time.monotonic()
            line.say(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
            tools = json.loads(line.hear(120))["result"]["tools"]
            times.append(time.monotonic() - started)
            assert len(tools) == 10_000
            assert all("_meta" in tool for tool in tools)
        message, size = large_call(2, {})
        line.say(message)
        answer = json.loads(line.hear(120))
        assert line.close() == 0
    assert answer["result"]["came"] == size
    assert len(answer["result"]["content"][0]["text"]) == LARGE
    assert times[0] < 6 * SLACK
    assert times[1] < times[0]  # the same list is made fit once
    print(f"10,000 tools listed in {times[0]:.1f} s, again in {times[1]:.1f} s")


@pytest.mark.parametrize("behind", ["command", "address"])
@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_large_messages_over_http(behind: str, era: str) -> None:
    """50 MB in each direction, three times: each is whole, and the memory does not grow with them."""
    server = ["--", sys.executable, "-c", BIG, "10"]
    command = [sys.executable, "-m", "toolglot", "proxy", "--isolated", "--http", "127.0.0.1:0"]
    lines = [Line([*command, "--for", "none" if behind == "address" else "gemini-parameters", *server])]
    url = address_of(lines[0])
    if behind == "address":
        lines.append(Line([*command, "--for", "gemini-parameters", f"{url}/mcp"]))
        url = address_of(lines[1])
    memory: list[int] = []
    with httpx.Client(timeout=120) as client:
        named: dict[str, str] = {}
        if era == "legacy":
            named = {"mcp-session-id": client.post(f"{url}/mcp", content=INITIALIZE).headers["mcp-session-id"]}
        message, size = large_call(1, META if era == "modern" else {})
        for _ in range(4):
            result = client.post(f"{url}/mcp", content=message, headers=named).json()["result"]
            assert result["came"] == size
            assert len(result["content"][0]["text"]) == LARGE
            memory.append(resident(lines[-1].process.pid))
    for line in reversed(lines):
        line.process.terminate()
        assert line.process.wait(30) == 0
        line.close()
    assert memory[-1] < memory[0] + LARGE, memory
    print(f"{behind}, {era}: {', '.join(f'{value / 1e6:.0f}' for value in memory)} MB")


PAGES = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    page = int(m.get("params", {}).get("cursor", 0))
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object", "properties": {"a": {"type": ["string", "null"]}}}}
             for n in range(page * 100, page * 100 + 100)]
    result = {"tools": tools}
    if page < 99: result["nextCursor"] = str(page + 1)
    if m["method"] == "tools/call": result = {"content": [], "came": m["params"]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


@pytest.mark.parametrize("options", [(), ("--read-only",)], ids=["open", "restricted"])
def test_a_call_before_any_list_of_ten_thousand_tools(options: tuple[str, ...]) -> None:
    """100 pages are read once for the first call; the others of that time wait for the same reading."""
    server = PAGES.replace('"inputSchema"', '"annotations": {"readOnlyHint": True}, "inputSchema"')
    command = [sys.executable, "-m", "toolglot", "proxy", "--isolated", "--http", "127.0.0.1:0", *options]
    line = Line([*command, "--for", "gemini-parameters", "--", sys.executable, "-c", server])
    url = f"{address_of(line)}/mcp"
    found: list[Any] = []

    def one(n: int) -> None:
        params = {"name": f"t{n}", "arguments": {"a": "x"}, "_meta": META}
        message = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}
        found.append(httpx.post(url, json=message, timeout=120).json())

    started = time.monotonic()
    threads = [threading.Thread(target=one, args=(n,)) for n in range(0, 10_000, 500)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    seconds = time.monotonic() - started
    line.process.terminate()
    assert line.process.wait(30) == 0
    line.close()
    assert sorted(answer["id"] for answer in found) == list(range(0, 10_000, 500))
    assert all(answer["result"]["came"]["name"] == f"t{answer['id']}" for answer in found)
    assert seconds < 8 * SLACK
    print(f"20 calls before any list of 10,000 tools in 100 pages: {seconds:.1f} s")


FLOOD = """
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    params = m.get("params", {})
    if params.get("name") == "flood":
        token = params.get("_meta", {}).get("progressToken")
        for n in range(300):
            note = {"method": "notifications/progress", "params": {"progressToken": token, "text": "y" * 100_000}}
            print(json.dumps({"jsonrpc": "2.0", **note}), flush=True)
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"content": []}}), flush=True)
"""


def half(url: str, message: Any, part: float, *headers: str) -> socket.socket:
    """A connection on which a part of a request is sent, and nothing is read."""
    host, _, port = url.removeprefix("http://").partition(":")
    body = json.dumps(message).encode()
    head = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    whole = "\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body
    line = socket.create_connection((host, int(port)), timeout=60)
    line.sendall(whole[: int(len(whole) * part)])
    return line


@pytest.mark.skipif(not Path("/proc").is_dir(), reason="memory is read from /proc")
def test_slow_readers_and_half_open_connections() -> None:
    """They cost the others nothing: calls are answered at once, memory is bounded, and the end comes in its time."""
    command = [sys.executable, "-m", "toolglot", "proxy", "--isolated", "--for", "none", "--http", "127.0.0.1:0"]
    proxy = Line([*command, "--", sys.executable, "-c", FLOOD])
    url = address_of(proxy)
    flood = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "flood", "arguments": {}}}
    modern = {**flood, "params": {**flood["params"], "_meta": {**META, "progressToken": 7}}}
    quick = {"jsonrpc": "2.0", "id": 1, "method": "tools/call",
             "params": {"name": "x", "arguments": {}, "_meta": META}}  # fmt: skip
    lines = [half(url, modern, n / 100) for n in range(10, 100, 2)]  # half-open
    lines += [half(url, modern, 1) for _ in range(20)]  # read nothing
    sessions = [httpx.post(f"{url}/mcp", content=INITIALIZE, timeout=60).headers["mcp-session-id"] for _ in range(10)]
    slow = [half(url, flood, 1, f"Mcp-Session-Id: {name}", "Connection: close") for name in sessions]
    read = [0] * len(slow)
    answered = [0] * len(slow)

    def read_slowly(place: int) -> None:
        tail = b""
        while chunk := slow[place].recv(200_000, socket.MSG_WAITALL):
            read[place] += len(chunk)
            answered[place] += (tail + chunk).count(b'"result"') - tail.count(b'"result"')
            tail = chunk[-20:]
            time.sleep(0.05)

    readers = [threading.Thread(target=read_slowly, args=(place,)) for place in range(len(slow))]
    for reader in readers:
        reader.start()
    times: list[float] = []
    memory: list[int] = []
    with httpx.Client(timeout=60) as client:
        for _ in range(1_000):
            started = time.monotonic()
            assert client.post(f"{url}/mcp", json=quick).json()["result"] == {"content": []}
            times.append(time.monotonic() - started)
            memory.append(resident(proxy.process.pid))
    for reader in readers:
        reader.join(300)
    started = time.monotonic()
    proxy.process.terminate()
    assert proxy.process.wait(60) == 0
    ended = time.monotonic() - started
    proxy.close()
    for line in (*lines, *slow):
        line.close()
    assert answered == [1] * len(slow)
    assert all(amount > 300 * 100_000 for amount in read)
    assert statistics.median(times) < 0.05 * SLACK
    assert max(memory) < 400_000_000
    assert ended < 20
    print(
        f"median {1000 * statistics.median(times):.1f} ms, worst {max(times):.2f} s, {max(memory) / 1e6:.0f} MB at most"
    )
