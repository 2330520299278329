"""The tools that the scenarios of the official suite call, by name. They need the official SDK 2.x."""

from __future__ import annotations

import anyio
from fixture_inputs import INPUT_TOOLS
from fixture_parts import AUDIO, IMAGE, Answer, Context, Tool, answer, embedded, text
from mcp.shared.exceptions import MCPError
from mcp.shared.subscriptions import PromptsListChanged, ToolsListChanged
from mcp_types import MISSING_REQUIRED_CLIENT_CAPABILITY, SamplingMessage, TextContent

PAUSE = 0.05
"""What the suite asks for between two notifications of one call."""

JSON_SCHEMA = {
    "$schema": "https://json-schema.org/draft/2020-12/schema",
    "type": "object",
    "$defs": {
        "address": {
            "$anchor": "addressDef",
            "type": "object",
            "properties": {"street": {"type": "string"}, "city": {"type": "string"}},
        }
    },
    "properties": {
        "name": {"type": "string"},
        "address": {"$ref": "#/$defs/address"},
        "contactMethod": {"type": "string", "enum": ["phone", "email"]},
        "phone": {"type": "string"},
        "email": {"type": "string"},
    },
    "allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
    "if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
    "then": {"required": ["phone"]},
    "else": {"required": ["email"]},
    "additionalProperties": False,
}

MIRRORED = {
    "type": "object",
    "properties": {
        "region": {"type": "string", "x-mcp-header": "Region"},
        "more": {"type": ["object", "array", "string"]},
    },
    "required": ["region"],
}
"""A parameter with a header, beside one that is written anew for most targets."""

DEFAULTS = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "default": "John Doe"},
        "age": {"type": "integer", "default": 30},
        "score": {"type": "number", "default": 95.5},
        "status": {"type": "string", "enum": ["active", "inactive", "pending"], "default": "active"},
        "verified": {"type": "boolean", "default": True},
    },
    "required": [],
}


def _titled(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in pairs]


_VALUES = ["option1", "option2", "option3"]
_PAIRS = _titled(("value1", "First"), ("value2", "Second"), ("value3", "Third"))

ENUMS = {
    "type": "object",
    "properties": {
        "untitledSingle": {"type": "string", "enum": _VALUES},
        "titledSingle": {"type": "string", "oneOf": _PAIRS},
        "legacyEnum": {
            "type": "string",
            "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"],
        },
        "untitledMulti": {"type": "array", "items": {"type": "string", "enum": _VALUES}},
        "titledMulti": {"type": "array", "items": {"anyOf": _PAIRS}},
    },
    "required": [],
}

CONTACT = {
    "type": "object",
    "properties": {
        "username": {"type": "string", "description": "User's response"},
        "email": {"type": "string", "description": "User's email address"},
    },
    "required": ["username", "email"],
}


async def _log(ctx: Context, data: str) -> None:
    await ctx.session.send_log_message("info", data, related_request_id=ctx.request_id)


async def with_logging(ctx: Context, _: Answer) -> Answer:
    await _log(ctx, "Tool execution started")
    await anyio.sleep(PAUSE)
    await _log(ctx, "Tool processing data")
    await anyio.sleep(PAUSE)
    await _log(ctx, "Tool execution completed")
    return answer(text("Three messages were logged."))


async def with_progress(ctx: Context, _: Answer) -> Answer:
    for done in (0, 50, 100):
        await ctx.session.report_progress(done, 100)
        await anyio.sleep(PAUSE)
    return answer(text("Progress was reported."))


async def failing(_: Context, __: Answer) -> Answer:
    return {**answer(text("This tool intentionally returns an error for testing")), "isError": True}


async def sampling(ctx: Context, arguments: Answer) -> Answer:
    asked = SamplingMessage(role="user", content=TextContent(type="text", text=arguments["prompt"]))
    said = await ctx.session.create_message([asked], max_tokens=100, related_request_id=ctx.request_id)
    return answer(text(f"LLM response: {getattr(said.content, 'text', said.content)}"))


