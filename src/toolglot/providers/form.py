"""A request form: how one provider writes tools, calls and results. A provider is a value of this, not a subclass."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from toolglot.errors import ToolglotError
from toolglot.providers.calling import Call, call_of, is_whole, refused
from toolglot.providers.outcomes import answered
from toolglot.providers.parts import Answered, Asked, Part, Text, Turn, joined
from toolglot.providers.plain import events, plain, record
from toolglot.schema.tool import thaw

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.toolview import SentTool, ToolView

Record: TypeAlias = "dict[str, Any]"


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back for a request.

    `messages`: the model's own, as they are appended. `cut`: the answer reached its limit of tokens. `failure`: what
    the provider says of a call that it refused itself.
    """

    messages: list[Record]
    cut: bool = False
    failure: str = ""


@dataclass(frozen=True, slots=True)
class IdRule:
    """Which ids of calls a provider takes, whole. `length` is how many hexadecimal digits a made one has."""

    pattern: str = r"[a-zA-Z0-9_-]{1,40}"
    prefix: str = "call_"
    length: int = 24

    def fit(self, id: str) -> str:
        """The id as it is where it is taken, else one made from it: the same each time."""
        if re.fullmatch(self.pattern, id):
            return id
        return self.prefix + sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[: self.length]


@dataclass(frozen=True, slots=True)
class Form:
    """One request form.

    `tool` writes one tool; `wrap` the list of them. `reply` reads a plain response; `join` makes one of the events of a
    stream; `failure` reads the body of an error of the provider (None: not about a call). `read` and `write` are for
    messages. `ids` None: calls need no ids. `partial`: a cut answer may hold arguments that look whole. `system_apart`:
    system texts stand beside the messages.
    """

    name: str
    tool: Callable[[SentTool], Record]
    reply: Callable[[Record], Reply]
    join: Callable[[list[Any]], Record]
    read: Callable[[Any], list[Turn]]
    write: Callable[[Sequence[Turn]], list[Record]]
    failure: Callable[[Record, str], Reply | None] = field(default=lambda body, text: None)
    wrap: Callable[[list[Record]], list[Record]] = field(default=lambda tools: tools)
    ids: IdRule | None = field(default_factory=IdRule)
    partial: bool = False
    system_apart: bool = False

    def tools(self, view: ToolView) -> list[Record]:
        """The value of the SDK's argument for tools.

        In: the view of a list for a target of this provider. Out: a fresh copy each time, the same bytes for the same
        list, `strict` written out wherever the provider knows it. No tools: an empty list.
        """
        written = [self.tool(tool) for tool in view.tools]
        return self.wrap(written) if written else []

    def calls(self, response: Any, view: ToolView, mend: Mend = "safe") -> list[Call]:
        """The calls of an answer, in its order, each restored for the server or with the error for the model.

        In: what the SDK returned (an object or a mapping), the events of its stream (a list, or the stream itself), or
        its exception; `mend` as in `View.restore`. Arguments that are no JSON, or were cut off, are an error of that
        call. Raises ToolglotError for what is no response, and the exception itself where it is not about a call.
        """
        reply = self._reply(response)
        asked = [part for turn in self.read(reply.messages) for part in turn.parts if isinstance(part, Asked)]
        found = [call_of(one, n, view, mend, self._cut(reply, one, asked[-1])) for n, one in enumerate(asked)]
        return [*found, refused(reply.failure)] if reply.failure else found

    def said(self, response: Any) -> list[Record]:
        """The model's own messages of an answer, as they are appended to the conversation before the results.

        In: as for `calls`; a stream can be read once, so pass a list of its events to both. Arguments that are no JSON
        are carried as text in an object, since providers refuse them in later requests.
        """
        return self._reply(response).messages

    def results(self, calls: Sequence[Call], outcomes: Sequence[Any] | Mapping[str, Any] = ()) -> list[Record]:
        """The messages that answer calls, to be appended after the model's own.

        In: the calls of one answer, and what each gave, in the same order or by `Call.id`: the result of
        `tools/call` (mapping or SDK object), a text, an exception, any other JSON value. None or nothing: the call's
        own error. Raises ToolglotError where the numbers differ.
        """
        given = _in_order(calls, outcomes)
        parts: list[Part] = []
        for call, outcome in zip(calls, given, strict=True):
            answer = answered(call.asked, call.error if outcome is None else outcome)
            parts += [Text(str(call.error))] if call.orphan else [answer]
        return self.write([Turn("user", tuple(sorted(parts, key=lambda part: not isinstance(part, Answered))))])

    def _cut(self, reply: Reply, one: Asked, last: Asked) -> bool:
        return reply.cut and one is last and (self.partial or not is_whole(one.arguments))

    def _reply(self, response: Any) -> Reply:
        if isinstance(response, BaseException):
            reply = self.failure(*_body(response))
            if reply is None:
                raise response
            return reply
        response = plain(response)
        if not isinstance(response, dict):
            found = cast("list[Any]", response) if isinstance(response, list) else events(response)
            response = self.join(found)
        return self.reply(record(response))


