"""Messages in the form of Chat Completions, which most providers have taken over."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from toolglot.fitting.toolview import SentTool
from toolglot.providers.calling import is_whole
from toolglot.providers.form import IdRule, Record, Reply, described, is_strict, parameters, turns_by
from toolglot.providers.outcomes import marked, media, texts, unseen
from toolglot.providers.parts import Answered, Asked, Kept, Media, Part, Shown, Text, Turn
from toolglot.providers.plain import (
    dumped,
    object_of,
    read_arguments,
    record,
    records,
    text_of,
    whole,
    without_nulls,
)
from toolglot.schema.values import is_list

IMAGES = ("image/png", "image/jpeg", "image/gif", "image/webp")


def image_block(part: Media) -> Record | None:
    """A picture as Chat Completions takes it, in a message of the user; None for what is no picture it can show."""
    if part.mime in IMAGES and part.data:
        return {"type": "image_url", "image_url": {"url": f"data:{part.mime};base64,{part.data}"}}
    return {"type": "image_url", "image_url": {"url": part.uri}} if part.uri and part.is_image else None


def document_block(part: Media) -> Record | None:
    """As `image_block`, for an endpoint that also takes PDF files."""
    if part.mime != "application/pdf" or not part.data:
        return image_block(part)
    data = f"data:application/pdf;base64,{part.data}"
    return {"type": "file", "file": {"filename": part.uri.rpartition("/")[2] or "document.pdf", "file_data": data}}


@dataclass(frozen=True, slots=True)
class Chat:
    """How messages are written: `block` shows a picture or file. `as_list`: results of tools may be lists of blocks.

    `arguments_as_text` False: the arguments of a call are an object. `named`: results carry the name of the tool.
    """

    block: Callable[[Media], Record | None] = image_block
    as_list: bool = False
    named: bool = False
    arguments: Callable[[Any], Any] = field(default=lambda value: dumped(object_of(value)))

    def write(self, turns: Sequence[Turn]) -> list[Record]:
        """The messages of some turns."""
        return [message for turn in turns for message in self._turn(turn)]

    def _turn(self, turn: Turn) -> Iterable[Record]:
        if turn.role == "assistant":
            return self._assistant(turn.parts)
        answers = [part for part in turn.parts if isinstance(part, Answered)]
        shown: list[Shown] = [part for part in turn.parts if isinstance(part, (Text, Media))]
        pictures = [] if self.as_list else [part for answer in answers for part in self._carried(answer)]
        messages = [self._result(answer) for answer in answers]
        if pictures or shown:
            messages.append({"role": turn.role, "content": self._content([*pictures, *shown])})
        return messages

    def _assistant(self, parts: Iterable[Part]) -> list[Record]:
        said: Record = {"role": "assistant", "content": None}
        calls: list[Record] = []
        for part in parts:
            if isinstance(part, Text):
                said["content"] = f"{said['content']}\n{part.text}" if said["content"] else part.text
            elif isinstance(part, Kept):
                said.update(part.raw)
            elif isinstance(part, Asked):
                function = {"name": part.name, "arguments": self.arguments(part.arguments)}
                calls.append({"id": part.id, "type": "function", "function": function, **part.extra})
        if calls:
            return [{**said, "tool_calls": calls}]
        return [said] if said["content"] or len(said) > 2 else []

    def _result(self, answer: Answered) -> Record:
        shown = [part for part in media(answer) if self.block(part) is not None]
        words = [*texts(answer), *(unseen(part) for part in media(answer) if part not in shown)]
        if shown and not self.as_list:
            words.append(f"[{len(shown)} of the following pictures or files belong to this result]")
        text = marked(answer, "\n".join(words))
        name = {"name": answer.name} if self.named else {}
        content: Any = text
        if shown and self.as_list:
            content = [*([{"type": "text", "text": text}] if text else []), *map(self.block, shown)]
        return {"role": "tool", "tool_call_id": answer.id, **name, "content": content}

    def _carried(self, answer: Answered) -> list[Shown]:
        """What of a result is shown in a message of the user: a result of a tool is text only."""
        shown = [part for part in media(answer) if self.block(part) is not None]
        return [Text(f"From the result of {answer.name} ({answer.id}):"), *shown] if shown else []

    def _content(self, parts: Sequence[Shown]) -> Any:
        if all(isinstance(part, Text) for part in parts):
            return "\n".join(part.text for part in parts if isinstance(part, Text))
        return [self._block(part) for part in parts]

    def _block(self, part: Shown) -> Record:
        if isinstance(part, Text):
            return {"type": "text", "text": part.text}
        return self.block(part) or {"type": "text", "text": unseen(part)}


def read(messages: Any) -> list[Turn]:
    """The turns of some messages. In: mappings or SDK objects, in the form of Chat Completions."""
    return turns_by(_read, messages)


def _read(message: Record) -> Turn:
    role = message.get("role")
    parts = _parts(message.get("content"))
    if role == "tool":
        shown = tuple(part for part in parts if isinstance(part, (Text, Media)))
        answer = Answered(text_of(message.get("tool_call_id")), text_of(message.get("name")), shown)
        return Turn("user", (answer,))
    if role in ("system", "developer"):
        return Turn("system", tuple(parts))
    if role != "assistant":
        return Turn("user", tuple(parts))
    known = ("role", "content", "tool_calls")
    own = {key: value for key, value in without_nulls(message).items() if key not in known}
    kept: list[Part] = [Kept(own)] if own else []
    return Turn("assistant", (*kept, *parts, *map(_asked, calls_of(message))))


def calls_of(message: Record) -> list[Record]:
    """The calls of functions in a message; calls of a provider's own kinds of tools are not ours."""
    return [call for call in records(message.get("tool_calls")) if call.get("function")]


