"""A whole list of tools for one target: names, budgets of a request, and the way back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from os import PathLike, fspath
from typing import TYPE_CHECKING, Any, Literal

from toolglot.errors import UnknownTool
from toolglot.fitting.plan import Plan
from toolglot.fitting.problem import Problem
from toolglot.fitting.published import Published
from toolglot.fitting.refusals import explain
from toolglot.schema.tool import BadTool, Listing, Tool, read_entries
from toolglot.targets.load import SHIPPED, Catalogue

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend, Normalized
    from toolglot.fitting.plan import Sent
    from toolglot.fitting.published import Restored
    from toolglot.fitting.refusals import Refusal
    from toolglot.targets.model import Target

Strict = Literal[True, "auto"]
_LONGEST = 200


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """The tools of a list as one target gets them, in their order.

    `tools` are those that are sent; `problems` says why others are not, the entries that are no tools included;
    `notes` says which are sent to the target's non-strict twin, and why. `names` is published name to wire name.
    """

    target: Target
    tools: tuple[Normalized, ...]
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    names: Mapping[str, str]
    _by_wire: Mapping[str, tuple[str, Normalized]] = field(repr=False)

    def restore(self, name: str, answer: Any, mend: Mend = "safe") -> tuple[str, Restored]:
        """The published name and the server's arguments for a tool call of a model.

        In: the wire name (a published name is understood too) and the arguments as a mapping, None or JSON text.
        Raises UnknownTool with the nearest names, ArgumentsError.
        """
        published, tool = self._find(name)
        return published, tool.restore(answer, mend)

    def encode(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """The wire name and the wire arguments of a call as the server knows it: for history and examples.

        Raises UnknownTool for a name that is not sent.
        """
        wire = self.names.get(name)
        if wire is None:
            raise UnknownTool(name, _nearest(name, self.names))
        return wire, self._by_wire[wire][1].encode(arguments)

    def explain(self, error: BaseException | str) -> tuple[Refusal, ...]:
        """What a provider refused of these tools: the exception of its SDK, or its text.

        Out: one entry for each thing it complains about, with the place in the published schema.
        """
        return explain(error, self)

    def _find(self, name: str) -> tuple[str, Normalized]:
        found = self._by_wire.get(name) or self._by_wire.get(self.names.get(name, ""))
        if found is None:
            raise UnknownTool(name, _nearest(name, self._by_wire))
        return found


class Toolset:
    """A list of tools, read once and never changed; it keeps what it made for each target.

    In: tools as mappings or Tool, or a Listing; `catalogue` is where targets are looked up. Never raises for one
    tool: `problems` says which entries are no tools, and which have the name of an earlier one. `tools` are the others,
    in their order.
    """

    def __init__(
        self,
        tools: Listing | Iterable[Tool | Mapping[str, Any]],
        *,
        catalogue: Catalogue = SHIPPED,
    ) -> None:
        entries = tools.entries if isinstance(tools, Listing) else read_entries(tools)
        places, self.problems = _snapshot(entries)
        self.tools: tuple[Tool, ...] = tuple(places.values())
        self._published = {place: Published(tool) for place, tool in places.items()}
        self._catalogue = catalogue
        self._views: dict[tuple[str | int, Strict], View] = {}

    def normalize(self, target: str | PathLike[str] | Target, strict: Strict = True) -> View:
        """The list for a target; a look-up where it was asked for before.

        A strict target gets every tool in strict form, those that its budgets for one request have no room for
        excepted: they go to its non-strict twin. With `strict="auto"` a tool is sent strict only if that costs
        nothing but nullable optionals, and if at most half of its parameters are optional.
        Raises UnknownTarget, ConfigError, ValueError for another `strict`.
        """
        if not isinstance(target, str):
            target = fspath(target) if isinstance(target, PathLike) else target
        key = (target if isinstance(target, str) else id(target), strict)
        view = self._views.get(key)
        return self._views.setdefault(key, self._make(target, strict)) if view is None else view

    def _make(self, target: str | Target, strict: Strict) -> View:
        if strict not in (True, "auto"):
            raise ValueError(
                f'`strict` is True or "auto", not {strict!r}; for the non-strict form ask for the fallback'
            )
        wanted = self._catalogue.target(target)
        fallback = self._catalogue.target(wanted.fallback) if wanted.fallback else None
        plan = Plan(wanted, fallback, auto=strict == "auto")
        sent = plan.choose(self._published)
        return _view(wanted, sent, (*self.problems, *plan.problems), plan.notes)


def _snapshot(entries: Iterable[Tool | BadTool]) -> tuple[dict[int, Tool], tuple[Problem, ...]]:
    places: dict[int, Tool] = {}
    problems: list[Problem] = []
    names: set[str] = set()
    for place, entry in enumerate(entries):
        if isinstance(entry, BadTool):
            problems.append(Problem(entry.name, place, f"{entry.problem}. {entry.hint}".rstrip()))
        elif entry.name in names:
            problems.append(Problem(entry.name, place, "has the name of an earlier tool; only that one is sent."))
        else:
            names.add(entry.name)
            places[place] = entry
    return places, tuple(problems)


def _view(target: Target, sent: Iterable[Sent], problems: Iterable[Problem], notes: Iterable[Problem]) -> View:
    ordered = sorted(sent, key=lambda one: one.place)
    return View(
        target=target,
        tools=tuple(one.form for one in ordered),
        problems=tuple(sorted(problems, key=lambda one: one.index)),
        notes=tuple(sorted(notes, key=lambda one: one.index)),
        names={one.name: one.form.name for one in ordered},
        _by_wire={one.form.name: (one.name, one.form) for one in ordered},
    )


def _nearest(name: str, known: Iterable[str]) -> list[str]:
    return get_close_matches(name[:_LONGEST], [one for one in known if len(one) <= _LONGEST], 3)
