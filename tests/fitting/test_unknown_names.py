"""Names that a tool does not declare: slips are refused, the rest passes where the server takes it."""

from __future__ import annotations

from typing import Any

import pytest

from toolglot.errors import ArgumentsError
from toolglot.fitting.published import Published
from toolglot.fitting.unknown import near, nearest
from toolglot.schema.tool import Tool

TEXT: dict[str, Any] = {"type": "string"}


def of(*names: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": dict.fromkeys(names, TEXT), **more}


def within(schema: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"o": schema}}


CIRCLE = of("radius", properties={"kind": {"const": "circle"}, "radius": TEXT}, required=["kind"])
SQUARE = of("length", properties={"kind": {"const": "square"}, "length": TEXT}, required=["kind"])

PASSES: list[tuple[str, Any, Any]] = [
    ("nothing like a declared name", of("query"), {"toolCallId": "x"}),
    ("no names at all", {"type": "object"}, {"a": "x"}),
    ("a short name off by one", of("id", "a"), {"ix": "x", "b": "x"}),
    ("a middling name off by two", of("limits"), {"limixx": "x"}),
    ("near a name that is there", of("query"), {"query": "x", "querx": "x"}),
    ("declared open", of("query", additionalProperties=True), {"quer": "x"}),
    ("a map", of("query", additionalProperties=TEXT), {"quer": "x"}),
    ("patterns", of("query", patternProperties={"^q": TEXT}), {"quer": "x"}),
    ("an object that declares nothing", within({"type": "object"}), {"o": {"anything": 1}}),
    ("a name that is only required", of("query", required=["limit"]), {"limit": 1}),
    ("a name of the other branch", {"anyOf": [CIRCLE, SQUARE]}, {"kind": "circle", "length": "x"}),
    ("near a name of the other branch", {"anyOf": [CIRCLE, SQUARE]}, {"kind": "circle", "lenght": "x"}),
    ("declared in another part", {"allOf": [of("query"), of("quern")]}, {"quern": "x"}),
]


@pytest.mark.parametrize("mend", [False, "safe", "all"])
@pytest.mark.parametrize(("schema", "value"), [row[1:] for row in PASSES], ids=[row[0] for row in PASSES])
def test_passes(schema: Any, value: Any, mend: Any) -> None:
    found = Published(Tool.of({"name": "t", "inputSchema": schema})).finish(value, mend)
    assert (found.arguments, found.mended, found.checked) == (value, (), True)


SLIPS: list[tuple[str, Any, Any, list[str]]] = [
    ("case", of("userId"), {"userid": "x"}, ["/userid: `userid` is an unknown name; expected `userId`"]),
    ("underscore", of("userId"), {"user_id": "x"}, ["/user_id: `user_id` is an unknown name; expected `userId`"]),
    ("hyphen", of("user_id"), {"user-id": "x"}, ["/user-id: `user-id` is an unknown name; expected `user_id`"]),
    ("even if short", of("ID"), {"id": "x"}, ["/id: `id` is an unknown name; expected `ID`"]),
    ("one letter", of("name"), {"nam": "x"}, ["/nam: `nam` is an unknown name; expected `name`"]),
    ("two letters", of("recipient"), {"recepiant": "x"},
     ["/recepiant: `recepiant` is an unknown name; expected `recipient`"]),
    ("the nearest", of("recipient", "recipients"), {"recipientx": "x"},
     ["/recipientx: `recipientx` is an unknown name; expected `recipient`"]),
    ("deep", within({"type": "array", "items": of("query")}), {"o": [{}, {"querry": "x"}]},
     ["/o/1/querry: `querry` is an unknown name; expected `query`"]),
    ("through a reference", {**within({"$ref": "#/$defs/q"}), "$defs": {"q": of("query")}}, {"o": {"querry": "x"}},
     ["/o/querry: `querry` is an unknown name; expected `query`"]),
    ("in a branch", within({"anyOf": [TEXT, of("query")]}), {"o": {"querry": "x"}},
     ["/o/querry: `querry` is an unknown name; expected `query`"]),
    ("in the branch of the tag", {"anyOf": [CIRCLE, SQUARE]}, {"kind": "circle", "Radius": "x"},
     ["/Radius: `Radius` is an unknown name; expected `radius`"]),
    ("in an intersection", {"allOf": [of("query"), of("limit")]}, {"querry": "x"},
     ["/querry: `querry` is an unknown name; expected `query`"]),
    ("a required name in other spelling", of("query", required=["query"]), {"Query": "x"},
     ["arguments: `query` is missing; expected a text", "/Query: `Query` is an unknown name; expected `query`"]),
    ("several", of("query", "limit"), {"Query": "x", "limits": "x"},
     [f"/{name}: `{name}` is an unknown name; expected `{meant}`" for name, meant in
      (("Query", "query"), ("limits", "limit"))]),
    ("beside another error", of("query", "limit"), {"query": 1, "limits": "x"},
     ["/query: 1 is a number; expected a text", "/limits: `limits` is an unknown name; expected `limit`"]),
]  # fmt: skip

