"""What a model reads when its call is refused: a place, what is wrong, what belongs there."""

from __future__ import annotations

from typing import Any

import pytest

from toolglot.errors import MAX_ERROR_LINES, ArgumentError, ArgumentsError, ToolglotError
from toolglot.fitting.describe import LIMIT, describe, shown
from toolglot.fitting.published import Published
from toolglot.schema.refs import Document
from toolglot.schema.tool import Tool

INT: dict[str, Any] = {"type": "integer"}
TEXT: dict[str, Any] = {"type": "string"}


def of(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def needs(*names: str, **properties: Any) -> dict[str, Any]:
    return {**of(**properties), "required": list(names)}


def refusal(schema: Any, value: Any) -> ArgumentsError:
    with pytest.raises(ArgumentsError) as caught:
        Published(Tool.of({"name": "t", "inputSchema": schema})).finish(value, False)
    return caught.value


TAGGED = {
    "oneOf": [
        needs("kind", "url", kind={"const": "link"}, url=TEXT),
        needs("kind", "body", kind={"const": "text"}, body={"type": "string", "minLength": 2}),
        needs("kind", "size", kind={"enum": ["image", "photo"]}, size=of(w=INT)),
    ]
}
KEYED = {"oneOf": [needs("id", id=TEXT), needs("slug", slug=TEXT)]}
FIELDS = {"type": "object", "anyOf": [{"required": ["id"]}, {"required": ["slug", "team"]}]}
TREE = {"$ref": "#/$defs/tree"}

AT_P: list[tuple[str, Any, Any, list[str]]] = [
    # Types.
    ("text for a number", INT, "x", ['/p: "x" is a text; expected a whole number']),
    ("fraction", INT, 1.5, ["/p: 1.5 is a number; expected a whole number"]),
    ("boolean for a text", TEXT, True, ["/p: true is a boolean; expected a text"]),
    ("object for a list", {"type": "array", "items": TEXT}, {},
     ["/p: is an object; expected a list (each item a text)"]),
    ("list for an object", needs("a", a=TEXT), [], ["/p: is a list; expected an object with `a`"]),
    ("null for a required", TEXT, None, ["/p: null is not allowed; expected a text"]),
    ("type list", {"type": ["integer", "null"]}, "x", ['/p: "x" is a text; expected a whole number or null']),
    # Values.
    ("enum", {"enum": ["a", "b"]}, "c", ['/p: "c" is not allowed; expected one of "a", "b"']),
    ("typed enum", {"type": "string", "enum": ["a"]}, 3, ['/p: 3 is not allowed; expected "a"']),
    ("enum of numbers", {"enum": [1, 2.5, None]}, "1", ['/p: "1" is not allowed; expected one of 1, 2.5, null']),
    ("long enum", {"enum": list(range(30))}, "x",
     [f'/p: "x" is not allowed; expected one of {", ".join(map(str, range(20)))} and 10 more']),
    ("const", {"const": "x"}, "y", ['/p: "y" is not allowed; expected "x"']),
    ("const object", {"const": {"a": 1}}, {}, ['/p: an empty object is not allowed; expected {"a": 1}']),
    # Bounds.
    ("too small", {**INT, "minimum": 1, "maximum": 9}, 0, ["/p: 0 is too small; expected a whole number from 1 to 9"]),
    ("too large", {**INT, "exclusiveMaximum": 9}, 9, ["/p: 9 is too large; expected a whole number below 9"]),
    ("step", {"type": "number", "multipleOf": 5}, 3, ["/p: 3 does not fit; expected a number that is a multiple of 5"]),
    ("too short", {**TEXT, "minLength": 2}, "", ['/p: "" is too short; expected a text of at least 2 characters']),
    ("too long", {**TEXT, "maxLength": 1}, "ab", ['/p: "ab" is too long; expected a text of at most 1 character']),
    ("pattern", {**TEXT, "pattern": "^[0-9]+$"}, "x",
     ['/p: "x" has another form; expected a text that matches ^[0-9]+$']),
    ("two bounds", {**TEXT, "minLength": 2, "pattern": "^a"}, "b",
     ['/p: "b" has another form; expected a text of at least 2 characters that matches ^a',
      '/p: "b" is too short; expected a text of at least 2 characters that matches ^a']),
    # Objects.
    ("missing", needs("a", "b", a=TEXT), {}, ["/p: `a` is missing; expected a text", "/p: `b` is missing"]),
    ("missing beside", {**of(a=TEXT, b=TEXT), "dependentRequired": {"a": ["b"]}}, {"a": ""},
     ["/p: `b` is missing beside `a`"]),
    ("too many names", {"type": "object", "maxProperties": 1}, {"a": 1, "b": 1},
     ["/p: has 2 names, too many; expected at most 1"]),
    ("too few names", {"type": "object", "minProperties": 1}, {}, ["/p: has 0 names, too few; expected at least 1"]),
    ("name", {"type": "object", "propertyNames": {"maxLength": 2}}, {"abc": 1},
     ['/p/abc: "abc" is no allowed name; expected a text of at most 2 characters']),
    ("no name", {"type": "object", "propertyNames": False}, {"a": 1},
     ['/p/a: "a" is no allowed name; expected no value']),
    ("never", of(a=False), {"a": 1}, ["/p/a: is not allowed here; expected to be left out"]),
    ("not together", {"not": {"required": ["a", "b"]}}, {"a": 1, "b": 1}, ["/p: `a`, `b` do not go together"]),
    ("not there", {"not": {"required": ["a"]}}, {"a": 1}, ["/p: `a` is not allowed here; expected to be left out"]),
    ("no value", {"not": {}}, 1, ["/p: is not allowed here; expected to be left out"]),
    ("a name of another branch", {"if": needs("b"), "then": of(a=TEXT), "unevaluatedProperties": False}, {"a": "x"},
     ["/p/a: `a` is an unknown name"]),
    ("names that depend", {"dependentSchemas": {"a": {"required": ["b"]}}}, {"a": 1}, ["/p: `b` is missing"]),
    ("not that", {"not": {"const": 1}}, 1, ["/p: 1 is not allowed; expected anything but 1"]),
    # Lists.
    ("too few items", {"type": "array", "minItems": 2}, [1],
     ["/p: has 1 item, too few; expected a list of at least 2 items"]),
    ("too many items", {"type": "array", "maxItems": 1}, [1, 2],
     ["/p: has 2 items, too many; expected a list of at most 1 item"]),
    ("twice", {"type": "array", "uniqueItems": True}, [1, 1], ["/p: has an item twice; expected each item once"]),
    ("one item too many", {"prefixItems": [INT], "items": False}, [1, 2],
     ["/p/1: is one item too many; expected at most 1 item"]),
    ("contains", {"type": "array", "contains": {"const": 1}}, [2],
     ["/p: has not as many of certain items as it should; expected an item that is 1"]),
    ("each item", {"type": "array", "items": INT}, [1, "a", "b"],
     ['/p/1: "a" is a text; expected a whole number', '/p/2: "b" is a text; expected a whole number']),
    # Unions.
    ("no branch takes the type", {"anyOf": [TEXT, of(a=TEXT)]}, 5, ["/p: 5 is a number; expected a text or an object"]),
    ("no scalar fits", {"anyOf": [{"enum": ["auto"]}, INT]}, "x",
     ['/p: "x" is not allowed; expected "auto" or a whole number']),
    ("nullable", {"anyOf": [INT, {"type": "null"}]}, "x", ['/p: "x" is a text; expected a whole number or null']),
    ("the branch of the tag", TAGGED, {"kind": "text", "body": "x"},
     ['/p/body: "x" is too short; expected a text of at least 2 characters']),
    ("the tag in a list", TAGGED, {"kind": "photo", "size": {"w": "x"}},
     ['/p/size/w: "x" is a text; expected a whole number']),
    ("a strange tag", TAGGED, {"kind": "sound"},
     ['/p/kind: "sound" is not allowed; expected one of "link", "text", "image", "photo"']),
    ("no tag", TAGGED, {"url": "x"}, ['/p: `kind` is missing; expected one of "link", "text", "image", "photo"']),
    ("tags that overlap", {"anyOf": [needs("a", k={"enum": [1, 2]}), needs("a", k={"enum": [2, 3]})]}, {"k": 2},
     ["/p: `a` is missing"]),
    ("the nearest branch", {"anyOf": [needs("a", "b", "c"), needs("a", "d")]}, {"a": 1},
     ["/p: something is missing; expected `b` and `c`, or `d`"]),
    ("the nearest branch by what is wrong", {"anyOf": [needs("a", "b", a=INT), needs("c", c=INT)]}, {"c": "x"},
     ['/p/c: "x" is a text; expected a whole number']),
    ("neither", KEYED, {}, ["/p: something is missing; expected `id` or `slug`"]),
    ("both", KEYED, {"id": "", "slug": ""}, ["/p: `id`, `slug` do not go together; expected only one of them"]),
    ("alternatives of required", FIELDS, {"slug": ""}, ["/p: something is missing; expected `id` or `team`"]),
    ("more than one form", {"oneOf": [INT, {"type": "number"}]}, 1,
     ["/p: 1 fits more than one form; expected only one of: a whole number; a number"]),
    ("a tree", TREE, {"label": "x", "children": [{"label": 1}]},
     ["/p/children/0/label: 1 is a number; expected a text"]),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "value", "lines"), [row[1:] for row in AT_P], ids=[row[0] for row in AT_P])
