"""The HTTP front: real clients, bytes, headers, who may ask, authorization, and servers that fail."""

from __future__ import annotations

import json
import socket
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

import anyio
import httpx
import pytest
from proxy_help import INITIALIZE, INITIALIZED, Line
from web_help import STREAM, Said, Seen, front, post, upstream

from toolglot.demo.incident import RIGHT, upsert

META = {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}
LIST = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": META}}
TOOL: dict[str, Any] = {
    "name": "set",
    "inputSchema": {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "region": {"type": "string", "x-mcp-header": "Region"},
            "more": {"type": ["object", "array", "string"]},
        },
        "required": ["n"],
    },
}


def call(arguments: Any, name: str = "set", id: Any = 7, **params: Any) -> dict[str, Any]:
    full = {"name": name, "arguments": arguments, "_meta": META, **params}
    return {"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": full}


async def _with_client(url: str, mode: str) -> Any:
    pytest.importorskip("mcp", reason="the official SDK is not installed")
    from mcp.client import Client

    async with Client(url, mode=mode) as client:
        tools = (await client.list_tools()).tools
        asset = await client.call_tool("entries_upsert", upsert(RIGHT))
        change = await client.call_tool("groups_manage", {"group": "editors", "sites": '{"add": ["blog"]}'})
        refused = await client.call_tool("page_render", {"page_id": 3})
        return client.protocol_version, tools, asset, change, refused


@pytest.fixture(scope="module", name="demo")
def _demo() -> Any:
    with front("--for", "gemini-parameters") as url:
        yield url


@pytest.fixture(scope="module", name="chained")
def _chained(demo: str) -> Any:
    """A front whose server is a front that changes nothing."""
    with front("--for", "gemini-parameters", url=f"{demo}/none/mcp") as url:
        yield url


@pytest.mark.parametrize(("mode", "version"), [("legacy", "2025-11-25"), ("auto", "2026-07-28")])
@pytest.mark.parametrize("which", ["demo", "chained"])
def test_the_official_client(which: str, mode: str, version: str, request: pytest.FixtureRequest) -> None:
    url = request.getfixturevalue(which)
    found, tools, asset, change, refused = anyio.run(_with_client, f"{url}/mcp", mode)
    assert found == version
    assert tools[0].meta == {"io.toolglot/target": "gemini-parameters"}
    assert asset.content[0].text == "updated"
    assert change.meta["io.toolglot/restored"] == [{"kind": "JSON text decoded", "pointer": "/sites"}]
    assert refused.is_error


@pytest.mark.parametrize("hello", ["legacy", "modern"])
def test_a_client_over_stdio_and_a_server_over_http(demo: str, hello: str) -> None:
    command = [
        sys.executable,
        "-m",
        "toolglot",
        "proxy",
        "--isolated",
        "--for",
        "gemini-parameters",
        f"{demo}/none/mcp",
    ]
    params = {"_meta": META} if hello == "modern" else {}
    with Line(command) as line:
        if hello == "legacy":
            line.say(INITIALIZE)
            line.hear()
            line.say(INITIALIZED)
        assert len(line.ask("tools/list", params)["result"]["tools"]) == 8
        change = {"name": "groups_manage", "arguments": {"group": "g", "sites": '["a"]'}, **params}
        result = line.ask("tools/call", change, id=2)["result"]
        assert line.close() == 0
    assert result["content"][0]["text"] == "updated"
    assert result["_meta"]["io.toolglot/restored"] == [{"kind": "JSON text decoded", "pointer": "/sites"}]


PATHS = [
    ("/healthz", 200, '"ok"'),
    ("/metrics", 200, ""),
    ("/", 404, "/TARGET/mcp"),
    ("/nothing/mcp", 404, "unknown target"),
    ("/auto/mcp", 404, "endpoint"),
    ("/..%2fx.toml/mcp", 404, "endpoint"),
    ("/x.toml/mcp", 404, "endpoint"),
    ("/.well-known/oauth-protected-resource/mcp", 404, "no authorization"),
]


