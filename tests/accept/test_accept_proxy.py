"""The proxy under load: the server is killed again and again, messages are large, lists are long."""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

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
    if m["method"] != "tools/list": result = {"content": [{"type": "text", "text": "x" * 50_000_000}]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


def test_large_messages_and_long_lists() -> None:
    with Line(proxy_command("--for", "gemini-parameters", server=(sys.executable, "-c", BIG, "10000"))) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear(60)
        started = time.monotonic()
        line.say(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        tools = json.loads(line.hear(120))["result"]["tools"]
        listed = time.monotonic() - started
        text = "y" * 50_000_000
        call = {"name": "t1", "arguments": {"a": "z"}, "_meta": {"text": text}}
        line.say(json.dumps({"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": call}).encode())
        answer = json.loads(line.hear(120))
        assert line.close() == 0
    assert len(tools) == 10_000
    assert len(answer["result"]["content"][0]["text"]) == 50_000_000
    print(f"10,000 tools listed in {listed:.1f} s")
