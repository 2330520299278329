"""The loop that every agent runs, against a real server, once for each of several kinds of request.

python examples/agent_loop.py

No key and no network: a few lines play the model. They see only the tools of the request, in the provider's own form,
and fill in what they find there. Put the SDK's own call in the place of `model` and this is an agent.
"""

from __future__ import annotations

import asyncio
import json
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import toolglot
from toolglot import adk
from toolglot.providers import anthropic, google_genai, openai_chat

SERVER = (sys.executable, "-m", "toolglot.demo")

WISH = {
    "entry_id": "harbour-tour",
    "content_type": "card",
    "field": "picture",
    "asset_id": 549896,
    "value": "549896",
    "type": "asset",
}
"""What the user asked for, "put the price list, 549896, on the card", by the names that schemas have for it."""


@dataclass(frozen=True)
class Road:
    """One way to a model: the target of the view, the provider's module, how the model's side reads and writes."""

    name: str
    target: str | adk.SchemaAdapter
    provider: ModuleType
    shown: Callable[[Any], dict[str, dict[str, Any]]]
    said: Callable[[str, Any], Any]


async def loop(server: Any, road: Road) -> list[str]:
    """Tools out, calls in, results back, until the model calls nothing more; the text of each result."""
    view, model = server.view(road.target), Model(road)
    messages: list[Any] = [{"role": "user", "content": "Put the price list (549896) on the card."}]
    outcomes: list[str] = []
    while True:
        response = model(road.provider.tools(view), messages)
        messages += road.provider.said(response)
        calls = road.provider.calls(response, view)
        if not calls:
            return outcomes
        results = [None if call.error else await server.call(call.name, call.arguments) for call in calls]
        messages += road.provider.results(calls, results)
        pairs = zip(calls, results, strict=True)
        outcomes += [str(call.error) if result is None else text(result) for call, result in pairs]


class Model:
    """Makes one call as the schema it is shown has it, corrects what it is told to leave out, and has finished."""

    def __init__(self, road: Road) -> None:
        self.road = road
        self.arguments: Any = None

    def __call__(self, tools: Any, messages: list[Any]) -> Any:
        """The provider's answer to a request with these tools and messages."""
        refused = re.findall(r"- (/\S+): .*leave it out", json.dumps(messages[-1]).replace("\\n", "\n"))
        if self.arguments is None:
            self.arguments = filled(self.road.shown(tools)["entries_upsert"], WISH)
        elif not refused:
            return self.road.said("", None)
        for pointer in refused:
            leave_out(self.arguments, pointer.split("/")[1:])
        return self.road.said("entries_upsert", self.arguments)


def leave_out(value: Any, path: list[str]) -> None:
    """Remove the member at a path."""
    for step in path[:-1]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    del value[path[-1]]


def filled(schema: Mapping[str, Any], wish: Mapping[str, Any], name: str = "") -> Any:
    """A value for a schema, from what is wished for by name; null or nothing where nothing is."""
    branches = schema.get("anyOf") or schema.get("oneOf")
    if branches:
        return filled(max(branches, key=lambda branch: score(branch, wish)), wish, name)
    kinds = schema.get("type", "object")
    if "properties" in schema:
        required = schema.get("required", ())
        wanted = [key for key, part in schema["properties"].items() if key in required or score(part, wish, key) > 0]
        return {key: filled(schema["properties"][key], wish, key) for key in wanted}
    if "array" in kinds:
        return [filled(schema["items"], wish, name)]
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    if wish.get(name) in choices or (name in wish and not choices):
        return wish[name]
    return choices[0] if choices and "null" not in kinds else None


def score(schema: Mapping[str, Any], wish: Mapping[str, Any], name: str = "") -> int:
    """How much of a wish a schema can take; a constant that is not wished for counts against it."""
    parts = [*schema.get("anyOf", ()), *schema.get("oneOf", ()), *filter(None, [schema.get("items")])]
    found = [score(part, wish, name) for part in parts]
    found += [sum(score(part, wish, key) for key, part in schema.get("properties", {}).items())]
    choices = schema.get("enum", [schema["const"]] if "const" in schema else [])
    here = 0 if name not in wish else 3 if wish[name] in choices else -3 if choices else 1
    return max(found) + here


def text(result: Mapping[str, Any]) -> str:
    """The text of a result of a call."""
    return "\n".join(block.get("text", "") for block in result["content"])


# How each provider's requests and answers look. With the real SDK none of this is needed.


def _chat(name: str, arguments: Any) -> Any:
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": json.dumps(arguments)}}
    message = {"role": "assistant", "content": None if name else "Done.", **({"tool_calls": [call]} if name else {})}
    return {"choices": [{"message": message, "finish_reason": "tool_calls" if name else "stop"}]}


def _anthropic(name: str, arguments: Any) -> Any:
    block = {"type": "tool_use", "id": "1", "name": name, "input": arguments} if name else _DONE
    return {"role": "assistant", "content": [block], "stop_reason": "tool_use" if name else "end_turn"}


def _gemini(name: str, arguments: Any) -> Any:
    part = {"function_call": {"name": name, "args": arguments}} if name else {"text": "Done."}
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finish_reason": "STOP"}]}


_DONE = {"type": "text", "text": "Done."}


def _in_chat(tools: Any) -> dict[str, dict[str, Any]]:
    return {tool["function"]["name"]: tool["function"]["parameters"] for tool in tools}


def _in_anthropic(tools: Any) -> dict[str, dict[str, Any]]:
    return {tool["name"]: tool["input_schema"] for tool in tools}


def _in_gemini(tools: Any) -> dict[str, dict[str, Any]]:
    return {one["name"]: one.get("parameters", {}) for tool in tools for one in tool["function_declarations"]}


ROADS = (
    Road("gemini-parameters", "gemini-parameters", google_genai, _in_gemini, _gemini),
    Road("openai-strict", "openai-strict", openai_chat, _in_chat, _chat),
    Road("anthropic-strict", "anthropic-strict", anthropic, _in_anthropic, _anthropic),
    Road("langflow", "langflow", openai_chat, _in_chat, _chat),
    Road("first branch only", adk.GeminiSchemaAdapter(), google_genai, _in_gemini, _gemini),
)
"""The last one is what others do with a union. The server stores what it gets, and says the same words."""


async def main() -> None:
    """Every road, each to a new server."""
    for road in ROADS:
        async with toolglot.connect(*SERVER) as server:
            outcomes = await loop(server, road)
            page = text(await server.call("page_render", {"page_id": "home"}))
            print(f"{road.name}: {' '.join(outcomes)}", page, sep="\n", end="\n\n")


if __name__ == "__main__":
    asyncio.run(main())
