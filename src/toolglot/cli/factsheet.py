"""Targets and facts in words: for `targets` and `explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toolglot.report.escape import plain
from toolglot.report.view import count
from toolglot.schema.features import FEATURES
from toolglot.targets.load import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolglot.targets.load import Catalogue
    from toolglot.targets.model import Fact, Limit, NameRule, Proof, Target

_KINDS = {"api": "Providers", "client": "Clients", "engine": "Engines"}
_STATUSES = ("rejected", "dropped", "ignored", "unknown", "passed on", "accepted", "enforced")

EFFECTS = {
    "refused": "it is refused",
    "tool-lost": "the tool silently disappears",
    "narrower": "some arguments that the server takes cannot be said",
    "wider": "arguments that the server refuses can be said",
    "changed": "arguments of another shape are asked for",
    "none": "the arguments stay the same",
    "unknown": "the effect on arguments is not known",
}
"""What an effect means, as a clause."""


def overview(catalogue: Catalogue) -> Iterator[str]:
    """All targets by kind, with their short names; the default ones are marked."""
    short = {target: name for name, target in catalogue.short_names.items()}
    default = catalogue.group("default")
    targets = [catalogue.target(name) for name in catalogue.ids]
    width = max(len(target.id) for target in targets)
    for kind, title in _KINDS.items():
        yield title
        for target in (target for target in targets if target.kind == kind):
            mark = "*" if target.id in default else " "
            facts = count(len(target.facts), "fact")
            also = f"; short: {short[target.id]}" if target.id in short else ""
            yield f"  {mark} {target.id:{width}}  {plain(target.title)} ({facts}{also})"
    yield f"* a default target. Groups: {', '.join(GROUPS)}. A client with an api: CLIENT+API."


def sheet(target: Target, *, verbose: bool = False) -> Iterator[str]:
    """Everything that is known about one target, each statement with date and source."""
    yield f"{plain(target.id)}: {plain(target.title)} ({target.kind})"
    yield f"  reads the schema from `{plain(target.field)}`" + (
        f"; when it refuses: {plain(target.failure)}" if target.failure else ""
    )
    if target.delegates:
        yield f"  passes schemas on, usually to {', '.join(target.passes_to) or 'an api of the user'}"
    if target.fallback:
        yield f"  strict; its twin that is not: {target.fallback}"
    yield from (f"  note: {plain(note)}" for note in target.notes)
    for what, rule in (("tool names", target.tool_name), ("property names", target.property_name)):
        if rule is not None:
            yield from _statement(f"{what}: {name_rule(rule)}", rule.proof, verbose)
    for limit in target.limits.values():
        yield from _statement(limit_words(limit), limit.proof, verbose)
    for facts in _alike(target.facts.values()):
        yield from _statement(_fact_words(facts), facts[0].proof, verbose)


def ordered(facts: Iterable[Fact]) -> list[Fact]:
    """Facts, the worst status first, then in the order of the features."""
    places = {name: place for place, name in enumerate(FEATURES)}
    return sorted(facts, key=lambda fact: (_STATUSES.index(fact.status), places[fact.feature]))


def _alike(facts: Iterable[Fact]) -> Iterable[list[Fact]]:
    """Facts that say the same and have the same source, together."""
    groups: dict[object, list[Fact]] = {}
    for fact in ordered(facts):
        key = (fact.status, fact.effect, fact.proof, fact.allow, fact.only, fact.corrected)
        groups.setdefault(key, []).append(fact)
    return groups.values()


def _fact_words(facts: Sequence[Fact]) -> str:
    first = facts[0]
    words = f"{first.status:9} {', '.join(fact.feature for fact in facts)}"
    if first.status in ("rejected", "dropped", "ignored"):
        words += f": {EFFECTS[first.effect]}"
    if first.allow:
        words += f"; not with {', '.join(map(plain, first.allow))}"
    if first.only:
        words += f"; only {plain(first.only)}"
    return words + "; corrected here" if first.corrected else words


def limit_words(limit: Limit) -> str:
    """A limit as a clause: `at most 10 levels of nesting`."""
    least = limit.name.endswith("-min")
    words = f"{limit.value:,} {limit.unit}" if least else f"at most {limit.value:,} {limit.unit}"
    return f"{words} in one request" if limit.per_request else words


def name_rule(rule: NameRule) -> str:
    """A name rule as clauses."""
    parts = [f"`{plain(rule.pattern)}`"] if rule.pattern else []
    if rule.max is not None:
        parts.append(f"at most {rule.max} {rule.unit}")
    if rule.prefix:
        parts.append(f"behind the prefix `{plain(rule.prefix)}`")
    if rule.reserved:
        parts.append(f"reserved: {', '.join(map(plain, rule.reserved))}")
    return ", ".join(parts) or "any"


def _statement(words: str, proof: Proof, verbose: bool) -> Iterator[str]:
    yield f"  {words} [{proof_words(proof)}; {plain(proof.source)}]"
    if verbose and proof.says:
        yield f'      says: "{plain(proof.says)}"'
    if verbose and proof.note:
        yield f"      note: {plain(proof.note)}"


def proof_words(proof: Proof) -> str:
    """How and when something was seen: `observed 2026-09-06`."""
    words = f"{proof.evidence} {proof.seen.isoformat() if proof.seen else 'without a date'}"
    return f"{words}, disputed" if proof.disputed else words


def proofs(target: Target) -> Iterator[tuple[str, Proof]]:
    """Every statement about a target, by name."""
    yield from ((fact.id, fact.proof) for fact in target.facts.values())
    yield from ((f"{target.id}/{limit.name}", limit.proof) for limit in target.limits.values())
    for what, rule in (("tool-name", target.tool_name), ("property-name", target.property_name)):
        if rule is not None:
            yield f"{target.id}/{what}", rule.proof


def about_feature(feature: str, targets: Sequence[Target]) -> Iterator[str]:
    """What each target does with a feature, by status; targets without a fact are counted.

    Targets that share a fact (mirrors) are one line.
    """
    sharing: dict[Fact, list[str]] = {}
    for target in targets:
        if (fact := target.facts.get(feature)) is not None:
            sharing.setdefault(fact, []).append(target.id)
    for fact in ordered(sharing):
        names = ", ".join(map(plain, sharing[fact]))
        effect = f": {EFFECTS[fact.effect]}" if fact.bites or fact.only else ""
        only = f"; only {plain(fact.only)}" if fact.only else ""
        yield f"  {fact.status:9} {names}{effect}{only} [{proof_words(fact.proof)}; {plain(fact.proof.source)}]"
    silent = len(targets) - sum(map(len, sharing.values()))
    if silent:
        yield f"  nothing is known about {silent} of {len(targets)} targets"
