"""Hand-written servers over stdio, good and bad; `python hand.py MODE [FILE]`. No SDK: it must start fast."""

import json
import os
import signal
import subprocess
import sys
import time

MODERN = "2026-07-28"
META = "io.modelcontextprotocol/"
EXACT = (
    '{"zeta":1,"name":"exact","inputSchema":{"type":"object","properties":{"n":{"maximum":123456789012345678901234567890,'
    '"minimum":0.10,"default":null}}},"description":"caf\\u00e9 – 🙂","_meta":{"b":1,"a":[1.0,1e3]},"unknown":{"x":1}}'
)
BAD = [
    '{"name":"first","inputSchema":{"type":"object"}}',
    '{"name":"doubled","inputSchema":{"type":"object","type":"string"}}',
    '{"name":"huge","inputSchema":{"maximum":1e400}}',
    '{"name":"nan","inputSchema":{"maximum":NaN}}',
    '{"name":"deep","inputSchema":' + '{"not":' * 5000 + "{}" + "}" * 5000 + "}",
    '"no object"',
    '{"inputSchema":{"type":"object"}}',
    '{"name":"schema-text","inputSchema":"string"}',
    '{"name":"last","inputSchema":{"type":"object"}}',
]


DISCOVERED = {
    "discover-text": '"welcome"',
    "discover-old": '{"supportedVersions":["2025-11-25"]}',
    "discover-odd": '{"supportedVersions":"2026-07-28"}',
}


def tools(*names: str) -> str:
    return ",".join(json.dumps({"name": name, "inputSchema": {"type": "object"}}) for name in names)


def send(number: object, result: str) -> None:
    print(f'{{"jsonrpc":"2.0","id":{json.dumps(number)},"result":{result}}}', flush=True)


def fail(number: object, code: int, message: str, data: object = None) -> None:
    error = {"code": code, "message": message, "data": data}
    print(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}), flush=True)