@pytest.mark.parametrize(("path", "status", "says"), PATHS)
def test_paths(demo: str, path: str, status: int, says: str) -> None:
    found = httpx.get(demo + path)
    assert found.status_code == status
    assert says in found.text


def test_each_target_has_its_path(demo: str) -> None:
    for target in ("none", "openai-strict", "cursor+gemini-parameters"):
        tools = post(f"{demo}/{target}/mcp", LIST).json()["result"]["tools"]
        marks = {one.get("_meta", {}).get("io.toolglot/target", "none") for one in tools}
        assert target in marks


def test_counters_have_labels_of_listed_tools_only(demo: str) -> None:
    post(f"{demo}/mcp", call({"page_id": "home"}, "page_render"))
    post(f"{demo}/mcp", call({}, 'made up "name\n'))
    text = httpx.get(f"{demo}/metrics").text
    assert 'toolglot_proxy_calls_total{tool="page_render",target="gemini-parameters",outcome="passed"}' in text
    assert 'tool="other",target="gemini-parameters",outcome="unknown"' in text
    assert "made up" not in text


ASKING = [
    ({"host": "evil.example"}, 403),
    ({"host": "127.0.0.1.evil.example"}, 403),
    ({"host": "localhost:1"}, 200),
    ({"host": "[::1]:5"}, 200),
    ({"origin": "https://evil.example"}, 403),
    ({"origin": "null"}, 403),
    ({"origin": "http://localhost:3000"}, 200),
    ({"host": "named.example"}, 200),
    ({"origin": "https://page.example"}, 200),
]


def test_who_may_ask() -> None:
    with front("--allow-host", "named.example", "--allow-origin", "https://page.example") as url:
        for headers, status in ASKING:
            assert post(f"{url}/mcp", LIST, **headers).status_code == status, headers


def test_for_auto_is_no_choice_over_http() -> None:
    command = [sys.executable, "-m", "toolglot", "proxy", "--for", "auto", "--http", "127.0.0.1:0", "--", "x"]
    with Line(command) as line:
        assert line.process.wait(20) == 2
        line.close()
    assert "there are many" in line.said


RESULT = b'{ "jsonrpc":"2.0","id":7 ,"result":{"a":0.10,"z":' + b"7" * 70 + b',"content":[]},"u":1e2}'
EVENTS = b": hello\r\n\r\nid: 1\nretry: 5\ndata: " + RESULT + b"\n\nevent: x\ndata: not json\n\ndata:\n\n"


@pytest.mark.parametrize(
    ("kind", "body"), [("application/json", RESULT), (STREAM, EVENTS), ("text/plain", b"\xff\x00")]
)
def test_every_byte_through_none(kind: str, body: bytes) -> None:
    message = b'{"z":1 ,"jsonrpc":"2.0","id":7,"method":"future/method","params":{"n":0.10,"m":' + b"9" * 70 + b"}}"
    with upstream() as up, front("--for", "none", url=up.url) as url:
        up.answer = lambda _: Said([body[:9], body[9:]], kind=kind, status=203, headers={"x-theirs": "1"})
        got = post(f"{url}/mcp?a=b", message, x_mine="2", mcp_session_id="s", authorization="Bearer t")
    assert got.content == body
    assert got.status_code == 203
    assert got.headers["x-theirs"] == "1"
    assert got.headers["content-type"] == kind
    (seen,) = up.seen
    assert seen.body == message
    assert seen.path == "/up?a=b"
    assert {"x-mine": "2", "mcp-session-id": "s", "authorization": "Bearer t"}.items() <= seen.headers.items()
    assert seen.headers["host"] in up.url


