"""Targets made of targets: `client+api`, and `portable`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from toolglot.targets.model import Fact, Limit, NameRule, Target

_WORST = ("refused", "tool-lost", "changed", "narrower", "wider", "unknown", "none")
_LOSES = ("refused", "tool-lost", "narrower", "changed")


def combine(client: Target, api: Target) -> Target:
    """The target of what `client` shows to `api`: a tool must be accepted by both, names are the client's.

    Of two facts about a feature the stricter counts; of two limits the lower.
    """
    facts = dict(api.facts)
    for feature, fact in client.facts.items():
        other = facts.get(feature)
        if other is None or _strictness(fact) <= _strictness(other):
            facts[feature] = fact
    return Target(
        id=f"{client.id}+{api.id}",
        title=f"{client.title} with {api.title}",
        kind="client",
        field=api.field,
        failure=client.failure,
        whole_request=client.whole_request or api.whole_request,
        facts=facts,
        limits=_lower(client.limits.values(), api.limits.values()),
        tool_name=client.tool_name or api.tool_name,
        property_name=client.property_name or api.property_name,
        notes=client.notes + api.notes,
        errors=client.errors + api.errors,
        errors_of=client.errors_of + api.errors_of,
    )


def _strictness(fact: Fact) -> tuple[bool, int]:
    return (not fact.bites, _WORST.index(fact.effect))


def _lower(*groups: Iterable[Limit]) -> dict[str, Limit]:
    limits: dict[str, Limit] = {}
    for limit in (limit for group in groups for limit in group):
        if limit.name not in limits or limit.value < limits[limit.name].value:
            limits[limit.name] = limit
    return limits


def portable(defaults: tuple[Target, ...]) -> Target:
    """What all default targets take: their undisputed refusals and losses, their lowest undisputed limits and names."""
    facts: dict[str, Fact] = {}
    for fact in (fact for target in defaults for fact in target.facts.values()):
        if fact.bites and fact.effect in _LOSES and not fact.proof.disputed and fact.feature not in facts:
            facts[fact.feature] = fact
    limits = _lower(limit for target in defaults for limit in target.limits.values() if not limit.proof.disputed)
    return Target(
        id="portable",
        title="What all default targets take",
        kind="api",
        failure="refused or narrowed by at least one default target",
        facts=facts,
        limits=limits,
        tool_name=_strictest(target.tool_name for target in defaults),
        property_name=_strictest(target.property_name for target in defaults),
    )


def _strictest(rules: Iterable[NameRule | None]) -> NameRule | None:
    """Of the undisputed rules the one that leaves the fewest characters, with the least room for them of all."""
    biting = [rule for rule in rules if rule is not None and rule.effect in _LOSES and not rule.proof.disputed]
    if not biting:
        return None
    narrow = min(biting, key=_width)
    room = min((rule.max - len(rule.prefix.format(server="")) for rule in biting if rule.max), default=None)
    return replace(narrow, max=room, prefix="", reserved=tuple(sorted({w for rule in biting for w in rule.reserved})))


def _width(rule: NameRule) -> int:
    pattern = re.compile(rule.pattern or ".*")
    return sum(bool(pattern.fullmatch(f"a{chr(code)}")) for code in range(32, 127))
