"""LangChain and LangGraph: agents with a scripted chat model, over langchain-mcp-adapters and over views."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Annotated, Any

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

pydantic = framework("pydantic")
core = framework("langchain_core.tools")
messages = framework("langchain_core.messages")
chat_models = framework("langchain_core.language_models")
outputs = framework("langchain_core.outputs")
calling = framework("langchain_core.utils.function_calling")
agents = framework("langchain.agents")
prebuilt = framework("langgraph.prebuilt")

from toolglot import Target, Toolset  # noqa: E402
from toolglot.providers.frameworks.langchain import FittedTool, fit_tools, target_in_langchain, view_tools  # noqa: E402

Step = Callable[[dict[str, Any]], Any]
"""What the model says, given the tools it was sent by name: a call."""


class Script(chat_models.BaseChatModel):
    """A chat model that makes one call after the other, then says "Done."; `sent` are the tools it was sent."""

    steps: list[Any]
    sent: dict[str, Any] = pydantic.Field(default_factory=dict)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **options: Any) -> Any:
        """Keep the tools in the form that LangChain gives to OpenAI and to most others."""
        for tool in tools:
            written = calling.convert_to_openai_tool(tool)["function"]
            self.sent[written["name"]] = written
        return self

    def _generate(self, history: Any, stop: Any = None, run_manager: Any = None, **options: Any) -> Any:
        said = [self.steps.pop(0)(self.sent)] if self.steps else []
        calls = [{"id": f"call_{len(self.steps)}", **call, "type": "tool_call"} for call in said]
        message = messages.AIMessage("" if calls else "Done.", tool_calls=calls)
        return outputs.ChatResult(generations=[outputs.ChatGeneration(message=message)])


def call(target: str | Target, name: str, arguments: dict[str, Any]) -> Step:
    """A call in the wire form."""

    def step(tools: dict[str, Any]) -> Any:
        wire = view_for(target).names[name]
        _, encoded = said(target, name, arguments, tools[wire]["parameters"])
        return {"name": wire, "args": encoded}

    return step


def raw(name: str, arguments: Any) -> Step:
    return lambda tools: {"name": name, "args": arguments}


@asynccontextmanager
async def demo(**options: Any) -> AsyncIterator[list[Any]]:
    """The tools of langchain-mcp-adapters for the demo server, over stdio."""
    client = framework("langchain_mcp_adapters.client").MultiServerMCPClient(
        {"demo": {"transport": "stdio", "command": COMMAND, "args": ARGUMENTS}}
    )
    async with client.session("demo") as session:
        yield await framework("langchain_mcp_adapters.tools").load_mcp_tools(session, **options)


async def answers(script: Script, tools: list[Any]) -> list[Any]:
    """The messages of the tools in a run of an agent."""
    found = await agents.create_agent(script, tools).ainvoke({"messages": [{"role": "user", "content": "Do it."}]})
    return [message for message in found["messages"] if message.type == "tool"]


def run(script: Script, fit: Callable[[list[Any]], list[Any]], **options: Any) -> list[Any]:
    async def whole() -> list[Any]:
        async with demo(**options) as tools:
            return await answers(script, fit(tools))

    return asyncio.run(whole())


def text(message: Any) -> str:
    return message.content if isinstance(message.content, str) else message.content[0]["text"]


@EACH_TARGET
def test_an_asset_arrives_as_an_asset(target: str) -> None:
    script = Script(
        steps=[
            call(target_in_langchain(target), "entries_upsert", UPSERT),
            call(target_in_langchain(target), "page_render", PAGE),
        ]
    )
    updated, page = run(script, lambda tools: fit_tools(tools, target))
    assert (text(updated), updated.status) == ("updated", "success")
    assert "[picture: price-list.pdf] What it costs" in text(page)


def as_langchain_writes(schema: Any) -> Any:
    """The schema after what the framework does to every one: references inlined, titles taken out."""
    written = calling.convert_to_openai_function({"title": "t", "description": "d", **schema})["parameters"]
    whole = framework("langchain_core.utils.json_schema").dereference_refs(written)
    return calling._rm_titles({key: value for key, value in whole.items() if key not in ("$defs", "definitions")})


@EACH_TARGET
def test_the_model_is_sent_the_tools_of_the_target(target: str) -> None:
    script = Script(steps=[])
    assert run(script, lambda tools: fit_tools(tools, target)) == []
    view = view_for(target_in_langchain(target))
    assert list(script.sent) == [tool.name for tool in view.tools]
    for tool in view.tools:
        sent = script.sent[tool.name]
        assert sent["description"] == tool.description
        assert sent["parameters"] == as_langchain_writes(tool.schema or {"type": "object", "properties": {}})


def test_names_are_renamed_and_restored() -> None:
    wire = view_for("openai-strict").names[LONG]
    script = Script(steps=[call("openai-strict", LONG, {"locale": "de-CH"})])
    (answer,) = run(script, lambda tools: fit_tools(tools, "openai-strict"))
    assert (answer.name, answer.status) == (wire, "success")
    assert "Harbour tour" in text(answer)


BROKEN = [
    pytest.param("entries_upsert", WRONG, "field_values", id="wrong"),
    pytest.param("entries_upsert", {}, "entry_id", id="missing"),
    pytest.param("page_render", {"page_id": "nowhere"}, "nowhere", id="refused by the server"),
    pytest.param("no_such_tool", {}, "not a valid tool", id="unknown"),
]


@pytest.mark.parametrize(("name", "arguments", "word"), BROKEN)
def test_a_wrong_call_is_an_error_that_the_model_can_act_on(name: str, arguments: Any, word: str) -> None:
    script = Script(steps=[raw(name, arguments), call("openai-strict", "page_render", PAGE)])
    wrong, page = run(script, lambda tools: fit_tools(tools, "openai-strict"))
    assert wrong.status == "error"
    assert word in text(wrong)
    assert "Harbour tour" in text(page)


def test_errors_of_the_server_go_where_the_tool_was_told() -> None:
    script = Script(steps=[raw("page_render", {"page_id": "nowhere"})])
    with pytest.raises(ExceptionGroup) as raised:
        run(script, lambda tools: fit_tools(tools, "openai"), handle_tool_errors=False)
    assert raised.group_contains(core.ToolException, match="nowhere")
    script = Script(steps=[raw("entries_upsert", WRONG)])
    (wrong,) = run(script, lambda tools: fit_tools(tools, "openai"), handle_tool_errors=False)
    assert (wrong.status, "field_values" in text(wrong)) == ("error", True)


def test_a_tool_stays_what_it_is_in_everything_else() -> None:
    seen: list[Any] = []

    async def intercept(request: Any, handler: Any) -> Any:
        seen.append((request.name, request.args, request.runtime is not None))
        return await handler(request)

    def fit(tools: list[Any]) -> list[Any]:
        fitted = fit_tools(tools, "openai-strict")
        assert [tool.metadata for tool in fitted] == [tool.metadata for tool in tools]
        assert all(isinstance(tool, (FittedTool, core.StructuredTool)) for tool in fitted)
        return fitted

    script = Script(steps=[call("openai-strict", "entries_upsert", UPSERT)])
    run(script, fit, tool_interceptors=[intercept])
    assert seen == [("entries_upsert", UPSERT, True)]


def tool_with(properties: dict[str, Any], **options: Any) -> tuple[Any, list[Any]]:
    """A tool as the adapters make them, and what arrives there."""
    arrived: list[Any] = []

    async def call_tool(
        runtime: Annotated[object | None, core.InjectedToolArg()] = None, **arguments: dict[str, Any]
    ) -> Any:
        arrived.append((runtime, arguments))
        return "ok"

    schema = {"type": "object", "properties": properties}
    tool = core.StructuredTool(name="t", description="", args_schema=schema, coroutine=call_tool, **options)
    return tool, arrived


NAMES = ["config", "run_manager", "callbacks", "self", "args", "arguments", "inner"]


@pytest.mark.parametrize("name", NAMES)
def test_a_parameter_may_be_called_as_the_framework_calls_its_own(name: str) -> None:
    tool, arrived = tool_with({name: {"type": "string"}})
    (fitted,) = fit_tools([tool], "openai")
    assert asyncio.run(fitted.ainvoke({name: "a"})) == "ok"
    assert arrived == [(None, {name: "a"})]


def test_what_the_graph_injects_is_no_argument() -> None:
    tool, arrived = tool_with({"a": {"type": "string"}})
    (fitted,) = fit_tools([tool], "openai-strict")
    marker = object()
    asyncio.run(fitted.ainvoke({"a": "x", "runtime": marker}))
    assert arrived == [(marker, {"a": "x"})]
    assert list(fitted.tool_call_schema["properties"]) == ["a"]


COUNT = {"count": {"type": "integer"}}


def test_a_tool_of_a_class_of_its_own_is_called_as_it_is() -> None:
    class Own(core.BaseTool):
        name: str = "own"
        description: str = "Counts."
        args_schema: Any = pydantic.Field(default_factory=lambda: {"type": "object", "properties": COUNT})

        def _run(self, count: int = 0) -> str:
            return f"{count + 1}"

    (fitted,) = fit_tools([Own()], "openai-strict")
    assert asyncio.run(fitted.ainvoke({"count": 1.0})) == "2"


HANDLERS = [(True, "no"), ("said", "said"), (lambda error: f"<{error}>", "<no>")]


@pytest.mark.parametrize(("own", "expected"), HANDLERS, ids=["true", "text", "function"])
def test_other_errors_are_handled_as_before(own: Any, expected: str) -> None:
    def fails(**arguments: Any) -> Any:
        raise core.ToolException("no")

    schema = {"type": "object", "properties": {}}
    tool = core.StructuredTool(name="t", description="", args_schema=schema, func=fails, handle_tool_error=own)
    (fitted,) = fit_tools([tool], "openai")
    assert fitted.invoke({}) == expected


def test_tools_of_a_python_function_stay_as_they_are() -> None:
    @core.tool
    def add(a: int, b: int) -> int:
        """Adds."""
        return a + b

    tool, _ = tool_with({"x": {"anyOf": [{"type": "object"}, {"type": "array"}]}})
    own, fitted = fit_tools([add, tool], "openai-strict")
    assert own is add
    assert fit_tools([fitted], "openai-strict") == [fitted]
    assert fitted.args_schema["additionalProperties"] is False


def test_recursion_survives_the_framework() -> None:
    """LangChain cuts a recursive reference and leaves an empty schema; here the deeper levels are JSON text."""
    tree = {"type": "object", "properties": {"name": {"type": "string"}, "kids": {"type": "array"}}}
    tree["properties"]["kids"]["items"] = {"$ref": "#/$defs/tree"}
    tool, arrived = tool_with({"tree": {"$ref": "#/$defs/tree"}})
    tool.args_schema["$defs"] = {"tree": tree}
    (fitted,) = fit_tools([tool], "openai")
    written = str(calling.convert_to_openai_tool(fitted))
    assert "$ref" not in written
    assert "'items': {}" not in written
    value = {"tree": {"name": "a", "kids": [{"name": "b", "kids": [{"name": "c"}]}]}}
    view = Toolset([{"name": "t", "inputSchema": tool.args_schema}]).normalize(target_in_langchain("openai"))
    asyncio.run(fitted.ainvoke(view.encode("t", value)[1]))
    assert arrived == [(None, value)]


@EACH_TARGET
@pytest.mark.parametrize("live", [False, True], ids=["call", "live"])
def test_the_tools_of_a_view(target: str, live: bool) -> None:
    memory = Memory()
    script = Script(steps=[raw("entries_upsert", WRONG), call(target, "entries_upsert", UPSERT)])

    async def work() -> list[Any]:
        async with live_view(memory, target) as view:
            return await answers(script, view_tools(view))

    tools = view_tools(view_for(target), memory.acall, tags=["cms"])
    wrong, updated = asyncio.run(work() if live else answers(script, tools))
    assert (wrong.status, "field_values" in text(wrong)) == ("error", True)
    assert (updated.status, text(updated)) == ("success", "updated")
    assert memory.calls == [("entries_upsert", UPSERT)]
    assert memory.picture == STORED
    assert all(tool.tags == ["cms"] for tool in tools)


def test_results_of_a_view_come_as_the_adapters_give_them() -> None:
    content = [
        {"type": "text", "text": "a"},
        {"type": "image", "data": "aGVsbG8=", "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///a.bin", "mimeType": "application/x", "blob": "aGVsbG8="}},
    ]
    outcome = {"content": content, "structuredContent": {"n": 1}}
    tools = view_tools(view_for("openai"), lambda name, arguments: outcome)
    tool = next(tool for tool in tools if tool.name == "page_render")
    message = asyncio.run(tool.ainvoke({"name": tool.name, "args": PAGE, "id": "1", "type": "tool_call"}))
    assert message.content == [
        {"type": "text", "text": "a"},
        {"type": "image", "mime_type": "image/png", "base64": "aGVsbG8="},
        {"type": "file", "mime_type": "application/x", "base64": "aGVsbG8="},
        {"type": "text", "text": '{"n": 1}'},
    ]
    assert message.artifact == {"structured_content": {"n": 1}}
    assert tool.metadata == {"published_name": "page_render"}


def test_a_tool_node_of_langgraph_runs_them() -> None:
    memory = Memory()
    graph = framework("langgraph.graph")
    builder = graph.StateGraph(graph.MessagesState)
    builder.add_node("tools", prebuilt.ToolNode(view_tools(view_for("openai-strict"), memory.call)))
    builder.add_edge(graph.START, "tools")
    wire, encoded = view_for("openai-strict").encode("entries_upsert", UPSERT)
    asked = messages.AIMessage("", tool_calls=[{"name": wire, "args": encoded, "id": "1", "type": "tool_call"}])
    asyncio.run(builder.compile().ainvoke({"messages": [asked]}))
    assert memory.picture == STORED


def test_a_view_that_cannot_call_needs_a_function() -> None:
    with pytest.raises(TypeError, match="call="):
        view_tools(view_for("openai"))