def initialize(number: object, version: str = "2025-06-18") -> None:
    info = {"name": "hand", "version": "1.2.3", "title": "Hand"}
    send(number, json.dumps({"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}))


def messages():
    for line in sys.stdin:
        if line.strip():
            yield json.loads(line)


def serve(mode: str) -> None:
    """Answer requests in the older era, with the fault that the mode names."""
    started = False
    for message in messages():
        method, number = message["method"], message.get("id")
        if method == "initialize" and mode == "init-text":
            send(number, '"hello"')
        elif method == "initialize" and mode == "init-error":
            fail(number, -32603, "no licence")
        elif method == "initialize":
            initialize(number)
        elif method == "notifications/initialized":
            started = True
        elif method == "tools/list":
            if not started:
                fail(number, -32002, "not initialized")
            else:
                answer_list(mode, number, message.get("params", {}))
        elif number is not None and mode in DISCOVERED:
            send(number, DISCOVERED[mode])
        elif number is not None and mode == "null-id":
            fail(None, -32600, "cannot read this")
        elif number is not None and mode == "silent":
            continue
        elif number is not None and mode == "exits" and not started:
            sys.exit("expected initialize")
        elif number is not None:
            fail(number, -32601, f"Method not found: {method}")


def answer_list(mode: str, number: object, params: dict) -> None:
    cursor = params.get("cursor")
    results = {
        "exact": f'{{"tools":[{EXACT}]}}',
        "bad": f'{{"tools":[{",".join(BAD)}]}}',
        "empty": '{"tools":[]}',
        "null": '{"tools":null}',
        "missing": '{"items":[]}',
        "list": "[]",
        "number-cursor": '{"tools":[' + tools("one") + '],"nextCursor":7}',
        "doubled-tools": '{"tools":[' + tools("one") + '],"tools":[]}',
        "empty-cursor": '{"tools":[' + tools("one") + '],"nextCursor":""}',
    }
    if mode in results:
        send(number, results[mode])
    elif mode == "pages":
        page = int(cursor or 0)
        following = "" if page == 4 else f',"nextCursor":"{page + 1}"'
        send(number, f'{{"tools":[{tools(f"page-{page}")}]{following}}}')
    elif mode == "endless":
        page = int(cursor or 0)
        send(number, f'{{"tools":[{tools(f"page-{page}")}],"nextCursor":"{page + 1}"}}')
    elif mode == "repeat":
        send(number, f'{{"tools":[{tools("again")}],"nextCursor":"same"}}')
    elif mode == "crash-list":
        if cursor:
            print("out of memory", file=sys.stderr)
            os._exit(137)
        send(number, '{"tools":[' + tools("kept") + '],"nextCursor":"2"}')
    elif mode == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    elif mode == "hang-list":
        print("loading the index", file=sys.stderr, flush=True)
        time.sleep(600)
    elif mode == "error":
        fail(number, -32603, "database \x1b[31mlocked\x1b[0m")
    elif mode == "no-tools":
        fail(number, -32601, "Method not found")
    elif mode == "broken":
        print(f'{{"jsonrpc":"2.0","id":{number},"result":{{"tools":[}}', flush=True)
    elif mode == "text-id":
        send(str(number), '{"tools":[' + tools("one") + "]}")
    elif mode == "noise":
        print("INFO starting\n{not json}\n[1, 2]\n\n7", flush=True)
        send(number, '{"tools":[' + tools("one") + "]}")
    elif mode == "asks":
        asks(number)
    elif mode == "batch":
        one = '{"tools":[' + tools("one") + "]}"
        print(f'[{{"jsonrpc":"2.0","method":"x"}},{{"jsonrpc":"2.0","id":{number},"result":{one}}}]', flush=True)
    else:
        send(number, '{"tools":[' + tools("one", "two") + "]}")


def asks(number: object) -> None:
    """Ask the client things before answering; publish its answers as tool names."""
    for ident, method in ((1, "ping"), ("two", "roots/list"), (3, "sampling/createMessage")):
        print(json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": {}}), flush=True)
    print(json.dumps({"jsonrpc": "2.0", "method": "notifications/message", "params": {}}), flush=True)
    heard = [json.loads(sys.stdin.readline()) for _ in range(3)]
    said = [f"{a['id']}:{'ok' if 'result' in a else a['error']['code']}" for a in heard]
    send(number, '{"tools":[' + tools(*said) + "]}")


def modern(versions: list[str], *, late: float = 0, again: bool = False, stamp_in_list: bool = False) -> None:
    """Answer in the modern era only; refuse what has no envelope, as the SDK does.

    `again` refuses the first request all the same; `stamp_in_list` says who it is with the list only.
    """
    time.sleep(late)
    stamp = json.dumps({"_meta": {f"{META}serverInfo": {"name": "modern-hand", "version": "9"}}})[1:-1]
    for message in messages():
        method, number = message["method"], message.get("id")
        meta = message.get("params", {}).get("_meta", {})
        if number is None:
            continue
        if again:
            again = False
            fail(number, -32022, "again, please", {"supported": versions})
        elif method == "initialize" or meta.get(f"{META}protocolVersion") not in versions:
            fail(number, -32022, "unsupported version", {"supported": versions, "requested": "?"})
        elif not isinstance(meta.get(f"{META}clientCapabilities"), dict):
            fail(number, -32602, "no capabilities")
        elif method == "server/discover":
            found = {"supportedVersions": versions, "capabilities": {"tools": {}}, "resultType": "complete"}
            head = json.dumps({**found, "ttlMs": 0, "cacheScope": "public"})[:-1]
            send(number, head + ("}" if stamp_in_list else f",{stamp}}}"))
        else:
            listed = f'"tools":[{tools("one")},{EXACT}]'
            send(number, f'{{"resultType":"complete",{listed},"ttlMs":5000,"cacheScope":"public",{stamp}}}')


def crash() -> None:
    for line in range(30):
        print(f"\x1b[31mline {line}\x1b[0m of the log", file=sys.stderr)
    print("SECRET is", os.environ.get("HAND_SECRET"), file=sys.stderr)
    sys.exit(3)


def family(path: str, *, detached: bool, stubborn: bool) -> None:
    """Serve with a grandchild; write both process numbers to a file."""
    script = "import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(600)"
    child = subprocess.Popen([sys.executable, "-c", script], start_new_session=detached)
    if stubborn:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with open(path + ".part", "w") as file:
        file.write(f"{os.getpid()} {child.pid}")
    os.replace(path + ".part", path)
    serve("good" if not stubborn else "hang-list")
    time.sleep(600 if stubborn else 0)


def main(mode: str, *rest: str) -> None:
    if mode == "modern":
        modern([MODERN])
    elif mode == "future":
        modern(["2031-01-01"])
    elif mode == "late":
        modern([MODERN], late=2.5)
    elif mode == "again":
        modern([MODERN], again=True)
    elif mode == "stamp":
        modern([MODERN], stamp_in_list=True)
    elif mode == "crash":
        crash()
    elif mode == "web":
        print("Server is running on port 3001", file=sys.stderr, flush=True)
        time.sleep(600)
    elif mode == "hang":
        print("INFO only a log line", flush=True)
        time.sleep(600)
    elif mode == "closes":
        os.close(1)
        time.sleep(600)
    elif mode == "wrapped":
        os.execvp(sys.executable, [sys.executable, __file__, *rest])
    elif mode in ("family", "detached", "stubborn"):
        family(rest[0], detached=mode == "detached", stubborn=mode == "stubborn")
    else:
        serve(mode)


main(*sys.argv[1:])
