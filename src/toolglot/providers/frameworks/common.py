"""What every framework needs: its modules, the view of a list that may change, and the outcome of one call."""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, TypeAlias

from toolglot.errors import ToolError, ToolglotError
from toolglot.fitting.toolset import Toolset, View
from toolglot.providers.outcomes import answered, texts
from toolglot.providers.parts import Answered, Asked, Media, Shown, Text
from toolglot.schema.tool import freeze
from toolglot.targets.load import SHIPPED

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.targets.model import Fact, Target

Record: TypeAlias = "dict[str, Any]"

Caller: TypeAlias = "Callable[[str, dict[str, Any]], Any]"
"""Calls a tool of the server: published name, arguments in the server's shape; gives the result of `tools/call`, or an
awaitable of it."""

_LISTS = 8
_logger = logging.getLogger("toolglot")


def needed(module: str, extra: str) -> Any:
    """A module of a framework. Raises ImportError that says what to install where the framework is missing."""
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        if not f"{module}.".startswith(f"{error.name}."):
            raise
        message = f"{module.partition('.')[0]} is not installed: pip install 'toolglot[{extra}]'"
        raise ModuleNotFoundError(message, name=error.name) from None


class Views:
    """The views of lists that come again and again, each made once; a list that has changed is a new one.

    A framework lists its tools before every request, and filters of its own can give each run another list, so the
    last few are kept. What is kept is a copy: a list that is changed in place is noticed too.
    """

    def __init__(self) -> None:
        self._kept: deque[tuple[Any, Toolset, set[str]]] = deque(maxlen=_LISTS)
        self._roads: dict[int, tuple[Target, Target]] = {}

    def view(
        self, tools: Sequence[Mapping[str, Any]], target: str | Target, road: Callable[[Target], Target] | None = None
    ) -> View:
        """The view of a list for a target. Tools that cannot be sent are left out and logged. Raises UnknownTarget.

        `road` gives the target as the framework reaches it.
        """
        found = SHIPPED.target(target)
        if road is not None:
            if id(found) not in self._roads:
                self._roads[id(found)] = (found, road(found))
            found = self._roads[id(found)][1]
        _, toolset, told = self._of(tools)
        view = toolset.normalize(found)
        if view.target.id not in told:
            told.add(view.target.id)
            log_problems(view)
        return view

    def _of(self, tools: Sequence[Mapping[str, Any]]) -> tuple[Any, Toolset, set[str]]:
        for kept in tuple(self._kept):
            if kept[0] == tools:
                return kept
        frozen = [_frozen(tool) for tool in tools]
        found: tuple[Any, Toolset, set[str]] = (frozen, Toolset(frozen), set())
        self._kept.append(found)
        return found


def _frozen(tool: Mapping[str, Any]) -> Any:
    try:
        return freeze(tool)
    except ToolError:
        return tool  # too deep: the toolset leaves it out and says why


def tightened(target: Target, facts: Iterable[Fact]) -> Target:
    """A target with more that must be written differently: what a framework does to a schema on its way there."""
    known = {name for name, fact in target.facts.items() if fact.refuses}
    added = {fact.feature: fact for fact in facts if fact.feature not in known}
    return replace(target, facts={**target.facts, **added}) if added else target


def log_problems(view: View) -> None:
    """Log which tools are not sent, and why: a framework has no place to show it."""
    for problem in view.problems:
        _logger.warning("The tool %s is not sent to %s: it %s", problem.tool, view.target.id, problem.message)


def published_names(view: ToolView) -> dict[str, str]:
    """Wire name to published name."""
    return {wire: name for name, wire in view.names.items()}


def strict_of(tool: SentTool) -> bool | None:
    """What a framework's switch for strict schemas should say: True for a strict target, False for its non-strict twin.

    None for a target that knows no strict form: the framework's own choice.
    """
    if tool.target.fallback:
        return True
    return False if tool.target.id in _twins() else None


@lru_cache(maxsize=1)
def _twins() -> frozenset[str]:
    return frozenset(SHIPPED.target(name).fallback for name in SHIPPED.ids)


class Calling:
    """Calls tools through a view: a live one calls its own server, for any other one `call` does.

    In: the view; `call`, or None for a view with a method `call`. Raises TypeError where nobody could call.
    """

    def __init__(self, view: ToolView, call: Caller | None, mend: Mend) -> None:
        own: Any = getattr(view, "call", None)
        if call is None and own is None:
            raise TypeError("this view cannot call tools: pass call=, a function of the tool's name and its arguments")
        self._view = view
        self._call = call
        self._own = own
        self._mend: Mend = mend

    async def outcome(self, name: str, answer: Any) -> Answered:
        """What a model's call gave; arguments that are wrong are an error for the model, in words.

        In: the wire name, and the arguments as a mapping or as JSON text. What the call itself raises is raised.
        """
        asked = Asked("", name, answer)
        if self._call is None:
            how = {} if self._mend == "safe" else {"mend": self._mend}
            return answered(asked, await _awaited(self._own(name, answer, **how)))
        try:
            published, restored = self._view.restore(name, answer, self._mend)
        except ToolglotError as error:
            return answered(asked, error)
        found = await _awaited(self._call(published, restored.arguments))
        return answered(asked, "" if found is None else found)


async def _awaited(found: Any) -> Any:
    return await found if isawaitable(found) else found


def shown(answer: Answered) -> list[Shown]:
    """The parts of an answer in order; the structured content too, where no text says it already."""
    said = texts(answer)
    own = [part for part in answer.parts if isinstance(part, Text)]
    extra: list[Shown] = [Text(text) for text in said[len(own) :]]
    return [*answer.parts, *extra]


def error_text(answer: Answered) -> str:
    """The text of an answer that is an error."""
    return "\n".join(texts(answer)) or "The tool failed and said nothing."


def data_uri(part: Media) -> str:
    """The address of a picture or file: its own, or its bytes in a `data:` URI."""
    return f"data:{part.mime};base64,{part.data}" if part.data else part.uri
