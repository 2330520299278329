"""A hand-written HTTP server with one good or bad behaviour per path; it keeps what it was asked."""

import json
import threading
import time
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
HTML = b"<!doctype html><html><head><title>Sign in</title></head><body>Hello</body></html>"
TOOL = '{"b":1,"name":"%s","inputSchema":{"type":"object","maximum":123456789012345678901234567890}}'


@dataclass
class Asked:
    """One request as it came in; header names in lower case."""

    method: str
    path: str
    headers: dict[str, str]
    message: dict[str, Any] | None


@dataclass
class Web:
    """A running server."""

    port: int
    asked: list[Asked] = field(default_factory=list)
    elsewhere: str = ""
    streams: dict[str, list[str]] = field(default_factory=dict)
    changed: threading.Condition = field(default_factory=threading.Condition)

    def url(self, path: str) -> str:
        return f"http://127.0.0.1:{self.port}{path}"


def listed(*names: str, **more: Any) -> str:
    tools = ",".join(TOOL % name for name in names)
    rest = "".join(f",{json.dumps(key)}:{json.dumps(value)}" for key, value in more.items())
    return f'{{"tools":[{tools}]{rest}}}'


def answer(number: Any, result: str) -> str:
    return f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"result":{result}}}'


def error(number: Any, code: int, message: str, data: Any = None) -> str:
    return json.dumps({"jsonrpc": "2.0", "id": number, "error": {"code": code, "message": message, "data": data}})


