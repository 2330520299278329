"""One target table of a TOML file as a Target, with every check that can be made on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast

from toolglot.schema.features import FEATURES
from toolglot.schema.values import is_map
from toolglot.targets.error_texts import parse_errors
from toolglot.targets.model import (
    EFFECTS,
    KINDS,
    REQUEST_LIMITS,
    SCHEMA_LIMITS,
    STATUSES,
    Effect,
    Fact,
    Kind,
    Limit,
    NameRule,
    Status,
    Target,
)
from toolglot.targets.tables import (
    PROOF_KEYS,
    Place,
    check_keys,
    choice_in,
    flag_in,
    nearest,
    parse_proof,
    text_in,
    texts_in,
)

_FACT_KEYS = ("feature", "status", "effect", "allow", "only", "preview", *PROOF_KEYS)
_LIMIT_KEYS = ("value", "effect", *PROOF_KEYS)
_NAME_KEYS = ("pattern", "max", "unit", "prefix", "reserved", "effect", *PROOF_KEYS)
_TARGET_KEYS = (
    *("id", "title", "kind", "field", "failure", "whole_request", "delegates", "passes_to", "fallback", "mirror"),
    *("notes", "fact", "limits", "tool_name", "property_name", "error", "errors_of"),
)
_BITING = ("dropped", "ignored", "rejected")
_UNITS = ("characters", "bytes")


def parse_target(table: Mapping[str, Any], path: str, base: Target | None = None) -> Target:
    """A Target from its TOML table; `base` is the target it mirrors. Raises ConfigError, naming place and key."""
    name = table.get("id")
    place = Place(path, f"target {name!r}" if isinstance(name, str) else "a target")
    check_keys(table, _TARGET_KEYS, place)
    facts = dict(base.facts) if base else {}
    for fact in _facts(table, place):
        facts[fact.feature] = fact
    limits = dict(base.limits) if base else {}
    limits |= _limits(table.get("limits", {}), place.at("limits"))
    return Target(
        id=text_in(table, "id", place),
        title=text_in(table, "title", place),
        kind=cast("Kind", choice_in(table, "kind", KINDS, place)),
        field=text_in(table, "field", place, base.field if base else "parameters"),
        failure=text_in(table, "failure", place, base.failure if base else ""),
        whole_request=flag_in(table, "whole_request", place, base.whole_request if base else False),
        delegates=flag_in(table, "delegates", place, False),
        passes_to=texts_in(table, "passes_to", place),
        fallback=text_in(table, "fallback", place, ""),
        facts=facts,
        limits=limits,
        tool_name=_name_rule(table, "tool_name", place) or (base.tool_name if base else None),
        property_name=_name_rule(table, "property_name", place) or (base.property_name if base else None),
        notes=texts_in(table, "notes", place),
        errors=(base.errors if base else ()) + parse_errors(table, place),
        errors_of=(base.errors_of if base else ()) + texts_in(table, "errors_of", place),
        path=path,
    )


def parse_fact(table: Mapping[str, Any], target: str, place: Place) -> list[Fact]:
    """The facts of one fact table (one per feature it names). Raises ConfigError."""
    check_keys(table, _FACT_KEYS, place)
    status = cast("Status", choice_in(table, "status", STATUSES, place))
    effect = _effect(table, status, place)
    proof = parse_proof(table, place)
    return [
        Fact(
            target=target,
            feature=feature,
            status=status,
            effect=effect,
            proof=proof,
            allow=_allowed(table, feature, place),
            only=text_in(table, "only", place, ""),
            preview=flag_in(table, "preview", place, False),
        )
        for feature in _features(table, place)
    ]


def _facts(table: Mapping[str, Any], place: Place) -> list[Fact]:
    facts: list[Fact] = []
    seen: set[str] = set()
    for number, row in enumerate(table.get("fact", []), 1):
        for fact in parse_fact(row, table.get("id", ""), place.at(f"fact {number}")):
            if fact.feature in seen:
                raise place.at(f"fact {number}").wrong(f"{fact.feature!r} has a fact already.", "Keep one of them.")
            seen.add(fact.feature)
            facts.append(fact)
    return facts


def _features(table: Mapping[str, Any], place: Place) -> tuple[str, ...]:
    given = table.get("feature")
    names: tuple[str, ...] = (given,) if isinstance(given, str) else texts_in(table, "feature", place)
    if not names:
        raise place.wrong("`feature` is missing.", "`toolglot explain` lists the features.")
    for name in names:
        if name not in FEATURES:
            raise place.wrong(f"unknown feature {name!r}.", nearest(name, FEATURES))
    return names


def _allowed(table: Mapping[str, Any], feature: str, place: Place) -> tuple[str, ...]:
    """The values that a fact does not cover; only `format` has values that a fact can tell apart."""
    allowed = texts_in(table, "allow", place)
    if allowed and feature != "format":
        raise place.wrong(f"`allow` is for `format`, not for {feature!r}.")
    return allowed


def _effect(table: Mapping[str, Any], status: str, place: Place) -> Effect:
    if status in _BITING:
        return cast("Effect", choice_in(table, "effect", EFFECTS, place))
    if "effect" in table:
        raise place.wrong(f"a fact that is {status!r} has no `effect`.", "Remove the line.")
    return "none"


def _limits(table: Any, place: Place) -> dict[str, Limit]:
    if not is_map(table):
        raise place.wrong("is no table.")
    units = SCHEMA_LIMITS | REQUEST_LIMITS
    limits: dict[str, Limit] = {}
    for name, row in table.items():
        here = place.at(name)
        if name not in units:
            raise here.wrong("unknown limit.", nearest(name, units))
        check_keys(row, _LIMIT_KEYS, here)
        value = row.get("value")
        if not isinstance(value, int) or isinstance(value, bool):
            raise here.wrong("`value` is no whole number.")
        effect = cast("Effect", choice_in(row, "effect", EFFECTS, here, "refused"))
        limits[name] = Limit(name, value, units[name], parse_proof(row, here), effect)
    return limits


def _name_rule(table: Mapping[str, Any], key: str, place: Place) -> NameRule | None:
    if key not in table:
        return None
    row, here = table[key], place.at(key)
    check_keys(row, _NAME_KEYS, here)
    longest = row.get("max")
    if longest is not None and not isinstance(longest, int):
        raise here.wrong("`max` is no whole number.")
    return NameRule(
        proof=parse_proof(row, here),
        pattern=_pattern(row, here),
        max=longest,
        unit=cast("Any", choice_in(row, "unit", _UNITS, here, "characters")),
        prefix=text_in(row, "prefix", here, ""),
        reserved=texts_in(row, "reserved", here),
        effect=cast("Effect", choice_in(row, "effect", EFFECTS, here, "refused")),
    )


def _pattern(row: Mapping[str, Any], place: Place) -> str:
    pattern = text_in(row, "pattern", place, "")
    try:
        re.compile(pattern)
    except re.error as error:
        raise place.wrong(f"`pattern` is no regular expression: {error}.") from None
    return pattern