def answering(seen: Seen) -> Said:
    """A server that lists TOOL, and answers calls, each way."""
    message = json.loads(seen.body) if seen.body else {}
    result: Any = (
        {"tools": [TOOL]} if message.get("method") == "tools/list" else {"content": [], "structuredContent": {"x": 1.0}}
    )
    body = json.dumps({"jsonrpc": "2.0", "id": message.get("id"), "result": result}).encode()
    if seen.headers.get("x-stream"):
        return Said([b"id: 1\ndata: " + body + b"\n\n"], kind=STREAM)
    return Said([body])


@pytest.mark.parametrize("stream", ["", "1"])
def test_lists_and_calls_are_made_fit(stream: str) -> None:
    with upstream() as up, front("--for", "gemini-parameters", url=up.url) as url:
        up.answer = answering
        listed = post(f"{url}/mcp", LIST, x_stream=stream).text
        called = post(f"{url}/mcp", call({"n": "1", "more": '{"a":1}'}), x_stream=stream).text
    assert "io.toolglot/target" in listed
    assert "io.toolglot/restored" in called
    assert '"structuredContent":{"x": 1.0}' in called
    assert json.loads(up.seen[-1].body)["params"]["arguments"]["n"] == 1
    if stream:
        assert called.startswith("id: 1\ndata: ")


