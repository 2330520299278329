"""A hand-written HTTP server of the older era: sessions, a stream of its own for news, and what can go wrong there."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Web:
    """What is known of the server: its address, its tools, the sessions it has not forgotten, calls it saw."""

    url: str = ""
    unknown: int = 404
    tools: list[str] = field(default_factory=lambda: ["more", "forget", "cut", "half", "gateway", "write"])
    sessions: set[str] = field(default_factory=set)
    seen: list[str] = field(default_factory=list)
    news: threading.Condition = field(default_factory=threading.Condition)
    streams: int = 0
    changes: int = 0
    over: bool = False


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: Web

    def log_message(self, *_: Any) -> None:
        """Keep the output of the tests clean."""

    def _say(self, status: int, body: Any = None, **headers: str) -> None:
        raw = b"" if body is None else json.dumps(body).encode()
        self.send_response(status)
        for name, value in {"content-type": "application/json", "content-length": str(len(raw)), **headers}.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(raw)

    def do_POST(self) -> None:
        message = json.loads(self.rfile.read(int(self.headers["content-length"])))
        method, number = message["method"], message.get("id")
        if method == "initialize":
            session = f"s{len(self.web.sessions) + len(self.web.seen)}"
            self.web.sessions.add(session)
            found = {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}}, "serverInfo": {"name": "old"}}
            self._say(200, {"jsonrpc": "2.0", "id": number, "result": found}, mcp_session_id=session)
        elif self.headers.get("mcp-session-id") not in self.web.sessions:
            wrong = {"code": -32001, "message": "No valid session"}
            self._say(self.web.unknown, {"jsonrpc": "2.0", "id": None, "error": wrong})
        elif number is None:
            self._say(202)
        else:
            self._answer(method, number, message.get("params", {}))

    def _answer(self, method: str, number: Any, params: dict[str, Any]) -> None:
        if method == "tools/list":
            tools = [{"name": name, "inputSchema": {"type": "object"}} for name in self.web.tools]
            self._say(200, {"jsonrpc": "2.0", "id": number, "result": {"tools": tools}})
            return
        name = params["name"]
        self.web.seen.append(name)
        if name == "cut":
            self.close_connection = True
            return
        if name == "half":
            self._stream(b"id: 1\nretry: 0\ndata:\n\n")
            return
        if name == "gateway":
            self._say(502, {"you sent": self.headers.get("authorization")})
            return
        if name == "more":
            with self.web.news:
                self.web.tools.append("added")
                self.web.changes += 1
                self.web.news.notify_all()
        if name == "forget":
            self.web.sessions.clear()
        self._say(200, {"jsonrpc": "2.0", "id": number, "result": {"content": [{"type": "text", "text": name}]}})

    def _stream(self, beginning: bytes = b"") -> None:
        """An event stream that ends with its connection."""
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.end_headers()
        self.close_connection = True
        if beginning:
            self.wfile.write(beginning)

    def do_GET(self) -> None:
        if self.headers.get("last-event-id"):
            wrong = {"code": -32001, "message": "No valid session"}
            self._say(self.web.unknown, {"jsonrpc": "2.0", "id": None, "error": wrong})
            return
        self._stream()
        with self.web.news:
            self.web.streams += 1
            told = self.web.changes
            while not self.web.over:
                self.web.news.wait(0.1)
                if self.web.changes > told:
                    told = self.web.changes
                    event = {"jsonrpc": "2.0", "method": "notifications/tools/list_changed"}
                    self.wfile.write(f"id: {told}\ndata: {json.dumps(event)}\n\n".encode())
                    self.wfile.flush()

    def do_DELETE(self) -> None:
        self._say(204)


@contextmanager
def old_web() -> Iterator[Web]:
    """A running server."""
    web = Web()
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Own", (Handler,), {"web": web}))
    server.daemon_threads = True
    web.url = f"http://127.0.0.1:{server.server_address[1]}/mcp"
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield web
    finally:
        web.over = True
        server.shutdown()
        server.server_close()
        thread.join()
