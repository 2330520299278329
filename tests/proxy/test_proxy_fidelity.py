"""Through `--for none` every byte is what was sent, in both directions."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from proxy_help import INITIALIZE, INITIALIZED, SERVERS, Line, proxy_command

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


def test_every_byte_in_both_directions(tmp_path: Path) -> None:
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
