"""Anthropic, Google, Bedrock and Ollama as their servers speak them."""

from __future__ import annotations

import base64
import json
import re
import struct
import zlib
from collections.abc import Iterator
from typing import Any

from loopback import Answer, Sent, Wire, events, pieces
from wire_openai import asks_for_stream, published

Talk = list[tuple[str, list[str], list[str]]]


def anthropic_tools(body: dict[str, Any]) -> list[Sent]:
    found = []
    for place, tool in enumerate(body.get("tools") or ()):
        own = published(tool["name"], tool.get("description"), tool.get("input_schema"))
        found.append(Sent(f"tools.{place}.custom.input_schema", own, tool.get("strict") is True))
    return found


def anthropic_talk(body: dict[str, Any]) -> Talk:
    turns: Talk = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        turns.append((message["role"], calls, results))
    return turns


def anthropic_messages(body: dict[str, Any]) -> Iterator[str]:
    for message in body["messages"]:
        if message["role"] not in ("user", "assistant"):
            yield f"Unexpected role {message['role']}"
        blocks = message["content"] if isinstance(message["content"], list) else []
        kinds = [block["type"] for block in blocks]
        if "tool_result" in kinds and kinds != sorted(kinds, key=lambda kind: kind != "tool_result"):
            yield "tool_result blocks must come first"
        inner = [one for block in blocks if block["type"] == "tool_result" for one in block["content"]]
        for block in [*blocks, *inner]:
            if block["type"] == "text" and not block["text"].strip():
                yield "text content blocks must be non-empty"
            if block["type"] == "tool_use":
                if not re.fullmatch(r"[a-zA-Z0-9_-]+", block["id"]):
                    yield "tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'"
                if not isinstance(block["input"], dict):
                    yield "tool_use.input: Input should be a valid dictionary"


def anthropic_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    return 400, {"type": "error", "error": {"type": "invalid_request_error", "message": f"{place}: {problem}"}}


def _anthropic_blocks(answer: Answer) -> list[dict[str, Any]]:
    blocks: list[dict[str, Any]] = [{"type": "thinking", "thinking": "Well.", "signature": "c2ln"}]
    blocks += [{"type": "text", "text": answer.text}] if answer.text else []
    return blocks + [{"type": "tool_use", "id": a.id, "name": a.name, "input": a.object} for a in answer.asks]


def _anthropic(answer: Answer, content: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "m",
        "content": content,
        "stop_reason": "max_tokens" if answer.cut else "tool_use" if answer.asks else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def anthropic_plain(answer: Answer) -> dict[str, Any]:
    return _anthropic(answer, _anthropic_blocks(answer))


def anthropic_stream(answer: Answer) -> tuple[str, bytes]:
    final = _anthropic(answer, [])
    found: list[dict[str, Any]] = [{"type": "message_start", "message": {**final, "stop_reason": None}}]
    texts = {ask.id: ask.text for ask in answer.asks}
    for place, block in enumerate(_anthropic_blocks(answer)):
        empty = {"thinking": {"thinking": "", "signature": ""}, "text": {"text": ""}, "tool_use": {"input": {}}}
        found.append(
            {"type": "content_block_start", "index": place, "content_block": {**block, **empty[block["type"]]}}
        )
        deltas = _anthropic_deltas(block, texts)
        found += [{"type": "content_block_delta", "index": place, "delta": delta} for delta in deltas]
        found.append({"type": "content_block_stop", "index": place})
    stop = {"stop_reason": final["stop_reason"], "stop_sequence": None}
    found.append({"type": "message_delta", "delta": stop, "usage": {"output_tokens": 1}})
    return events([*found, {"type": "message_stop"}], named=True, done=False)


def _anthropic_deltas(block: dict[str, Any], texts: dict[str, str]) -> list[dict[str, Any]]:
    if block["type"] == "text":
        return [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])]
    if block["type"] == "thinking":
        return [
            {"type": "thinking_delta", "thinking": block["thinking"]},
            {"type": "signature_delta", "signature": block["signature"]},
        ]
    text = texts[block["id"]]
    return [
        {"type": "input_json_delta", "partial_json": piece} for piece in ["", *pieces("" if text == "{}" else text)]
    ]


ANTHROPIC = Wire(
    anthropic_tools,
    anthropic_talk,
    anthropic_refusal,
    anthropic_plain,
    anthropic_stream,
    asks_for_stream,
    anthropic_messages,
)

_GOOGLE_FIELDS = ("parameters", "parametersJsonSchema")
_UPPER = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")


def google_tools(body: dict[str, Any]) -> list[Sent]:
    """The SDK spells types in capitals, and bounds as texts, as the proto wants them; the facts are about both."""
    found: list[Sent] = []
    for group in body.get("tools") or ():
        for place, declaration in enumerate(group["functionDeclarations"]):
            declaration = {_camel(key): value for key, value in declaration.items()}
            field = next((field for field in _GOOGLE_FIELDS if field in declaration), None)
            schema = _lowered(declaration[field]) if field == "parameters" else declaration.get(field)
            own = published(declaration["name"], declaration.get("description"), schema)
            found.append(Sent(f"tools[0].function_declarations[{place}].{field or 'parameters'}", own))
    return found


