"""What a proxy adds to a call, beside a bare pass-through and the proxies that are built on SDKs, in one run.

`python bench/proxy.py` makes an environment in `.bench` with `mcp-proxy` and `fastmcp`, then sends 2,000 calls to the
demo server: over stdio (direct, through a program that only copies bytes, through this proxy, through a proxy of
fastmcp), and over HTTP to the same server over stdio (this proxy, mcp-proxy, fastmcp). Rounds of 200 calls alternate
between the rows, so that a busy machine is busy for all. The client writes and reads raw messages.
"""

from __future__ import annotations

import json
import os
import socket
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
HOME = ROOT / ".bench" / "proxy"
PEERS = ("mcp-proxy", "fastmcp")
CALLS, ROUND = 2_000, 200
DEMO = [sys.executable, "-m", "toolglot.demo"]
OURS = [sys.executable, "-m", "toolglot", "proxy", "--isolated", "--quiet"]

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "bench", "version": "1"}}
CALL = {"name": "page_render", "arguments": {"page_id": "home"}}

BARE = """
import asyncio, sys
async def main():
    loop = asyncio.get_running_loop()
    server = await asyncio.create_subprocess_exec(*sys.argv[1:], stdin=-1, stdout=-1)
    reader = asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    transport, protocol = await loop.connect_write_pipe(asyncio.streams.FlowControlMixin, sys.stdout)
    writer = asyncio.StreamWriter(transport, protocol, None, loop)
    async def copy(source, sink):
        while data := await source.read(65536):
            sink.write(data)
            await sink.drain()
        sink.close()
    await asyncio.gather(copy(reader, server.stdin), copy(server.stdout, writer))
asyncio.run(main())
"""

FASTMCP = """
import sys
from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy
proxy = create_proxy(StdioTransport(sys.argv[2], sys.argv[3:]))
if sys.argv[1] == "stdio":
    proxy.run(show_banner=False)
else:
    proxy.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False)
"""


class Stdio:
    """One server over stdio."""

    def __init__(self, command: list[str]) -> None:
        started = time.perf_counter()
        self.process = subprocess.Popen(command, stdin=-1, stdout=-1, stderr=subprocess.DEVNULL)
        self.ask("initialize", HELLO)
        self.start = time.perf_counter() - started
        self._write({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list", {})

    def _write(self, message: Any) -> None:
        assert self.process.stdin
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method: str, params: Any) -> Any:
        """One question and its answer."""
        assert self.process.stdout
        self._write({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        while True:
            line = self.process.stdout.readline()
            if not line:
                raise SystemExit(f"the server ended: {self.process.args}")
            message = json.loads(line)
            if "method" not in message:
                return message

    def close(self) -> None:
        """End the process."""
        assert self.process.stdin
        self.process.stdin.close()
        try:
            self.process.wait(5)
        except subprocess.TimeoutExpired:
            self.process.kill()


class Http:
    """One server over HTTP, in a session of the older era."""

    def __init__(self, command: list[str], port: int) -> None:
        import http.client

        started = time.perf_counter()
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        _wait_for(port)
        self.line = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.session = ""
        self.ask("initialize", HELLO)
        self.start = time.perf_counter() - started
        self._post({"jsonrpc": "2.0", "method": "notifications/initialized"})
        self.ask("tools/list", {})

    def _post(self, message: Any) -> bytes:
        headers = {"content-type": "application/json", "accept": "application/json, text/event-stream"}
        if self.session:
            headers |= {"mcp-session-id": self.session, "mcp-protocol-version": "2025-11-25"}
        self.line.request("POST", "/mcp", json.dumps(message), headers)
        answer = self.line.getresponse()
        self.session = answer.headers.get("mcp-session-id") or self.session
        return answer.read()

    def ask(self, method: str, params: Any) -> Any:
        """One question and its answer, from JSON or from an event stream."""
        body = self._post({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
        data = [line[5:] for line in body.splitlines() if line.startswith(b"data:") and line[5:].strip()]
        return json.loads(data[-1] if data else body)

    def close(self) -> None:
        """End the process."""
        self.line.close()
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()


Line = Stdio | Http


def _wait_for(port: int) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.02)
    raise SystemExit("a server over HTTP does not listen")


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def peers() -> Path:
    """The programs of an environment with the peers, made once."""
    python = HOME / "bin" / "python"
    if not python.exists():
        venv.create(HOME, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
    return HOME / "bin"


def over_http(command: Callable[[int], list[str]]) -> Http:
    """A server over HTTP on a free port."""
    port = free_port()
    return Http(command(port), port)


def rows(bin: Path) -> dict[str, Callable[[], Line]]:
    """What is measured: a name, and how to open it."""
    python = str(bin / "python")
    return {
        "stdio: direct": lambda: Stdio(DEMO),
        "stdio: bare pass-through": lambda: Stdio([sys.executable, "-c", BARE, *DEMO]),
        "stdio: toolglot --for none": lambda: Stdio([*OURS, "--for", "none", "--", *DEMO]),
        "stdio: toolglot --for portable": lambda: Stdio([*OURS, "--", *DEMO]),
        "stdio: fastmcp proxy": lambda: Stdio([python, "-c", FASTMCP, "stdio", *DEMO]),
        "http: toolglot --for portable": lambda: over_http(
            lambda port: [*OURS, "--http", f"127.0.0.1:{port}", "--", *DEMO]
        ),
        "http: mcp-proxy": lambda: over_http(lambda port: [str(bin / "mcp-proxy"), "--port", str(port), "--", *DEMO]),
        "http: fastmcp proxy": lambda: over_http(lambda port: [python, "-c", FASTMCP, str(port), *DEMO]),
    }


def measure(lines: dict[str, Line]) -> dict[str, list[float]]:
    """Seconds of each call, by row; the rounds alternate."""
    found: dict[str, list[float]] = {name: [] for name in lines}
    for _ in range(CALLS // ROUND):
        for name, line in lines.items():
            if isinstance(line, Http):
                line.line.close()  # a server may have closed the idle connection: it opens again with the next question
            line.ask("tools/call", CALL)
            for _ in range(ROUND):
                started = time.perf_counter()
                answer = line.ask("tools/call", CALL)
                found[name].append(time.perf_counter() - started)
                assert "Things to do" in answer["result"]["content"][0]["text"], (name, answer)
    return found


def main() -> None:
    """Measure and print."""
    lines: dict[str, Line] = {}
    for name, opened in rows(peers()).items():
        lines[name] = opened()
    try:
        seconds = measure(lines)
    finally:
        for line in lines.values():
            line.close()
    direct = statistics.median(seconds["stdio: direct"])
    base = lines["stdio: direct"].start
    print(f"{CALLS:,} calls of one tool, {os.cpu_count()} processors, Python {sys.version.split()[0]}")
    print(f"{'':34}{'median':>9}{'added':>9}{'p99':>9}  ms     start-up")
    for name, times in seconds.items():
        median, late = statistics.median(times), statistics.quantiles(times, n=100)[-1]
        figures = "".join(f"{1000 * value:9.3f}" for value in (median, median - direct, late))
        print(f"{name:34}{figures}      +{lines[name].start - base:.2f} s")


if __name__ == "__main__":
    main()
