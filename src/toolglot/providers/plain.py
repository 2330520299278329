"""SDK objects as plain JSON values, without importing any SDK."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterable, Mapping
from enum import Enum
from typing import Any, cast

from toolglot.errors import JsonError, ToolglotError, parse_json
from toolglot.providers.parts import UNREAD
from toolglot.schema.tool import thaw
from toolglot.schema.values import is_map


def plain(value: Any) -> Any:
    """A value as plain dicts, lists and scalars; bytes stay bytes.

    In: JSON values, or objects of an SDK (pydantic models, mappings, enums). What is none of these comes back as it is.
    Raises ToolglotError for what is nested too deeply.
    """
    try:
        return _plain(value)
    except RecursionError:
        raise ToolglotError("this is nested too deeply.") from None


def _plain(value: Any) -> Any:
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_plain(item) for item in cast("Iterable[Any]", value)]
    dump = getattr(value, "model_dump", None)
    return value if dump is None else _plain(dump(by_alias=True, warnings=False))


def record(value: Any) -> dict[str, Any]:
    """A plain value as a mapping; empty where it is none."""
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def records(value: Any) -> list[dict[str, Any]]:
    """The mappings of a list; empty where it is none."""
    return [record(one) for one in cast("list[Any]", value) if isinstance(one, dict)] if isinstance(value, list) else []


def text_of(value: Any) -> str:
    """A text as it is; empty for anything else."""
    return value if isinstance(value, str) else ""


def without_nulls(value: Mapping[str, Any]) -> dict[str, Any]:
    """The members that are there: SDK objects spell out every field they know."""
    return {key: item for key, item in value.items() if item is not None}


def events(stream: Any) -> list[Any]:
    """The events of a stream, plain. Raises ToolglotError for an asynchronous stream, and for what is no stream."""
    if hasattr(stream, "__aiter__") and not hasattr(stream, "__iter__"):
        raise ToolglotError("this is an asynchronous stream.", hint="Pass its events: [e async for e in stream].")
    if isinstance(stream, (str, bytes)) or not hasattr(stream, "__iter__"):
        kind = type(stream).__name__
        raise ToolglotError(f"{kind} is no response.", hint="Pass what the SDK returned, or the events of its stream.")
    return [plain(event) for event in stream]


def dumped(value: Any) -> str:
    """A JSON value as text, in the order it has. What JSON does not know is written as its text."""
    return json.dumps(thaw(value), ensure_ascii=False, default=str)


def read_arguments(value: Any) -> Any:
    """The arguments in a provider's message, as `Asked` has them.

    In: a mapping, JSON text of one, or None. Out: the mapping, or the text where it is no JSON object.
    """
    if isinstance(value, str):
        value = _parsed(value)
    if value is None:
        return {}
    if is_map(value) and value.keys() == {UNREAD}:
        return text_of(value[UNREAD])
    return value


def object_of(arguments: Any) -> dict[str, Any]:
    """Arguments as an object, as a provider wants them: what is no object is carried as text."""
    if is_map(arguments):
        return thaw(arguments)
    if arguments is None:
        return {}
    return {UNREAD: arguments if isinstance(arguments, str) else dumped(arguments)}


def _parsed(text: str) -> Any:
    if not text.strip():
        return None
    try:
        return parse_json(text)
    except JsonError:
        return text


def whole(text: str, cut: bool) -> Any:
    """The arguments of a call from the text that came.

    Out: the JSON value, or the text where it is no JSON; nothing at all is no arguments, unless the answer was cut.
    """
    if not text.strip() and cut:
        return {UNREAD: text}
    value = _parsed(text)
    return {UNREAD: value} if isinstance(value, str) else value


def base64_of(value: Any) -> str:
    """Bytes as base64 text; a text is base64 already."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else text_of(value)


def bytes_of(data: str) -> bytes:
    """The bytes that base64 text stands for; empty where it is no base64."""
    try:
        return base64.b64decode(data)
    except ValueError:
        return b""
