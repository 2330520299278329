"""Messages as far as the proxy reads them: who answers what; everything else stays the bytes that came."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import msgspec

from toolglot.errors import JsonError
from toolglot.mcp.raw import items, kind, members
from toolglot.mcp.wire import META, text

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

PARSE_ERROR, INVALID_REQUEST, INVALID_PARAMS = -32700, -32600, -32602

_MODERN = f'"{META}protocolVersion"'.encode()


class Head(msgspec.Struct):
    """The outermost members of one message, as raw text; UNSET where they are missing."""

    id: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    method: str | msgspec.UnsetType = msgspec.UNSET
    params: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    result: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET
    error: msgspec.Raw | msgspec.UnsetType = msgspec.UNSET

    @property
    def key(self) -> bytes:
        """The raw id; empty for none, or null."""
        found = b"" if self.id is msgspec.UNSET else bytes(self.id)
        return b"" if found == b"null" else found

    @property
    def name(self) -> str:
        """The method; empty for an answer."""
        return "" if self.method is msgspec.UNSET else self.method

    @property
    def is_request(self) -> bool:
        """Whether an answer is expected."""
        return bool(self.name) and bool(self.key)

    @property
    def is_answer(self) -> bool:
        """Whether it answers a request."""
        return not self.name and (self.result is not msgspec.UNSET or self.error is not msgspec.UNSET)


_HEAD = msgspec.json.Decoder(Head)


def head_of(raw: bytes) -> Head | None:
    """The outermost members of a message; None for what is no JSON object: a batch, or noise."""
    if raw.lstrip()[:1] != b"{":
        return None
    try:
        return _HEAD.decode(raw)
    except (msgspec.DecodeError, RecursionError):
        return _slow_head(raw)


def _slow_head(raw: bytes) -> Head | None:
    """For what the fast reader refuses: NaN, lone surrogates, endless depth; other readers take it."""
    try:
        parts = members(raw)
        method = text(parts.get("method"))
    except JsonError:
        return None
    found = {key: msgspec.Raw(parts[key]) for key in ("id", "params", "result", "error") if key in parts}
    return Head(method=msgspec.UNSET if method is None else method, **found)


def batch_of(raw: bytes) -> list[bytes] | None:
    """The members of a batch; None for what is none."""
    if raw.lstrip()[:1] != b"[":
        return None
    try:
        return items(raw)
    except JsonError:
        return None


def object_of(raw: msgspec.Raw | bytes | msgspec.UnsetType | None) -> dict[str, bytes]:
    """The raw members of an object; empty for everything else."""
    if raw is None or raw is msgspec.UNSET:
        return {}
    raw = bytes(raw)
    try:
        return members(raw) if kind(raw) == "an object" else {}
    except JsonError:
        return {}


def text_of(raw: bytes | None) -> str | None:
    """The value of a raw JSON text; None for everything else, also where it cannot be read."""
    if raw is None:
        return None
    try:
        return msgspec.json.decode(raw, type=str)
    except msgspec.DecodeError:
        pass  # no text, or one that only the patient reader takes
    try:
        return text(raw)
    except JsonError:
        return None


def is_modern(params: msgspec.Raw | bytes | msgspec.UnsetType | None) -> bool:
    """Whether a request belongs to the modern era: its `_meta` carries the protocol version."""
    if params is None or params is msgspec.UNSET or _MODERN not in bytes(params):
        return False
    return f"{META}protocolVersion" in object_of(object_of(params).get("_meta"))


def dump(value: Any) -> bytes:
    """A value as compact JSON."""
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
    except UnicodeEncodeError:
        return json.dumps(value, separators=(",", ":")).encode()  # lone surrogates stay escapes


def join(parts: Mapping[str, bytes]) -> bytes:
    """An object from raw members, in their order."""
    return b"{" + b",".join(dump(key) + b":" + value for key, value in parts.items()) + b"}"


def join_list(parts: Iterable[bytes]) -> bytes:
    """A list from raw items."""
    return b"[" + b",".join(parts) + b"]"


def with_parts(raw: bytes, **parts: bytes) -> bytes:
    """An object with some members put in or replaced; every other value keeps its bytes, and its place."""
    return join({**members(raw), **parts})


def with_meta(raw: bytes, key: str, value: Any) -> bytes:
    """An object whose `_meta` has one more member; every other value keeps its bytes."""
    parts = members(raw)
    return join({**parts, "_meta": join({**object_of(parts.get("_meta")), key: dump(value)})})


def error_answer(key: bytes, code: int, message: str) -> bytes:
    """The answer to a request that is refused; without an id it stands for a message that could not be read."""
    error = dump({"code": code, "message": message})
    return b'{"jsonrpc":"2.0","id":' + (key or b"null") + b',"error":' + error + b"}"


def tool_error(key: bytes, said: str, *, modern: bool) -> bytes:
    """The answer to a call whose arguments are refused: a tool result, which the model gets to see."""
    return b'{"jsonrpc":"2.0","id":' + key + b',"result":' + dump(refusal(said, modern=modern)) + b"}"


def refusal(said: str, *, modern: bool) -> dict[str, Any]:
    """The tool result that says why a call is refused."""
    result: dict[str, Any] = {"content": [{"type": "text", "text": said}], "isError": True}
    return {**result, "resultType": "complete"} if modern else result