def legacy(message: dict[str, Any]) -> str:
    method, number = message["method"], message.get("id")
    if method == "initialize":
        info = {"name": "web-legacy", "version": "0.1"}
        return answer(number, json.dumps({"protocolVersion": "2025-03-26", "capabilities": {}, "serverInfo": info}))
    if method == "tools/list":
        second = "cursor" in message.get("params", {})
        return answer(number, listed("two") if second else listed("one", nextCursor="2"))
    return error(number, -32601, "no such method")


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    web: Web

    def log_message(self, *_: Any) -> None:
        """Keep the output of the tests clean."""

    def _ask(self) -> dict[str, Any] | None:
        body = self.rfile.read(int(self.headers.get("content-length", 0)))
        message = json.loads(body) if body else None
        headers = {name.lower(): value for name, value in self.headers.items()}
        self.web.asked.append(Asked(self.command, self.path, headers, message))
        return message

    def _reply(self, status: int, body: str | bytes = b"", kind: str = "application/json", **headers: str) -> None:
        raw = body.encode() if isinstance(body, str) else body
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if raw or status not in (202, 204):
            self.send_header("content-type", kind)
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)

    def do_POST(self) -> None:
        message = self._ask()
        assert message is not None
        name = self.path.partition("?")[0].strip("/").replace("/", "_").replace("-", "_")
        getattr(self, f"post_{name}", self._missing)(message)

    def do_GET(self) -> None:
        self._ask()
        getattr(self, f"get_{self.path.partition('?')[0].strip('/').replace('/', '_').replace('-', '_')}", self._no)()

    def do_DELETE(self) -> None:
        self._ask()
        self._reply(200)

    def _missing(self, message: dict[str, Any]) -> None:
        self._reply(404, b"not here", "text/plain")

    def _no(self) -> None:
        self._reply(405, b"no", "text/plain")

    # Good ones.

    def post_modern(self, message: dict[str, Any]) -> None:
        number, meta = message.get("id"), message.get("params", {}).get("_meta", {})
        headers = (self.headers.get("mcp-protocol-version"), self.headers.get("mcp-method"))
        if headers != (meta.get(f"{META}protocolVersion"), message["method"]):
            self._reply(400, error(number, -32020, "headers do not match"))
        elif headers[0] != MODERN:
            self._reply(400, error(number, -32022, "no", {"supported": [MODERN], "requested": headers[0]}))
        elif message["method"] == "server/discover":
            result = {"supportedVersions": [MODERN], "capabilities": {}, "resultType": "complete"}
            info = {"_meta": {f"{META}serverInfo": {"name": "web-modern", "version": "3"}}}
            self._reply(200, answer(number, json.dumps({**result, **info})))
        else:
            self._reply(200, answer(number, listed("one", resultType="complete", ttlMs=1, cacheScope="public")))

    def post_legacy(self, message: dict[str, Any]) -> None:
        session = self.headers.get("mcp-session-id")
        if message["method"] == "initialize":
            self._reply(200, legacy(message), mcp_session_id="s-1")
        elif session != "s-1":
            self._reply(400, error(None, -32000, "Bad Request: no session"))
        elif "id" not in message:
            self._reply(202)
        else:
            self._reply(200, legacy(message))

    def post_events(self, message: dict[str, Any]) -> None:
        """The same as an event stream: comments, a notification, a request of the server, then the answer."""
        if "method" not in message or "id" not in message:
            self._reply(202)
            return
        text = legacy(message)
        half = text.find(",")
        body = (
            ": hello\n\nid: 1\ndata:\n\n"
            'event: message\ndata: {"jsonrpc":"2.0","method":"notifications/message","params":{}}\n\n'
            'data: {"jsonrpc":"2.0","id":"srv","method":"ping"}\r\n\r\n'
            f"event: message\ndata: {text[: half + 1]}\ndata: {text[half + 1 :]}\n\n"
        )
        self._reply(200, body, "text/event-stream", mcp_session_id="s-2")

    def post_cut(self, message: dict[str, Any]) -> None:
        """A list whose stream ends before the answer; it can be taken up again."""
        if message.get("method") == "tools/list":
            self._reply(200, "id: 7\nretry: 10\ndata:\n\n", "text/event-stream")
            self.web.streams["cut"] = [answer(message["id"], listed("late"))]
        else:
            self.post_legacy(message)

    def get_cut(self) -> None:
        assert self.headers["last-event-id"] == "7"
        self._reply(200, f"id: 8\ndata: {self.web.streams['cut'][0]}\n\n", "text/event-stream")

    def post_short(self, message: dict[str, Any]) -> None:
        if message.get("method") == "tools/list":
            self._reply(200, "data:\n\n", "text/event-stream")
        else:
            self.post_legacy(message)

    def post_batch(self, message: dict[str, Any]) -> None:
        if "id" not in message:
            self._reply(202)
        else:
            self._reply(200, f'[{{"jsonrpc":"2.0","method":"notifications/x"}},{legacy(message)}]')

    def post_moved(self, message: dict[str, Any]) -> None:
        self._reply(307, location="/legacy")

    # The old transport.

    def get_old_sse(self) -> None:
        self._stream("/old/messages?session=1")

    def get_foreign_sse(self) -> None:
        self._stream(f"{self.web.elsewhere}/old/messages")

    def get_locked_sse(self) -> None:
        self._stream("/401")

    def get_sour_sse(self) -> None:
        self._stream("/sour/messages")

    def post_sour_messages(self, message: dict[str, Any]) -> None:
        self._reply(400, error(message["id"], -32603, "no licence"))

    def get_dead_sse(self) -> None:
        self._stream("/dead/messages")

    def post_dead_messages(self, message: dict[str, Any]) -> None:
        self.close_connection = True

    def get_text_sse(self) -> None:
        self._reply(200, b"hello", "text/plain")

    def get_locked(self) -> None:
        self._reply(401, b"")

    def get_quiet_sse(self) -> None:
        self._reply(200, b": nothing\n\n", "text/event-stream")

    def post_old_messages(self, message: dict[str, Any]) -> None:
        self._reply(202, b"Accepted", "text/plain")
        if "id" in message:
            with self.web.changed:
                self.web.streams.setdefault("old", []).append(legacy(message))
                self.web.changed.notify_all()

    def _stream(self, endpoint: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        self.wfile.write(f"event: endpoint\ndata: {endpoint}\n\n".encode())
        self.wfile.flush()
        self.close_connection = True
        waiting = self.web.streams["old"] = []
        for _ in range(200):
            with self.web.changed:
                self.web.changed.wait(0.05)
                sent, waiting[:] = list(waiting), []
            try:
                for text in sent:
                    self.wfile.write(f"event: message\ndata: {text}\n\n".encode())
                self.wfile.write(b": still here\n\n")
                self.wfile.flush()
            except OSError:
                return

    # Bad ones.

    def post_html(self, message: dict[str, Any]) -> None:
        self._reply(200, HTML, "text/html; charset=utf-8")

    def post_html404(self, message: dict[str, Any]) -> None:
        self._reply(404, HTML, "text/html")

    def post_401(self, message: dict[str, Any]) -> None:
        self._reply(401, b'{"error":"invalid_token"}', WWW_Authenticate='Bearer resource_metadata="x"')

    def post_403(self, message: dict[str, Any]) -> None:
        self._reply(403, b"Forbidden", "text/plain")

    def post_503(self, message: dict[str, Any]) -> None:
        self._reply(503, b"overloaded", "text/plain")

    def post_599(self, message: dict[str, Any]) -> None:
        self._reply(599, b"", "text/plain")

    def post_echo(self, message: dict[str, Any]) -> None:
        self._reply(500, f"bad token {self.headers.get('authorization')}", "text/plain")

    def post_accepted(self, message: dict[str, Any]) -> None:
        self._reply(202)

    def post_empty(self, message: dict[str, Any]) -> None:
        self._reply(200, b"")

    def post_broken(self, message: dict[str, Any]) -> None:
        self._reply(200, b'{"jsonrpc":"2.0","id":1,\n "result":{"tools":[}}')

    def post_truncated(self, message: dict[str, Any]) -> None:
        self._reply(200, b'{"jsonrpc":"2.0","id":1,"result":{"tools":[{"na')

    def post_other_json(self, message: dict[str, Any]) -> None:
        self._reply(200, b'{"status":"ok"}')

    def post_broken_event(self, message: dict[str, Any]) -> None:
        self._reply(200, b"data: {oops\n\n", "text/event-stream")

    def post_away(self, message: dict[str, Any]) -> None:
        self._reply(307, location=f"{self.web.elsewhere}/legacy?code=secret-code")

    def post_found(self, message: dict[str, Any]) -> None:
        self._reply(302, location="/legacy")

    def post_loop(self, message: dict[str, Any]) -> None:
        self._reply(307, location="/loop")

    def post_gone(self, message: dict[str, Any]) -> None:
        """The session is over when the list is asked for."""
        if message.get("method") == "tools/list":
            self._reply(404, b"", "text/plain")
        else:
            self.post_legacy(message)

    def post_hang(self, message: dict[str, Any]) -> None:
        time.sleep(3)
        self._reply(204)

    def post_rpc_error(self, message: dict[str, Any]) -> None:
        if message.get("method") == "tools/list":
            self._reply(400, error(message["id"], -32603, "the database is locked"))
        else:
            self.post_legacy(message)


def start() -> tuple[Web, ThreadingHTTPServer]:
    handler = type("Handler", (Handler,), {})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    handler.web = Web(server.server_address[1])
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    return handler.web, server
