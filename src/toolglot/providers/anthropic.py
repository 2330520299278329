"""Anthropic Messages: `client.messages.create(tools=..., messages=...)`, on Anthropic's API, Vertex or Bedrock.

Facts are those of the types of the SDK (anthropic 2.14): `types/tool_param.py`,
`types/tool_result_block_param.py` (text, images, PDF documents, `is_error`). All results of a turn stand first
in the next message of the user.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from toolglot.fitting.toolview import SentTool
from toolglot.providers.chat import IMAGES
from toolglot.providers.conversation import history
from toolglot.providers.form import (
    Form,
    IdRule,
    Record,
    Reply,
    block_messages,
    described,
    is_strict,
    parameters,
    turns_by,
)
from toolglot.providers.outcomes import media, texts, unseen
from toolglot.providers.parts import Answered, Asked, Kept, Media, Part, Role, Shown, Text, Turn
from toolglot.providers.plain import (
    base64_of,
    object_of,
    read_arguments,
    record,
    records,
    text_of,
    whole,
    without_nulls,
)


def _tool(tool: SentTool) -> Record:
    return {**described(tool), "input_schema": parameters(tool), "strict": is_strict(tool)}


def _write(turns: Sequence[Turn]) -> list[Record]:
    return block_messages(turns, _block)


def _block(part: Part) -> Record | None:
    if isinstance(part, Answered):
        return _result(part)
    if isinstance(part, Asked):
        call = {"type": "tool_use", "id": part.id, "name": part.name, "input": object_of(part.arguments)}
        return {**call, **part.extra}
    if isinstance(part, Kept):
        return dict(part.raw)
    return _shown(part)


def _result(answer: Answered) -> Record:
    parts: list[Shown] = [*map(Text, texts(answer)), *media(answer)]
    content = [block for part in parts if (block := _shown(part)) is not None]
    return {"type": "tool_result", "tool_use_id": answer.id, "content": content, "is_error": answer.error}


def _shown(part: Shown) -> Record | None:
    """A block for text or media; None for an empty text, which the API refuses."""
    if isinstance(part, Text):
        return {"type": "text", "text": part.text} if part.text.strip() else None
    if part.mime in IMAGES and part.data:
        return {"type": "image", "source": {"type": "base64", "media_type": part.mime, "data": part.data}}
    if part.mime == "application/pdf" and part.data:
        return {"type": "document", "source": {"type": "base64", "media_type": part.mime, "data": part.data}}
    if part.is_image and part.uri:
        return {"type": "image", "source": {"type": "url", "url": part.uri}}
    return {"type": "text", "text": unseen(part)}


def _read(messages: Any) -> list[Turn]:
    return turns_by(_turn, messages)


def _turn(message: Record) -> Turn:
    roles: dict[Any, Role] = {"assistant": "assistant", "system": "system"}
    return Turn(roles.get(message.get("role"), "user"), tuple(_parts(message.get("content"))))


def _parts(content: Any) -> Iterable[Part]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [_part(block) for block in records(content)]


def _part(block: Record) -> Part:
    kind = block.get("type")
    if kind == "text":
        return Text(text_of(block.get("text")))
    if kind in ("image", "document"):
        source = record(block.get("source"))
        data, url = base64_of(source.get("data")), text_of(source.get("url"))
        mime = text_of(source.get("media_type")) or f"{kind}/*"
        return Media(mime, data, url) if data or url else Kept(without_nulls(block))
    if kind == "tool_use":
        known = ("type", "id", "name", "input")
        extra = {key: value for key, value in without_nulls(block).items() if key not in known}
        return Asked(text_of(block.get("id")), text_of(block.get("name")), read_arguments(block.get("input")), extra)
    if kind == "tool_result":
        shown = tuple(part for part in _parts(block.get("content")) if isinstance(part, (Text, Media)))
        return Answered(text_of(block.get("tool_use_id")), "", shown, error=block.get("is_error") is True)
    return Kept(without_nulls(block))


_CUT = ("max_tokens", "model_context_window_exceeded", None)


def _reply(response: Record) -> Reply:
    blocks = [without_nulls(block) for block in records(response.get("content"))]
    for block in blocks:
        block.pop("parsed_output", None)
        if block.get("type") == "tool_use":
            block["input"] = object_of(block.get("input"))
    message = [{"role": "assistant", "content": blocks}] if blocks else []
    cut = response.get("stop_reason") in _CUT and bool(blocks) and blocks[-1].get("type") == "tool_use"
    return Reply(message, cut)


_GROWS = {"text_delta": "text", "thinking_delta": "thinking", "signature_delta": "signature"}


def _join(events: list[Any]) -> Record:
    blocks: dict[Any, Record] = {}
    inputs: dict[Any, str] = {}
    stop: Any = None
    for event in map(record, events):
        place, delta = event.get("index"), record(event.get("delta"))
        if event.get("type") == "content_block_start":
            blocks[place] = dict(record(event.get("content_block")))
        elif event.get("type") == "message_delta":
            stop = delta.get("stop_reason") or stop
        elif delta.get("type") == "input_json_delta":
            inputs[place] = inputs.get(place, "") + text_of(delta.get("partial_json"))
        elif place in blocks and (key := _GROWS.get(text_of(delta.get("type")))):
            blocks[place][key] = text_of(blocks[place].get(key)) + text_of(delta.get(key))
    for place, text in inputs.items():
        blocks[place]["input"] = object_of(whole(text, stop in _CUT))
    return {"content": list(blocks.values()), "stop_reason": stop}


FORM = Form(
    name="anthropic",
    tool=_tool,
    reply=_reply,
    join=_join,
    read=_read,
    write=_write,
    ids=IdRule(r"[a-zA-Z0-9_-]{1,64}", "toolu_"),
    partial=True,
    system_apart=True,
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
