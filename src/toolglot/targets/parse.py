"""One target table of a TOML file as a Target, with every check that can be made on it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from difflib import get_close_matches
from typing import Any, cast

from toolglot.errors import ConfigError
from toolglot.schema.features import FEATURES
from toolglot.schema.values import is_list, is_map
from toolglot.targets.model import (
    EFFECTS,
    EVIDENCE,
    KINDS,
    REQUEST_LIMITS,
    SCHEMA_LIMITS,
    STATUSES,
    Effect,
    Evidence,
    Fact,
    Kind,
    Limit,
    NameRule,
    Proof,
    Status,
    Target,
)

_PROOF_KEYS = ("evidence", "source", "seen", "disputed", "note", "says")
_FACT_KEYS = ("feature", "status", "effect", "allow", "only", "preview", *_PROOF_KEYS)
_LIMIT_KEYS = ("value", "effect", *_PROOF_KEYS)
_NAME_KEYS = ("pattern", "max", "unit", "prefix", "reserved", "effect", *_PROOF_KEYS)
_TARGET_KEYS = (
    *("id", "title", "kind", "field", "failure", "whole_request", "delegates", "passes_to", "fallback", "mirror"),
    *("notes", "fact", "limits", "tool_name", "property_name"),
)
_BITING = ("dropped", "ignored", "rejected")
_UNITS = ("characters", "bytes")

_SOURCE = re.compile(
    r"https?://\S|pypi \S+==\S|npm \S+@\S|github \S+/\S+@\S|(github )?[\w.-]+/[\w./-]+#\d|docs\.rs \S|public code"
    r"|fork of \S+/\S|toolglot: "
)
"""The forms of a source (DESIGN, *Targets are data*): an address, a package version and path, a commit and path, an
issue of a repository. "public code" is code whose address was not kept."""


class Place:
    """Where in which file a table stands, for error texts."""

    __slots__ = ("path", "where")

    def __init__(self, path: str, where: str) -> None:
        self.path = path
        self.where = where

    def at(self, where: str) -> Place:
        """A place inside this one."""
        return Place(self.path, f"{self.where}, {where}" if self.where else where)

    def wrong(self, message: str, hint: str = "") -> ConfigError:
        """The error that says what is wrong here."""
        return ConfigError(self.path, self.where, message, hint=hint)


def parse_target(table: Mapping[str, Any], path: str, base: Target | None = None) -> Target:
    """A Target from its TOML table; `base` is the target it mirrors. Raises ConfigError, naming place and key."""
    name = table.get("id")
    place = Place(path, f"target {name!r}" if isinstance(name, str) else "a target")
    _check_keys(table, _TARGET_KEYS, place)
    facts = dict(base.facts) if base else {}
    for fact in _facts(table, place):
        facts[fact.feature] = fact
    limits = dict(base.limits) if base else {}
    limits |= _limits(table.get("limits", {}), place.at("limits"))
    target = Target(
        id=_text(table, "id", place),
        title=_text(table, "title", place),
        kind=cast("Kind", _choice(table, "kind", KINDS, place)),
        field=_text(table, "field", place, base.field if base else "parameters"),
        failure=_text(table, "failure", place, base.failure if base else ""),
        whole_request=_flag(table, "whole_request", place, base.whole_request if base else False),
        delegates=_flag(table, "delegates", place, False),
        passes_to=_texts(table, "passes_to", place),
        fallback=_text(table, "fallback", place, ""),
        limits=limits,
        tool_name=_name_rule(table, "tool_name", place) or (base.tool_name if base else None),
        property_name=_name_rule(table, "property_name", place) or (base.property_name if base else None),
        notes=_texts(table, "notes", place),
        path=path,
    )
    return with_facts(target, facts)


def with_facts(target: Target, facts: Mapping[str, Fact]) -> Target:
    """The target with these facts; what is derived from facts and limits is made anew."""
    bites = known = refuses = 0
    for feature, fact in facts.items():
        known |= FEATURES[feature].bit if fact.status != "unknown" else 0
        bites |= FEATURES[feature].bit if fact.bites else 0
        refuses |= FEATURES[feature].bit if fact.refuses else 0
    limits = tuple(limit for limit in target.limits.values() if not limit.per_request)
    return replace(target, facts=dict(facts), bites=bites, known=known, refuses=refuses, tool_limits=limits)


def parse_fact(table: Mapping[str, Any], target: str, place: Place) -> list[Fact]:
    """The facts of one fact table (one per feature it names). Raises ConfigError."""
    _check_keys(table, _FACT_KEYS, place)
    status = cast("Status", _choice(table, "status", STATUSES, place))
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
            only=_text(table, "only", place, ""),
            preview=_flag(table, "preview", place, False),
        )
        for feature in _features(table, place)
    ]


def parse_proof(table: Mapping[str, Any], place: Place) -> Proof:
    """The proof of a fact, a limit or a name rule. Raises ConfigError where a source or a date is missing."""
    source = _text(table, "source", place)
    if not _SOURCE.match(source):
        raise place.wrong(f"source {source!r} has no known form.", "Give an address, a package version or a commit.")
    evidence = cast("Evidence", _choice(table, "evidence", EVIDENCE, place))
    if source.startswith("public code") and evidence != "inferred":
        raise place.wrong("a source without an address is at most `inferred`.")
    return Proof(
        source=source,
        evidence=evidence,
        seen=_seen(table, place),
        disputed=_flag(table, "disputed", place, False),
        note=_text(table, "note", place, ""),
        says=_text(table, "says", place, ""),
    )


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
    names: tuple[str, ...] = (given,) if isinstance(given, str) else _texts(table, "feature", place)
    if not names:
        raise place.wrong("`feature` is missing.", "`toolglot explain` lists the features.")
    for name in names:
        if name not in FEATURES:
            raise place.wrong(f"unknown feature {name!r}.", _nearest(name, FEATURES))
    return names


def _allowed(table: Mapping[str, Any], feature: str, place: Place) -> tuple[str, ...]:
    """The values that a fact does not cover; only `format` has values that a fact can tell apart."""
    allowed = _texts(table, "allow", place)
    if allowed and feature != "format":
        raise place.wrong(f"`allow` is for `format`, not for {feature!r}.")
    return allowed


def _effect(table: Mapping[str, Any], status: str, place: Place) -> Effect:
    if status in _BITING:
        return cast("Effect", _choice(table, "effect", EFFECTS, place))
    if "effect" in table:
        raise place.wrong(f"a fact that is {status!r} has no `effect`.", "Remove the line.")
    return "none"


def _seen(table: Mapping[str, Any], place: Place) -> date | None:
    seen = table.get("seen")
    if isinstance(seen, date):
        return seen
    if seen == "unknown":
        return None
    raise place.wrong('`seen` is neither a date nor "unknown".', "Write it as 2026-09-06.")


def _limits(table: Any, place: Place) -> dict[str, Limit]:
    if not is_map(table):
        raise place.wrong("is no table.")
    units = SCHEMA_LIMITS | REQUEST_LIMITS
    limits: dict[str, Limit] = {}
    for name, row in table.items():
        here = place.at(name)
        if name not in units:
            raise here.wrong("unknown limit.", _nearest(name, units))
        _check_keys(row, _LIMIT_KEYS, here)
        value = row.get("value")
        if not isinstance(value, int) or isinstance(value, bool):
            raise here.wrong("`value` is no whole number.")
        effect = cast("Effect", _choice(row, "effect", EFFECTS, here, "refused"))
        limits[name] = Limit(name, value, units[name], parse_proof(row, here), effect)
    return limits


def _name_rule(table: Mapping[str, Any], key: str, place: Place) -> NameRule | None:
    if key not in table:
        return None
    row, here = table[key], place.at(key)
    _check_keys(row, _NAME_KEYS, here)
    longest = row.get("max")
    if longest is not None and not isinstance(longest, int):
        raise here.wrong("`max` is no whole number.")
    return NameRule(
        proof=parse_proof(row, here),
        pattern=_pattern(row, here),
        max=longest,
        unit=cast("Any", _choice(row, "unit", _UNITS, here, "characters")),
        prefix=_text(row, "prefix", here, ""),
        reserved=_texts(row, "reserved", here),
        effect=cast("Effect", _choice(row, "effect", EFFECTS, here, "refused")),
    )


def _pattern(row: Mapping[str, Any], place: Place) -> str:
    pattern = _text(row, "pattern", place, "")
    try:
        re.compile(pattern)
    except re.error as error:
        raise place.wrong(f"`pattern` is no regular expression: {error}.") from None
    return pattern


def _check_keys(table: Any, known: tuple[str, ...], place: Place) -> None:
    if not is_map(table):
        raise place.wrong("is no table.")
    for key in table:
        if key not in known:
            raise place.wrong(f"unknown key {key!r}.", _nearest(key, known))


def _text(table: Mapping[str, Any], key: str, place: Place, default: str | None = None) -> str:
    value = table.get(key, default)
    if value is None:
        raise place.wrong(f"`{key}` is missing.")
    if not isinstance(value, str):
        raise place.wrong(f"`{key}` is no text.")
    return value


def _texts(table: Mapping[str, Any], key: str, place: Place) -> tuple[str, ...]:
    value = table.get(key, [])
    if not is_list(value) or not all(isinstance(item, str) for item in value):
        raise place.wrong(f"`{key}` is no list of texts.")
    return tuple(value)


def _flag(table: Mapping[str, Any], key: str, place: Place, default: bool) -> bool:
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise place.wrong(f"`{key}` is neither true nor false.")
    return value


def _choice(
    table: Mapping[str, Any], key: str, choices: tuple[str, ...], place: Place, default: str | None = None
) -> str:
    value = _text(table, key, place, default)
    if value not in choices:
        raise place.wrong(f"`{key}` is {value!r}.", f"It is one of: {', '.join(choices)}.")
    return value


def _nearest(name: str, known: Any) -> str:
    close = get_close_matches(name, list(known), 3)
    return f"Did you mean {' or '.join(close)}?" if close else ""
