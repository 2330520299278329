"""Frozen values for what a target accepts. A statement about the world carries its source."""

from __future__ import annotations

from dataclasses import dataclass
from dataclasses import field as member
from datetime import date
from typing import TYPE_CHECKING, Literal, get_args

from toolglot.schema.features import mask_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.targets.error_texts import ErrorText

Kind = Literal["api", "client", "engine"]
Status = Literal["enforced", "accepted", "ignored", "dropped", "rejected", "passed on", "unknown"]
Effect = Literal["refused", "tool-lost", "narrower", "wider", "changed", "none", "unknown"]
Evidence = Literal["documented", "observed", "inferred"]

KINDS: tuple[str, ...] = get_args(Kind)
STATUSES: tuple[str, ...] = get_args(Status)
EFFECTS: tuple[str, ...] = get_args(Effect)
EVIDENCE: tuple[str, ...] = get_args(Evidence)

SCHEMA_LIMITS: dict[str, str] = {
    "depth": "levels of nesting",
    "properties": "properties",
    "enum-values": "enum values",
    "enum-chars": "characters of one enum",
    "enum-chars-total": "characters of all enums",
    "name-and-value-chars": "characters of names and enum values",
    "schema-bytes": "bytes of schema",
    "repetitions": "repetitions in one bound",
    "required-min": "required parameters at least",
}
"""Limits of one tool, with the unit they count."""

REQUEST_LIMITS: dict[str, str] = {
    "tools": "tools",
    "strict-tools": "strict tools",
    "optional-parameters": "optional parameters",
    "union-parameters": "parameters with a union type",
    "fields": "fields",
}
"""Budgets of one request over all its tools, with the unit they count."""

STALE_DAYS = 548
"""Eighteen months: evidence older than this gives at most a warning."""


@dataclass(frozen=True, slots=True)
class Proof:
    """Where a statement comes from. `seen` None: the date is not known. `says`: the target's own words."""

    source: str
    evidence: Evidence
    seen: date | None = None
    disputed: bool = False
    note: str = ""
    says: str = ""

    def doubt(self, today: date) -> str:
        """Why this proof is too weak for an error, in words; empty where it is strong enough."""
        if self.disputed:
            return "sources differ"
        if self.evidence == "inferred":
            return "inferred, not seen"
        if self.seen is None:
            return "undated"
        return "older than 18 months" if (today - self.seen).days > STALE_DAYS else ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What one target does with one feature.

    `allow`: values of the feature that the fact does not cover (formats). `only`: the part of the target it was
    seen on (a family of models); such a fact is shown and counted, never applied.
    """

    target: str
    feature: str
    status: Status
    effect: Effect
    proof: Proof
    allow: tuple[str, ...] = ()
    only: str = ""
    preview: bool = False
    corrected: bool = False

    @property
    def id(self) -> str:
        """`target/feature`: the name of this fact in reports."""
        return f"{self.target}/{self.feature}"

    @property
    def bites(self) -> bool:
        """Whether the target refuses the feature or changes it, everywhere."""
        return self.status in ("rejected", "dropped", "ignored") and not self.only

    @property
    def refuses(self) -> bool:
        """Whether the feature must be written differently: what is merely ignored, or costs nothing, stays."""
        return self.bites and self.status != "ignored" and self.effect != "none"


MALFORMED = "schema-invalid-draft7"
"""The feature of a schema that is malformed in every dialect in use."""
_SPECIFICATION = "https://modelcontextprotocol.io/specification/2025-11-25/server/tools"
_REFERENCES = "https://modelcontextprotocol.io/seps/2106-json-schema-2020-12.md; modelcontextprotocol/python-sdk#2924"
_CORE = "https://json-schema.org/draft/2020-12/json-schema-core"


def _protocol(feature: str, source: str, evidence: Evidence, says: str = "", note: str = "") -> Fact:
    return Fact("mcp", feature, "rejected", "unknown", Proof(source, evidence, date(2026, 12, 1), False, note, says))


PROTOCOL: dict[str, Fact] = {
    fact.feature: fact
    for fact in (
        _protocol(MALFORMED, _SPECIFICATION, "documented", "MUST be a valid JSON Schema object (not null)"),
        _protocol("ref-remote", _REFERENCES, "documented", "MUST NOT auto-dereference", "Nobody is to fetch it."),
        _protocol("ref-dangling", _CORE, "inferred", note="A reference without a target says nothing."),
    )
}
"""What the protocol rules out for everyone, by feature: it holds for each target without a fact of its own."""
_INVALID = mask_of(MALFORMED, "schema-invalid")


@dataclass(frozen=True, slots=True)
class Limit:
    """A number that a tool or a request must not pass; `unit` says what is counted."""

    name: str
    value: int
    unit: str
    proof: Proof
    effect: Effect = "refused"

    @property
    def per_request(self) -> bool:
        """Whether the limit is over all tools of a request."""
        return self.name in REQUEST_LIMITS


@dataclass(frozen=True, slots=True, eq=False)
class NameRule:
    """What names a target takes. Compared by identity: a rule that a mirror shares is the same object.

    `pattern` is a linear regular expression for the whole name, without its length; `max` counts `unit` of prefix
    and name together. `prefix` is what a client puts in front, with `{server}`.
    """

    proof: Proof
    pattern: str = ""
    max: int | None = None
    unit: Literal["characters", "bytes"] = "characters"
    prefix: str = ""
    reserved: tuple[str, ...] = ()
    effect: Effect = "refused"


@dataclass(frozen=True, slots=True)
class Target:
    """Something that reads tool schemas.

    `facts` by feature. `bites`: the features that the target refuses or changes, as one bit mask; `known`: those it
    has a fact about; `refuses`: those it rejects or drops at a cost, so that they must be written differently, and
    what the protocol rules out (`PROTOCOL`) where it has no fact about that. `tool_limits`: the limits of one tool,
    those per request left out. These four follow from facts and limits. `passes_to`: for a delegating client, the apis
    it usually sends to. `fallback`: the non-strict twin of a strict target. `errors`: its own error texts;
    `errors_of`: the targets whose texts it speaks too.
    """

    id: str
    title: str
    kind: Kind
    field: str = "parameters"
    failure: str = ""
    whole_request: bool = False
    delegates: bool = False
    passes_to: tuple[str, ...] = ()
    fallback: str = ""
    facts: Mapping[str, Fact] = member(default_factory=dict[str, Fact])
    limits: Mapping[str, Limit] = member(default_factory=dict[str, Limit])
    tool_name: NameRule | None = None
    property_name: NameRule | None = None
    notes: tuple[str, ...] = ()
    errors: tuple[ErrorText, ...] = ()
    errors_of: tuple[str, ...] = ()
    path: str = ""
    bites: int = member(init=False, default=0, repr=False)
    known: int = member(init=False, default=0, repr=False)
    refuses: int = member(init=False, default=0, repr=False)
    tool_limits: tuple[Limit, ...] = member(init=False, default=(), repr=False)

    def __post_init__(self) -> None:
        """Make what is derived from facts and limits."""
        facts = self.facts.values()
        known = mask_of(*[fact.feature for fact in facts if fact.status != "unknown"])
        settled = known | _INVALID if known & _INVALID else known
        refuses = mask_of(*PROTOCOL) & ~settled | mask_of(*[fact.feature for fact in facts if fact.refuses])
        set_member = object.__setattr__
        set_member(self, "bites", mask_of(*[fact.feature for fact in facts if fact.bites]))
        set_member(self, "known", known)
        set_member(self, "refuses", refuses)
        set_member(self, "tool_limits", tuple(limit for limit in self.limits.values() if not limit.per_request))
