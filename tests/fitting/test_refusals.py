"""Real error texts are recognised: who says them, which tool, which place, which feature."""

from __future__ import annotations

import json
import re
import tomllib
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from error_rows import OBJECT, ROWS, Row, at, root, tool
from tests.clock import ends_within, untraced

from toolglot.errors import ConfigError
from toolglot.fitting.error_places import locate, segments
from toolglot.fitting.names import wire_name
from toolglot.fitting.refusals import explain, explain_published
from toolglot.fitting.toolset import Toolset
from toolglot.schema.refs import Document
from toolglot.schema.tool import Tool
from toolglot.targets.load import SHIPPED, Catalogue


def tools_of(row: Row) -> list[Tool]:
    return [Tool.of(one, n) for n, one in enumerate(row.tools)]


@pytest.mark.parametrize("row", ROWS, ids=[row.source for row in ROWS])
def test_a_reported_text(row: Row) -> None:
    found = explain_published(row.text, tools_of(row))[0]
    assert (found.target.id, found.tool, found.pointer, found.feature) == (
        row.target,
        row.tool,
        row.pointer,
        row.feature,
    )


@pytest.mark.parametrize("row", ROWS, ids=[row.source for row in ROWS])
def test_a_reported_text_of_a_named_target(row: Row) -> None:
    found = explain_published(row.text, tools_of(row), SHIPPED.target(row.target))[0]
    assert (found.target.id, found.tool, found.pointer, found.feature) == (
        row.target,
        row.tool,
        row.pointer,
        row.feature,
    )


def test_there_are_enough_texts() -> None:
    assert len({row.source for row in ROWS}) >= 30


ASKING = (Path(__file__).parents[2] / "docs" / "asking.md").read_text()


def block(language: str) -> str:
    """The one code block of the document in a language."""
    (found,) = re.findall(rf"^```{language}\n(.*?)^```$", ASKING, re.MULTILINE | re.DOTALL)
    return found


def test_the_document_s_target_explains_its_text() -> None:
    table = tomllib.loads(block("toml"))["target"][0]
    own = Catalogue(extra=[table])
    text = table["error"][0]["says"]
    tools = [Tool.of(tool("entries_list", limit={"type": "number", "multipleOf": 5}))]
    (found,) = explain_published(text, tools, own.target("house"), catalogue=own)
    assert (found.tool, found.pointer, found.feature) == ("entries_list", "/properties/limit", "multiple-of")
    passed_on = "Invalid schema for function 'f': schema must be a JSON Schema of 'type: \"object\"', got 'type: null'"
    assert explain_published(passed_on, tools, own.target("house"), catalogue=own)[0].feature == "root-untyped"


ROOT_TEXT = "tools.0.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"


def test_the_document_s_code_runs(capsys: pytest.CaptureFixture[str]) -> None:
    def send(view: Any) -> None:
        raise SdkError({"message": ROOT_TEXT})

    exec(block("python"), {"Toolset": Toolset, "tools": [root("a", **OBJECT)], "send": send})
    assert capsys.readouterr().out == "None None root-union\n"


HOSTILE = [
    "\\",
    "Invalid tool schema: ",
    "tools[0].function_declarations[1].parameters",
    'Unknown name "a" at \'tools[0].function_declarations[1].parameters',
    "toolConfig.tools.1.",
    f"{ROOT_TEXT} ",
]