def test_shelves_are_kept_apart_by_credentials() -> None:
    other = {**TOOL, "name": "secret"}

    def answer(seen: Seen) -> Said:
        message = json.loads(seen.body)
        if message["method"] != "tools/list":
            return answering(seen)
        tools = [other] if seen.headers.get("authorization") == "Bearer b" else [TOOL]
        return Said([json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": tools}}).encode()])

    with upstream() as up, front(url=up.url) as url:
        up.answer = answer
        of_a = post(f"{url}/mcp", call({"n": 1}, "secret"), authorization="Bearer a").json()
        of_b = post(f"{url}/mcp", call({"n": 1}, "secret"), authorization="Bearer b").json()
    assert of_a["error"]["code"] == -32602
    assert "result" in of_b
    lists = [seen.headers["authorization"] for seen in up.seen if b"tools/list" in seen.body]
    assert lists == ["Bearer a", "Bearer b"]


def test_authorization_passes_through() -> None:
    challenge = 'Bearer error="invalid_token", resource_metadata="https://up.example/.well-known/x"'
    document = b'{"resource":"https://up.example/up","authorization_servers":["https://as.example"],"x":0.10}'

    def answer(seen: Seen) -> Said:
        if seen.path == "/.well-known/oauth-protected-resource/up":
            return Said([document])
        return Said([b"no"], 401, "text/plain", {"www-authenticate": challenge})

    with upstream() as up, front("--for", "none", url=up.url) as url:
        up.answer = answer
        refused = post(f"{url}/none/mcp", LIST, authorization="Bearer mine")
        found = httpx.get(f"{url}/.well-known/oauth-protected-resource/none/mcp")
    assert refused.status_code == 401
    well_known = f"{url}/.well-known/oauth-protected-resource/none/mcp"
    assert refused.headers["www-authenticate"] == f'Bearer error="invalid_token", resource_metadata="{well_known}"'
    assert found.content == document.replace(b"https://up.example/up", f"{url}/none/mcp".encode())


def test_configured_headers_go_to_the_server_and_win() -> None:
    with (
        upstream() as up,
        front(
            "--for", "none", "--header", "X-A: 1", "--header-from-env", "Authorization=T", url=up.url, T="secret"
        ) as url,
    ):
        up.answer = lambda _: Said([b"{}"])
        post(f"{url}/mcp", LIST, authorization="Bearer mine")
    assert up.seen[0].headers["authorization"] == "secret"
    assert up.seen[0].headers["x-a"] == "1"


def test_a_stream_that_is_cut_may_be_taken_up_again() -> None:
    """A list that comes on another stream than its request is made fit too."""
    body = json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": [TOOL]}}).encode()

    def answer(seen: Seen) -> Said:
        if seen.method == "GET":
            return Said([b"id: 6\ndata: " + body + b"\n\n"], kind=STREAM)
        return Said([b"id: 5\ndata: {}\n\n", None], kind=STREAM)

    with upstream() as up, front("--for", "gemini-parameters", url=up.url) as url:
        up.answer = answer
        cut = post(f"{url}/mcp", LIST)
        again = httpx.get(f"{url}/mcp", headers={"last-event-id": "5", "accept": STREAM})
    assert cut.text == "id: 5\ndata: {}\n\n"
    assert up.seen[-1].headers["last-event-id"] == "5"
    assert "io.toolglot/target" in again.text


LOSSES = [
    (STREAM, [b"data: {}\n\n", None]),
    ("application/json", [b'{"jsonrpc"', None]),
]


@pytest.mark.parametrize(("kind", "pieces"), LOSSES)
def test_a_call_in_flight_is_lost_once_and_not_sent_again(kind: str, pieces: list[bytes | None]) -> None:
    def answer(seen: Seen) -> Said:
        return answering(seen) if b"tools/list" in seen.body else Said(pieces, kind=kind)

    with upstream() as up, front(url=up.url) as url:
        up.answer = answer
        got = post(f"{url}/mcp", call({"n": 1}))
    assert got.text.count("it was not sent again") == 1
    assert len([seen for seen in up.seen if b"tools/call" in seen.body]) == 1


def test_no_server_is_an_error_with_a_reason() -> None:
    with front("--for", "none", url="http://127.0.0.1:1/mcp") as url:
        got = post(f"{url}/mcp", call({}))
    assert got.status_code == 200  # clients read the error of a request only from an answer
    assert "nothing answers at 127.0.0.1:1" in got.json()["error"]["message"]


def test_a_stream_ends_at_the_server_when_its_client_goes() -> None:
    ended = threading.Event()

    def endless() -> Iterator[bytes]:
        try:
            for _ in range(600):
                yield b": still here\n\n"
                time.sleep(0.05)
        finally:
            ended.set()

    listen = {"jsonrpc": "2.0", "id": 1, "method": "subscriptions/listen", "params": {"_meta": META}}
    with upstream() as up, front("--for", "none", url=up.url) as url:
        up.answer = lambda _: Said(endless(), kind=STREAM)
        with httpx.stream("POST", f"{url}/mcp", json=listen, timeout=30) as answer:
            assert next(answer.iter_lines()) == ": still here"
        assert ended.wait(5)


def test_half_a_message_is_none() -> None:
    """A client that goes away in the middle of its request has said nothing."""
    with upstream() as up, front("--for", "none", url=up.url) as url:
        host, _, port = url.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port))) as line:
            line.sendall(f"POST /mcp HTTP/1.1\r\nHost: {host}\r\nContent-Length: 100\r\n\r\n".encode() + b'{"a":1}')
        time.sleep(0.3)
        assert httpx.get(f"{url}/healthz").status_code == 200
        assert up.seen == []


# Sessions of a command

SERVER = """
import json, os, sys
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call":
        send = lambda m: print(json.dumps({"jsonrpc": "2.0", **m}), flush=True)
        params = message["params"]
        token = params.get("_meta", {}).get("progressToken")
        if token: send({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
        if params["name"] == "ask": send({"id": "q1", "method": "roots/list"}); asked = message["id"]; continue
        if params["name"] == "die": sys.exit(1)
        result = {"content": [], "pid": os.getpid(), "n": params["arguments"]}
        send({"id": message["id"], "result": result})
    elif message.get("id") == "q1":
        print(json.dumps({"jsonrpc": "2.0", "id": asked, "result": {"heard": message["result"]}}), flush=True)
    elif "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], "result": {"tools": []}}), flush=True)
"""


def events_of(text: str) -> list[Any]:
    return [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]


