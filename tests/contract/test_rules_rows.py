"""Each rule in rows: a schema, and exactly what all rules together say about it."""

from __future__ import annotations

from typing import Any

import pytest
from rule_rows import STRING, found, found_in, hits, hits_of_list, obj, param, tagged, union

A = obj(["a"], a=STRING)
B = obj(["b"], b=STRING)
LIST = {"type": "array", "items": STRING}
NULL = {"type": "null"}
DRAFT_7 = "http://json-schema.org/draft-07/schema#"
X = "/properties/x"

ALLOWED = {
    "no union": param(A),
    "scalars": param(union(STRING, {"type": "integer"}, {"type": "boolean"})),
    "one structured and scalars": param(union(A, STRING, {"type": "integer"})),
    "object or null": param(union(A, NULL)),
    "list or null": param(union(LIST, NULL)),
    "list or text": param(union(LIST, STRING)),
    "a referred object or null": param(union({"$ref": "#/$defs/A"}, NULL), **{"$defs": {"A": A}}),
    "enum or text": param(union({"enum": ["a", "b"]}, {"type": "string", "pattern": "^x"})),
    "only required differs": {**obj(a=STRING, b=STRING), "anyOf": [{"required": ["a"]}, {"required": ["b"]}]},
    "one of, scalars": param(union(STRING, {"type": "integer"}, keyword="oneOf")),
    "type list": param({"type": ["array", "string", "null"], "items": STRING}),
    "type list of two structured types": param({"type": ["array", "object"], "items": STRING, "properties": {}}),
    "map": param({"type": "object", "additionalProperties": STRING}),
    "condition over what is in sight": {
        **obj(["mode"], mode={"enum": ["quick", "deep"]}, size={"type": "integer"}),
        "allOf": [{"if": {"properties": {"mode": {"const": "quick"}}}, "then": {"required": ["size"]}}],
    },
    "tuple": param({"type": "array", "prefixItems": [STRING, {"type": "integer"}]}),
    "draft-07 tuple that says so": param({"type": "array", "items": [STRING]}, **{"$schema": DRAFT_7}),
    "parameters named like keywords": obj(type=STRING, properties=A, items=STRING, anyOf=LIST, required=STRING),
    "data that looks like a schema": param({"type": "object", "default": {"anyOf": [A, B], "type": "array"}}),
    "recursive": param({"$ref": "#/$defs/N"}, **{"$defs": {"N": obj(next={"$ref": "#/$defs/N"}, label=STRING)}}),
    "undeclared required in a map": param({"type": "object", "additionalProperties": STRING, "required": ["en"]}),
    "required declared in a part": param({"allOf": [A, {"type": "object", "required": ["a"]}], "type": "object"}),
    "required declared by a reference": param(
        {"$ref": "#/$defs/A", "required": ["a"]}, **{"$defs": {"A": obj(a=STRING)}}
    ),
    "any value of a map or list of anything said so": param({"type": "object", "additionalProperties": {}}),
    "an array that lists its values": param({"type": "array", "enum": [["a"], ["b"]]}),
    "an array tested by not": param({"not": {"type": "array"}, "type": ["string", "array"], "items": STRING}),
    "items in a part": param({"type": "array", "allOf": [{"items": STRING}]}),
    "items beside the union": param({"anyOf": [{"type": "array"}, NULL], "items": STRING}),
}


@pytest.mark.parametrize("schema", ALLOWED.values(), ids=ALLOWED)
def test_allowed_forms_have_no_finding(schema: Any) -> None:
    assert found_in(schema) == set()


def both(*pointers: str, code: str = "TG101", severity: str = "error") -> set[tuple[str, str, str]]:
    return {(code, severity, pointer) for pointer in pointers}


CLASHING = {"type": "object", "properties": {"t": {"const": 1}}, "required": ["t"]}
TWO = union(tagged("a"), tagged("b"))
NOTE = "note"
WARN = "warning"

