"""The words of TG101 and its companions: branches by name, the way out that fits, a witness that is one."""

from __future__ import annotations

from typing import Any

import pytest
from rule_rows import STRING, hits, obj, param, tagged, union

from toolglot.contract.model import NO_WITNESS
from toolglot.contract.remedy import remedy
from toolglot.contract.rule import Hit, Subject, listing_of, subjects
from toolglot.schema.validate import validator

INTEGER = {"type": "integer"}
LIST = {"type": "array", "items": STRING}
DELTA = obj(add=LIST, remove=LIST)


def subject(schema: Any) -> Subject:
    (one,) = subjects(listing_of([{"name": "t", "inputSchema": schema}]))
    return one


def told(schema: Any, code: str = "TG101") -> Hit:
    (hit,) = hits(schema, code)
    return hit


WAYS = [
    ("two constants", union(tagged("a"), tagged("b")), "enum", ['"a", "b"', "`x` as an enum"]),
    ("constants by enum", union(obj(kind={"enum": ["a"]}), obj(kind={"enum": ["b"]})), "enum", ['"a", "b"']),
    ("constants with the same rest", union(tagged("a", "n", n=INTEGER), tagged("b", "n", n=INTEGER)), "enum", ["`x`"]),
    ("constants with other descriptions",
     union({**tagged("a"), "description": "A"}, {**tagged("b"), "description": "B"}), "enum", []),
    ("replace or delta", union(LIST, DELTA), "parameters", ["`x`, `add_x`, `remove_x`", "replaces the whole list"]),
    ("delta or replace", union(DELTA, LIST, {"type": "null"}), "parameters", ["`add_x`"]),
    ("two deltas", union(LIST, obj(add=LIST), obj(remove=LIST)), "parameters", ["`add_x`, `remove_x`"]),
    ("no delta", union(LIST, obj(add=LIST, title=STRING)), "parameter-each", ["`x_list`, `x_add`"]),
    ("tagged", union(tagged("text", "text", text=STRING), tagged("image", url=STRING, alt=STRING)), "tagged-object",
     ['`kind` as an enum of "text", "image"', '"text": text; "image": url, alt']),
    ("tag with several values", union(obj(op={"enum": ["a", "b"]}, n=INTEGER), obj(op={"enum": ["c"]})),
     "tagged-object", ['"a", "b", "c"']),
    ("tag that is a number", union(tagged(1, n=INTEGER), tagged(2)), "tagged-object", ["an enum of 1, 2"]),
    ("a value whose type the server knows",
     union(tagged("text", "value", value=STRING), tagged("number", "value", value=INTEGER)), "permissive-value",
     ["`value` as `anyOf` of string and integer", '"text": string; "number": integer']),
    ("objects behind a tag", union(tagged("a", value=obj(p=STRING)), tagged("b", value=obj(q=STRING))),
     "permissive-value", ["`value` as a plain object"]),
    ("values under other names, told by a type", union(
        tagged("string", "field", tag="type", field=STRING, value=STRING),
        tagged("integer", "field", tag="type", field=STRING, number=INTEGER),
        tagged("asset", "field", tag="type", field=STRING, asset_id=STRING)), "permissive-value",
     ["with `field` and `value` as `anyOf` of string, number and boolean", "leave `type` out",
      '"string": value; "integer": number; "asset"']),
    ("two values behind a type", union(tagged("string", a=STRING), tagged("integer", b=INTEGER, c=INTEGER)),
     "tagged-object", []),
    ("a second tag", union(tagged("a", v={"const": 1}), tagged("b", v={"const": 2}, z=STRING)), "tagged-object", []),
    ("one or many", union(obj(a=STRING), {"type": "array", "items": obj(a=STRING)}), "list", ["`x` as the list alone"]),
    ("one or many, by reference", union({"$ref": "#/$defs/A"}, {"type": "array", "items": {"$ref": "#/$defs/A"}}),
     "list", []),
    ("untagged", union(obj(["a"], a=STRING), obj(["b"], b=STRING, c=INTEGER)), "object",
     ["form 1: a; form 2: b, c", "optional; check"]),
    ("untagged, titled", union({**obj(a=STRING), "title": "Cat"}, {**obj(b=STRING), "title": "Dog"}), "object",
     ["Cat: a; Dog: b"]),
    ("untagged, one name of two types", union(obj(a=STRING), obj(a=INTEGER)), "object",
     ["`a` as `anyOf` of string and integer"]),
    ("an open object", union(obj(a=STRING), {"type": "object"}), "object", ["`x` as a plain object"]),
    ("two lists", union(LIST, {"type": "array", "items": INTEGER}), "parameter-each",
     ["`x_string_list`, `x_integer_list`"]),
    ("lists, object and scalars", union(LIST, obj(a=STRING), STRING, INTEGER), "parameter-each",
     ["`x_list`, `x_a`, `x_text`, `x_integer`"]),
    ("names twice", union({**LIST, "title": "SiteList"}, {**obj(), "title": "SiteList"}, STRING), "parameter-each",
     ["`site_list`, `site_list_2`"]),
]  # fmt: skip


