"""Mending: what is repaired, what is left alone, in which order, and what is reported."""

from __future__ import annotations

import json
from typing import Any

import pytest

from toolglot.errors import ArgumentsError
from toolglot.fitting.mend import MOST_MENDS, Mended
from toolglot.fitting.published import Published
from toolglot.schema.tool import Tool

INT: dict[str, Any] = {"type": "integer"}
NUM: dict[str, Any] = {"type": "number"}
TEXT: dict[str, Any] = {"type": "string"}
BOOL: dict[str, Any] = {"type": "boolean"}
TEXTS = {"type": "array", "items": TEXT}
INTS = {"type": "array", "items": INT}
REFUSED = "refused"


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def needs(*names: str, **properties: Any) -> dict[str, Any]:
    return {**of(**properties), "required": list(names)}


def either(*branches: Any) -> dict[str, Any]:
    return {"anyOf": list(branches)}


def text(value: Any) -> str:
    return json.dumps(value, sort_keys=True)


def restore(schema: Any, sent: Any, mend: Any) -> Any:
    try:
        return Published(Tool.of({"name": "t", "inputSchema": schema})).finish(sent, mend).arguments
    except ArgumentsError:
        return REFUSED


def check(schema: Any, sent: Any, received: Any, mend: Any) -> None:
    assert text(restore(schema, sent, mend)) == text(received)


OBJECT = of(a=INT)
TAGGED = {
    "oneOf": [needs("kind", "v", kind={"const": "text"}, v=TEXT), needs("kind", "v", kind={"const": "count"}, v=INT)]
}

