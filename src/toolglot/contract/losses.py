"""What the targets do to a tool, as hits: the mechanism behind the rules TG201 to TG207.

The effect of a fact decides the rule and the severity: refused (a lost tool counts as refused) and narrower are
errors, wider is a warning for enums and a note else, annotations are notes. An error needs a fact that is observed or
documented, undisputed and recent enough; else it is a warning that says why.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache

from toolglot.contract.model import FactNote, Severity
from toolglot.contract.rule import Hit, Subject
from toolglot.contract.unions import listed
from toolglot.contract.ways import way_out
from toolglot.schema.features import FEATURES
from toolglot.schema.walk import Node
from toolglot.targets.accept import (
    ScannedTool,
    Violation,
    broken_facts,
    broken_limits,
    broken_names,
    name_problem,
)
from toolglot.targets.model import Effect, Fact, Limit, NameRule, Target

_REFUSED = ("refused", "tool-lost")
_NARROWED = ("narrower", "changed")


@dataclass(frozen=True, slots=True)
class Loss:
    """One statement of one target that a tool runs against; `class_` is the rule that reports it."""

    class_: str
    severity: Severity
    doubt: str
    target: Target
    violation: Violation


class Judge:
    """What some targets do to tools. Tools with the same features meet the same facts, so these are looked up once;
    so are the limits and name rules that targets share."""

    def __init__(self, targets: Iterable[Target], today: date) -> None:
        self._targets = tuple(targets)
        self._today = today
        self._facts: dict[tuple[int, frozenset[str]], tuple[Loss, ...]] = {}
        self._bites = 0
        self._limited = tuple(target for target in self._targets if target.tool_limits)
        self._naming: defaultdict[tuple[NameRule | None, NameRule | None], list[Target]] = defaultdict(list)
        for target in self._targets:
            self._bites |= target.bites
            if target.tool_name or target.property_name:
                self._naming[target.tool_name, target.property_name].append(target)

    def losses(self, scanned: ScannedTool) -> list[Loss]:
        """Everything that the targets do to a tool; effects that nobody knows are left out."""
        key = (scanned.mask & self._bites, scanned.scan.formats)
        if key not in self._facts:
            facts = ((target, broken_facts(scanned, target)) for target in self._targets)
            self._facts[key] = tuple(self._weigh(facts))
        limits = ((target, broken_limits(scanned, target)) for target in self._limited)
        return [*self._facts[key], *self._weigh(limits), *self._weigh(self._names(scanned))]

    def _names(self, scanned: ScannedTool) -> Iterator[tuple[Target, list[Violation]]]:
        for targets in self._naming.values():
            if broken_names(scanned, targets[0]):
                yield from ((target, broken_names(scanned, target)) for target in targets)

    def _weigh(self, broken: Iterable[tuple[Target, list[Violation]]]) -> Iterator[Loss]:
        for target, violations in broken:
            for found in violations:
                if found.effect != "unknown":
                    doubt = found.proof.doubt(self._today)
                    yield Loss(_class_of(found), _severity(found, doubt), doubt, target, found)


def _class_of(found: Violation) -> str:
    if found.effect == "none":
        return "annotation"
    if isinstance(found.statement, NameRule):
        return found.what
    if isinstance(found.statement, Limit):
        return "limit"
    if found.effect in _REFUSED:
        return "refused"
    if found.effect in _NARROWED:
        return "narrowed"
    return "widened"


def _severity(found: Violation, doubt: str) -> Severity:
    if found.effect in _REFUSED or found.effect in _NARROWED:
        return "warning" if doubt or (isinstance(found.statement, Fact) and found.statement.preview) else "error"
    if found.effect == "wider" and found.what in FEATURES and _is_enum(found.what):
        return "warning"
    return "note"


def _is_enum(feature: str) -> bool:
    return feature.startswith(("enum", "const"))


def hits(subject: Subject, found: Sequence[Loss]) -> Iterator[Hit]:
    """Losses of one class as hits: targets that agree are one hit, each place of a feature is a hit of its own."""
    groups: defaultdict[tuple[str, str, Severity, Effect], list[Loss]] = defaultdict(list)
    for loss in found:
        shown = str(loss.violation.measured) if loss.class_ == "property-name" else ""
        groups[loss.violation.what, shown, loss.severity, _effect_word(loss.violation.effect)].append(loss)
    places = _places(subject, found)
    for (what, shown, severity, _), group in groups.items():
        yield from _hits(what, severity, group, places.get((what, shown), [None]))


def _effect_word(effect: Effect) -> Effect:
    return "refused" if effect == "tool-lost" else effect


def _places(subject: Subject, found: Sequence[Loss]) -> Mapping[tuple[str, str], Sequence[Node | None]]:
    """Where the features and property names of these losses stand."""
    mask = 0
    names: set[str] = set()
    for loss in found:
        if loss.violation.what in FEATURES:
            mask |= FEATURES[loss.violation.what].bit
        elif loss.class_ == "property-name":
            names.add(str(loss.violation.measured))
    places: defaultdict[tuple[str, str], list[Node | None]] = defaultdict(list)
    for node, bits in subject.scanned.places(mask):
        while bits:
            bit = bits & -bits
            bits ^= bit
            places[_NAMES[bit], ""].append(node)
    for node in subject.nodes if names else ():
        if node.keyword == "properties" and node.key in names:
            places["property-name", str(node.key)].append(node)
    return places


_NAMES = {feature.bit: name for name, feature in FEATURES.items()}


def _hits(what: str, severity: Severity, group: Sequence[Loss], nodes: Sequence[Node | None]) -> Iterator[Hit]:
    """One cause at each of its places; what is the same everywhere is said once."""
    first = group[0].violation
    targets = tuple(loss.target.id for loss in group)
    why, fix, fact = _why(group), _fix(what, first), note_of(first)
    cause = f"{what} {first.effect} {' '.join(targets)}"
    for node in nodes:
        yield Hit(
            pointer=node.pointer if node is not None else "",
            message=_message(what, first, node),
            why=why,
            fix=fix,
            keyword=_keyword(what, node),
            severity=severity,
            group=cause,
            targets=targets,
            fact=fact,
        )


def _message(what: str, found: Violation, node: Node | None) -> str:
    if what in FEATURES:
        says = FEATURES[what].says
        return f"{says[0].upper()}{says[1:]}{_formats(what, found, node)}."
    if isinstance(found.statement, NameRule):
        kind = "tool name" if what == "tool-name" else "parameter name"
        return f"The {kind} {found.measured} {name_problem(str(found.measured), found.statement)}."
    limit = found.statement
    return f"Has {found.measured:,} {limit.unit}; {limit.value:,} are allowed." if isinstance(limit, Limit) else what


def _formats(what: str, found: Violation, node: Node | None) -> str:
    if what != "format" or node is None or isinstance(node.schema, bool):
        return ""
    return f", `{node.schema.get('format')}`"


_EFFECTS: Mapping[str, str] = {
    "refused": "refused by {targets}",
    "tool-lost": "the tool disappears in {targets}",
    "narrower": "some arguments can no longer be said on {targets}",
    "changed": "arguments arrive in another form from {targets}",
    "wider": "lost on {targets}, so the model may say what the server refuses",
    "none": "only a hint is lost on {targets}",
}


def _why(group: Sequence[Loss]) -> str:
    """Who is hit and how, and why it is only a warning where the statement is doubtful."""
    first = group[0]
    text = _EFFECTS[first.violation.effect].format(targets=listed([loss.target.id for loss in group]))
    failure = first.target.failure if first.violation.effect == "refused" and len(group) == 1 else ""
    doubt = f" ({first.doubt})" if first.doubt and first.violation.effect in (*_REFUSED, *_NARROWED) else ""
    return f"{text[0].upper()}{text[1:]}{f': {failure}' if failure else ''}{doubt}".rstrip(".") + "."


def _fix(what: str, found: Violation) -> str:
    if what in FEATURES:
        allowed = found.statement.allow if isinstance(found.statement, Fact) and what == "format" else ()
        return f"Use one of {', '.join(allowed)}, or check it in the server." if allowed else way_out(what)
    if isinstance(found.statement, NameRule):
        room = f" and at most {found.statement.max} characters" if found.statement.max else ""
        return f"Use letters, digits and underscores{room}; `toolglot targets {found.target}` has the rule."
    return _LIMIT_WAYS.get(what, "Publish a smaller schema, or split the tool.")


_LIMIT_WAYS = {
    "depth": "Flatten the deepest objects, or take them as separate parameters.",
    "properties": "Split the tool, or publish only the parameters that are used.",
    "enum-values": "Take a text and check it in the server, or offer a tool that lists the values.",
    "enum-chars": "Take a text and check it in the server, or offer a tool that lists the values.",
    "enum-chars-total": "Take a text and check it in the server, or offer a tool that lists the values.",
    "repetitions": "State the bound in the description and check it in the server.",
}


def _keyword(what: str, node: Node | None) -> str | None:
    """The keyword at the node that the feature is about, where there is one."""
    if what == "tool-name":
        return "name"
    if what not in FEATURES or node is None or isinstance(node.schema, bool):
        return None
    return next((word for word in _quoted(what) if word in node.schema), None)


@cache
def _quoted(feature: str) -> tuple[str, ...]:
    """The keywords that the sentence of a feature quotes."""
    return tuple(word.split(":")[0] for word in FEATURES[feature].says.split("`")[1::2])


def note_of(found: Violation) -> FactNote:
    """The statement behind a violation, for display."""
    proof = found.proof
    status = found.statement.status if isinstance(found.statement, Fact) else "limit"
    return FactNote(
        feature=found.what,
        status=status,
        source=proof.source,
        date=proof.seen.isoformat() if proof.seen else None,
        says=proof.says,
    )
