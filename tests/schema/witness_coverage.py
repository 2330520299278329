"""What values show of a schema, measured without the code that made them: places, branches, enum values, types."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.validate import validator
from toolglot.schema.values import has_type, is_map
from toolglot.schema.walk import escape

Point = tuple[str, ...]


class Coverage:
    """Counts the points of a declared schema, and those that some value shows."""

    def __init__(self, schema: Any) -> None:
        self.document = Document(schema)
        self.wanted: set[Point] = set()
        self.shown: set[Point] = set()
        self._valid: dict[str, Any] = {}
        self._want(schema, "", set())

    def missing(self) -> set[Point]:
        return self.wanted - self.shown

    def counts(self) -> tuple[Counter[str], Counter[str]]:
        """Points by kind: wanted, shown."""
        return Counter(p[0] for p in self.wanted), Counter(p[0] for p in self.wanted & self.shown)

    def _want(self, schema: Any, at: str, seen: set[str]) -> None:
        if not is_map(schema) or at in seen:
            return
        seen.add(at)
        self.wanted |= {point for point, _ in self._points(schema, at)}
        for below, where in self._below(schema, at):
            self._want(below, where, seen)

    def _points(self, schema: dict[str, Any], at: str) -> Iterator[tuple[Point, Any]]:
        """The points at one node, each with a test for a value there."""
        for name, below in schema.get("properties", {}).items():
            if below is not False:
                yield ("present", at, name), lambda value, name=name: is_map(value) and name in value
                if name not in schema.get("required", ()):
                    yield ("absent", at, name), lambda value, name=name: is_map(value) and name not in value
        for number, one in enumerate(schema.get("enum", ())[:20]):
            yield ("value", at, str(number)), lambda value, one=one: value == one and type(value) is type(one)
        if isinstance(kinds := schema.get("type"), list) and "enum" not in schema:
            for kind in kinds:
                yield ("type", at, kind), lambda value, kind=kind: has_type(value, kind)
        for word in ("anyOf", "oneOf"):
            for number in range(len(schema.get(word, ()))):
                yield ("branch", at, word, str(number)), self.validity(f"{at}/{word}/{number}")
        if schema.get("items", False) is not False:
            yield (
                ("items", at),
                lambda value: isinstance(value, list) and len(value) > len(schema.get("prefixItems", ())),
            )
        if is_map(schema.get("additionalProperties")):
            own = schema.get("properties", {})
            yield ("entry", at), lambda value: is_map(value) and any(name not in own for name in value)

    def validity(self, at: str) -> Any:
        """Whether a value is valid at a place of the document."""
        if at not in self._valid:
            root = {**self.document.schema, "$id": "urn:root"}
            self._valid[at] = validator({"$defs": {"r": root}, "$ref": f"urn:root#{quote(at, safe='/~')}"}).is_valid
        return self._valid[at]

    def _below(self, schema: dict[str, Any], at: str) -> Iterator[tuple[Any, str]]:
        """The schemas about this value or the values in it; conditions are not asked for."""
        if (ref := ref_of(schema)) is not None and isinstance(found := self.document.resolve(ref), Resolved):
            yield found.schema, found.pointer
        for word in ("anyOf", "oneOf", "allOf", "prefixItems"):
            for number, part in enumerate(schema.get(word, ())):
                yield part, f"{at}/{word}/{number}"
        for word in ("properties", "patternProperties"):
            for name, part in schema.get(word, {}).items():
                yield part, f"{at}/{word}/{escape(name)}"
        for word in ("items", "additionalProperties"):
            if word in schema:
                yield schema[word], f"{at}/{word}"

    def show(self, value: Any, schema: Any = None, at: str = "") -> None:
        """Note what a value shows."""
        if not at:
            schema = self.document.schema
        if not is_map(schema):
            return
        self.shown |= {point for point, test in self._points(schema, at) if point not in self.shown and test(value)}
        if (ref := ref_of(schema)) is not None and isinstance(found := self.document.resolve(ref), Resolved):
            self._show_at(value, found.schema, found.pointer)
        for word in ("anyOf", "oneOf", "allOf"):
            for number, part in enumerate(schema.get(word, ())):
                if self.validity(f"{at}/{word}/{number}")(value):
                    self.show(value, part, f"{at}/{word}/{number}")
        if is_map(value):
            self._show_members(value, schema, at)
        elif isinstance(value, list):
            self._show_items(value, schema, at)

    def _show_at(self, value: Any, schema: Any, at: str) -> None:
        self.show(value, schema, at)

    def _show_members(self, value: dict[str, Any], schema: dict[str, Any], at: str) -> None:
        own = schema.get("properties", {})
        for name, item in value.items():
            if name in own:
                self.show(item, own[name], f"{at}/properties/{escape(name)}")
            elif is_map(schema.get("additionalProperties")):
                self.show(item, schema["additionalProperties"], f"{at}/additionalProperties")

    def _show_items(self, value: list[Any], schema: dict[str, Any], at: str) -> None:
        first = schema.get("prefixItems", ())
        for place, item in enumerate(value):
            if place < len(first):
                self.show(item, first[place], f"{at}/prefixItems/{place}")
            elif "items" in schema:
                self.show(item, schema["items"], f"{at}/items")
