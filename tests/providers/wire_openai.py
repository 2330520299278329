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


def responses_tools(body: dict[str, Any]) -> list[Sent]:
    """A missing `strict` means true to this API."""
    found = []
    for place, tool in enumerate(body.get("tools") or ()):
        own = published(tool["name"], tool.get("description"), tool.get("parameters"))
        found.append(Sent(f"tools[{place}].parameters", own, tool.get("strict", True)))
    return found


def responses_talk(body: dict[str, Any]) -> list[tuple[str, list[str], list[str]]]:
    """Items one after the other are one turn of their side."""
    turns: list[tuple[str, list[str], list[str]]] = []
    for item in body["input"]:
        kind = item.get("type", "message")
        assistant = item.get("role") == "assistant" or kind in ("function_call", "reasoning")
        role = "assistant" if assistant else "user"
        if not turns or turns[-1][0] != role:
            turns.append((role, [], []))
        turns[-1][1].extend([item["call_id"]] if kind == "function_call" else [])
        turns[-1][2].extend([item["call_id"]] if kind == "function_call_output" else [])
    return turns


def responses_messages(body: dict[str, Any]) -> Iterator[str]:
    for item in body["input"]:
        if item.get("type") == "function_call":
            if len(item["call_id"]) > 64:
                yield "Invalid input[].call_id: string too long"
            if not isinstance(json.loads(item["arguments"]), dict):
                yield "the arguments are no JSON object"
        if item.get("type") == "function_call_output" and not isinstance(item["output"], str):
            for block in item["output"]:
                if block["type"] not in ("input_text", "input_image", "input_file"):
                    yield f"Invalid value: {block['type']}"


def _items(answer: Answer) -> list[dict[str, Any]]:
    items: list[dict[str, Any]] = [{"type": "reasoning", "id": "rs_1", "summary": [], "status": None}]
    if answer.text:
        content = [{"type": "output_text", "text": answer.text, "annotations": []}]
        item = {"type": "message", "id": "msg_1", "role": "assistant", "content": content, "status": "completed"}
        items.append(item)
    for place, ask in enumerate(answer.asks):
        status = "incomplete" if answer.cut and place == len(answer.asks) - 1 else "completed"
        call = {"type": "function_call", "id": f"fc_{place}", "call_id": ask.id, "name": ask.name}
        items.append({**call, "arguments": ask.text, "status": status})
    return items


def responses_plain(answer: Answer) -> dict[str, Any]:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "output": _items(answer),
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "status": "incomplete" if answer.cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if answer.cut else None,
    }


def responses_stream(answer: Answer) -> tuple[str, bytes]:
    final = responses_plain(answer)
    found: list[dict[str, Any]] = [{"type": "response.created", "response": {**final, "output": []}}]
    for place, item in enumerate(final["output"]):
        where = {"output_index": place}
        blank = {**item, "arguments": ""} if item["type"] == "function_call" else item
        found.append({"type": "response.output_item.added", **where, "item": blank})
        if item["type"] == "function_call":
            delta = {"type": "response.function_call_arguments.delta", **where, "item_id": item["id"]}
            found += [{**delta, "delta": piece} for piece in pieces(item["arguments"])]
        if not (answer.cut and place == len(final["output"]) - 1):
            found.append({"type": "response.output_item.done", **where, "item": item})
    kind = "response.incomplete" if answer.cut else "response.completed"
    found.append({"type": kind, "response": final})
    return events([{**event, "sequence_number": n} for n, event in enumerate(found)], named=True, done=False)


RESPONSES = Wire(
    responses_tools,
    responses_talk,
    openai_refusal,
    responses_plain,
    responses_stream,
    asks_for_stream,
    responses_messages,
)


def mistral_messages(body: dict[str, Any]) -> Iterator[str]:
    """Ids of 9 letters and digits; no message of the user straight after a result."""
    before = ""
    for message in body["messages"]:
        if message["role"] == "user" and before == "tool":
            yield "Unexpected role 'user' after role 'tool'"
        before = message["role"]
        for call in message.get("tool_calls") or ():
            if not re.fullmatch(r"[a-zA-Z0-9]{9}", call["id"]):
                yield f"Tool call id was {call['id']} but must be a-z, A-Z, 0-9, with a length of 9."


def mistral_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    return 422, {"detail": [{"type": "value_error", "loc": ["body", place], "msg": problem, "input": None}]}


def mistral_stream(answer: Answer) -> tuple[str, bytes]:
    """A call comes whole; the text comes in pieces."""
    final = chat_plain(answer)["choices"][0]
    calls = [{**call, "index": place} for place, call in enumerate(final["message"].get("tool_calls", ()))]
    deltas: list[dict[str, Any]] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in pieces(answer.text)]
    chunks = [_completion("chat.completion.chunk", {"delta": delta, "finish_reason": None}) for delta in deltas]
    last = {"delta": {"content": "", "tool_calls": calls or None}, "finish_reason": _finish(answer)}
    return events([*chunks, _completion("chat.completion.chunk", last)])


MISTRAL = Wire(chat_tools, chat_talk, mistral_refusal, chat_plain, mistral_stream, asks_for_stream, mistral_messages)


def groq_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    return 400, {"error": {"message": f"{place}: {problem}", "type": "invalid_request_error"}}


COMPATIBLE = Wire(chat_tools, chat_talk, groq_refusal, chat_plain, chat_stream, asks_for_stream, chat_messages)
