"""A value whose type the server knows: what is published, what is read, what is refused."""

from __future__ import annotations

import copy
from typing import Any

import pytest

import toolglot
from toolglot import FieldValue, ToolglotError, ValueRefused, typed_value

LOCATION = {
    "type": "object",
    "properties": {"lat": {"type": "number"}, "lon": {"type": "number"}},
    "required": ["lat", "lon"],
    "additionalProperties": False,
}
ASSET = {
    "anyOf": [
        {"type": "integer"},
        {"type": "object", "properties": {"id": {"type": "integer"}, "alt": {"type": "string"}}, "required": ["id"]},
    ],
    "description": "the number of the asset",
}
TYPES = {
    "string": str,
    "integer": int,
    "flag": bool,
    "amount": {"type": "string", "pattern": r"^\d+\.\d\d$"},
    "colour": {"enum": ["red", "green"]},
    "asset": ASSET,
    "ids": {"type": "array", "items": {"type": "integer"}},
    "location": LOCATION,
    "anything": {},
}
FIELDS = {name: name for name in TYPES} | {"picture": {"type": "asset", "validations": {}}, "odd": "unheard-of"}
VALUE = typed_value(TYPES)

READ: list[tuple[str, Any, Any]] = [
    ("string", "549895", "549895"),
    ("string", "[1]", "[1]"),
    ("string", 12, "12"),
    ("integer", 12, 12),
    ("integer", "12", 12),
    ("integer", 12.0, 12),
    ("integer", 2**70, 2**70),
    ("flag", "true", True),
    ("flag", False, False),
    ("amount", "24.90", "24.90"),
    ("colour", "red", "red"),
    ("asset", "549895", 549895),
    ("picture", 549895, 549895),
    ("asset", '{"id": 5, "alt": "x"}', {"id": 5, "alt": "x"}),
    ("asset", {"id": 5}, {"id": 5}),
    ("ids", "[1, 2]", [1, 2]),
    ("ids", [1, 2], [1, 2]),
    ("location", '{"lat": 1, "lon": 2.5}', {"lat": 1, "lon": 2.5}),
    ("anything", "x", "x"),
    ("anything", None, None),
]


@pytest.mark.parametrize(("field", "said", "value"), READ)
def test_a_value_is_read_as_its_field_takes_it(field: str, said: Any, value: Any) -> None:
    before = copy.deepcopy(said)
    read = VALUE.read({"field": field, "value": said}, FIELDS)
    assert (read.value, type(read.value)) == (value, type(value))
    assert (read.field, read.type, read.corrected) == (field, "asset" if field == "picture" else field, "")
    assert said == before


REFUSED: list[tuple[Any, str]] = [
    (
        {"field": "integer", "value": "twelve"},
        'of type integer. A value of type integer is: a whole number. Given: "twelve"',
    ),
    ({"field": "integer", "value": 12.5}, "Given: 12.5"),
    ({"field": "integer", "value": True}, "Given: true"),
    ({"field": "flag", "value": "yes"}, "true or false"),
    ({"field": "flag", "value": 1}, "true or false"),
    ({"field": "string", "value": 12.5}, "a text"),
    ({"field": "string", "value": True}, "a text"),
    ({"field": "string", "value": None}, "a text"),
    ({"field": "amount", "value": 24}, "24"),
    ({"field": "colour", "value": "blue"}, 'one of "red", "green"'),
    ({"field": "picture", "value": "harbour"}, "the number of the asset, or JSON, as text. Shape: {id: integer, alt?"),
    ({"field": "ids", "value": '[1, "x"]'}, 'Given: /1: "x"'),
    ({"field": "ids", "value": 5}, "Shape: integer[]"),
    ({"field": "location", "value": '{"lat": 1}'}, "Given: `lon` is missing"),
    ({"field": "location", "value": "{"}, "Shape: {lat: number, lon: number}"),
    ({"field": "pictur", "value": 1}, "no field 'pictur'; there are: string, integer"),
    ({"field": "pictur", "value": 1}, "Did you mean 'picture'?"),
    ({"field": 3, "value": 1}, "no field '3'"),
    ({"field": ["picture"], "value": 1}, "no field"),
    ({"field": "odd", "value": 1}, "'odd' is of type unheard-of, and cannot be set here"),
    ({"field": "picture"}, "`value` is missing"),
    ({"value": 1}, "`field` is missing"),
    ({"field": "picture", "type": "asset", "value": 1, "alt": "x"}, "`alt` is not known"),
    ("picture", "Expected an object with `field` and `value`"),
    (None, "Expected an object"),
]


