"""The last step of restoring: nothing valid is touched, what is mended is valid, every error has a place."""

from __future__ import annotations

import copy
import json
import threading
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.clock import ends_within, untraced
from tests.shared import cases, hard, needs_shared

from toolglot.errors import MAX_ERROR_LINES, ArgumentsError
from toolglot.fitting.failures import pointer_of
from toolglot.fitting.mend import WHOLE_FLOAT
from toolglot.fitting.published import Published, Restored
from toolglot.schema.tool import FrozenList, Tool
from toolglot.schema.values import is_list, is_map


def published(schema: Any) -> Published:
    return Published(Tool.of({"name": "t", "inputSchema": schema}))


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def text(value: Any) -> str:
    """JSON text, so that 1, 1.0 and true differ."""
    return json.dumps(value, sort_keys=True)


def outcome(tool: Published, arguments: Any, mend: Any) -> Restored | ArgumentsError:
    try:
        return tool.finish(arguments, mend)
    except ArgumentsError as error:
        return error


# Shared cases, judged on the published shape.


def case_rows(kind: str) -> list[Any]:
    """One row per value of `valid_arguments`, `invalid_arguments`, `model_arguments`."""
    rows: list[Any] = []
    for case in cases():
        schema = case.get("intended_schema") or case["tool"]["inputSchema"]
        for place, value in enumerate(case.get(kind, [])):
            rows.append(pytest.param(schema, value, id=f"{case['id']}-{place}"))
    return rows


@needs_shared
@pytest.mark.parametrize(("schema", "value"), case_rows("valid_arguments"))
def test_what_a_server_takes_passes_unchanged(schema: Any, value: Any) -> None:
    for mend in (False, "safe", "all"):
        found = published(schema).finish(value, mend)
        assert (text(found.arguments), found.mended, found.checked) == (text(value), (), True)


@needs_shared
@pytest.mark.parametrize(("schema", "row"), case_rows("model_arguments"))
def test_what_models_send_is_restored(schema: Any, row: Any) -> None:
    before = copy.deepcopy(row["sent"])
    found = outcome(published(schema), row["sent"], "all")
    received = found.arguments if isinstance(found, Restored) else "error"
    assert text(received) == text(row["server_should_receive"])
    assert text(row["sent"]) == text(before)


NOT_REFUSED = ("calendar-lookahead-openai-0", "cline-undefined-arguments-0")
"""A pattern that no linear engine compiles counts for nothing (a repair of the meaning); null means no arguments."""


@needs_shared
@pytest.mark.parametrize(
    ("schema", "value"), [row for row in case_rows("invalid_arguments") if row.id not in NOT_REFUSED]
)
def test_what_a_server_refuses_is_refused(schema: Any, value: Any) -> None:
    with pytest.raises(ArgumentsError) as caught:
        published(schema).finish(value, False)
    check_error(caught.value, value)


def hard_rows() -> list[Any]:
    return [pytest.param(row, id=row["id"]) for row in hard()]


@needs_shared
@pytest.mark.parametrize("row", hard_rows())
def test_hard_schemas(row: dict[str, Any]) -> None:
    tool = published(row["inputSchema"])
    for value in row.get("accept", []):
        assert text(tool.finish(value, "all").arguments) == text(value)
    for value in row.get("reject", []):
        check_error(outcome(tool, value, False), value)


def places(value: Any, path: tuple[str | int, ...] = ()) -> set[str]:
    """The pointers of all places in a value."""
    found = {pointer_of(path)}
    for step, item in value.items() if is_map(value) else enumerate(value) if is_list(value) else ():
        found |= places(item, (*path, step))
    return found


def check_error(error: Any, sent: Any) -> None:
    """An error has places that are there, and a text that a model can read in one go."""
    assert isinstance(error, ArgumentsError)
    assert error.errors
    assert {one.pointer for one in error.errors} <= places(sent)
    assert all(one.wrong for one in error.errors)
    lines = str(error).splitlines()
    assert 2 <= len(lines) <= MAX_ERROR_LINES
    assert max(map(len, lines)) < 900
    assert len({str(one) for one in error.errors}) == len(error.errors)


# Any schema, any value.