def _asked(call: Record) -> Asked:
    function = record(call.get("function"))
    extra = {key: value for key, value in without_nulls(call).items() if key not in ("id", "type", "function", "index")}
    return Asked(
        text_of(call.get("id")), text_of(function.get("name")), read_arguments(function.get("arguments")), extra
    )


def _parts(content: Any) -> list[Part]:
    if isinstance(content, str):
        return [Text(content)] if content else []
    return [part for block in records(content) if (part := _part(block)) is not None]


def _part(block: Record) -> Part | None:
    if block.get("type") == "image_url":
        url = block.get("image_url")
        return media_of(text_of(url) or text_of(record(url).get("url")))
    if block.get("type") == "file":
        return media_of(text_of(record(block.get("file")).get("file_data")))
    text = text_of(block.get("text") or block.get("refusal"))
    return Text(text) if text else None


def media_of(url: str) -> Media | None:
    """What a data URL or another URL stands for; None for nothing."""
    if not url.startswith("data:"):
        return Media("image/*", uri=url) if url else None
    head, _, data = url.removeprefix("data:").partition(",")
    return Media(head.partition(";")[0], data)


def reply(response: Record, ids: IdRule | None = None) -> Reply:
    """What a response says: its first choice. A call without an id, or with that of an earlier one, gets one."""
    choices = records(response.get("choices"))
    choice = choices[0] if choices else {}
    cut = choice.get("finish_reason") == "length"
    message = without_nulls(record(choice.get("message")))
    if not message:
        return Reply([], cut)
    calls = [without_nulls(call) for call in records(message.get("tool_calls"))]
    taken: set[str] = set()
    for place, call in enumerate(calls):
        if call.get("function"):
            last = place == len(calls) - 1
            call["function"] = _mended(record(call["function"]), cut and last)
        id = text_of(call.get("id"))
        if not id or id in taken:
            call["id"] = (ids or IdRule()).fit(f"no id: {place} {dumped(call.get('function'))}")
        taken.add(call["id"])
    said = {"role": "assistant", "content": None, **{k: v for k, v in message.items() if k not in _NOT_SENT}}
    return Reply([{**said, "tool_calls": calls} if calls else said], cut)


_NOT_SENT = ("parsed", "annotations", "audio", "function_call")
"""Members of an answer that are no members of a message."""


def _mended(function: Record, cut: bool) -> Record:
    """A call with arguments that the provider takes back: no text that is no JSON object."""
    arguments = function.get("arguments")
    if isinstance(arguments, str):
        arguments = whole(arguments, cut)
    return {"name": text_of(function.get("name")), "arguments": dumped(object_of(arguments))}


def join(chunks: list[Any]) -> Record:
    """One response from the chunks of a stream.

    A call begins with a new index or with a new id: some endpoints number all parallel calls 0, some leave the index
    out, some repeat id and name in each chunk.
    """
    message: Record = {"role": "assistant"}
    calls: list[Record] = []
    finish: Any = None
    for chunk in map(record, chunks):
        choices = records(record(chunk.get("chunk") or chunk.get("data") or chunk).get("choices"))
        for choice in (one for one in choices if not one.get("index")):
            delta = without_nulls(record(choice.get("delta")))
            for call in records(delta.pop("tool_calls", None)):
                _add_call(calls, call)
            _add(message, {key: value for key, value in delta.items() if key != "role"})
            finish = choice.get("finish_reason") or finish
    if calls:
        message["tool_calls"] = [{key: value for key, value in call.items() if key != "index"} for call in calls]
    return {"choices": [{"message": message, "finish_reason": finish}]}


def _add(message: Record, delta: Record) -> None:
    for key, value in delta.items():
        before = message.get(key)
        if is_list(before) and is_list(value):
            message[key] = [*before, *value]
        else:
            message[key] = f"{before}{value}" if isinstance(before, str) and isinstance(value, str) else value


def _add_call(calls: list[Record], delta: Record) -> None:
    delta = without_nulls(delta)
    call = _place(calls, delta)
    function = record(delta.get("function"))
    for key, value in delta.items():
        if key != "function" and (value or key not in call):
            call[key] = value
    into = call.setdefault("function", {"name": "", "arguments": ""})
    into["name"] = text_of(function.get("name")) or into["name"]
    arguments = function.get("arguments")
    into["arguments"] = into["arguments"] + arguments if isinstance(arguments, str) else arguments or into["arguments"]


def _place(calls: list[Record], delta: Record) -> Record:
    id, index = delta.get("id"), delta.get("index")
    known = [call for call in calls if call.get("index") == index] if index is not None else calls
    if id and calls:
        named = [call for call in calls if call.get("id") == id]
        known = named or [call for call in known if not call.get("id")]
    if known and not _begins(delta, known[-1]):
        return known[-1]
    calls.append({})
    return calls[-1]


def _begins(delta: Record, call: Record) -> bool:
    """Whether a piece without an id is a call of its own: it has a name, and the one before it is complete."""
    function = record(call.get("function"))
    named = bool(record(delta.get("function")).get("name")) and bool(function.get("name")) and not delta.get("id")
    return named and bool(function.get("arguments")) and is_whole(function.get("arguments"))


def function_tool(tool: SentTool) -> Record:
    """A tool as Chat Completions takes it. Where no schema is to be sent there is no `parameters`: it means none."""
    given = {} if tool.schema is None else {"parameters": parameters(tool)}
    return {"type": "function", "function": {**described(tool), **given, "strict": is_strict(tool)}}
