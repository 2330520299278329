"""A scanned tool against the facts, limits and name rules of a target."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from toolglot.schema.features import FEATURES, Feature, mask_of, names_of
from toolglot.schema.lazy import lazy
from toolglot.schema.refs import Document
from toolglot.schema.scan import Scan, scan
from toolglot.schema.tool import Tool
from toolglot.schema.walk import Node
from toolglot.targets.model import PROTOCOL, Effect, Fact, Limit, NameRule, Proof, Target

_FORMAT = FEATURES["format"].bit
_NO_DESCRIPTION = FEATURES["tool-description-empty"].bit
SMALLEST_SERVER = "s"
"""A client's prefix is counted with a server name of one letter: what is too long then is too long for everyone."""


class ScannedTool:
    """A tool with what one scan found; the document and the scan are made when first asked for."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool

    @lazy
    def document(self) -> Document:
        """The input schema with its references."""
        return Document(self.tool.schema)

    @lazy
    def scan(self) -> Scan:
        """What the scan of the input schema found; a missing schema has no features: nothing is sent.

        Raises ToolError past the budget of nodes.
        """
        found = scan(self.document)
        return found if self.tool.input_schema is not None else replace(found, mask=0, masks=[0])

    @lazy
    def mask(self) -> int:
        """The features of the tool: those of its schema, and of the tool around it."""
        return self.scan.mask if self.tool.description.strip() else self.scan.mask | _NO_DESCRIPTION

    @lazy
    def bytes(self) -> int:
        """The size of the published tool as compact JSON, in bytes."""
        return json_bytes(self.tool.raw)

    @lazy
    def _schema_bytes(self) -> int:
        return json_bytes(self.tool.schema)

    @property
    def counts(self) -> dict[str, int]:
        """What the budgets of a request count of this tool."""
        return {**self.scan.counts, "tools": 1, "strict-tools": 1}

    def count(self, limit: str) -> int:
        """How much a tool has of what a limit of `targets.model` counts; 0 for what nobody counts."""
        if limit == "schema-bytes":
            return self._schema_bytes
        return 1 if limit in ("tools", "strict-tools") else self.scan.counts.get(limit, 0)

    def places(self, mask: int) -> Iterator[tuple[Node, int]]:
        """The nodes with features of `mask`, in document order."""
        return (
            (node, found & mask)
            for node, found in zip(self.document.nodes, self.scan.masks, strict=True)
            if found & mask
        )


def json_bytes(value: Any) -> int:
    """The size of a JSON value as compact JSON, in bytes of UTF-8 (lone surrogates count three)."""
    return len(json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "surrogatepass"))


@dataclass(frozen=True, slots=True)
class Violation:
    """One way in which a tool does not fit a target.

    `what` is a feature, a limit, `tool-name` or `property-name`; `measured` is the count or the name. `fact` is the
    statement behind it: a Fact, a Limit or a NameRule.
    """

    target: str
    what: str
    effect: Effect
    statement: Fact | Limit | NameRule
    measured: str | int = ""

    @property
    def proof(self) -> Proof:
        """Where the statement comes from."""
        return self.statement.proof


def accept(tool: Tool | Mapping[str, Any], target: Target) -> tuple[Violation, ...]:
    """What the target refuses or silently changes in a tool, at the cost of its arguments; empty where it fits.

    What a target ignores, accepts or passes on is no violation, nor is what only changes annotations. What the protocol
    rules out for everyone (`PROTOCOL`) is one, unless the target has a fact about that.
    """
    scanned = ScannedTool(Tool.of(tool))
    ruled_out = [PROTOCOL[feature] for feature in names_of(scanned.mask & target.refuses & ~target.bites)]
    found = [one for one in violations(scanned, target) if _counts(one)]
    return (*found, *(Violation(target.id, fact.feature, fact.effect, fact) for fact in ruled_out))


def _counts(found: Violation) -> bool:
    return found.statement.refuses if isinstance(found.statement, Fact) else found.effect != "none"


def violations(scanned: ScannedTool, target: Target) -> Iterator[Violation]:
    """Every fact, limit and name rule of the target that a tool runs against, those without a cost included."""
    yield from broken_facts(scanned, target)
    yield from broken_limits(scanned, target)
    yield from broken_names(scanned, target)


def broken_facts(scanned: ScannedTool, target: Target) -> list[Violation]:
    """The facts that a tool runs against, in the order of the features. They depend on mask and formats only."""
    bites = scanned.mask & target.bites
    found: list[Violation] = []
    while bites:
        bit = bites & -bites
        bites ^= bit
        fact = target.facts[feature_of(bit).name]
        if bit != _FORMAT or not scanned.scan.formats.issubset(fact.allow):
            found.append(Violation(target.id, fact.feature, fact.effect, fact))
    return found


def broken_limits(scanned: ScannedTool, target: Target) -> list[Violation]:
    """The limits of one tool that a tool is over."""
    return [
        Violation(target.id, limit.name, limit.effect, limit, scanned.count(limit.name))
        for limit in target.tool_limits
        if scanned.count(limit.name) > limit.value
    ]


def broken_names(scanned: ScannedTool, target: Target) -> list[Violation]:
    """The name of a tool, and the names of its parameters, that the target does not take."""
    found: list[Violation] = []
    if (rule := target.tool_name) is not None and name_problem(scanned.tool.name, rule):
        found.append(Violation(target.id, "tool-name", rule.effect, rule, scanned.tool.name))
    if (rule := target.property_name) is not None:
        wrong = _wrong(scanned.scan.names, rule)
        found.extend(Violation(target.id, "property-name", rule.effect, rule, name) for name in wrong)
    return found


@lru_cache(maxsize=65536)
def _wrong(names: frozenset[str], rule: NameRule) -> tuple[str, ...]:
    return tuple(sorted(name for name in names if name_problem(name, rule)))


_BY_BIT = {feature.bit: feature for feature in FEATURES.values()}


def feature_of(bit: int) -> Feature:
    """The feature with this bit."""
    return _BY_BIT[bit]


@lru_cache(maxsize=65536)
def name_problem(name: str, rule: NameRule) -> str:
    """What a name rule has against a name, in words; empty where it takes it."""
    full = rule.prefix.format(server=SMALLEST_SERVER) + name
    if name in rule.reserved:
        return "is reserved"
    if not _compiled(rule.pattern).fullmatch(name):
        verb = "has characters outside" if _CLASS.fullmatch(rule.pattern) else "does not match"
        return f"{verb} `{rule.pattern}`"
    length = len(full.encode("utf-8", "surrogatepass")) if rule.unit == "bytes" else len(full)
    if rule.max is None or length <= rule.max:
        return ""
    counted = f" with the prefix `{rule.prefix}`" if rule.prefix else ""
    return f"has {length} {rule.unit}{counted}, {rule.max} are allowed"


_CLASS = re.compile(r"\[[^\]]*\]\+")
"""A pattern that is one class of characters."""


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern or "(?s:.*)")


_SILENT_FEATURES = mask_of("description", "title", "object-not-closed", "object-closed", "property-optional", "enum")


def unknown(scanned: ScannedTool, target: Target) -> int:
    """The features of a tool about which a target has no fact, as a mask; 0 for a client that passes schemas on.

    What every tool has (descriptions, optional parameters, enums of texts) is left out: it would count all tools.
    """
    return 0 if target.delegates else scanned.mask & ~target.known & ~_SILENT_FEATURES
