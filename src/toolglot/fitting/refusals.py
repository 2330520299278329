"""What a target's refusal is about: the tool, the place in the published schema, the feature, the fact, the way out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from toolglot.fitting.error_places import Names, locate, segments
from toolglot.fitting.names import wire_name
from toolglot.fitting.normalized import Normalized, normalize
from toolglot.schema.features import FEATURES, mask_of, names_of
from toolglot.schema.lazy import lazy
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.walk import unescape
from toolglot.targets.accept import ScannedTool, name_problem
from toolglot.targets.error_texts import ErrorText, clean
from toolglot.targets.load import SHIPPED, Catalogue
from toolglot.targets.model import Fact

if TYPE_CHECKING:
    from toolglot.fitting.ledger import Entry
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.targets.model import Limit, NameRule, Target

MOST = 200
"""Refusals that one text is read for."""
_SHORTEST = 20
"""Characters of a fact's own words that are enough to know it by."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in a published schema that a refusal can be about; `tool` is the published name."""

    tool: str
    pointer: str
    feature: str


@dataclass(frozen=True, slots=True)
class Refusal:
    """One thing that a target refused.

    `says`: its words; `index`, `named` and `path`: the tool and the place as it spells them. `spots`: the places in
    the published schemas that this is about, the likeliest first; `sure` where the text itself leads to the first.
    `feature` is a feature, a limit, `tool-name`, `property-name`, or empty where nobody says it; `causes` are all that
    the words can mean; `statement` is what is known about the feature. `entry`: how normalising sends the place, where
    it was sent as published. `also`: other targets that use the same words.
    """

    target: Target
    says: str
    feature: str
    index: int | None = None
    named: str | None = None
    path: str = ""
    spots: tuple[Spot, ...] = ()
    sure: bool = False
    causes: tuple[str, ...] = ()
    statement: Fact | Limit | NameRule | None = None
    entry: Entry | None = None
    also: tuple[str, ...] = ()

    @property
    def tool(self) -> str | None:
        """The published name of the tool, where it is known."""
        return self.spots[0].tool if self.spots else None

    @property
    def pointer(self) -> str | None:
        """The place in the published schema, where it is known."""
        return self.spots[0].pointer if self.spots else None


class Asked:
    """One tool as it stood in the request: `wire` is its name there, `scanned` its schema there."""

    def __init__(self, name: str, wire: str, sent: Tool, published: Tool | None = None) -> None:
        self.name = name
        self.wire = wire
        self.scanned = ScannedTool(sent)
        self.published = published

    @lazy
    def masks(self) -> dict[str, int]:
        """The features of each place of the schema that was sent, by pointer."""
        nodes = self.scanned.document.nodes
        return {node.pointer: mask for node, mask in zip(nodes, self.scanned.scan.masks, strict=True)}

    @lazy
    def _published(self) -> ScannedTool | None:
        return None if self.published is None else ScannedTool(self.published)

    def published_pointer(self, pointer: str, target: Target) -> str:
        """Where a place of the sent schema is in the published one: the nearest place above it that is published."""
        if self._published is None:
            return pointer
        path = tuple(unescape(one) for one in pointer.split("/")[1:])
        return locate(self._published.document, path, _renamed(target)).pointer

    def fits(self, named: str) -> bool:
        """Whether a text means this tool: by its name, or by one that a client put something in front of."""
        return named in (self.wire, self.name) or bool(re.search(rf"[_.:/-]{re.escape(self.name)}$", named))


def _renamed(target: Target) -> Names:
    return lambda name: wire_name(name, target.property_name)


def explain(error: BaseException | str, view: ToolView, *, catalogue: Catalogue = SHIPPED) -> tuple[Refusal, ...]:
    """What a provider refused of a view that was sent to it.

    In: the exception of its SDK, or its text; the view. Out: one entry for each thing it complains about, with the
    place in the published schema; empty where no text is recognised. Never raises for the text.
    """
    names = {wire: published for published, wire in view.names.items()}
    asked = [_of_view(tool, names.get(tool.name, tool.name)) for tool in view.tools]
    return _explained(error_text(error), asked, view.target, catalogue)


