"""What a published server lists and does, on every kind of server, in both eras, over its own transport."""

from __future__ import annotations

import json
from typing import Any

import pytest
from publish_help import MODERN, Process, flavours, published_command, talking

import toolglot

TARGET = "gemini-parameters"
MARK = "io.toolglot/target"
RESTORED = "io.toolglot/restored"
WIRE_ODD = "ns_odd_tool_h"

pytestmark = pytest.mark.anyio


def published(flavour: str, target: str = TARGET, **more: Any) -> Any:
    return toolglot.publish(flavours.FLAVOURS[flavour](), target, **more)


def called() -> list[Any]:
    """What the handlers got."""
    return flavours.CALLS


async def tools_of(server: Any, modern: bool) -> dict[str, dict[str, Any]]:
    async with talking(server, modern=modern) as talk:
        return {tool["name"]: tool for tool in await talk.tools()}


def text(answer: dict[str, Any]) -> str:
    return answer["result"]["content"][0]["text"]


async def odd_name(talk: Any) -> str:
    return next(tool["name"] for tool in await talk.tools() if tool["name"].startswith(WIRE_ODD))


async def test_the_list_is_what_normalize_makes_of_the_servers_own(flavour: str, modern: bool) -> None:
    before = await tools_of(flavours.FLAVOURS[flavour](), modern)
    after = await tools_of(published(flavour), modern)
    view = toolglot.Toolset(before.values()).normalize(TARGET)
    assert list(after) == [form.name for form in view.tools]
    for form in view.tools:
        sent, own = after[form.name], before[form.published.tool.name]
        assert sent["inputSchema"] == form.schema
        assert toolglot.accept(sent, toolglot.target(TARGET)) == ()
        changed = sent["inputSchema"] != own["inputSchema"] or sent["name"] != own["name"]
        assert sent.get("_meta", {}).get(MARK) == (TARGET if changed else None)
        others = {
            key: value for key, value in sent.items() if key not in ("name", "inputSchema", "description", "_meta")
        }
        assert others == {key: own[key] for key in others}
        assert changed or sent == own
    assert after["put"]["inputSchema"] != before["put"]["inputSchema"]


async def test_portable_leaves_alone_what_all_targets_take(flavour: str, modern: bool) -> None:
    before = await tools_of(flavours.FLAVOURS[flavour](), modern)
    after = await tools_of(published(flavour, "portable"), modern)
    assert {name: after[name] for name in ("look", "manage", "count")} == {
        name: before[name] for name in ("look", "manage", "count")
    }


LINK = {"type": "link", "urls": ["https://example.com"]}
TAGS = {"en": "Hello"}
CALLS = [
    ({"value": LINK, "tags": [{"key": "en", "value": "Hello"}]}, [{"kind": "re-shaped", "pointer": "/tags"}]),
    ({"value": LINK, "tags": TAGS}, []),
    (
        {"value": json.dumps(LINK), "tags": [{"key": "en", "value": "Hello"}]},
        [
            {"kind": "re-shaped", "pointer": "/value"},
            {"kind": "re-shaped", "pointer": "/tags"},
            {"kind": "JSON text decoded", "pointer": "/value"},
        ],
    ),
]


@pytest.mark.parametrize(("said", "done"), CALLS, ids=["entries", "published-shape", "json-text"])
async def test_handlers_get_their_own_shape(flavour: str, modern: bool, said: Any, done: Any) -> None:
    async with talking(published(flavour), modern=modern) as talk:
        answer = await talk.call("put", said)
    assert called() == [("put", LINK, TAGS)]
    assert text(answer) == "stored"
    assert answer["result"].get("_meta", {}).get(RESTORED, []) == done


async def test_a_result_is_the_servers_own(flavour: str, modern: bool) -> None:
    async with talking(flavours.FLAVOURS[flavour](), modern=modern) as talk:
        own = await talk.call("count", {"start": 41})
    async with talking(published(flavour), modern=modern) as talk:
        same = await talk.call("count", {"start": 41})
        mended = await talk.call("count", {"start": "41"})
    assert own["result"]["structuredContent"] == {"number": 42}
    assert same == own
    assert mended["result"]["_meta"].pop(RESTORED) == [{"kind": "text made a number", "pointer": "/start"}]
    if not mended["result"]["_meta"]:
        del mended["result"]["_meta"]
    assert {**mended, "id": 0} == {**own, "id": 0}


WRONG = [
    ({"value": {"type": "picture"}}, "/value/type"),
    ({}, "value"),
    ({"value": LINK, "tags": [{"key": "en", "value": "a"}, {"key": "en", "value": "b"}]}, "/tags"),
    ({"value": LINK, "tag": TAGS}, "tag"),
]


