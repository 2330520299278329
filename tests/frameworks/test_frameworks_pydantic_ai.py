"""pydantic-ai: agents with scripted models, over the demo server and over views."""

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
    published,
    said,
    view_for,
)

pydantic_ai = framework("pydantic_ai")
models = framework("pydantic_ai.models")
function = framework("pydantic_ai.models.function")
messages = framework("pydantic_ai.messages")
toolsets = framework("pydantic_ai.toolsets")

from toolglot import Target, Toolset  # noqa: E402
from toolglot.providers.frameworks.pydantic_ai import FittedToolset, ViewToolset, target_in_pydantic_ai, target_of  # noqa: E402

Step = Callable[[dict[str, Any]], Any]
"""What the model says, given the tools it was sent by name: parts of its answer."""


def demo() -> Any:
    """The demo server, over stdio."""
    mcp = framework("pydantic_ai.mcp")
    return mcp.MCPToolset(framework("fastmcp.client.transports").StdioTransport(COMMAND, ARGUMENTS, keep_alive=False))


def call(target: str | Target, name: str, arguments: dict[str, Any]) -> Step:
    """A call in the wire form."""

    def step(tools: dict[str, Any]) -> Any:
        wire = view_for(target).names[name]
        _, encoded = said(target, name, arguments, tools[wire].parameters_json_schema)
        return messages.ToolCallPart(wire, encoded)

    return step


def raw(name: str, arguments: Any) -> Step:
    return lambda tools: messages.ToolCallPart(name, arguments)


class Script:
    """A model that says one step after the other, then "Done."; `sent` are the tools of each request."""

    def __init__(self, *steps: Step) -> None:
        self.steps = list(steps)
        self.sent: list[dict[str, Any]] = []
        self.model = function.FunctionModel(self._answer)

    def _answer(self, history: Any, info: Any) -> Any:
        self.sent.append({tool.name: tool for tool in info.function_tools})
        if self.steps:
            return messages.ModelResponse([self.steps.pop(0)(self.sent[-1])])
        return messages.ModelResponse([messages.TextPart("Done.")])


async def arun(script: Script, toolset: Any, **options: Any) -> Any:
    return await pydantic_ai.Agent(script.model, toolsets=[toolset], **options).run("Do it.")


def run(script: Script, toolset: Any, **options: Any) -> Any:
    return asyncio.run(arun(script, toolset, **options))


def parts(result: Any) -> list[Any]:
    kinds = ("tool-return", "retry-prompt")  # older versions give a retry a kind of its own
    return [part for message in result.all_messages() for part in message.parts if part.part_kind in kinds]


def done(result: Any) -> list[Any]:
    """What calls gave that went well."""
    return [part for part in parts(result) if part.part_kind == "tool-return" and part.outcome == "success"]


def retries(result: Any) -> list[Any]:
    """What the framework asked the model to do again."""
    return [part for part in parts(result) if part.part_kind == "retry-prompt" or part.outcome == "retried"]


@EACH_TARGET
def test_an_asset_arrives_as_an_asset(target: str) -> None:
    script = Script(
        call(target_in_pydantic_ai(target), "entries_upsert", UPSERT),
        call(target_in_pydantic_ai(target), "page_render", PAGE),
    )
    result = run(script, FittedToolset(demo(), target))
    updated, page = done(result)
    assert updated.content == "updated"
    assert "[picture: price-list.pdf] What it costs" in page.content
    assert retries(result) == []


@EACH_TARGET
def test_the_model_is_sent_the_tools_of_the_target(target: str) -> None:
    script = Script()
    run(script, FittedToolset(demo(), target))
    view = view_for(target_in_pydantic_ai(target))
    assert list(script.sent[0]) == [tool.name for tool in view.tools]
    for tool in view.tools:
        sent = script.sent[0][tool.name]
        assert sent.description == tool.description
        assert sent.parameters_json_schema["properties"] == (tool.schema or {}).get("properties", {})
        assert sent.strict is (None if target == "gemini-parameters" else True)


