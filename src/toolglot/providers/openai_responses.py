"""OpenAI Responses: `client.responses.create(tools=..., input=...)`.

Facts are those of the types of the SDK (openai 3.57): `responses/function_tool_param.py`, where `parameters`
and `strict` are required (a missing `strict` means true to this API), and `response_input_item_param.py`. An id
of a call may have 64 characters.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

from toolglot.fitting.toolview import SentTool
from toolglot.providers.chat import IMAGES, media_of
from toolglot.providers.conversation import history
from toolglot.providers.form import Form, IdRule, Record, Reply, described, is_strict, parameters, turns_by
from toolglot.providers.outcomes import marked, media, texts, unseen
from toolglot.providers.parts import Answered, Asked, Kept, Media, Part, Role, Shown, Text, Turn, joined
from toolglot.providers.plain import dumped, object_of, read_arguments, record, records, text_of, whole, without_nulls


def _tool(tool: SentTool) -> Record:
    return {"type": "function", **described(tool), "parameters": parameters(tool), "strict": is_strict(tool)}


def _write(turns: Sequence[Turn]) -> list[Record]:
    return [item for turn in turns for item in _items(turn)]


def _items(turn: Turn) -> list[Record]:
    if turn.role == "assistant":
        return [_said(part) for part in turn.parts]
    results = [_result(part) for part in turn.parts if isinstance(part, Answered)]
    shown = [_block(part) for part in turn.parts if isinstance(part, (Text, Media))]
    return [*results, {"role": turn.role, "content": shown}] if shown else results


def _said(part: Part) -> Record:
    if isinstance(part, Asked):
        call = {"type": "function_call", "call_id": part.id, "name": part.name}
        return {**call, "arguments": dumped(object_of(part.arguments)), **part.extra}
    if isinstance(part, Kept):
        return dict(part.raw)
    text = part.text if isinstance(part, Text) else ""
    return {"role": "assistant", "content": text} if not isinstance(part, Text) or not part.extra else dict(part.extra)


def _result(answer: Answered) -> Record:
    shown = media(answer)
    text = marked(answer, "\n".join(texts(answer)))
    blocks = [*([_block(Text(text))] if text else []), *map(_block, shown)]
    return {"type": "function_call_output", "call_id": answer.id, "output": blocks if shown else text}


def _block(part: Shown) -> Record:
    if isinstance(part, Text):
        return {"type": "input_text", "text": part.text}
    if part.mime in IMAGES and part.data:
        return {"type": "input_image", "detail": "auto", "image_url": f"data:{part.mime};base64,{part.data}"}
    if part.mime == "application/pdf" and part.data:
        name = part.uri.rpartition("/")[2] or "document.pdf"
        return {"type": "input_file", "filename": name, "file_data": f"data:{part.mime};base64,{part.data}"}
    if part.is_image and part.uri:
        return {"type": "input_image", "detail": "auto", "image_url": part.uri}
    return {"type": "input_text", "text": unseen(part)}


def _read(messages: Any) -> list[Turn]:
    return joined(turns_by(_turn, messages))


def _turn(item: Record) -> Turn:
    kind = item.get("type") or "message"
    if kind == "message":
        return _message(item)
    if kind == "function_call":
        extra = {key: value for key, value in without_nulls(item).items() if key in ("id", "status", "namespace")}
        arguments = read_arguments(item.get("arguments"))
        return Turn("assistant", (Asked(text_of(item.get("call_id")), text_of(item.get("name")), arguments, extra),))
    if kind == "function_call_output":
        shown = tuple(part for part in _parts(item.get("output")) if isinstance(part, (Text, Media)))
        return Turn("user", (Answered(text_of(item.get("call_id")), text_of(item.get("name")), shown),))
    return Turn("assistant", (Kept(without_nulls(item)),))


def _message(item: Record) -> Turn:
    role: Role = "assistant" if item.get("role") == "assistant" else "user"
    if item.get("role") in ("system", "developer"):
        role = "system"
    parts = _parts(item.get("content"))
    if role == "assistant" and item.get("id") and parts:
        words = "\n".join(part.text for part in parts if isinstance(part, Text))
        parts = [Text(words, without_nulls(item))]
    return Turn(role, tuple(parts))


def _parts(content: Any) -> list[Part]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [part for block in records(content) if (part := _part(block)) is not None]


def _part(block: Record) -> Part | None:
    if block.get("type") == "input_image":
        return media_of(text_of(block.get("image_url")))
    if block.get("type") == "input_file":
        return media_of(text_of(block.get("file_data")) or text_of(block.get("file_url")))
    text = text_of(block.get("text") or block.get("refusal"))
    return Text(text) if text else None


def _reply(response: Record) -> Reply:
    items = [without_nulls(item) for item in records(response.get("output"))]
    cut = response.get("status") == "incomplete"
    for place, item in enumerate(items):
        item.pop("parsed_arguments", None)
        if item.get("type") == "function_call":
            arguments = whole(text_of(item.get("arguments")), cut and place == len(items) - 1)
            item["arguments"] = dumped(object_of(arguments))
    return Reply(items, cut)


def _join(events: list[Any]) -> Record:
    """The response of a stream: the one its last event carries, else what came before the stream broke off."""
    items: dict[Any, Record] = {}
    for event in map(record, events):
        final = record(event.get("response"))
        if event.get("type") in ("response.completed", "response.incomplete") and final.get("output"):
            return final
        place = event.get("output_index")
        if event.get("type") in ("response.output_item.added", "response.output_item.done"):
            items[place] = record(event.get("item"))
        elif event.get("type") == "response.function_call_arguments.delta" and place in items:
            items[place]["arguments"] = f"{items[place].get('arguments') or ''}{event.get('delta')}"
    kept = [item for item in items.values() if item.get("type") == "function_call" or item.get("status") == "completed"]
    return {"output": cast("Any", kept), "status": "incomplete"}


FORM = Form(
    name="openai_responses",
    tool=_tool,
    reply=_reply,
    join=_join,
    read=_read,
    write=_write,
    ids=IdRule(r".{1,64}"),
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
