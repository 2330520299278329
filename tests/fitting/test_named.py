"""Objects as definitions, for targets that read their properties only there."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from toolglot import Target, accept, normalize
from toolglot.fitting.named import with_named_objects
from toolglot.schema.validate import validator
from toolglot.targets.load import SHIPPED

INNER = {"type": "object", "properties": {"b": {"type": "string"}}, "required": ["b"]}
OTHER = {"type": "object", "properties": {"c": {"type": "string"}}}


def root(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def to(name: str, **beside: Any) -> dict[str, Any]:
    return {"$ref": f"#/$defs/{name}", **beside}


def name_of(stem: str, body: Any) -> str:
    return f"{stem}_h{hashlib.sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()[:8]}"


IN_A, IN_A_TOO, IN_B = name_of("a", INNER), name_of("a", OTHER), name_of("b", OTHER)
TOLD = {**INNER, "description": "D."}
DEEP = root(b=to(IN_B))

ROWS = {
    "a parameter": (root(a=INNER), root(a=to(IN_A)), {IN_A: INNER}),
    "its description stays beside the reference": (
        root(a=TOLD),
        root(a=to(name_of("a", TOLD), description="D.")),
        {name_of("a", TOLD): TOLD},
    ),
    "items are called as their list": (
        root(a={"type": "array", "items": INNER}),
        root(a={"type": "array", "items": to(IN_A)}),
        {IN_A: INNER},
    ),
    "equal objects share a name, others do not": (
        root(a={"anyOf": [INNER, {"type": "null"}, OTHER, INNER]}),
        root(a={"anyOf": [to(IN_A), {"type": "null"}, to(IN_A_TOO), to(IN_A)]}),
        {IN_A: INNER, IN_A_TOO: OTHER},
    ),
    "from within": (root(a=root(b=OTHER)), root(a=to(name_of("a", DEEP))), {IN_B: OTHER, name_of("a", DEEP): DEEP}),
    "a name of many characters": (
        root(**{"a/b c": INNER}),
        root(**{"a/b c": to(name_of("a_b_c", INNER))}),
        {name_of("a_b_c", INNER): INNER},
    ),
    "values of a map": (
        root(a={"type": "object", "additionalProperties": INNER}),
        root(a={"type": "object", "additionalProperties": to(IN_A)}),
        {IN_A: INNER},
    ),
    "a condition is no place": (
        {**root(a=INNER), "if": root(a={"type": "object"})},
        {**root(a=to(IN_A)), "if": root(a={"type": "object"})},
        {IN_A: INNER},
    ),
    "a definition stays": (
        {**root(x=to("a"), a=OTHER), "$defs": {"a": INNER}},
        root(x=to("a"), a=to(IN_A_TOO)),
        {"a": INNER, IN_A_TOO: OTHER},
    ),
}


@pytest.mark.parametrize(("schema", "body", "definitions"), ROWS.values(), ids=ROWS)
def test_rows(schema: Any, body: Any, definitions: Any) -> None:
    assert with_named_objects(schema) == {**body, "$defs": definitions}


@pytest.mark.parametrize("schema", [root(a={"type": "string"}), root(a={"type": "object"}), {"type": "object"}])
def test_a_schema_without_such_objects_is_the_same_object(schema: Any) -> None:
    assert with_named_objects(schema) is schema


@pytest.mark.parametrize("parameter", [INNER, {"anyOf": [INNER, OTHER]}, {"type": "array", "items": root(b=OTHER)}])
def test_the_target_takes_what_is_made_and_values_stay(parameter: Any) -> None:
    target: Target = SHIPPED.target("llamaindex")
    tool = {"name": "t", "inputSchema": root(a=parameter)}
    assert "object-inline" in {one.what for one in accept(tool, target)}
    made = normalize(tool, target)
    assert accept(made.tool, target) == ()
    value = {"a": [{"b": {"c": "x"}}] if parameter.get("type") == "array" else {"b": "x"}}
    wire = made.encode(value)
    assert validator(made.schema).is_valid(wire)
    assert made.restore(wire, mend=False).arguments == value
    assert normalize(made.tool, target).schema == made.schema


def test_a_name_never_changes() -> None:
    """Prompt caches, and clients that keep definitions by name, depend on it."""
    assert list(with_named_objects(root(a=INNER))["$defs"]) == ["a_h6c9857e5"]
