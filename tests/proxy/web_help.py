"""Servers and clients over HTTP for tests: a raw upstream that records every byte, the proxy as a process."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import httpx
from proxy_help import DEMO, Line, environment

STREAM = "text/event-stream"


@dataclass
class Seen:
    """One request as the upstream got it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes


@dataclass
class Said:
    """What the upstream answers: pieces are sent one by one; None closes the connection without an end."""

    pieces: Iterable[bytes | None] = ()
    status: int = 200
    kind: str = "application/json"
    headers: dict[str, str] = field(default_factory=dict)


class Upstream:
    """A raw HTTP server; `answer` is what it does."""

    def __init__(self) -> None:
        self.seen: list[Seen] = []
        self.answer: Callable[[Seen], Said] = lambda _: Said([b"{}"])
        upstream = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def _any(self) -> None:
                body = self.rfile.read(int(self.headers.get("content-length") or 0))
                headers = {key.lower(): value for key, value in self.headers.items()}
                seen = Seen(self.command, self.path, headers, body)
                upstream.seen.append(seen)
                self._give(upstream.answer(seen))

            do_GET = do_POST = do_DELETE = do_PUT = _any

            def _give(self, said: Said) -> None:
                self.send_response_only(said.status)
                self.send_header("content-type", said.kind)
                self.send_header("transfer-encoding", "chunked")
                for name, value in said.headers.items():
                    self.send_header(name, value)
                self.end_headers()
                for piece in said.pieces:
                    if piece is None:
                        self.close_connection = True
                        self.connection.close()
                        return
                    self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
                    self.wfile.flush()
                self.wfile.write(b"0\r\n\r\n")

            def log_message(self, format: str, *args: Any) -> None:
                """Quiet."""

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._server.handle_error = lambda *_: None
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}/up"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


@contextmanager
def upstream() -> Iterator[Upstream]:
    found = Upstream()
    try:
        yield found
    finally:
        found.close()


@contextmanager
def front(
    *options: str,
    server: tuple[str, ...] = DEMO,
    url: str = "",
    address: str = "127.0.0.1:0",
    errors: list[bytes] | None = None,
    started: list[Line] | None = None,
    **env: str,
) -> Iterator[str]:
    """The proxy over HTTP as a process; gives its address without a path. `errors` gets its stderr, `started` it."""
    behind = [url] if url else ["--", *server]
    command = [sys.executable, "-m", "toolglot", "proxy", "--isolated", "--http", address, *options, *behind]
    with Line(command, **env) as line:
        if started is not None:
            started.append(line)
        yield address_of(line).replace("0.0.0.0", "127.0.0.1")
        line.process.terminate()
        line.process.wait(20)
        line.close()
        if errors is not None:
            errors += line.errors


def address_of(line: Line) -> str:
    end = time.monotonic() + 30
    while time.monotonic() < end:
        for text in list(line.errors):
            if b"listening on " in text:
                return text.decode().split("listening on ")[1].strip().removesuffix("/mcp")
        assert line.process.poll() is None, line.said
        time.sleep(0.02)
    raise AssertionError("the proxy does not listen")


def post(url: str, message: Any, **headers: str) -> httpx.Response:
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    given = {"content-type": "application/json", "accept": f"application/json, {STREAM}", **named}
    return httpx.post(url, content=body, headers=given, timeout=30)


__all__ = ["STREAM", "Said", "Seen", "Upstream", "environment", "front", "post", "upstream"]
