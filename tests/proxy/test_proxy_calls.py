"""What becomes of calls and results, without any transport: bytes in, bytes out."""

from __future__ import annotations

import asyncio
import json
from typing import Any

import pytest
from proxy_help import Between

pytestmark = pytest.mark.anyio

TOOL: dict[str, Any] = {
    "name": "set",
    "title": "kept",
    "description": "Sets.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "n": {"type": "integer"},
            "tags": {"type": "array", "items": {"type": "string"}},
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "required": ["n"],
    },
    "unknown": {"member": 0.5},
}
READS = {**TOOL, "name": "get", "annotations": {"readOnlyHint": True}}
BROKEN = {"name": "broken", "inputSchema": {"type": "object", "properties": {"a": {"$ref": "#/nowhere"}}}}

CALLS: list[tuple[str, dict[str, Any], str, str, str | None]] = [
    # what, settings, the raw arguments, what the server gets (raw), or None and a refusal
    ("untouched", {}, '{"n": 1.50e1, "x-y":0.10}', "", None),
    ("valid, byte for byte", {}, '{ "n":1,  "tags":["a"] }', "{ \"n\":1,  \"tags\":[\"a\"] }", None),
    ("big integers", {}, '{"n":' + "9" * 70 + "}", '{"n":' + "9" * 70 + "}", None),
    ("number text is mended", {}, '{"n":"1"}', '{"n":1}', None),
    ("no mend", {"mend": "off"}, '{"n":"1"}', "", "/n"),
    ("a guess only for readers", {"mend": "all"}, '{"n":1,"tags":"a"}', "", "/tags"),
    ("a guess for all", {"mend": "all-tools"}, '{"n":1,"tags":"a"}', '{"n":1,"tags":["a"]}', None),
    ("JSON text", {}, '"{\\"n\\":1}"', '{"n":1}', None),
    ("no JSON that can be read", {}, '{"n":1,"n":2}', "", "stands twice"),
    ("NaN", {}, '{"n":NaN}', "", "NaN"),
    ("missing", {}, "{}", "", "n"),
    ("refusals off", {"refuse": False}, '{"n":"x"}', '{"n":"x"}', None),
]  # fmt: skip


@pytest.mark.parametrize(("settings", "raw", "sent", "refused"), [row[1:] for row in CALLS[1:]],
                         ids=[row[0] for row in CALLS[1:]])  # fmt: skip
async def test_arguments(settings: dict[str, Any], raw: str, sent: str, refused: str | None) -> None:
    between = Between([TOOL, READS], "portable", **settings)
    call = f'{{"jsonrpc":"2.0","id":"k","method":"tools/call","params":{{"z":0.10,"name":"set","arguments":{raw}}}}}'
    await between.says(call.encode())
    if refused is not None:
        assert between.to_server == []
        result = json.loads(between.to_client[0])["result"]
        assert result["isError"] is True
        assert "resultType" not in result
        assert refused in result["content"][0]["text"]
        return
    assert between.to_client == []
    changed = sent.replace(" ", "") != raw.replace(" ", "")
    expected = call if not changed else call.replace(raw, sent)
    assert between.to_server == [expected.encode()]


async def test_guesses_reach_tools_that_read() -> None:
    between = Between([TOOL, READS], "portable", mend="all")
    await between.calls("get", {"n": 1, "tags": "a"})
    assert json.loads(between.to_server[0])["params"]["arguments"] == {"n": 1, "tags": ["a"]}


async def test_a_refusal_of_the_modern_era_is_complete() -> None:
    between = Between([TOOL], "portable")
    await between.calls("set", {}, _meta={"io.modelcontextprotocol/protocolVersion": "2026-07-28"})
    assert json.loads(between.to_client[0])["result"]["resultType"] == "complete"


async def test_what_was_done_stands_beside_raw_members() -> None:
    between = Between([TOOL], "portable")
    await between.calls("set", {"n": "1"})
    result = '{"structuredContent":{"a":1.0,"b":' + "7" * 70 + '},"_meta":{"theirs":0.10},"content":[ ],"x":1e2}'
    between.conversation.server_says(f'{{"jsonrpc":"2.0","id":7,"result":{result},"extra":1}}'.encode())
    told = '"io.toolglot/restored":[{"kind":"text made a number","pointer":"/n"}]'
    assert between.to_client == [
        f'{{"jsonrpc":"2.0","id":7,"result":{result.replace("0.10}", f"0.10,{told}}}")},"extra":1}}'.encode()
    ]


async def test_a_map_travels_as_entries() -> None:
    between = Between([TOOL], "openai-strict")
    await between.calls("set", {"n": 1, "tags": None, "labels": [{"key": "a", "value": "b"}]})
    assert json.loads(between.to_server[0])["params"]["arguments"] == {"n": 1, "labels": {"a": "b"}}
    between.conversation.server_says(b'{"jsonrpc":"2.0","id":7,"result":{"content":[]}}')
    done = json.loads(between.to_client[0])["result"]["_meta"]["io.toolglot/restored"]
    assert {"kind": "re-shaped", "pointer": "/labels"} in done
    assert "b" not in {value for one in done for value in one.values()}