def test_says(schema: Any, value: Any, lines: list[str]) -> None:
    tree = needs("label", label=TEXT, children={"type": "array", "items": TREE})
    error = refusal({**needs("p", p=schema), "$defs": {"tree": tree}}, {"p": value})
    assert sorted(str(one) for one in error.errors) == sorted(lines)


def test_a_null_may_be_left_out_where_it_is_optional() -> None:
    error = refusal(needs("b", a=TEXT, b=INT), {"a": None, "b": None})
    assert [str(one) for one in error.errors] == [
        "/a: null is not allowed; expected a text, or leave it out",
        "/b: null is not allowed; expected a whole number",
    ]


@pytest.mark.parametrize("value", ["x", [], 3, True])
def test_arguments_are_an_object(value: Any) -> None:
    (error,) = refusal(of(a=TEXT), value).errors
    assert (error.pointer, error.expected) == ("", "an object with the arguments")


def test_never_all_of_seventeen_branches() -> None:
    branches = [needs("kind", *(f"f{n}" for n in range(place)), kind={"const": f"k{place}"}) for place in range(17)]
    error = refusal(needs("p", p={"anyOf": branches}), {"p": {"kind": "k3"}})
    assert [str(one) for one in error.errors] == [f"/p: `f{n}` is missing" for n in range(3)]
    untagged = [needs(f"f{place}", **{f"f{place}": INT}) for place in range(17)]
    assert len(refusal(needs("p", p={"anyOf": untagged}), {"p": {"f9": "x"}}).errors) == 1


