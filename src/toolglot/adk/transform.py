"""One descent for all transformations of ADK-Rust: each is a small change of one node, applied from the root down.

Every function returns a new value; where nothing changes, the same object.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any

from toolglot.schema.keywords import SCHEMA_HOLDERS, Holds
from toolglot.schema.values import is_list, is_map

Node = dict[str, Any]

MOST_LEVELS = 128
"""Schemas inside one another that are looked at; deeper ones become `{"type": "object"}`.

serde_json, which ADK-Rust reads with, takes no text that is nested deeper (its recursion limit).
"""


def any_object() -> Node:
    """What stands where a schema is cut off; a new one each time."""
    return {"type": "object"}


def places(names: Iterable[str]) -> dict[str, Holds]:
    """The keywords of these names with what they hold: where a transformation goes on."""
    return {name: SCHEMA_HOLDERS[name].holds for name in names}


PLACES = places(
    (
        *("properties", "items", "additionalProperties", "allOf", "anyOf", "oneOf", "not", "patternProperties"),
        *("prefixItems", "if", "then", "else"),
    )
)
"""Where ADK-Rust's `schema_utils` go on below a node. Definitions are not among them."""


EVERYWHERE = PLACES | places(("$defs", "definitions"))
"""The same, and inside definitions."""


class Transform:
    """A transformation of a whole schema, called with it: `schema = transform(schema)`.

    `local` is what it does to one node: in the node and a depth, out the node and the depth for what is below it (None:
    go no deeper). `places` are the keywords where it goes on. `words`: where none of these keywords stands in a schema
    or in what its references lead to, nothing changes. `name` is that of ADK-Rust.
    """

    def __init__(
        self,
        name: str,
        local: Callable[[Node, int], tuple[Any, int | None]],
        *,
        words: Iterable[str] = (),
        below: Mapping[str, Holds] = PLACES,
        doc: str | None = None,
    ) -> None:
        self.name = name
        self.local = local
        self.places = below
        self.words = frozenset(words)
        self.__doc__ = doc

    def __call__(self, schema: Any, depth: int = 0) -> Any:
        """The schema, transformed. What is no object (a boolean, null) is returned as it is."""
        return self._below(MOST_LEVELS, depth, schema)

    def _below(self, levels: int, depth: int, schema: Any) -> Any:
        if not is_map(schema):
            return schema
        if not levels:
            return any_object()
        new, next_depth = self.local(schema, depth)
        if next_depth is None or not is_map(new):
            return new
        return mapped(new, self.places, partial(self._below, levels - 1, next_depth))

    def __repr__(self) -> str:
        return self.name


def everywhere(*words: str, below: Mapping[str, Holds] = PLACES) -> Callable[[Callable[[Node], Any]], Transform]:
    """Make a Transform of a function that changes one node; `words` as there."""

    def made(change: Callable[[Node], Any]) -> Transform:
        def local(node: Node, depth: int) -> tuple[Any, int]:
            return change(node), depth

        return Transform(change.__name__, local, below=below, words=words, doc=change.__doc__)

    return made


def read(schema: Any) -> tuple[Any, set[str]]:
    """A schema, cut where it is nested too deep, and every keyword that stands in it, inside definitions too."""
    words: set[str] = set()

    def local(node: Node, depth: int) -> tuple[Node, int]:
        words.update(node)
        return node, depth

    return Transform("read", local, below=EVERYWHERE)(schema), words


def mapped(node: Node, below: Mapping[str, Holds], change: Callable[[Any], Any]) -> Node:
    """A node with a change made to each schema directly below it; the same object where nothing changed."""
    if below.keys().isdisjoint(node):
        return node
    new: Node | None = None
    for keyword, value in node.items():
        holds = below.get(keyword)
        if holds is None:
            continue
        changed = _mapped_value(value, holds, change)
        if changed is not value:
            new = new or dict(node)
            new[keyword] = changed
    return new or node


def _mapped_value(value: Any, holds: Holds, change: Callable[[Any], Any]) -> Any:
    if is_map(value):
        if holds == "map":
            return _mapped_map(value, change)
        return value if holds == "list" else change(value)
    return _mapped_list(value, change) if is_list(value) and holds in ("list", "schema-or-list") else value


def _mapped_map(schemas: Node, change: Callable[[Any], Any]) -> Node:
    new: Node | None = None
    for name, schema in schemas.items():
        changed = change(schema)
        if changed is not schema:
            new = new or dict(schemas)
            new[name] = changed
    return new or schemas


def _mapped_list(schemas: list[Any], change: Callable[[Any], Any]) -> list[Any]:
    new = [change(schema) for schema in schemas]
    return schemas if all(map(lambda one, other: one is other, new, schemas)) else new


def without(node: Node, *words: str) -> Node:
    """A node without some keywords; the same object where it has none of them."""
    if not any(word in node for word in words):
        return node
    return {word: value for word, value in node.items() if word not in words}


def definitions_of(schema: Any) -> dict[str, Any]:
    """The `definitions` and `$defs` at the root of a schema, as ADK-Rust joins them: `$defs` count first."""
    found: dict[str, Any] = {}
    for box in ("definitions", "$defs"):
        if is_map(schema) and is_map(named := schema.get(box)):
            found.update(named)
    return found
