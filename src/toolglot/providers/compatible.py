"""Any endpoint that speaks Chat Completions: OpenRouter, Groq, xAI, DeepSeek, Moonshot, llama.cpp, vLLM and others.

The SDK is `openai` with a `base_url`, or the provider's own in the same form. The target of the view says which
endpoint it is. Reasoning that an endpoint wants back (`reasoning_content`, `reasoning_details`) stays in what
`said` gives.

Groq checks a finished call on its server. A call that does not fit the schema is an error there, with the code
`tool_use_failed` and the model's own text in `failed_generation`: hand the exception to `calls` and to `said`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import replace
from hashlib import sha256
from typing import Any

from toolglot.errors import JsonError, parse_json
from toolglot.providers import chat, openai_chat
from toolglot.providers.conversation import history
from toolglot.providers.form import IdRule, Record, Reply
from toolglot.providers.plain import dumped, object_of, read_arguments, record, records, text_of
from toolglot.schema.values import is_list

_FAILED = "tool_use_failed"


def _failure(body: Record, text: str) -> Reply | None:
    """The call in the body of an error with the code `tool_use_failed`; what cannot be read is told as a failure."""
    if body.get("code") != _FAILED:
        return None
    generation = text_of(body.get("failed_generation"))
    calls = [
        {"id": _id(place, generation), "type": "function", "function": {"name": name, "arguments": dumped(given)}}
        for place, (name, given) in enumerate(_calls(generation))
    ]
    if not calls:
        return Reply([], failure=text_of(body.get("message")) or text)
    return Reply([{"role": "assistant", "content": None, "tool_calls": calls}])


def _id(place: int, generation: str) -> str:
    return f"call_{sha256(f'{place} {generation}'.encode()).hexdigest()[:24]}"


_ENDS = re.compile(r"</?function>|(?=<function=)")
_NO_NAME = re.compile(r"[^\w.:-]")


def _calls(generation: str) -> Iterator[tuple[str, Record]]:
    """The calls that a model wrote: as JSON, with or without a wrapper, or as `<function=NAME>{...}</function>`."""
    found = list(_named(_first_json(generation)))
    if found:
        yield from found
        return
    for piece in _ENDS.split(generation):
        start, end = piece.find("{"), piece.rfind("}")
        name = _NO_NAME.split(piece[: max(start, 0)].rstrip().removesuffix(">"))[-1]
        if name and start < end:
            yield name, object_of(read_arguments(piece[start : end + 1]))


def _first_json(text: str) -> Any:
    starts = [at for at in (text.find("{"), text.find("[")) if at >= 0]
    if not starts:
        return None
    try:
        _, end = json.JSONDecoder().raw_decode(text, min(starts))
        return parse_json(text[min(starts) : end])
    except (ValueError, JsonError, RecursionError):
        return None


def _named(value: Any) -> Iterator[tuple[str, Record]]:
    if is_list(value):
        for item in records(value):
            yield from _named(item)
        return
    call = record(value)
    if call.get("tool_calls"):
        yield from _named(call["tool_calls"])
        return
    inner = {**call, **record(call.get("function"))}
    given = next((inner[key] for key in ("arguments", "parameters", "input") if key in inner), None)
    if isinstance(inner.get("name"), str) and given is not None:
        yield inner["name"], object_of(read_arguments(given))


FORM = replace(
    openai_chat.FORM,
    name="compatible",
    write=chat.Chat().write,
    failure=_failure,
    ids=IdRule(),
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