FOUND: list[tuple[str, Any, set[tuple[str, str, str]]]] = [
    # TG101
    ("two objects", param(TWO), both(X)),
    ("one of", param(union(tagged("a"), tagged("b"), keyword="oneOf")), both(X)),
    ("list and object", param(union(LIST, A)), both(X)),
    ("two objects and null", param(union(tagged("a"), tagged("b"), NULL)), both(X)),
    ("object in a type list", param(union({**A, "type": ["object", "null"]}, LIST)), both(X)),
    ("objects without type", param(union({"properties": {"k": {"const": 1}}, "required": ["k"]}, LIST)),
     both(X) | {("TG107", NOTE, f"{X}/anyOf/0"), ("TG110", NOTE, X)}),
    ("list without type", param(union({"items": STRING}, A)),
     both(X) | {("TG107", NOTE, f"{X}/anyOf/0"), ("TG110", NOTE, X)}),
    ("in items", param({"type": "array", "items": TWO}), both(f"{X}/items")),
    ("in a map", param({"type": "object", "additionalProperties": TWO}), both(f"{X}/additionalProperties")),
    ("in patternProperties", param({"type": "object", "patternProperties": {"^a/b": TWO}}),
     both(f"{X}/patternProperties/^a~1b")),
    ("in prefixItems", param({"type": "array", "prefixItems": [TWO]}), both(f"{X}/prefixItems/0")),
    ("in contains", param({**LIST, "contains": TWO}), both(f"{X}/contains")),
    ("in allOf", param({"allOf": [TWO]}), both(f"{X}/allOf/0")),
    ("in not", param({"type": "string", "not": TWO}), both(f"{X}/not")),
    ("in if", param({**A, "if": TWO}), both(f"{X}/if")),
    ("in dependentSchemas", param({**A, "dependentSchemas": {"a": TWO}}), both(f"{X}/dependentSchemas/a")),
    ("in unreferenced $defs", param(STRING, **{"$defs": {"U": TWO}}), both("/$defs/U")),
    ("in definitions, used twice", obj(x={"$ref": "#/definitions/U"}, y={"$ref": "#/definitions/U"})
     | {"definitions": {"U": TWO}}, both("/definitions/U")),
    ("by reference", param(union({"$ref": "#/$defs/A"}, {"$ref": "#/$defs/B"}),
     **{"$defs": {"A": tagged("a"), "B": tagged("b")}}), both(X)),
    ("by a chain of references", param(union({"$ref": "#/$defs/A"}, LIST),
     **{"$defs": {"A": {"$ref": "#/$defs/B"}, "B": A}}), both(X)),
    ("by a pointer into the document", obj(x=A, y=union({"$ref": "#/properties/x"}, LIST)), both("/properties/y")),
    ("discriminator is no way out", param({**union(tagged("a"), tagged("b"), keyword="oneOf"),
     "discriminator": {"propertyName": "kind"}}), both(X)),
    ("both keywords at one node", param({**TWO, "oneOf": [LIST, A]}), both(X)),
    ("a union in a branch", param(union(tagged("a"), tagged("b", x=TWO))), both(X, f"{X}/anyOf/1/properties/x")),
    # TG102
    ("empty root", {}, both("", code="TG102")),
    ("root that only names its dialect", {"$schema": DRAFT_7}, both("", code="TG102")),
    ("true", True, both("", code="TG102")),
    ("root with properties but no type", {"properties": {"a": STRING}}, both("", code="TG102")),
    ("root of another type", {"type": "array", "items": STRING}, both("", code="TG102")),
    ("root with a type list", {"type": ["object", "null"], "properties": {"a": STRING}}, both("", code="TG102")),
    ("root reference", {"$ref": "#/$defs/A", "$defs": {"A": A}}, both("", code="TG102")),
    ("root reference with type", {"type": "object", "$ref": "#/$defs/A", "$defs": {"A": A}}, both("", code="TG102")),
    ("root union", TWO, both("", code="TG102") | both("")),
    ("root union with type", {"type": "object", **TWO}, both("", code="TG102") | both("")),
    ("root allOf", {"type": "object", "allOf": [A, B]}, both("", code="TG102")),
    ("a parameter in a condition", {**obj(a=STRING), "if": {"required": ["a"]}, "then": {"properties": {"b": STRING}}},
     both("", code="TG102")),
    # TG103, TG104, TG105, TG114, TG115
    ("description null", param({"type": "string", "description": None}), both(X, code="TG103")),
    ("list items undeclared", param({"type": "array", "items": [STRING]}), both(X, code="TG103")),
    ("exclusive flag", param({"type": "number", "minimum": 0, "exclusiveMinimum": True}), both(X, code="TG103")),
    ("unknown type", param({"type": "text"}), both(X, code="TG103")),
    ("a property that is no schema", obj(a="string"), both("", code="TG103")),
    ("required as a flag", param({"type": "string", "required": True}), both(X, code="TG103")),
    ("wrong for the dialect it names", param({"type": "integer", "minimum": 0, "exclusiveMinimum": 1},
     **{"$schema": "http://json-schema.org/draft-04/schema#"}), both(X, code="TG103")),
    ("dangling", param({"$ref": "#/$defs/Gone"}), both(X, code="TG104")),
    ("dangling anchor", param({"$ref": "#gone"}), both(X, code="TG104")),
    ("web address", param({"$ref": "https://example.com/a.json"}), both(X, code="TG105")),
    ("file", param({"$ref": "file:///etc/hosts"}), both(X, code="TG105")),
    ("relative to $id", param({"$ref": "other.json"}, **{"$id": "https://example.com/a.json"}), both(X, code="TG105")),
    ("unknown dialect", param(STRING, **{"$schema": "https://example.com/x"}), both("", code="TG114", severity=NOTE)),
    ("look-around", param({"type": "string", "pattern": "^(?!a)b"}), both(X, code="TG115", severity=NOTE)),
    ("broken pattern", param({"type": "string", "pattern": "("}), both(X, code="TG115", severity=NOTE)),
    ("look-around in a key", param({"type": "object", "patternProperties": {"^(?=a)": STRING}}),
     both(X, code="TG115", severity=NOTE)),
    # TG106, TG107, TG108
    ("array", param({"type": "array"}), both(X, code="TG106")),
    ("array of arrays", param({"type": "array", "items": {"type": "array"}}), both(f"{X}/items", code="TG106")),
    ("array in a type list", param({"type": ["array", "null"]}), both(X, code="TG106")),
    ("array in $defs", param(STRING, **{"$defs": {"L": {"type": "array"}}}), both("/$defs/L", code="TG106")),
    ("array in a branch", param(union({"type": "array"}, STRING)), both(f"{X}/anyOf/0", code="TG106")),
    ("any value", param({}), both(X, code="TG107", severity=NOTE)),
    ("any value, true", param(True), both(X, code="TG107", severity=NOTE)),
    ("any value, described", param({"description": "Anything."}), both(X, code="TG107", severity=NOTE)),
    ("only a bound", param({"minLength": 1}), both(X, code="TG107", severity=NOTE)),
    ("items of any kind", param({"type": "array", "items": {}}), both(f"{X}/items", code="TG107", severity=NOTE)),
    ("properties without type", param({"properties": {"a": STRING}}), both(X, code="TG107", severity=NOTE)),
    ("ghost", obj(["b"], a=STRING), both("", code="TG108", severity=WARN)),
    ("ghost in an object without properties", param({"type": "object", "required": ["a"]}),
     both(X, code="TG108", severity=WARN)),
    ("ghost in a closed object", param({**A, "additionalProperties": False, "required": ["z"]}),
     both(X, code="TG108", severity=WARN)),
    ("ghost in one branch", param(union({**obj(["b"], a=STRING)}, NULL)),
     both(f"{X}/anyOf/0", code="TG108", severity=WARN)),
    # TG110
    ("optional tags", param(union(obj(kind={"const": "a"}), obj(kind={"const": "b"}))),
     both(X) | both(X, code="TG110")),
    ("titles", param(union({**obj(a=STRING), "title": "Cat"}, {**obj(b=STRING), "title": "Dog"})),
     both(X) | both(X, code="TG110")),
    ("definitions", param(union({"$ref": "#/$defs/Cat"}, {"$ref": "#/$defs/Dog"}),
     **{"$defs": {"Cat": obj(a=STRING), "Dog": obj(a=STRING)}}), both(X) | both(X, code="TG110")),
    ("nameless objects", param(union(A, B)), both(X) | both(X, code="TG110", severity=NOTE)),
    ("one name", param(union({**A, "title": "T"}, {**B, "title": "T"})),
     both(X) | both(X, code="TG110", severity=NOTE)),
    ("lists", param(union(LIST, {"type": "array", "items": {"type": "integer"}})),
     both(X) | both(X, code="TG110", severity=NOTE)),
    ("closed, nothing in common", param(union({**A, "title": "Cat", "additionalProperties": False},
     {**B, "title": "Dog", "additionalProperties": False})), both(X)),
    ("other types of one name", param(union({**A, "title": "Cat"}, {**obj(["a"], a=LIST), "title": "Dog"})), both(X)),
    ("bounds that exclude each other", param(union(
        {**obj(["n"], n={"type": "integer", "maximum": 3}), "title": "Low"},
        {**obj(["n"], n={"type": "integer", "minimum": 4}), "title": "High"})), both(X)),
    ("recursive branches", param({"$ref": "#/$defs/F"}, **{"$defs": {"F": union(
        {**obj(["f"], f=STRING), "title": "Leaf"},
        {**obj(["all"], all={"type": "array", "items": {"$ref": "#/$defs/F"}}), "title": "Group"})}}),
     both("/$defs/F") | both("/$defs/F", code="TG110")),
    ("required numbers that differ", param(union(CLASHING, {**CLASHING, "properties": {"t": {"const": 2}}})), both(X)),
    # TG111, TG112, TG113
    ("no parameters", {"type": "object"}, both("", code="TG111", severity=NOTE)),
    ("no parameters, closed", {"type": "object", "properties": {}, "additionalProperties": False},
     both("", code="TG111", severity=NOTE)),
    ("text first", param(union(STRING, LIST)), both(X, code="TG112", severity=WARN)),
    ("null first", param(union(NULL, A)), both(X, code="TG112", severity=WARN)),
    ("text first, by reference", param(union(STRING, {"$ref": "#/$defs/A"}), **{"$defs": {"A": A}}),
     both(X, code="TG112", severity=WARN)),
    ("wrapped objects", param(union({"allOf": [A]}, {"allOf": [B]})), both(X, code="TG113", severity=NOTE)),
    ("a union in a union", param(union(TWO, NULL)),
     both(f"{X}/anyOf/0") | both(X, code="TG113", severity=NOTE)),
    ("one hidden beside one in sight", param(union(LIST, {"allOf": [A]})), both(X, code="TG113", severity=NOTE)),
    ("an optional of an optional", param(union(union(A, NULL), NULL)), set()),
    ("two optionals", param(union(union(A, NULL), union(B, NULL))), both(X, code="TG113", severity=NOTE)),
    ("one intersection of two objects", param(union({"allOf": [A, B]}, NULL)), set()),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "expected"), [row[1:] for row in FOUND], ids=[row[0] for row in FOUND])