NAMES = st.sampled_from(["a", "b", "kind", "items"])
LEAVES = st.sampled_from(
    [
        *({"type": kind} for kind in ("string", "integer", "number", "boolean", "null", "array", "object")),
        {"type": ["string", "null"]},
        {"type": ["integer", "null"]},
        {"type": ["array", "object"]},
        {"type": "string", "minLength": 2, "pattern": "^[a-z]*$"},
        {"type": "integer", "minimum": 1, "maximum": 5},
        {"enum": ["a", "b"]},
        {"enum": [1, 2, None]},
        {"const": "x"},
        {"const": 1},
        {"not": {"type": "string"}},
        {"type": "array", "minItems": 1, "uniqueItems": True, "items": {"type": "integer"}},
        {"type": "object", "propertyNames": {"maxLength": 1}, "minProperties": 1},
        {"$ref": "#/$defs/d"},
        {},
        True,
        False,
    ]
)


RULES = st.sampled_from([{}, {}, {}, {}, {"dependentRequired": {"a": ["b"]}}, {"unevaluatedProperties": False}])


def objects(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    def made(properties: dict[str, Any], wanted: set[str], loose: bool, other: Any, rules: Any) -> dict[str, Any]:
        required = sorted(wanted if loose else wanted & properties.keys())
        words = {"required": required} if required else {}
        return {"type": "object", "properties": properties, **words, **other, **rules}

    properties = st.dictionaries(NAMES, inner, max_size=3)
    loose = st.sampled_from([False, False, False, True])
    other = st.one_of(st.just({}), st.just({}), st.builds(lambda value: {"additionalProperties": value}, inner))
    return st.builds(made, properties, st.sets(NAMES, max_size=2), loose, other, RULES)


def composed(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    some = st.lists(inner, min_size=1, max_size=3)
    return st.one_of(
        objects(inner),
        objects(inner),
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(lambda items, rest: {"type": "array", "prefixItems": items, "items": rest}, some, inner),
        st.builds(lambda branches: {"anyOf": branches}, some),
        st.builds(lambda branches: {"oneOf": branches}, some),
        st.builds(lambda parts: {"allOf": parts}, some),
        st.builds(lambda test, yes, no: {"if": test, "then": yes, "else": no}, inner, inner, inner),
    )


SCHEMAS = st.recursive(LEAVES, composed, max_leaves=8)
ROOTS = st.builds(lambda root, d: {**root, "$defs": {"d": d}}, objects(SCHEMAS), SCHEMAS)
TEXTS = st.sampled_from(["", "a", "x", "1", "-2", "1.0", "1.5", "0x1", "true", "null", "[]", "[1]", '{"a": 1}', "{}"])
VALUES = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-2, 7), st.sampled_from([1.0, 2.5, -0.0]), TEXTS),
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(NAMES, inner, max_size=3),
        st.dictionaries(st.sampled_from(["0", "1"]), inner, max_size=2),
    ),
    max_leaves=8,
)
SCALARS: dict[str, Any] = {"string": "ab", "integer": 1, "number": 1.5, "boolean": True, "null": None}


def near(draw: Any, schema: Any, root: Any, depth: int = 4) -> Any:
    """A value that a schema may take, with slips as models make them."""
    value = clean(draw, schema, root, depth)
    slip = draw(st.integers(0, 9))
    if slip == 0:
        return None
    if slip == 1:
        return json.dumps(value)
    if slip == 2 and type(value) is int:
        return float(value)
    if slip == 3 and is_list(value):
        return {str(place): item for place, item in enumerate(value)} if len(value) != 1 else value[0]
    return value


def clean(draw: Any, schema: Any, root: Any, depth: int) -> Any:
    if isinstance(schema, bool) or depth == 0 or not schema:
        return draw(VALUES)
    if "$ref" in schema:
        return near(draw, root["$defs"]["d"], root, depth - 1)
    if "enum" in schema or "const" in schema:
        return draw(st.sampled_from(schema.get("enum") or [schema["const"]]))
    for word in ("anyOf", "oneOf", "allOf"):
        if word in schema:
            return near(draw, draw(st.sampled_from(schema[word])), root, depth - 1)
    kinds = schema.get("type", "null")
    kind = draw(st.sampled_from(kinds)) if is_list(kinds) else kinds
    if kind == "object":
        given = draw(st.sets(NAMES))
        own = {name: item for name, item in schema.get("properties", {}).items() if name in given}
        extra = draw(st.dictionaries(NAMES, VALUES, max_size=1)) if draw(st.booleans()) else {}
        return {**extra, **{name: near(draw, item, root, depth - 1) for name, item in own.items()}}
    if kind == "array":
        items = [schema.get("items", {})] * draw(st.integers(0, 2))
        return [near(draw, item, root, depth - 1) for item in (*schema.get("prefixItems", ()), *items)]
    return SCALARS[kind]