_NUMBERS = ("minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties")


def _camel(name: str) -> str:
    """A name in Google's JSON form: the server takes that of the proto too."""
    return re.sub(r"_([a-z])", lambda letter: letter[1].upper(), name)


def _lowered(schema: Any) -> Any:
    if not isinstance(schema, dict):
        return schema
    found = {_camel(key): value for key, value in schema.items()}
    if found.get("type") in _UPPER:
        found["type"] = found["type"].lower()
    found |= {key: int(found[key]) for key in _NUMBERS if key in found}
    found |= {key: _lowered(found[key]) for key in ("items", "additionalProperties") if key in found}
    found |= {key: [_lowered(one) for one in found[key]] for key in ("anyOf",) if key in found}
    return found | {
        key: {name: _lowered(one) for name, one in found[key].items()} for key in ("properties", "defs") if key in found
    }


def google_talk(body: dict[str, Any]) -> Talk:
    """Calls have ids only where they were given; else the name and the order tell them apart."""
    turns: Talk = []
    for content in body["contents"]:
        parts = content["parts"]
        calls = [one.get("id") or one["name"] for part in parts if (one := part.get("functionCall"))]
        results = [one.get("id") or one["name"] for part in parts if (one := part.get("functionResponse"))]
        turns.append(("assistant" if content["role"] == "model" else content["role"], calls, results))
    return turns


def google_messages(body: dict[str, Any]) -> Iterator[str]:
    for place, content in enumerate(body["contents"]):
        if content["role"] not in ("user", "model"):
            yield f"Please use a valid role: user, model. Not {content['role']}"
        calls = [part for part in content["parts"] if "functionCall" in part]
        if calls and "thoughtSignature" not in calls[0]:
            name = calls[0]["functionCall"]["name"]
            yield f"Function call `{name}` in the `{place + 1}.` content block is missing a `thought_signature`."
        for part in content["parts"]:
            if not isinstance(part.get("functionResponse", {}).get("response", {}), dict):
                yield "function_response.response is no object"


def google_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    message = f"Invalid JSON payload received. {problem} at '{place}'"
    return 400, {"error": {"code": 400, "message": message, "status": "INVALID_ARGUMENT"}}


def _google_parts(answer: Answer) -> list[dict[str, Any]]:
    parts: list[dict[str, Any]] = [{"text": "Well.", "thought": True}]
    parts += [{"text": answer.text}] if answer.text else []
    for place, ask in enumerate(answer.asks):
        signature = {} if place else {"thoughtSignature": base64.b64encode(b"signed \xff").decode()}
        call = {"name": ask.name, "args": ask.object, **({"id": ask.id} if ask.id else {})}
        parts.append({"functionCall": call, **signature})
    return parts


def google_plain(answer: Answer) -> dict[str, Any]:
    finish = "MAX_TOKENS" if answer.cut else "STOP"
    content = {"role": "model", "parts": _google_parts(answer)}
    return {"candidates": [{"content": content, "finishReason": finish, "index": 0, **answer.own}]}


def google_stream(answer: Answer) -> tuple[str, bytes]:
    final = google_plain(answer)["candidates"][0]
    chunks = [{"candidates": [{"content": {"role": "model", "parts": [p]}}]} for p in final["content"]["parts"]]
    last = {**final, "content": {"role": "model", "parts": [{"text": ""}]}}
    return events([*chunks, {"candidates": [last]}], done=False)


GOOGLE = Wire(
    google_tools,
    google_talk,
    google_refusal,
    google_plain,
    google_stream,
    lambda path, body: "streamGenerateContent" in path,
    google_messages,
)


def bedrock_tools(body: dict[str, Any]) -> list[Sent]:
    found = []
    for place, tool in enumerate(body.get("toolConfig", {}).get("tools") or ()):
        spec = tool["toolSpec"]
        own = published(spec["name"], spec.get("description"), spec["inputSchema"]["json"])
        found.append(Sent(f"toolConfig.tools.{place}.toolSpec.inputSchema.json", own, spec.get("strict") is True))
    return found


def bedrock_talk(body: dict[str, Any]) -> Talk:
    turns: Talk = []
    for message in body["messages"]:
        calls = [block["toolUse"]["toolUseId"] for block in message["content"] if "toolUse" in block]
        results = [block["toolResult"]["toolUseId"] for block in message["content"] if "toolResult" in block]
        turns.append((message["role"], calls, results))
    return turns


def bedrock_messages(body: dict[str, Any]) -> Iterator[str]:
    before = ""
    for message in body["messages"]:
        if message["role"] == before:
            yield "A conversation must alternate between user and assistant roles."
        before = message["role"]
        if not message["content"]:
            yield "The content field in the Message object is empty."
        for block in message["content"]:
            if "toolUse" in block and not isinstance(block["toolUse"]["input"], dict):
                yield "toolUse.input is no object"
            if "text" in block and not block["text"].strip():
                yield "The text field in the ContentBlock object is blank."