def listing(between: Between, tools: list[Any], **more: Any) -> dict[str, Any]:
    between.conversation.client_says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    between.conversation.server_says(
        json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools, **more}}).encode()
    )
    return json.loads(between.to_client[-1])["result"]


async def test_a_list_keeps_what_it_does_not_change() -> None:
    between = Between([], "openai-strict")
    union = {**TOOL, "outputSchema": {"type": "object", "oneOf": [True]}, "_meta": {"a": 0.5}}
    found = listing(between, [union], ttlMs=5, later=[1])
    assert found["ttlMs"] == 5
    assert found["later"] == [1]
    (tool,) = found["tools"]
    assert list(tool) == [*TOOL, "outputSchema", "_meta"]
    assert tool["outputSchema"] == union["outputSchema"]
    assert tool["unknown"] == {"member": 0.5}
    assert tool["_meta"] == {"a": 0.5, "io.toolglot/target": "openai-strict"}
    assert tool["inputSchema"] != TOOL["inputSchema"]


async def test_a_tool_that_is_marked_for_the_target_passes_with_its_calls() -> None:
    marked = {**TOOL, "_meta": {"io.toolglot/target": "portable"}, "inputSchema": {"type": ["object", "null"]}}
    between = Between([marked], "portable")
    assert listing(between, [marked])["tools"] == [marked]
    await between.calls("set", {"n": "1"})
    assert json.loads(between.to_server[-1])["params"]["arguments"] == {"n": "1"}


ENTRIES: list[tuple[str, Any, bool]] = [
    ("no object", 5, False),
    ("no name", {"inputSchema": {"type": "object"}}, False),
    ("a list for a schema", {"name": "bad", "inputSchema": []}, False),
    ("a broken reference", BROKEN, True),
]


@pytest.mark.parametrize(("entry", "stays"), [row[1:] for row in ENTRIES], ids=[row[0] for row in ENTRIES])
async def test_one_bad_entry_does_not_spoil_the_others(entry: Any, stays: bool) -> None:
    between = Between([], "portable")
    tools = listing(between, [TOOL, entry])["tools"]
    assert [tool["name"] for tool in tools] == ["set", *(["broken"] if stays else [])]


async def test_an_unreadable_schema_passes_as_published_and_its_calls_too() -> None:
    between = Between([], "portable")
    deep = '{"name":"deep","inputSchema":' + '{"a":' * 300 + "1" + "}" * 300 + "}"
    raw = f'{{"jsonrpc":"2.0","id":1,"result":{{"tools":[{deep}]}}}}'.encode()
    between.conversation.client_says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    between.conversation.server_says(raw)
    assert between.to_client == [raw]
    await between.calls("deep", {"x": 1})
    assert json.loads(between.to_server[-1])["params"]["arguments"] == {"x": 1}


async def test_a_list_that_cannot_be_read_blocks_no_call() -> None:
    between = Between(None, "portable")
    await between.calls("any", {"x": 0.5})
    assert json.loads(between.to_server[0])["params"] == {"name": "any", "arguments": {"x": 0.5}}


async def test_unknown_names_ask_for_one_list_only() -> None:
    between = Between([TOOL], "portable")
    asked: list[int] = []
    inner = between._list

    async def counted(params: Any) -> bytes:
        asked.append(1)
        return await inner(params)

    between.conversation._ask = counted  # pyright: ignore[reportPrivateUsage]
    for n in range(5):
        between.conversation.client_says(
            json.dumps({"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "no"}}).encode()
        )
    await between.conversation.settled()
    await between.calls("no", {})
    assert len(asked) == 1
    assert [json.loads(raw)["error"]["code"] for raw in between.to_client] == [-32602] * 6


async def test_calls_that_come_while_a_list_is_read_wait_for_it() -> None:
    between = Between([TOOL], "portable")
    inner, gate = between._list, asyncio.Event()

    async def slow(params: Any) -> bytes:
        await gate.wait()
        return await inner(params)

    between.conversation._ask = slow  # pyright: ignore[reportPrivateUsage]
    for n in range(3):
        call = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "set", "arguments": {"n": n}}}
        between.conversation.client_says(json.dumps(call).encode())
        await asyncio.sleep(0.01)
    gate.set()
    await between.conversation.settled()
    assert between.to_client == []
    assert len(between.to_server) == 3


async def test_a_call_that_is_cancelled_while_it_waits_never_reaches_the_server() -> None:
    between = Between([TOOL], "portable")
    between.conversation.client_says(
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set","arguments":{"n":1}}}'
    )
    await between.says(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}')
    assert between.to_server == []


async def test_a_batch_keeps_its_bytes_where_nothing_changes() -> None:
    between = Between([TOOL], "portable")
    listing(between, [TOOL])
    same = b'[ {"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"set","arguments":{"n":1}}}, {"x":1} ]'
    await between.says(same)
    assert between.to_server[-1] == same
    await between.says(same.replace(b'"n":1', b'"n":"1"'))
    assert json.loads(between.to_server[-1])[0]["params"]["arguments"] == {"n": 1}
