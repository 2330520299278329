"""The HTTP front: who may ask, what a restriction closes over HTTP, callers kept apart, slow and dead clients."""

from __future__ import annotations

import json
import os
import socket
import sys
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from proxy_help import INITIALIZE, INITIALIZED, Line
from tests.clock import SLACK
from web_help import STREAM, Said, Seen, front, post, upstream

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
TOOLS = [
    {"name": "look", "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": True}},
    {"name": "write", "inputSchema": {"type": "object"}},
]


def call(name: str, id: Any = 7, meta: Any = META) -> dict[str, Any]:
    params = {"name": name, "arguments": {}, **({"_meta": meta} if meta else {})}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}


def answering(seen: Seen) -> Said:
    message = json.loads(seen.body) if seen.body else {}
    if isinstance(message, list):
        return Said([json.dumps([{"jsonrpc": "2.0", "id": one["id"], "result": {}} for one in message]).encode()])
    result = {"tools": TOOLS} if message.get("method") == "tools/list" else {"content": []}
    return Said([json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()])


# Who may ask

ASKING: list[tuple[str, dict[str, str], int]] = [
    ("/mcp", {}, 200),
    ("/mcp", {"host": "10.1.2.3:8080"}, 200),
    ("/mcp", {"host": "evil.example"}, 403),
    ("/mcp", {"host": "named.example"}, 200),
    ("/mcp", {"host": "public.example"}, 200),
    ("/mcp", {"host": "10.1.2.3", "origin": "http://evil.example"}, 403),
    ("/mcp", {"host": "10.1.2.3", "origin": "http://10.9.9.9"}, 403),
    ("/mcp", {"host": "10.1.2.3:80", "origin": "http://10.1.2.3:80"}, 200),
    ("/mcp", {"host": "evil.example", "origin": "http://evil.example"}, 403),
    ("/mcp", {"origin": "https://public.example"}, 200),
    ("/metrics", {"host": "evil.example"}, 403),
    ("/healthz", {"host": "evil.example"}, 200),
]


def test_who_may_ask_where_other_machines_can() -> None:
    options = ("--allow-host", "named.example", "--public-url", "https://public.example")
    with front(*options, address="0.0.0.0:0") as url:
        for path, headers, status in ASKING:
            if path == "/mcp":
                found = post(f"{url}{path}", LIST, **headers).status_code
            else:
                found = httpx.get(f"{url}{path}", headers=headers).status_code
            assert found == status, (path, headers)


def test_a_page_that_may_ask_can_read_the_answer() -> None:
    page = "https://page.example"
    asks = {"origin": page, "access-control-request-method": "POST", "access-control-request-headers": "mcp-session-id"}
    with front("--allow-origin", page) as url:
        before = httpx.request("OPTIONS", f"{url}/mcp", headers=asks)
        answer = post(f"{url}/mcp", LIST, origin=page)
        other = httpx.request("OPTIONS", f"{url}/mcp", headers={**asks, "origin": "https://evil.example"})
    assert before.status_code == 204
    assert "POST" in before.headers["access-control-allow-methods"]
    assert "Authorization" in before.headers["access-control-allow-headers"]
    for found in (before, answer):
        assert found.headers["access-control-allow-origin"] == page
        assert "mcp-session-id" in found.headers["access-control-expose-headers"]
    assert other.status_code == 403
    assert "access-control-allow-origin" not in other.headers


METADATA = [("/mcp", 200), ("/none/mcp", 200), ("", 200), ("x", 404), ("/other", 404)]


@pytest.mark.parametrize(("path", "status"), METADATA)
def test_the_document_about_authorization_names_an_endpoint_only(path: str, status: int) -> None:
    with upstream() as up, front(url=up.url) as url:
        up.answer = lambda seen: Said([b'{"resource":"r","authorization_servers":["https://as.example"]}'])
        found = httpx.get(f"{url}/.well-known/oauth-protected-resource{path}")
    assert found.status_code == status
    if status == 200:
        assert found.json() == {"resource": f"{url}{path or '/mcp'}", "authorization_servers": ["https://as.example"]}


# What a restriction closes

