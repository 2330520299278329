"""References: every form, inside one document, recursion found, nothing fetched."""

from __future__ import annotations

from typing import Any

import pytest

from toolglot.schema.refs import Document, Resolved

STRING = {"type": "string"}

RESOLVES: list[tuple[str, dict[str, Any], str]] = [
    ("#/$defs/a", {"$defs": {"a": STRING}}, "/$defs/a"),
    ("#/definitions/a", {"definitions": {"a": STRING}}, "/definitions/a"),
    ("#/properties/p", {"properties": {"p": STRING}}, "/properties/p"),
    ("#/$defs/a~1b", {"$defs": {"a/b": STRING}}, "/$defs/a~1b"),
    ("#/$defs/a~0b", {"$defs": {"a~b": STRING}}, "/$defs/a~0b"),
    ("#/$defs/a%20b", {"$defs": {"a b": STRING}}, "/$defs/a b"),
    ("#/$defs/%C3%A9", {"$defs": {"é": STRING}}, "/$defs/é"),
    ("#/prefixItems/1", {"prefixItems": [True, STRING]}, "/prefixItems/1"),
    ("#", {}, ""),
    ("#here", {"$defs": {"a": {"$anchor": "here"}}}, "/$defs/a"),
    ("#here", {"$defs": {"a": {"$dynamicAnchor": "here"}}}, "/$defs/a"),
    ("#here", {"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"a": {"$id": "#here"}}},
     "/definitions/a"),
    ("item.json", {"$id": "http://e.test/root.json", "$defs": {"a": {"$id": "item.json"}}}, "/$defs/a"),
    ("http://e.test/item.json#/$defs/b",
     {"$id": "http://e.test/root.json", "$defs": {"a": {"$id": "item.json", "$defs": {"b": STRING}}}},
     "/$defs/a/$defs/b"),
]  # fmt: skip


@pytest.mark.parametrize(("ref", "schema", "pointer"), RESOLVES)
def test_resolves(ref: str, schema: dict[str, Any], pointer: str) -> None:
    found = Document(schema).resolve(ref)
    assert isinstance(found, Resolved)
    assert found.pointer == pointer


LEADS_NOWHERE: list[tuple[str, dict[str, Any], str]] = [
    ("#/$defs/a", {}, "dangling"),
    ("#/$defs/a/0", {"$defs": {"a": STRING}}, "dangling"),
    ("#/prefixItems/7", {"prefixItems": [STRING]}, "dangling"),
    ("#/title", {"title": "no schema"}, "dangling"),
    ("#nobody", {}, "dangling"),
    ("#nobody", {"$id": "http://e.test/r"}, "dangling"),
    ("http://e.test/x", {}, "remote"),
    ("file:///etc/passwd", {}, "remote"),
    ("other.json#/a", {"$id": "http://e.test/r.json"}, "remote"),
    ("http://[broken", {"$id": "http://e.test/r.json"}, "remote"),
]


@pytest.mark.parametrize(("ref", "schema", "why"), LEADS_NOWHERE)
def test_leads_nowhere(ref: str, schema: dict[str, Any], why: str) -> None:
    assert Document(schema).resolve(ref) == why


RECURSIVE: list[tuple[dict[str, Any], set[str]]] = [
    ({"properties": {"parent": {"$ref": "#"}}}, {""}),
    ({"$defs": {"n": {"items": {"$ref": "#/$defs/n"}}}, "items": {"$ref": "#/$defs/n"}}, {"/$defs/n"}),
    (
        {"$defs": {"a": {"items": {"$ref": "#/$defs/b"}}, "b": {"items": {"$ref": "#/$defs/a"}}}},
        {"/$defs/a", "/$defs/b"},
    ),
    ({"$defs": {"a": {"$ref": "#/$defs/a"}}}, {"/$defs/a"}),
    ({"$defs": {"a": STRING, "ab": {"items": {"$ref": "#/$defs/a"}}}, "items": {"$ref": "#/$defs/ab"}}, set()),
]


@pytest.mark.parametrize(("schema", "places"), RECURSIVE)
def test_recursion(schema: dict[str, Any], places: set[str]) -> None:
    assert Document(schema).recursive == places


def test_an_id_that_is_a_parameter_moves_no_base() -> None:
    schema = {"$defs": {"a": STRING}, "id": "http://e.test/", "properties": {"id": {"$ref": "#/$defs/a"}}}
    assert isinstance(Document(schema).resolve("#/$defs/a"), Resolved)


def test_chains_end_where_they_are_circular() -> None:
    schema = {"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}
    assert "$ref" in Document(schema).follow({"$ref": "#/$defs/a"})


def test_fan_out_is_not_expanded() -> None:
    defs: dict[str, Any] = {f"d{n}": {"items": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(30)}
    document = Document({"$defs": {**defs, "d30": STRING}})
    assert len(document.nodes) == 92
    assert document.recursive == frozenset()