SAFE: list[tuple[str, Any, Any, Any]] = [
    # Text where no text is allowed.
    ("an object", OBJECT, '{"a": 1}', {"a": 1}),
    ("an object within", of(o=OBJECT), {"o": '{"a": 1}'}, {"o": {"a": 1}}),
    ("texts inside the text stay", of(o={"type": "object"}), '{"a": "1"}', {"a": "1"}),
    ("a list", TEXTS, '["1"]', ["1"]),
    ("a list inside a list", {"type": "array", "items": INTS}, ["[1]", [2]], [[1], [2]]),
    ("encoded twice", TEXTS, '"[\\"1\\"]"', ["1"]),
    ("mended again inside", INTS, '["1", 2]', [1, 2]),
    ("whole floats inside", INTS, "[1.0]", [1]),
    ("null", {"type": ["integer", "null"]}, "null", None),
    ("a list or null", either(TEXTS, {"type": "null"}), "null", None),
    ("through a reference", {"$ref": "#/$defs/n"}, "8", 8),
    ("an intersection", {"allOf": [{"type": ["integer", "string"]}, {"enum": [1, 2]}]}, "2", 2),
    ("a value of an enum", {"enum": [1, 2]}, "2", 2),
    ("no value of an enum", {"enum": [1, 2]}, "3", REFUSED),
    ("a const", {"const": True}, "true", True),
    ("broken JSON", OBJECT, '{"a": 1', REFUSED),
    ("a doubled key", OBJECT, '{"a": 1, "a": 2}', REFUSED),
    ("JSON of another type", OBJECT, "[1]", REFUSED),
    ("invalid inside", OBJECT, '{"a": "x"}', REFUSED),
    ("words", OBJECT, "hello", REFUSED),
    # Text where text is allowed.
    ("digits", TEXT, "1", "1"),
    ("JSON", TEXT, '["x"]', '["x"]'),
    ("a word for null", either(TEXT, {"type": "null"}), "null", "null"),
    ("text or number", {"type": ["string", "integer"]}, "10", "10"),
    ("text of another form, or number", either({**TEXT, "pattern": "^[a-z]+$"}, INT), "10", REFUSED),
    ("a listed text, or number", either({"enum": ["auto"]}, INT), "10", REFUSED),
    ("a mixed enum", {"enum": ["auto", 1]}, "1", REFUSED),
    ("anything", {}, "8", "8"),
    ("untyped with a bound", {"minLength": 3}, "8", REFUSED),
    ("a map of texts or numbers", {"additionalProperties": {"type": ["string", "number"]}}, {"n": "3"}, {"n": "3"}),
    # Numbers.
    ("negative", NUM, "-1.25", -1.25),
    ("exponent", NUM, "1e3", 1000.0),
    ("large", INT, "123456789012345678901", 123456789012345678901),
    ("whole", INT, "3.0", 3),
    ("a number stays as written", NUM, "3.0", 3.0),
    ("spaces", INT, " 5 ", 5),
    ("a fraction for an integer", INT, "3.5", REFUSED),
    ("hexadecimal", INT, "0x10", REFUSED),
    ("separators", INT, "1,000", REFUSED),
    ("letters behind", INT, "10abc", REFUSED),
    ("leading zeros", INT, "007", REFUSED),
    ("a plus", INT, "+5", REFUSED),
    ("nothing", INT, "", REFUSED),
    ("more digits than a float holds", NUM, "0.12345678901234567890123", REFUSED),
    ("too large", NUM, "1e999", REFUSED),
    ("no number", NUM, "NaN", REFUSED),
    ("quoted twice", INT, '"5"', REFUSED),
    ("a number for a text", TEXT, 5, REFUSED),
    # Booleans.
    ("true", BOOL, "true", True),
    ("false", BOOL, "false", False),
    ("as Python writes it", BOOL, "False", False),
    ("yes", BOOL, "yes", REFUSED),
    ("a digit", BOOL, "0", REFUSED),
    ("a number", BOOL, 1, REFUSED),
    ("boolean or number", either(BOOL, INT), "1", 1),
    # Lists are not guessed.
    ("a lone text", TEXTS, "x", REFUSED),
    ("an object with numbered keys", INTS, {"0": 1}, REFUSED),
    # Branches.
    ("the branch of the tag", TAGGED, {"kind": "count", "v": "3"}, {"kind": "count", "v": 3}),
    ("text is text in the branch of the tag", TAGGED, {"kind": "text", "v": "3"}, {"kind": "text", "v": "3"}),
    ("no number made a text", TAGGED, {"kind": "text", "v": 3}, REFUSED),
    ("the only branch that fits", either(of(v=INT), BOOL), {"v": "3"}, {"v": 3}),
    ("two branches, two values", either(of(v=INT, w=TEXT), of(v=TEXT, w=INT)), {"v": "1", "w": "2"},
     REFUSED),
    ("two branches, one value", either(needs("v", v=INT), needs("v", v=NUM)), {"v": "1"}, {"v": 1}),
    ("text is allowed in the other branch", either(of(v=INT), of(v={**TEXT, "minLength": 3})), {"v": "1"}, REFUSED),
    ("the other branch lacks something", either(needs("v", v=INT), needs("v", "w", v=TEXT)), {"v": "1"}, {"v": 1}),
    ("deep in branches", either(BOOL, {"type": "array", "items": either(BOOL, OBJECT)}), ["true", {"a": "1"}],
     [True, {"a": 1}]),
    ("exactly one", {"oneOf": [BOOL, INT]}, "true", True),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "received"), [row[1:] for row in SAFE], ids=[row[0] for row in SAFE])
def test_safe_mends(schema: Any, sent: Any, received: Any) -> None:
    whole = {**needs("p", p=schema), "$defs": {"n": INT}}
    check(whole, {"p": sent}, received if received == REFUSED else {"p": received}, "safe")


