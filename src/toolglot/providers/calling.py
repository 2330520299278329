"""A model's call, restored for the server or refused with words that the model can act on."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from toolglot.errors import ArgumentError, ArgumentsError, JsonError, ToolglotError, parse_json
from toolglot.providers.parts import Asked

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.published import Restored
    from toolglot.fitting.toolview import ToolView


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a model, ready for the server, or refused.

    `name` is the published name, `arguments` are in the server's shape; where `error` is set they are None, and its
    text is what the model should read. `id` is the provider's, or `call_N` where it gave none: unique in one answer.
    `restored` says what was mended. `asked` is the call as the model wrote it. `orphan`: the provider refused its
    model's own call, so the conversation has no call that a result could answer; `results` says the error in a turn
    of the user.
    """

    id: str
    name: str
    arguments: dict[str, Any] | None
    error: ToolglotError | None = None
    restored: Restored | None = field(default=None, repr=False)
    asked: Asked = field(default_factory=lambda: Asked("", "", {}), repr=False)
    orphan: bool = False


CUT = ArgumentError("", "they were cut off where the answer reached its limit of tokens", "the whole call, shorter")


def call_of(asked: Asked, number: int, view: ToolView, mend: Mend, cut: bool) -> Call:
    """A call restored through a view; what is wrong with it becomes its `error`, nothing is raised.

    In: the call, its place in the answer, `cut` where the answer ended before the call was known to be whole.
    """
    id = asked.id or f"call_{number + 1}"
    try:
        if cut:
            raise ArgumentsError(published_name(asked.name, view), (CUT,))
        name, restored = view.restore(asked.name, asked.arguments, mend)
    except ToolglotError as error:
        return Call(id, published_name(asked.name, view), None, error, asked=asked)
    return Call(id, name, restored.arguments, restored=restored, asked=asked)


def refused(message: str) -> Call:
    """The call that a provider refused before anybody could read it."""
    return Call("", "", None, ToolglotError(message), orphan=True)


def published_name(wire: str, view: ToolView) -> str:
    """The published name of a wire name; the name itself where no tool has it."""
    names: Mapping[str, str] = view.names
    return next((published for published, name in names.items() if name == wire), wire)


def is_whole(arguments: Any) -> bool:
    """Whether the text of arguments is complete JSON."""
    if not isinstance(arguments, str):
        return True
    try:
        parse_json(arguments)
    except JsonError:
        return False
    return True