@st.composite
def calls(draw: Any) -> tuple[Any, Any]:
    """A schema and arguments for it, half of them close to what it takes."""
    schema = draw(ROOTS)
    return schema, draw(CALLS) if draw(st.integers(0, 3)) == 0 else clean(draw, schema, schema, 4)


CALLS = st.dictionaries(NAMES, VALUES, max_size=4)


@settings(max_examples=400, deadline=None)
@given(call=calls())
def test_any_call_is_restored_or_refused_with_reasons(call: tuple[Any, Any]) -> None:
    schema, value = call
    tool = published(schema)
    before = text(value)
    for mend in (False, "safe", "all"):
        found = outcome(tool, value, mend)
        if isinstance(found, ArgumentsError):
            check_error(found, value)
        else:
            check_restored(tool, value, found)
            assert mend or {one.what for one in found.mended} <= {WHOLE_FLOAT}
        assert text(value) == before


def check_restored(tool: Published, sent: Any, found: Restored) -> None:
    """What is restored is valid; it differs from what was sent only where a mend is reported, and stays as it is."""
    assert found.checked
    assert tool.is_valid(found.arguments)
    assert bool(found.mended) == (text(found.arguments) != text(sent))
    if tool.is_valid(sent):
        assert found.arguments == sent
        assert {one.what for one in found.mended} <= {WHOLE_FLOAT}
    again = tool.finish(found.arguments, "all")
    assert (text(again.arguments), again.mended) == (text(found.arguments), ())
    assert len({one.pointer for one in found.mended if one.what != WHOLE_FLOAT}) == len(
        [one for one in found.mended if one.what != WHOLE_FLOAT]
    )


@settings(max_examples=200, deadline=None)
@given(call=calls())
def test_safe_never_does_more_than_all(call: tuple[Any, Any]) -> None:
    schema, value = call
    tool = published(schema)
    plain, safe, more = (outcome(tool, value, mend) for mend in (False, "safe", "all"))
    if isinstance(plain, Restored):
        assert plain == safe
    if isinstance(safe, Restored):
        assert isinstance(more, Restored)


TYPED = st.recursive(
    st.sampled_from([{"type": kind} for kind in ("string", "integer", "number", "boolean")]),
    lambda inner: st.one_of(
        st.builds(lambda items: {"type": "array", "items": items}, inner),
        st.builds(
            lambda properties: {"type": "object", "properties": properties, "additionalProperties": False},
            st.dictionaries(NAMES, inner, min_size=1, max_size=3),
        ),
        st.builds(lambda value: {"anyOf": [value, {"type": "null"}]}, inner),
    ),
    max_leaves=6,
)


def sloppy(draw: Any, schema: Any) -> tuple[Any, Any]:
    """A value that is valid for a typed schema, and a sloppy form of it that has one reading."""
    if "anyOf" in schema:
        value, sent = sloppy(draw, schema["anyOf"][0])
        return (value, sent) if draw(st.booleans()) else (None, None)
    kind = schema["type"]
    if kind == "string":
        return (draw(TEXTS),) * 2
    if kind == "array":
        pairs = [sloppy(draw, schema["items"]) for _ in range(draw(st.integers(0, 2)))]
        value, sent = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    elif kind == "object":
        given = {name: sloppy(draw, item) for name, item in schema["properties"].items() if draw(st.booleans())}
        value = {name: pair[0] for name, pair in given.items()}
        nulls = {name: None for name, item in schema["properties"].items() if name not in given and "type" in item}
        sent = {**(nulls if draw(st.booleans()) else {}), **{name: pair[1] for name, pair in given.items()}}
    else:
        value = sent = SCALARS[kind]
    return value, json.dumps(sent) if draw(st.booleans()) else sent


