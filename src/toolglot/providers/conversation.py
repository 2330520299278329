"""A conversation that was begun with one provider, for another: calls restored and encoded again, names too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeAlias

from toolglot.errors import ToolglotError
from toolglot.fitting.names import wire_name
from toolglot.providers.calling import published_name
from toolglot.providers.form import Form, Record
from toolglot.providers.outcomes import NOT_MADE
from toolglot.providers.parts import Answered, Asked, Kept, Part, Text, Turn, joined
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from toolglot.fitting.toolview import ToolView

Side: TypeAlias = "tuple[ModuleType | Form | str, ToolView]"
"""A provider (its module, its name, or its form) and the view whose tools it gets."""


class History(list[Record]):
    """Messages for a provider; `system` is the text of the system messages where it wants that beside them."""

    system: str = ""


def history(messages: Any, from_: Side, to: Side, *, system: str = "") -> History:
    """A conversation with one provider as another takes it.

    In: the messages as the first one's SDK takes them (mappings or SDK objects), the two sides, each a provider and the
    view whose tools it got or gets, and the system text where the first provider keeps it beside the messages.
    Out: messages for the other. Earlier calls are restored and encoded again for its tools, names too; a call that was
    wrong stays as it was written; a call that nobody answered gets a result that says so, except in the last turn.
    What only the first provider understands (reasoning) is left out. Raises UnknownProvider for an unknown name.
    """
    (source, old), (target, new) = (form_of(from_[0]), from_[1]), (form_of(to[0]), to[1])
    turns = source.read(messages)
    if system:
        turns = [Turn("system", (Text(system),)), *turns]
    turns = [_recoded(turn, old, new, source is target) for turn in _answered(_identified(turns))]
    found = History()
    if target.system_apart:
        apart = (part for turn in turns if turn.role == "system" for part in turn.parts)
        found.system = "\n\n".join(part.text for part in apart if isinstance(part, Text))
        turns = [turn for turn in turns if turn.role != "system"]
    same = source is target
    found += target.write(joined([_with_ids(turn, target, same) for turn in turns]))
    return found


_MADE = "made:"
"""How an id begins that no provider gave."""


class UnknownProvider(ToolglotError):
    """No provider has this name."""

    def __init__(self, name: str) -> None:
        super().__init__(f"unknown provider {name!r}.", hint=f"Known: {', '.join(NAMES)}.")
        self.name = name


NAMES = (
    *("openai_chat", "openai_responses", "azure_openai", "anthropic", "google_genai", "bedrock", "mistral", "ollama"),
    "compatible",
)


def form_of(provider: ModuleType | Form | str) -> Form:
    """The form of a provider: of its module, or of its name. Raises UnknownProvider."""
    if isinstance(provider, Form):
        return provider
    if isinstance(provider, str):
        if provider not in NAMES:
            raise UnknownProvider(provider)
        provider = import_module(f"toolglot.providers.{provider}")
    found = getattr(provider, "FORM", None)
    if not isinstance(found, Form):
        raise UnknownProvider(getattr(provider, "__name__", str(provider)))
    return found


def _identified(turns: Iterable[Turn]) -> list[Turn]:
    """Every call with an id, and every result with the id and the name of its call: some providers give none."""
    found: list[Turn] = []
    open_calls: list[Asked] = []
    number = 0
    for turn in turns:
        parts: list[Part] = []
        for part in turn.parts:
            if isinstance(part, Asked):
                number += 1
                part = part if part.id else replace(part, id=f"{_MADE}{number}")
                open_calls.append(part)
            elif isinstance(part, Answered):
                asked = _asked_by(part, open_calls)
                if asked is not None:
                    open_calls.remove(asked)
                    part = replace(part, id=asked.id, name=asked.name)
            parts.append(part)
        found.append(Turn(turn.role, tuple(parts)))
    return found


def _asked_by(answer: Answered, open_calls: Sequence[Asked]) -> Asked | None:
    if answer.id:
        return next((asked for asked in open_calls if asked.id == answer.id), None)
    named = [asked for asked in open_calls if asked.name == answer.name]
    return next(iter(named or ([] if answer.name else open_calls)), None)


def _answered(turns: Sequence[Turn]) -> list[Turn]:
    """Every call with a result, except those of the last turn: providers refuse a call that nobody answered."""
    results = {part.id for turn in turns for part in turn.parts if isinstance(part, Answered)}
    found: list[Turn] = []
    for place, turn in enumerate(turns):
        found.append(turn)
        if place < len(turns) - 1:
            left = [part for part in turn.parts if isinstance(part, Asked) and part.id not in results]
            if left:
                missing = (Answered(one.id, one.name, (Text(NOT_MADE),), error=True) for one in left)
                found.append(Turn("user", tuple(missing)))
    return joined(found)


def _recoded(turn: Turn, old: ToolView, new: ToolView, same: bool) -> Turn:
    parts = (_part(part, old, new) for part in turn.parts if same or not isinstance(part, Kept))
    return Turn(turn.role, tuple(part if same else _foreign(part) for part in parts))


def _part(part: Part, old: ToolView, new: ToolView) -> Part:
    if isinstance(part, Answered):
        return replace(part, name=_renamed(published_name(part.name, old), new))
    if not isinstance(part, Asked):
        return part
    try:
        name, restored = old.restore(part.name, part.arguments)
    except ToolglotError:
        return replace(part, name=_renamed(published_name(part.name, old), new))
    try:
        name, arguments = new.encode(name, restored.arguments)
    except ToolglotError:
        name, arguments = _renamed(name, new), restored.arguments
    return replace(part, name=name, arguments=arguments if is_map(arguments) else restored.arguments)


def _renamed(published: str, view: ToolView) -> str:
    """The wire name of a tool; of one that is not sent, a name that the target takes."""
    return view.names.get(published) or wire_name(published, view.target.tool_name)


def _foreign(part: Part) -> Part:
    return replace(part, extra={}) if isinstance(part, (Asked, Text)) else part


def _with_ids(turn: Turn, form: Form, same: bool) -> Turn:
    """The ids as the provider takes them. One that needs none gets only those that it gave itself."""

    def fit(part: Part) -> Part:
        if not isinstance(part, (Asked, Answered)):
            return part
        if form.ids is None:
            return part if same and not part.id.startswith(_MADE) else replace(part, id="")
        return replace(part, id=form.ids.fit(part.id))

    return Turn(turn.role, tuple(map(fit, turn.parts)))
