"""Values of union branches: which value fits two of them, which fits one that the first branch refuses.

Asked of the declared schema. Every value is checked with a validator before it counts; where none is found, nothing is
said. The algebra is not asked: on recursive schemas it can end the process (jsonschema_rs 0.61).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, islice, product
from typing import TYPE_CHECKING, Any

from toolglot.contract.model import NO_WITNESS
from toolglot.contract.shapes import required_of, same_json, types_of
from toolglot.contract.unions import Branch, Union
from toolglot.schema.declared import close, declared
from toolglot.schema.lazy import lazy
from toolglot.schema.refs import Document
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema, at
from toolglot.schema.witness import NO_VALUE, sample

if TYPE_CHECKING:
    from toolglot.schema.walk import Node

MAX_PAIRS = 200
"""Most pairs of branches that one union is asked about."""

MAX_FOUND = 30
"""Most overlapping pairs, and most lost branches, that are looked for in one union."""

_ASIDE = frozenset(("$defs", "definitions", "default", "examples", "description", "title"))

_CLOSED = "unevaluatedProperties"


@dataclass(frozen=True)
class Overlap:
    """Two branches and a value that fits both."""

    left: Branch
    right: Branch
    witness: Any


class Values:
    """Questions about the values of one document's unions."""

    def __init__(self, document: Document) -> None:
        self._published = document

    @lazy
    def _declared(self) -> Document:
        return Document(declared(self._published))

    @lazy
    def _decidable(self) -> bool:
        """Whether every reference leads to a definition: a part taken out of the document keeps its sense."""
        places = (target.pointer for target in self._published.targets.values())
        return all(place.startswith(("/$defs/", "/definitions/")) for place in places)

    def overlaps(self, union: Union) -> Iterator[Overlap]:
        """The pairs of structured branches that some value fits both of, with that value, in published order."""
        if self._decidable:
            yield from islice(self._overlaps(union), MAX_FOUND)

    def _overlaps(self, union: Union) -> Iterator[Overlap]:
        for left, right in islice(combinations(union.structured, 2), MAX_PAIRS):
            if not told_apart(left, right):
                value = self._value(union, (left, right))
                if value is not NO_WITNESS:
                    yield Overlap(left, right, value)

    def beyond_first(self, union: Union) -> Any:
        """A value of a structured branch that the first branch refuses, or NO_WITNESS."""
        first = self._joint(union, union.branches[:1]) if self._decidable else None
        if first is None:
            return NO_WITNESS
        lost = [branch for branch in union.structured[:MAX_FOUND] if branch is not union.branches[0]]
        for branch, telling in product(lost, (True, False)):
            value = self._value(union, (branch,), telling=telling)
            if value is not NO_WITNESS and self._is_valid(first, value) is False:
                return value
        return NO_WITNESS

    def _value(self, union: Union, branches: tuple[Branch, ...], *, telling: bool = False) -> Any:
        joint = self._joint(union, branches)
        value = NO_VALUE if joint is None else sample(joint, self._declared, telling=telling)
        return value if joint is not None and value is not NO_VALUE and self._is_valid(joint, value) else NO_WITNESS

    def _joint(self, union: Union, branches: tuple[Branch, ...]) -> Schema | None:
        """What a value of all these branches must satisfy, the rest of the node included; None where it is moved."""
        try:
            node = at(self._declared.schema, union.node.pointer)
            parts = [at(node, f"/{union.keyword}/{branch.place}") for branch in branches]
        except LookupError:
            return None
        aside = {*_ASIDE, union.keyword}
        if is_map(union.node.schema) and _CLOSED not in union.node.schema:
            aside.add(_CLOSED)  # closed over the names of all branches; these few are closed over their own
        rest = {word: value for word, value in node.items() if word not in aside}
        rest["allOf"] = [*rest.get("allOf", ()), *parts]
        return close(rest, self._declared) if _is_whole(union.node) else rest

    def _is_valid(self, schema: Schema, value: Any) -> bool | None:
        """Whether a value is valid; None where no validator can be built or it gives no verdict."""
        from toolglot.schema.validate import validator

        root = self._declared.schema
        shared = {word: root[word] for word in ("$defs", "definitions") if is_map(root) and word in root}
        try:
            return validator({**shared, **schema} if is_map(schema) else schema).is_valid(value)
        except Exception:  # whatever the validator raises is no verdict, and no verdict is no witness
            return None


def _is_whole(node: Node) -> bool:
    return node.role not in ("branch", "part", "condition")


def told_apart(left: Branch, right: Branch) -> bool:
    """Whether structure alone keeps two branches apart: other types, or a required property with other values."""
    kinds = set(types_of(left.schema)) & set(types_of(right.schema))
    if types_of(left.schema) and types_of(right.schema) and not kinds:
        return True
    both = set(required_of(left.schema)) & set(required_of(right.schema))
    return kinds <= {"object"} and any(_disjoint(left.tags.get(name), right.tags.get(name)) for name in both)


def _disjoint(left: tuple[Any, ...] | None, right: tuple[Any, ...] | None) -> bool:
    if not left or not right:
        return False
    return {same_json(value) for value in left}.isdisjoint(same_json(value) for value in right)