@pytest.mark.parametrize(("branches", "kind", "says"), [row[1:] for row in WAYS], ids=[row[0] for row in WAYS])
def test_the_way_out_that_fits(branches: dict[str, Any], kind: str, says: list[str]) -> None:
    schema = param(branches, **{"$defs": {"A": obj(a=STRING)}})
    (found,) = [one for one in subject(schema).unions if one.node.pointer == "/properties/x"]
    way = remedy(found)
    assert way.kind == kind
    assert told(schema).fix == way.fix
    assert "description" in way.fix
    for part in says:
        assert part in way.fix


def test_at_the_root_the_way_out_is_an_object_and_needs_no_name() -> None:
    listed = told(union(obj(a=STRING), {"type": "array", "items": obj(a=STRING)})).fix
    assert "Publish `type: object` at the root with one parameter that is the list" in listed
    assert 'one object: `kind` as an enum of "a", "b"' in told(union(tagged("a"), tagged("b"))).fix
    assert "`values`, `add_values`" in told(union(LIST, DELTA)).fix
    assert "`list`, `k`" in told(union(LIST, obj(k=STRING))).fix


NAMED = [
    ("title and tag", {**tagged("a"), "title": "Cat"}, 'Cat (kind "a")'),
    ("definition", {"$ref": "#/$defs/Dog"}, "Dog"),
    ("definition with a title", {"$ref": "#/$defs/Titled"}, "A title"),
    ("a pointer elsewhere", {"$ref": "#/properties/y"}, "object with deep"),
    ("fields", obj(a=STRING, b=STRING), "object with a, b"),
    ("many fields", obj(**dict.fromkeys("abcde", STRING)), "object with a, b, c and 2 more"),
    ("no fields", {"type": "object"}, "object"),
    ("list of a type", LIST, "array of string"),
    ("list of a definition", {"type": "array", "items": {"$ref": "#/$defs/Dog"}}, "array of Dog"),
    ("list of a title", {"type": "array", "items": {"title": "Tag", "type": "object"}}, "array of Tag"),
    ("list of lists", {"type": "array", "items": LIST}, "array of array"),
    ("list of a union", {"type": "array", "items": union(STRING, INTEGER)}, "array of a union"),
    ("list of anything", {"type": "array", "items": {}}, "array"),
]


@pytest.mark.parametrize(("branch", "name"), [row[1:] for row in NAMED], ids=[row[0] for row in NAMED])
def test_branches_are_named(branch: dict[str, Any], name: str) -> None:
    tag = {"kind": {"const": "other"}}
    other = {**obj(["kind"], **tag), "title": "Other"} if "kind" in str(branch) else {"type": "array", "title": "Other"}
    definitions = {"Dog": obj(d=STRING), "Titled": {**obj(e=STRING), "title": "A title"}}
    schema = {**obj(x=union(branch, other), y=obj(deep=STRING)), "$defs": definitions}
    assert f"structured branches: {name}{';' if ', ' in name else ','} Other" in told(schema).message


