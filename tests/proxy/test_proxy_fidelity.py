"""Through `--for none` every byte is what was sent, in both directions, over stdio and over HTTP."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import httpx
import pytest
from proxy_help import INITIALIZE, INITIALIZED, SERVERS, Line, proxy_command
from web_help import STREAM, Said, front, upstream

HEADERS = {"content-type": "application/json", "accept": f"application/json, {STREAM}"}
RESULT = '{"z":0.10,"result":{"tools":[],"a":-0,"n":1234567890123456789012345678901234567890},"id":ID,"jsonrpc":"2.0"}'
"""What tests/proxy/servers/echo.py answers."""

SEVENTY = "1234567890" * 7
META = '"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","x":0.10}'

METHODS = (
    *("initialize", "ping", "server/discover", "tools/list", "tools/call", "resources/list", "resources/read"),
    *("resources/templates/list", "resources/subscribe", "resources/unsubscribe", "prompts/list", "prompts/get"),
    *("completion/complete", "logging/setLevel", "subscriptions/listen", "tasks/get", "tasks/list", "tasks/result"),
    *("tasks/cancel", "sampling/createMessage", "elicitation/create", "roots/list", "future/method"),
    *("notifications/initialized", "notifications/cancelled", "notifications/progress", "notifications/message"),
    *("notifications/roots/list_changed", "notifications/tools/list_changed", "notifications/resources/updated"),
    *("notifications/prompts/list_changed", "notifications/resources/list_changed", "notifications/tasks/status"),
    *("notifications/elicitation/complete", "notifications/subscriptions/acknowledged", "notifications/future"),
)

MESSAGES: list[str] = [
    f'{{"z":1,"jsonrpc":"2.0","id":{SEVENTY},"method":"tools/call","params":{{"b":1,"name":"x","arguments":'
    f'{{"n":0.10,"m":{SEVENTY},"k":1e2,"a":-0}},"unknown":[1,  2]}}}}',
    '{ "jsonrpc" : "2.0" , "id" : "a\\u00e9" , "result" : {"tools":[{"name":"t","inputSchema":{"x":1.0,"x":2}}]} }',
    '{"jsonrpc":"2.0","id":1,"error":{"code":-1,"message":"\\ud800","data":0.10}}',
    '[{"jsonrpc":"2.0","id":5,"method":"tools/list"}, {"jsonrpc":"2.0","method":"notifications/x"}]',
    '{"jsonrpc":"2.0","id":6,"method":"tools\\/call","params":{"name":"t","arguments":{"a":NaN}}}',
    "this is no message at all",
    '{"jsonrpc":"2.0","id":',
    "",
    "\t \r",
    '{"jsonrpc":"2.0","id":null,"method":"tools/list","params":null}',
    '{"id":7,"id":8,"method":"ping","method":"tools/list"}',
    '{"jsonrpc":"2.0","id":9,"method":"x","params":"é ☃ 🎉"}',
    "[" * 300 + "]" * 300,
    '{"jsonrpc":"2.0","id":10,"result":' + "[" * 300 + "]" * 300 + "}",
    *[
        f'{{"method":"{method}","jsonrpc":"2.0","id":"{n}","params":{{{META},"q":[0.10,{SEVENTY}]}}}}'
        for n, method in enumerate(METHODS)
    ],
    *[f'{{"method":"{method}","params":{{"q":0.10}},"jsonrpc":"2.0"}}' for method in METHODS],
    *[f'{{"result":{{"tools":[],"r":0.10}},"id":"{n}","jsonrpc":"2.0"}}' for n, _ in enumerate(METHODS)],
]


def test_every_byte_in_both_directions_over_stdio(tmp_path: Path) -> None:
    script, record = tmp_path / "script", tmp_path / "record"
    back = [*MESSAGES, "x" * 3_000_000, "done"]
    script.write_text(json.dumps([["hello"], *[[] for _ in range(len(MESSAGES))], back]))
    command = proxy_command("--for", "none", server=(sys.executable, str(SERVERS / "scripted.py"), script, record))
    with Line([str(word) for word in command]) as line:
        assert line.hear() == b"hello"
        sent = [message.encode() for message in (*MESSAGES, "y" * 3_000_000)]
        line.say(*sent)
        heard = [line.hear() for _ in back]
        assert line.close() == 0
    assert heard == [message.encode() for message in back]
    assert record.read_bytes() == b"".join(message + b"\n" for message in sent)


SENT = [message for message in MESSAGES if message.strip()]
"""Over HTTP a message that is empty is no message."""


def test_every_byte_in_both_directions_to_an_address() -> None:
    """Each message as a body, and as the answer to it: as JSON, and as an event."""
    with upstream() as up, front("--for", "none", url=up.url) as url, httpx.Client(timeout=30) as client:
        for message in (*SENT, "y" * 3_000_000):
            raw = message.encode()
            event = b"event: message\nid: 1\ndata: " + raw + b"\n\n"
            for kind, body in (("application/json", raw), (STREAM, event)):
                up.answer = lambda seen, kind=kind, body=body: Said([body[:7], body[7:]], kind=kind)
                got = client.post(f"{url}/mcp", content=raw, headers=HEADERS)
                assert got.content == body, message[:100]
                assert up.seen[-1].body == raw, message[:100]
                up.seen.clear()


def test_every_byte_on_the_stream_of_the_server() -> None:
    """What a server says of itself: requests and notifications of every kind, on the stream that GET opens."""
    events = [f"id: {n}\ndata: {message}\n\n".encode() for n, message in enumerate(SENT)]
    with upstream() as up, front("--for", "none", url=up.url) as url:
        up.answer = lambda _: Said(events, kind=STREAM)
        assert httpx.get(f"{url}/mcp", headers={"accept": STREAM}, timeout=30).content == b"".join(events)


REQUESTS = [message for message in SENT if message.startswith('{"method"') and '"id"' in message]


@pytest.mark.parametrize("era", ["modern", "legacy"])
def test_every_byte_of_a_request_before_a_command(tmp_path: Path, era: str) -> None:
    """In a session every byte. In the modern era many share a line, and ids are made unique on it: all but these."""
    record = tmp_path / "record"
    server = (sys.executable, str(SERVERS / "echo.py"), str(record))
    with front("--for", "none", server=server) as url, httpx.Client(timeout=30) as client:
        named: dict[str, str] = {}
        if era == "legacy":
            named = {"mcp-session-id": client.post(f"{url}/mcp", content=INITIALIZE).headers["mcp-session-id"]}
        sent = [message.encode() for message in REQUESTS if era == "modern" or "initialize" not in message]
        answers = [client.post(f"{url}/mcp", content=raw, headers={**HEADERS, **named}).content for raw in sent]
    came = record.read_bytes().splitlines()[era == "legacy" :]
    for raw, there, back in zip(sent, came, answers, strict=True):
        key = json.loads(raw)["id"]
        expected = raw if era == "legacy" else raw.replace(f'"id":"{key}"'.encode(), _id_of(there))
        assert there == expected
        assert back == RESULT.replace("ID", json.dumps(key)).encode()


def _id_of(raw: bytes) -> bytes:
    return b'"id":' + json.dumps(json.loads(raw)["id"]).encode()


@pytest.mark.parametrize("option", ["--observe", "--refuse=off"])
def test_nothing_changes_while_observing(tmp_path: Path, option: str) -> None:
    """Calls that would be mended or refused go on as they came; the log says so."""
    log = tmp_path / "log"
    with Line(proxy_command("--for", "gemini-parameters", option, "--log", str(log), "--mend", "off")) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear()
        listed = line.ask("tools/list")
        wrong = line.ask("tools/call", {"name": "page_render", "arguments": {"page_id": 3}}, id=2)
        assert line.close() == 0
    assert "expected string" in wrong["result"]["content"][0]["text"]  # the demo server's own words
    changed = "_meta" in listed["result"]["tools"][0]
    assert changed == (option != "--observe")
    events = [json.loads(text) for text in log.read_text().splitlines()]
    calls = [event for event in events if event["event"] == "call"]
    assert [call["outcome"] for call in calls] == ["would be refused" if option == "--observe" else "passed"]
    assert "page_id" not in log.read_text()