def test_findings(schema: Any, expected: set[tuple[str, str, str]]) -> None:
    assert found_in(schema) == expected


def test_a_union_at_both_keywords_is_two_findings_with_their_keywords() -> None:
    told = hits(param({**TWO, "oneOf": [LIST, A]}), "TG101")
    assert [(hit.pointer, hit.keyword) for hit in told] == [(X, "anyOf"), (X, "oneOf")]


def test_a_missing_input_schema_hides_the_root() -> None:
    assert found([{"name": "t"}]) == both("", code="TG102")


def test_doubled_names_are_told_at_every_tool_but_the_first() -> None:
    tools = [{"name": name, "inputSchema": param(STRING)} for name in ("a", "b", "a", "A", "a")]
    told = [(rule.code, hit.message) for rule, hit in hits_of_list(tools)]
    assert told == [("TG109", "The name `a` stands 3 times in the list (entries 1, 3, 5).")] * 2


@pytest.mark.parametrize(
    ("description", "name"),
    [
        ("Lists everything.", ""),
        ("", ""),
        ("Searches.\n\nArgs:\n    query: What to look for.\n    limit: How many.\n", "query"),
        ("Args:\nquery: What", "query"),
        ("Parameters:\n- `query` (string, required): What to look for.", "query"),
        ("## Parameters\n\n- **query** - what", ""),
        ("**Parameters:**\n* query: what", "query"),
        ("Parameters\n----------\nquery : str\n    What.", "query"),
        ("@param {string} query What to look for", "query"),
        ("@param query what", "query"),
        (":param str query: what", "query"),
        (":param query: what", "query"),
        ("Args:\n    None\n", ""),
        ("Parameters: none.", ""),
        ("Arguments:\n\nReturns: a list", ""),
        ("Takes no parameters.", ""),
        ("Shows the arguments of the last run.", ""),
    ],
)
def test_parameters_that_a_description_names(description: str, name: str) -> None:
    (hit,) = hits({"type": "object", "properties": {}}, "TG111", description)
    assert (hit.severity, f"`{name}`" in hit.message) == (("warning", True) if name else ("note", False))


