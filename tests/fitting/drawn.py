"""Schemas that Hypothesis draws: everything that targets disagree about, in any place, under any name."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

NAMES = (
    *("a", "b", "name", "type", "properties", "required", "$ref", "items", "title", "description", "enum", "__proto__"),
    *("key", "value", "more", "item_1", "entries", "other", "a b", "a/b~c", "é", "x" * 70, "kind", "A", "toString"),
    *("a_b", "a-b", "1st", ""),
)
"""Names of parameters: keywords, words of the encodings, characters that targets refuse, a long one."""

names = st.sampled_from(NAMES)
texts = st.sampled_from(("", "a", "b", "(leave out)", "null", "1", "true", '{"a":1}', "[]", "x y", "é"))
small = st.sampled_from(range(-3, 6))
scalars = st.one_of(texts, small, st.booleans(), st.none(), st.sampled_from((0.5, -1.25, 2**53 + 1, 10**20)))
data = st.one_of(scalars, st.lists(scalars, max_size=2), st.dictionaries(names, scalars, max_size=2))

_HINTS = ("title", "description", "default", "examples", "deprecated", "x-vendor", "$comment", "format", "nullable")


@st.composite
def hints(draw: st.DrawFn, schema: dict[str, Any]) -> dict[str, Any]:
    """The schema with up to two annotations."""
    for word in draw(st.lists(st.sampled_from(_HINTS), max_size=2, unique=True)):
        if word in ("title", "description", "$comment"):
            schema = {**schema, word: draw(st.sampled_from(("What it is.", "A text", "é")))}
        elif word == "default":
            schema = {**schema, word: draw(data)}
        elif word == "examples":
            schema = {**schema, word: draw(st.lists(data, min_size=1, max_size=2))}
        elif word == "format":
            schema = {**schema, word: draw(st.sampled_from(("date", "uri", "int64", "odd")))}
        else:
            schema = {**schema, word: draw(st.booleans())}
    return schema


@st.composite
def scalar_schemas(draw: st.DrawFn) -> Any:
    """A schema of texts, numbers, booleans or null."""
    kind = draw(st.sampled_from(("string", "string", "integer", "number", "boolean", "null", "list", "enum", "const")))
    if kind == "string":
        return draw(st.sampled_from((
            {"type": "string"}, {"type": "string", "minLength": 1}, {"type": "string", "maxLength": 3},
            {"type": "string", "pattern": "^[a-z]+$"}, {"type": "string", "pattern": "[0-9]", "minLength": 2},
        )))  # fmt: skip
    if kind in ("integer", "number"):
        bounds = draw(st.dictionaries(st.sampled_from(("minimum", "maximum", "exclusiveMinimum")), small, max_size=2))
        return {"type": kind, **bounds}
    if kind == "list":
        kinds = ("string", "integer", "number", "boolean", "null")
        return {"type": draw(st.lists(st.sampled_from(kinds), min_size=1, max_size=3, unique=True))}
    if kind == "enum":
        return draw(enums())
    return {"const": draw(data)} if kind == "const" else {"type": kind}


@st.composite
def enums(draw: st.DrawFn) -> dict[str, Any]:
    """An enum of texts, numbers, or anything; with a type or without."""
    if draw(st.booleans()):
        values: list[Any] = draw(st.lists(texts, min_size=1, max_size=4, unique=True))
        return draw(st.sampled_from(({"enum": values}, {"type": "string", "enum": values})))
    if draw(st.booleans()):
        return {"type": "integer", "enum": draw(st.lists(small, min_size=1, max_size=3, unique=True))}
    return {"enum": draw(st.lists(data, min_size=1, max_size=4, unique_by=repr))}


def schemas(depth: int) -> st.SearchStrategy[Any]:
    """A schema of any kind, with at most `depth` levels below it."""
    if depth == 0:
        return st.one_of(scalar_schemas().flatmap(hints), st.sampled_from(({}, True, {"$ref": "#/$defs/Leaf"})))
    below = schemas(depth - 1)
    structured = st.one_of(
        *(kind(below).flatmap(hints) for kind in (objects, objects, arrays, unions, tagged, maps, parts)),
        st.sampled_from(("#/$defs/Node", "#/$defs/Leaf", "#/$defs/Shape")).map(lambda ref: {"$ref": ref}),
    )
    return st.one_of(scalar_schemas().flatmap(hints), structured, structured)


_EXTRA = ("", "", "", "closed", "open", "schema", "bounds", "dependent", "either", "undeclared", "untyped")


@st.composite
def objects(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> dict[str, Any]:
    """An object with properties: open, closed, or silent about others; maybe without a type."""
    properties = draw(st.dictionaries(names, below, max_size=4))
    required = [name for name in properties if draw(st.booleans())]
    schema: dict[str, Any] = {"type": "object", "properties": properties, "required": required}
    extra = draw(st.sampled_from(_EXTRA))
    if extra == "closed":
        schema["additionalProperties"] = False
    elif extra == "open":
        schema["additionalProperties"] = True
    elif extra == "schema":
        schema["additionalProperties"] = draw(below)
    elif extra == "bounds":
        schema["minProperties"] = 1
    elif extra == "untyped":
        del schema["type"]
    elif extra == "undeclared":
        schema["required"] = [*required, "ghost"]
    elif extra and len(properties) > 1:
        first, second = list(properties)[:2]
        if extra == "dependent":
            schema["dependentRequired"] = {first: [second]}
        else:
            schema["anyOf"] = [{"required": [first]}, {"required": [second]}]
    return schema


@st.composite
def arrays(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A list, bounded or not, or a tuple."""
    form = draw(st.sampled_from(("items", "items", "bounds", "unique", "none", "tuple", "closed tuple", "fixed")))
    if form == "none":
        return {"type": "array"}
    if "tuple" in form:
        schema = {"type": "array", "prefixItems": draw(st.lists(below, min_size=1, max_size=3))}
        return {**schema, "items": False} if form == "closed tuple" else schema
    schema: dict[str, Any] = {"type": "array", "items": draw(below)}
    more: dict[str, dict[str, Any]] = {
        "bounds": {"minItems": 1, "maxItems": 3},
        "unique": {"uniqueItems": True},
        "fixed": {"minItems": 2, "maxItems": 2},
    }
    return {**schema, **more.get(form, {})}


