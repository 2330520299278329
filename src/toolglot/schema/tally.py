"""How large a schema is: what the limits of targets count."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Node


class Tally:
    """Adds up what the limits count."""

    def __init__(self) -> None:
        self.depth = self.properties = self.optional = self.unions = 0
        self.values = self.longest_enum = self.enum_chars = self.chars = self.repetitions = 0
        self.formats: set[str] = set()
        self.names: set[str] = set()

    def add(self, node: Node, schema: Mapping[str, Any]) -> None:
        """Count a node with keywords of `TALLIED` or a type list."""
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
        self.names.update(properties)
        self.properties += len(properties)
        self.chars += sum(map(len, properties))
        self.optional += len(properties) - (_common(properties, required) if is_list(required) else 0)

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
        """What was counted, by the name of the limit (`targets.model`)."""
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


def _common(properties: Mapping[str, Any], required: list[Any]) -> int:
    """How many of the properties are required."""
    found = 0
    for name in required:
        found += isinstance(name, str) and name in properties
    return found


_REPETITIONS = ("minLength", "maxLength", "minItems", "maxItems")
_COUNTED = frozenset(("format", "const", "$defs", "definitions", *_REPETITIONS))
_SHAPES = frozenset(("properties", "items", "prefixItems", "additionalProperties", "patternProperties"))
TALLIED = _COUNTED | _SHAPES | {"enum", "anyOf"}
_LONG_ENUM = 250
"""An enum's characters count against their limit only above this many values."""