@untraced
@pytest.mark.parametrize("unit", HOSTILE)
def test_long_texts_end_soon(unit: str) -> None:
    with ends_within(2):
        explain_published(unit * (1_000_000 // len(unit)), [Tool.of(root("a", **OBJECT))])


UNKNOWN = "Unknown name \"{}\" at '{}': Cannot find field."
MANY = (
    ("multipleOf", "request.tools[0].function_declarations[1].parameters.properties[1].value"),
    ("additionalProperties", "tools[0].function_declarations[2].parameters"),
)


def test_a_text_with_many_complaints_is_read_whole() -> None:
    text = "\n".join(UNKNOWN.format(*row) for row in MANY)
    one = tool("one", a={"type": "string"}, b={"type": "number", "multipleOf": 2})
    tools = at(1, one, root("two", **OBJECT, additionalProperties=False))
    found = explain_published(f"{text}\n{text}", [Tool.of(tool) for tool in tools])
    assert [(one.tool, one.pointer, one.feature, one.sure) for one in found] == [
        ("one", "/properties/b", "multiple-of", True),
        ("two", "", "object-closed", True),
    ]


def test_tools_that_a_client_puts_in_front_move_the_index() -> None:
    """The tool at the index has nothing of the kind, so the only one that has it is named, as likely."""
    tools = [Tool.of(one) for one in at(5, root("either", type="object", anyOf=[{"required": ["a"]}]))]
    text = "tools.36.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
    (found,) = explain_published(text, tools)
    assert (found.index, found.tool, found.sure) == (36, "either", False)
    (sure,) = explain_published(text.replace("36", "5"), tools)
    assert (sure.tool, sure.sure) == ("either", True)


@pytest.mark.parametrize("row", ROWS, ids=[row.source for row in ROWS])
def test_without_tools_the_text_alone_is_explained(row: Row) -> None:
    found = explain_published(row.text, [])[0]
    assert (found.tool, found.sure) == (None, False)
    assert found.feature


def test_what_nobody_says_is_not_recognised() -> None:
    assert explain_published("the dog ate it", [Tool.of(root("a", **OBJECT))]) == ()
    assert explain_published("", []) == ()


class SdkError(Exception):
    """As SDKs make them: a short text, and the body of the response."""

    def __init__(self, body: Any) -> None:
        super().__init__("Error code: 400")
        self.body = body


def view_of(target: str, *tools: dict[str, Any]) -> Any:
    return Toolset(list(tools)).normalize(target)


def test_an_exception_about_a_view_leads_to_the_published_place() -> None:
    """Names and places of the request are those that were sent; what is told is what the server published."""
    nested = {"type": "object", "properties": {"$top": {"type": "array", "items": {"type": "string", "format": "uri"}}}}
    view = view_of("anthropic-nonstrict", root("fine", **OBJECT), tool("one.two", **{"the filter": nested}))
    sent = view.tools[1]
    assert sent.name != "one.two"
    (outer,) = sent.schema["properties"]
    body = {"message": f"tools.1.custom.input_schema: JSON schema is invalid. {outer}"}
    (found,) = explain(SdkError(body), view)
    assert (found.tool, found.index, found.feature) == (None, 1, "schema-invalid")
    strict = view_of("openai-strict", tool("one.two", a=nested))
    wire = strict.tools[0].name
    text = f"Invalid schema for function '{wire}': In context=('properties', 'a'), schema must have a 'type' key."
    assert explain(text, strict)[0].named == wire
    assert strict.explain(SdkError({"message": text})) == explain(text, strict)


def test_a_view_whose_names_changed_is_followed_back() -> None:
    view = view_of("anthropic-nonstrict", tool("a", **{"the filter": {"type": "object", "properties": {"x y": {}}}}))
    (outer,) = view.tools[0].schema["properties"]
    (inner,) = view.tools[0].schema["properties"][outer]["properties"]
    assert outer != "the filter"
    assert inner != "x y"
    text = "tools.0.custom.input_schema.properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'"
    assert explain(text, view)[0].spots == ()
    names = partial(wire_name, rule=view.target.property_name)
    published = Document(view.tools[0].published.tool.schema)
    found = locate(published, ("properties", outer, "properties", inner), names)
    assert found.pointer == "/properties/the filter/properties/x y"


def test_the_way_out_says_how_it_is_sent() -> None:
    text = "Unknown name \"type\" at 'tools[0].function_declarations[0].parameters.properties[0].value': Proto field"
    (found,) = explain_published(text, [Tool.of(tool("a", b={"type": ["string", "null"]}))])
    assert found.entry is not None
    assert (found.entry.pointer, found.entry.feature) == ("/properties/b", "type-list-null")


PLACES = [
    ("fields", ".properties[3].value.any_of[0].items", ("properties", "3", "anyOf", "0", "items")),
    ("fields", ".properties[url].additional_properties", ("properties", "url", "additionalProperties")),
    ("fields", '.properties["value"].properties[value]', ("properties", "value", "properties", "value")),
    ("fields", ".defs[A]", ("$defs", "A")),
    ("keys", "'properties', 'a.b', 'items'", ("properties", "a.b", "items")),
    ("keys", "", ()),
    ("dots", "root", ()),
    ("dots", "properties.a.$ref", ("properties", "a", "$ref")),
    ("names", ".a.b", ("properties", "a", "properties", "b")),
    ("slashes", "/properties/a~1b", ("properties", "a/b")),
    ("root", "whatever", ()),
]


@pytest.mark.parametrize(("form", "path", "expected"), PLACES)
def test_how_places_are_spelled(form: Any, path: str, expected: tuple[str, ...]) -> None:
    assert segments(path, form) == expected


DOCUMENT = Document({
    "properties": {
        "list": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
        "maybe": {"anyOf": [{"$ref": "#/$defs/Row"}, {"type": "null"}]},
        "self": {"$ref": "#/properties/self"},
        "gone": {"$ref": "#/$defs/Gone"},
    },
    "$defs": {"Row": {"properties": {"cell": {"type": ["string", "null"]}}}},
})  # fmt: skip
LOCATED = [
    (("properties", "0", "items", "properties", "cell"), "/$defs/Row/properties/cell", True),
    (("properties", "list", "properties", "cell"), "/$defs/Row/properties/cell", True),
    (("properties", "maybe", "properties", "cell", "type", "0"), "/$defs/Row/properties/cell", True),
    (("properties", "list", "items", "properties", "none"), "/$defs/Row", False),
    (("properties", "9"), "", False),
    (("properties",), "", False),
    (("properties", "self", "items"), "/properties/self", False),
    (("properties", "gone", "items"), "/properties/gone", False),
    (("properties", "maybe", "anyOf", "7"), "/properties/maybe", False),
    ((), "", True),
]


@pytest.mark.parametrize(("path", "pointer", "whole"), LOCATED)
def test_where_places_are(path: tuple[str, ...], pointer: str, whole: bool) -> None:
    found = locate(DOCUMENT, path)
    assert (found.pointer, found.whole) == (pointer, whole)


def table(**keys: Any) -> dict[str, Any]:
    proof = {"says": "tools.1 is bad", "evidence": "observed", "source": "a/b#1", "seen": "unknown"}
    error = {"pattern": r"tools\.(?P<index>\d+) is bad", "about": ["ref"], **proof, **keys}
    return {"id": "mine", "title": "Mine", "kind": "api", "error": [error]}


def test_a_project_has_error_texts_of_its_own() -> None:
    own = Catalogue(extra=[table()])
    refers = root("a", properties={"b": {"$ref": "#/$defs/B"}}, **{"$defs": {"B": {"type": "string"}}})
    (found,) = explain_published("400: tools.0 is bad", [Tool.of(refers)], catalogue=own)
    assert (found.target.id, found.tool, found.pointer, found.feature) == ("mine", "a", "/properties/b", "ref")


WRONG = [
    ({"pattern": "("}, "no regular expression"),
    ({"pattern": "nothing"}, "does not match the text in `says`"),
    ({"pattern": r"tools\.(?P<place>\d+) is bad"}, "unknown group 'place'"),
    ({"pattern": r"tools\.(?P<path>\d+) is bad"}, "needs the key `path`"),
    ({"path": "dots"}, "needs the key `path`"),
    ({"path": "odd"}, "`path` is 'odd'"),
    ({"pattern": r"(tools.)+1 is bad"}, "without a bound"),
    ({"about": ["reff"]}, "unknown feature, limit or kind of name 'reff'"),
    ({"about": "ref"}, "no list of texts"),
    ({"source": "hearsay"}, "no known form"),
    ({"patern": "x"}, "unknown key 'patern'"),
    ({"pattern": 1}, "`pattern` is no text"),
]


@pytest.mark.parametrize(("keys", "message"), WRONG, ids=[message for _, message in WRONG])
def test_error_texts_are_checked_when_they_load(keys: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match="target 'mine', error 1") as raised:
        Catalogue(extra=[table(**keys)]).target("mine")
    assert message in json.dumps(str(raised.value)).replace('\\"', '"')


@pytest.mark.parametrize("name", SHIPPED.ids)
def test_relatives_exist_and_no_text_is_kept_twice(name: str) -> None:
    target = SHIPPED.target(name)
    own = {error.pattern.pattern for error in target.errors}
    for other in target.errors_of:
        assert not own & {error.pattern.pattern for error in SHIPPED.target(other).errors}