@st.composite
def unions(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A union, maybe with null, maybe with something beside it."""
    branches = draw(st.lists(below, min_size=1, max_size=3))
    if draw(st.booleans()):
        branches = [*branches, {"type": "null"}]
    return {draw(st.sampled_from(("anyOf", "anyOf", "oneOf"))): branches}


@st.composite
def tagged(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A union of objects with a tag."""
    tag = draw(st.sampled_from(("type", "kind", "a b")))
    branches: list[Any] = []
    for value in ("x", "y", "z")[: draw(st.sampled_from((2, 3)))]:
        own = draw(objects(below))
        properties = {tag: {"const": value}, **{k: v for k, v in own["properties"].items() if k != tag}}
        branches.append({**own, "properties": properties, "required": [tag, *(n for n in own["required"] if n != tag)]})
    return {draw(st.sampled_from(("anyOf", "oneOf"))): branches}


@st.composite
def maps(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> dict[str, Any]:
    """A map, by additional or by pattern properties."""
    if draw(st.booleans()):
        return {"type": "object", "additionalProperties": draw(st.one_of(below, st.just(True)))}
    others = draw(st.sampled_from(({}, {"additionalProperties": False}, {"additionalProperties": True})))
    return {"type": "object", "patternProperties": {"^x-": draw(below)}, **others}


@st.composite
def parts(draw: st.DrawFn, below: st.SearchStrategy[Any]) -> dict[str, Any]:
    """An `allOf`, a condition, or a negation."""
    form = draw(st.sampled_from(("allOf", "allOf", "if", "not")))
    one = draw(objects(below))
    if form == "allOf":
        return {"allOf": [one, draw(st.one_of(objects(below), st.just({"$ref": "#/$defs/Leaf"})))]}
    known = (*one["properties"], "a", "b")
    first, second = draw(st.sampled_from(known)), draw(st.sampled_from(known))
    if form == "not":
        return {**one, "not": {"required": [first]}}
    return {**one, "if": {"required": [first]}, "then": {"required": [second]}, "else": {"maxProperties": 3}}


NODE = {
    "type": "object",
    "properties": {"label": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/Node"}}},
    "required": ["label"],
}


@st.composite
def tools(draw: st.DrawFn) -> dict[str, Any]:
    """A tool with a drawn input schema."""
    below = schemas(2)
    root = draw(st.one_of(objects(below), objects(below), objects(below), tagged(below), parts(below), unions(below)))
    root["$defs"] = {
        "Leaf": draw(scalar_schemas()),
        "Node": NODE,
        "Shape": draw(st.one_of(tagged(schemas(0)), objects(schemas(0)))),
    }
    return {
        "name": draw(st.sampled_from(("do", "do.it", "tool_habcdef01", "n" * 70, "été"))),
        "description": draw(st.sampled_from(("What it does.", ""))),
        "inputSchema": root,
    }