@pytest.mark.parametrize(("said", "words"), REFUSED)
def test_what_does_not_fit_is_refused_in_words(said: Any, words: str) -> None:
    with pytest.raises(ValueRefused) as caught:
        VALUE.read(said, FIELDS)
    assert words in str(caught.value)


WRONG_TYPE = [
    ({"field": "picture", "type": "string", "value": "549895"}, 549895),
    ({"field": "picture", "type": "unheard-of", "value": 549895}, 549895),
    ({"field": "string", "type": "asset", "value": 549895}, "549895"),
    ({"field": "picture", "type": "string", "value": "harbour"}, None),
    ({"field": "integer", "type": "string", "value": "twelve"}, None),
]


@pytest.mark.parametrize(("said", "value"), WRONG_TYPE)
def test_a_wrong_type_is_corrected_or_refused(said: dict[str, Any], value: Any) -> None:
    real = "asset" if said["field"] == "picture" else said["field"]
    told = f"The field {said['field']!r} is of type {real}, not {said['type']}"
    if value is None:
        with pytest.raises(ValueRefused, match=told):
            VALUE.read(said, FIELDS)
    else:
        assert VALUE.read(said, FIELDS) == FieldValue(
            said["field"], real, value, f"{told}; the value was read as {real}."
        )
    with pytest.raises(ValueRefused, match=told):
        typed_value(TYPES, wrong_type="refuse").read(said, FIELDS)


@pytest.mark.parametrize("wrong_type", ["correct", "refuse"])
def test_the_right_type_needs_no_correction(wrong_type: Any) -> None:
    read = typed_value(TYPES, wrong_type=wrong_type).read({"field": "picture", "type": "asset", "value": "1"}, FIELDS)
    assert read == FieldValue("picture", "asset", 1)


KNOWN = typed_value(TYPES, {"seats": "integer", "price": "amount", "photo": {"type": "asset"}, "note": "string"})


def test_fields_that_are_known_are_published() -> None:
    properties = KNOWN.schema["properties"]
    assert properties["field"]["enum"] == ["seats", "price", "photo", "note"]
    assert properties["type"]["enum"] == ["integer", "amount", "asset", "string"]
    assert properties["value"]["anyOf"] == [{"type": "string"}, {"type": "number"}]
    assert properties["value"]["description"].startswith("seats: a whole number. price: a text that matches")
    assert KNOWN.read({"field": "seats", "value": "3"}) == FieldValue("seats", "integer", 3)


TEXTS = typed_value({"title": str, "place": LOCATION}, description="What to store.", names=("column", "kind", "cell"))


def test_texts_alone_are_a_plain_text_and_names_are_the_authors() -> None:
    schema = TEXTS.schema
    assert list(schema["properties"]) == ["column", "kind", "cell"]
    assert schema["required"] == ["column", "cell"]
    assert schema["properties"]["cell"] == {
        "type": "string",
        "description": "What to store. title: a text. place: JSON, as text. Shape: {lat: number, lon: number}.",
    }
    assert TEXTS.value_schema == schema["properties"]["cell"]
    read = TEXTS.read({"column": "t", "kind": "place", "cell": "x"}, {"t": "title"})
    assert (read.value, read.type, bool(read.corrected)) == ("x", "title", True)


def _tools(value: Any) -> list[dict[str, Any]]:
    """A tool with a list of such objects, and one where field and value are parameters of their own."""
    text = {"type": "string", "description": "Id of the entry"}
    many = {"entry": text, "values": {"type": "array", "items": value.schema, "description": "The fields to set"}}
    one = {"entry": text, "column": {"type": "string", "description": "The column"}, "value": value.value_schema}
    return [
        {
            "name": name,
            "description": "Set fields.",
            "inputSchema": {"type": "object", "properties": properties, "required": list(properties)},
        }
        for name, properties in (("set_fields", many), ("set_cell", one))
    ]


@pytest.mark.parametrize("value", [VALUE, KNOWN, TEXTS], ids=["all", "known", "texts"])
def test_what_is_published_passes_the_contract_and_portable(value: Any) -> None:
    tools = _tools(value)
    assert toolglot.check(tools).findings == ()
    assert toolglot.check(tools, target="portable").findings == ()
    for form in toolglot.Toolset(tools).normalize("portable").tools:
        assert form.schema is form.published.tool.input_schema
        assert form.ledger == ()


