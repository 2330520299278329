"""Which tools of a list a provider refuses: whole requests first, refused ones taken apart. Knows no network."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from toolglot.errors import ToolglotError, UnknownTool
from toolglot.fitting.budgets import most_tools
from toolglot.fitting.refusals import Refusal, explain
from toolglot.targets.load import SHIPPED, Catalogue

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.published import Restored
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.schema.tool import Tool
    from toolglot.targets.model import Target

Status = Literal["accepted", "refused", "refused together", "not asked"]

MOST_IN_ONE = 64
"""Tools of one request where no limit is known: small enough that a refusal is soon taken apart."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A tool that is sent as it was published."""

    name: str
    description: str
    schema: Mapping[str, Any] | None
    target: Target

    @property
    def field(self) -> str:
        """The request member that takes the schema."""
        return self.target.field


@dataclass(frozen=True, slots=True)
class Part:
    """Some tools of a list, to be sent in one request. It is made for sending only: nothing comes back through it."""

    target: Target
    tools: tuple[SentTool, ...]
    names: Mapping[str, str]

    @classmethod
    def published(cls, tools: Iterable[Tool], target: Target) -> Part:
        """Tools as they were published, with their own names."""
        plain = tuple(Plain(tool.name, tool.description, _object(tool), target) for tool in tools)
        return cls(target, plain, {tool.name: tool.name for tool in plain})

    @classmethod
    def of(cls, view: ToolView) -> Part:
        """The tools of a view."""
        return cls(view.target, tuple(view.tools), view.names)

    def some(self, places: Iterable[int]) -> Part:
        """The tools at some places, in that order."""
        return Part(self.target, tuple(self.tools[place] for place in places), self.names)

    def restore(self, name: str, answer: Any, mend: Mend = "safe") -> tuple[str, Restored]:
        """Nothing is restored: raises UnknownTool."""
        raise UnknownTool(name)

    def encode(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """Nothing is encoded: raises UnknownTool."""
        raise UnknownTool(name)


def _object(tool: Tool) -> Mapping[str, Any] | None:
    schema = tool.input_schema
    return {"type": "object"} if isinstance(schema, bool) else schema


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one tool; `says` are the provider's words, `refusal` what they are about where they are known.

    *refused together*: accepted in smaller requests, refused in a larger one. *not asked*: the calls ran out.
    """

    tool: str
    wire: str
    status: Status
    says: str = ""
    refusal: Refusal | None = None


Ask = Callable[[Part], str | None]
"""Sends one request. None: accepted; else the provider's words. Raises ToolglotError for any other answer."""


class OutOfCalls(ToolglotError):
    """No call is left."""


@dataclass
class Calls:
    """An `Ask` that counts: `made` of at most `most`."""

    ask: Ask
    most: int
    made: int = 0

    def __call__(self, part: Part) -> str | None:
        """Send, unless no call is left. Raises OutOfCalls."""
        if self.made >= self.most:
            raise OutOfCalls(f"{self.most} calls were made.", hint="--max-calls allows more.")
        self.made += 1
        return self.ask(part)


def batches(part: Part, twin: Target | None = None) -> list[list[int]]:
    """The places of the tools of each request, within what the target takes."""
    limit = most_tools(part.target, twin)
    size = min(MOST_IN_ONE, limit.value) if limit else MOST_IN_ONE
    every = list(range(len(part.tools)))
    return [every[start : start + size] for start in range(0, len(every), size)]


def judge(
    part: Part,
    calls: Calls,
    *,
    groups: Sequence[Sequence[int]] | None = None,
    control: Part | None = None,
    catalogue: Catalogue = SHIPPED,
) -> list[Verdict]:
    """What becomes of each tool, in order.

    In: the tools; who sends; `groups`: the places of the tools of each first request. A refused request is sent again
    without the tools that the provider names, or in halves where it names none, until each bad tool is known or the
    calls run out. `control`: what must be accepted before a refusal is believed to be about the tools.
    Raises ToolglotError where even that is refused, and for an answer that is about no tool.
    """
    hunt = _Hunt(part, calls, control, catalogue)
    hunt.run(groups if groups is not None else batches(part))
    return [hunt.verdict(place) for place in range(len(part.tools))]


class _Hunt:
    def __init__(self, part: Part, calls: Calls, control: Part | None, catalogue: Catalogue) -> None:
        self.part = part
        self.calls = calls
        self.control = control
        self.catalogue = catalogue
        self.found: dict[int, tuple[Status, str, Refusal | None]] = {}
        self.together: list[tuple[Sequence[int], str]] = []

    def run(self, groups: Sequence[Sequence[int]]) -> None:
        """Send the groups, and take apart those that are refused."""
        waiting = [list(group) for group in groups if group]
        while waiting:
            group = waiting.pop(0)
            try:
                waiting = [*self._ask(group), *waiting]
            except OutOfCalls:
                return

    def _ask(self, group: list[int]) -> list[list[int]]:
        """Send one group. Out: the groups to send instead."""
        part = self.part.some(group)
        says = self.calls(part)
        if says is None:
            self.found |= dict.fromkeys(group, ("accepted", "", None))
            return []
        self._believe()
        about = dict(reversed(list(self._named(part, group, says))))
        if len(group) == 1:
            about = {group[0]: next(iter(explain(says, part, catalogue=self.catalogue)), None)}
        self.found |= {place: ("refused", says, refusal) for place, refusal in about.items()}
        rest = [place for place in group if place not in about]
        if about:
            return [rest] if rest else []
        self.together.append((group, says))
        return [group[: len(group) // 2], group[len(group) // 2 :]]

    def _named(self, part: Part, group: Sequence[int], says: str) -> Iterator[tuple[int, Refusal | None]]:
        """The places of the tools that the provider's words name, by index or by name."""
        wire = {tool.name: place for place, tool in zip(group, part.tools, strict=True)}
        for refusal in explain(says, part, catalogue=self.catalogue):
            if refusal.index is not None and refusal.index < len(group):
                yield group[refusal.index], refusal
            elif refusal.named in wire:
                yield wire[refusal.named], refusal

    def _believe(self) -> None:
        """Send what must be accepted, once: a refusal may be about the model, the account or the request."""
        control, self.control = self.control, None
        says = self.calls(control) if control is not None else None
        if says is not None:
            raise ToolglotError(f"even the simplest tool is refused: {says}", hint="So this says nothing of the tools.")

    def verdict(self, place: int) -> Verdict:
        """What is known of the tool at a place."""
        tool = self.part.tools[place]
        status, says, refusal = self.found.get(place, ("not asked", "", None))
        if status == "accepted":
            whole = next((words for group, words in self.together if place in group and self._all_taken(group)), "")
            status, says = ("refused together", whole) if whole else (status, says)
        name = next((published for published, wire in self.part.names.items() if wire == tool.name), tool.name)
        return Verdict(name, tool.name, status, says, refusal)

    def _all_taken(self, group: Sequence[int]) -> bool:
        """Whether every tool of a refused group was accepted in a smaller one."""
        return all(self.found.get(place, ("",))[0] == "accepted" for place in group)
