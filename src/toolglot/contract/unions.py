"""Reading a union: its branches through references, what tells them apart, and how to name them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from toolglot.contract.shapes import (
    entries,
    fingerprint,
    finite_values,
    is_structured,
    named,
    place_name,
    same_json,
    types_of,
)
from toolglot.schema.keywords import UNIONS
from toolglot.schema.lazy import lazy
from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.values import is_map, is_schema
from toolglot.schema.walk import Node, Schema, unescape

MAX_NAMED = 4
"""Most branches that one sentence names."""


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a union. `schema` is what the branch refers to, or the branch itself."""

    place: int
    published: Schema
    schema: Schema
    structured: bool
    title: str
    tags: Mapping[str, tuple[Any, ...]]

    @property
    def is_object(self) -> bool:
        """Whether it is an object and no array."""
        types = types_of(self.schema)
        return (
            self.structured
            and "array" not in types
            and ("object" in types or "properties" in named_keywords(self.schema))
        )

    @property
    def is_array(self) -> bool:
        """Whether it is an array and no object."""
        types = types_of(self.schema)
        return self.structured and "object" not in types and not self.is_object

    @property
    def is_null(self) -> bool:
        """Whether it takes null only."""
        return types_of(self.schema) == ("null",) or (is_map(self.schema) and self.schema.get("const", 0) is None)

    @property
    def properties(self) -> dict[str, Schema]:
        """The properties that the branch itself declares."""
        return named(self.schema)

    @property
    def items(self) -> Schema | None:
        """What the elements of an array branch are."""
        found = self.schema.get("items") if is_map(self.schema) else None
        return found if is_schema(found) else None


def named_keywords(schema: Schema) -> frozenset[str]:
    """The keywords that a schema has."""
    return frozenset(schema) if is_map(schema) else frozenset()


@dataclass(frozen=True)
class Union:
    """One `anyOf` or `oneOf` at one node."""

    node: Node
    keyword: str
    branches: tuple[Branch, ...]
    document: Document

    @lazy
    def structured(self) -> tuple[Branch, ...]:
        """The branches that are objects or arrays."""
        return tuple(branch for branch in self.branches if branch.structured)

    @lazy
    def scalars(self) -> tuple[Branch, ...]:
        """The branches that are neither structured nor null."""
        return tuple(branch for branch in self.branches if not branch.structured and not branch.is_null)

    @lazy
    def tag(self) -> str:
        """The first property whose listed values tell all object branches apart; "" where there is none."""
        return tag_of(self.structured)

    @lazy
    def name(self) -> str:
        """The name of the parameter or definition that the union belongs to; "" at the root."""
        return place_name(self.node)

    @lazy
    def signature(self) -> str:
        """Equal for unions of the same structure, in whatever tool they stand."""
        parts = [fingerprint(branch.schema) for branch in self.branches]
        return sha256("\n".join([self.keyword, *parts]).encode()).hexdigest()[:12]

    def label(self, branch: Branch) -> str:
        """How a sentence names a branch: title or definition, tag value, else its type and first fields."""
        return label(branch, self.tag)

    def listed(self, branches: tuple[Branch, ...]) -> str:
        """A few branches by name, and how many more there are."""
        return listed([self.label(branch) for branch in branches])


def unions(document: Document) -> Iterator[Union]:
    """Every `anyOf` and `oneOf` of a document, in document order."""
    for node in document.nodes:
        if is_map(node.schema):
            for keyword in UNIONS:
                if keyword in node.schema:
                    yield read_union(node, keyword, document)


def read_union(node: Node, keyword: str, document: Document) -> Union:
    """The union that `keyword` holds at a node, its branches read through references."""
    branches = [
        read_branch(entry, place, Node(entry, node, keyword, place), document)
        for place, entry in enumerate(entries(node.schema, keyword))
    ]
    return Union(node, keyword, tuple(branches), document)


def read_branch(entry: Schema, place: int, node: Node, document: Document) -> Branch:
    """One branch of a union."""
    schema = (
        entry
        if is_structured(entry, document) and "$ref" not in named_keywords(entry)
        else document.follow(entry, node)
    )
    structured = is_structured(entry, document, node)
    tags = _tags(schema, document) if structured else {}
    return Branch(place, entry, schema, structured, _title(entry, schema, node, document), tags)


def _title(entry: Schema, schema: Schema, node: Node, document: Document) -> str:
    for source in (entry, schema):
        title = source.get("title") if is_map(source) else None
        if isinstance(title, str) and title:
            return title
    ref = ref_of(entry)
    target = document.resolve(ref, node) if ref is not None else None
    return definition_name(target.pointer) if isinstance(target, Resolved) else ""


def definition_name(pointer: str) -> str:
    """The name of the definition that a pointer leads to; "" where it leads elsewhere."""
    holder, _, name = pointer.rpartition("/")
    return unescape(name) if holder.endswith(("/$defs", "/definitions")) else ""


def _tags(schema: Schema, document: Document) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for name, entry in named(schema).items():
        values = finite_values(entry, document)
        if values and all(isinstance(value, (str, int)) for value in values):
            found[name] = values
    return found


def tag_of(branches: tuple[Branch, ...]) -> str:
    """The first property that every branch has with listed values, no value in two branches; "" if none."""
    if len(branches) < 2 or not all(branch.is_object for branch in branches):
        return ""
    for name in branches[0].tags:
        keys = [{same_json(value) for value in branch.tags.get(name, ())} for branch in branches]
        if all(keys) and sum(map(len, keys)) == len(set[str]().union(*keys)):
            return name
    return ""


def label(branch: Branch, tag: str = "") -> str:
    """How a sentence names a branch: title or definition, tag value, else its type and first fields."""
    told = f"{tag} {same_json(branch.tags[tag][0])}" if branch.tags.get(tag) else ""
    if branch.title:
        return f"{branch.title} ({told})" if told else branch.title
    return told or _shape(branch)


def _shape(branch: Branch) -> str:
    if branch.is_object:
        names = list(branch.properties)
        return f"object with {listed(names)}" if names else "object"
    if branch.is_array:
        of = _kind(branch.items)
        return f"array of {of}" if of else "array"
    return _kind(branch.schema) or "a value without a type"


def _kind(schema: Schema | None) -> str:
    """A word or two about a schema that has no fields to show: title, definition, types, or how it is made."""
    if not is_map(schema):
        return ""
    title = schema.get("title")
    if isinstance(title, str) and title:
        return title
    if types := types_of(schema):
        return " or ".join(types)
    if name := definition_name((ref_of(schema) or "").removeprefix("#")):
        return name
    if parts := [part for part in map(_kind, entries(schema, "allOf")) if part]:
        return listed(parts)
    return "a union" if any(keyword in schema for keyword in UNIONS) else "enum" if "enum" in schema else ""


def listed(names: list[str]) -> str:
    """Names in a sentence: all of a few, else the first ones and how many more."""
    between = "; " if any(", " in name for name in names) else ", "
    if len(names) <= MAX_NAMED:
        return between.join(names)
    return f"{between.join(names[: MAX_NAMED - 1])} and {len(names) - MAX_NAMED + 1} more"