@st.composite
def sloppy_calls(draw: Any) -> tuple[Any, Any, Any]:
    schema = of(**{name: draw(TYPED) for name in ("a", "b")})
    pairs = {name: sloppy(draw, item) for name, item in schema["properties"].items()}
    return schema, *({name: pair[side] for name, pair in pairs.items()} for side in (0, 1))


@settings(max_examples=300, deadline=None)
@given(call=sloppy_calls())
def test_sloppy_calls_come_back_as_they_were_meant(call: tuple[Any, Any, Any]) -> None:
    schema, meant, sent = call
    assert text(published(schema).finish(sent).arguments) == text(meant)


# Whole numbers.

WHOLE: list[tuple[str, Any, Any, Any]] = [
    ("integer", {"type": "integer"}, 3.0, 3),
    ("number", {"type": "number"}, 3.0, 3.0),
    ("both", {"type": ["integer", "number"]}, 3.0, 3.0),
    ("nullable", {"type": ["integer", "null"]}, 3.0, 3),
    ("union with a text", {"anyOf": [{"type": "integer"}, {"type": "string"}]}, 3.0, 3),
    ("union with a number", {"anyOf": [{"type": "integer"}, {"type": "number"}]}, 3.0, 3.0),
    ("exactly one", {"oneOf": [{"type": "integer"}, {"type": "string"}]}, 3.0, 3),
    ("listed", {"enum": [1, 2, 3]}, 3.0, 3),
    ("listed floats", {"enum": [1.5, 3.0]}, 3.0, 3.0),
    ("const", {"const": 3}, 3.0, 3),
    ("anything", {}, 3.0, 3.0),
    ("intersection", {"allOf": [{"type": "number"}, {"type": "integer"}]}, 3.0, 3),
    ("at its bound", {"type": "integer", "maximum": 3}, 3.0, 3),
    ("in a list", {"type": "array", "items": {"type": "integer"}}, [1.0, 2, 3.0], [1, 2, 3]),
    ("in a map", {"type": "object", "additionalProperties": {"type": "integer"}}, {"k": 1.0}, {"k": 1}),
    ("zero", {"type": "integer"}, -0.0, 0),
    ("beyond exact floats", {"type": "integer"}, 1e300, int(1e300)),
    (
        "the branch that a tag chooses",
        {"oneOf": [of(kind={"const": "n"}, v={"type": "number"}), of(kind={"const": "i"}, v={"type": "integer"})]},
        {"kind": "i", "v": 1.0},
        {"kind": "i", "v": 1},
    ),
    (
        "the branch that a tag does not choose",
        {"oneOf": [of(kind={"const": "n"}, v={"type": "number"}), of(kind={"const": "i"}, v={"type": "integer"})]},
        {"kind": "n", "v": 1.0},
        {"kind": "n", "v": 1.0},
    ),
]


@pytest.mark.parametrize(("schema", "sent", "received"), [row[1:] for row in WHOLE], ids=[row[0] for row in WHOLE])
def test_whole_numbers(schema: Any, sent: Any, received: Any) -> None:
    found = published(of(p=schema)).finish({"p": sent}, False)
    assert text(found.arguments["p"]) == text(received)
    assert {one.what for one in found.mended} <= {WHOLE_FLOAT}
    assert bool(found.mended) == (text(sent) != text(received))


def test_whole_numbers_in_a_call_with_other_errors() -> None:
    found = published(of(n={"type": "integer"}, b={"type": "boolean"})).finish({"n": 1.0, "b": "true"})
    assert text(found.arguments) == '{"b": true, "n": 1}'


# No verdict, parts, plain values.


def test_what_cannot_be_judged_is_passed_on() -> None:
    found = published(of(p={"type": "string", "pattern": "a"})).finish({"p": "\ud800"})
    assert (found.arguments, found.checked) == ({"p": "\ud800"}, False)


def test_what_is_too_deep_is_passed_on() -> None:
    value: dict[str, Any] = {}
    for _ in range(5_000):
        value = {"a": value}
    assert published(of(p={"type": "string"})).finish(value).checked is False


def test_a_value_that_contains_itself_ends() -> None:
    value: dict[str, Any] = {}
    value["a"] = value
    assert published(of(p={"type": "string"})).finish(value).checked is False


