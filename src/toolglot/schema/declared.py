"""The declared schema: what a server says that it takes, silence about other names read as none."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema


def declared(document: Document | Schema) -> Schema:
    """The meaning, where an object that has properties and says nothing about other names is closed.

    Closed on the whole intersection, never per branch. A name that is required or that another name depends on
    counts as declared, with any value. A root that declares nothing takes no parameters.
    """
    schema = meaning(document).schema
    if isinstance(schema, bool):
        return schema
    closed = close(schema)
    return {**closed, "maxProperties": 0} if says_nothing(closed) else closed


_SAYING = ("patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "minProperties")


def says_nothing(schema: Mapping[str, Any]) -> bool:
    """Whether a schema declares no names and says nothing about any: as a root, it takes no parameters."""
    words = (*_SAYING, *_PARTS, "required", "dependentRequired", "dependentSchemas")
    return not schema.get("properties") and not any(word in schema for word in words)


def close(schema: Schema, document: Document | None = None) -> Any:
    """A meaning in which the schema of every value is closed; `document` is where its references lead."""
    return _closed(schema, document or Document(schema), True)


_PARTS = ("$ref", "anyOf", "oneOf", "allOf", "if")


def _closed(schema: Any, document: Document, whole: bool) -> Any:
    """A schema with the values below it closed, and itself too where it is the `whole` schema of a value."""
    if not is_map(schema):
        return schema
    new: dict[str, Any] = {}
    for keyword, value in schema.items():
        word = SCHEMA_HOLDERS.get(keyword)
        if word is None or word.role in ("condition", "names", "content"):
            new[keyword] = value
            continue
        below = word.role not in ("branch", "part", "definition")
        if is_list(value):
            new[keyword] = [_closed(item, document, below) for item in value]
        elif is_map(value) and word.holds == "map":
            new[keyword] = {name: _closed(item, document, below) for name, item in value.items()}
        else:
            new[keyword] = _closed(value, document, below)
    return _shut(schema, new, document) if whole else new


def _shut(schema: Mapping[str, Any], new: dict[str, Any], document: Document) -> dict[str, Any]:
    said = _Said(document)
    said.add(schema)
    if not said.names or said.others or _has_open_branch(schema, document):
        return new
    loose = sorted(said.wanted - said.names)
    if loose:
        new["properties"] = {**new.get("properties", {}), **dict.fromkeys(loose, True)}
    composed = any(word in schema for word in (*_PARTS, "dependentSchemas"))
    new["unevaluatedProperties" if composed else "additionalProperties"] = False
    return new


def _has_open_branch(schema: Mapping[str, Any], document: Document) -> bool:
    """Whether a plain union has an object branch that declares nothing: that one stays open, so the whole does."""
    if "properties" in schema:
        return False
    branches = [document.follow(branch) for word in ("anyOf", "oneOf") for branch in schema.get(word, ())]
    return any(
        is_map(branch) and branch.get("type") == "object" and says_nothing(branch) and "allOf" not in branch
        for branch in branches
    )


class _Said:
    """What the whole intersection of one value's schema says about property names."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.names: set[str] = set()
        self.wanted: set[str] = set()
        self.others = False

    def add(self, schema: Mapping[str, Any]) -> None:
        """Take in a schema, what it refers to, and its parts, each once."""
        seen: set[int] = set()
        waiting = [schema]
        while waiting:
            schema = waiting.pop()
            if id(schema) in seen:
                continue
            seen.add(id(schema))
            self._add_one(schema)
            waiting.extend(_parts(schema, self.document))

    def _add_one(self, schema: Mapping[str, Any]) -> None:
        self.names.update(schema.get("properties", ()))
        self.wanted.update(schema.get("required", ()))
        for key, names in schema.get("dependentRequired", {}).items():
            self.wanted.update((key, *names))
        self.wanted.update(schema.get("dependentSchemas", ()))
        if any(word in schema for word in ("additionalProperties", "patternProperties", "unevaluatedProperties")):
            self.others = True


def _parts(schema: Mapping[str, Any], document: Document) -> list[Mapping[str, Any]]:
    """The schemas that look at the same value: what is referred to, branches, parts, conditions."""
    parts: list[Any] = []
    if ref_of(schema) is not None:
        parts.append(document.follow(schema))
    for word in ("anyOf", "oneOf", "allOf"):
        parts.extend(schema.get(word, ()))
    parts.extend(schema.get(word) for word in ("if", "then", "else"))
    parts.extend(schema.get("dependentSchemas", {}).values())
    return [part for part in parts if is_map(part)]
