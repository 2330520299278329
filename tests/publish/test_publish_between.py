"""What is published and what stands between: a tool that was made fit for a target is made fit once."""

from __future__ import annotations

import sys
from typing import Any

import pytest
from publish_help import MODERN, Process, flavours, published_command, talking

import toolglot

TARGET = "gemini-parameters"
MARK = "io.toolglot/target"
RESTORED = "io.toolglot/restored"
SAID = {"value": {"type": "text", "text": "a"}, "tags": [{"key": "en", "value": "Hello"}]}

pytestmark = [pytest.mark.anyio, pytest.mark.untraced]  # many processes: slow under coverage


def behind_a_proxy(target: str, *options: str, server: list[str]) -> list[str]:
    return [
        sys.executable,
        "-m",
        "toolglot",
        "proxy",
        "--isolated",
        "--quiet",
        "--for",
        target,
        *options,
        "--",
        *server,
    ]


async def test_a_proxy_passes_what_was_published_for_its_target(flavour: str, modern: bool) -> None:
    server = published_command(flavour, TARGET)
    async with Process(server, modern) as direct:
        own = await direct.tools()
        said = await direct.call("put", SAID)
    async with Process(behind_a_proxy(TARGET, server=server), modern) as proxied:
        assert await proxied.tools() == own
        again = await proxied.call("put", SAID)
        odd = await proxied.call(own[-1]["name"], {"level": "2"})
    assert said["result"]["_meta"][RESTORED] == [{"kind": "re-shaped", "pointer": "/tags"}]
    assert again["result"] == said["result"]
    assert odd["result"]["content"][0]["text"] == "2"


async def test_a_proxy_for_another_target_restores_what_it_changed_itself(modern: bool) -> None:
    server = published_command("low", "openai-strict")
    async with Process(behind_a_proxy(TARGET, server=server), modern) as proxied:
        tools = {tool["name"]: tool for tool in await proxied.tools()}
        answer = await proxied.call("put", SAID)
    assert tools["put"]["_meta"][MARK] == TARGET
    assert answer["result"]["content"][0]["text"] == "stored"


async def test_the_gate_of_a_proxy_counts_all_the_same(flavour: str, modern: bool) -> None:
    command = behind_a_proxy(TARGET, "--read-only", server=published_command(flavour, TARGET))
    async with Process(command, modern) as proxied:
        assert [tool["name"] for tool in await proxied.tools()] == ["look", "manage"]
        refused = await proxied.call("manage", {"action": "delete"})
        hidden = await proxied.call("put", SAID)
        read = await proxied.call("manage", {"action": "list"})
    assert refused["result"]["isError"] is True
    assert hidden["error"]["code"] == -32602
    assert read["result"]["content"][0]["text"] == "list"


def _marked() -> list[Any]:
    """The tools as a proxy, or another server, has made them fit."""
    view = toolglot.Toolset(flavours._published()).normalize(TARGET)
    own = {tool["name"]: tool for tool in flavours._published()}
    return [
        {**own[form.published.tool.name], "name": form.name, "inputSchema": form.schema, "_meta": {MARK: TARGET}}
        for form in view.tools
    ]


async def test_publish_passes_what_was_made_fit_already(modern: bool) -> None:
    tools = _marked()
    async with talking(flavours.low(tools), modern=modern) as talk:
        own = await talk.tools()
    async with talking(toolglot.publish(flavours.low(tools), TARGET), modern=modern) as talk:
        assert await talk.tools() == own
        await talk.call("put", SAID)
    assert [("put", SAID["value"], SAID["tags"])] == flavours.CALLS


@pytest.mark.parametrize("target", [TARGET, "portable"])
async def test_the_gate_of_publish_counts_all_the_same(modern: bool, target: str) -> None:
    server = toolglot.publish(flavours.low(_marked()), target, read_only=True)
    async with talking(server, modern=modern) as talk:
        assert [tool["name"] for tool in await talk.tools()] == ["look", "manage"]
        assert (await talk.call("put", SAID))["error"]["code"] == -32602
        assert (await talk.call("manage", {"action": "delete"}))["result"]["isError"] is True
        assert not (await talk.call("manage", {"action": "get"}))["result"].get("isError")
    assert flavours.CALLS == [("manage", "get", 0)]


@pytest.mark.skipif("fast" not in flavours.FLAVOURS or not MODERN, reason="needs the proxy of fastmcp 4")
async def test_publish_on_a_server_that_stands_before_a_proxy() -> None:
    """fastmcp's own proxy, published, before `toolglot proxy`, before the demo server: one of them makes it fit."""
    from fastmcp.client.transports import StdioTransport
    from fastmcp.server import create_proxy

    command = behind_a_proxy(TARGET, server=[sys.executable, "-m", "toolglot.demo"])
    async with Process(command) as proxied:
        own = {tool["name"]: tool["inputSchema"] for tool in await proxied.tools()}
    outer = toolglot.publish(create_proxy(StdioTransport(command[0], command[1:])), TARGET)
    said = {"content_type": "card", "entry_id": "harbour-tour", "field_values": [_wire_picture()]}
    async with talking(outer) as talk:
        tools = {tool["name"]: tool for tool in await talk.tools()}
        answer = await talk.call("entries_upsert", said)
        page = await talk.call("page_render", {"page_id": "home"})
    assert {name: tool["inputSchema"] for name, tool in tools.items()} == own
    assert tools["entries_upsert"]["_meta"][MARK] == TARGET
    assert answer["result"]["content"][0]["text"] == "updated"
    assert "[picture: price-list.pdf]" in page["result"]["content"][0]["text"]


def _wire_picture() -> dict[str, Any]:
    return {"field": "picture", "type": "asset", "asset_id": 549896}
