"""What a provider did with the smallest schema of each feature, and the patch for the data of the targets."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import unified_diff
from importlib import resources
from typing import TYPE_CHECKING, Any, Literal

import tomlkit

from toolglot.errors import ToolglotError
from toolglot.providers.probing import Calls, Part, judge
from toolglot.schema.features import FEATURES, names_of
from toolglot.schema.tool import Tool
from toolglot.schema.values import is_list, is_map
from toolglot.targets.accept import ScannedTool

if TYPE_CHECKING:
    from toolglot.providers.probing import Verdict
    from toolglot.targets.model import Fact, Target

Outcome = Literal["accepted", "refused", "not alone", "not asked"]

_PREFIX = "probe_"
_OPEN = ("object-not-closed", "object-open", "object-empty", "additional-true", "map", "pattern-properties")
"""Features that a closed object would not have."""


@dataclass(frozen=True, slots=True)
class Asked:
    """What became of one feature. `others`: what else in its smallest schema the target is known to refuse."""

    feature: str
    outcome: Outcome
    says: str = ""
    others: tuple[str, ...] = ()


def smallest(feature: str, example: Any, target: Target) -> Tool:
    """A tool with one oddity, as far as that can be: closed and without optionals where a target is strict.

    `example` is the smallest input schema with the feature.
    """
    keep_open, keep_optional = feature in _OPEN, feature == "property-optional"
    schema = _strict(example, not keep_open, not keep_optional) if target.fallback else example
    description = "" if feature == "tool-description-empty" else "What it does."
    return Tool.of({"name": _PREFIX + feature.replace("-", "_"), "description": description, "inputSchema": schema})


def _strict(schema: Any, close: bool, require: bool) -> Any:
    if is_list(schema):
        return [_strict(one, close, require) for one in schema]
    if not is_map(schema):
        return schema
    found = {word: value if word in _DATA else _strict(value, close, require) for word, value in schema.items()}
    properties = schema.get("properties")
    if is_map(properties) and schema.get("type", "object") == "object":
        found |= {"additionalProperties": False} if close and "additionalProperties" not in schema else {}
        found |= {"required": list(properties)} if require and "required" not in schema else {}
    return found


_DATA = ("enum", "const", "default", "examples", "example", "required")


def ask_features(
    target: Target, examples: Callable[[str], Any], calls: Calls, control: Part, features: Iterable[str] = FEATURES
) -> list[Asked]:
    """Send the smallest schema of each feature to a target.

    Those that the target is known to take go first, together; then those of which nothing is known; then those that
    it is known to refuse. Raises ToolglotError as `judge` does.
    """
    tools = {feature: smallest(feature, examples(feature), target) for feature in features}
    order = sorted(tools, key=lambda feature: _turn(target, feature))
    part = Part.published([tools[feature] for feature in order], target)
    turns = [[place for place, one in enumerate(order) if _turn(target, one) == turn] for turn in range(3)]
    verdicts = judge(part, calls, groups=[group for group in turns if group], control=control)
    return [_asked(feature, verdict, tools[feature], target) for feature, verdict in zip(order, verdicts, strict=True)]


def _turn(target: Target, feature: str) -> int:
    fact = target.facts.get(feature)
    if fact is None or fact.status == "unknown":
        return 1
    return 2 if fact.status == "rejected" else 0


def _asked(feature: str, verdict: Verdict, tool: Tool, target: Target) -> Asked:
    bit = FEATURES[feature].bit
    others = names_of(ScannedTool(tool).mask & target.refuses & ~bit)
    if verdict.status == "not asked":
        return Asked(feature, "not asked")
    if verdict.status != "refused":
        return Asked(feature, "accepted")
    meant = verdict.refusal is not None and verdict.refusal.feature == feature
    says = verdict.refusal.says if verdict.refusal is not None else verdict.says
    return Asked(feature, "refused" if meant or not others else "not alone", says, () if meant else others)


@dataclass(frozen=True, slots=True)
class Seen:
    """By whom and when it was seen: the model, the SDK with its version, the day."""

    model: str
    sdk: str
    day: date

    @property
    def source(self) -> str:
        """The source of a fact that was seen so."""
        return f"toolglot: probe of {self.model} with {self.sdk}"


def news(target: Target, asked: Iterable[Asked], seen: Seen) -> list[Asked]:
    """The outcomes that the data do not know yet, or know from weaker evidence.

    An accepted request does not tell whether a target heeds what it takes: it only contradicts a refusal, or says
    something where nothing is known.
    """
    return [one for one in asked if _is_news(one, target.facts.get(one.feature), seen.day)]


def _is_news(one: Asked, fact: Fact | None, today: date) -> bool:
    if one.outcome not in ("accepted", "refused"):
        return False
    if fact is None or fact.status == "unknown":
        return True
    if one.outcome == "accepted":
        return fact.status == "rejected"
    return fact.status != "rejected" or bool(fact.proof.doubt(today))


def patch(target: Target, asked: Sequence[Asked], seen: Seen) -> str:
    """A patch in the form of `diff -u` that writes news into the target's file; empty where there is none.

    Raises ToolglotError for a target that is not among the shipped ones.
    """
    before = _shipped(target)
    document = tomlkit.parse(before)
    tables: Any = document["target"]
    table: Any = next(one for one in tables if one["id"] == target.id)
    for one in asked:
        _forget(table, one.feature)
        table.setdefault("fact", tomlkit.aot()).append(_fact(one, target.facts.get(one.feature), seen))
    path = f"src/toolglot/targets/data/{target.path}"
    after = tomlkit.dumps(document)
    lines = unified_diff(before.splitlines(True), after.splitlines(True), f"a/{path}", f"b/{path}")
    return "".join(lines) if asked else ""


def _shipped(target: Target) -> str:
    file = resources.files("toolglot.targets") / "data" / target.path
    if "/" in target.path or not target.path or not file.is_file():
        raise ToolglotError(f"{target.id} has no file among the shipped targets.", hint="Write a [[correct]] table.")
    return file.read_text("utf-8")


def _forget(table: Any, feature: str) -> None:
    """Take a feature out of the facts of a target table: a fact stands in one place."""
    facts: Any = table.get("fact")
    for place, row in reversed(list(enumerate(facts or ()))):
        named: Any = row["feature"]
        if named == feature or (is_list(named) and list(named) == [feature]):
            del facts[place]
        elif is_list(named) and feature in named:
            named.remove(feature)


def _fact(one: Asked, before: Fact | None, seen: Seen) -> Any:
    table = tomlkit.table()
    table["feature"] = one.feature
    for key, value in _members(one, before, seen).items():
        table[key] = value
    table.add(tomlkit.nl())
    return table


def _members(one: Asked, before: Fact | None, seen: Seen) -> Mapping[str, Any]:
    refused = one.outcome == "refused"
    members: dict[str, Any] = {"status": "rejected" if refused else "accepted"}
    members |= {"effect": "refused"} if refused else {}
    members |= {"evidence": "observed", "source": seen.source, "seen": seen.day}
    members |= {"says": one.says} if refused and one.says else {}
    if before is not None and before.status != "unknown":
        members["note"] = f"Before: {before.status} ({before.proof.source})."
    elif not refused:
        members["note"] = "The request is accepted; whether the keyword is heeded was not looked at."
    return members
