"""One target-free pass over a schema: which features are present (a bit mask) and how large it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolglot.schema.features import mask_of
from toolglot.schema.plans import features_at
from toolglot.schema.refs import Document
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Node


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over a schema found.

    `mask`: the features present; `masks`: those of each node of the document. `formats` and `names`: every `format`
    and every property name. The counters are those of `targets.model` (SCHEMA_LIMITS, REQUEST_LIMITS); definitions
    do not count as parameters.
    """

    mask: int
    masks: Sequence[int]
    counts: Mapping[str, int]
    formats: frozenset[str]
    names: frozenset[str]


def scan(document: Document) -> Scan:
    """Look once at every node of a schema. Raises ToolError past the budget of nodes."""
    mask = 0
    masks: list[int] = []
    tally = _Tally()
    for node in document.nodes:
        found = features_at(node, document)
        mask |= found
        masks.append(found)
        if isinstance(node.schema, dict) and (found & _LISTS or not _TALLIED.isdisjoint(node.schema)):
            tally.add(node, node.schema)
    return Scan(mask, masks, tally.counts(), frozenset(tally.formats), frozenset(tally.names))


class _Tally:
    """Adds up what the limits count."""

    def __init__(self) -> None:
        self.depth = self.properties = self.optional = self.unions = 0
        self.values = self.longest_enum = self.enum_chars = self.chars = self.repetitions = 0
        self.formats: set[str] = set()
        self.names: set[str] = set()

    def add(self, node: Node, schema: Mapping[str, Any]) -> None:
        if node.depth >= self.depth and not _SHAPES.isdisjoint(schema):
            self.depth = node.depth + 1
        defined = node.keyword in ("$defs", "definitions")
        if "properties" in schema and is_map(schema["properties"]):
            self._properties(schema["properties"], schema.get("required"))
        if "enum" in schema and is_list(schema["enum"]):
            self._enum(schema["enum"])
        if "anyOf" in schema or is_list(schema.get("type")):
            self.unions += not defined and node.parent is not None
        if not _COUNTED.isdisjoint(schema):
            self._others(schema)

    def _properties(self, properties: Mapping[str, Any], required: Any) -> None:
        names = set(properties)
        self.names |= names
        self.properties += len(names)
        self.chars += sum(map(len, names))
        self.optional += len(names - set(map(str, required)) if is_list(required) else names)

    def _enum(self, values: list[Any]) -> None:
        length = sum(len(value) for value in values if isinstance(value, str))
        self.values += len(values)
        self.chars += length
        self.enum_chars += length
        if len(values) > _LONG_ENUM:
            self.longest_enum = max(self.longest_enum, length)

    def _others(self, schema: Mapping[str, Any]) -> None:
        if isinstance(schema.get("format"), str):
            self.formats.add(schema["format"])
        if isinstance(schema.get("const"), str):
            self.chars += len(schema["const"])
        for word in ("$defs", "definitions"):
            if is_map(schema.get(word)):
                self.chars += sum(map(len, schema[word]))
        for word in _REPETITIONS:
            bound = schema.get(word)
            if isinstance(bound, int):
                self.repetitions = max(self.repetitions, bound)

    def counts(self) -> dict[str, int]:
        return {
            "depth": self.depth,
            "properties": self.properties,
            "fields": self.properties,
            "optional-parameters": self.optional,
            "union-parameters": self.unions,
            "enum-values": self.values,
            "enum-chars": self.longest_enum,
            "enum-chars-total": self.enum_chars,
            "name-and-value-chars": self.chars,
            "repetitions": self.repetitions,
        }


_REPETITIONS = ("minLength", "maxLength", "minItems", "maxItems")
_COUNTED = frozenset(("format", "const", "$defs", "definitions", *_REPETITIONS))
_SHAPES = frozenset(("properties", "items", "prefixItems", "additionalProperties", "patternProperties"))
_TALLIED = _COUNTED | _SHAPES | {"enum", "anyOf"}
_LISTS = mask_of("type-list", "type-list-null")
_LONG_ENUM = 250
"""An enum's characters count against their limit only above this many values."""
