"""One client after the other, run in an environment that has it: `python drive.py CLIENT COMMAND ...`.

It says which schemas the client shows a model, as one line of JSON, then makes each call that it reads as a line.
"""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

Call = Callable[[str, dict[str, Any]], Awaitable[tuple[bool, Any]]]
"""Calls a tool; whether the result is an error, and what it says."""

Opened = tuple[dict[str, Any], Call]
"""The schemas that the client shows a model, by name; and how it calls."""


def _result(found: Any) -> tuple[bool, Any]:
    """What a result of the SDK says; older versions have other names."""
    failed = getattr(found, "is_error", None) or getattr(found, "isError", False)
    structured = getattr(found, "structured_content", None) or getattr(found, "structuredContent", None)
    return bool(failed), structured or [getattr(one, "text", "") for one in found.content]


async def _all_tools(session: Any) -> list[Any]:
    found = await session.list_tools()
    tools = list(found.tools)
    while cursor := getattr(found, "next_cursor", None) or getattr(found, "nextCursor", None):
        found = await session.list_tools(cursor=cursor)
        tools += found.tools
    return tools


def _schema(tool: Any) -> Any:
    return getattr(tool, "input_schema", None) or tool.inputSchema


@asynccontextmanager
async def mcp_1(command: str, *args: str) -> AsyncIterator[Opened]:
    from mcp import ClientSession, StdioServerParameters
    from mcp.client.stdio import stdio_client

    parameters = StdioServerParameters(command=command, args=list(args))
    async with stdio_client(parameters) as (read, write), ClientSession(read, write) as session:
        await session.initialize()
        tools = await _all_tools(session)

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            return _result(await session.call_tool(name, arguments))

        yield {tool.name: _schema(tool) for tool in tools}, call


@asynccontextmanager
async def mcp_2(command: str, *args: str) -> AsyncIterator[Opened]:
    from mcp import StdioServerParameters
    from mcp.client import Client
    from mcp.client.stdio import stdio_client

    async with Client(stdio_client(StdioServerParameters(command=command, args=list(args)))) as client:
        tools = await _all_tools(client)

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            return _result(await client.call_tool(name, arguments))

        yield {tool.name: _schema(tool) for tool in tools}, call


@asynccontextmanager
async def fastmcp(command: str, *args: str) -> AsyncIterator[Opened]:
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport

    async with Client(StdioTransport(command, list(args), keep_alive=False)) as client:

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            return _result(await client.call_tool(name, arguments, raise_on_error=False))

        yield {tool.name: _schema(tool) for tool in await client.list_tools()}, call


@asynccontextmanager
async def _langchain(command: str, *args: str) -> AsyncIterator[tuple[dict[str, Any], Call]]:
    from langchain_mcp_adapters.sessions import create_session
    from langchain_mcp_adapters.tools import load_mcp_tools

    connection: Any = {"transport": "stdio", "command": command, "args": list(args)}
    async with create_session(connection) as session:
        await session.initialize()
        tools = {tool.name: tool for tool in await load_mcp_tools(session)}

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            asked = {"type": "tool_call", "id": "1", "name": name, "args": arguments}
            found = await tools[name].ainvoke(asked)
            artifact = found.artifact or {}
            return found.status == "error", artifact.get("structured_content") or found.content

        yield tools, call


@asynccontextmanager
async def langchain_gemini(command: str, *args: str) -> AsyncIterator[Opened]:
    """With the chat model of Google: what its package makes of the tools is what goes out."""
    from langchain_google_genai._function_utils import convert_to_genai_function_declarations

    async with _langchain(command, *args) as (tools, call):
        written: Any = convert_to_genai_function_declarations(list(tools.values()))
        declared = [one for tool in written for one in tool.function_declarations]
        yield {one.name: _lower(one.parameters.model_dump(exclude_none=True)) for one in declared}, call


@asynccontextmanager
async def langchain_openai(command: str, *args: str) -> AsyncIterator[Opened]:
    """With `bind_tools(tools, strict=True)` of the chat model of OpenAI."""
    from langchain_core.utils.function_calling import convert_to_openai_tool

    async with _langchain(command, *args) as (tools, call):
        written = {name: convert_to_openai_tool(tool, strict=True) for name, tool in tools.items()}
        yield {name: tool["function"]["parameters"] for name, tool in written.items()}, call