@pytest.mark.parametrize(
    ("schema", "fix"),
    [
        (
            {"type": "object", "properties": None},
            "Write `properties` as an object, `{}` where there are no parameters.",
        ),
        (obj(a="string"), "Write a schema (an object or a boolean) for every entry of `properties`."),
    ],
)
def test_what_to_write_for_broken_properties(schema: dict[str, Any], fix: str) -> None:
    (hit,) = hits(schema, "TG103")
    assert hit.fix == fix


def test_parameters_of_the_function_are_told() -> None:
    tools = [{"name": "t", "inputSchema": {"type": "object"}}, {"name": "u", "inputSchema": {"type": "object"}}]
    told = hits_of_list(tools, handlers={"t": ("query", "limit"), "u": ()})
    assert [(hit.severity, hit.message) for _, hit in told] == [
        ("warning", "Publishes no parameters, but its function has `query`, `limit`."),
        ("note", "Publishes no parameters."),
    ]


def test_notes_of_one_cause_fold() -> None:
    tools = [{"name": f"t{n}", "inputSchema": {"type": "object"}} for n in range(3)]
    tools += [{"name": f"u{n}", "inputSchema": param({})} for n in range(3)]
    tools += [{"name": f"v{n}", "inputSchema": obj(**{f"p{n}": TWO})} for n in range(3)]
    groups = {(rule.code, hit.group) for rule, hit in hits_of_list(tools)}
    assert len(groups) == 3