WRITE = json.dumps(call("write")).encode()
CLOSED: list[tuple[str, str, dict[str, str], bytes]] = [
    ("another method", "PUT", {}, WRITE),
    ("a method of one's own", "EXECUTE", {}, WRITE),
    ("PATCH", "PATCH", {}, WRITE),
    ("GET with a body", "GET", {}, WRITE),
    ("DELETE with a body", "DELETE", {}, WRITE),
    ("a body that is packed", "POST", {"content-encoding": "gzip"}, b"\x1f\x8b\x08\x00" + WRITE),
    ("another character set", "POST", {"content-type": "application/json; charset=utf-7"},
     WRITE.replace(b'"write"', b'"look+ACI-,+ACI-name+ACI-:+ACI-write"')),
    ("UTF-16", "POST", {"content-type": "application/json; charset=utf-16"}, WRITE.decode().encode("utf-16")),
    ("a hidden tool", "POST", {}, WRITE),
    ("a batch", "POST", {}, b"[" + WRITE + b"]"),
    ("the older era, with a header that names it", "POST", {"mcp-name": "write"},
     json.dumps(call("look", meta=None)).encode()),
    ("the older era, with a method in a header", "POST", {"mcp-method": "tools/write", "mcp-param-name": "write"},
     json.dumps(call("look", meta=None)).encode()),
    ("the newer era, with a header that names it", "POST", {"mcp-name": "write", "mcp-method": "tools/call"},
     json.dumps(call("look")).encode()),
]  # fmt: skip


@pytest.mark.parametrize("kind", ["address", "command"])
@pytest.mark.parametrize(("method", "headers", "body"), [row[1:] for row in CLOSED], ids=[row[0] for row in CLOSED])
def test_nothing_that_writes_gets_through(
    kind: str, method: str, headers: dict[str, str], body: bytes, closed: Any
) -> None:
    """Whatever way a server may read: the body, its character set, the headers, the method."""
    up, fronts = closed
    up.seen.clear()
    given = {"content-type": "application/json", "accept": f"application/json, {STREAM}", **headers}
    httpx.request(method, f"{fronts[kind]}/mcp", content=body, headers=given, timeout=30)
    for seen in up.seen:
        assert seen.method == "POST" or not seen.body
        names = (seen.headers.get("mcp-name", "look"), seen.headers.get("mcp-method", "tools/call"))
        assert names in (("look", "tools/call"), ("look", "tools/list"))
        assert "mcp-param-name" not in seen.headers
        assert seen.headers.get("content-type", "application/json") == "application/json"
        message = json.loads(seen.body) if seen.body else {}
        assert message.get("method") in ("tools/list", None) or message["params"]["name"] == "look"
        assert b"+ACI-" not in seen.body


WRITER = """
import json, sys
from pathlib import Path
TOOLS = json.loads(sys.argv[2])
for line in sys.stdin:
    m = json.loads(line)
    if m.get("method") == "tools/call" and m["params"]["name"] != "look": Path(sys.argv[1]).touch()
    if "id" in m: print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": {"tools": TOOLS}}), flush=True)
"""