def test_a_call_with_too_many_errors_to_list_names_one_place() -> None:
    error = refusal(of(p={"type": "array", "items": of(v=INT)}), {"p": [{"v": 1}] * 30_000 + [{"v": "x"}]})
    assert [str(one) for one in error.errors] == ['/p/30000/v: "x" is a text; expected a whole number']


def test_places_in_what_is_too_branched_to_list() -> None:
    ref = {"$ref": "#/$defs/n"}
    node = {
        "type": "object",
        "properties": {"all": {"type": "array", "items": ref}, "v": INT, "next": {"anyOf": [ref, ref]}},
        "additionalProperties": False,
    }
    schema = {**of(p={"allOf": [ref]}), "$defs": {"n": node}}
    value: dict[str, Any] = {"v": 1}
    for _ in range(11):
        value = {"next": value}
    error = refusal(schema, {"p": {"all": [value, {"v": "x"}]}})
    assert [str(one) for one in error.errors] == ['/p/all/1/v: "x" is a text; expected a whole number']


def test_the_fields() -> None:
    error = refusal(of(p=INT), {"p": "x"})
    assert isinstance(error, ToolglotError)
    assert (error.tool, error.errors) == ("t", (ArgumentError("/p", '"x" is a text', "a whole number"),))
    assert str(error) == 'The arguments of t are not valid:\n- /p: "x" is a text; expected a whole number'