def test_a_long_union_names_the_first_branches() -> None:
    hit = told(param(union(*(tagged(f"k{n}", **{f"f{n}": STRING}) for n in range(17)))))
    assert 'has 17 structured branches: kind "k0", kind "k1", kind "k2" and 14 more.' in hit.message
    assert len(hit.fix) < 400


def test_a_definition_names_where_it_is_used() -> None:
    shared = {"$defs": {"U": union(tagged("a"), tagged("b"))}}
    ref = {"$ref": "#/$defs/U"}
    assert "definition `U` is used nowhere" in told({**obj(x=STRING), **shared}).message
    used = {**obj(x=ref, y={"type": "array", "items": ref}), **shared}
    assert "definition `U` is used by /properties/x, /properties/y/items." in told(used).message
    inside = {**obj(x={"$ref": "#/$defs/W"}), "$defs": {"W": obj(u=union(LIST, obj(a=STRING)))}}
    hit = told(inside)
    assert (hit.pointer, "definition `W` is used by /properties/x" in hit.message) == ("/$defs/W/properties/u", True)


def test_equal_unions_have_one_group_whatever_their_annotations() -> None:
    one = told(param(union(tagged("a"), tagged("b"))))
    other = told(obj(y={**union(tagged("a"), tagged("b")), "description": "Y"}, z=STRING))
    third = told(param(union({**tagged("a"), "description": "A"}, tagged("b"))))
    assert one.group == other.group == third.group
    assert told(param(union(tagged("a"), tagged("c")))).group != one.group
    assert told(param(union(tagged("a"), tagged("b"), keyword="oneOf"))).group != one.group


WITNESSED = [
    ("tags", union(tagged("a"), tagged("b", "n", n=INTEGER)), {"kind": "b", "n": 1}),
    ("list first", union(LIST, obj(["a"], a=STRING)), {"a": "text"}),
    ("scalar first", union(STRING, LIST, obj(["a"], a=STRING)), ["text"]),
    ("nested", union(LIST, obj(["o"], o=obj(["a"], a=LIST))), {"o": {"a": ["text"]}}),
    ("nothing required", union(LIST, obj(a=LIST, b=STRING)), {"a": ["text"]}),
    ("nothing fits inside", union(LIST, obj(a={"type": "string", "minLength": 10**6})), {}),
    ("no entry allowed", union(STRING, LIST | {"maxItems": 0}, obj(["a"], a=STRING)), []),
    ("bounds", union(LIST, obj(["n"], n={"type": "integer", "minimum": 7})), {"n": 7}),
    ("items", union(obj(), {"type": "array", "items": INTEGER, "minItems": 2}), [1, 1]),
    ("parts", union(LIST, {"type": "object", "allOf": [obj(["a"], a=STRING), obj(["b"], b={"enum": [3]})]}),
     {"a": "text", "b": 3}),
    ("pattern", union(LIST, obj(["d"], d={"type": "string", "pattern": "^\\d{4}-"})), {"d": "2026-01-31"}),
    ("first takes all", union({"type": "object"}, tagged("a")), NO_WITNESS),
    ("cannot be built", union(LIST, obj(["d"], d={"type": "string", "minLength": 10**6})), NO_WITNESS),
]  # fmt: skip


@pytest.mark.parametrize(("branches", "witness"), [row[1:] for row in WITNESSED], ids=[row[0] for row in WITNESSED])
def test_the_witness_is_lost_with_the_first_branch(branches: dict[str, Any], witness: Any) -> None:
    hit = told(param(branches))
    assert hit.witness == witness
    if witness is not NO_WITNESS:
        assert validator(branches).is_valid(witness)
        assert not validator(branches["anyOf"][0]).is_valid(witness)


