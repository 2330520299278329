"""Choosing how each tool of a list is sent: strict, to the non-strict twin, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from toolglot.errors import ToolError
from toolglot.fitting.budgets import budgets, chosen, counts_of, exceeded, most_tools
from toolglot.fitting.ledger import Entry
from toolglot.fitting.normalized import Normalized, fit_tool
from toolglot.fitting.problem import Problem
from toolglot.fitting.published import Published
from toolglot.targets.model import Limit, Target


class Sent(NamedTuple):
    """The place of a tool in the list, and the form in which it is sent."""

    place: int
    form: Normalized

    @property
    def name(self) -> str:
        """The published name."""
        return self.form.published.tool.name


@dataclass(slots=True)
class Plan:
    """One list for one target; `problems` and `notes` say what could not be done as asked."""

    target: Target
    fallback: Target | None
    auto: bool = False
    problems: list[Problem] = field(default_factory=list[Problem])
    notes: list[Problem] = field(default_factory=list[Problem])

    def choose(self, tools: Mapping[int, Published]) -> list[Sent]:
        """The tools that are sent. Within the number of tools of a request the first ones are."""
        sent = [one for place, tool in tools.items() if (one := self._first_form(place, tool)) is not None]
        sent = self._as_many_as_fit(sent)
        strict = [one for one in sent if one.form.target is self.target]
        others = [one for one in sent if one.form.target is not self.target]
        strict, over, limits = _within(strict, self.target)
        others += [again for one in over if (again := self._without_room(one, limits)) is not None]
        if self.fallback is not None:
            others, over, limits = _within(others, self.fallback)
            self.problems += [_no_room(one, self.fallback, limits) for one in over]
        return self._names_once(sorted([*strict, *others], key=lambda one: one.place))

    def _first_form(self, place: int, tool: Published) -> Sent | None:
        sent = self._form(place, tool, self.target)
        if sent is None or not self.auto or self.fallback is None:
            return self._unless_refused(sent)
        twin = self._form(place, tool, self.fallback)
        if twin is None or twin.form.refused:
            return self._unless_refused(sent)
        cost = cost_of_strict(sent.form, twin.form)
        if not cost:
            return sent
        self.notes.append(Problem(tool.tool.name, place, f"is sent to {self.fallback.id}: {cost}."))
        return twin

    def _form(self, place: int, tool: Published, target: Target) -> Sent | None:
        try:
            return Sent(place, fit_tool(tool, target))
        except (ToolError, RecursionError) as error:
            reason = f"{error.message}. {error.hint}" if isinstance(error, ToolError) else "is nested too deeply."
            self.problems.append(Problem(tool.tool.name, place, reason.rstrip()))
            return None

    def _unless_refused(self, sent: Sent | None) -> Sent | None:
        if sent is None or not sent.form.refused:
            return sent
        reason = next((entry.reason for entry in sent.form.ledger if entry.shape == "refused"), "it does not fit")
        message = f"is not sent to {sent.form.target.id}: {reason.rstrip('.')}."
        self.problems.append(Problem(sent.name, sent.place, message))
        return None

    def _as_many_as_fit(self, sent: list[Sent]) -> list[Sent]:
        """The first tools, where a request takes no more. A disputed limit is only noted: leaving out would be ours."""
        limit = most_tools(self.target, self.fallback)
        if limit is None or len(sent) <= limit.value:
            return sent
        if limit.proof.disputed:
            room = f"may have no room: {_room(self.target, (limit,))}, but sources differ."
            self.notes += [Problem(one.name, one.place, room) for one in sent[limit.value :]]
            return sent
        self.problems += [_no_room(one, self.target, (limit,)) for one in sent[limit.value :]]
        return sent[: limit.value]

    def _without_room(self, one: Sent, limits: Sequence[Limit]) -> Sent | None:
        """A tool that the strict budgets have no room for, in its non-strict form."""
        if self.fallback is None:
            self.problems.append(_no_room(one, self.target, limits))
            return None
        found = self._unless_refused(self._form(one.place, one.form.published, self.fallback))
        if found is not None:
            reason = f"is sent to {self.fallback.id}: {_room(self.target, limits)}."
            self.notes.append(Problem(one.name, one.place, reason))
        return found

    def _names_once(self, sent: list[Sent]) -> list[Sent]:
        """Names can only be the same where somebody made them so: the first is sent."""
        first: dict[str, Sent] = {}
        for one in sent:
            if first.setdefault(one.form.name, one) is not one:
                message = f"gets the same name as {first[one.form.name].name}; only that one is sent."
                self.problems.append(Problem(one.name, one.place, message))
        return list(first.values())


def _within(sent: list[Sent], target: Target) -> tuple[list[Sent], list[Sent], tuple[Limit, ...]]:
    """What keeps the budgets of a request, what has no room, and the budgets that decided it."""
    limits = budgets(target)
    counts = [counts_of(one.form.tool, limits) for one in sent] if limits else []
    over = exceeded(counts, limits)
    if not over:
        return sent, [], ()
    kept = chosen(counts, over)
    inside = [one for place, one in enumerate(sent) if place in kept]
    outside = [one for place, one in enumerate(sent) if place not in kept]
    return inside, outside, over


def _room(target: Target, limits: Sequence[Limit]) -> str:
    allowed = " and ".join(f"{limit.value:,} {limit.unit}" for limit in limits)
    return f"{target.id} takes {allowed} in one request"


def _no_room(one: Sent, target: Target, limits: Sequence[Limit]) -> Problem:
    return Problem(one.name, one.place, f"is not sent: {_room(target, limits)}.")


_OPTIONAL = "property-optional"


def cost_of_strict(strict: Normalized, twin: Normalized) -> str:
    """Why a tool is better not sent strict, as a clause; empty where that costs nothing but nullable optionals.

    What the non-strict form costs too is not counted, nor is another spelling of the same values.
    """
    if strict.refused:
        return "strict refuses it"
    known = {_kind(entry) for entry in twin.ledger}
    for entry in strict.ledger:
        if _costs(entry) and _kind(entry) not in known:
            return f"strict costs more than nullable optionals ({entry.feature} at {entry.pointer or 'the root'})"
    scanned = strict.published.scanned
    optional, parameters = scanned.count("optional-parameters"), scanned.count("properties")
    many = f"more than half of its parameters are optional ({optional} of {parameters})"
    return many if 2 * optional > parameters else ""


def _kind(entry: Entry) -> tuple[str, str, str, str]:
    return entry.pointer, entry.feature, entry.shape, entry.values


def _costs(entry: Entry) -> bool:
    return entry.values != "exact" or (entry.shape not in ("kept", "left out") and entry.feature != _OPTIONAL)