@pytest.mark.parametrize("count", [1, MAX_ERROR_LINES - 1, MAX_ERROR_LINES, 500])
def test_the_text_has_twenty_lines_at_most(count: int) -> None:
    error = refusal(of(p={"type": "array", "items": INT}), {"p": ["x"] * count})
    lines = str(error).splitlines()
    assert len(error.errors) == count
    assert len(lines) == min(count + 1, MAX_ERROR_LINES)
    assert (lines[-1] == f"- and {count - MAX_ERROR_LINES + 2} more") == (count >= MAX_ERROR_LINES)


def test_the_text_has_no_control_characters() -> None:
    strange = "a\nb\x1b[31m\u2028"
    error = refusal(of(p={"enum": [strange]}, **{strange: INT}), {"p": f"{strange}x" * 20, strange: "x\n" * 90})
    assert len(error.errors) == 2
    assert "\\ud800" in str(ArgumentError("/a", "\ud800"))
    assert len(str(error).splitlines()) == 1 + len(error.errors)
    str(error).encode()
    assert not [char for char in str(error) if ord(char) < 32 and char != "\n"]


SHOWN: list[tuple[Any, str]] = [
    ("x", '"x"'),
    ("x" * 100, '"' + "x" * 57 + '..."'),
    ("größe\n", '"größe\\n"'),
    (1.5, "1.5"),
    (10**100, "1" + "0" * 56 + "..."),
    (None, "null"),
    ({"a": 1}, "an object"),
    ([1, 2], "a list of 2"),
    ([], "an empty list"),
]


@pytest.mark.parametrize(("value", "text"), SHOWN)
def test_shown(value: Any, text: str) -> None:
    assert shown(value) == text


DESCRIBED: list[tuple[Any, str]] = [
    (True, "any value"),
    (False, "no value"),
    ({}, "any value"),
    ({"title": "x"}, "any value"),
    ({"properties": {"a": True}}, "an object"),
    ({"minItems": 1, "maxItems": 1}, "a list of 1 item"),
    ({"type": "array", "items": {"type": "array", "items": TEXT}}, "a list (each item a list (each item a text))"),
    ({"type": "string", "format": "date"}, "a text in the form date"),
    ({"type": "string", "minLength": 1, "maxLength": 5}, "a text of 1 to 5 characters"),
    ({"type": "number", "exclusiveMinimum": 0, "maximum": 1}, "a number of at most 1 and above 0"),
    ({"allOf": [TEXT, {"minLength": 2}]}, "a text and a text of at least 2 characters"),
    ({"allOf": [{}, INT]}, "a whole number"),
    ({"oneOf": [{"type": "null"}, TEXT, TEXT]}, "a text or null"),
    ({"type": "string", "anyOf": [{"pattern": "a"}, {"minLength": 2}]},
     "a text that matches a or a text of at least 2 characters"),
    ({"anyOf": [{"const": place} for place in range(7)]}, "one of several forms"),
    ({"anyOf": [{"const": place} for place in range(70)]}, "one of several forms"),
    ({"type": ["string", "null"]}, "a text or null"),
    ({"required": list("abcdefghij")}, "an object with `a`, `b`, `c`, `d`, `e`, `f`, `g`, `h` and 2 more"),
    ({"$ref": "#/$defs/loop"}, "a list (each item a list (each item a list))"),
    ({"$ref": "#/$defs/same"}, "any value"),
    ({"enum": []}, "any value"),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "text"), DESCRIBED)
def test_described(schema: Any, text: str) -> None:
    loop = {"type": "array", "items": {"$ref": "#/$defs/loop"}}
    same = {"anyOf": [{"$ref": "#/$defs/same"}, {"$ref": "#/$defs/same"}]}
    document = Document({"$defs": {"loop": loop, "same": same}})
    assert describe(schema, document) == text


def test_a_description_is_short() -> None:
    assert len(describe({"enum": ["x" * 500] * 30}, Document(True))) == LIMIT
    assert len(describe({"const": {"a": "x" * 5_000}}, Document(True))) < LIMIT
