"""The laws on small schemas that once broke one: found by drawing, cut down by hand."""

from __future__ import annotations

from typing import Any

import pytest
from laws import Fitted, Subject, all_laws

from toolglot import normalize
from toolglot.fitting.ledger import arguments_with
from toolglot.schema.validate import validator
from toolglot.targets.load import SHIPPED

TEXT, NULL = {"type": "string"}, {"type": "null"}
LONG = "x" * 70


def obj(*required: str, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": list(required)}


def tag(value: str, *required: str, **more: Any) -> dict[str, Any]:
    return obj("kind", *required, kind={"const": value}, **more)


ROWS: list[tuple[str, str, dict[str, Any]]] = [
    ("a closed branch beside an open one", "anthropic-strict",
     obj(v={"anyOf": [obj(**{"a b": obj()}), {"type": "object", "patternProperties": {"^x": TEXT}}]})),
    ("a branch without a type beside any value", "openai-strict", obj(v={"anyOf": [{"properties": {"a": TEXT}}, {}]})),
    ("a branch without a type beside a bounded one", "portable-strict",
     obj(v={"anyOf": [{"maxLength": 3}, {"properties": {"a": TEXT}}]})),
    ("properties without a type", "anthropic-strict", obj(v={"properties": {"a": TEXT}})),
    ("a tuple, all required, no null", "mcpadapt", obj("v", v={"type": "array", "prefixItems": [TEXT]})),
    ("a tuple of a reference that null cannot join", "deepseek-strict",
     {**obj(v={"type": "array", "prefixItems": [{"$ref": "#/$defs/N"}]}), "$defs": {"N": {"type": "object"}}}),
    ("a tuple that begins with null", "openai-strict",
     obj(v={"type": "array", "minItems": 1, "prefixItems": [{"type": ["string", "null"]}, TEXT]})),
    ("a tuple closed by false", "xai-grok",
     obj(v=obj(w={"type": "array", "prefixItems": [True], "items": False}))),
    ("a root of nothing, joined", "portable-strict", {"allOf": [{}]}),
    ("a root of one empty branch", "portable-strict", {"anyOf": [{}]}),
    ("a root that lists values", "openai-strict", {"enum": [{"a": 1}, {"a": 2}]}),
    ("a root that no object fits", "openai-strict", {"allOf": [{"enum": ["a"]}]}),
    ("listed values with rules for their parts", "xai-grok",
     obj(v={"allOf": [obj(a=True), {"const": {"a": 1}}]})),
    ("zero and one are no booleans", "portable-strict", obj(v={"enum": [0, 1]})),
    ("a condition asks for a name", "anthropic-strict",
     {**obj(a=TEXT), "if": {"required": ["b"]}, "then": {"required": ["c"]}}),
    ("a branch asks for a name", "portable-strict", {"anyOf": [tag("x", "ghost"), tag("y", b=obj())]}),
    ("alternatives ask for a name", "openai-strict",
     obj(v={**obj(a=TEXT), "anyOf": [{"required": ["a"]}, {"required": ["ghost"]}]})),
    ("an open object asks for a name", "xai-grok",
     obj(v={**obj("ghost", a={**TEXT, "pattern": "[0-9]"}), "additionalProperties": True})),
    ("a null that a rule counts", "openai-strict",
     obj(v={**obj(a=TEXT, b={**NULL, "default": None}), "dependentRequired": {"a": ["b"]}})),
    ("a null that an alternative asks for", "openai-strict",
     obj(v={**obj(a=TEXT, b={**NULL, "default": None}), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]})),
    ("a name of the server that is one of ours", "openai-strict", obj(v={"anyOf": [{}, obj("value", value={})]})),
    ("a tag asked for once more", "openai-strict",
     {"oneOf": [tag("x"), {**tag("y", a=TEXT), "anyOf": [{"required": ["kind"]}]}]}),
    ("a renamed field of a long name", "bedrock-converse-claude",
     {"anyOf": [tag("x", LONG), tag("y", **{LONG: {"anyOf": [{}]}})]}),
    ("nothing but null in a union", "anthropic-strict", obj(**{"a b": {"oneOf": [{"anyOf": [NULL, NULL]}, NULL]}})),
    ("all branches null", "openai-strict",
     obj(v={"anyOf": [{"type": ["object", "null"], "additionalProperties": TEXT}, {"anyOf": [TEXT, NULL]}]})),
    ("null beside a typed union", "openai-strict",
     {"anyOf": [{"$ref": "#/$defs/S"}, obj()], "$defs": {"S": {"anyOf": [tag("x"), tag("y")]}}}),
    ("null for one of, where another may take it", "portable-strict",
     obj(v={"oneOf": [{"oneOf": [True, True]}, {"type": "array"}, NULL]})),
    ("a definition that is null on the wire", "mcpadapt",
     {"anyOf": [obj(v={"anyOf": [obj(a={"$ref": "#/$defs/L"})]})], "$defs": {"L": NULL}}),
    ("parts that contradict each other", "openai-strict", obj(v={"allOf": [obj(a={"type": "boolean"}), obj(a=obj())]})),
    ("maps in maps, as deep as may be", "portable-strict",
     obj(v={**obj(), "additionalProperties": {**obj(a=True), "additionalProperties": True}})),
]  # fmt: skip


@pytest.mark.parametrize(("target", "schema"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_the_laws_hold(target: str, schema: dict[str, Any]) -> None:
    f = Fitted(Subject({"name": "do", "description": "What it does.", "inputSchema": schema}), SHIPPED.target(target))
    found = all_laws(f)
    assert found == [], "\n".join(found)


@pytest.mark.parametrize(
    ("pointer", "having", "not_having"),
    [
        ("/properties/a", {"a": "x"}, {"a": "y"}),
        ("/properties/items/items", {"items": ["y", "x"]}, {"items": ["y"]}),
        ("/additionalProperties", {"any": "x"}, {"any": "y"}),
        ("/properties/a/patternProperties/^p~1", {"a": {"p/1": "x"}}, {"a": {"q": "x"}}),
        ("/properties/a/prefixItems/1", {"a": ["y", "x"]}, {"a": ["x"]}),
        ("/properties/a/anyOf/0/properties/b", {"a": {"b": "x"}}, {"b": "x"}),
        ("/$defs/n/properties/b", {"a": [{"c": {"b": "x"}}]}, {"a": ["x", {"c": "x"}]}),
    ],
)
def test_the_arguments_with_a_value_at_a_place(pointer: str, having: Any, not_having: Any) -> None:
    judge = validator(arguments_with(pointer, {"const": "x"}))
    assert judge.is_valid(having)
    assert not judge.is_valid(not_having)


def test_what_a_schema_without_a_type_loses() -> None:
    n = normalize({"name": "t", "inputSchema": obj(v={"properties": {"a": TEXT}})}, "anthropic-strict")
    (entry,) = [one for one in n.ledger if one.values == "narrower"]
    assert (entry.pointer, entry.feature) == ("/properties/v", "untyped-properties")
    assert validator(entry.lost).is_valid({"v": "text"})
    assert n.restore({"v": "text"}).arguments == {"v": "text"}