def _of_view(tool: SentTool, name: str) -> Asked:
    sent = Tool.of({"name": tool.name, "description": tool.description, "inputSchema": thaw(tool.schema)})
    return Asked(name, tool.name, sent, tool.published.tool if isinstance(tool, Normalized) else None)


def explain_published(
    error: BaseException | str,
    tools: Iterable[Tool],
    target: Target | None = None,
    *,
    catalogue: Catalogue = SHIPPED,
) -> tuple[Refusal, ...]:
    """The same for tools that were sent as published. `target` None: whoever uses these words."""
    asked = [Asked(tool.name, tool.name, tool) for tool in tools]
    by_name = {one.name: one for one in asked}
    found = _explained(error_text(error), asked, target, catalogue)
    return tuple(replace(one, entry=_entry(one, by_name)) for one in found)


def error_text(error: BaseException | str) -> str:
    """The text of an error, with the body of the response that an SDK's exception keeps."""
    if isinstance(error, str):
        return error
    kept = [getattr(error, name, None) for name in ("body", "details", "message")]
    parts = [str(error), *(str(part) for part in kept if part is not None)]
    text = getattr(getattr(error, "response", None), "text", None)
    parts += [text] if isinstance(text, str) else []
    return "\n".join(dict.fromkeys(parts))


def _entry(one: Refusal, by_name: dict[str, Asked]) -> Entry | None:
    """What normalising makes of the place, where it changes it."""
    if not one.spots or one.spots[0].feature not in FEATURES:
        return None
    spot = one.spots[0]
    ledger = normalize(by_name[spot.tool].scanned.tool, one.target).ledger
    there = [entry for entry in ledger if entry.pointer == spot.pointer]
    return next((entry for entry in there if entry.feature == spot.feature), there[0] if there else None)


def _explained(text: str, asked: Sequence[Asked], target: Target | None, catalogue: Catalogue) -> tuple[Refusal, ...]:
    text = clean(text)
    matches = sorted(_matches(text, target, catalogue), key=lambda one: one[2].start())
    best: dict[int, list[Refusal]] = {}
    for speaker, error, match in matches[: MOST * 5]:
        best.setdefault(match.start(), []).append(_read(speaker, error, match, asked))
    found = [_best(same) for same in best.values()] or list(_by_own_words(text, asked, target, catalogue))
    once = {(one.feature, one.index, one.named, one.path, one.spots): one for one in reversed(found)}
    return tuple(reversed(once.values()))[:MOST]


Match = tuple["Target", ErrorText, "re.Match[str]"]


def _matches(text: str, target: Target | None, catalogue: Catalogue) -> Iterator[Match]:
    speakers = catalogue.targets("all") if target is None else (target,)
    seen: set[int] = set()
    for speaker in speakers:
        errors = speaker.errors if target is None else _spoken(speaker, catalogue)
        for error in errors:
            if id(error) not in seen or target is not None:
                seen.add(id(error))
                yield from ((speaker, error, match) for match in error.pattern.finditer(text))


def _spoken(target: Target, catalogue: Catalogue) -> list[ErrorText]:
    """The error texts that somebody sees who asks a target: its own, its relatives', those behind a client."""
    found = dict.fromkeys(target.errors)
    for name in (*target.errors_of, *target.passes_to, *filter(None, (target.fallback,))):
        other = catalogue.target(name)
        found |= dict.fromkeys(other.errors)
        for more in other.errors_of:
            found |= dict.fromkeys(catalogue.target(more).errors)
    return list(found)


def _best(same: list[Refusal]) -> Refusal:
    """Of several targets with the same words the one that is known to refuse what was found."""
    first = max(same, key=lambda one: (_bites(one), one.sure, one.target.kind == "api"))
    also = dict.fromkeys(one.target.id for one in same if one.target is not first.target)
    return replace(first, also=tuple(also))


def _bites(one: Refusal) -> bool:
    return one.statement is not None and (not isinstance(one.statement, Fact) or one.statement.bites)