CLOSED: list[tuple[str, Any, Any, list[str]]] = [
    ("near", of("query", additionalProperties=False), {"querry": "x"},
     ["/querry: `querry` is an unknown name; expected `query`"]),
    ("part of it", of("query", "limit", additionalProperties=False), {"search_query": "x"},
     ["/search_query: `search_query` is an unknown name; expected `query`"]),
    ("far", of("query", "limit", additionalProperties=False), {"tool": "x"},
     ["/tool: `tool` is an unknown name; expected only `query`, `limit`"]),
    ("no names", {"type": "object", "additionalProperties": False}, {"a": 1},
     ["/a: `a` is an unknown name; expected no names"]),
    ("patterns", {"type": "object", "patternProperties": {"^x-": TEXT}, "additionalProperties": False}, {"a": 1},
     ["/a: `a` is an unknown name; expected only names that match ^x-"]),
    ("unevaluated", {"allOf": [of("query")], "unevaluatedProperties": False}, {"querry": "x", "query": "x"},
     ["/querry: `querry` is an unknown name; expected only `query`"]),
    ("what only follows", {"allOf": [of("query")], "unevaluatedProperties": False}, {"query": 1},
     ["/query: 1 is a number; expected a text"]),
    ("each name", of("query", additionalProperties=False), {"x": 1, "y": 2},
     ["/x: `x` is an unknown name; expected only `query`", "/y: `y` is an unknown name; expected only `query`"]),
]  # fmt: skip


@pytest.mark.parametrize("mend", [False, "safe", "all"])
@pytest.mark.parametrize(
    ("schema", "value", "lines"), [row[1:] for row in SLIPS + CLOSED], ids=[row[0] for row in SLIPS + CLOSED]
)
def test_refused_with_the_name_that_was_meant(schema: Any, value: Any, lines: list[str], mend: Any) -> None:
    with pytest.raises(ArgumentsError) as caught:
        Published(Tool.of({"name": "t", "inputSchema": schema})).finish(value, mend)
    assert [str(error) for error in caught.value.errors] == lines


def test_a_call_that_could_be_mended_is_refused_for_a_slip() -> None:
    schema = {"type": "object", "properties": {"limit": {"type": "integer"}, "query": TEXT}}
    with pytest.raises(ArgumentsError) as caught:
        Published(Tool.of({"name": "t", "inputSchema": schema})).finish({"limit": "5", "querry": "x"})
    assert [error.pointer for error in caught.value.errors] == ["/limit", "/querry"]


def test_many_names_are_compared_in_time() -> None:
    schema = {"type": "object", "properties": {f"name_{place}": {} for place in range(2_000)}}
    value = {f"other{place}": 1 for place in range(20_000)}
    assert Published(Tool.of({"name": "t", "inputSchema": schema})).finish(value).arguments == value


NEAR: list[tuple[str, list[str], str | None]] = [
    ("abcd", ["abcx"], "abcx"),
    ("abc", ["abx"], None),
    ("abcdefgh", ["abcdefxx"], "abcdefxx"),
    ("abcdefg", ["abcdexx"], None),
    ("abcde", ["abcd"], "abcd"),
    ("a_b-c", ["ABC"], "ABC"),
    ("ba", ["ab"], None),
    ("straße", ["STRASSE"], "STRASSE"),
    ("", ["a", "abcd"], None),
    ("x" * 300, ["x" * 299], None),
    ("files", ["file", "FILES"], "FILES"),
]


@pytest.mark.parametrize(("name", "declared", "meant"), NEAR)
def test_near(name: str, declared: list[str], meant: str | None) -> None:
    assert near(name, declared) == meant


@pytest.mark.parametrize(
    ("name", "meant"),
    [("user", "user_name"), ("the_query", "query"), ("qurey", None), ("x", None), ("limit_", "limit")],
)
def test_nearest(name: str, meant: str | None) -> None:
    assert nearest(name, ["query", "user_name", "limit"]) == meant
