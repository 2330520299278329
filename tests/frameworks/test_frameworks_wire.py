"""What really goes out: the frameworks' own model classes, asked once, against an endpoint that writes it down."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import Any

import pytest
from framework_parts import LONG, UPSERT, Memory, framework, view_for

from toolglot.fitting.toolset import View
from toolglot.schema.validate import validator

Sent = dict[str, dict[str, Any]]
"""The tools of a request by name: `schema`, and `strict` where it was sent."""


@contextlib.contextmanager
def endpoint() -> Iterator[tuple[str, list[Any]]]:
    """The address of a server that refuses everything, and what it was sent."""
    requests: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            requests.append(json.loads(self.rfile.read(int(self.headers["content-length"]))))
            body = b'{"error": {"message": "seen", "type": "invalid_request_error", "code": 400}}'
            self.send_response(400)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", requests
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def chat(request: Any) -> Sent:
    return {
        tool["function"]["name"]: {"schema": tool["function"].get("parameters", {}), **tool["function"]}
        for tool in request["tools"]
    }


def responses(request: Any) -> Sent:
    return {tool["name"]: {"schema": tool["parameters"], **tool} for tool in request["tools"]}


def blocks(request: Any) -> Sent:
    return {tool["name"]: {"schema": tool["input_schema"], **tool} for tool in request["tools"]}


def declarations(request: Any) -> Sent:
    found = [one for tool in request["tools"] for one in tool["functionDeclarations"]]
    return {one["name"]: {"schema": one["parameters_json_schema"], **one} for one in found}


def parameters(request: Any) -> Sent:
    """Declarations in the older field, whose types are in capitals."""
    found = [one for tool in request["tools"] for one in tool["functionDeclarations"]]
    return {one["name"]: {"schema": as_json_schema(one["parameters"])} for one in found}


def as_json_schema(schema: Any) -> Any:
    if isinstance(schema, list):
        return [as_json_schema(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: one.lower() if key == "type" and isinstance(one, str) else as_json_schema(one)
        for key, one in schema.items()
    }


async def ask_pydantic_ai(model: Any, view: View) -> None:
    framework("pydantic_ai")
    from toolglot.providers.frameworks.pydantic_ai import ViewToolset

    agent = framework("pydantic_ai").Agent(model, toolsets=[ViewToolset(view, Memory().acall)])
    with pytest.raises(framework("pydantic_ai").ModelHTTPError):
        await agent.run("Do it.")


async def pydantic_openai_chat(url: str, view: View) -> None:
    provider = framework("pydantic_ai.providers.openai").OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    await ask_pydantic_ai(framework("pydantic_ai.models.openai").OpenAIChatModel("gpt-5", provider=provider), view)


async def pydantic_openai_responses(url: str, view: View) -> None:
    provider = framework("pydantic_ai.providers.openai").OpenAIProvider(base_url=f"{url}/v1", api_key="none")
    await ask_pydantic_ai(framework("pydantic_ai.models.openai").OpenAIResponsesModel("gpt-5", provider=provider), view)


async def pydantic_anthropic(url: str, view: View) -> None:
    provider = framework("pydantic_ai.providers.anthropic").AnthropicProvider(base_url=url, api_key="none")
    model = framework("pydantic_ai.models.anthropic").AnthropicModel("claude-opus-4-8", provider=provider)
    await ask_pydantic_ai(model, view)


async def pydantic_google(url: str, view: View) -> None:
    provider = framework("pydantic_ai.providers.google").GoogleProvider(base_url=url, api_key="none")
    model = framework("pydantic_ai.models.google").GoogleModel("gemini-2.5-pro", provider=provider)
    await ask_pydantic_ai(model, view)


async def ask_langchain(model: Any, view: View, **options: Any) -> None:
    from toolglot.providers.frameworks.langchain import view_tools

    with pytest.raises(Exception, match="seen"):
        await model.bind_tools(view_tools(view, Memory().acall), **options).ainvoke("Do it.")


async def langchain_openai(url: str, view: View) -> None:
    chat_model = framework("langchain_openai").ChatOpenAI
    model = chat_model(model="gpt-5", base_url=f"{url}/v1", api_key="none", max_retries=0, use_responses_api=False)
    await ask_langchain(model, view, strict=bool(view.target.fallback))


async def langchain_anthropic(url: str, view: View) -> None:
    chat_model = framework("langchain_anthropic").ChatAnthropic
    model = chat_model(model="claude-opus-4-8", base_url=url, api_key="none", max_retries=0)
    await ask_langchain(model, view, strict=bool(view.target.fallback))


async def langchain_google(url: str, view: View) -> None:
    chat_model = framework("langchain_google_genai").ChatGoogleGenerativeAI
    await ask_langchain(chat_model(model="gemini-2.5-pro", base_url=url, api_key="none", max_retries=0), view)


async def agents_responses(url: str, view: View) -> None:
    agents = framework("agents")
    client = framework("openai").AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    await ask_agents(agents.OpenAIResponsesModel("gpt-5", client), view)


async def agents_chat(url: str, view: View) -> None:
    agents = framework("agents")
    client = framework("openai").AsyncOpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    await ask_agents(agents.OpenAIChatCompletionsModel("gpt-5", client), view)


async def ask_agents(model: Any, view: View) -> None:
    from toolglot.providers.frameworks.openai_agents import function_tools

    agents = framework("agents")
    agent = agents.Agent(name="a", model=model, tools=function_tools(view, Memory().acall))
    with pytest.raises(Exception, match="seen"):
        await agents.Runner.run(agent, "Do it.", run_config=agents.RunConfig(tracing_disabled=True))


Ask = Callable[[str, View], Any]
Read = Callable[[Any], Sent]

CASES: list[tuple[str, Ask, Read, bool | None]] = [
    ("openai-strict", pydantic_openai_chat, chat, True),
    ("openai-nonstrict", pydantic_openai_chat, chat, None),
    ("openai-strict", pydantic_openai_responses, responses, True),
    ("openai-nonstrict", pydantic_openai_responses, responses, False),
    ("anthropic-strict", pydantic_anthropic, blocks, True),
    ("anthropic-nonstrict", pydantic_anthropic, blocks, None),
    ("gemini-parameters", pydantic_google, declarations, None),
    ("gemini-parameters-json-schema", pydantic_google, declarations, None),
    ("openai-strict", langchain_openai, chat, True),
    ("openai-nonstrict", langchain_openai, chat, False),
    ("anthropic-strict", langchain_anthropic, blocks, True),
    ("anthropic-nonstrict", langchain_anthropic, blocks, False),
    ("portable-strict", langchain_google, parameters, None),  # others lose unions in lists there
    ("openai-strict", agents_responses, responses, True),
    ("openai-nonstrict", agents_responses, responses, False),
    ("openai-strict", agents_chat, chat, True),
]


@pytest.mark.parametrize(("target", "ask", "read", "strict"), CASES, ids=lambda v: getattr(v, "__name__", str(v)))
def test_what_the_framework_sends_takes_what_the_server_takes(
    target: str, ask: Ask, read: Read, strict: bool | None
) -> None:
    view = view_for(target)
    with endpoint() as (url, requests):
        asyncio.run(ask(url, view))
    sent = read(requests[0])
    assert sent.keys() == set(view.names.values())
    for name, arguments in (("entries_upsert", UPSERT), (LONG, {"locale": "de-CH"}), ("page_render", {"page_id": "a"})):
        wire, encoded = view.encode(name, arguments)
        assert validator(sent[wire]["schema"]).is_valid(encoded), sent[wire]
        assert not validator(sent[wire]["schema"]).is_valid({}), sent[wire]
    assert {tool.get("strict") for tool in sent.values()} == {strict}