def _read(target: Target, error: ErrorText, match: re.Match[str], asked: Sequence[Asked]) -> Refusal:
    groups = match.groupdict()
    index = int(groups["index"][:6]) if groups.get("index") else None
    named, path = groups.get("tool"), groups.get("path") or ""
    causes = error.causes(groups.get("word"))
    look = _Look(target, segments(path, error.path), bool(error.path), causes)
    meant = [asked[index]] if index is not None and index < len(asked) else []
    meant += [one for one in asked if named and one.fits(named)]
    spots = [spot for one in meant for spot in look.spots(one)]
    sure = bool(spots)
    if not spots and "tools" not in causes:
        spots = [spot for one in asked for spot in look.spots(one)]
        sure = index is None and not named and len({spot.tool for spot in spots}) == 1
    feature = spots[0].feature if spots else look.likeliest(causes)
    return Refusal(
        target=target,
        says=match[0],
        feature=feature,
        index=index,
        named=named,
        path=path.lstrip("."),
        spots=tuple(spots),
        sure=sure,
        causes=causes,
        statement=statement(target, feature),
    )


def statement(target: Target, feature: str) -> Fact | Limit | NameRule | None:
    """What is known about a feature, a limit or a kind of name at a target."""
    if feature in ("tool-name", "property-name"):
        return target.tool_name if feature == "tool-name" else target.property_name
    return target.facts.get(feature) or target.limits.get(feature)


@dataclass(frozen=True, slots=True)
class _Look:
    """What to look for in a tool: the causes, at one place (`placed`) or anywhere."""

    target: Target
    path: tuple[str, ...]
    placed: bool
    causes: tuple[str, ...]

    def spots(self, one: Asked) -> list[Spot]:
        """The places of a tool that have one of the causes, the likeliest cause first."""
        if "tool-name" in self.causes:
            return [Spot(one.name, "", "tool-name")] if self._bad_name(one.wire) else []
        if "property-name" in self.causes:
            return list(self._bad_properties(one))
        wanted = self._wanted()
        pointers = self._pointers(one)
        found = [(self.likeliest(names_of(one.masks[p] & wanted)), p) for p in pointers if one.masks[p] & wanted]
        found.sort(key=lambda spot: self._rank(spot[0]))
        return [Spot(one.name, one.published_pointer(p, self.target), feature) for feature, p in found]

    def _wanted(self) -> int:
        """The causes as a mask; where a text names none, everything that the target refuses."""
        named = mask_of(*[cause for cause in self.causes if cause in FEATURES])
        return named if self.causes else self.target.refuses

    def _pointers(self, one: Asked) -> list[str]:
        if not self.placed:
            return list(one.masks)
        found = locate(one.scanned.document, self.path, _renamed(self.target))
        return [found.pointer] if found.whole and found.pointer in one.masks else []

    def likeliest(self, features: tuple[str, ...]) -> str:
        """Of some features the one that the target is known to refuse, and that comes first among the causes."""
        return min(features, key=self._rank, default="")

    def _rank(self, feature: str) -> tuple[bool, int]:
        fact = self.target.facts.get(feature)
        place = self.causes.index(feature) if feature in self.causes else 0
        return (fact is None or not fact.bites, place)

    def _bad_name(self, name: str) -> bool:
        rule = self.target.tool_name
        return rule is not None and bool(name_problem(name, rule))

    def _bad_properties(self, one: Asked) -> Iterator[Spot]:
        rule = self.target.property_name
        for pointer in one.masks if rule is not None else ():
            name = unescape(pointer.rpartition("/")[2])
            if rule is not None and pointer.rpartition("/")[0].endswith("/properties") and name_problem(name, rule):
                yield Spot(one.name, one.published_pointer(pointer, self.target), "property-name")


def _by_own_words(text: str, asked: Sequence[Asked], target: Target | None, catalogue: Catalogue) -> Iterator[Refusal]:
    """The facts whose own words stand in a text that no pattern knows."""
    for speaker in catalogue.targets("all") if target is None else (target,):
        for fact in speaker.facts.values():
            says = clean(fact.proof.says)
            if fact.bites and len(says) >= _SHORTEST and says in text:
                look = _Look(speaker, (), False, (fact.feature,))
                spots = tuple(spot for one in asked for spot in look.spots(one))
                sure, causes = len({spot.tool for spot in spots}) == 1, (fact.feature,)
                yield Refusal(speaker, says, fact.feature, spots=spots, sure=sure, causes=causes, statement=fact)
