"""The read-only gate and the lists of allowed and denied tools: what is hidden, what is narrowed, what is refused.

With a restriction the proxy is closed towards the server: what cannot be judged for certain does not go on, and what
goes on is written anew from what was judged. Servers read JSON in different ways (doubled keys, names in another
case), so a message that two readers could understand differently is refused.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, cast

from toolglot.contract.surface import VOCABULARY, Action, SurfaceReading, Vocabulary, explain_surface
from toolglot.errors import MAX_MESSAGE_BYTES, JsonError, ToolError, parse_json
from toolglot.mcp.proxy.envelope import INVALID_REQUEST, PARSE_ERROR
from toolglot.mcp.wire import METHOD_NOT_FOUND
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.values import is_map

METHODS = frozenset(
    (
        *("initialize", "ping", "server/discover", "tools/list", "tools/call", "completion/complete"),
        *("resources/list", "resources/templates/list", "resources/read", "resources/subscribe"),
        *("resources/unsubscribe", "prompts/list", "prompts/get", "logging/setLevel", "subscriptions/listen"),
        *("tasks/get", "tasks/list", "tasks/result", "tasks/cancel"),
        *("notifications/initialized", "notifications/cancelled", "notifications/progress"),
        *("notifications/roots/list_changed", "notifications/message"),
    )
)
"""Methods that go to a restricted server; one that does not exist yet is refused."""

_ENVELOPE = ("jsonrpc", "id", "method", "params", "result", "error")
_CALL = ("name", "arguments", "_meta", "task", "inputResponses", "requestState")


class Closed(Exception):
    """A message that does not go on: why, as a JSON-RPC error. `key` is the raw id, where there is one."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True)
class Restriction:
    """What may reach the server. `allow` and `deny` are published names; all that is set must hold."""

    read_only: bool = False
    allow: frozenset[str] = frozenset()
    deny: frozenset[str] = frozenset()
    vocabulary: Vocabulary = VOCABULARY

    def __bool__(self) -> bool:
        return self.read_only or bool(self.allow) or bool(self.deny)

    def admits_name(self, *names: str) -> bool:
        """Whether a tool with these names (published, and with the prefix of its server) may be used at all."""
        return (not self.allow or bool(self.allow.intersection(names))) and not self.deny.intersection(names)

    def read(self, tool: Tool, *, doubled: bool) -> SurfaceReading | None:
        """The surface of a tool under `--read-only`; None where it has to be hidden.

        Without `--read-only` every surface passes.
        """
        try:
            found = explain_surface(tool, doubled=doubled, vocabulary=self.vocabulary)
        except (ToolError, RecursionError):
            return None
        return None if found.surface == "mutation" and self.read_only else found

    def refusal(self, surface: SurfaceReading | None, arguments: dict[str, Any]) -> str:
        """Why a call does not go on, in words for the model; empty where it reads. Judges restored arguments."""
        if not self.read_only:
            return ""
        if surface is None or surface.surface == "mutation":
            return "This server is read-only here, and the tool may change something."
        problem = _ambiguous(arguments, [action.name for action in surface.actions])
        if problem:
            return problem
        declared = {action.name for action in surface.actions}
        refused = [one for action in surface.actions if (one := _action_refusal(action, surface, arguments))]
        if surface.actions:
            refused += [one for name in arguments.keys() - declared if (one := self._undeclared(name, arguments))]
        return refused[0] if refused else ""

    def _undeclared(self, name: str, arguments: dict[str, Any]) -> str:
        if not self.vocabulary.is_action(name.casefold()) or self.vocabulary.reads(arguments[name]):
            return ""
        return f"This server is read-only here: {name!r} looks like an action, and does not say that it reads."


def _action_refusal(action: Action, surface: SurfaceReading, arguments: dict[str, Any]) -> str:
    allowed = action.reading
    if surface.surface == "read" and surface.hint and not action.mutating:
        allowed = action.values
    says = f"This server is read-only here: give {action.name!r} as one of {', '.join(map(str, allowed))}."
    if action.name not in arguments or arguments[action.name] is None:
        return says if surface.surface == "gated" else ""
    value = arguments[action.name]
    return "" if any(type(value) is type(one) and value == one for one in allowed) else says


