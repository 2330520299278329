"""No telemetry, no update check: no command opens a socket, except to the source that is named."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from cli_help import DEMO, OK, UNION, process

from toolglot.demo import Server

GUARD = """
import os, socket

ALLOWED, REPORT = os.environ["ALLOWED_PORT"], os.environ["SOCKET_REPORT"]

def guarded(name, original):
    def call(*args, **kwargs):
        address = next((a for a in args if isinstance(a, tuple)), args[:2])
        local = isinstance(args[0], socket.socket) and args[0].family == getattr(socket, "AF_UNIX", None)
        if not local and str(address[1]) != ALLOWED:
            with open(REPORT, "a") as file:
                print(name, address, file=file)
            raise OSError("sockets are blocked by a test")
        return original(*args, **kwargs)
    return call

for name in ("connect", "connect_ex", "sendto", "bind"):
    setattr(socket.socket, name, guarded(name, getattr(socket.socket, name)))
for name in ("create_connection", "getaddrinfo", "gethostbyname"):
    setattr(socket, name, guarded(name, getattr(socket, name)))
"""

SDK_SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("shop", version="1.0", log_level="ERROR")


@server.tool()
def search(query: str, limit: int = 10) -> str:
    "Searches."
    return query
"""

REFERENCES = {
    "name": "refers",
    "description": "Refers to other documents.",
    "inputSchema": {
        "$schema": "http://192.0.2.1/schema",
        "$id": "http://192.0.2.1/base/",
        "type": "object",
        "properties": {
            "a": {"$ref": "http://192.0.2.1/a.json"},
            "b": {"$ref": "other.json"},
            "c": {"$dynamicRef": "http://192.0.2.1/c.json#x"},
            "d": {"$ref": "file:///etc/hostname"},
        },
    },
}


DEMO_SERVER = Server()


class _Mcp(BaseHTTPRequestHandler):
    """The demo server over Streamable HTTP, as far as reading a list needs it."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        answer = DEMO_SERVER.handle(message)
        body = b"" if answer is None else json.dumps(answer).encode()
        self.send_response(202 if answer is None else 200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self) -> None:
        self.send_error(405)

    do_DELETE = do_GET

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    """The port of a real MCP server over HTTP."""
    with ThreadingHTTPServer(("127.0.0.1", 0), _Mcp) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.server_port
        server.shutdown()


COMMANDS = [
    (("check", "tools.json"), 1),
    (("check", "tools.json", "--for", "all", "-v"), 1),
    (("check", "tools.json", "--format", "json", "-o", "report.json"), 1),
    (("check", "shop:server"), 0),
    (("check", "toolglot.demo:server"), 1),
    (("check", "--", *DEMO), 1),
    (("check", "mcp.json", "--all"), 1),
    (("check", "http://127.0.0.1:{port}/mcp"), 1),
    (("check", "http://127.0.0.1:{port}/sse", "--transport", "http"), 1),
    (("normalize", "tools.json", "--for", "portable-strict", "--json"), 0),
    (("names", "tools.json", "--for", "cursor"), 0),
    (("capture", "tools.json"), 0),
    (("capture", "http://127.0.0.1:{port}/mcp"), 0),
    (("surface", "tools.json"), 0),
    (("surface", "--", *DEMO), 0),
    (("targets",), 0),
    (("targets", "cursor"), 0),
    (("targets", "--stale"), 0),
    (("targets", "report", "cursor", "structured-union"), 0),
    (("explain",), 0),
    (("explain", "TG101"), 0),
    (("rule", "union-siblings"), 0),
    (("explain-error", "tools.json", "--error", "tools.1.custom.input_schema: JSON schema is invalid"), 0),
    (("explain-error", "--error", "tools.1.custom.name: String should match pattern", "--", *DEMO), 0),
    # Nothing is sent before somebody agrees; here nobody can.
    (("probe", "tools.json", "--for", "gemini-parameters", "--model", "m", "--endpoint", "http://192.0.2.1"), 2),
    (("probe", "--facts", "gemini-parameters", "--model", "m", "--endpoint", "http://192.0.2.1"), 2),
    (("eval", "tools.json", "--model", "m", "--endpoint", "http://192.0.2.1/v1"), 2),
    (("eval", "--model", "m", "--endpoint", "http://192.0.2.1/v1"), 2),
    (("baseline", "add", "tools.json"), 0),
    (("baseline", "prune", "tools.json"), 0),
    (("baseline", "check", "--against", "HEAD"), 2),
    (("--help",), 0),
    (("--version",), 0),
]


@pytest.mark.parametrize(("args", "code"), COMMANDS, ids=[" ".join(args) for args, _ in COMMANDS])
def test_no_socket_but_to_the_source(tmp_path, port, args, code):
    if "shop:server" in args:
        pytest.importorskip("mcp", reason="needs the official SDK")
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    (tmp_path / "tools.json").write_text(json.dumps([*OK, UNION, REFERENCES]))
    (tmp_path / "shop.py").write_text(SDK_SERVER)
    demo = {"command": DEMO[0], "args": list(DEMO[1:])}
    (tmp_path / "mcp.json").write_text(json.dumps({"mcpServers": {"demo": demo}}))
    report = tmp_path / "sockets.txt"
    guard = {"PYTHONPATH": str(tmp_path / "guard"), "ALLOWED_PORT": str(port), "SOCKET_REPORT": str(report)}
    done = process(*(arg.format(port=port) for arg in args), cwd=tmp_path, env=guard)
    assert done.returncode == code, done.stderr
    assert not report.exists(), report.read_text()


def test_the_guard_sees_sockets(tmp_path, port):
    (tmp_path / "guard").mkdir()
    (tmp_path / "guard" / "sitecustomize.py").write_text(GUARD)
    report = tmp_path / "sockets.txt"
    guard = {"PYTHONPATH": str(tmp_path / "guard"), "ALLOWED_PORT": "1", "SOCKET_REPORT": str(report)}
    assert process("check", f"http://127.0.0.1:{port}/mcp", cwd=tmp_path, env=guard).returncode == 2
    assert str(port) in report.read_text()