NULLS: list[tuple[str, Any, Any, Any]] = [
    ("an optional", of(a=TEXT), {"a": None}, {}),
    ("deep", of(o=of(a=INT)), {"o": {"a": None}}, {"o": {}}),
    ("in items", of(l={"type": "array", "items": of(a=INT)}), {"l": [{"a": None}, {"a": 1}]}, {"l": [{}, {"a": 1}]}),
    ("an optional enum", of(a={"type": "string", "enum": ["x"]}), {"a": None}, {}),
    ("an optional union", of(a=either(TEXT, INT)), {"a": None}, {}),
    ("an impossible branch", of(a=either({"not": {}}, INT)), {"a": None}, {}),
    ("one that takes null", of(a={"type": ["string", "null"]}), {"a": None}, {"a": None}),
    ("one that takes anything", of(a={}), {"a": None}, {"a": None}),
    ("a required one", needs("a", a=TEXT), {"a": None}, REFUSED),
    ("an entry of a map", {"type": "object", "additionalProperties": TEXT}, {"k": None}, REFUSED),
    ("an item", of(l=TEXTS), {"l": [None]}, REFUSED),
    ("an unknown name", {**of(a=TEXT), "additionalProperties": False}, {"x": None}, REFUSED),
    ("what another name needs", {**of(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}}, {"a": "x", "b": None},
     REFUSED),
    ("what needs another name", {**of(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}}, {"a": None, "b": None}, {}),
    ("required in one branch only", either(needs("a", a=TEXT), of(a=TEXT)), {"a": None}, {}),
    ("a null and a text", of(a=TEXT, b=INT), {"a": None, "b": "1"}, {"b": 1}),
    ("a null beside what cannot be mended", of(a=TEXT, b=INT), {"a": None, "b": "x"}, REFUSED),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "received"), [row[1:] for row in NULLS], ids=[row[0] for row in NULLS])
def test_nulls(schema: Any, sent: Any, received: Any) -> None:
    check(schema, sent, received, "safe")


ALL: list[tuple[str, Any, Any, Any]] = [
    ("numbered keys", INTS, {"0": 1, "1": 2}, [1, 2]),
    ("numbered keys in any order", INTS, {"1": 2, "0": 1}, [1, 2]),
    ("a gap", INTS, {"0": 1, "2": 2}, REFUSED),
    ("starting with one", INTS, {"1": 1}, REFUSED),
    ("numbered keys within", {"type": "array", "items": INTS}, {"0": {"0": "1"}}, [[1]]),
    ("an object is allowed", either(INTS, {"type": "object"}), {"0": 1}, {"0": 1}),
    ("numbered keys, list or text", either(INTS, TEXT), {"0": 1}, REFUSED),
    ("an empty object", INTS, {}, REFUSED),
    ("a lone text", TEXTS, "x", ["x"]),
    ("a lone number", INTS, 5, [5]),
    ("a lone number as text", INTS, "5", [5]),
    ("a lone object", {"type": "array", "items": OBJECT}, {"a": 1}, [{"a": 1}]),
    ("two mends at one place", {"type": "array", "items": OBJECT}, '{"a": 1}', REFUSED),
    ("a list or a text", either(INTS, TEXT), 5, REFUSED),
    ("a list or null", either(INTS, {"type": "null"}), 5, [5]),
    ("something else is allowed", either(INTS, of(a=INT)), {"a": "x"}, REFUSED),
    ("a list within a list", {"type": "array", "items": TEXTS}, "x", REFUSED),
    ("perhaps several", TEXTS, "a, b", REFUSED),
    ("a broken list", TEXTS, '["a"', REFUSED),
    ("no text", TEXTS, "", REFUSED),
    ("the word null", TEXTS, "null", REFUSED),
    ("null", {"type": "array", "items": {"type": "null"}}, None, REFUSED),
    ("JSON counts first", {**TEXTS, "minItems": 1}, "[]", REFUSED),
    ("safe mends count first", either(INTS, INT), "3", 3),
    ("too few", {**INTS, "minItems": 2}, 5, REFUSED),
]


@pytest.mark.parametrize(("schema", "sent", "received"), [row[1:] for row in ALL], ids=[row[0] for row in ALL])
def test_guesses(schema: Any, sent: Any, received: Any) -> None:
    whole = needs("p", p=schema)
    check(whole, {"p": sent}, received if received == REFUSED else {"p": received}, "all")


