"""How much work it is to judge one value, counted before it is done.

Where the branches of a union meet in one definition again and again, the work doubles with every level of the value: a
few hundred bytes of schema and a value of thirty levels are enough for hours. Counting takes one look per schema and
value, since what was counted once is remembered.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.lazy import lazy
from toolglot.schema.refs import REF_WORDS, Document, ref_of
from toolglot.schema.values import is_map
from toolglot.schema.walk import Node, at

MOST_VISITS = 10_000_000
"""Most schemas that one verdict may look at: about half a second."""
MOST_REASONS = 50_000
"""Most schemas that a list of reasons may come from."""
MOST_BRANCHED = 5_000
"""The same where the reasons of branches lie within one another."""
_MOST_LOOKS = 200_000

_IN_PLACE = ("allOf", "anyOf", "oneOf")
_SINGLE = ("if", "then", "else", "not")
_REFS = frozenset(REF_WORDS)
_APPLYING = frozenset(name for name, word in SCHEMA_HOLDERS.items() if word.role != "definition") | _REFS


def branching(document: Document) -> bool:
    """Whether two parts of one schema lead to references: only then the work can grow faster than the value."""
    ways: dict[int, set[str]] = {}
    for node in document.refs if len(document.refs) > 1 else ():
        _add_way(ways, node, "$ref")
        below, above = node, node.parent
        while above is not None and _add_way(ways, above, _way(below)):
            below, above = above, above.parent
    return any(len(found) > 1 for found in ways.values())


def _add_way(ways: dict[int, set[str]], node: Node, way: str) -> bool:
    """Note one more way through a schema; whether it is a new one."""
    found = ways.setdefault(id(node), set())
    new = way not in found
    found.add(way)
    return new


def _way(node: Node) -> str:
    """The part of its parent that a schema belongs to; parts that never look at the same value are one."""
    if node.role in ("branch", "part", "condition") or node.keyword == "patternProperties":
        return node.segment
    return "contains" if node.keyword == "contains" else "values"


class Effort:
    """Counts the work on values of one meaning."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self._targets: dict[str, Any] = {}

    @lazy
    def branching(self) -> bool:
        """Whether the work can grow faster than the value."""
        return branching(self.document)

    def visits(self, pointer: str, value: Any, most: int) -> int:
        """At least how many schemas a validator looks at to judge a value; more than `most` where it is too much."""
        try:
            return _Count(self, most).of(at(self.document.schema, pointer), value)
        except RecursionError:
            return most + 1

    def target(self, schema: dict[str, Any]) -> Any:
        """What the reference of a schema leads to, or None."""
        ref = ref_of(schema)
        if ref is None:
            return None
        if ref not in self._targets:
            target = self.document.follow(schema)
            self._targets[ref] = None if target is schema else target
        return self._targets[ref]


class _Count:
    """Visits per schema and value; both are remembered by identity, since they live as long as the count."""

    def __init__(self, effort: Effort, most: int) -> None:
        self.effort = effort
        self.most = most
        self.known: dict[tuple[int, int], int] = {}

    def of(self, schema: Any, value: Any) -> int:
        """The visits of one schema and what it applies to a value and its parts."""
        if not is_map(schema) or _APPLYING.isdisjoint(schema):
            return 1
        key = (id(schema), id(value))
        if key in self.known:
            return self.known[key]
        if len(self.known) > _MOST_LOOKS:
            return self.most + 1
        self.known[key] = 1
        total = 1
        for below, inner in _applied(schema, value, self.effort):
            total += self.of(below, inner)
            if total > self.most:
                break
        self.known[key] = total
        return total


def _applied(schema: dict[str, Any], value: Any, effort: Effort) -> Iterator[tuple[Any, Any]]:
    if not _REFS.isdisjoint(schema) and (target := effort.target(schema)) is not None:
        yield target, value
    for word in _IN_PLACE:
        for part in schema.get(word, ()):
            yield part, value
    for word in _SINGLE:
        if word in schema:
            yield schema[word], value
    if isinstance(value, dict):
        yield from _of_object(schema, cast("dict[str, Any]", value))
    elif isinstance(value, list):
        yield from _of_list(schema, cast("list[Any]", value))


def _of_object(schema: dict[str, Any], value: dict[str, Any]) -> Iterator[tuple[Any, Any]]:
    own = schema.get("properties", {})
    rest = [schema[word] for word in ("additionalProperties", "unevaluatedProperties") if word in schema]
    for name, item in value.items():
        for part in (own[name],) if name in own else rest:
            yield part, item
        for part in schema.get("patternProperties", {}).values():
            yield part, item
    for part in schema.get("dependentSchemas", {}).values():
        yield part, value


def _of_list(schema: dict[str, Any], value: list[Any]) -> Iterator[tuple[Any, Any]]:
    first = schema.get("prefixItems", ())
    for part, item in zip(first, value, strict=False):
        yield part, item
    others = [schema[word] for word in ("items", "contains", "unevaluatedItems") if word in schema]
    for item in value if others else ():
        for other in others:
            yield other, item