def test_frozen_values_are_judged() -> None:
    found = published(of(p={"type": "array", "items": {"type": "integer"}})).finish({"p": FrozenList([1, 2])})
    assert (found.arguments, found.checked) == ({"p": [1, 2]}, True)


def test_a_schema_that_cannot_be_compiled_judges_nothing() -> None:
    tool = published(of(p={"anyOf": [{"$ref": "#/$defs/d"}], "pattern": "(a{1000}){1000}"}))
    for value in ({"p": 1}, {"p": "a"}):
        assert tool.finish(value).arguments == value


def test_plain_places_are_handed_on() -> None:
    assert published(of()).finish({}, plain=("/a",)).plain == ("/a",)


FANS: list[tuple[str, dict[str, Any]]] = [
    (word, {"type": "object", "properties": {"a": {word: [{"$ref": "#"}, {"$ref": "#"}]}}, "required": ["z"]})
    for word in ("anyOf", "oneOf", "allOf")
]


@untraced
@pytest.mark.parametrize("schema", [row[1] for row in FANS], ids=[row[0] for row in FANS])
@pytest.mark.parametrize("levels", [8, 12, 24, 60])
def test_branches_that_multiply_end_soon(schema: dict[str, Any], levels: int) -> None:
    value: dict[str, Any] = {}
    for _ in range(levels):
        value = {"a": value, "z": 1}
    with ends_within(1):
        found = outcome(published(schema), value, "all")
    assert isinstance(found, ArgumentsError) or not found.checked


def test_references_that_multiply_in_place_are_not_followed() -> None:
    both = {f"d{n}": {"allOf": [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(40)}
    schema = {"$ref": "#/$defs/d0", "$defs": {**both, "d40": {"type": "object"}}}
    assert published(schema).finish({}).checked is False


LARGE: list[tuple[str, Any, Any]] = [
    ("numbers for texts", {"type": "array", "items": {"type": "string"}}, [1] * 1_000_000),
    ("texts for numbers", {"type": "array", "items": {"type": "integer"}}, ["1"] * 100_000),
    ("brackets", {"type": "object"}, "[" * 5_000_000),
    ("digits", {"type": "integer"}, "1" * 5_000_000),
    ("a long enum", {"enum": [f"v{n}" for n in range(50_000)]}, "x"),
    ("many digits", {"type": "integer", "maximum": 5}, 10**900),
]


@untraced
@pytest.mark.parametrize(("schema", "value"), [row[1:] for row in LARGE], ids=[row[0] for row in LARGE])
def test_large_calls_end_soon(schema: Any, value: Any) -> None:
    with ends_within(1):
        found = outcome(published(of(p=schema)), {"p": value}, "all")
    assert isinstance(found, ArgumentsError)
    assert len(str(found)) < 2_000


def test_parts_of_the_meaning() -> None:
    tool = published(
        {
            "type": "object",
            "properties": {"a/b": {"$ref": "#/$defs/n"}, "l": {"type": "array", "items": {"$ref": "#/$defs/n"}}},
            "$defs": {"n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}, "v": {"type": "integer"}}}},
        }
    )
    assert tool.judge.verdict({"next": {"v": 1}}, "/properties/a~1b") is True
    assert tool.judge.verdict({"next": {"v": "1"}}, "/properties/l/items") is False
    assert tool.judge.verdict({}, "/properties/none") is None
    assert tool.judge.verdict({"v": "\ud800", "next": "\ud800"}, "/$defs/n") in (None, False)
    assert tool.valid_for({"type": "array", "items": {"$ref": "#/$defs/n"}}, [{"v": "1"}]) is False
    assert tool.valid_for({"type": "array", "items": {"$ref": "#/$defs/n"}}, [{"v": 1}]) is True


def test_one_tool_serves_many_threads() -> None:
    tool = published({**of(p={"anyOf": [of(v={"type": "integer"}), {"type": "boolean"}]}), "required": ["p"]})
    found: list[Any] = []

    def restore() -> None:
        found.extend(tool.finish({"p": {"v": "1"}}).arguments["p"]["v"] for _ in range(50))

    threads = [threading.Thread(target=restore) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [1] * 400