@pytest.fixture(scope="module", name="closed")
def _closed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    wrote = tmp_path_factory.mktemp("closed") / "wrote"
    server = (sys.executable, "-c", WRITER, str(wrote), json.dumps(TOOLS))
    with (
        upstream() as up,
        front("--for", "none", "--read-only", url=up.url) as before_address,
        front("--for", "none", "--read-only", server=server) as before_command,
    ):
        up.answer = answering
        yield up, {"address": before_address, "command": before_command}
    assert not wrote.exists()


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_a_restriction_holds_in_sessions_and_out_of_them(closed: Any, era: str) -> None:
    url = closed[1]["command"]
    named: dict[str, str] = {}
    if era == "legacy":
        named = {"mcp_session_id": post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"]}
        assert post(f"{url}/mcp", INITIALIZED, **named).status_code == 202
    meta = META if era == "modern" else None
    assert "error" in post(f"{url}/mcp", call("write", meta=meta), **named).json()
    assert "result" in post(f"{url}/mcp", call("look", meta=meta), **named).json()
    listed = post(f"{url}/mcp", {**LIST, "params": {"_meta": META} if meta else {}}, **named).json()
    assert [one["name"] for one in listed["result"]["tools"]] == ["look"]
    # A refusal that has no id to answer ends the request all the same.
    doubled = post(f"{url}/mcp", WRITE[:-1] + b',"id":8}', **named)
    assert doubled.json()["error"]["code"] == -32700


# Callers kept apart


def test_a_cookie_of_the_server_goes_to_its_caller_only() -> None:
    with upstream() as up, front("--for", "none", url=up.url) as url:
        up.answer = lambda seen: Said([b"{}"], headers={"set-cookie": "session=secret; Path=/"})
        first = post(f"{url}/mcp", LIST, authorization="Bearer a")
        post(f"{url}/mcp", LIST, authorization="Bearer b")
    assert first.headers["set-cookie"] == "session=secret; Path=/"
    assert [seen.headers.get("cookie") for seen in up.seen] == [None, None]


@pytest.mark.parametrize("header", ["authorization", "x-api-key", "x-goog-api-key", "x-auth-token", "cookie", "x-user"])
def test_callers_are_told_apart_by_what_they_send_to_say_who_they_are(header: str) -> None:
    with upstream() as up, front(url=up.url) as url:
        up.answer = answering
        for caller in ("a", "b", "a"):
            post(f"{url}/mcp", call("look"), **{header: caller, "user-agent": f"x{caller}"})
        lists = [seen.headers[header] for seen in up.seen if b"tools/list" in seen.body]
    assert lists == ["a", "b"]


def test_a_token_that_is_refused_gets_the_way_out_once() -> None:
    with upstream() as up:
        up.answer = lambda seen: Said([b"no"], 401, "text/plain", {"www-authenticate": 'Bearer error="invalid_token"'})
        errors: list[bytes] = []
        with front("--for", "none", url=up.url, errors=errors) as url:
            assert post(f"{url}/mcp", LIST).status_code == 401
            for _ in range(3):
                refused = post(f"{url}/mcp", LIST, authorization="Bearer x")
    assert refused.status_code == 401
    assert refused.headers["www-authenticate"] == 'Bearer error="invalid_token"'
    said = b"".join(errors).decode()
    assert said.count("tokens made for its own address") == 1
    assert "npx mcp-remote URL" in said


# Batches of the older era, and servers that fail


def test_each_member_of_a_batch_is_answered() -> None:
    """By us, by the server, or with an error where the server is lost."""
    wrong = {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "nothing", "arguments": {}}}
    both = [call("look", 1, None), call("look", 2, None), wrong]
    with upstream() as up, front(url=up.url) as url:
        up.answer = answering
        found = post(f"{url}/mcp", both).json()
        up.answer = lambda seen: Said([b"[", None])
        lost = post(f"{url}/mcp", both).json()
    assert {one["id"]: "error" in one for one in found} == {1: False, 2: False, 3: True}
    assert sorted(one["id"] for one in lost) == [1, 2, 3]
    assert sum("was not sent again" in one["error"]["message"] for one in lost) == 2


SERVER = """
import json, os, sys, time
for line in sys.stdin:
    m = json.loads(line)
    send = lambda m: print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
    if m.get("method") == "tools/call":
        name = m["params"]["name"]
        if name == "hang": continue
        if name == "flood":
            for n in range(m["params"]["arguments"]["n"]):
                token = m["params"].get("_meta", {}).get("progressToken", 0)
                send({"method": "notifications/progress", "params": {"progressToken": token, "x": "y" * 100000}})
    if "id" in m: send({"id": m["id"], "result": {"tools": []}})
"""
BEHIND = (sys.executable, "-c", SERVER)


def test_a_session_that_ends_answers_what_is_open() -> None:
    found: list[httpx.Response] = []
    with front("--for", "none", server=BEHIND) as url:
        session = post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"]
        hang = call("hang", meta=None)
        thread = threading.Thread(target=lambda: found.append(post(f"{url}/mcp", hang, mcp_session_id=session)))
        thread.start()
        with httpx.stream("GET", f"{url}/mcp", headers={"mcp-session-id": session}, timeout=30) as stream:
            lines = stream.iter_lines()
            assert next(lines) == ": open"
            assert httpx.delete(f"{url}/mcp", headers={"mcp-session-id": session}, timeout=30).status_code == 204
            assert list(lines) == [""]  # the stream ends, as it should
        thread.join(20)
    assert "is not known" in found[0].json()["error"]["message"]


