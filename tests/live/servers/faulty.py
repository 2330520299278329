"""A hand-written server over stdio whose tools do what servers should not; it writes every call it sees to a file.

python faulty.py FILE [legacy|modern|quiet|storm]; quiet is the modern era without news of the list, storm the older
era with such news after each answer.
"""

import json
import os
import sys
import threading
import time

META = "io.modelcontextprotocol/"
SEEN, ERA = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "modern"
QUIET = ERA == "quiet"
STORM = ERA == "storm"
ERA = "modern" if QUIET else "legacy" if STORM else ERA
WRITING = threading.Lock()
SCHEMA = {
    "type": "object",
    "properties": {
        "value": {
            "anyOf": [
                {"type": "object", "title": "text", "properties": {"text": {"type": "string"}}, "required": ["text"]},
                {"type": "object", "title": "asset", "properties": {"id": {"type": "integer"}}, "required": ["id"]},
            ]
        },
        "seconds": {"type": "number"},
    },
}
NAMES = ["write", "die", "slow", "broken", "large", "refuse", "odd", "asks", "nan", "more", "less", "silent", "bytes"]
LISTED = list(NAMES)
LISTENING: list = []
CANCELLED: set = set()


def say(message: dict) -> None:
    raw(json.dumps({"jsonrpc": "2.0", **message}))


def raw(text: str) -> None:
    with WRITING:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


def note(text: str) -> None:
    with open(SEEN, "a") as file:
        file.write(text + "\n")


def done(number: object, text: str, **more: object) -> None:
    kind = {"resultType": "complete"} if ERA == "modern" else {}
    say({"id": number, "result": {"content": [{"type": "text", "text": text}], **kind, **more}})


def changed() -> None:
    for number in LISTENING if ERA == "modern" else [None]:
        params = {"_meta": {f"{META}subscriptionId": number}} if number is not None else {}
        say({"method": "notifications/tools/list_changed", "params": params})


def call(number: object, name: str, arguments: dict) -> None:
    note(json.dumps({"name": name, "arguments": arguments}))
    if name == "die":
        sys.stderr.write("out of memory\n")
        os._exit(3)
    elif name == "slow":
        time.sleep(arguments.get("seconds", 30))
        done(number, "late")
        note("answered" if number not in CANCELLED else "answered a cancelled call")
    elif name == "broken":
        raw(f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[')
    elif name == "large":
        done(number, "x" * 10_000_000)
    elif name == "refuse":
        say({"id": number, "error": {"code": -32000, "message": "no licence"}})
    elif name == "odd":
        raw(f'{{"jsonrpc":"2.0","id":{number},"result":[1]}}')
    elif name == "nan":
        raw(f'{{"jsonrpc":"2.0","id":{number},"result":{{"content":[],"structuredContent":{{"n":NaN}}}}}}')
    elif name == "asks":
        say({"id": number, "result": {"resultType": "input_required", "inputRequests": {}}})
    elif name in ("more", "less"):
        LISTED.append("added") if name == "more" else LISTED.remove("write")
        changed()
        done(number, "changed")
    elif name == "bytes":
        with WRITING:
            sys.stdout.buffer.write(b'{"jsonrpc":"2.0","id":%d,"error":{"code":1,"message":"\xff"}}\n' % number)
            sys.stdout.flush()
    elif name == "silent":
        note("silent")
    else:
        done(number, json.dumps(arguments))


def answer(message: dict) -> None:
    method, number, params = message.get("method"), message.get("id"), message.get("params") or {}
    if method == "notifications/cancelled":
        CANCELLED.add(params["requestId"])
        note(f"cancelled {params['requestId']}")
    elif method == "initialize" and ERA == "legacy":
        say(
            {
                "id": number,
                "result": {
                    "protocolVersion": "2025-11-25",
                    "capabilities": {"tools": {"listChanged": True}},
                    "serverInfo": {"name": "faulty", "version": "1"},
                },
            }
        )
    elif method == "server/discover" and ERA == "modern":
        found = {"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {"listChanged": not QUIET}}}
        say({"id": number, "result": {**found, "resultType": "complete"}})
    elif method == "subscriptions/listen" and ERA == "modern":
        LISTENING.append(number)
        say(
            {
                "method": "notifications/subscriptions/acknowledged",
                "params": {"notifications": {"toolsListChanged": True}, "_meta": {f"{META}subscriptionId": number}},
            }
        )
    elif method == "tools/list":
        note("list")
        tools = [{"name": name, "description": "Does it.", "inputSchema": SCHEMA} for name in LISTED]
        say({"id": number, "result": {"tools": tools, "resultType": "complete", "ttlMs": 0, "cacheScope": "public"}})
        if STORM:
            changed()
    elif method == "tools/call":
        threading.Thread(target=call, args=(number, params["name"], params.get("arguments", {})), daemon=True).start()
    elif number is not None:
        say({"id": number, "error": {"code": -32601, "message": "Method not found"}})


note(f"started {os.getpid()}")
for line in sys.stdin:
    if line.strip():
        answer(json.loads(line))
