"""Fold findings: over targets that agree, over the places and tools with the same cause, and over a rule of the
contract and what targets do to the same thing in the same place."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeVar

from toolglot.contract.model import NO_WITNESS, SEVERITIES
from toolglot.contract.topics import topic_of
from toolglot.schema.lazy import lazy

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Mapping

    from toolglot.contract.model import FactNote, Finding, Severity

_T = TypeVar("_T")


@dataclass(frozen=True)
class Place:
    """One place in one tool, with the findings about it that differ in their targets only."""

    findings: tuple[Finding, ...]

    @property
    def first(self) -> Finding:
        """The finding that speaks for the place."""
        return self.findings[0]

    @lazy
    def targets(self) -> tuple[str, ...]:
        """All targets hit here, in the order of the findings."""
        return _distinct(target for finding in self.findings for target in finding.targets)


@dataclass(frozen=True)
class Cause:
    """One cause and every place where it shows, in published order.

    `also` are causes that say the same of the same places: other targets, another effect, or what targets do to a
    place that a rule of the contract is about.
    """

    places: tuple[Place, ...]
    also: tuple[Cause, ...] = ()

    @property
    def first(self) -> Finding:
        """The finding that speaks for all."""
        return self.places[0].first

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding folded into this one."""
        return tuple(finding for place in self.places for finding in place.findings)

    @lazy
    def targets(self) -> tuple[str, ...]:
        """All targets hit somewhere."""
        return _distinct(target for place in self.places for target in place.targets)

    @property
    def tools(self) -> int:
        """Number of list entries with this cause; a finding about the whole list is one."""
        return len({place.first.index for place in self.places})

    @property
    def witness(self) -> Any:
        """The first witness known; NO_WITNESS where there is none."""
        witnesses = (finding.witness for finding in self.findings)
        return next((witness for witness in witnesses if witness is not NO_WITNESS), NO_WITNESS)

    @property
    def facts(self) -> tuple[FactNote, ...]:
        """The facts behind it, each once."""
        return _distinct(finding.fact for finding in self.findings if finding.fact is not None)


def fold(findings: Iterable[Finding]) -> tuple[Cause, ...]:
    """The findings of one source as causes, worst first, else in the order of the findings.

    Findings with the same code, severity and `group` are one cause. A finding without a group is a cause of its
    own: its place and its message tell it apart. What a baseline lists is folded apart from the rest. What targets
    do to a place that a rule of the contract is about (`contract.topics`) is folded apart for each cause of that
    rule. Causes that say the same of the same places stand behind the worst of them (`also`).
    """
    findings = tuple(findings)
    anchors = {_spot(finding): _cause_key(finding) for finding in findings if _topic(finding) == finding.code}
    causes: dict[Hashable, dict[Hashable, list[Finding]]] = {}
    for finding in findings:
        places = causes.setdefault((_cause_key(finding), anchors.get(_spot(finding))), {})
        places.setdefault(_place_key(finding), []).append(finding)
    folded = (Cause(tuple(Place(tuple(found)) for found in places.values())) for places in causes.values())
    return _joined(sorted(folded, key=lambda cause: SEVERITIES.index(cause.first.severity)), anchors)


def _joined(causes: Iterable[Cause], anchors: Mapping[Hashable, Hashable]) -> tuple[Cause, ...]:
    """The causes, those that say the same of the same places behind the first of them."""
    groups: dict[Hashable, list[Cause]] = {}
    for cause in causes:
        first = cause.first
        places = frozenset(_spot(place.first) for place in cause.places)
        says = (_topic(first) or first.message, anchors.get(_spot(first)))
        groups.setdefault((first.listed, says, places), []).append(cause)
    return tuple(replace(first, also=tuple(others)) for first, *others in groups.values())


def by_rule(findings: Iterable[Finding], severity: Severity) -> dict[str, int]:
    """How many findings of this severity each code has, in the order of first appearance."""
    counts: dict[str, int] = {}
    for finding in findings:
        if finding.severity == severity and not finding.listed:
            counts[finding.code] = counts.get(finding.code, 0) + 1
    return counts


def _cause_key(finding: Finding) -> Hashable:
    # The group of a finding about the baseline names one target of one entry: too fine to fold.
    group = "" if finding.code.startswith("TG3") else finding.group
    own = () if group else (*_place_key(finding), finding.message)
    return (finding.code, finding.severity, finding.listed, group, *own)


def _spot(finding: Finding) -> Hashable:
    """Where a finding is, and what it is about."""
    return (finding.index, finding.tool, finding.pointer, finding.listed, _topic(finding))


def _topic(finding: Finding) -> str:
    return topic_of(finding.code, finding.fact.feature if finding.fact is not None else None)


def _place_key(finding: Finding) -> tuple[Hashable, ...]:
    return (finding.index, finding.tool, finding.pointer, finding.keyword)


def _distinct(values: Iterable[_T]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(values))