@pytest.mark.parametrize(("said", "place"), WRONG, ids=["tag", "missing", "doubled-key", "unknown-name"])
async def test_wrong_arguments_come_back_in_words(flavour: str, modern: bool, said: Any, place: str) -> None:
    async with talking(published(flavour), modern=modern) as talk:
        answer = await talk.call("put", said)
    assert called() == []
    assert answer["result"]["isError"] is True
    assert text(answer).startswith("The arguments of put are not valid:")
    assert place in text(answer)
    assert answer["result"].get("resultType") == ("complete" if modern else None)
    stamp = answer["result"].get("_meta", {}).get("io.modelcontextprotocol/serverInfo", {})
    assert stamp.get("name") == ("shop" if modern else None)


async def test_a_renamed_tool_is_called_by_either_name(flavour: str, modern: bool) -> None:
    async with talking(published(flavour), modern=modern) as talk:
        by_published = await talk.call(flavours.ODD, {"level": "2"})
        by_wire = await talk.call(await odd_name(talk), {"level": "2"})
    assert text(by_published) == text(by_wire) == "2"
    assert called() == [("odd", 2), ("odd", 2)]


async def test_an_unknown_tool_is_answered_as_the_sdk_does(flavour: str, modern: bool) -> None:
    async with talking(flavours.FLAVOURS[flavour](), modern=modern) as talk:
        own = await talk.call("nothing", {"a": 1})
    async with talking(published(flavour), modern=modern) as talk:
        assert await talk.call("nothing", {"a": 1}) == own


@pytest.mark.parametrize("params", [{"name": 3}, {}, {"name": None, "arguments": 1}])
async def test_a_call_without_a_name_is_answered_as_the_sdk_does(flavour: str, modern: bool, params: Any) -> None:
    async with talking(flavours.FLAVOURS[flavour](), modern=modern) as talk:
        own = await talk.ask("tools/call", params)
    async with talking(published(flavour), modern=modern) as talk:
        assert await talk.ask("tools/call", params) == own
    assert "error" in own


@pytest.mark.skipif(not MODERN, reason="the SDK 1.x refuses arguments that are no object before any handler")
@pytest.mark.parametrize("said", ['{"start": 1}', {"start": "1"}], ids=["text", "object"])
async def test_arguments_as_json_text_arrive(flavour: str, modern: bool, said: Any) -> None:
    async with talking(published(flavour), modern=modern) as talk:
        answer = await talk.call("count", said)
    assert answer["result"]["structuredContent"] == {"number": 2}
    assert answer["result"]["_meta"][RESTORED]


async def test_read_only_hides_what_may_change_something(flavour: str, modern: bool) -> None:
    server = published(flavour, "portable", read_only=True)
    tools = await tools_of(server, modern)
    assert list(tools) == ["look", "manage"]
    assert tools["manage"]["inputSchema"]["properties"]["action"]["enum"] == ["list", "get"]
    assert "action" in tools["manage"]["inputSchema"]["required"]


GATED = [
    ("look", {"identifier": "a"}, ("look", "a")),
    ("manage", {"action": "get", "number": 3}, ("manage", "get", 3)),
    ("manage", {"action": "get", "number": "3"}, ("manage", "get", 3)),
    ("manage", {"action": "delete", "number": 3}, None),
    ("manage", {"action": "DELETE"}, None),
    ("manage", {"Action": "delete", "action": "get"}, None),
    ("manage", {"number": 3}, None),
    ("manage", None, None),
    ("put", {"value": LINK}, None),
    ("count", {"start": 1}, None),
    (flavours.ODD, {"level": 1}, None),
    ("nothing", {}, None),
]


@pytest.mark.parametrize("target", ["portable", TARGET, "none"])
@pytest.mark.parametrize(("name", "said", "expected"), GATED)
async def test_read_only_gates_every_call(
    flavour: str, modern: bool, target: str, name: str, said: Any, expected: Any
) -> None:
    async with talking(published(flavour, target, read_only=True), modern=modern) as talk:
        answer = await talk.call(name, said)
    assert called() == ([] if expected is None else [expected])
    if expected is None and name != "manage":
        assert answer["error"] == {"code": -32602, "message": f"Unknown tool: {name}"}
    elif expected is None:
        assert answer["result"]["isError"] is True
    else:
        assert not answer["result"].get("isError")


NAMES = [
    ({"only": ["look", flavours.ODD]}, ["look", WIRE_ODD]),
    ({"except_": ["put", flavours.ODD, "count"]}, ["look", "manage"]),
    ({"only": ["look", "put"], "except_": ["put"]}, ["look"]),
    ({"only": ("look", "put"), "read_only": True}, ["look"]),
]