def _in_order(calls: Sequence[Call], outcomes: Sequence[Any] | Mapping[str, Any]) -> list[Any]:
    if isinstance(outcomes, Mapping):
        return [outcomes.get(call.id) for call in calls]
    if not outcomes:
        return [None] * len(calls)
    if isinstance(outcomes, str) or len(outcomes) != len(calls):
        raise ToolglotError(
            f"{len(calls)} calls need as many outcomes, not {len(outcomes)}.",
            hint="Give one for each call in order, None for a call with an error; or a mapping by the calls' ids.",
        )
    return list(outcomes)


def _body(error: BaseException) -> tuple[Record, str]:
    """The body of an SDK's exception, wherever it keeps it, and its text."""
    for name in ("body", "response", "details"):
        body = plain(getattr(error, name, None))
        if isinstance(body, dict):
            inner = record(body).get("error")
            return (record(inner) if isinstance(inner, dict) else record(body)), str(error)
    return {}, str(error)


def is_strict(tool: SentTool) -> bool:
    """Whether a tool is sent strict: its target is one that has a non-strict twin."""
    return bool(tool.target.fallback)


def parameters(tool: SentTool) -> Record:
    """A fresh copy of a tool's schema; for a tool without parameters the form that every provider of schemas takes.

    A strict form also wants `required` and `additionalProperties`, which OpenAI's validator asks for by name.
    """
    schema: Record = thaw(dict(tool.schema)) if tool.schema is not None else {"type": "object"}
    if not takes_nothing(schema):
        return schema
    empty: Record = {**schema, "type": "object", "properties": {}}
    return {**empty, "required": [], "additionalProperties": False} if is_strict(tool) else empty


_OPEN = ("anyOf", "oneOf", "allOf", "$ref", "patternProperties", "if", "dependentSchemas")


def takes_nothing(schema: Mapping[str, Any]) -> bool:
    """Whether a schema of arguments declares no parameters."""
    closed = schema.get("additionalProperties") in (None, False)
    return not schema.get("properties") and closed and not any(word in schema for word in _OPEN)


def described(tool: SentTool) -> Record:
    """Name and description; no description where there is none, since providers refuse empty texts."""
    return {"name": tool.name, "description": tool.description} if tool.description.strip() else {"name": tool.name}


def turns_by(read: Callable[[Record], Turn], messages: Any) -> list[Turn]:
    """Each message read on its own. In: a list of messages, plain or SDK objects; one text is the user's."""
    if isinstance(messages, str):
        return [Turn("user", (Text(messages),))]
    return [read(record(message)) for message in cast("Iterable[Any]", plain(list(messages)))]


def block_messages(turns: Sequence[Turn], block: Callable[[Part], Record | None]) -> list[Record]:
    """Messages of one side after the other, each a list of blocks, results first; what has no block is left out."""
    found: list[Record] = []
    for turn in joined(list(turns)):
        parts = sorted(turn.parts, key=lambda part: not isinstance(part, Answered))
        blocks = [one for part in parts if (one := block(part)) is not None]
        found += [{"role": turn.role, "content": blocks}] if blocks else []
    return found
