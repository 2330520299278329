"""Hostile input: each ends soon and small, with a result or one clear error."""

from __future__ import annotations

import json
import signal
import tracemalloc
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.clock import ends_within, untraced

from toolglot.errors import ArgumentsError, ToolError
from toolglot.fitting.normalized import Normalized, normalize
from toolglot.schema.keywords import KEYWORDS

pytestmark = untraced

ALARM = 20
MEGABYTES = 200
TARGETS = ("gemini-parameters", "openai-strict", "portable-strict", "openai-nonstrict", "portable")
TEXT = {"type": "string"}


def obj(required: str = "", /, **properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties, "required": required.split()}


def nested(levels: int, wrap: Callable[[Any], Any]) -> Any:
    schema: Any = dict(TEXT)
    for _ in range(levels):
        schema = wrap(schema)
    return schema


def ladder(levels: int, width: int, required: bool = False) -> dict[str, Any]:
    """Definitions that each use the next one `width` times: width ** levels places."""
    steps: dict[str, Any] = {}
    for level in range(levels):
        below = {f"k{n}": {"$ref": f"#/$defs/L{level + 1}"} for n in range(width)}
        steps[f"L{level}"] = {"type": "object", "properties": below, "required": list(below) if required else []}
    return {**obj("x", x={"$ref": "#/$defs/L0"}), "$defs": {**steps, f"L{levels}": TEXT}}


def mutual(many: int) -> dict[str, Any]:
    defs = {f"D{n}": obj(**{f"d{m}": {"$ref": f"#/$defs/D{m}"} for m in range(many)}) for n in range(many)}
    return {**obj(x={"$ref": "#/$defs/D0"}), "$defs": defs}


SCHEMAS: dict[str, Any] = {
    "10,000 levels of objects": nested(10_000, lambda s: {"type": "object", "properties": {"a": s}}),
    "10,000 levels of lists": obj(a=nested(10_000, lambda s: {"type": "array", "items": s})),
    "10,000 levels of unions": obj(a=nested(10_000, lambda s: {"anyOf": [s, {"type": "null"}]})),
    "10,000 levels of allOf": obj(a=nested(10_000, lambda s: {"allOf": [s]})),
    "150 levels of objects": nested(150, lambda s: {"type": "object", "properties": {"a": s}}),
    "150 levels of unions": obj(a=nested(150, lambda s: {"anyOf": [s, {"type": "object"}]})),
    "150 levels of allOf": obj(a=nested(150, lambda s: {"allOf": [s, {"title": "t"}]})),
    "2^30 places": ladder(30, 2),
    "2^30 places, all required": ladder(30, 2, required=True),
    "8^9 places": ladder(9, 8),
    "2^30 places by allOf": {**obj(x={"$ref": "#/$defs/A0"}), "$defs": {
        **{f"A{n}": {"allOf": [{"$ref": f"#/$defs/A{n + 1}"}, {"$ref": f"#/$defs/A{n + 1}"}]} for n in range(30)},
        "A30": TEXT}},
    "2^30 places by anyOf": {**obj(x={"$ref": "#/$defs/A0"}), "$defs": {
        **{f"A{n}": {"anyOf": [{"$ref": f"#/$defs/A{n + 1}"}, {"$ref": f"#/$defs/A{n + 1}"}]} for n in range(30)},
        "A30": TEXT}},
    "a reference to itself": {"$ref": "#"},
    "a property that refers to itself": obj(a={"$ref": "#/properties/a"}),
    "a circle of references": {**obj(a={"$ref": "#/$defs/a"}), "$defs": {
        "a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/c"}, "c": {"$ref": "#/$defs/a"}}},
    "a circle of allOf": {"allOf": [{"$ref": "#/$defs/a"}], "$defs": {"a": {"allOf": [{"$ref": "#"}]}}},
    "a circle of anyOf": {**obj(a={"$ref": "#/$defs/a"}), "$defs": {"a": {"anyOf": [{"$ref": "#/$defs/a"}, TEXT]}}},
    "a required circle": {**obj("a", a={"$ref": "#"})},
    "a circle through items": {**obj(a={"$ref": "#/$defs/a"}), "$defs": {
        "a": {"type": "array", "items": {"$ref": "#/$defs/a"}}}},
    "a circle through a map": {**obj(a={"$ref": "#/$defs/a"}), "$defs": {
        "a": {"type": "object", "additionalProperties": {"$ref": "#/$defs/a"}}}},
    "mutual recursion of 40": mutual(40),
    "a reference into a tuple": obj(a={"prefixItems": [TEXT, {"$ref": "#/properties/a/prefixItems/0"}]}),
    "a dangling reference everywhere": obj(**{f"p{n}": {"$ref": f"#/$defs/gone{n}"} for n in range(500)}),
    "50,000 enum values": obj(a={"enum": [f"v{n}" for n in range(50_000)]}),
    "50,000 numbers": obj(a={"enum": list(range(50_000))}),
    "5,000 properties": obj(**{f"p{n}": {"type": ["string", "null"]} for n in range(5_000)}),
    "a union of 1,000 objects": obj(a={"anyOf": [
        obj("t", t={"const": f"t{n}"}, **{f"v{n}": TEXT}) for n in range(1_000)]}),
    "a union of 1,000 untagged objects": obj(a={"anyOf": [obj(f"v{n}", **{f"v{n}": TEXT}) for n in range(1_000)]}),
    "unions in unions": obj(a=nested(9, lambda s: {"anyOf": [obj(a=s), obj(b=s)]})),
    "allOf of unions": obj(a={"allOf": [{"anyOf": [obj(f"x{n}{m}") for n in range(8)]} for m in range(8)]}),
    "names of keywords": obj(**{
        word: {"type": "object", "properties": {word: {"type": ["string", "null"]}}} for word in KEYWORDS}),
    "names of Python": obj(__proto__=TEXT, __class__=TEXT, **{"constructor": TEXT, "self": TEXT, "None": TEXT}),
    "half a surrogate pair": obj(**{"\ud800": TEXT, "b": {"enum": ["\udfff", "\ud800"], "description": "\udfff"}}),
    "a name of 100,000 letters": obj(**{"x" * 100_000: {"type": ["integer", "null"]}}),
    "a large number": obj(a={"enum": [10**900, 10**900 + 1]}, b={"type": "integer", "maximum": 10**900}),
    "a pattern that explodes": obj(a={"type": "string", "pattern": "^(a+)+$"}),
    "a pattern of 100,000 letters": obj(a={"type": "string", "pattern": "a" * 100_000}),
    "a pattern that is none": obj(a={"type": "string", "pattern": "("}),
    "ten million bytes": obj(a={"type": "string", "description": "d" * 10_000_000}),
    "a default of 1 MB": obj(a={"type": "string", "default": "d" * 1_000_000}),
    "everything malformed": dict.fromkeys(KEYWORDS, 7) | {"type": "object"},
    "everything malformed below": obj(a={word: [None, 7, {}] for word in KEYWORDS}),
    "null everywhere": {"type": "object", "properties": {"a": None, "b": {"items": None}}, "required": None},
    "no schema": None,
    "true": True,
    "false": False,
    "an empty schema": {},
}  # fmt: skip


