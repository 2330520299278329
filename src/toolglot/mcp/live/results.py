"""The results of calls, and what a model reads where a call could not be carried out."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglot.errors import MAX_MESSAGE_BYTES, CallError, JsonError, parse_json
from toolglot.mcp.text import clean

UNKNOWN_OUTCOME = "Whether the call had an effect is not known; it was not sent again."
NO_EFFECT = "The call did not reach the server."
GONE = "The server no longer offers {name}. Use another tool."
MADE_UP = "There is no tool {name}.{hint}"
NEEDS_INPUT = "The server asks for more input, which cannot be given here. The call was not finished."


def read_result(tool: str, raw: bytes) -> dict[str, Any]:
    """The result of a call from its JSON. Raises CallError for what is none."""
    try:
        value = parse_json(raw, max_bytes=MAX_MESSAGE_BYTES)
    except JsonError as error:
        raise CallError(tool, f"the server's answer cannot be read: it is {error}.", hint=UNKNOWN_OUTCOME) from None
    if not isinstance(value, dict):
        raise CallError(tool, "the server's answer is no result of a call.", hint=UNKNOWN_OUTCOME)
    if value.get("resultType") == "input_required":
        raise CallError(tool, NEEDS_INPUT)
    return value


def refused(tool: str, said: str, code: int) -> CallError:
    """The server's error answer to a call."""
    return CallError(tool, f"the server refused the call: {clean(said)}.", code=code)


def lost(tool: str, problem: str, *, sent: bool) -> CallError:
    """A call that got no answer."""
    message = problem if problem.endswith(".") else f"{problem}."
    return CallError(tool, message, hint=UNKNOWN_OUTCOME if sent else NO_EFFECT, sent=sent)


def late(tool: str, seconds: float, *, sent: bool) -> CallError:
    """A call that was given up."""
    text = f"no answer within {seconds:g} second{'s' * (seconds != 1)}; the call was cancelled."
    return CallError(tool, text, hint=UNKNOWN_OUTCOME if sent else NO_EFFECT, sent=sent)


def unknown(name: str, nearest: Iterable[str], former: Mapping[str, Any] | set[str]) -> str:
    """What a model reads that called a tool which is not there, or no longer."""
    shown = clean(name, 100)
    near = " or ".join(nearest)
    if name in former:
        return GONE.format(name=shown)
    return MADE_UP.format(name=shown, hint=f" Did you mean {near}?" if near else "")
