"""Tasks for a model, the arms in which a tool is offered, and the score. Knows no network."""

from __future__ import annotations

import json
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Any

from toolglot.adk.schema_utils import collapse_combiners
from toolglot.errors import ToolError, UnknownTool
from toolglot.fitting.published import Published
from toolglot.fitting.toolset import Toolset
from toolglot.providers.probing import Part, Plain
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.values import is_list, is_map, same
from toolglot.schema.witness import instances

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.published import Restored
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.targets.load import Catalogue
    from toolglot.targets.model import Target

ARMS = ("published", "first branch", "ours")
"""How a tool is offered: as published; with the first branch of each union kept; as toolglot fits it."""

_PER_TOOL = 40
_LONGEST = 600
"""Characters of a task: longer ones are a test of memory."""


@dataclass(frozen=True, slots=True)
class Task:
    """What a model is asked to do with one tool: `expected` are the arguments that the server should get."""

    tool: Tool
    expected: dict[str, Any]

    def prompt(self, name: str) -> str:
        """The task in words, for a tool that is offered under a name. It tells values, not how to write them."""
        if not self.expected:
            return f"Call {name} once, without any arguments."
        clauses = _and([f"{key} is {said(value)}" for key, value in self.expected.items()])
        return f"Call {name} once, so that {clauses}. Leave out everything else."


def said(value: Any) -> str:
    """A value in words: `an object (type "asset", id 549895)`."""
    if is_map(value):
        parts = [f"{key} {said(item)}" for key, item in value.items()]
        return f"an object ({', '.join(parts)})" if parts else "an empty object"
    if is_list(value):
        return f"a list ({', '.join(map(said, value))})" if value else "an empty list"
    return json.dumps(value, ensure_ascii=False)


def _and(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"


def tasks(tools: Iterable[Tool], most: int, seed: int) -> list[Task]:
    """At most so many tasks, spread over the tools; the same for the same tools and seed.

    Each is a value of a small set that together shows what the tool takes: each branch, each optional part.
    """
    chance = random.Random(seed)
    by_tool = [_of(tool, chance) for tool in tools]
    spread = (one for row in zip_longest(*by_tool) for one in row if one is not None)
    return [one for one, _ in zip(spread, range(most), strict=False)]


def _of(tool: Tool, chance: random.Random) -> list[Task]:
    published = Published(tool)
    try:
        found = [_varied(value, published, chance) for value in instances(tool.schema, _PER_TOOL) if is_map(value)]
    except ToolError:
        return []
    made = [Task(tool, value) for value in found]
    fit = [one for one in made if len(one.prompt(tool.name)) <= _LONGEST and one.prompt("x").isprintable()]
    chance.shuffle(fit)
    return fit


_TEXTS = ("549895", "north wall", "de-CH", "2026-11-30", "7", "Ada", "a/b", "true")
"""Texts for places that take any: some look like something else, as real ones do."""
_PLAIN = ("text", 1)
"""The values that say nothing: every place that takes any text or number has the same."""


def _varied(value: dict[str, Any], published: Published, chance: random.Random) -> dict[str, Any]:
    """The value with different texts and numbers at its places, so that mixed-up places are seen; as it is where the
    tool does not take those."""
    varied = _other(value, chance)
    return varied if published.is_valid(varied) else value


def _other(value: Any, chance: random.Random) -> Any:
    if is_map(value):
        return {key: _other(item, chance) for key, item in value.items()}
    if is_list(value):
        return [_other(item, chance) for item in value]
    if same(value, _PLAIN[0]):
        return chance.choice(_TEXTS)
    return chance.randrange(2, 1_000) if same(value, _PLAIN[1]) else value


@dataclass(frozen=True, slots=True)
class AsIs:
    """A tool offered with some schema and its own name; what a model says goes to the server as it is.

    The server's answer to arguments that it does not take is the same text as in the other arms.
    """

    published: Published
    target: Target
    tools: tuple[SentTool, ...]

    @property
    def names(self) -> Mapping[str, str]:
        """The published name, twice."""
        return {self.published.tool.name: self.published.tool.name}

    def restore(self, name: str, answer: Any, mend: Mend = "safe") -> tuple[str, Restored]:
        """The arguments as the model wrote them, judged by the published schema. Raises ArgumentsError, UnknownTool."""
        if name != self.published.tool.name:
            raise UnknownTool(name, [self.published.tool.name])
        return name, self.published.finish(thaw(answer), mend=False)

    def encode(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """Nothing is written in another form."""
        return name, arguments


def offered(task: Task, arm: str, target: Target, catalogue: Catalogue) -> ToolView | None:
    """A tool as an arm offers it; None where toolglot sends nothing for it."""
    if arm == "ours":
        view = Toolset([task.tool], catalogue=catalogue).normalize(target)
        return view if view.tools else None
    plain = catalogue.target(target.fallback) if target.fallback else target
    part = Part.published([task.tool], plain)
    if arm == "first branch":
        part = replace(part, tools=tuple(_collapsed(tool) for tool in part.tools))
    return AsIs(Published(task.tool), plain, part.tools)


def _collapsed(tool: SentTool) -> SentTool:
    schema = thaw(dict(tool.schema)) if tool.schema is not None else None
    return Plain(tool.name, tool.description, collapse_combiners(schema), tool.target)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a model did with a task in one arm.

    `given`: the arguments that the server would get, None where there is no valid call; `first`: whether the first turn
    gave them; `refused`: what the endpoint said of the tool instead of an answer. Tokens are as the endpoint counts.
    """

    given: dict[str, Any] | None = None
    turns: int = 0
    first: bool = False
    refused: str = ""
    unsent: bool = False
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Row:
    """One task in one arm, with its outcome."""

    task: Task
    arm: str
    outcome: Outcome

    @property
    def equal(self) -> bool:
        """Whether the server gets what was asked for."""
        return self.outcome.given is not None and same(self.outcome.given, self.task.expected)


def score(rows: Iterable[Row]) -> dict[str, dict[str, Any]]:
    """The sums of each arm: shares are over all its tasks, those without an answer included."""
    return {arm: _sums([row for row in rows if row.arm == arm]) for rows in [list(rows)] for arm in ARMS}


def _sums(rows: Sequence[Row]) -> dict[str, Any]:
    outcomes = [row.outcome for row in rows]
    equal = sum(row.equal for row in rows)
    return {
        "tasks": len(rows),
        "equal": equal,
        "equal_share": round(equal / len(rows), 4) if rows else None,
        "equal_in_first_turn": sum(row.equal and row.outcome.first for row in rows),
        "valid_but_other": sum(row.outcome.given is not None and not row.equal for row in rows),
        "refused": sum(bool(one.refused) for one in outcomes),
        "not_sent": sum(one.unsent for one in outcomes),
        "turns": sum(one.turns for one in outcomes),
        "prompt_tokens": sum(one.prompt_tokens for one in outcomes),
        "completion_tokens": sum(one.completion_tokens for one in outcomes),
    }


def run(
    found: Sequence[Task], play: Callable[[Task, ToolView], Outcome], target: Target, catalogue: Catalogue
) -> Iterator[Row]:
    """Every task in every arm, one after the other. `play` asks the model."""
    for task, arm in chain.from_iterable(((task, arm) for arm in ARMS) for task in found):
        view = offered(task, arm, target, catalogue)
        yield Row(task, arm, Outcome(unsent=True) if view is None else play(task, view))