def _ambiguous(arguments: dict[str, Any], exact: list[str]) -> str:
    """Names that a reader without regard to case would take for one another."""
    known = {name.casefold(): name for name in exact}
    for name in arguments:
        folded = name.casefold()
        if known.setdefault(folded, name) != name:
            return f"The arguments name {name!r}, which can be read as {known[folded]!r}. Write each name as listed."
    return ""


def narrowed(tool: Tool, surface: SurfaceReading) -> Tool:
    """A gated tool that publishes only the reading values of its actions, all of them required.

    A tool of another class is returned as it is.
    """
    if surface.surface != "gated":
        return tool
    schema: dict[str, Any] = thaw(tool.schema)
    for action in surface.actions:
        schema["properties"][action.name] = _reading_only(schema["properties"][action.name], action)
    required = list(schema.get("required") or [])
    schema["required"] = [*required, *(one.name for one in surface.actions if one.name not in required)]
    return Tool.of({**thaw(tool.raw), "inputSchema": schema}, tool.index)


def _reading_only(published: Any, action: Action) -> dict[str, Any]:
    hints = ("title", "description", "x-mcp-header")
    kept = {word: published[word] for word in hints if word in published} if is_map(published) else {}
    return {"type": "string", **kept, "enum": list(action.reading)}


def read_closed(raw: bytes) -> list[dict[str, Any]]:
    """The messages of one text, each judged whole; a batch becomes its members.

    Raises Closed for what is no JSON within the limits, has doubled keys or NaN, is no message, has members that
    another reader could take for others, or a method outside of the list.
    """
    try:
        value: Any = parse_json(raw, max_bytes=MAX_MESSAGE_BYTES)
    except JsonError as error:
        raise Closed(PARSE_ERROR, f"The message is refused: {error.message}") from None
    found = cast("list[Any]", value) if isinstance(value, list) else [value]
    if not found:
        raise Closed(INVALID_REQUEST, "The message is refused: the batch is empty")
    return [_message(one) for one in found]


def _message(value: Any) -> dict[str, Any]:
    if not is_map(value):
        raise Closed(INVALID_REQUEST, "The message is refused: it is no JSON object")
    message = value
    _only(message, _ENVELOPE, "the message")
    method = message.get("method")
    if "method" not in message:
        if "id" in message and ("result" in message) != ("error" in message):
            return message
        raise Closed(INVALID_REQUEST, "The message is refused: it neither asks nor answers")
    if not isinstance(method, str) or "result" in message or "error" in message:
        raise Closed(INVALID_REQUEST, "The message is refused: it is no request")
    if isinstance(message.get("id"), (dict, list, bool, float)):
        raise Closed(INVALID_REQUEST, "The message is refused: its id is neither a text nor an integer")
    return message


def check_method(message: dict[str, Any]) -> None:
    """Raise Closed for a request that a restricted server does not get, whatever its arguments are."""
    method = message["method"]
    if method not in METHODS:
        raise Closed(METHOD_NOT_FOUND, "This method is not passed on: the server is restricted here")
    params = message.get("params")
    if method != "tools/call":
        return
    if not is_map(params) or "id" not in message or message["id"] is None:
        raise Closed(INVALID_REQUEST, "The message is refused: a call needs `params` and an id")
    _only(params, _CALL, "`params`")
    if not isinstance(params.get("name"), str):
        raise Closed(INVALID_REQUEST, "The message is refused: the call names no tool")


def _only(members: dict[str, Any], known: tuple[str, ...], where: str) -> None:
    """Only known members: a server whose reader ignores case would take `Method` for `method`."""
    for name in members:
        if name not in known:
            raise Closed(INVALID_REQUEST, f"The message is refused: {where} may have no member {name[:80]!r}")