async def elicitation(ctx: Context, arguments: Answer) -> Answer:
    return answer(text(await _elicit(ctx, arguments["message"], CONTACT)))


async def elicitation_defaults(ctx: Context, _: Answer) -> Answer:
    return answer(text(await _elicit(ctx, "Please check your details", DEFAULTS)))


async def elicitation_enums(ctx: Context, _: Answer) -> Answer:
    return answer(text(await _elicit(ctx, "Please choose", ENUMS)))


async def _elicit(ctx: Context, message: str, schema: Answer) -> str:
    said = await ctx.session.elicit_form(message, schema, related_request_id=ctx.request_id)
    return f"Elicitation completed: action={said.action}, content={said.content}"


async def reconnection(ctx: Context, _: Answer) -> Answer:
    """Close the stream in the middle of the call: the answer is for a client that comes back."""
    if ctx.close_sse_stream is not None:
        await ctx.close_sse_stream()
    await anyio.sleep(4 * PAUSE)
    return answer(text("Answered after the stream was closed."))


async def missing_capability(ctx: Context, _: Answer) -> Answer:
    declared = ctx.session.client_capabilities
    if declared is None or declared.sampling is None:
        data = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(MISSING_REQUIRED_CLIENT_CAPABILITY, "Needs the capability sampling", data)
    return answer(text("The capability sampling is declared."))


async def logging_tool(ctx: Context, _: Answer) -> Answer:
    await _log(ctx, "Logged only for who asks")
    return answer(text("Something may have been logged."))


async def tool_change(ctx: Context, _: Answer) -> Answer:
    await ctx.lifespan_context.publish(ToolsListChanged())
    return answer(text("The list of tools has changed."))


async def prompt_change(ctx: Context, _: Answer) -> Answer:
    await ctx.lifespan_context.publish(PromptsListChanged())
    return answer(text("The list of prompts has changed."))


def _always(*content: Answer) -> Tool:
    async def give(_: Context, __: Answer) -> Answer:
        return answer(*content)

    return Tool(give)


def _texts(*names: str) -> Answer:
    return {"type": "object", "properties": {name: {"type": "string"} for name in names}, "required": list(names)}


_IMAGE = {"type": "image", "data": IMAGE, "mimeType": "image/png"}
_MIXED = embedded("test://mixed-content-resource", "application/json", '{"test":"data","value":123}')

TOOLS: dict[str, Tool] = {
    "test_simple_text": _always(text("This is a simple text response for testing.")),
    "test_image_content": _always(_IMAGE),
    "test_audio_content": _always({"type": "audio", "data": AUDIO, "mimeType": "audio/wav"}),
    "test_embedded_resource": _always(
        embedded("test://embedded-resource", "text/plain", "This is an embedded resource content.")
    ),
    "test_multiple_content_types": _always(text("Multiple content types test:"), _IMAGE, _MIXED),
    "test_tool_with_logging": Tool(with_logging),
    "test_tool_with_progress": Tool(with_progress),
    "test_error_handling": Tool(failing),
    "test_sampling": Tool(sampling, _texts("prompt")),
    "test_elicitation": Tool(elicitation, _texts("message")),
    "test_elicitation_sep1034_defaults": Tool(elicitation_defaults),
    "test_elicitation_sep1330_enums": Tool(elicitation_enums),
    "test_reconnection": Tool(reconnection),
    "json_schema_2020_12_tool": Tool(_always(text("Taken.")).run, JSON_SCHEMA),
    "test_mirrored_header": Tool(_always(text("Taken.")).run, MIRRORED),
    "test_missing_capability": Tool(missing_capability),
    "test_logging_tool": Tool(logging_tool),
    "test_trigger_tool_change": Tool(tool_change),
    "test_trigger_prompt_change": Tool(prompt_change),
    **INPUT_TOOLS,
}
"""In published order."""
