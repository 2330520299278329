"""A server that offers everything the official suite asks for: over HTTP on the port given, else over stdio."""

from __future__ import annotations

import sys
import warnings
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import anyio
import mcp_types as types
import uvicorn
from fixture_inputs import context_prompt
from fixture_parts import IMAGE, Answer, Context, embedded, text
from fixture_tools import TOOLS
from mcp.server.caching import CacheHint
from mcp.server.lowlevel import Server
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http import EventCallback, EventMessage, EventStore
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

RETRY_MS = 100
CACHED = ("tools/list", "prompts/list", "resources/list", "resources/templates/list", "resources/read")
RESOURCES: dict[str, Answer] = {
    "test://static-text": {"mimeType": "text/plain", "text": "This is the content of the static text resource."},
    "test://static-binary": {"mimeType": "image/png", "blob": IMAGE},
    "test://watched-resource": {"mimeType": "text/plain", "text": "Watched."},
}
PROMPTS = {
    "test_simple_prompt": (),
    "test_prompt_with_arguments": ("arg1", "arg2"),
    "test_prompt_with_embedded_resource": ("resourceUri",),
    "test_prompt_with_image": (),
    "test_input_required_result_prompt": (),
}
BUS = InMemorySubscriptionBus()


class Events(EventStore):
    """All events, in order, for clients that come back."""

    def __init__(self) -> None:
        self.kept: list[tuple[str, Any]] = []

    async def store_event(self, stream_id: str, message: Any) -> str:
        self.kept.append((stream_id, message))
        return str(len(self.kept))

    async def replay_events_after(self, last_event_id: str, send_callback: EventCallback) -> str | None:
        last = int(last_event_id)
        stream = self.kept[last - 1][0]
        for number, (of, message) in enumerate(self.kept[last:], last + 1):
            if of == stream and message is not None:
                await send_callback(EventMessage(message, str(number)))
        return stream


@asynccontextmanager
async def lifespan(_: Server[Any]) -> AsyncIterator[InMemorySubscriptionBus]:
    yield BUS


async def list_tools(_: Context, __: Any) -> Answer:
    return {
        "tools": [
            {"name": name, "description": f"For the scenario of {name}.", "inputSchema": tool.schema}
            for name, tool in TOOLS.items()
        ]
    }


async def call_tool(ctx: Context, params: types.CallToolRequestParams) -> Answer:
    tool = TOOLS.get(params.name)
    if tool is None:
        raise MCPError(types.INVALID_PARAMS, f"Unknown tool: {params.name}")
    return await tool.run(ctx, params.arguments or {})


async def list_resources(_: Context, __: Any) -> Answer:
    return {
        "resources": [
            {"uri": uri, "name": uri.removeprefix("test://"), "description": "A resource.", "mimeType": of["mimeType"]}
            for uri, of in RESOURCES.items()
        ]
    }


async def list_templates(_: Context, __: Any) -> Answer:
    template = {"uriTemplate": "test://template/{id}/data", "name": "template", "mimeType": "application/json"}
    return {"resourceTemplates": [{**template, "description": "Data of one id."}]}


async def read_resource(_: Context, params: types.ReadResourceRequestParams) -> Answer:
    uri = str(params.uri)
    found = RESOURCES.get(uri) or _from_template(uri)
    if found is None:
        raise MCPError(types.INVALID_PARAMS, "Resource not found", {"uri": uri})
    return {"contents": [{"uri": uri, **found}]}


def _from_template(uri: str) -> Answer | None:
    name = uri.removeprefix("test://template/").removesuffix("/data")
    if uri != f"test://template/{name}/data":
        return None
    said = f'{{"id":"{name}","templateTest":true,"data":"Data for ID: {name}"}}'
    return {"mimeType": "application/json", "text": said}


async def nothing(_: Context, __: Any) -> Answer:
    return {}


async def list_prompts(_: Context, __: Any) -> Answer:
    return {
        "prompts": [
            {
                "name": name,
                "description": "A prompt.",
                "arguments": [{"name": of, "description": "Needed.", "required": True} for of in arguments],
            }
            for name, arguments in PROMPTS.items()
        ]
    }


async def get_prompt(ctx: Context, params: types.GetPromptRequestParams) -> Answer:
    arguments = params.arguments or {}
    match params.name:
        case "test_simple_prompt":
            return _messages(text("This is a simple prompt for testing."))
        case "test_prompt_with_arguments":
            said = f"Prompt with arguments: arg1='{arguments.get('arg1')}', arg2='{arguments.get('arg2')}'"
            return _messages(text(said))
        case "test_prompt_with_embedded_resource":
            found = embedded(arguments.get("resourceUri", ""), "text/plain", "Embedded resource content for testing.")
            return _messages(found, text("Please process the embedded resource above."))
        case "test_prompt_with_image":
            image = {"type": "image", "data": IMAGE, "mimeType": "image/png"}
            return _messages(image, text("Please analyze the image above."))
        case "test_input_required_result_prompt":
            return await context_prompt(ctx, {})
        case _:
            raise MCPError(types.INVALID_PARAMS, f"Unknown prompt: {params.name}")


def _messages(*content: Answer) -> Answer:
    return {"messages": [{"role": "user", "content": part} for part in content]}


async def complete(_: Context, params: types.CompleteRequestParams) -> Answer:
    values = [word for word in ("paris", "park", "party") if word.startswith(params.argument.value)]
    return {"completion": {"values": values, "total": len(values), "hasMore": False}}


def whole(handler: Callable[[Context, Any], Awaitable[Answer]]) -> Callable[[Context, Any], Awaitable[Answer]]:
    """The handler, whose answer says that it is complete where the version asks for it."""

    async def handle(ctx: Context, params: Any) -> Answer:
        found = await handler(ctx, params)
        return {"resultType": "complete", **found} if ctx.protocol_version in MODERN_PROTOCOL_VERSIONS else found

    return handle


def server() -> Server[Any]:
    """The server, without a transport."""
    made: Server[Any] = Server(
        "fixture",
        version="1",
        lifespan=lifespan,
        cache_hints={method: CacheHint(60_000, "public") for method in CACHED},
        on_list_tools=whole(list_tools),
        on_call_tool=whole(call_tool),
        on_list_resources=whole(list_resources),
        on_list_resource_templates=whole(list_templates),
        on_read_resource=whole(read_resource),
        on_subscribe_resource=whole(nothing),
        on_unsubscribe_resource=whole(nothing),
        on_subscriptions_listen=ListenHandler(BUS),
        on_list_prompts=whole(list_prompts),
        on_get_prompt=whole(get_prompt),
        on_completion=whole(complete),
        on_set_logging_level=whole(nothing),
    )
    made.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience=made.name))
    return made


async def over_stdio() -> None:
    made = server()
    async with stdio_server() as (read, write):
        await made.run(read, write, made.create_initialization_options())


def main() -> None:
    warnings.simplefilter("ignore")
    if len(sys.argv) == 1:
        anyio.run(over_stdio)
        return
    app = server().streamable_http_app(event_store=Events(), retry_interval=RETRY_MS)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", timeout_graceful_shutdown=1)


if __name__ == "__main__":
    main()
