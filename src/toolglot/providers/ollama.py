"""Ollama: `client.chat(model=..., tools=..., messages=...)`.

Facts are those of the types of the SDK (ollama 0.6): `_types.py`. Calls have no ids, results are told apart by
the name of the tool and their order; pictures stand beside the text of a message. There is no `strict`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.toolview import SentTool
from toolglot.providers.conversation import history
from toolglot.providers.form import Form, Record, Reply, described, parameters, turns_by
from toolglot.providers.outcomes import marked, media, texts, unseen
from toolglot.providers.parts import Answered, Asked, Kept, Media, Part, Role, Shown, Text, Turn
from toolglot.providers.plain import object_of, read_arguments, record, records, text_of, without_nulls
from toolglot.schema.refs import Document


def _tool(tool: SentTool) -> Record:
    schema = parameters(tool)
    document = Document(schema)
    for part in records(list(record(schema.get("properties")).values())):
        if not _CARRIED.issuperset(part.keys()):
            shape = words.signature(part, document, _DEEP)
            part["description"] = words.joined(text_of(part.get("description")), [f"Shape: {shape}"])
    return {"type": "function", "function": {**described(tool), "parameters": schema}}


_CARRIED = {"type", "items", "description", "enum", "title", "default"}
"""What the SDK's own type keeps of a parameter, and what costs nothing. Where there is more, a text says it: the SDK
drops unions and the properties of an object inside another without a word."""
_DEEP = 4


def _write(turns: Sequence[Turn]) -> list[Record]:
    return [message for turn in turns for message in _messages(turn)]


def _messages(turn: Turn) -> list[Record]:
    if turn.role == "assistant":
        return [_said(turn.parts)]
    messages: list[Record] = []
    for answer in (part for part in turn.parts if isinstance(part, Answered)):
        parts: list[Shown] = [*map(Text, texts(answer)), *media(answer)]
        content = _content(parts)
        content["content"] = marked(answer, content["content"])
        messages.append({"role": "tool", "tool_name": answer.name, **content})
    shown = [part for part in turn.parts if isinstance(part, (Text, Media))]
    return [*messages, {"role": turn.role, **_content(shown)}] if shown else messages


def _content(parts: Sequence[Shown]) -> Record:
    pictures = [part.data for part in parts if isinstance(part, Media) and part.is_image and part.data]
    told = [part.text if isinstance(part, Text) else unseen(part) for part in parts if not _is_picture(part)]
    found: Record = {"content": "\n".join(told)}
    return {**found, "images": pictures} if pictures else found


def _is_picture(part: Shown) -> bool:
    return isinstance(part, Media) and part.is_image and bool(part.data)


def _said(parts: Sequence[Part]) -> Record:
    message: Record = {"role": "assistant", "content": "\n".join(part.text for part in parts if isinstance(part, Text))}
    for part in parts:
        if isinstance(part, Kept):
            message.update(part.raw)
    calls = [
        {"function": {"name": part.name, "arguments": object_of(part.arguments)}}
        for part in parts
        if isinstance(part, Asked)
    ]
    return {**message, "tool_calls": calls} if calls else message


def _read(messages: Any) -> list[Turn]:
    return turns_by(_turn, messages)


def _turn(message: Record) -> Turn:
    content = text_of(message.get("content"))
    shown: list[Shown] = [Text(content)] if content else []
    images: Any = message.get("images")
    shown += [Media("image/png", picture) for picture in (images or ()) if isinstance(picture, str)]
    if message.get("role") == "tool":
        name = text_of(message.get("tool_name")) or text_of(message.get("name"))
        return Turn("user", (Answered("", name, tuple(shown)),))
    if message.get("role") == "assistant":
        kept: list[Part] = [Kept({"thinking": message["thinking"]})] if message.get("thinking") else []
        return Turn("assistant", (*kept, *shown, *map(_asked, records(message.get("tool_calls")))))
    role: Role = "system" if message.get("role") == "system" else "user"
    return Turn(role, tuple(shown))


def _asked(call: Record) -> Asked:
    function = record(call.get("function"))
    return Asked("", text_of(function.get("name")), read_arguments(function.get("arguments")))


def _reply(response: Record) -> Reply:
    message = without_nulls(record(response.get("message")))
    calls = [{"function": _function(record(call.get("function")))} for call in records(message.get("tool_calls"))]
    if calls:
        message["tool_calls"] = calls
    cut = response.get("done_reason") == "length"
    return Reply([message] if message.get("content") or calls or message.get("thinking") else [], cut)


def _function(function: Record) -> Record:
    arguments = object_of(read_arguments(function.get("arguments")))
    return {"name": text_of(function.get("name")), "arguments": arguments}


def _join(chunks: list[Any]) -> Record:
    message: Record = {"role": "assistant", "content": ""}
    done: Any = None
    for chunk in map(record, chunks):
        delta = record(chunk.get("message"))
        message["content"] += text_of(delta.get("content"))
        if delta.get("thinking"):
            message["thinking"] = text_of(message.get("thinking")) + text_of(delta["thinking"])
        if delta.get("tool_calls"):
            message["tool_calls"] = [*records(message.get("tool_calls")), *records(delta["tool_calls"])]
        done = chunk.get("done_reason") or done
    return {"message": message, "done_reason": done}


def _failure(body: Record, text: str) -> Reply | None:
    """A model's call that the server could not parse: it answers 500 with these words."""
    return Reply([], failure=text) if "error parsing tool call" in text else None


FORM = Form(
    name="ollama",
    tool=_tool,
    reply=_reply,
    join=_join,
    read=_read,
    write=_write,
    failure=_failure,
    ids=None,
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