def bedrock_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    return 400, {"message": f"The value at {place} is not valid: {problem}", "__type": "ValidationException"}


def bedrock_plain(answer: Answer) -> dict[str, Any]:
    content: list[dict[str, Any]] = [{"text": answer.text}] if answer.text else []
    content += [{"toolUse": {"toolUseId": a.id, "name": a.name, "input": a.object}} for a in answer.asks]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": _bedrock_stop(answer),
        "usage": {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2},
        "metrics": {"latencyMs": 1},
    }


def _bedrock_stop(answer: Answer) -> str:
    return answer.own.get("stopReason") or ("max_tokens" if answer.cut else "tool_use" if answer.asks else "end_turn")


def bedrock_stream(answer: Answer) -> tuple[str, bytes]:
    found: list[tuple[str, dict[str, Any]]] = [("messageStart", {"role": "assistant"})]
    texts = [{"text": piece} for piece in pieces(answer.text)]
    found += [("contentBlockDelta", {"delta": delta, "contentBlockIndex": 0}) for delta in texts]
    for place, ask in enumerate(answer.asks, 1):
        start = {"toolUse": {"toolUseId": ask.id, "name": ask.name}}
        found.append(("contentBlockStart", {"start": start, "contentBlockIndex": place}))
        for piece in pieces(ask.text):
            delta = {"toolUse": {"input": piece}}
            found.append(("contentBlockDelta", {"delta": delta, "contentBlockIndex": place}))
        found.append(("contentBlockStop", {"contentBlockIndex": place}))
    found.append(("messageStop", {"stopReason": _bedrock_stop(answer)}))
    return "application/vnd.amazon.eventstream", b"".join(frame(name, event) for name, event in found)


def frame(name: str, event: dict[str, Any]) -> bytes:
    """One event in Amazon's binary form: lengths, headers, payload, each part with its checksum."""
    payload = json.dumps(event).encode()
    fields = {":message-type": "event", ":event-type": name, ":content-type": "application/json"}
    headers = b"".join(
        bytes([len(key)]) + key.encode() + b"\x07" + struct.pack(">H", len(value)) + value.encode()
        for key, value in fields.items()
    )
    prelude = struct.pack(">II", 16 + len(headers) + len(payload), len(headers))
    prelude += struct.pack(">I", zlib.crc32(prelude))
    message = prelude + headers + payload
    return message + struct.pack(">I", zlib.crc32(message))


BEDROCK = Wire(
    bedrock_tools,
    bedrock_talk,
    bedrock_refusal,
    bedrock_plain,
    bedrock_stream,
    lambda path, body: path.endswith("converse-stream"),
    bedrock_messages,
)


def ollama_tools(body: dict[str, Any]) -> list[Sent]:
    found = []
    for place, tool in enumerate(body.get("tools") or ()):
        function = tool["function"]
        own = published(function["name"], function.get("description"), function.get("parameters"))
        found.append(Sent(f"tools[{place}].function.parameters", own))
    return found


def ollama_talk(body: dict[str, Any]) -> Talk:
    turns: Talk = []
    for message in body["messages"]:
        calls = [call["function"]["name"] for call in message.get("tool_calls") or ()]
        results = [message["tool_name"]] if message["role"] == "tool" else []
        turns.append((message["role"], calls, results))
    return turns


def ollama_refusal(place: str, problem: str) -> tuple[int, dict[str, Any]]:
    return 400, {"error": f"json: cannot unmarshal into Go struct field .{place}: {problem}"}


def ollama_plain(answer: Answer) -> dict[str, Any]:
    calls = [{"function": {"name": ask.name, "arguments": ask.object}} for ask in answer.asks]
    message = {"role": "assistant", "content": answer.text, **({"tool_calls": calls} if calls else {})}
    done = "length" if answer.cut else "stop"
    return {"model": "m", "created_at": "2026-01-01T00:00:00Z", "message": message, "done": True, "done_reason": done}


def ollama_stream(answer: Answer) -> tuple[str, bytes]:
    final = ollama_plain(answer)
    messages: list[dict[str, Any]] = [{"content": piece} for piece in pieces(answer.text)]
    messages += [{"content": "", "tool_calls": [call]} for call in final["message"].get("tool_calls", ())]
    chunks = [{**final, "message": {"role": "assistant", **m}, "done": False, "done_reason": None} for m in messages]
    last = {**final, "message": {"role": "assistant", "content": ""}}
    return "application/x-ndjson", "".join(json.dumps(chunk) + "\n" for chunk in [*chunks, last]).encode()


OLLAMA = Wire(
    ollama_tools,
    ollama_talk,
    ollama_refusal,
    ollama_plain,
    ollama_stream,
    lambda path, body: body.get("stream") is True,
)
