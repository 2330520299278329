"""Chat Completions and Responses as their servers speak them. Azure and many others speak the first."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from loopback import Answer, Sent, Wire, events, pieces


def published(name: Any, description: Any, schema: Any) -> dict[str, Any]:
    """A tool of a request as a server would publish it."""
    tool = {"name": name, "description": description or ""}
    return tool if schema is None else {**tool, "inputSchema": schema}


def chat_tools(body: dict[str, Any]) -> list[Sent]:
    found = []
    for place, tool in enumerate(body.get("tools") or ()):
        function = tool["function"]
        own = published(function["name"], function.get("description"), function.get("parameters"))
        found.append(Sent(f"tools[{place}].function.parameters", own, function.get("strict") is True))
    return found


def chat_talk(body: dict[str, Any]) -> list[tuple[str, list[str], list[str]]]:
    turns = []
    for message in body["messages"]:
        calls = [call["id"] for call in message.get("tool_calls") or ()]
        results = [message["tool_call_id"]] if message["role"] == "tool" else []
        turns.append((message["role"], calls, results))
    return turns


def chat_messages(body: dict[str, Any], longest: str = r".{1,40}") -> Iterator[str]:
    """What Chat Completions has against messages: ids, results that are no text, arguments that are no JSON object."""
    for message in body["messages"]:
        if message["role"] == "tool" and not isinstance(message["content"], str):
            for block in message["content"]:
                if block["type"] != "text":
                    yield f"content of a tool message: {block['type']} is not supported"
        for call in message.get("tool_calls") or ():
            if not re.fullmatch(longest, call["id"]):
                yield f"Invalid 'tool_calls[0].id': {call['id']!r}"
            if not isinstance(json.loads(call["function"]["arguments"]), dict):
                yield "the arguments are no JSON object"


def openai_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    message = f"Invalid schema for function at {place}: {problem}"
    error = {"message": message, "type": "invalid_request_error", "param": place, "code": "invalid_function_parameters"}
    return 400, {"error": error}


def chat_plain(answer: Answer) -> dict[str, Any]:
    calls = [
        {"id": ask.id, "type": "function", "function": {"name": ask.name, "arguments": ask.text}} for ask in answer.asks
    ]
    message = {"role": "assistant", "content": answer.text or None, **({"tool_calls": calls} if calls else {})}
    return _completion("chat.completion", {"message": {**message, **answer.own}, "finish_reason": _finish(answer)})


def _finish(answer: Answer) -> str:
    return "length" if answer.cut else "tool_calls" if answer.asks else "stop"


def _completion(kind: str, choice: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
    return {
        "id": "chatcmpl-1",
        "object": kind,
        "created": 1,
        "model": "m",
        "choices": [{"index": 0, **choice}],
        "usage": usage,
    }


def chat_stream(answer: Answer) -> tuple[str, bytes]:
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": "", **answer.own}]
    deltas += [{"content": piece} for piece in pieces(answer.text)]
    for place, ask in enumerate(answer.asks):
        function = {"name": ask.name, "arguments": ""}
        deltas.append({"tool_calls": [{"index": place, "id": ask.id, "type": "function", "function": function}]})
        deltas += [{"tool_calls": [{"index": place, "function": {"arguments": p}}]} for p in pieces(ask.text)]
    chunks = [_completion("chat.completion.chunk", {"delta": delta, "finish_reason": None}) for delta in deltas]
    chunks.append(_completion("chat.completion.chunk", {"delta": {}, "finish_reason": _finish(answer)}))
    return events(chunks)


def asks_for_stream(path: str, body: dict[str, Any]) -> bool:
    return body.get("stream") is True


CHAT = Wire(chat_tools, chat_talk, openai_refusal, chat_plain, chat_stream, asks_for_stream, chat_messages)
