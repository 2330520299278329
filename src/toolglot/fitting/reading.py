"""Ledger entries for what no lowering notes: what is malformed, leads nowhere, or is only spelled otherwise.

The engine fits the meaning of a schema, which has nothing malformed and no words of older drafts any more.
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.fitting.ledger import Entry, Shape, Values
from toolglot.fitting.published import Published
from toolglot.schema.features import mask_of, names_of
from toolglot.schema.meaning import Repair
from toolglot.targets.model import MALFORMED, PROTOCOL, Fact, Target


def changes(published: Published, target: Target) -> list[Entry]:
    """What the meaning of a tool's schema says in another way than the schema, for its ledger."""
    found = [_repaired(repair, target) for repair in published.meaning.repairs]
    known = {(entry.pointer, entry.feature) for entry in found}
    found += [entry for entry in _modernised(published, target) if (entry.pointer, entry.feature) not in known]
    return found


_REPAIRS: dict[str, tuple[str, Values, str]] = {
    "invalid-keyword": ("schema-invalid", "exact", "malformed: only what is valid of `{}` is sent"),
    "dangling-reference": ("ref-dangling", "wider", "`{}` leads nowhere and counts for nothing"),
    "remote-reference": ("ref-remote", "wider", "`{}` leads outside the schema, and nothing is fetched"),
    "unknown-dialect": ("dialect", "exact", "`{}` is no known dialect, read as 2020-12"),
    "uncompilable-pattern": ("pattern", "wider", "`{}` cannot be checked in linear time"),
}
"""Kind of repair: its feature, what it means for arguments, and why."""


def _repaired(repair: Repair, target: Target) -> Entry:
    feature, values, reason = _REPAIRS[repair.kind]
    shape: Shape = "left out"
    if repair.is_old_form:
        feature, shape, reason = _old_form(repair.keyword)
    return Entry(repair.pointer, feature, shape, values, reason.format(repair.keyword), None, _fact(target, feature))


def _old_form(keyword: str) -> tuple[str, Shape, str]:
    feature = "tuple-items" if keyword == "items" else "exclusive-flag"
    return (feature, *_WORDS[feature])


_WORDS: dict[str, tuple[Shape, str]] = {
    "exclusive-flag": ("kept", "the bound written as a number"),
    "tuple-items": ("kept", "the list of `items` written as `prefixItems`"),
    "enum-misfit": ("left out", "values that the type of the enum refuses"),
    "dialect": ("left out", "a hint"),
    "id": ("left out", "a hint"),
}
"""Features that no meaning has any more: what became of them, and why."""
_OLD = mask_of(*_WORDS)
_HINTS = mask_of("dialect", "id")


def _modernised(published: Published, target: Target) -> Iterator[Entry]:
    """What is well-formed in its own dialect; identifiers only where the target refuses them."""
    wanted = _OLD & ~(_HINTS & ~target.refuses)
    if not published.scanned.scan.mask & wanted:
        return
    for node, mask in published.scanned.places(wanted):
        for feature in names_of(mask):
            shape, reason = _WORDS[feature]
            yield Entry(node.pointer, feature, shape, "exact", reason, None, _fact(target, feature))


def respelled(published: Published, target: Target, sent: object) -> Iterator[Entry]:
    """What is spelled otherwise, for a tool of which nothing else is to be said; nothing where it is sent as published.

    In: `sent`, the schema on the wire.
    """
    if sent is published.tool.input_schema or sent == published.tool.input_schema:
        return
    for node, mask in published.scanned.places(target.refuses):
        for feature in names_of(mask):
            yield Entry(node.pointer, feature, "kept", "exact", "spelled otherwise", None, _fact(target, feature))


_ALSO = {"schema-invalid": (MALFORMED,), "exclusive-flag": ("schema-invalid", MALFORMED)}
"""Features whose statement may be that of another."""


def _fact(target: Target, feature: str) -> Fact | None:
    """The statement that makes the target refuse a feature, else what the protocol says; None where nobody does."""
    names = (feature, *_ALSO.get(feature, ()))
    stated = [facts[name] for facts in (target.facts, PROTOCOL) for name in names if name in facts]
    return next((fact for fact in stated if fact.refuses), None)