def test_names_are_renamed_and_restored() -> None:
    wire = view_for("openai-strict").names[LONG]
    assert len(wire) <= 64
    script = Script(call("openai-strict", LONG, {"locale": "de-CH"}))
    result = run(script, FittedToolset(demo(), "openai-strict"))
    assert wire in script.sent[0]
    (answer,) = done(result)
    assert answer.tool_name == wire
    assert "Harbour tour" in json.dumps(answer.content)


BROKEN = [
    pytest.param("entries_upsert", WRONG, "field_values", id="wrong"),
    pytest.param("entries_upsert", {}, "entry_id", id="missing"),
    pytest.param("page_render", '{"page_id": ', "JSON", id="broken"),
    pytest.param("page_render", {"page_id": "nowhere"}, "nowhere", id="refused by the server"),
    pytest.param("no_such_tool", {}, "Unknown tool", id="unknown"),
]


@pytest.mark.parametrize(("name", "arguments", "word"), BROKEN)
def test_a_wrong_call_is_a_retry_that_the_model_can_act_on(name: str, arguments: Any, word: str) -> None:
    script = Script(raw(name, arguments), call("openai-strict", "page_render", PAGE))
    result = run(script, FittedToolset(demo(), "openai-strict"))
    (retry,) = retries(result)
    assert word in str(retry.content)
    (page,) = done(result)
    assert "Harbour tour" in page.content


def test_retries_end_as_the_framework_says() -> None:
    script = Script(*[raw("entries_upsert", WRONG)] * 3)
    with pytest.raises(pydantic_ai.UnexpectedModelBehavior, match="max retries"):
        run(script, FittedToolset(demo(), "openai-strict"))


def test_hooks_and_approvals_see_the_arguments_of_the_server() -> None:
    seen: list[Any] = []

    def asks(ctx: Any, definition: Any, arguments: dict[str, Any]) -> bool:
        seen.append((definition.name, arguments))
        return False

    script = Script(call("openai-strict", "entries_upsert", UPSERT))
    run(script, FittedToolset(demo(), "openai-strict").approval_required(asks))
    assert seen == [("entries_upsert", UPSERT)]


def test_it_goes_on_prefixed_and_filtered_toolsets_and_under_a_prefix() -> None:
    inner = demo().filtered(lambda ctx, definition: definition.name.endswith("_render")).prefixed("cms")
    script = Script(raw("my_cms_page_render", PAGE))
    result = run(script, FittedToolset(inner, "openai").prefixed("my"))
    assert list(script.sent[0]) == ["my_cms_page_render"]
    (page,) = done(result)
    assert "Harbour tour" in page.content


