"""The surface class in rows, the table in docs/surface.md, and what a hidden root costs."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from rule_rows import STRING, hits, obj, union

from toolglot.contract.model import Surface
from toolglot.contract.rule import listing_of, subjects
from toolglot.contract.surface import (
    ACTION_NAMES,
    MUTATING_VALUES,
    READING_VALUES,
    VOCABULARY,
    Vocabulary,
    explain_surface,
    surface_class,
)
from toolglot.errors import ToolError

DOCUMENT = (Path(__file__).resolve().parents[2] / "docs" / "surface.md").read_text()


def tool(schema: Any, hint: Any = None, **more: Any) -> dict[str, Any]:
    annotations = {} if hint is None else {"annotations": {"readOnlyHint": hint}}
    return {"name": "t", "inputSchema": schema, **annotations, **more}


def values(*listed: Any) -> dict[str, Any]:
    return {"type": "string", "enum": list(listed)}


def action(schema: Any, name: str = "action", *, required: bool = True, **more: Any) -> dict[str, Any]:
    return {**obj([name] if required else [], **{name: schema, "id": STRING}), **more}


REF = {"$ref": "#/$defs/A"}
NULL = {"type": "null"}
R, G, M = "read", "gated", "mutation"
LIST_GET, LIST_ADD, ADD, TWIST = values("list", "get"), values("list", "add"), values("add", "drop"), values("twist")

# schema, and its class with readOnlyHint true, false and missing
ROWS: list[tuple[str, Any, Surface, Surface, Surface]] = [
    ("no action parameter", obj(id=STRING), R, M, M),
    ("no parameters", {"type": "object"}, R, M, M),
    ("every value reads, required", action(LIST_GET), R, R, R),
    ("every value reads, default reads", action({**LIST_GET, "default": "list"}, required=False), R, R, R),
    ("every value reads, may be left out", action(LIST_GET, required=False), G, G, G),
    ("every value reads, default does not", action({**LIST_GET, "default": "purge"}, required=False), G, G, G),
    ("some values read", action(LIST_ADD), G, G, G),
    ("no value reads, some mutate", action(ADD), M, M, M),
    ("no value is known", action(TWIST), R, M, M),
    ("unknown beside mutating", action(values("twist", "add")), M, M, M),
    ("free text is no action parameter", action(STRING), R, M, M),
    ("one constant", action({"const": "get"}), R, R, R),
    ("a constant that mutates", action({"const": "delete"}), M, M, M),
    ("case does not matter", action(values("GET", "List")), R, R, R),
    ("methods of HTTP", action(values("GET", "POST"), "method"), G, G, G),
    ("case of the name does not matter", action(LIST_ADD, "Action"), G, G, G),
    ("a longer name is another name", action(LIST_ADD, "action_type"), R, M, M),
    ("a value that only begins like one", action(values("get_or_create")), R, M, M),
    ("two that read", {**obj(["op", "mode"], op=LIST_GET, mode=values("read"))}, R, R, R),
    ("two, one with both", {**obj(["op", "mode"], op=LIST_GET, mode=LIST_ADD)}, G, G, G),
    ("two, one without any that reads", {**obj(["op", "mode"], op=LIST_GET, mode=ADD)}, M, M, M),
    ("two, one unknown", {**obj(["op", "mode"], op=LIST_GET, mode=TWIST)}, R, M, M),
    ("two, one may be left out", {**obj(["op"], op=LIST_GET, mode=values("read"))}, G, G, G),
    ("by reference", action(REF, **{"$defs": {"A": LIST_ADD}}), G, G, G),
    ("by a chain of references", action(REF, **{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": LIST_GET}}),
     R, R, R),
    ("default behind a reference", action(REF, required=False,
     **{"$defs": {"A": {**LIST_GET, "default": "get"}}}), R, R, R),
    ("constants in a union", action(union({"const": "list"}, {"const": "delete"})), G, G, G),
    ("enum or null, no default", action(union(LIST_GET, NULL)), G, G, G),
    ("enum or null, default null", action({**union(LIST_GET, NULL), "default": None}, required=False), G, G, G),
    ("enum or null, default reads", action({**union(LIST_GET, NULL), "default": "get"}, required=False), R, R, R),
    ("enum with null", action({"enum": ["list", None]}), G, G, G),
    ("enum or free text", action(union(LIST_GET, STRING)), R, M, M),
    ("enum within a part", action({"type": "string", "allOf": [LIST_ADD]}), G, G, G),
    ("enum narrowed by a part", action({**LIST_ADD, "allOf": [values("list")]}), R, R, R),
    ("enum filtered by its type", action({"type": "string", "enum": ["list", 7]}), R, R, R),
    ("nothing but null", action({"type": "null"}), R, M, M),
    ("numbers are no words", action({"enum": [1, 2]}), R, M, M),
    ("a flag is no enum", action({"type": "boolean"}), R, M, M),
    ("a parameter further down", obj(x=action(LIST_ADD)), R, M, M),
    ("required in a part", {**action(LIST_GET, required=False), "allOf": [{"required": ["action"]}]}, R, R, R),
    ("required in one branch only", {**action(LIST_GET, required=False),
     "anyOf": [{"required": ["action"]}, {"required": ["id"]}]}, G, G, G),
    ("recursive", action(REF, **{"$defs": {"A": {"$ref": "#/$defs/A"}}}), R, M, M),
    ("old draft, nothing counts beside a reference", action({"$ref": "#/definitions/A", "enum": ["list"]},
     **{"$schema": "http://json-schema.org/draft-07/schema#", "definitions": {"A": ADD}}), M, M, M),
]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "true", "false", "missing"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS]
)
def test_surface_class(schema: Any, true: Surface, false: Surface, missing: Surface) -> None:
    assert [surface_class(tool(schema, hint)) for hint in (True, False, None)] == [true, false, missing]


UNREADABLE: list[tuple[str, Any, Surface]] = [
    ("root reference", {"$ref": "#/$defs/R", "$defs": {"R": action(LIST_ADD)}}, G),
    ("root union", union(action({"const": "list"}), action({"const": "add"})), G),
    ("root union that reads", union(action({"const": "list"}), action({"const": "get"})), R),
    ("root union, one branch may leave it out", union(action({"const": "list"}), obj(id=STRING)), G),
    ("no type", {"properties": {"action": LIST_GET}, "required": ["action"]}, R),
    ("action in a part", {"type": "object", "allOf": [action(LIST_ADD)]}, G),
    ("empty", {}, R),
    ("true", True, R),
    ("missing", None, R),
    ("broken keyword", {**obj(a={"type": "text"})}, R),
    ("broken, with an action", {**action(LIST_ADD), "minProperties": "x"}, G),
    ("dangling", obj(a={"$ref": "#/$defs/Gone"}), R),
    ("remote", obj(a={"$ref": "https://example.com/x"}), R),
]


@pytest.mark.parametrize(("schema", "in_sight"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE])
def test_what_cannot_be_read_is_mutating(schema: Any, in_sight: Surface) -> None:
    reading = explain_surface(tool(schema, hint=True))
    assert (reading.surface, reading.in_sight) == ("mutation", in_sight)
    assert reading.reason


@pytest.mark.parametrize(
    "schema",
    [obj(a={"type": "string", "pattern": "(?=a)"}), {**obj(a=STRING), "$schema": "https://example.com/x"}],
    ids=["pattern", "dialect"],
)
def test_what_is_only_noted_does_not_change_the_class(schema: Any) -> None:
    assert surface_class(tool(schema, hint=True)) == "read"


def test_a_doubled_name_is_mutating() -> None:
    assert surface_class(tool(obj(), hint=True), doubled=True) == "mutation"
    listing = listing_of(
        [tool(obj(a=STRING), True), tool(obj(a=STRING), True), {**tool(obj(a=STRING), True), "name": "u"}]
    )
    assert [subject.surface.surface for subject in subjects(listing)] == ["mutation", "mutation", "read"]
    assert next(subjects(listing)).surface.reason == "another tool has the same name"


@pytest.mark.parametrize(
    "annotations", [None, [], {"readOnlyHint": "true"}, {"readOnlyHint": 1}, {"readOnlyHint": None}]
)
def test_a_hint_that_is_no_boolean_is_none(annotations: Any) -> None:
    reading = explain_surface({"name": "t", "inputSchema": obj(), "annotations": annotations})
    assert (reading.surface, reading.hint) == ("mutation", None)


def test_what_is_no_tool_is_refused() -> None:
    with pytest.raises(ToolError):
        surface_class({"inputSchema": obj()})


@pytest.mark.parametrize(
    ("vocabulary", "schema", "surface"),
    [
        (Vocabulary.of(reading_values=["export_*"]), action(values("export_csv")), "read"),
        (Vocabulary.of(reading_values=["EXPORT_*"]), action(values("Export_csv", "list")), "gated"),
        (Vocabulary.of(reading_values=[]), action(LIST_GET), "mutation"),
        (Vocabulary.of(reading_values=["add"]), action(ADD), "gated"),
        (Vocabulary.of(action_names=["verb"]), action(LIST_GET), "mutation"),
        (Vocabulary.of(action_names=["Verb"]), action(LIST_GET, "verb"), "read"),
        (Vocabulary.of(), action(LIST_GET), "read"),
    ],
)
def test_the_configuration_replaces_the_tables(vocabulary: Vocabulary, schema: Any, surface: Surface) -> None:
    assert surface_class(tool(schema), vocabulary=vocabulary) == surface
    assert next(subjects(listing_of([tool(schema)]), vocabulary)).surface.surface == surface


def test_an_action_listed_as_reading_does_not_count_as_mutating() -> None:
    assert Vocabulary.of(reading_values=["run"]).mutates("run") is False
    assert VOCABULARY.mutates("RUN") is True
    assert set(READING_VALUES).isdisjoint(MUTATING_VALUES)
    assert all(word == word.lower() for word in (*READING_VALUES, *MUTATING_VALUES, *ACTION_NAMES))


@pytest.mark.parametrize(
    ("schema", "hint", "reason"),
    [
        (obj(), True, "`readOnlyHint` is true"),
        (obj(), False, "no action parameter, and `readOnlyHint` is false"),
        (obj(), None, "no action parameter, and `readOnlyHint` is missing"),
        (action(LIST_GET), None, "every value of `action` reads"),
        (action(LIST_ADD), None, "some values of `action` read, others may change something"),
        (action(TWIST), True, "`readOnlyHint` is true and no value of `action` is known to change anything"),
        (action(ADD), True, "no value of `action` is listed as reading"),
        ({}, None, "the root is empty"),
        (
            obj(a={"$ref": "#/x"}),
            None,
            "the schema is broken: `$ref` refers to `#/x`, which does not exist in the schema",
        ),
    ],
)
def test_the_reason(schema: Any, hint: bool | None, reason: str) -> None:
    assert explain_surface(tool(schema, hint)).reason == reason


HARM = [
    (obj(a=STRING), True, [], "", ""),
    ({"properties": {"a": STRING}}, True, [], "it would be read", "leaves the catalogue in read-only mode"),
    (union(action({"const": "list"}), action({"const": "get"}), action({"const": "add"})), None, [],
     "it would be gated", "in read-only mode `list`, `get` are gone"),
    ({"properties": {"a": STRING}}, None, ["a"], "with the root in sight too", "sees no parameters"),
    ({}, None, ['"properties": {...}'], "The root is empty", ""),
    ({"$schema": "http://json-schema.org/draft-07/schema#"}, None, [], "The root says nothing but `$schema`", ""),
    (True, None, [], "The root is `true`", ""),
    ({"type": "array", "items": STRING}, None, [], "The root has type array, not `object`", ""),
    ({"type": 7}, None, [], "The root has no `type: object`", ""),
    ({"$ref": "#/$defs/A", "$defs": {"A": obj(deep=STRING)}}, None, ["deep"], "a reference to `#/$defs/A`", ""),
    (union(obj(a=STRING), obj(b=STRING), keyword="oneOf"), None, ["a, b"], "an `oneOf` of 2 without", ""),
    ({**obj(a=STRING), "then": obj(b=STRING)}, None, ["a, b"], "declares `b` inside `then` only", ""),
    ({**obj(a=STRING), "dependentSchemas": {"a": obj(b=STRING)}}, None, [], "inside `dependentSchemas` only", ""),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "hint", "fix", "message", "why"), HARM)
def test_a_hidden_root_states_its_harm(schema: Any, hint: bool | None, fix: list[str], message: str, why: str) -> None:
    (subject,) = subjects(listing_of([tool(schema, hint)]))
    from toolglot.contract.rules import by_code

    rule = by_code("TG102")
    assert rule is not None
    told = list(rule.check(subject))
    assert bool(told) == bool(message)
    for hit in told:
        assert message in hit.message
        assert why in hit.why
        assert all(part in hit.fix for part in fix)


def test_a_root_that_hides_two_ways_is_one_finding() -> None:
    schema = {"allOf": [obj(a=STRING)], "$ref": "#/$defs/B", "$defs": {"B": obj(b=STRING)}}
    assert len(hits(schema, "TG102")) == 1


# docs/surface.md

TABLE = {
    "none": [obj(id=STRING)],
    "every value reads, and it is required or its default reads": [
        action(LIST_GET),
        action({**LIST_GET, "default": "get"}, required=False),
    ],
    "some values read, for each action parameter (or all, and it may be left out)": [
        action(LIST_ADD),
        action(LIST_GET, required=False),
        obj(["op", "mode"], op=LIST_ADD, mode=LIST_GET),
    ],
    "one without a value that reads, and no value is known to change anything": [
        action(TWIST),
        obj(["op", "mode"], op=LIST_GET, mode=TWIST),
    ],
    "one without a value that reads, and some values are known to change something": [
        action(ADD),
        action(values("twist", "add")),
        obj(["op", "mode"], op=LIST_ADD, mode=TWIST),
    ],
}


def documented() -> dict[str, tuple[str, str]]:
    """The rows of the table: action parameter, class with the hint true, class without."""
    _, _, table = DOCUMENT.partition("| action parameter | hint true | hint false or missing |\n| --- | --- | --- |\n")
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()]
    return {kind: (true, other) for kind, true, other in rows}


def test_the_document_has_the_rows_that_are_tested() -> None:
    assert list(documented()) == list(TABLE)


@pytest.mark.parametrize("kind", TABLE)
def test_the_table_in_the_document(kind: str) -> None:
    for schema in TABLE[kind]:
        told = [surface_class(tool(schema, hint)) for hint in (True, False, None)]
        assert told == [documented()[kind][0], documented()[kind][1], documented()[kind][1]]


def test_the_document_lists_the_words() -> None:
    listed = re.search(r"These values read: (.*?)\. Case", DOCUMENT, re.DOTALL)
    assert listed is not None
    assert tuple(listed[1].replace("\n", " ").split(", ")) == READING_VALUES
    assert all(f"`{name}`" in DOCUMENT for name in ACTION_NAMES)
