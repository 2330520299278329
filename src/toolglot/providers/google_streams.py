"""Answers of Google's models that come in pieces: text, and arguments that are streamed path by path."""

from __future__ import annotations

import re
from typing import Any, cast

from toolglot.providers.form import Record
from toolglot.providers.plain import record, records, text_of, without_nulls
from toolglot.schema.values import is_list, is_map

_STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]|\['((?:[^'\\]|\\.)*)'\]|\[\"((?:[^\"\\]|\\.)*)\"\]")
_VALUES = ("stringValue", "numberValue", "boolValue")
_MOST_ITEMS = 10_000


def snaked(name: str) -> str:
    """A name of Google's JSON form as the SDK's Python form has it."""
    return re.sub(r"[A-Z]", lambda letter: f"_{letter[0].lower()}", name)


def pick(value: Record, name: str) -> Any:
    """A member by its name in Google's JSON form; the SDK also takes the Python form."""
    found = value.get(name)
    return value.get(snaked(name)) if found is None else found


def joined_parts(parts: list[Record]) -> list[Record]:
    """The parts of a whole answer: texts of one kind are one part, and so is a call whose arguments came in pieces."""
    found: list[Record] = []
    open_call: Record | None = None
    for part in map(without_nulls, parts):
        call = record(pick(part, "functionCall"))
        is_call = pick(part, "functionCall") is not None
        if is_call and (open_call is not None or pick(call, "partialArgs") or pick(call, "willContinue")):
            open_call = _continued(found, open_call, part, call)
        elif found and _goes_on(found[-1], part):
            found[-1] = {**found[-1], **part, "text": text_of(found[-1].get("text")) + text_of(part.get("text"))}
        else:
            found.append(part)
    return found


def _goes_on(before: Record, part: Record) -> bool:
    texts = isinstance(before.get("text"), str) and isinstance(part.get("text"), str)
    signed = pick(before, "thoughtSignature") is not None
    return texts and not signed and bool(before.get("thought")) == bool(part.get("thought"))


def _continued(found: list[Record], open_call: Record | None, part: Record, call: Record) -> Record | None:
    """A piece of a call taken in; the call while more of it is to come."""
    if open_call is None:
        open_call = {key: value for key, value in without_nulls(call).items() if key in ("id", "name")}
        open_call["args"] = dict(record(call.get("args")))
        rest = {key: value for key, value in part.items() if snaked(key) != "function_call"}
        found.append({"functionCall": open_call, **rest})
    for piece in records(pick(call, "partialArgs")):
        _put(open_call, text_of(pick(piece, "jsonPath")), piece)
    return open_call if pick(call, "willContinue") else None


def _put(call: Record, path: str, piece: Record) -> None:
    steps: list[str | int] = [
        int(index) if index else name or single or double for name, index, single, double in _STEP.findall(path)
    ]
    value = next((found for key in _VALUES if (found := pick(piece, key)) is not None), None)
    holder = cast("Any", call)
    for step, after in zip(["args", *steps], [*steps, None], strict=True):
        if after is None:
            before = _member(holder, step)
            _set(holder, step, before + value if isinstance(before, str) and isinstance(value, str) else value)
            return
        inner = _member(holder, step)
        if not (is_map(inner) or is_list(inner)):
            _set(holder, step, [] if isinstance(after, int) else {})
        holder = _member(holder, step)


def _member(holder: Any, step: str | int) -> Any:
    if isinstance(holder, dict):
        return record(holder).get(str(step))
    return holder[step] if isinstance(step, int) and step < len(holder) else None


def _set(holder: Any, step: str | int, value: Any) -> None:
    if isinstance(holder, dict):
        holder[str(step)] = value
        return
    if isinstance(step, int) and step < _MOST_ITEMS:
        holder += [None] * (step + 1 - len(holder))
        holder[step] = value