NONE: list[tuple[str, Any, Any, Any, tuple[Mended, ...]]] = [
    ("nothing", None, "safe", {}, ()),
    ("nothing, no mending", None, False, {}, ()),
    ("null as text", "null", "safe", {}, (Mended("", "read as no arguments"),)),
    ("an empty text", "", "safe", {}, (Mended("", "read as no arguments"),)),
    ("an empty object as text", "{}", "safe", {}, (Mended("", "JSON text decoded"),)),
    ("no mending", "", False, REFUSED, ()),
    ("a list", [], "all", REFUSED, ()),
    ("words", "x", "all", REFUSED, ()),
    ("a number", 0, "all", REFUSED, ()),
]


@pytest.mark.parametrize(("sent", "mend", "received", "mends"), [row[1:] for row in NONE], ids=[row[0] for row in NONE])
def test_no_arguments(sent: Any, mend: Any, received: Any, mends: Any) -> None:
    check(of(a=TEXT), sent, received, mend)
    if received != REFUSED:
        assert Published(Tool.of({"name": "t"})).finish(sent, mend).mended == mends


REPORTED: list[tuple[Any, Any, tuple[tuple[str, str], ...]]] = [
    (of(o=OBJECT), {"o": '{"a": "1"}'}, (("/o", "JSON text decoded"), ("/o/a", "text made a number"))),
    (of(o=of(b=BOOL)), {"o": {"b": "true"}}, (("/o/b", "text made a boolean"),)),
    (of(a=TEXT), {"a": None}, (("/a", "null dropped"),)),
    (of(**{"a/b": INT}), {"a/b": 1.0}, (("/a~1b", "integral float made an integer"),)),
    (of(l=INTS), {"l": {"0": 1}}, (("/l", "object with the keys 0, 1, ... made a list"),)),
    (of(l=INTS), {"l": 1}, (("/l", "lone value made a list"),)),
    (of(u=TAGGED), {"u": {"kind": "count", "v": "1"}}, (("/u/v", "text made a number"),)),
    (of(l=INTS), {"l": "[1.0]"}, (("/l", "JSON text decoded"), ("/l/0", "integral float made an integer"))),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "sent", "mends"), REPORTED)
def test_each_mend_is_reported(schema: Any, sent: Any, mends: Any) -> None:
    found = Published(Tool.of({"name": "t", "inputSchema": schema})).finish(sent, "all")
    assert tuple((one.pointer, one.what) for one in found.mended) == mends


@pytest.mark.parametrize("schema", [row[0] for row in REPORTED])
def test_nothing_is_mended_unasked(schema: Any) -> None:
    for row in REPORTED:
        if row[0] is schema and not any("float" in what for _, what in row[2]):
            assert restore(schema, row[1], False) == REFUSED


@pytest.mark.parametrize(("count", "received"), [(MOST_MENDS, [1] * MOST_MENDS), (MOST_MENDS + 1, REFUSED)])
def test_a_call_is_mended_at_a_hundred_places_at_most(count: int, received: Any) -> None:
    check(of(l=INTS), {"l": ["1"] * count}, received if received == REFUSED else {"l": received}, "safe")


def test_a_call_that_cannot_be_mended_is_refused_as_it_was_sent() -> None:
    tool = Published(Tool.of({"name": "t", "inputSchema": of(a=INT, b=INT, c=TEXT)}))
    with pytest.raises(ArgumentsError) as caught:
        tool.finish({"a": "1", "b": "x", "c": None})
    assert [one.pointer for one in caught.value.errors] == ["/a", "/b", "/c"]


def test_a_thousand_branches_are_mended_by_their_tag() -> None:
    branches = [needs("k", "v", k={"const": place}, v=INT) for place in range(1_000)]
    check(of(u={"anyOf": branches}), {"u": {"k": 700, "v": "3"}}, {"u": {"k": 700, "v": 3}}, "safe")
