"""The demo server over stdio, in both eras, line by line."""

from __future__ import annotations

import contextlib
import signal
import subprocess

import pytest
from demo_lines import COMMAND, MODERN_META, lines, modern, request

import toolglot
from toolglot.demo import server
from toolglot.demo.incident import WRONG, upsert
from toolglot.demo.rpc import LEGACY_VERSIONS
from toolglot.demo.tools import TOOLS

NAMES = [tool.name for tool in TOOLS]
CLIENT = {"name": "lines", "version": "1"}


def opening(version):
    return request(0, "initialize", {"protocolVersion": version, "capabilities": {}, "clientInfo": CLIENT})


INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
UPSERT = {"name": "entries_upsert", "arguments": upsert(WRONG)}
RENDER = {"name": "page_render", "arguments": {"page_id": "home"}}


@pytest.mark.parametrize("version", LEGACY_VERSIONS)
def test_the_legacy_era(version):
    opened, pong, first, second, updated, page = lines(
        opening(version),
        INITIALIZED,
        request(1, "ping"),
        request("list", "tools/list"),
        request(3, "tools/list", {"cursor": "8"}),
        request(4, "tools/call", UPSERT),
        request(5, "tools/call", RENDER),
    )
    assert opened["result"]["protocolVersion"] == version
    assert opened["result"]["serverInfo"]["version"] == toolglot.__version__
    assert opened["result"]["capabilities"] == {"tools": {"listChanged": False}}
    assert pong == {"jsonrpc": "2.0", "id": 1, "result": {}}
    assert first["id"] == "list"
    assert [tool["name"] for tool in first["result"]["tools"] + second["result"]["tools"]] == NAMES
    assert set(second["result"]) == {"tools"}
    assert updated["result"] == {"content": [{"type": "text", "text": "updated"}], "isError": False}
    assert "[picture missing] 549895" in page["result"]["content"][0]["text"]


def test_the_modern_era():
    discovered, first, second, updated, page = lines(
        modern(1, "server/discover"),
        modern(2, "tools/list"),
        modern(3, "tools/list", {"cursor": "8"}),
        modern(4, "tools/call", UPSERT),
        modern(5, "tools/call", RENDER),
    )
    assert discovered["result"]["supportedVersions"] == ["2026-07-28"]
    for answer in (discovered, first, second, updated, page):
        assert answer["result"]["resultType"] == "complete"
        assert answer["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"] == "toolglot-demo"
    for answer in (discovered, first, second):
        assert answer["result"]["ttlMs"] == 300_000
        assert answer["result"]["cacheScope"] == "public"
    assert [tool["name"] for tool in first["result"]["tools"] + second["result"]["tools"]] == NAMES
    assert updated["result"]["content"] == [{"type": "text", "text": "updated"}]
    assert "[picture missing] 549895" in page["result"]["content"][0]["text"]


def meta(**changed):
    keys = {key.rpartition("/")[2]: key for key in MODERN_META}
    return {"_meta": MODERN_META | {keys[name]: value for name, value in changed.items()}}


@pytest.mark.parametrize(
    ("sent", "code", "text"),
    [
        pytest.param(b"{not json\n", -32700, "Parse error: not JSON", id="broken-json"),
        pytest.param(b'{"id": 1, "id": 2}\n', -32700, "stands twice", id="doubled-key"),
        pytest.param(7, -32600, "not a JSON-RPC request", id="number"),
        pytest.param([], -32600, "not a JSON-RPC request", id="empty-batch"),
        pytest.param({"id": 1, "method": 5}, -32600, "not a JSON-RPC request", id="method-number"),
        pytest.param(request(1, "nope"), -32601, "Method not found", id="unknown-method"),
        pytest.param(modern(1, "nope"), -32601, "Method not found", id="unknown-modern-method"),
        pytest.param(modern(1, "ping"), -32601, "Method not found", id="ping-is-gone"),
        pytest.param(request(1, "tools/call", {"name": "x"}), -32602, "Unknown tool: x", id="unknown-tool"),
        pytest.param(request(1, "tools/call"), -32602, "Unknown tool", id="no-tool"),
        pytest.param(request(1, "tools/list", {"cursor": "99"}), -32602, "unknown cursor", id="cursor"),
        pytest.param(request(1, "tools/list", {"cursor": 8}), -32602, "unknown cursor", id="cursor-number"),
        pytest.param(request(1, "server/discover"), -32602, "clientCapabilities", id="discover-without-meta"),
        pytest.param(request(1, "tools/list", meta(protocolVersion="2027-01-01")), -32022, "Unsupported", id="future"),
        pytest.param(
            request(1, "tools/list", {"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28"}}),
            -32602,
            "clientCapabilities",
            id="meta-without-capabilities",
        ),
    ],
)
def test_errors(sent, code, text):
    (answer,) = lines(sent)
    assert answer["error"]["code"] == code
    assert text in answer["error"]["message"]


def test_an_unknown_version_names_those_that_are_served():
    (answer,) = lines(request(1, "server/discover", meta(protocolVersion="1999-01-01")))
    assert answer["error"]["data"] == {"supported": ["2026-07-28"], "requested": "1999-01-01"}


@pytest.mark.parametrize("asked", ["1999-01-01", "2026-07-28", None])
def test_initialize_offers_the_newest_legacy_version_for_one_it_does_not_know(asked):
    (answer,) = lines(opening(asked))
    assert answer["result"]["protocolVersion"] == LEGACY_VERSIONS[-1]


def test_a_batch_is_answered_with_one_list():
    (answer,) = lines([request(1, "ping"), INITIALIZED, request(2, "ping")])
    assert [item["id"] for item in answer] == [1, 2]


@pytest.mark.parametrize(
    "sent", [INITIALIZED, [INITIALIZED], {"jsonrpc": "2.0", "id": 1, "result": {}}, b"\n", b" \r\n"]
)
def test_what_needs_no_answer_gets_none(sent):
    assert lines(sent) == []


def test_hostile_text_goes_through():
    name = "\ud800\x1b[31m\u2028"
    (answer,) = lines(request(1, "tools/call", {"name": name}))
    assert name in answer["error"]["message"]


def test_in_process_the_server_answers_the_same_list():
    (over_stdio,) = lines(request(1, "tools/list"))
    assert server.handle(request(1, "tools/list")) == over_stdio


@pytest.mark.parametrize("leave", [lambda _: None, lambda process: process.send_signal(signal.SIGINT)])
def test_a_client_that_leaves_ends_the_server_quietly(leave):
    process = subprocess.Popen(COMMAND, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    with process, process.stdin, process.stderr:
        process.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n')
        process.stdin.flush()
        assert process.stdout.readline()
        process.stdout.close()
        leave(process)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(b'{"jsonrpc": "2.0", "id": 2, "method": "ping"}\n')
            process.stdin.flush()
        assert process.wait(timeout=30) == 0
        assert process.stderr.read() == b""
