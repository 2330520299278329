"""JSON-RPC messages as MCP sends them; what a message carries stays raw text.

The two eras of the protocol, their method names, `_meta` keys and header names are those of the specification
revisions 2024-11-05 to 2025-11-25 and 2026-07-28, as pypi mcp==2.3.0: mcp/client/session.py and
mcp/client/streamable_http.py speak them.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

from toolglot.errors import JsonError, parse_json
from toolglot.mcp.raw import items, kind, members
from toolglot.mcp.text import clean

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import anyio

LEGACY_VERSIONS = ("2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25")
MODERN_VERSIONS = ("2026-07-28",)
META = "io.modelcontextprotocol/"

METHOD_NOT_FOUND = -32601
INTERNAL_ERROR = -32603
UNSUPPORTED_VERSION = -32022

LIST_CHANGED = "notifications/tools/list_changed"
CANCEL_SECONDS = 1.0
"""How long telling a server that its answer is no longer wanted may take."""


class Problem(Exception):
    """Why a source cannot be read: what is wrong, and what to do next; becomes a SourceError at the top."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.hint = hint


class NoAnswer(Problem):
    """A question was not answered: not in its time, or with what is no answer. Another one may be."""


class NotSent(Problem):
    """The server never saw the request, or refused it unread: it may be sent again."""


class RpcError(Exception):
    """The other side answered with a JSON-RPC error."""

    def __init__(self, code: int, message: str, data: bytes = b"") -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.data = data

    def supported(self) -> tuple[str, ...]:
        """The protocol versions that an error -32022 names in `data.supported`."""
        try:
            data: Any = parse_json(self.data)
        except JsonError:
            return ()
        found: Any = data.get("supported") if isinstance(data, dict) else None  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
        return tuple(str(item) for item in found) if isinstance(found, list) else ()  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]

    def problem(self, method: str) -> Problem:
        """The same as a reason why a source cannot be read."""
        if self.code == UNSUPPORTED_VERSION and (versions := self.supported()):
            spoken = clean(", ".join(versions), 200)
            return Problem(f"the server speaks only protocol {spoken}", "Is there a newer release of toolglot?")
        hint = "The server offers no tools." if self.code == METHOD_NOT_FOUND else ""
        return Problem(f"the server answers `{method}` with error {self.code}: {clean(self.message)}", hint)


@dataclass(frozen=True, slots=True)
class Request:
    """One question to a server. `version` is the protocol version for the header of an HTTP request.

    `headers` are more headers of that request. `cancels`: the server is told where nobody waits any more.
    """

    method: str
    params: Mapping[str, Any] = field(default_factory=dict[str, Any])
    version: str = ""
    modern: bool = False
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cancels: bool = False

    def cancelled(self, number: int) -> Request:
        """The notification that the answer to this request, sent with a number, is no longer wanted."""
        params = {"requestId": number, "reason": "the client no longer waits"}
        return Request("notifications/cancelled", params, self.version, self.modern)

    def encode(self, number: int | None) -> bytes:
        """The message as one line of JSON; without a number it is a notification."""
        message: dict[str, Any] = {"jsonrpc": "2.0"}
        if number is not None:
            message["id"] = number
        message["method"] = self.method
        if self.params:
            message["params"] = self.params
        return json.dumps(message, separators=(",", ":")).encode()


def deaf(method: str) -> None:
    """Hears no notification."""


class Exchange(Protocol):
    """A connection to a server that can be asked; stdio, memory and SSE share one, Streamable HTTP has its own.

    `on_notice` gets the method of each notification. `lost` is set when nothing more can come; `problem` says why.
    """

    on_notice: Callable[[str], None]
    lost: anyio.Event

    @property
    def problem(self) -> Problem:
        """Why the connection was lost."""
        ...

    async def listen(self) -> None:
        """Hear what the server says on its own in the older era, where that needs asking; returns where it does not."""
        ...

    def close(self, problem: Problem) -> None:
        """End the connection: every open question, and every later one, ends with the problem."""
        ...

    async def ask(self, request: Request, *, within: float | None = None) -> bytes:
        """The raw `result` of the answer. Raises RpcError, Problem, or NoAnswer after `within` seconds."""
        ...

    async def tell(self, request: Request) -> None:
        """Send a notification."""
        ...


@dataclass(frozen=True, slots=True)
class Message:
    """One incoming message; `id` is the raw id, empty for none."""

    id: bytes
    method: str
    result: bytes | None
    error: bytes | None

    @property
    def answers(self) -> bytes:
        """The id of the question it answers, without quotes: some servers answer 1 with "1"."""
        return b"" if self.id == b"null" else self.id.strip(b'"')

    @property
    def is_answer(self) -> bool:
        """Whether it answers a question."""
        return not self.method and (self.result is not None or self.error is not None)

    def answer(self) -> bytes:
        """The raw result; raises RpcError where the answer is an error."""
        if self.error is not None:
            raise rpc_error(self.error)
        return self.result or b"null"


def decode(raw: bytes) -> tuple[Message, ...]:
    """The messages of one JSON text: none for other JSON, several for a batch. Raises JsonError for no JSON."""
    if kind(raw) == "a list":
        return tuple(message for item in items(raw) for message in decode(item))
    if kind(raw) != "an object":
        parse_json(raw)
        return ()
    parts = members(raw, once=("id", "result", "error"))
    message = Message(
        id=parts.get("id", b""),
        method=text(parts.get("method")) or "",
        result=parts.get("result"),
        error=None if parts.get("error") == b"null" else parts.get("error"),
    )
    return (message,) if message.method or message.is_answer else ()


def text(raw: bytes | None) -> str | None:
    """The value of a raw JSON text, or None where it is something else."""
    if raw is None or kind(raw) != "a text":
        return None
    value = parse_json(raw)
    return value if isinstance(value, str) else None


def rpc_error(raw: bytes) -> RpcError:
    """A raw `error` member as an exception; what is no error object still is one."""
    if kind(raw) != "an object":
        return RpcError(INTERNAL_ERROR, raw.decode("utf-8", "replace")[:500])
    parts = members(raw)
    try:
        code = int(parts.get("code", b""))
    except ValueError:
        code = INTERNAL_ERROR
    return RpcError(code, text(parts.get("message")) or "no message", parts.get("data", b""))


def error_reply(message: Message) -> bytes:
    """The answer to a request of the server: an empty result to `ping`, else "method not found"."""
    if message.method == "ping":
        return b'{"jsonrpc":"2.0","id":' + message.id + b',"result":{}}'
    error = f'{{"code":{METHOD_NOT_FOUND},"message":"Method not found"}}'.encode()
    return b'{"jsonrpc":"2.0","id":' + message.id + b',"error":' + error + b"}"