def test_a_session_of_the_older_era_has_a_process_of_its_own() -> None:
    plain = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "x", "arguments": {}}}
    with front("--for", "none", server=(sys.executable, "-c", SERVER)) as url:
        names = [post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"] for _ in range(2)]
        assert post(f"{url}/mcp", INITIALIZED, mcp_session_id=names[0]).status_code == 202
        pids = {post(f"{url}/mcp", plain, mcp_session_id=name).json()["result"]["pid"] for name in names}
        ended = httpx.delete(f"{url}/mcp", headers={"mcp-session-id": names[0]}).status_code
        gone = post(f"{url}/mcp", plain, mcp_session_id=names[0]).status_code
        without = post(f"{url}/mcp", plain).status_code
    assert len(pids) == 2
    assert (ended, gone, without) == (204, 404, 400)


def test_the_server_may_ask_in_a_session() -> None:
    ask = {"jsonrpc": "2.0", "id": 5, "method": "tools/call", "params": {"name": "ask", "arguments": {}}}
    with front("--for", "none", server=(sys.executable, "-c", SERVER)) as url:
        session = post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"]
        with httpx.stream("POST", f"{url}/mcp", json=ask, headers={"mcp-session-id": session}, timeout=30) as answer:
            lines = answer.iter_lines()
            question = next(json.loads(line[6:]) for line in lines if line.startswith("data: "))
            reply = {"jsonrpc": "2.0", "id": question["id"], "result": {"roots": [1]}}
            assert post(f"{url}/mcp", reply, mcp_session_id=session).status_code == 202
            result = next(json.loads(line[6:]) for line in lines if line.startswith("data: "))
    assert question["method"] == "roots/list"
    assert result == {"jsonrpc": "2.0", "id": 5, "result": {"heard": {"roots": [1]}}}


def test_requests_of_the_modern_era_share_a_process_and_keep_apart() -> None:
    """Equal ids and equal progress tokens of different callers are not mixed up."""
    found: list[httpx.Response] = []
    with front("--for", "none", server=(sys.executable, "-c", SERVER)) as url:

        def one(n: int) -> None:
            message = call({"n": n}, "x", id=1, _meta={**META, "progressToken": "same"})
            found.append(post(f"{url}/mcp", message))

        threads = [threading.Thread(target=one, args=(n,)) for n in range(20)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    told = [events_of(answer.text) for answer in found]
    assert all([e["params"]["progressToken"] for e in events[:-1]] == ["same"] for events in told)
    assert sorted(events[-1]["result"]["n"]["n"] for events in told) == list(range(20))
    assert {events[-1]["id"] for events in told} == {1}
    assert len({events[-1]["result"]["pid"] for events in told}) == 1


def test_a_process_that_ends_is_started_again() -> None:
    with front("--for", "none", server=(sys.executable, "-c", SERVER)) as url:
        first = post(f"{url}/mcp", call({}, "x")).json()["result"]["pid"]
        lost = post(f"{url}/mcp", call({}, "die")).json()
        second = post(f"{url}/mcp", call({}, "x")).json()["result"]["pid"]
        counted = httpx.get(f"{url}/metrics").text
    assert "it was not sent again" in lost["error"]["message"]
    assert first != second
    assert "toolglot_proxy_upstream_restarts_total 1" in counted


def test_open_streams_do_not_hold_up_the_end() -> None:
    lines: list[str] = []
    opened = threading.Event()

    def listen(url: str, session: str) -> None:
        headers = {"mcp-session-id": session, "accept": STREAM}
        with httpx.stream("GET", f"{url}/mcp", headers=headers, timeout=30) as answer:
            for line in answer.iter_lines():
                lines.append(line)
                opened.set()

    with front("--for", "none", server=(sys.executable, "-c", SERVER)) as url:
        session = post(f"{url}/mcp", INITIALIZE).headers["mcp-session-id"]
        thread = threading.Thread(target=listen, args=(url, session))
        thread.start()
        assert opened.wait(10)
        started = time.monotonic()
    thread.join(10)
    assert time.monotonic() - started < 4
    assert lines == [": open", ""]
