"""OpenAI Agents SDK: agents with a scripted model, over the demo server and over views."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any

import pytest
from framework_parts import (
    ARGUMENTS,
    COMMAND,
    EACH_TARGET,
    LONG,
    PAGE,
    STORED,
    UPSERT,
    WRONG,
    Memory,
    framework,
    live_view,
    said,
    view_for,
)

agents = framework("agents")
mcp = framework("agents.mcp")
interface = framework("agents.models.interface")
items = framework("agents.items")
usage = framework("agents.usage")
responses = framework("openai.types.responses")

from toolglot.providers.frameworks.openai_agents import fit_mcp_tools, function_tools  # noqa: E402

Step = Callable[[dict[str, Any]], Any]
"""What the model says, given the tools it was sent by name: the name and the text of the arguments of a call."""


class Script(interface.Model):
    """A model that makes one call after the other, then says "Done."; `sent` are the tools of the last request."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.sent: dict[str, Any] = {}

    async def get_response(self, *positional: Any, **named: Any) -> Any:
        """One answer."""
        tools = named["tools"] if "tools" in named else positional[3]
        self.sent = {tool.name: tool for tool in tools}
        return items.ModelResponse(output=[self._said()], usage=usage.Usage(), response_id=None)

    def stream_response(self, *positional: Any, **named: Any) -> Any:
        """Not asked for."""
        raise AssertionError

    def _said(self) -> Any:
        if self.steps:
            name, arguments = self.steps.pop(0)(self.sent)
            call_id = f"call_{len(self.steps)}"
            return responses.ResponseFunctionToolCall(
                type="function_call", name=name, arguments=arguments, call_id=call_id
            )
        text = responses.ResponseOutputText(type="output_text", text="Done.", annotations=[])
        return responses.ResponseOutputMessage(
            id="m", type="message", role="assistant", status="completed", content=[text]
        )


def call(target: str, name: str, arguments: dict[str, Any]) -> Step:
    """A call in the wire form."""

    def step(tools: dict[str, Any]) -> Any:
        wire = view_for(target).names[name]
        _, encoded = said(target, name, arguments, tools[wire].params_json_schema)
        return wire, json.dumps(encoded)

    return step


def raw(name: str, arguments: str) -> Step:
    return lambda tools: (name, arguments)


def demo(**options: Any) -> Any:
    """The demo server, over stdio."""
    return mcp.MCPServerStdio(params={"command": COMMAND, "args": ARGUMENTS}, **options)


async def outputs(script: Script, tools: list[Any]) -> list[Any]:
    """What the tools gave in a run of an agent."""
    agent = agents.Agent(name="a", model=script, tools=tools)
    found = await agents.Runner.run(agent, "Do it.", run_config=agents.RunConfig(tracing_disabled=True))
    return [item.output for item in found.new_items if item.type == "tool_call_output_item"]


def run(script: Script, target: str, **options: Any) -> list[Any]:
    async def whole() -> list[Any]:
        async with demo(**options) as server:
            return await outputs(script, await fit_mcp_tools(server, target))

    return asyncio.run(whole())


def text(output: Any) -> str:
    """The text of an output: the SDK gives it as text, as an object or as a mapping."""
    if isinstance(output, str):
        return output
    return output["text"] if isinstance(output, dict) else output.text


@EACH_TARGET
def test_an_asset_arrives_as_an_asset(target: str) -> None:
    script = Script(call(target, "entries_upsert", UPSERT), call(target, "page_render", PAGE))
    updated, page = run(script, target)
    assert text(updated) == "updated"
    assert "[picture: price-list.pdf] What it costs" in text(page)


@EACH_TARGET
def test_the_model_is_sent_the_tools_of_the_target(target: str) -> None:
    script = Script()
    run(script, target)
    view = view_for(target)
    assert list(script.sent) == [tool.name for tool in view.tools]
    for tool in view.tools:
        sent = script.sent[tool.name]
        assert sent.description == tool.description
        assert sent.params_json_schema["properties"] == (tool.schema or {}).get("properties", {})
        assert sent.strict_json_schema is (target != "gemini-parameters")


def test_names_are_renamed_and_restored() -> None:
    script = Script(call("openai-strict", LONG, {"locale": "de-CH"}))
    (answer,) = run(script, "openai-strict")
    assert view_for("openai-strict").names[LONG] in script.sent
    assert "Harbour tour" in text(answer)


BROKEN = [
    pytest.param("entries_upsert", json.dumps(WRONG), "field_values", id="wrong"),
    pytest.param("entries_upsert", "", "entry_id", id="nothing"),
    pytest.param("page_render", '{"page_id": ', "JSON", id="broken"),
    pytest.param("page_render", '{"page_id": "nowhere"}', "nowhere", id="refused by the server"),
]


@pytest.mark.parametrize(("name", "arguments", "word"), BROKEN)
def test_a_wrong_call_is_an_answer_that_the_model_can_act_on(name: str, arguments: str, word: str) -> None:
    script = Script(raw(name, arguments), call("openai-strict", "page_render", PAGE))
    wrong, page = run(script, "openai-strict")
    assert word in text(wrong)
    assert "Harbour tour" in text(page)


def test_filters_and_approvals_of_the_server_stay() -> None:
    allowed = mcp.create_static_tool_filter(allowed_tool_names=["entries_upsert"])

    async def whole() -> list[Any]:
        async with demo(tool_filter=allowed, require_approval="always") as server:
            return await fit_mcp_tools(server, "openai-strict")

    (tool,) = asyncio.run(whole())
    assert (tool.name, tool.needs_approval) == ("entries_upsert", True)


@EACH_TARGET
@pytest.mark.parametrize("live", [False, True], ids=["call", "live"])
def test_the_tools_of_a_view(target: str, live: bool) -> None:
    memory = Memory()
    script = Script(raw("entries_upsert", json.dumps(WRONG)), call(target, "entries_upsert", UPSERT))

    async def work() -> list[Any]:
        async with live_view(memory, target) as view:
            return await outputs(script, function_tools(view))

    view = view_for(target)
    tools = function_tools(view, memory.acall, timeout_seconds=60)
    wrong, updated = asyncio.run(work() if live else outputs(script, tools))
    assert "field_values" in text(wrong)
    assert text(updated) == "updated"
    assert memory.calls == [("entries_upsert", UPSERT)]
    assert memory.picture == STORED
    assert {tool.timeout_seconds for tool in tools} == {60}
    assert [tool.strict_json_schema for tool in tools] == [bool(tool.target.fallback) for tool in view.tools]


def test_results_of_a_view_come_as_the_sdk_has_them() -> None:
    content = [
        {"type": "text", "text": "a"},
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "f:///a.pdf", "mimeType": "application/pdf", "blob": "aGVsbG8="}},
        {"type": "audio", "data": "aGVsbG8=", "mimeType": "audio/wav"},
    ]
    tools = function_tools(view_for("openai"), lambda name, arguments: {"content": content})
    tool = next(tool for tool in tools if tool.name == "page_render")
    found = asyncio.run(tool.on_invoke_tool(None, json.dumps(PAGE)))
    assert found[0] == agents.ToolOutputText(text="a")
    assert found[1] == agents.ToolOutputImage(image_url="data:image/png;base64,aGVsbG8=")
    assert found[2].file_data == "data:application/pdf;base64,aGVsbG8="
    assert "audio/wav" in found[3].text


def test_a_view_that_cannot_call_needs_a_function() -> None:
    with pytest.raises(TypeError, match="call="):
        function_tools(view_for("openai"))
