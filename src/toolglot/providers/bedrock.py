"""Amazon Bedrock Converse: `client.converse(toolConfig={"tools": ...}, messages=...)`, and `converse_stream`.

Facts are those of the service model of boto3 1.44 (`bedrock-runtime`): `ToolSpecification`,
`ToolResultContentBlock`, `ImageFormat`, `DocumentFormat`, `ToolUseId`. `strict` is written only where it is
true: a missing one means false here, and older releases of boto3 refuse the member.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from toolglot.fitting.toolview import SentTool
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
from toolglot.providers.parts import Answered, Asked, Kept, Media, Part, Shown, Text, Turn
from toolglot.providers.plain import (
    base64_of,
    bytes_of,
    dumped,
    events,
    object_of,
    read_arguments,
    record,
    records,
    text_of,
    whole,
)

_IMAGES = {f"image/{kind}": kind for kind in ("png", "jpeg", "gif", "webp")}
_DOCUMENTS = {"application/pdf": "pdf", "text/csv": "csv", "text/html": "html", "text/markdown": "md"}
_MIMES = {kind: mime for mime, kind in {**_IMAGES, **_DOCUMENTS}.items()}


def _tool(tool: SentTool) -> Record:
    strict = {"strict": True} if is_strict(tool) else {}
    return {"toolSpec": {**described(tool), "inputSchema": {"json": parameters(tool)}, **strict}}


def _write(turns: Sequence[Turn]) -> list[Record]:
    return block_messages(turns, _block)


def _block(part: Part) -> Record | None:
    if isinstance(part, Answered):
        return {"toolResult": _result(part)}
    if isinstance(part, Asked):
        return {"toolUse": {"toolUseId": part.id, "name": part.name, "input": object_of(part.arguments)}}
    if isinstance(part, Kept):
        return dict(part.raw)
    return _shown(part)


def _result(answer: Answered) -> Record:
    parts: list[Shown] = [*map(Text, texts(answer)), *media(answer)]
    content = [block for part in parts if (block := _shown(part)) is not None] or [{"text": "(nothing)"}]
    return {"toolUseId": answer.id, "content": content, "status": "error" if answer.error else "success"}


def _shown(part: Shown) -> Record | None:
    """A block for text or media; None for an empty text, which the service refuses."""
    if isinstance(part, Text):
        return {"text": part.text} if part.text.strip() else None
    data = bytes_of(part.data)
    if data and part.mime in _IMAGES:
        return {"image": {"format": _IMAGES[part.mime], "source": {"bytes": data}}}
    if data and part.mime in _DOCUMENTS:
        name = re.sub(r"[^a-zA-Z0-9]+", " ", part.uri.rpartition("/")[2]).strip()[:200] or "document"
        return {"document": {"format": _DOCUMENTS[part.mime], "name": name, "source": {"bytes": data}}}
    return {"text": unseen(part)}


def _read(messages: Any) -> list[Turn]:
    return turns_by(_turn, messages)


def _turn(message: Record) -> Turn:
    parts = tuple(map(_part, records(message.get("content"))))
    return Turn("assistant" if message.get("role") == "assistant" else "user", parts)


def _part(block: Record) -> Part:
    if "text" in block:
        return Text(text_of(block["text"]))
    if "toolUse" in block:
        use = record(block["toolUse"])
        return Asked(text_of(use.get("toolUseId")), text_of(use.get("name")), read_arguments(use.get("input")))
    if "toolResult" in block:
        return _answer(record(block["toolResult"]))
    return _media(block) or Kept(block)


def _media(block: Record) -> Media | None:
    for kind in ("image", "document"):
        found = record(block.get(kind))
        data = base64_of(record(found.get("source")).get("bytes"))
        if data:
            return Media(_MIMES.get(text_of(found.get("format")), f"{kind}/*"), data, text_of(found.get("name")))
    return None


def _answer(result: Record) -> Answered:
    structured: Any = None
    parts: list[Shown] = []
    for block in records(result.get("content")):
        if "json" in block:
            structured = block["json"]
            parts.append(Text(dumped(structured)))
        else:
            part = _part(block)
            parts += [part] if isinstance(part, (Text, Media)) else []
    id = text_of(result.get("toolUseId"))
    return Answered(id, "", tuple(parts), structured, result.get("status") == "error")


_CUT = ("max_tokens", "model_context_window_exceeded", None)
_MALFORMED = ("malformed_tool_use", "malformed_model_output")


def _reply(response: Record) -> Reply:
    if "stream" in response:
        response = _join(events(response["stream"]))
    message = record(record(response.get("output")).get("message"))
    blocks = records(message.get("content"))
    for block in blocks:
        if "toolUse" in block:
            block["toolUse"] = {**record(block["toolUse"]), "input": object_of(record(block["toolUse"]).get("input"))}
    stop = response.get("stopReason")
    failure = f"The call was not usable ({stop}). Write it again." if stop in _MALFORMED else ""
    said = [{"role": "assistant", "content": blocks}] if blocks else []
    return Reply(said, stop in _CUT and bool(blocks) and "toolUse" in blocks[-1], failure)


def _join(found: list[Any]) -> Record:
    blocks: dict[Any, Record] = {}
    inputs: dict[Any, str] = {}
    stop: Any = None
    for event in map(record, found):
        start, delta = record(event.get("contentBlockStart")), record(event.get("contentBlockDelta"))
        place = start.get("contentBlockIndex", delta.get("contentBlockIndex"))
        if start:
            blocks[place] = {"toolUse": dict(record(record(start.get("start")).get("toolUse")))}
        elif delta:
            _grow(blocks.setdefault(place, {}), inputs, place, record(delta.get("delta")))
        stop = record(event.get("messageStop")).get("stopReason") or stop
    for place, block in blocks.items():
        if "toolUse" in block:
            block["toolUse"]["input"] = whole(inputs.get(place, ""), stop in _CUT)
    content = [block for block in blocks.values() if block]
    return {"output": {"message": {"content": content}}, "stopReason": stop}


def _grow(block: Record, inputs: dict[Any, str], place: Any, delta: Record) -> None:
    if "toolUse" in delta:
        inputs[place] = inputs.get(place, "") + text_of(record(delta["toolUse"]).get("input"))
    elif "text" in delta:
        block["text"] = text_of(block.get("text")) + text_of(delta["text"])
    elif "reasoningContent" in delta:
        _reason(block, record(delta["reasoningContent"]))


def _reason(block: Record, delta: Record) -> None:
    if "redactedContent" in delta:
        block["reasoningContent"] = {"redactedContent": delta["redactedContent"]}
        return
    text = record(block.setdefault("reasoningContent", {}).setdefault("reasoningText", {"text": ""}))
    text["text"] += text_of(delta.get("text"))
    if delta.get("signature"):
        text["signature"] = delta["signature"]


def _failure(body: Record, text: str) -> Reply | None:
    """A model's call that the service could not read, which it answers with ModelErrorException."""
    error = record(body.get("Error"))
    message = text_of(error.get("Message"))
    about = error.get("Code") == "ModelErrorException" and re.search("tool ?use", message, re.IGNORECASE)
    return Reply([], failure=message) if about else None


FORM = Form(
    name="bedrock",
    tool=_tool,
    reply=_reply,
    join=_join,
    read=_read,
    write=_write,
    failure=_failure,
    ids=IdRule(r"[a-zA-Z0-9_.:-]{1,64}", "tooluse_"),
    partial=True,
    system_apart=True,
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
