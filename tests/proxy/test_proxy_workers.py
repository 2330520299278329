"""Several workers behind a balancer: any of them answers any call, and a reload loses none."""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
from proxy_help import Line
from web_help import address_of

from toolglot.fitting.names import wire_name
from toolglot.targets.load import SHIPPED

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
LONG = "l" * 80
SERVER = """
import json, sys
TOOL = {"name": "l" * 80, "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
seen = open(sys.argv[1], "a")
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    result = {"tools": [TOOL]}
    if m["method"] == "tools/call":
        seen.write(f'{m["params"]["arguments"]["n"]}\\n'); seen.flush()
        result = {"content": [], "n": m["params"]["arguments"]["n"]}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


def worker(seen: Path) -> Line:
    behind = [sys.executable, "-c", SERVER, str(seen)]
    options = ["--isolated", "--for", "gemini-parameters", "--http", "127.0.0.1:0"]
    return Line([sys.executable, "-m", "toolglot", "proxy", *options, "--", *behind])


class Balancer:
    """As nginx does it: workers in turn, and the next one where the connection could not be made."""

    def __init__(self, urls: list[str]) -> None:
        self.urls = urls

    def call(self, client: httpx.Client, n: int) -> Any:
        name = wire_name(LONG, SHIPPED.target("gemini-parameters").tool_name)
        params = {"name": name, "arguments": {"n": str(n)}, "_meta": META}
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
        for turn in range(10):
            try:
                return client.post(f"{self.urls[(n + turn) % len(self.urls)]}/mcp", json=message).json()
            except httpx.ConnectError:
                continue
        raise AssertionError("no worker takes the call")


def in_threads(count: int, work: Callable[[int], None]) -> list[threading.Thread]:
    threads = [threading.Thread(target=work, args=(n,)) for n in range(count)]
    for thread in threads:
        thread.start()
    return threads


def test_a_reload_loses_no_call(tmp_path: Path) -> None:
    """Two workers, restarted one after the other under load; a new one knows no list, and answers at once."""
    calls, clients = 400, 4
    seen = tmp_path / "seen"
    workers = [worker(seen), worker(seen)]
    balancer = Balancer([address_of(one) for one in workers])
    answers: list[tuple[int, Any]] = []
    half = threading.Event()

    def work(first: int) -> None:
        # A connection for each call: a client that keeps one cannot tell a closed one from a lost call.
        with httpx.Client(timeout=30, limits=httpx.Limits(max_keepalive_connections=0)) as client:
            for n in range(first, calls, clients):
                answers.append((n, balancer.call(client, n)))
                if len(answers) > calls // 4:
                    half.set()

    threads = in_threads(clients, work)
    assert half.wait(60)
    for place in range(2):
        fresh = worker(seen)
        old, workers[place] = workers[place], fresh
        balancer.urls[place] = address_of(fresh)
        old.process.terminate()
        assert old.process.wait(30) == 0
        old.close()
    for thread in threads:
        thread.join(60)
    for one in workers:
        one.process.terminate()
        one.process.wait(30)
        one.close()
    assert {n: answer["result"]["n"] for n, answer in answers} == {n: n for n in range(calls)}
    assert sorted(map(json.loads, seen.read_text().split())) == list(range(calls))