@pytest.mark.parametrize(("restriction", "names"), NAMES)
async def test_only_and_except_take_published_names(
    flavour: str, modern: bool, restriction: Any, names: list[str]
) -> None:
    async with talking(published(flavour, **restriction), modern=modern) as talk:
        listed = [tool["name"] for tool in await talk.tools()]
        assert [name[: len(WIRE_ODD)] for name in listed] == names
        hidden = {"put", "look", "manage", "count"} - set(listed)
        for name in sorted(hidden):
            assert (await talk.call(name, {}))["error"]["code"] == -32602
    assert called() == []


async def test_a_tool_that_comes_later_is_made_fit_too(flavour: str, modern: bool) -> None:
    if flavour == "low":
        tools = flavours._published()
        later = [tools.pop(), tools.pop()]
        server = toolglot.publish(flavours.low(tools), TARGET)
    else:
        server = published(flavour)
    async with talking(server, modern=modern) as talk:
        listed = {tool["name"] for tool in await talk.tools()}
        if flavour == "low":
            assert not any(name.startswith(WIRE_ODD) for name in listed)
            tools.extend(later)
            name = toolglot.normalize(later[0], TARGET).name
            expected = ("odd", 1)
        else:
            name, expected = "late", ("late", 1)
            _add_late(server)
        assert text(await talk.call(name, {"level": "1"})) == "1"
        assert name in {tool["name"] for tool in await talk.tools()}
    assert called() == [expected]


def _add_late(server: Any) -> None:
    def late(level: flavours.Literal[1, 2]) -> str:
        flavours.CALLS.append(("late", level))
        return str(level)

    (server.tool if hasattr(server, "_mcp_server") and hasattr(server, "mount") else server.add_tool)(late)


async def test_a_tool_that_changed_without_a_notice_is_read_again(modern: bool) -> None:
    tools = flavours._published()
    async with talking(toolglot.publish(flavours.low(tools), TARGET), modern=modern) as talk:
        await talk.tools()
        tools[1] = flavours._tool("look", {"identifier": {"type": "integer"}}, "identifier")
        answers = [await talk.call("look", {"identifier": said}) for said in (7, "x")]
    assert [answer["result"].get("isError", False) for answer in answers] == [False, True]
    assert called() == [("look", 7)]


async def test_pages_stay_pages(modern: bool) -> None:
    async with talking(toolglot.publish(flavours.low(), TARGET), modern=modern) as talk:
        first = (await talk.ask("tools/list", {}))["result"]
        second = (await talk.ask("tools/list", {"cursor": first["nextCursor"]}))["result"]
        third = (await talk.ask("tools/list", {"cursor": second["nextCursor"]}))["result"]
    assert [len(page["tools"]) for page in (first, second, third)] == [2, 2, 1]
    assert "nextCursor" not in third


async def test_a_name_on_two_pages_is_hidden_under_read_only(modern: bool) -> None:
    tools = flavours._published()
    twice = [tools[1], tools[0], tools[2], {**tools[1], "annotations": {}}]
    assert list(await tools_of(toolglot.publish(flavours.low(twice), read_only=True), modern)) == ["manage"]


async def test_a_list_that_cannot_be_read_stops_no_call(modern: bool) -> None:
    async with talking(flavours.low(_broken()), modern=modern) as talk:
        own = await talk.call("look", {"identifier": "a"})
    async with talking(toolglot.publish(flavours.low(_broken())), modern=modern) as talk:
        assert await talk.call("look", {"identifier": "a"}) == own
    assert called() == [("look", "a")] * (2 if MODERN else 0)  # 1.x reads the list itself, before a call


@pytest.mark.parametrize("restriction", [{"read_only": True}, {"only": ["look"]}], ids=["read-only", "only"])
async def test_under_a_restriction_it_stops_all(modern: bool, restriction: Any) -> None:
    async with talking(toolglot.publish(flavours.low(_broken()), **restriction), modern=modern) as talk:
        answers = [await talk.call("look", {"identifier": "a"}), await talk.ask("tools/list")]
    assert all("error" in answer for answer in answers)
    told = "The list of tools could not be read, and this server is restricted here."
    assert [answer["error"]["message"] for answer in answers[:1]] == [told]
    assert called() == []


def _broken() -> list[Any]:
    """A list that the SDK's own model refuses."""
    return [{"name": 1}, *flavours._published()]


@pytest.mark.parametrize("target", ["portable", TARGET])
async def test_over_a_real_pipe(flavour: str, modern: bool, target: str) -> None:
    async with Process(published_command(flavour, target), modern) as process:
        piped = await process.tools()
        answer = await process.call("put", {"value": LINK, "tags": TAGS})
        wrong = await process.call("put", {"value": 7})
    assert {tool["name"]: tool for tool in piped} == await tools_of(published(flavour, target), modern)
    assert text(answer) == "stored"
    assert wrong["result"]["isError"] is True
