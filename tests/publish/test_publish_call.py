"""`publish` itself: what it takes, what it refuses, and what a second call does."""

from __future__ import annotations

import logging
from typing import Any

import pytest
from publish_help import flavours, talking

import toolglot
from toolglot.errors import ToolglotError, UnknownTarget
from toolglot.mcp.publishing.desk import Desk
from toolglot.mcp.publishing.hooking import publish
from toolglot.mcp.publishing.sdk1 import Handlers
from toolglot.mcp.publishing.sdk2 import Published


class NoSdk:
    """It runs, and has nothing to hook into."""

    def run(self) -> None: ...
    def create_initialization_options(self) -> None: ...


REFUSED = [
    (lambda: {"tools": []}, {}, "an object of builtins.dict, which is no MCP server it knows"),
    (lambda: None, {}, "builtins.NoneType"),
    (lambda: type(flavours.sdk()), {}, "the class "),
    (lambda: NoSdk(), {}, "its SDK is of an unknown version"),
    (flavours.low, {"target": "auto"}, 'the target "auto" is for the proxy'),
    (flavours.low, {"read_only": "false"}, "`read_only` is True, False or None, not 'false'"),
    (flavours.low, {"read_only": 0}, "`read_only` is True, False or None, not 0"),
    (flavours.low, {"only": "look"}, "`only` is a list of tool names"),
    (flavours.low, {"only": []}, "`only` is an empty list"),
    (flavours.low, {"except_": [1]}, "`except_` is a list of tool names"),
    (flavours.low, {"except_": b"look"}, "`except_` is a list of tool names"),
]


@pytest.mark.parametrize(("make", "arguments", "says"), REFUSED)
def test_what_is_wrong_is_one_clear_error(make: Any, arguments: Any, says: str) -> None:
    with pytest.raises(ToolglotError) as caught:
        publish(make(), **arguments)
    assert says in caught.value.message
    if not arguments:
        assert "Server and FastMCP of the official SDK 1.x" in caught.value.hint


def test_an_unknown_target_is_named_with_its_neighbours() -> None:
    with pytest.raises(UnknownTarget) as caught:
        publish(flavours.low(), "gemini-parameter")
    assert "gemini-parameters" in caught.value.nearest


def test_the_server_comes_back(flavour: str) -> None:
    server = flavours.FLAVOURS[flavour]()
    assert publish(server) is server


SECOND: list[tuple[dict[str, Any], dict[str, Any], bool]] = [
    ({}, {}, True),
    ({}, {"target": "portable"}, True),
    ({}, {"target": toolglot.target("portable")}, True),
    ({"only": ["look", "put"]}, {"only": ("put", "look")}, True),
    ({}, {"target": "gemini-parameters"}, False),
    ({}, {"target": "none"}, False),
    ({}, {"read_only": True}, False),
    ({"read_only": True}, {}, False),
    ({"only": ["look"]}, {"only": ["put"]}, False),
]


@pytest.mark.parametrize(("first", "second", "same"), SECOND)
@pytest.mark.anyio
async def test_a_second_call(flavour: str, first: dict[str, Any], second: dict[str, Any], same: bool) -> None:
    server = publish(flavours.FLAVOURS[flavour](), **first)
    async with talking(server) as talk:
        once = await talk.tools()
    if same:
        publish(server, **second)
    else:
        with pytest.raises(ToolglotError, match="published already, for 'portable'"):
            publish(server, **second)
    async with talking(server) as talk:
        assert await talk.tools() == once
        await talk.call("look", {"identifier": "a"})
    assert flavours.CALLS == [("look", "a")]


SWITCH = [
    ("true", None, True),
    ("1", None, True),
    ("", None, True),
    ("flase", None, True),
    ("false", None, False),
    ("No", None, False),
    (" off ", None, False),
    ("0", None, False),
    (None, None, False),
    (None, True, True),
    ("false", True, True),
    ("true", False, False),
]


@pytest.mark.parametrize(("value", "argument", "on"), SWITCH)
@pytest.mark.anyio
async def test_the_environment_switches_read_only_on(
    monkeypatch: pytest.MonkeyPatch, value: str | None, argument: bool | None, on: bool
) -> None:
    if value is not None:
        monkeypatch.setenv("TOOLGLOT_READ_ONLY", value)
    server = publish(flavours.low(), read_only=argument)
    monkeypatch.delenv("TOOLGLOT_READ_ONLY", raising=False)
    async with talking(server) as talk:
        assert ("put" not in {tool["name"] for tool in await talk.tools()}) is on


@pytest.mark.anyio
async def test_none_changes_no_tool(flavour: str) -> None:
    async with talking(flavours.FLAVOURS[flavour]()) as talk:
        own = await talk.tools()
    async with talking(publish(flavours.FLAVOURS[flavour](), "none")) as talk:
        assert await talk.tools() == own


@pytest.mark.anyio
async def test_what_happens_to_tools_is_logged_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "toolglot.publish")
    server = publish(flavours.low(), "gemini-parameters", except_=["look", "lok"])
    for _ in range(2):
        async with talking(server) as talk:
            await talk.tools()
    said = [record.getMessage() for record in caplog.records if record.name == "toolglot.publish"]
    assert [text for text in said if "'lok'" in text] == [
        "`only` or `except_` names 'lok', and no tool has that name now"
    ]
    (summary,) = [text for text in said if "left alone" in text]
    assert "1 hidden" in summary
    assert "ns/odd tool is ns_odd_tool_h" in summary


@pytest.mark.anyio
async def test_a_handler_that_is_registered_later_is_published_too() -> None:
    server: Any = publish(flavours.low([]), "gemini-parameters")
    other = flavours.low()
    if flavours.MODERN:
        for method in ("tools/list", "tools/call"):
            entry = other.get_request_handler(method)
            server.add_request_handler(method, entry.params_type, entry.handler)
    else:
        server.request_handlers.update(other.request_handlers)
    async with talking(server) as talk:
        names = [tool["name"] for tool in await talk.tools()]
        await talk.call(names[-1], {"level": "1"})
    assert names[-1].startswith("ns_odd_tool_h")
    assert flavours.CALLS == [("odd", 1)]


def _desk(server: Any) -> Desk:
    if flavours.MODERN:
        return next(one.desk for one in server.middleware if isinstance(one, Published))
    assert isinstance(server.request_handlers, Handlers)
    return server.request_handlers.desk


@pytest.mark.anyio
async def test_callers_do_not_share_what_a_name_means() -> None:
    """Two callers see different tools of one name; each call is restored by the caller's own."""
    desk = _desk(publish(flavours.low(), "gemini-parameters"))
    levels = {b"one": [1, 2], b"two": ["1", "2"]}

    def ask_as(caller: bytes) -> Any:
        tool = flavours._tool("odd", {"level": {"enum": levels[caller]}}, "level")

        async def ask(params: Any) -> bytes:
            return flavours.json.dumps({"tools": [tool]}).encode()

        return ask

    for caller, expected in ((b"one", {"level": 1}), (b"two", None), (b"one", {"level": 1})):
        _, verdict = await desk.judged(caller, "odd", b'{"level": "1"}', None, ask_as(caller))
        assert (verdict.refused, verdict.arguments) == ("", expected)