@pytest.fixture(autouse=True)
def _alarm() -> Iterator[None]:
    """End a test that would go on for ever."""

    def stop(*_: object) -> None:
        raise TimeoutError(f"still busy after {ALARM} s")

    before = signal.signal(signal.SIGALRM, stop)
    signal.alarm(ALARM)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


def made(schema: Any, target: str) -> Normalized | None:
    """The normalised tool, or None where there is one clear error."""
    try:
        return normalize({"name": "do", "description": "What it does.", "inputSchema": schema}, target)
    except ToolError as error:
        clear = bool(error.message) and len(str(error)) < 500
    assert clear
    return None


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", SCHEMAS)
def test_a_hostile_schema_ends_soon(name: str, target: str) -> None:
    with ends_within(1):
        n = made(SCHEMAS[name], target)
        if n is not None:
            for answer in ({}, {"a": "text"}, {"a": None, "x": {"k0": {}}}):
                _answered(n, answer)


def _answered(n: Normalized, answer: Any) -> None:
    try:
        restored = n.restore(answer)
    except ArgumentsError as error:
        clear = bool(error.errors) and len(str(error).encode()) < 20_000
    else:
        clear = not restored.checked or bool(json.dumps(restored.arguments))
    assert clear


@pytest.mark.parametrize("name", ["2^30 places", "2^30 places by allOf", "50,000 enum values", "ten million bytes"])
def test_a_hostile_schema_stays_small(name: str) -> None:
    tracemalloc.start()
    made(SCHEMAS[name], "openai-strict")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < MEGABYTES * 1_000_000


PLAIN = obj(
    "a",
    a={"type": "integer"},
    b={"type": ["string", "null"]},
    c={"anyOf": [obj("k", k={"const": "x"}, n={"type": "number"}), obj("k", k={"const": "y"})]},
    d={"type": "object", "additionalProperties": {"type": "string"}},
)


def deep(levels: int, form: str) -> str:
    return form * levels + "1" + {"[": "]", '{"a":': "}"}[form] * levels


ANSWERS: dict[str, Any] = {
    "no JSON": "{",
    "a text": '"a"',
    "a list": "[]",
    "a number": 7,
    "not a number": '{"a": NaN}',
    "a doubled key": '{"a": 1, "a": 2}',
    "5,000 digits": '{"a": ' + "9" * 5_000 + "}",
    "a large exponent": '{"a": 1e999}',
    "10,000 levels of lists": deep(10_000, "["),
    "10,000 levels of objects": deep(10_000, '{"a":'),
    "JSON text in JSON text": json.dumps({"c": json.dumps(json.dumps(json.dumps({"k": "x"})))}),
    "half a surrogate pair": {"a": 1, "b": "\ud800"},
    "half a surrogate pair as a name": {"a": 1, "d": {"\ud800": "x"}},
    "10,000 unknown names": {"a": 1, **{f"x{n}": n for n in range(10_000)}},
    "10,000 wrong entries": {"a": 1, "d": {f"x{n}": n for n in range(10_000)}},
    "a text of 1 MB": {"a": "9" * 1_000_000},
    "a set": {1, 2},
    "a name that is no text": {1: 2},
    "infinity": {"a": float("inf")},
    "something that contains itself": None,
}
_loop: dict[str, Any] = {"a": 1}
_loop["d"] = _loop
ANSWERS["something that contains itself"] = _loop


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", ANSWERS)
def test_a_hostile_answer_ends_soon(name: str, target: str) -> None:
    n = normalize({"name": "do", "description": "What it does.", "inputSchema": PLAIN}, target)
    with ends_within(1):
        _answered(n, ANSWERS[name])
