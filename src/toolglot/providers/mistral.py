"""Mistral: `client.chat.complete(tools=..., messages=...)` and `client.chat.stream`.

Facts are those of the types of the SDK (mistralai 3.7): `models/function.py` (`parameters` is required),
`models/toolcall.py` (an id that is not there reads "null"), `models/toolmessage.py` (a result may hold
pictures). Ids of calls have exactly 9 letters and digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from toolglot.fitting.toolview import SentTool
from toolglot.providers import chat
from toolglot.providers.conversation import history
from toolglot.providers.form import Form, IdRule, Record, Reply, parameters
from toolglot.providers.parts import Turn
from toolglot.providers.plain import record, records

_NO_ID = "null"
_IDS = IdRule(r"[a-zA-Z0-9]{9}", "", 9)


def _without_null_ids(calls: list[Record]) -> None:
    for call in calls:
        if call.get("id") == _NO_ID:
            del call["id"]


def _reply(response: Record) -> Reply:
    for choice in records(response.get("choices")):
        calls = records(record(choice.get("message")).get("tool_calls"))
        _without_null_ids(calls)
        for call in calls:
            call.pop("index", None)
    return chat.reply(response, _IDS)


def _join(events: list[Any]) -> Record:
    for event in map(record, events):
        for choice in records(record(event.get("data") or event).get("choices")):
            _without_null_ids(records(record(choice.get("delta")).get("tool_calls")))
    return chat.join(events)


def _tool(tool: SentTool) -> Record:
    """A tool, always with `parameters`."""
    written = chat.function_tool(tool)
    written["function"].setdefault("parameters", parameters(tool))
    return written


_CHAT = chat.Chat(as_list=True, named=True)
_BETWEEN: Record = {"role": "assistant", "content": "I have the results."}


def _write(turns: Sequence[Turn]) -> list[Record]:
    """The messages of some turns. The API takes no message of the user straight after a result of a tool."""
    found: list[Record] = []
    for message in _CHAT.write(turns):
        if found and message["role"] == "user" and found[-1]["role"] == "tool":
            found.append(dict(_BETWEEN))
        found.append(message)
    return found


FORM = Form(
    name="mistral",
    tool=_tool,
    reply=_reply,
    join=_join,
    read=chat.read,
    write=_write,
    ids=_IDS,
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