BOTH = [
    ("shared name", union({**obj(a=STRING), "title": "A"}, {**obj(b=STRING), "title": "B"}), {}),
    ("required of both", union({**obj(["a"], a=STRING), "title": "A"}, {**obj(["b"], b=INTEGER), "title": "B"}),
     {"a": "text", "b": 1}),
    ("bounds of both", union({**obj(["n"], n={"type": "integer", "minimum": 3}), "title": "A"},
     {**obj(["n"], n={"type": "number", "maximum": 9}), "title": "B"}), {"n": 3}),
    ("enum of both", union({**obj(["e"], e={"enum": ["p", "q"]}), "title": "A"},
     {**obj(["e"], e={"enum": ["q", "r"]}), "title": "B"}), {"e": "q"}),
    ("with what stands beside the union", {**obj(["z"], z=LIST), **union({**obj(["a"], a=STRING), "title": "A"},
     {**obj(b=STRING), "title": "B"})}, {"a": "text", "z": []}),
]  # fmt: skip


@pytest.mark.parametrize(("schema", "witness"), [row[1:] for row in BOTH], ids=[row[0] for row in BOTH])
def test_the_witness_fits_both_branches(schema: dict[str, Any], witness: Any) -> None:
    hit = told(param(schema), "TG110")
    assert (hit.severity, hit.witness) == ("error", witness)
    assert all(validator(branch).is_valid(witness) for branch in schema["anyOf"])


def test_one_of_refuses_what_fits_both() -> None:
    branches = union({**obj(a=STRING), "title": "A"}, {**obj(b=STRING), "title": "B"}, keyword="oneOf")
    assert "`oneOf` refuses the value" in told(param(branches), "TG110").why
    assert "Make `kind` required" in told(param(union(obj(kind={"const": 1}), obj(kind={"const": 2}))), "TG110").fix


def test_more_pairs_are_counted() -> None:
    three = [{**obj(**{name: STRING}), "title": name.upper()} for name in "abc"]
    assert told(param(union(*three)), "TG110").message == "One value fits both A and B (and 2 more pairs)."
    pair_and_list = [obj(a=STRING), obj(b=STRING), LIST]
    assert told(param(union(*pair_and_list)), "TG110").message == "One value fits both object with a and object with b."


def test_a_named_pair_outweighs_a_nameless_one() -> None:
    branches = [obj(a=STRING), obj(b=STRING), {**obj(c=STRING), "title": "C"}, {**obj(d=STRING), "title": "D"}]
    hit = told(param(union(*branches)), "TG110")
    assert (hit.severity, hit.message) == ("error", "One value fits both C and D (and 5 more pairs).")


def test_a_large_union_ends_soon() -> None:
    branches = [{**obj(**{f"p{n}": STRING}), "title": f"T{n}"} for n in range(400)]
    assert "(and 29 more pairs)" in told(param(union(*branches)), "TG110").message


def test_a_part_is_not_taken_out_where_its_references_lead_elsewhere() -> None:
    inner = {**obj(["a"], a={"$ref": "#/properties/x"}), "title": "A"}
    schema = obj(x=union(inner, {**obj(["b"], b=STRING), "title": "B"}))
    assert told(schema).witness is NO_WITNESS
    assert hits(schema, "TG110") == []


@pytest.mark.parametrize(
    ("branches", "message"),
    [
        (union(STRING, LIST), "`anyOf` has string before array of string."),
        (union({"enum": ["*"]}, {"type": "object", "title": "Filter"}), "`anyOf` has enum before Filter."),
        (union({}, LIST), "`anyOf` has a value without a type before array of string."),
    ],
)
def test_the_order_that_loses_the_structured_branch(branches: dict[str, Any], message: str) -> None:
    hit = told(param(branches), "TG112")
    assert (hit.severity or "warning", hit.message) == ("warning", message)
    assert "the order changes no value" in hit.fix