@EACH_TARGET
def test_each_tool_is_fitted_once(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[Any] = []
    make = Toolset._make
    monkeypatch.setattr(Toolset, "_make", lambda toolset, *rest: made.append(1) or make(toolset, *rest))
    script, again = Script(*[raw("page_render", PAGE)] * 20), Script()

    async def conversations() -> None:
        fitted = FittedToolset(demo(), target)
        await arun(script, fitted)
        await arun(again, fitted)

    asyncio.run(conversations())
    assert (len(script.sent), len(again.sent)) == (21, 1)
    assert len(made) == 1


def test_a_list_that_changes_is_read_again() -> None:
    tools = pydantic_ai.FunctionToolset()
    fitted = FittedToolset(tools, "openai-strict")

    def first(count: int) -> str:
        """Counts."""
        return f"{count + 1}"

    tools.add_function(first)
    script = Script(
        lambda sent: [tools.add_function(first, name="second"), messages.ToolCallPart("first", {"count": 1})][1]
    )
    result = run(script, fitted)
    assert [list(sent) for sent in script.sent] == [["first"], ["first", "second"]]
    assert done(result)[0].content == "2"


def test_without_a_target_the_model_says_which() -> None:
    script = Script()
    run(script, FittedToolset(demo()))
    assert script.sent[0]["entries_upsert"].strict is None  # portable
    openai = framework("pydantic_ai.models.openai")
    provider = framework("pydantic_ai.providers.openai").OpenAIProvider(api_key="none")
    model = openai.OpenAIResponsesModel("gpt-5", provider=provider)
    assert target_of(model).id == "openai-nonstrict"
    fallback = framework("pydantic_ai.models.fallback").FallbackModel
    assert target_of(fallback(model, model)).id == "openai-nonstrict"
    assert target_of(fallback(model, script.model)).id == "portable"


def test_tools_that_run_elsewhere_stay_as_they_are() -> None:
    definition = framework("pydantic_ai.tools").ToolDefinition(
        name="elsewhere", parameters_json_schema={"type": "object"}
    )
    external = framework("pydantic_ai.toolsets").ExternalToolset([definition])
    script = Script(raw("elsewhere", {"a": 1}))
    result = run(script, FittedToolset(external, "openai-strict"), output_type=[str, pydantic_ai.DeferredToolRequests])
    (asked,) = result.output.calls
    assert asked.args == {"a": 1}


def test_the_test_model_of_the_framework_gets_through() -> None:
    """It makes up arguments from each schema and calls every tool: a kind of random model."""
    test = framework("pydantic_ai.models.test").TestModel(call_tools=[view_for("openai-strict").names["page_render"]])
    agent = pydantic_ai.Agent(test, toolsets=[FittedToolset(demo(), "openai-strict")], retries=0)
    with pytest.raises(pydantic_ai.UnexpectedModelBehavior):
        asyncio.run(agent.run("Do it."))  # the page "a" is unknown to the server


@EACH_TARGET
@pytest.mark.parametrize("live", [False, True], ids=["call", "live"])
def test_a_view_is_a_toolset(target: str, live: bool) -> None:
    memory = Memory()
    script = Script(raw("entries_upsert", WRONG), call(target, "entries_upsert", UPSERT))

    async def work() -> Any:
        async with live_view(memory, target) as view:
            return await arun(script, ViewToolset(view))

    if live:
        result = asyncio.run(work())
    else:
        result = run(script, ViewToolset(view_for(target), memory.acall, id="demo"))
    assert memory.calls == [("entries_upsert", UPSERT)]
    assert memory.picture == STORED
    assert [part.content for part in done(result)] == ["updated"]
    assert ["field_values" in part.content for part in retries(result)] == [True]


def test_results_of_a_view_come_as_the_framework_has_them() -> None:
    pixel = {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"}
    binary = pydantic_ai.BinaryContent(b"hello", media_type="image/png")
    link = {"type": "resource_link", "uri": "https://example.com/a.png", "name": "a"}
    rows = [
        ({"content": [], "structuredContent": {"n": 1}}, {"n": 1}),
        (
            {"content": [{"type": "text", "text": "a"}, pixel]},
            ["a", binary],
        ),
        ({"content": [link]}, "a: https://example.com/a.png"),
        (None, ""),
    ]
    for outcome, expected in rows:
        script = Script(call("openai", "page_render", PAGE))
        result = run(script, ViewToolset(view_for("openai"), lambda name, arguments, outcome=outcome: outcome))
        assert done(result)[0].content == expected


def test_a_view_that_cannot_call_needs_a_function() -> None:
    with pytest.raises(TypeError, match="call="):
        ViewToolset(view_for("openai"))


def test_tools_that_are_not_sent_are_logged(caplog: pytest.LogCaptureFixture) -> None:
    from toolglot.providers.frameworks.common import Views

    views = Views()
    entries = [*published(), {"name": "page_render", "inputSchema": {"type": "object"}}]
    deep: Any = {}
    for _ in range(300):
        deep = {"properties": {"a": deep}}
    entries.append({"name": "deep", "inputSchema": deep})
    assert views.view(entries, "openai") is views.view(entries, "openai")
    assert [record.message for record in caplog.records if "page_render is not sent to openai" in record.message]
    assert [record.message for record in caplog.records if "deep" in record.message]
    assert len(caplog.records) == 2
