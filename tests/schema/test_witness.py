"""Covering instances: each is valid for the declared schema, and together they show nearly all of it."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

import pytest
from tests.clock import ends_within, untraced
from tests.shared import cases, corpus, hard, needs_shared
from witness_coverage import Coverage

from toolglot.schema.declared import declared
from toolglot.schema.making.matching import texts_matching
from toolglot.schema.refs import Document
from toolglot.schema.validate import validator
from toolglot.schema.witness import NO_VALUE, instances, sample


def distinct() -> list[Any]:
    """The distinct schemas of the corpus."""
    found = {json.dumps(tool["inputSchema"], sort_keys=True): tool["inputSchema"] for tool in corpus()}
    return list(found.values())


def show(schema: Any, values: list[Any]) -> Coverage:
    root = declared(schema)
    is_valid = validator(root).is_valid
    assert [value for value in values if not is_valid(value)] == []
    coverage = Coverage(root)
    for value in values:
        coverage.show(value)
    return coverage


def obj(required: str = "", **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


TEXT: dict[str, Any] = {"type": "string"}
NUMBER: dict[str, Any] = {"type": "number"}
NODE = obj("name", name=TEXT, children={"type": "array", "items": {"$ref": "#/$defs/Node"}})

EXACT: list[tuple[str, Any, list[Any]]] = [
    ("nothing declared", {"type": "object"}, [{}]),
    ("an empty enum", obj("a", a={"enum": []}), []),
    ("no object", {"type": "integer", "minimum": 3, "maximum": 3}, [3]),
    ("a constant", obj("a", a={"const": {"b": 1}}), [{"a": {"b": 1}}]),
    ("optional", obj(a=TEXT), [{}, {"a": "text"}, {"a": ""}]),
    ("null", obj("a", a={"type": ["boolean", "null"]}), [{"a": True}, {"a": False}, {"a": None}]),
    ("nullable", obj("a", a={"type": "null"}), [{"a": None}]),
    ("bounds", obj("a", a={"type": "integer", "minimum": -2, "maximum": 7}), [{"a": 1}, {"a": -2}, {"a": 7}]),
    ("between", obj("a", a={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1}), [{"a": 0.5}]),
    ("steps", obj("a", a={"type": "integer", "multipleOf": 7, "minimum": 8}), [{"a": 14}]),
    ("lengths", obj("a", a={"type": "string", "minLength": 2, "maxLength": 3}), [{"a": "tex"}, {"a": "ax"}]),
    ("a pattern", obj("a", a={"type": "string", "pattern": "^[^=]+=x{2}$"}), [{"a": "a=xx"}]),
    ("a tuple", obj("a", a={"prefixItems": [{"const": 1}, {"const": 2}], "items": False, "type": "array"}),
     [{"a": []}, {"a": [1]}, {"a": [1, 2]}]),
    ("unique", obj("a", a={"type": "array", "uniqueItems": True, "minItems": 2, "items": {"enum": [1, 2]}}),
     [{"a": [1, 2]}]),
    ("contains", obj("a", a={"type": "array", "contains": {"const": 5}}), [{"a": [5]}]),
    ("at least two", {**obj(a=NUMBER, b={"const": 1}), "minProperties": 2}, [{"a": 1, "b": 1}, {"a": 1.5, "b": 1}]),
    ("depends", {**obj(a={"const": 1}, b={"const": 2}), "dependentRequired": {"a": ["b"]}},
     [{}, {"a": 1, "b": 2}]),
    ("not both", {**obj(a={"const": 1}, b={"const": 2}), "not": {"required": ["a", "b"]}}, [{}, {"a": 1}, {"b": 2}]),
    ("recursion", obj("name", name={"const": "n"}, next={"$ref": "#"}),
     [{"name": "n"}, {"name": "n", "next": {"name": "n"}},
      {"name": "n", "next": {"name": "n", "next": {"name": "n"}}}]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "values"), [row[1:] for row in EXACT], ids=[row[0] for row in EXACT])
def test_the_instances_of_a_schema(schema: Any, values: list[Any]) -> None:
    found = instances(schema)
    assert json.dumps(found[: len(values)]) == json.dumps(values)
    show(schema, found)


SHOWN: list[tuple[str, Any]] = [
    ("branches", obj("a", a={"oneOf": [obj("t", t={"const": "x"}, n=NUMBER), obj("t", t={"const": "y"}), TEXT]})),
    ("unions in unions", obj("a", a={
     "anyOf": [{"anyOf": [TEXT, NUMBER]}, {"anyOf": [{"type": "null"}, obj(b=TEXT)]}]})),
    ("two unions", {**obj(a=TEXT, b=TEXT),
     "allOf": [{"anyOf": [obj("a"), obj("b")]}, {"oneOf": [obj("b"), obj("a")]}]}),
    ("conditions", {**obj("k", k={"enum": ["x", "y"]}, p=TEXT, q=TEXT),
                    "if": {"properties": {"k": {"const": "x"}}},
                    "then": {"required": ["p"]}, "else": {"required": ["q"]}}),
    ("enums", obj(a={"enum": list(range(25))}, b={"enum": ["x", None, True, 1.5, {"c": 1}, [1]]})),
    ("a map", obj("m", m={"type": "object", "additionalProperties": {"anyOf": [TEXT, NUMBER]}})),
    ("a map of patterns", obj("m", m={"type": "object", "patternProperties": {"^x-[a-z]+$": NUMBER}})),
    ("named entries", obj("m", m={
     "type": "object", "propertyNames": {"enum": ["p", "q"]}, "additionalProperties": NUMBER})),
    ("an open object beside properties", {**obj("a", a=TEXT), "additionalProperties": NUMBER}),
    ("recursion in a list", obj("r", r={"$ref": "#/$defs/Node"}) | {"$defs": {"Node": NODE}}),
    ("anything", obj(a={}, b=True)),
    ("required, not declared", {"type": "object", "properties": {"a": TEXT}, "required": ["b"]}),
    ("draft-07", {"$schema": "http://json-schema.org/draft-07/schema#",
     **obj(a={"items": [TEXT, NUMBER], "type": "array"})}),
    ("names of keywords", obj(**{"$ref": TEXT, "type": NUMBER, "properties": obj(enum=TEXT), "a/b~c%": TEXT})),
]  # fmt: skip


@pytest.mark.parametrize("schema", [row[1] for row in SHOWN], ids=[row[0] for row in SHOWN])
def test_everything_is_shown(schema: Any) -> None:
    assert show(schema, instances(schema)).missing() == set()


def test_recursion_is_shown_twice() -> None:
    schema = obj("r", r={"$ref": "#/$defs/Node"}) | {"$defs": {"Node": NODE}}
    assert any(child["children"] for value in instances(schema) for child in value["r"].get("children", ())
               if "children" in child)  # fmt: skip


def test_a_root_that_takes_anything_gets_objects() -> None:
    assert all(isinstance(value, dict) for value in instances({"properties": {"a": TEXT}, "minProperties": 0}))


def test_the_limit_holds() -> None:
    assert len(instances(obj("a", a={"enum": list(range(20))}), 5)) == 5


HOSTILE: list[tuple[str, Any]] = [
    ("a reference to itself", {"$ref": "#"}),
    ("only itself", {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]}),
    ("a circle of parts", {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [{"$ref": "#"}]}}}),
    ("a union of itself", {"anyOf": [{"$ref": "#"}, {"$ref": "#"}, {"type": "object"}]}),
    ("unions multiply", {"allOf": [{"anyOf": [obj(f"a{n}") for n in range(9)]} for _ in range(9)]}),
    ("many values", obj(a={"enum": [f"v{n}" for n in range(50_000)]})),
    ("many properties", obj(**{f"p{n}": {"type": ["string", "null", "number"]} for n in range(3_000)})),
    ("fan-out", obj(x={"$ref": "#/$defs/L0"}) | {"$defs": {f"L{n}": obj(a={"$ref": f"#/$defs/L{n + 1}"},
     b={"$ref": f"#/$defs/L{n + 1}"}) for n in range(30)} | {"L30": TEXT}}),
    ("required fan-out", obj(x={"$ref": "#/$defs/L0"}) | {"$defs": {f"L{n}": obj("a b", a={"$ref": f"#/$defs/L{n + 1}"},
     b={"$ref": f"#/$defs/L{n + 1}"}) for n in range(12)} | {"L12": TEXT}}),
    ("mutual recursion", {"$ref": "#/$defs/D0", "$defs": {f"D{n}": obj(**{f"d{m}": {"$ref": f"#/$defs/D{m}"}
     for m in range(12)}) for n in range(12)}}),
    ("a long list", obj("a", a={"type": "array", "minItems": 10**9})),
    ("a long text", obj("a", a={"type": "string", "minLength": 10**9})),
    ("groups in groups", obj("a", a={"type": "string", "pattern": "(" * 900 + "a" + ")" * 900})),
    ("half a surrogate pair", obj(**{"\ud800": TEXT, "b": {"enum": ["\udfff"]}})),
    ("no schema at all", False),
    ("everything", True),
]  # fmt: skip


@untraced
@pytest.mark.parametrize("schema", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_it_ends_soon(schema: Any) -> None:
    with ends_within(1):
        instances(schema)


PATTERNS = (
    r"^\d{4}-\d{2}-\d{2}$", r"^[a-z][a-z0-9-]*[a-z0-9]+$", r"^(?:GET|POST)(,(GET|POST))*$",
    r"^[^\s@]+@[^\s@]+\.[^\s@]+$",
    r"^#[0-9A-Fa-f]{6}$", r"^[\x20-\x7E]+$", r"^\u0041\/[\]\-^]{2,3}?$", r"^(?<year>\d+)\.\w\W\D\S\s?$",
    r"^[\d_-]+$", r"^.{3}$",
    r"^[A-Z_]{2,}\p{L}$",
)  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
def test_a_text_matches(pattern: str) -> None:
    is_valid = validator({"pattern": pattern}).is_valid
    assert any(is_valid(text) for text in texts_matching(pattern))


@pytest.mark.parametrize("pattern", ["(", "[a", "a)", r"\1", "\\", "(?<n", "a" * 3_000])
def test_a_pattern_that_is_not_understood_gives_no_text(pattern: str) -> None:
    assert list(texts_matching(pattern)) == []


@pytest.mark.parametrize(
    ("schema", "value"), [(obj("a", a=TEXT), {"a": "text"}), (False, NO_VALUE), ({"type": "null"}, None)]
)
def test_one_value(schema: Any, value: Any) -> None:
    assert sample(schema, Document(schema)) == value
    assert repr(NO_VALUE) == "NO_VALUE"
    assert not NO_VALUE


def valid_cases() -> list[Any]:
    published = [case["tool"].get("inputSchema") for case in cases()]
    return [*(schema for schema in published if isinstance(schema, dict)), *(row["inputSchema"] for row in hard())]


@needs_shared
def test_the_cases_are_shown() -> None:
    wanted, shown = total(valid_cases())
    assert shown.total() / wanted.total() > 0.99, (wanted, shown)


@untraced
@needs_shared
def test_the_corpus_is_shown() -> None:
    schemas = distinct()[::5]
    assert [schema for schema in schemas if not instances(schema)] == []
    wanted, shown = total(schemas)
    for kind in wanted:
        assert shown[kind] / wanted[kind] > 0.99, (kind, wanted, shown)


def total(schemas: list[Any]) -> tuple[Counter[str], Counter[str]]:
    wanted: Counter[str] = Counter()
    shown: Counter[str] = Counter()
    for schema in schemas:
        asked, answered = show(schema, instances(schema)).counts()
        wanted += asked
        shown += answered
    return wanted, shown
