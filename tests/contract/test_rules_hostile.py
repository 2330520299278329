"""Whatever a server publishes, every rule ends, soon and without an exception."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rule_rows import STRING, found_in, obj, param, union
from tests.clock import ends_within, untraced

from toolglot.contract.rule import listing_of, subjects
from toolglot.contract.rules import RULES
from toolglot.contract.surface import explain_surface


def nested(levels: int, keyword: str) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "object"}
    for _ in range(levels):
        schema = {keyword: [schema, {"type": "array", "items": {}}]}
    return schema


def deep(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = STRING
    for _ in range(levels):
        schema = obj(["a"], a=schema)
    return schema


FAN_OUT = {
    f"L{level}": obj([f"k{n}" for n in range(8)], **{f"k{n}": {"$ref": f"#/$defs/L{level + 1}"} for n in range(8)})
    for level in range(12)
}

HOSTILE: dict[str, Any] = {
    "every keyword of another kind": {
        "type": ["object", None, 3],
        "properties": [1],
        "required": "x",
        "anyOf": {},
        "oneOf": [None, 3, {}],
        "allOf": None,
        "$ref": 7,
        "items": None,
        "enum": {},
        "const": {},
        "$defs": [],
        "definitions": 1,
    },
    "values of another kind": obj(
        a={"anyOf": []},
        b={"oneOf": [{"type": "object"}, None]},
        c={"$ref": {}},
        d={"type": {}},
        action={"enum": [None, {}, [], 1, True]},
        mode={"const": None},
        op={"enum": []},
    ),
    "broken branches": param(
        union(
            {"type": "object", "properties": None, "required": 5},
            {"type": "array", "items": 7, "minItems": "x"},
            {"type": "object", "properties": {"t": {"const": {}}}, "required": ["t", 3], "additionalProperties": None},
        )
    ),
    "a root that is itself": {"$ref": "#"},
    "references in a circle": param(
        {"$ref": "#/$defs/A"}, **{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": {"$ref": "#/$defs/A"}}}
    ),
    "a union of itself": param(
        {"$ref": "#/$defs/A"}, **{"$defs": {"A": union({"$ref": "#/$defs/A"}, {"$ref": "#/$defs/A"})}}
    ),
    "objects that need themselves": param(
        {"$ref": "#/$defs/A"},
        **{
            "$defs": {
                "A": union(obj(["x"], x={"$ref": "#/$defs/A"}), obj(["x", "y"], x={"$ref": "#/$defs/A"}, y=STRING))
            }
        },
    ),
    "fan-out": param(union({"$ref": "#/$defs/L0"}, {"$ref": "#/$defs/L1"}), **{"$defs": {**FAN_OUT, "L12": STRING}}),
    "remote branches": param(
        union({"$ref": "http://127.0.0.1:9/x"}, {"$ref": "file:///etc/hosts"}, obj(), {"type": "array"})
    ),
    "a pattern that explodes": param(
        union(obj(["x"], x={"type": "string", "pattern": "^(a+)+$"}), obj(["x"], x={"pattern": "("}))
    ),
    "bounds beyond reason": param(
        union(
            {"type": "array", "minItems": 10**9},
            {"type": "array", "items": {"type": "string", "minLength": 10**9}, "minItems": 1},
        )
    ),
    "numbers beyond 64 bits": obj(a={"type": "integer", "minimum": 10**40, "enum": [10**40, -(10**300)]}),
    "half a surrogate pair": obj(**{"\ud800": {"type": "string", "default": "\ud800", "pattern": "\ud800"}}),
    "deep objects": param(union(deep(90), obj(a=deep(80)))),
    "deep unions": param(nested(60, "anyOf")),
    "deep parts": param(nested(60, "allOf")),
    "wide": param(union(*({**obj(**{f"p{n}": STRING}), "title": f"T{n}"} for n in range(300)))),
    "wide and shared": obj(
        **{f"x{n}": union(*({**obj(**{f"p{m}": STRING}), "title": f"T{m}"} for m in range(20))) for n in range(40)}
    ),
    "tags that are objects": param(union(obj(["t"], t={"const": {"a": 1}}), obj(["t"], t={"const": [2]}))),
    "names of Python": obj(**{"__proto__": STRING, "__class__": {"anyOf": [obj(), {"type": "array"}]}, "": {}}),
}


@untraced
@pytest.mark.parametrize("schema", HOSTILE.values(), ids=HOSTILE)
def test_every_rule_ends(schema: Any) -> None:
    with ends_within(1):
        found_in(schema)
        explain_surface({"name": "t", "inputSchema": schema})


NAMES = st.sampled_from(["a", "b", "action", "type", "properties", "$ref", ""])
REFS = st.sampled_from(["#", "#/$defs/a", "#/$defs/b", "#/properties/a", "#/gone", "https://example.com/x", "#a"])
SCALARS = st.none() | st.booleans() | st.integers(-2, 3) | st.sampled_from(["a", "list", "object", "array", "string"])


def schemas(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Schemas with keywords that mostly hold what they should."""
    several = st.lists(inner, max_size=3)
    by_name = st.dictionaries(NAMES, inner, max_size=3)
    words: dict[str, st.SearchStrategy[Any]] = {
        "type": st.sampled_from(["object", "array", "string", "null", ["object", "null"], ["array", "string"], 3]),
        "properties": by_name, "$defs": by_name, "patternProperties": by_name, "dependentSchemas": by_name,
        "items": inner | several, "prefixItems": several, "anyOf": several, "oneOf": several, "allOf": several,
        "additionalProperties": inner, "not": inner, "if": inner, "then": inner, "contains": inner,
        "required": st.lists(NAMES, max_size=3), "enum": st.lists(SCALARS, max_size=3), "const": SCALARS,
        "$ref": REFS, "title": NAMES, "default": SCALARS, "minItems": SCALARS, "pattern": NAMES, "minimum": SCALARS,
    }  # fmt: skip
    return st.fixed_dictionaries({}, optional=words) | st.booleans() | SCALARS


SCHEMAS = st.recursive(st.just({}) | st.just({"type": "object"}) | SCALARS, schemas, max_leaves=25)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(SCHEMAS, st.booleans())
def test_any_schema_can_be_checked(schema: Any, hint: bool) -> None:
    tool = {"name": "t", "inputSchema": schema, "annotations": {"readOnlyHint": hint}}
    for subject in subjects(listing_of([tool])):
        for rule in RULES:
            for hit in rule.check(subject):
                assert hit.message.endswith(".")
                assert hit.why.endswith(".")
                assert hit.fix.endswith(".")
                assert hit.pointer == "" or hit.pointer.startswith("/")
                assert hit.keyword is None or isinstance(hit.keyword, str)
        assert subject.surface.surface in ("read", "gated", "mutation")