def _lower(schema: Any) -> Any:
    """A schema in the form of Google's API, in the spelling of JSON Schema."""
    if isinstance(schema, list):
        return [_lower(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    names = {"any_of": "anyOf", "type_": "type"}
    found = {names.get(key, key): value for key, value in schema.items() if value not in (None, [], {})}
    for key, value in found.items():
        if key == "properties":
            found[key] = {name: _lower(inner) for name, inner in value.items()}
        elif key in ("items", "anyOf"):
            found[key] = _lower(value)
        elif key == "type":
            found[key] = str(getattr(value, "value", value)).rpartition(".")[2].lower()
    if found.get("type") == "type_unspecified":
        del found["type"]
    if not found.pop("nullable", False):
        return found
    return {**found, "type": [found["type"], "null"]} if "type" in found else {"anyOf": [found, {"type": "null"}]}


@asynccontextmanager
async def pydantic_ai(command: str, *args: str) -> AsyncIterator[Opened]:
    """With the model class for Gemini: what it makes of the tools is what goes out."""
    from fastmcp.client.transports import StdioTransport
    from pydantic_ai import RunContext
    from pydantic_ai.mcp import MCPToolset
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.models.google import GoogleModel
    from pydantic_ai.providers.google import GoogleProvider
    from pydantic_ai.usage import RunUsage

    model = GoogleModel("gemini-2.5-pro", provider=GoogleProvider(api_key="none"))
    context: Any = RunContext(deps=None, model=model, usage=RunUsage())
    async with MCPToolset(StdioTransport(command, list(args), keep_alive=False)) as toolset:
        tools = await toolset.get_tools(context)
        parameters = ModelRequestParameters(function_tools=[tool.tool_def for tool in tools.values()])
        written = model.customize_request_parameters(parameters).function_tools

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            try:
                return False, await toolset.call_tool(name, arguments, context, tools[name])
            except Exception as error:
                return True, str(error)

        yield {one.name: one.parameters_json_schema for one in written}, call


@asynccontextmanager
async def openai_agents(command: str, *args: str) -> AsyncIterator[Opened]:
    from agents import Agent, RunContextWrapper
    from agents.mcp import MCPServerStdio, MCPUtil

    parameters: Any = {"command": command, "args": list(args)}
    async with MCPServerStdio(parameters, use_structured_content=True, client_session_timeout_seconds=30) as server:
        context: Any = RunContextWrapper(None)
        tools: Any = await MCPUtil.get_all_function_tools([server], True, context, Agent("a"))
        listed = {tool.name: tool for tool in await server.list_tools()}

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            try:
                return False, await MCPUtil.invoke_mcp_tool(server, listed[name], context, json.dumps(arguments))
            except Exception as error:
                return True, str(error)

        yield {tool.name: tool.params_json_schema for tool in tools}, call


@asynccontextmanager
async def google_adk(command: str, *args: str) -> AsyncIterator[Opened]:
    from google.adk.tools.mcp_tool import McpToolset, StdioConnectionParams
    from mcp import StdioServerParameters

    server = StdioServerParameters(command=command, args=list(args))
    toolset = McpToolset(connection_params=StdioConnectionParams(server_params=server, timeout=30))
    try:
        tools: Any = {tool.name: tool for tool in await toolset.get_tools()}

        async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
            found = await tools[name].run_async(args=arguments, tool_context=_no_context())
            return bool(found.get("isError")), found.get("structuredContent") or found.get("content")

        yield {name: _declared(tool) for name, tool in tools.items()}, call
    finally:
        await toolset.close()


def _declared(tool: Any) -> Any:
    found = tool._get_declaration()
    if found.parameters_json_schema is not None:
        return found.parameters_json_schema
    return _lower(found.parameters.model_dump(exclude_none=True))


def _no_context() -> Any:
    from unittest.mock import MagicMock

    return MagicMock()


@asynccontextmanager
async def llama_index(command: str, *args: str) -> AsyncIterator[Opened]:
    from llama_index.tools.mcp import BasicMCPClient, McpToolSpec

    client = BasicMCPClient(command, list(args))
    tools = {tool.metadata.name: tool for tool in await McpToolSpec(client).to_tool_list_async()}

    async def call(name: str, arguments: dict[str, Any]) -> tuple[bool, Any]:
        found = await tools[name].acall(**arguments)
        return (True, str(found)) if found.is_error else _result(found.raw_output)

    yield {str(name): tool.metadata.get_parameters_dict() for name, tool in tools.items()}, call


ALL = (mcp_1, mcp_2, fastmcp, langchain_gemini, langchain_openai, pydantic_ai, openai_agents, google_adk, llama_index)
CLIENTS = {made.__name__: made for made in ALL}


async def main(client: str, *command: str) -> None:
    async with CLIENTS[client](*command) as (shown, call):
        print(json.dumps(shown), flush=True)
        while line := await asyncio.to_thread(sys.stdin.readline):
            asked = json.loads(line)
            try:
                failed, said = await call(asked["name"], asked["arguments"])
            except Exception as error:
                failed, said = True, f"{type(error).__name__}: {error}"
            print(json.dumps([failed, said], default=str), flush=True)


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