def test_a_schema_is_handed_out_fresh() -> None:
    VALUE.schema["properties"].clear()
    assert list(VALUE.schema["properties"]) == ["field", "type", "value"]


class Model:
    """As a pydantic model, as far as `typed_value` looks."""

    @staticmethod
    def model_json_schema() -> dict[str, Any]:
        return {"$defs": {"N": {"type": "integer"}}, "type": "object", "properties": {"n": {"$ref": "#/$defs/N"}}}


def test_a_model_brings_its_own_definitions() -> None:
    value = typed_value({"model": Model}, {"m": "model"})
    assert value.read({"field": "m", "value": '{"n": "3"}'}).value == {"n": 3}
    assert "{n?: integer}" in value.value_schema["description"]


TREE = {
    "type": "object",
    "properties": {"name": {"type": "string"}, "parts": {"type": "array", "items": {"$ref": "#"}}},
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    ("said", "good"), [({"name": "a", "parts": [{"name": "b"}]}, True), ({"name": "a", "parts": [{}]}, False)]
)
def test_a_type_may_refer_to_itself(said: Any, good: bool) -> None:
    value = typed_value({"tree": TREE}, {"t": "tree"})
    assert "name: string" in value.value_schema["description"]
    if good:
        assert value.read({"field": "t", "value": said}).value == said
    else:
        with pytest.raises(ValueRefused, match="`name` is missing"):
            value.read({"field": "t", "value": said})


def test_what_was_read_is_read() -> None:
    read = VALUE.read({"field": "integer", "value": "3"}, FIELDS)
    assert VALUE.read(read, {}) is read


MADE_WRONG: list[tuple[dict[str, Any], str]] = [
    ({"types": {}}, "needs at least one type"),
    ({"types": {"a": list}}, "the type 'a' has no schema"),
    ({"types": {"a": "integer"}}, "the type 'a' has no schema"),
    (
        {"types": {"a": {"$ref": "#/$defs/b"}}},
        r"'a' is broken: `\$ref` at the root cannot be used \(dangling-reference\)",
    ),
    ({"types": {"a": {"type": "strin"}}}, r"`type` at the root cannot be used \(invalid-keyword\)"),
    ({"types": {"a": {"items": {"pattern": "(?=x)"}}}}, r"`pattern` at /items cannot be used"),
    ({"types": TYPES, "fields": {"a": "b"}}, "the field 'a' has the type 'b', which `types` does not list"),
    ({"types": TYPES, "fields": {"a": 3}}, "the type of a field is a name"),
    ({"types": TYPES, "wrong_type": "ignore"}, '`wrong_type` is "correct" or "refuse"'),
]


SHAPES: list[tuple[Any, list[str], str]] = [
    ({"const": 5}, ["string", "number"], "f: 5."),
    ({"enum": [1, "a", None]}, ["string", "number"], 'f: one of 1, "a", null.'),
    (
        {"allOf": [{"type": "integer"}, {"minimum": 3}]},
        ["string", "number"],
        "f: a whole number and a number of at least 3.",
    ),
    ({"type": ["boolean", "null"]}, ["string", "boolean"], "f: true or false or null."),
    ({"enum": [{"a": 1}]}, ["string"], 'f: JSON, as text. Shape: {"a": 1}.'),
    ({"type": "string", "description": "A date."}, ["string"], "f: A date."),
    ({"type": "object", "description": "A place."}, ["string"], "f: A place. JSON, as text. Shape: {...}."),
    ({}, ["string", "number", "boolean"], "f: any value."),
]


@pytest.mark.parametrize(("schema", "scalars", "description"), SHAPES)
def test_what_is_said_of_a_type(schema: Any, scalars: list[str], description: str) -> None:
    published = typed_value({"a": schema}, {"f": "a"}).value_schema
    assert [one["type"] for one in published.get("anyOf", [published])] == scalars
    assert published["description"] == description


@pytest.mark.parametrize(("arguments", "says"), MADE_WRONG)
def test_what_is_made_wrong_is_one_clear_error(arguments: dict[str, Any], says: str) -> None:
    with pytest.raises(ToolglotError, match=says):
        typed_value(**arguments)


def test_reading_needs_fields() -> None:
    with pytest.raises(ToolglotError, match="read needs `fields`"):
        VALUE.read({"field": "a", "value": 1})
    with pytest.raises(ValueRefused, match="there are none"):
        VALUE.read({"field": "a", "value": 1}, {})
