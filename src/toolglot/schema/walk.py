"""The one general recursion over schemas: every place that holds a schema, with its JSON Pointer, within a budget."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.errors import ToolError
from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.values import is_list, is_map, is_schema

MAX_NODES = 30_000
"""Most schema nodes of one tool. The largest of 5,976 real tools has fewer than 5,000."""

Schema = Mapping[str, Any] | bool


def escape(segment: str) -> str:
    """One segment of a JSON Pointer (RFC 6901)."""
    return segment.replace("~", "~0").replace("/", "~1") if "~" in segment or "/" in segment else segment


def unescape(segment: str) -> str:
    """The name that a segment of a JSON Pointer stands for (RFC 6901)."""
    return segment.replace("~1", "/").replace("~0", "~") if "~" in segment else segment


def at(document: Any, pointer: str) -> Any:
    """The value at a JSON Pointer. Raises LookupError where there is none."""
    value = document
    for segment in pointer.split("/")[1:]:
        if is_list(value) and segment.isdecimal():
            value = value[int(segment)]
        elif is_map(value):
            value = value[unescape(segment)]
        else:
            raise LookupError(pointer)
    return value


_ROLES = {"": "root"} | {name: word.role for name, word in SCHEMA_HOLDERS.items()}
_STEP = {
    name: 0 if word.role in ("branch", "part", "condition", "names") else 1
    for name, word in SCHEMA_HOLDERS.items()
    if word.role != "definition"
}
"""How much deeper a value stands behind each keyword; a definition starts at 0 again."""


class Node:
    """One schema inside a document.

    `keyword` is the keyword of the parent that holds it and `key` its name or place there (None where the keyword
    holds one schema); both are "" and None at the root. `depth` counts the values that contain this one, from the
    root, which has 0; branches of a union are as deep as the union, and each definition starts at 0 again.
    """

    __slots__ = ("depth", "key", "keyword", "parent", "schema")

    def __init__(
        self, schema: Schema, parent: Node | None = None, keyword: str = "", key: str | int | None = None
    ) -> None:
        self.schema = schema
        self.parent = parent
        self.keyword = keyword
        self.key = key
        self.depth: int = parent.depth + _STEP[keyword] if keyword in _STEP and parent is not None else 0

    @property
    def role(self) -> str:
        """What the schema is for its parent: root, property, items, branch, part, value, definition, ..."""
        return _ROLES[self.keyword]

    @property
    def segment(self) -> str:
        """The last part of the pointer, from the parent schema to this one."""
        if not self.keyword:
            return ""
        return f"/{self.keyword}" if self.key is None else f"/{self.keyword}/{escape(str(self.key))}"

    @property
    def pointer(self) -> str:
        """The JSON Pointer from the root of the document."""
        parts: list[str] = []
        node: Node | None = self
        while node is not None:
            parts.append(node.segment)
            node = node.parent
        return "".join(reversed(parts))

    def __repr__(self) -> str:
        return f"Node({self.pointer!r})"


def children(node: Node) -> list[Node]:
    """The schemas directly below a node, in document order. What is no schema (a text, null) is left out."""
    schema = node.schema
    found: list[Node] = []
    if isinstance(schema, bool) or _HOLDERS.keys().isdisjoint(schema):
        return found
    for keyword, value in schema.items():
        holds = _HOLDERS.get(keyword)
        if holds is not None:
            _collect(found, node, keyword, holds, value)
    return found


_HOLDERS = {name: word.holds for name, word in SCHEMA_HOLDERS.items()}


def _collect(found: list[Node], node: Node, keyword: str, holds: str, value: Any) -> None:
    if is_map(value):
        if holds in ("map", "map-or-names"):
            found += [Node(child, node, keyword, name) for name, child in value.items() if is_schema(child)]
        elif holds != "list":
            found.append(Node(value, node, keyword))
    elif isinstance(value, bool):
        if holds in ("schema", "schema-or-list"):
            found.append(Node(value, node, keyword))
    elif is_list(value) and holds in ("list", "schema-or-list"):
        found += [Node(child, node, keyword, place) for place, child in enumerate(value) if is_schema(child)]


def walk(schema: Schema, *, budget: int = MAX_NODES) -> list[Node]:
    """Every schema in a document, the root first, parents before children, in document order.

    Raises ToolError past `budget` nodes. References are not followed.
    """
    found: list[Node] = []
    stack = [Node(schema)]
    while stack:
        node = stack.pop()
        found.append(node)
        if isinstance(node.schema, bool) or _HOLDERS.keys().isdisjoint(node.schema):
            continue
        stack += reversed(children(node))
        if len(found) + len(stack) > budget:
            problem = f"has more than {budget:,} schemas"
            raise ToolError(None, node.pointer, problem, hint="Publish a smaller one.")
    return found