in_proc = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is read from /proc")


def resident(line: Line) -> int:
    return int(Path(f"/proc/{line.process.pid}/statm").read_text().split()[1]) * os.sysconf("SC_PAGESIZE")


def connect(url: str, body: bytes, *headers: str) -> socket.socket:
    host, _, port = url.removeprefix("http://").partition(":")
    line = socket.create_connection((host, int(port)), timeout=60)
    head = ["POST /mcp HTTP/1.1", "Host: localhost", "Content-Type: application/json", *headers]
    line.sendall("\r\n".join([*head, f"Content-Length: {len(body)}", "", ""]).encode() + body)
    return line


FLOOD = {"name": "flood", "arguments": {"n": 1000}}


@in_proc
def test_a_slow_reader_of_a_session_holds_up_its_own_server_only() -> None:
    """100 MB wait in the server of the session until they are read; then all of it comes."""
    started: list[Line] = []
    with front("--for", "none", server=BEHIND, started=started) as url:
        session = post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"]
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": FLOOD}).encode()
        with connect(url, message, f"Mcp-Session-Id: {session}", "Connection: close") as line:
            time.sleep(2)
            assert resident(started[0]) < 120_000_000
            other = post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"]
            assert "result" in post(f"{url}/mcp", call("x", meta=None), mcp_session_id=other).json()
            read = bytearray()
            while chunk := line.recv(1 << 20):
                read += chunk
    assert read.count(b"notifications/progress") == 1000
    assert read.count(b'"result"') == 1


@in_proc
def test_a_slow_reader_of_the_modern_era_holds_up_nobody() -> None:
    """All share a server: whoever reads nothing is given up, and the others are served."""
    proxies: list[Line] = []
    with front("--for", "none", server=BEHIND, started=proxies) as url:
        params = {**FLOOD, "_meta": {**META, "progressToken": 1}}
        message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).encode()
        with connect(url, message) as line:
            started = time.monotonic()
            assert "result" in post(f"{url}/mcp", call("x")).json()
            assert time.monotonic() - started < 4 * SLACK
            assert resident(proxies[0]) < 120_000_000
            read = 0
            while chunk := line.recv(1 << 20):
                read += len(chunk)
        assert read < 100_000_000


def test_half_open_connections_keep_nobody_waiting() -> None:
    """Clients that send half a request, or a whole one and read nothing; then the front ends in its time."""
    with front("--for", "none", server=BEHIND) as url:
        hang = json.dumps(call("hang")).encode()
        lines = [connect(url, hang[: n % len(hang)] if n % 2 else hang, *(["X: y"] * (n % 3))) for n in range(60)]
        for n, line in enumerate(lines):
            if n % 2:  # less than was promised
                line.shutdown(socket.SHUT_RD)
        assert "result" in post(f"{url}/mcp", call("x")).json()
        started = time.monotonic()
    assert time.monotonic() - started < 20
    for line in lines:
        line.close()


def _asked(line: socket.socket, ask: bytes) -> bytes:
    line.sendall(ask)
    said = line.recv(1000)
    while said and b"}" not in said:
        said += line.recv(1000)
    return said


def test_the_front_says_that_it_ends() -> None:
    proxies: list[Line] = []
    with front("--for", "none", server=BEHIND, started=proxies) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=20) as line:
            ask = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
            assert b" 200 " in _asked(line, ask)
            front_ends = threading.Thread(target=lambda: post(f"{url}/mcp", call("hang")))
            front_ends.start()
            time.sleep(0.3)
            proxies[0].process.terminate()
            said = b" 200 "
            while b" 200 " in said:
                said = _asked(line, ask)
        front_ends.join(30)
    assert b" 503 " in said
    assert b"connection: close" in said.lower()
