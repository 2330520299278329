"""The read-only gate: nothing that may change something gets through, however it is said."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from proxy_help import INITIALIZE, INITIALIZED, Between, Line, proxy_command

from toolglot.fitting.names import wire_name
from toolglot.targets.load import SHIPPED

pytestmark = pytest.mark.anyio


def tool(
    name: str, properties: dict[str, Any], *required: str, hint: bool | None = None, **root: Any
) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(required), **root}
    found: dict[str, Any] = {"name": name, "description": "A tool.", "inputSchema": schema}
    return found if hint is None else {**found, "annotations": {"readOnlyHint": hint}}


def enum(*values: Any, **more: Any) -> dict[str, Any]:
    return {"enum": list(values), **more}


TEXT = {"type": "string"}
WRITER = tool("write", {"a": TEXT})
READER = tool("read", {"a": TEXT}, hint=True)
LIAR = tool("liar", {"a": TEXT}, hint=False)
GATED = tool("manage", {"action": enum("list", "get", "delete", type="string"), "id": TEXT}, "action")
DEFAULTED = tool("defaulted", {"action": enum("list", "delete", type="string", default="delete"), "id": TEXT})
READS_BY_DEFAULT = tool("reads_by_default", {"action": enum("list", "get", type="string", default="list")})
HINT_AGAINST_ENUM = tool("hinted", {"action": enum("list", "delete", type="string")}, "action", hint=True)
HINT_AND_UNKNOWN = tool("unclear", {"mode": enum("fast", "slow", type="string")}, "mode", hint=True)
TWO = tool(
    "two", {"action": enum("get", "set", type="string"), "op": enum("read", "purge", type="string")}, "action", "op"
)
TWO_ONE_DULL = tool("dull", {"action": enum("get", "set"), "op": enum("purge", "wipe")}, "action", "op")
OPEN = tool("open", {"action": enum("list", "delete", type="string")}, "action", additionalProperties=True)
BROKEN = tool("broken", {"action": {"$ref": "#/nowhere"}}, hint=True)
BROKEN_KEYWORD = tool("broken_keyword", {"a": {"type": "text"}}, hint=True)
HIDDEN_ROOT = {
    "name": "hidden",
    "annotations": {"readOnlyHint": True},
    "inputSchema": {"anyOf": [{"type": "object", "properties": {"action": enum("delete")}}]},
}
NO_SCHEMA = {"name": "no_schema", "annotations": {"readOnlyHint": True}}
TWICE = [tool("twice", {"a": TEXT}, hint=True), tool("twice", {"b": TEXT})]
LONG = tool("l" * 80, {"action": enum("list", "delete", type="string")}, "action")
REFERENCED = tool(
    "referenced", {"action": {"$ref": "#/$defs/a"}}, "action", **{"$defs": {"a": enum("list", "delete", type="string")}}
)
UNION = tool("union", {"action": {"anyOf": [{"const": "get"}, {"const": "drop"}]}}, "action")
SHOUTED = tool("shouted", {"Action": enum("LIST", "DELETE", type="string")}, "Action")
NUMBERS = tool("numbers", {"action": enum("get", 1, True, None)}, "action")
UNREADABLE = b'{"name":"deep","annotations":{"readOnlyHint":true},"inputSchema":' + b'{"a":' * 300 + b"1" + b"}" * 301

TOOLS: list[Any] = [
    *(WRITER, READER, LIAR, GATED, DEFAULTED, READS_BY_DEFAULT, HINT_AGAINST_ENUM, HINT_AND_UNKNOWN, TWO, TWO_ONE_DULL),
    *(OPEN, BROKEN, BROKEN_KEYWORD, HIDDEN_ROOT, NO_SCHEMA, *TWICE, LONG, REFERENCED, UNION, SHOUTED, NUMBERS),
    *(UNREADABLE, 5, {"inputSchema": {}}),
]
SHOWN = [
    *("read", "manage", "defaulted", "reads_by_default", "hinted", "unclear", "two", "open", "l" * 80, "referenced"),
    *("union", "shouted", "numbers"),
]
TARGETS = ["none", "gemini-parameters", "openai-strict", "portable"]


def raw_list() -> bytes:
    return b"[" + b",".join(one if isinstance(one, bytes) else json.dumps(one).encode() for one in TOOLS) + b"]"


async def listed(target: str, **settings: Any) -> tuple[Between, list[dict[str, Any]]]:
    between = Between(TOOLS, target, **{"read_only": True, **settings})
    await between.says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    between.conversation.server_says(b'{"jsonrpc":"2.0","id":1,"result":{"tools":' + raw_list() + b"}}")
    return between, json.loads(between.to_client[-1])["result"]["tools"]


@pytest.mark.parametrize("target", TARGETS)
async def test_only_what_reads_is_shown(target: str) -> None:
    between, tools = await listed(target)
    found = [between.conversation.shelf.find(one["name"]) for one in tools]
    known = {one.shown for one in found if one}
    assert known == set(SHOWN)
    for one in tools:
        one["inputSchema"].pop("$defs", None)
    text = json.dumps(tools)
    assert not [word for word in ("delete", "DELETE", "purge", "drop") if f'"{word}"' in text]


GOOD: list[tuple[str, dict[str, Any]]] = [
    ("read", {"a": "x"}),
    ("manage", {"action": "list"}),
    ("manage", {"id": "7", "action": "get"}),
    ("reads_by_default", {}),
    ("reads_by_default", {"action": "get"}),
    ("defaulted", {"action": "list"}),
    ("hinted", {"action": "list"}),
    ("unclear", {"mode": "slow"}),
    ("two", {"action": "get", "op": "read"}),
    ("l" * 80, {"action": "list"}),
    ("referenced", {"action": "list"}),
    ("union", {"action": "get"}),
    ("shouted", {"Action": "LIST"}),
    ("open", {"action": "list", "more": 1}),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "arguments"), GOOD, ids=[f"{row[0][:20]}-{n}" for n, row in enumerate(GOOD)])
async def test_what_reads_gets_through(target: str, name: str, arguments: dict[str, Any]) -> None:
    between = Between(TOOLS, target, read_only=True)
    await between.calls(name, arguments)
    assert between.to_client == []
    params = json.loads(between.to_server[-1])["params"]
    assert params["name"] == name
    assert params["arguments"] == arguments


BAD: list[tuple[str, str, Any]] = [
    ("a writer", "write", {"a": "x"}),
    ("a false hint", "liar", {"a": "x"}),
    ("an action that changes", "manage", {"action": "delete"}),
    ("an absent action", "manage", {}),
    ("an absent action with a mutating default", "defaulted", {}),
    ("null for an action with a mutating default", "defaulted", {"action": None}),
    ("hint against enum", "hinted", {"action": "delete"}),
    ("two actions, the second changes", "two", {"action": "get", "op": "purge"}),
    ("two actions, one absent", "two", {"action": "get"}),
    ("two actions, one dull", "dull", {"action": "get", "op": "purge"}),
    ("a broken schema", "broken", {"action": "list"}),
    ("a broken keyword", "broken_keyword", {"a": "x"}),
    ("a hidden root", "hidden", {}),
    ("no schema", "no_schema", {}),
    ("a doubled name", "twice", {"a": "x"}),
    ("a depth nobody reads", "deep", {}),
    ("an unknown tool", "wipe_all", {}),
    ("the name in another case", "Write", {"a": "x"}),
    ("a read name in another case", "READ", {"a": "x"}),
    ("the name with a space", "manage ", {"action": "list"}),
    ("an action in another case", "manage", {"action": "LIST"}),
    ("an action in a list", "manage", {"action": ["list"]}),
    ("an action in an object", "manage", {"action": {"0": "list"}}),
    ("an action as JSON text", "manage", {"action": '"list"'}),
    ("an action with a space", "manage", {"action": "list "}),
    ("a second action beside it, in another case", "open", {"action": "list", "Action": "delete"}),
    ("the same with an old s", "open", {"action": "list", "mode": "x", "\u017faction": 1, "operation": "delete"}),
    ("an undeclared action", "open", {"action": "list", "operation": "delete"}),
    ("an undeclared action in another case", "open", {"action": "list", "METHOD": "delete"}),
    ("an action by another name only", "open", {"Action": "list"}),
    ("a number for an action", "numbers", {"action": 1}),
    ("true for an action", "numbers", {"action": True}),
    ("null for an action", "numbers", {"action": None}),
    ("arguments as a list", "manage", ["list"]),
    ("arguments as text that changes", "manage", '{"action": "delete"}'),
    ("arguments as text in text", "manage", '"{\\"action\\": \\"delete\\"}"'),
    ("no arguments", "manage", None),
]


@pytest.mark.parametrize("settings", [{}, {"refuse": False}, {"mend": "all-tools"}], ids=["", "forwarding", "mending"])
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize(("name", "arguments"), [row[1:] for row in BAD], ids=[row[0] for row in BAD])
async def test_what_may_change_something_does_not(
    settings: dict[str, Any], target: str, name: str, arguments: Any
) -> None:
    between = Between(TOOLS, target, read_only=True, **settings)
    await between.calls(name, arguments)
    if between.to_server:  # mended, to what reads
        sent = json.loads(between.to_server[-1])["params"]
        assert settings.get("mend") == "all-tools" or isinstance(arguments, str) or arguments == {"action": '"list"'}
        assert sent["arguments"] == {"action": "list"}
    else:
        assert len(between.to_client) == 1


def call(params: str, id: str = '"id":7,') -> bytes:
    return f'{{"jsonrpc":"2.0",{id}"method":"tools/call","params":{params}}}'.encode()


LIST = '{"name":"manage","arguments":{"action":"list"}}'
TRICKS: list[tuple[str, bytes]] = [
    ("NaN in the arguments", call('{"name":"manage","arguments":{"action":"list","id":NaN}}')),
    ("a doubled action", call('{"name":"manage","arguments":{"action":"delete","action":"list"}}')),
    ("a doubled name", call('{"name":"write","name":"manage","arguments":{"action":"list"}}')),
    ("doubled arguments", call('{"name":"manage","arguments":{"action":"list"},"arguments":{"action":"delete"}}')),
    ("doubled params", call(LIST)[:-1] + b',"params":{"name":"write"}}'),
    ("a doubled method", call(LIST)[:-1] + b',"method":"tools/call"}'),
    ("an escaped doubled key", call('{"name":"manage","arguments":{"action":"list","\\u0061ction":"delete"}}')),
    ("a method in another case beside", call(LIST)[:-1] + b',"Method":"x"}'),
    ("params in another case beside", call(LIST)[:-1] + b',"Params":{"name":"write"}}'),
    ("a name in another case beside", call('{"name":"manage","Name":"write","arguments":{"action":"list"}}')),
    ("arguments with an old s beside", call('{"name":"manage","argument\u017f":{},"arguments":{"action":"list"}}')),
    ("the method in another case", call(LIST).replace(b"tools/call", b"Tools/Call")),
    ("the method with a space", call(LIST).replace(b"tools/call", b"tools/call ")),
    ("a new method", b'{"jsonrpc":"2.0","id":7,"method":"tools/execute","params":{"name":"write"}}'),
    ("a new notification", b'{"jsonrpc":"2.0","method":"notifications/execute","params":{"name":"write"}}'),
    ("a call without an id", call(LIST, "")),
    ("a call whose id is null", call(LIST, '"id":null,')),
    ("a call whose id is a list", call(LIST, '"id":[1],')),
    ("an answer that asks too", call(LIST)[:-1] + b',"result":{}}'),
    ("a batch with one broken member", b"[" + call(LIST) + b',{"method":5}]'),
    ("a batch with a number", b"[" + call(LIST) + b",5]"),
    ("a batch in a batch", b"[[" + call(LIST) + b"]]"),
    ("an empty batch", b"[]"),
    ("a batch with a writer", b"[" + call('{"name":"write","arguments":{"a":"x"}}') + b"]"),
    ("params as a list", call('["manage",{"action":"list"}]')),
    ("no params", b'{"jsonrpc":"2.0","id":7,"method":"tools/call"}'),
    ("a name that is a number", call('{"name":5,"arguments":{}}')),
    ("two messages in one line", call(LIST) + call('{"name":"write","arguments":{}}')),
    ("two messages with a carriage return between", call('{"name":"write"}') + b"\r" + call(LIST)),
    ("something behind", call(LIST) + b" x"),
    ("a text", b'"tools/call"'),
    ("no JSON", b"tools/call write"),
    ("no UTF-8", call('{"name":"wri\u00e9te"}').decode().encode("latin-1")),
    ("UTF-16", call('{"name":"write","arguments":{}}').decode().encode("utf-16")),
    ("far too deep", call('{"name":"manage","arguments":' + '{"a":' * 300 + "1" + "}" * 300 + "}")),
    ("a number that nobody holds", call('{"name":"manage","arguments":{"action":"list","id":1e999}}')),
    ("an empty line", b""),
]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("raw", [row[1] for row in TRICKS], ids=[row[0] for row in TRICKS])
async def test_a_message_that_can_be_read_in_two_ways_does_not_go_on(target: str, raw: bytes) -> None:
    between = Between(TOOLS, target, read_only=True)
    await between.says(raw)
    assert between.to_server == []


async def test_what_goes_on_is_written_from_what_was_judged() -> None:
    between = Between(TOOLS, "none", read_only=True)
    await between.says(b'{ "jsonrpc" : "2.0", "id":7, "method":"tools\\/call", "params": ' + LIST.encode() + b" }")
    expected = {"jsonrpc": "2.0", "id": 7, "method": "tools/call", "params": json.loads(LIST)}
    assert between.to_server == [json.dumps(expected, separators=(",", ":")).encode()]


async def test_members_of_a_batch_go_on_one_by_one() -> None:
    between = Between(TOOLS, "none", read_only=True)
    await between.says(b"[" + call(LIST) + b',{"jsonrpc":"2.0","id":8,"method":"ping"}]')
    assert sorted(json.loads(raw)["id"] for raw in between.to_server) == [7, 8]


PASSING = [
    b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"x":1}}',
    b'{"jsonrpc":"2.0","method":"notifications/initialized"}',
    b'{"jsonrpc":"2.0","id":"s1","result":{"roots":[]}}',
    b'{"jsonrpc":"2.0","id":"s1","error":{"code":1,"message":"no"}}',
    b'{"jsonrpc":"2.0","id":2,"method":"resources/read","params":{"uri":"x:y"}}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
]


@pytest.mark.parametrize("raw", PASSING)
async def test_the_rest_of_the_protocol_passes(raw: bytes) -> None:
    between = Between(TOOLS, "none", read_only=True)
    await between.says(raw)
    assert between.to_server == [raw]


async def test_a_list_that_cannot_be_read_lets_nothing_through() -> None:
    between = Between(None, "portable", read_only=True)
    await between.calls("read", {"a": "x"})
    await between.says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    assert between.to_server == []
    assert [json.loads(raw)["error"]["code"] for raw in between.to_client] == [-32603, -32603]


async def test_a_page_under_another_cursor_teaches_nothing() -> None:
    """A server that shows another `write` under a made-up cursor does not make it callable."""
    between = Between([WRITER], "none", read_only=True)
    await between.says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"evil"}}')
    page = json.dumps([{**WRITER, "annotations": {"readOnlyHint": True}}]).encode()
    between.conversation.server_says(b'{"jsonrpc":"2.0","id":1,"result":{"tools":' + page + b"}}")
    between.to_server.clear()
    await between.calls("write", {"a": "x"})
    assert between.to_server == []


async def test_a_changed_list_is_read_again() -> None:
    tools = [tool("t", {"a": TEXT}, hint=True)]
    between = Between(tools, "none", read_only=True)
    await between.calls("t", {"a": "x"})
    assert len(between.to_server) == 1
    tools[0] = tool("t", {"a": TEXT}, hint=False)
    between.conversation.server_says(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
    await between.calls("t", {"a": "x"})
    assert len(between.to_server) == 1


NAMES: list[tuple[dict[str, Any], list[str], list[str]]] = [
    ({"allow": ["write", "read"]}, ["write", "read"], ["liar", "manage", "Write"]),
    ({"deny": ["write"]}, ["read", "liar"], ["write", "WRITE", "write "]),
    ({"allow": ["write"], "read_only": True}, [], ["write", "read"]),
    ({"allow": ["read", "write"], "deny": ["write"]}, ["read"], ["write"]),
]


@pytest.mark.parametrize(("restriction", "passes", "refused"), NAMES)
@pytest.mark.parametrize("target", ["none", "gemini-parameters"])
async def test_allowed_and_denied_names(
    target: str, restriction: dict[str, Any], passes: list[str], refused: list[str]
) -> None:
    for name in (*passes, *refused):
        between = Between([WRITER, READER, LIAR, GATED], target, **restriction)
        await between.calls(name, {"a": "x"})
        assert bool(between.to_server) == (name in passes), name


async def test_a_denied_name_counts_for_the_published_one() -> None:
    between = Between([LONG], "gemini-parameters", deny=["l" * 80])
    renamed = wire_name("l" * 80, SHIPPED.target("gemini-parameters").tool_name)
    await between.calls(renamed, {"action": "list"})
    open_to_all = Between([LONG], "gemini-parameters", allow=["l" * 80])
    await open_to_all.calls(renamed, {"action": "list"})
    assert json.loads(open_to_all.to_server[0])["params"]["name"] == "l" * 80
    assert len(renamed) <= 64
    assert between.to_server == []


@pytest.mark.parametrize(
    ("env", "options", "hidden"),
    [("true", (), True), ("1", (), True), ("maybe", (), True), ("", (), True), ("false", (), False), ("0", (), False),
     ("no", ("--read-only",), True)],
)  # fmt: skip
def test_the_variable_switches_it_on(env: str, options: tuple[str, ...], hidden: bool) -> None:
    with Line(proxy_command("--for", "none", *options), TOOLGLOT_READ_ONLY=env) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear()
        tools = line.ask("tools/list")["result"]["tools"]
        wrong = line.ask("tools/call", {"name": "redirects_import", "arguments": {"rows": []}}, id=2)
        assert line.close() == 0
    assert ("entries_upsert" not in [one["name"] for one in tools]) == hidden
    assert ("error" in wrong) == hidden


def test_a_gated_action_of_the_demo_server(tmp_path: Path) -> None:
    with Line(proxy_command("--for", "gemini-parameters", "--read-only")) as line:
        line.say(INITIALIZE, INITIALIZED)
        line.hear()
        (manage,) = [t for t in line.ask("tools/list")["result"]["tools"] if t["name"] == "assets_manage"]
        listed = line.ask("tools/call", {"name": "assets_manage", "arguments": {"action": "list"}}, id=2)
        refused = line.ask("tools/call", {"name": "assets_manage", "arguments": {"action": "delete"}}, id=3)
        assert line.close() == 0
    assert manage["inputSchema"]["properties"]["action"]["enum"] == ["list", "get"]
    assert "harbour" in listed["result"]["content"][0]["text"]
    assert refused["result"]["isError"]
    assert "list" in refused["result"]["content"][0]["text"]
