"""Two workers behind a real nginx, with the configuration that the documentation shows: no call is lost."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.accept.conftest import ROOT
from tests.waiting import free_port

sys.path.insert(0, str(Path(__file__).parent.parent / "proxy"))
from proxy_help import INITIALIZE, INITIALIZED, Line
from web_help import address_of, post

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
CALLS, CLIENTS = 3_000, 8

SERVER = """
import json, os, sys, time
TOOL = {"name": "set", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
seen = open(sys.argv[1], "a")
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m: continue
    result = {"tools": [TOOL]}
    if m["method"] == "tools/call":
        n = m["params"]["arguments"]["n"]
        seen.write(f"{n}\\n"); seen.flush()
        if n % 20 == 0: time.sleep(0.05)
        result = {"content": [], "n": n, "pid": os.getpid()}
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


@pytest.fixture(scope="session", name="nginx")
def _nginx() -> str:
    """The program `nginx`, installed from Debian where that is allowed; skips where there is none."""
    path = f"{os.environ['PATH']}:/usr/sbin"
    if shutil.which("nginx", path=path) is None and hasattr(os, "geteuid") and os.geteuid() == 0:
        install = "apt-get update -q && apt-get install -y -q --no-install-recommends nginx-light"
        env = {**os.environ, "DEBIAN_FRONTEND": "noninteractive", "RUNLEVEL": "1"}
        subprocess.run(install, shell=True, env=env, capture_output=True, timeout=600, check=False)
    found = shutil.which("nginx", path=path)
    if found is None:
        pytest.skip("nginx is not installed")
    return found


class Nginx:
    """nginx with the configuration of docs/proxy.md; only the ports are others."""

    def __init__(self, program: str, home: Path, ports: dict[int, int]) -> None:
        (shown,) = re.findall(r"```nginx\n(.*?)```", (ROOT / "docs" / "proxy.md").read_text(), re.DOTALL)
        text = re.sub(r"\b(808[012])\b", lambda found: str(ports[int(found[0])]), shown)
        text = text.replace("listen ", "listen 127.0.0.1:")
        temporary = "".join(
            f"{name}_temp_path {home}/{name};\n" for name in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
        )
        config = home / "nginx.conf"
        head = f"pid {home}/pid;\nerror_log {home}/error.log;\nevents {{}}\n"
        config.write_text(f"{head}http {{\naccess_log off;\n{temporary}{text}}}\n")
        self._command = [program, "-c", str(config), "-p", str(home), "-g", "daemon off;"]
        self.process = subprocess.Popen(self._command, stderr=subprocess.DEVNULL)
        self.url = f"http://127.0.0.1:{ports[8080]}"
        self.errors = home / "error.log"

    def reload(self) -> None:
        subprocess.run([*self._command, "-s", "reload"], check=True, stderr=subprocess.DEVNULL)

    def close(self) -> None:
        self.process.terminate()
        self.process.wait(20)


def worker(name: str, port: int, seen: Path) -> Line:
    options = ["--isolated", "--http", f"127.0.0.1:{port}", "--session-prefix", f"{name}-"]
    behind = [sys.executable, "-c", SERVER, str(seen)]
    line = Line([sys.executable, "-m", "toolglot", "proxy", *options, "--", *behind])
    address_of(line)
    return line


def end(line: Line) -> int:
    line.process.terminate()
    code = line.process.wait(30)
    line.close()
    return code


@contextmanager
def cluster(program: str, home: Path) -> Iterator[tuple[Nginx, dict[str, Line], dict[str, int], Path]]:
    ports = {shown: free_port() for shown in (8080, 8081, 8082)}
    places = {"a": ports[8081], "b": ports[8082]}
    seen = home / "seen"
    workers = {name: worker(name, port, seen) for name, port in places.items()}
    front = Nginx(program, home, ports)
    try:
        until(lambda: httpx.get(f"{front.url}/healthz").status_code == 200)
        yield front, workers, places, seen
    finally:
        front.close()
        for line in workers.values():
            end(line)


def until(ready: Any) -> None:
    for _ in range(200):
        try:
            if ready():
                return
        except httpx.TransportError:
            pass
        time.sleep(0.05)
    raise AssertionError("nginx does not answer")


def test_reloads_and_rolling_restarts_lose_no_call(nginx: str, tmp_path: Path) -> None:
    """Each call gets its own result, and reached a server exactly once."""
    answers: list[tuple[int, int, str]] = []
    with cluster(nginx, tmp_path) as (front, workers, places, seen):

        def work(first: int) -> None:
            # A connection for each call: a client that keeps one cannot tell a closed one from a lost call.
            with httpx.Client(timeout=60, limits=httpx.Limits(max_keepalive_connections=0)) as client:
                for n in range(first, CALLS, CLIENTS):
                    params = {"name": "set", "arguments": {"n": str(n)}, "_meta": META}
                    message = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": params}
                    answer = client.post(f"{front.url}/mcp", json=message)
                    answers.append((n, answer.status_code, answer.text))

        threads = [threading.Thread(target=work, args=(n,)) for n in range(CLIENTS)]
        for thread in threads:
            thread.start()
        rounds = 0
        while any(thread.is_alive() for thread in threads):
            for name, port in places.items():
                assert end(workers[name]) == 0
                workers[name] = worker(name, port, seen)
                front.reload()
            rounds += 1
        for thread in threads:
            thread.join()
        came = Counter(map(int, seen.read_text().split()))
        told = [line for line in front.errors.read_text().splitlines() if "refused" not in line]
    wrong = [row for row in answers if row[1] != 200 or json.loads(row[2]).get("result", {}).get("n") != row[0]]
    assert wrong == [], told[-10:]
    assert len(answers) == CALLS
    assert came == Counter(range(CALLS))
    assert rounds >= 2
    print(f"{CALLS} calls, {rounds} rolling restarts of both workers with a reload each")


def test_sessions_of_the_older_era_stay_with_their_worker(nginx: str, tmp_path: Path) -> None:
    def call(session: str) -> httpx.Response:
        plain = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "set", "arguments": {"n": 1}}}
        return post(f"{front.url}/mcp", plain, mcp_session_id=session)

    with cluster(nginx, tmp_path) as (front, workers, places, seen):
        sessions = [post(f"{front.url}/mcp", INITIALIZE).headers["mcp-session-id"] for _ in range(8)]
        for session in sessions:
            assert post(f"{front.url}/mcp", INITIALIZED, mcp_session_id=session).status_code == 202
        pids = {session: {call(session).json()["result"]["pid"] for _ in range(5)} for session in sessions}
        front.reload()
        again = {session: {call(session).json()["result"]["pid"]} for session in sessions}
        assert end(workers["a"]) == 0
        workers["a"] = worker("a", places["a"], seen)
        after = {session: call(session).status_code for session in sessions}
    assert {session[:2] for session in sessions} == {"a-", "b-"}
    assert all(len(found) == 1 for found in pids.values())
    assert len(set().union(*pids.values())) == len(sessions)
    assert again == pids
    assert after == {session: 404 if session.startswith("a-") else 200 for session in sessions}
