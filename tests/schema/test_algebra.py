"""The algebra of schemas: rows of questions with their answers, and what is not decided."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.clock import ends_within, untraced

from toolglot.schema.algebra import covers, intersection, lost, satisfiable
from toolglot.schema.validate import validator

TEXT, NUMBER, INTEGER = {"type": "string"}, {"type": "number"}, {"type": "integer"}
A, B = {"type": "object", "required": ["a"]}, {"type": "object", "required": ["b"]}
LOOP = {"$ref": "#/$defs/n"}
DEFINITIONS = {"$defs": {"t": TEXT, "n": {"type": "object", "properties": {"next": {"$ref": "#/$defs/n"}}}}}

COVERS: list[tuple[str, Any, Any, bool | None]] = [
    ("numbers, integers", NUMBER, INTEGER, True),
    ("integers, numbers: not decided by the engine", INTEGER, NUMBER, None),
    ("a union, its branch", {"anyOf": [TEXT, NUMBER]}, TEXT, True),
    ("the first branch, the union", TEXT, {"anyOf": [TEXT, NUMBER]}, False),
    ("anything, a text", True, TEXT, True),
    ("through a reference", {"$ref": "#/$defs/t"}, {"type": "string", "maxLength": 3}, True),
    ("recursion is not decided", True, LOOP, None),
]


@pytest.mark.parametrize(("wide", "narrow", "answer"), [row[1:] for row in COVERS], ids=[row[0] for row in COVERS])
def test_whether_one_covers_the_other(wide: Any, narrow: Any, answer: bool | None) -> None:
    assert covers(wide, narrow, DEFINITIONS) is answer


LOST: list[tuple[str, Any, Any, list[Any], list[Any]]] = [
    ("a branch", {"anyOf": [TEXT, NUMBER]}, TEXT, [1, 2.5], ["x", None]),
    ("a bound", {"type": "integer", "maximum": 9}, {"type": "integer", "maximum": 5}, [6, 9], [5, 10]),
    ("an alternative", {"anyOf": [A, B]}, A, [{"b": 1}], [{"a": 1}, {"a": 1, "b": 1}, {}]),
]


@pytest.mark.parametrize(
    ("before", "after", "gone", "kept"), [row[1:] for row in LOST], ids=[row[0] for row in LOST]
)  # fmt: skip
def test_what_is_lost(before: Any, after: Any, gone: list[Any], kept: list[Any]) -> None:
    found = lost(before, after)
    assert found is not None
    judge = validator(found)
    assert [judge.is_valid(value) for value in gone] == [True] * len(gone)
    assert [judge.is_valid(value) for value in kept] == [False] * len(kept)


def test_nothing_is_lost_where_all_is_covered() -> None:
    assert lost(INTEGER, NUMBER) is False
    assert lost(LOOP, TEXT, DEFINITIONS) is None


def test_what_both_take() -> None:
    found = intersection(A, B)
    assert found is not None
    judge = validator(found)
    assert [judge.is_valid(value) for value in ({"a": 1, "b": 1}, {"a": 1}, {"b": 1})] == [True, False, False]
    assert intersection(TEXT, NUMBER) is False
    assert intersection(TEXT, {"$ref": "#/$defs/n"}, DEFINITIONS) is None


@pytest.mark.parametrize(("schema", "answer"), [(TEXT, True), (False, False), ({"allOf": [TEXT, NUMBER]}, False)])
def test_whether_any_value_is_valid(schema: Any, answer: bool) -> None:
    assert satisfiable(schema) is answer


FANS = {
    f"d{n}": {"type": "object", "properties": {k: {"$ref": f"#/$defs/d{n + 1}"} for k in "abcdefgh"}} for n in range(12)
}
CHAIN = {f"d{n}": {"$ref": f"#/$defs/d{n + 1}"} for n in range(5_000)}


@untraced
@pytest.mark.parametrize("definitions", [{**FANS, "d12": TEXT}, {**CHAIN, "d5000": TEXT}], ids=["a fan", "a chain"])
def test_what_is_too_large_is_not_decided_soon(definitions: Any) -> None:
    with ends_within(1):
        assert lost({"$ref": "#/$defs/d0"}, NUMBER, {"$defs": definitions}) is None


SCHEMAS = st.sampled_from([TEXT, NUMBER, INTEGER, A, B, {"anyOf": [A, TEXT]}, {"enum": [1, "x"]}, {"const": True}])
VALUES = st.sampled_from([1, 2.5, "x", "y", True, None, {}, {"a": 1}, {"b": 1}, {"a": 1, "b": 1}])


@given(SCHEMAS, SCHEMAS, VALUES)
def test_the_answers_agree_with_the_validator(one: Any, other: Any, value: Any) -> None:
    in_one, in_other = validator(one).is_valid(value), validator(other).is_valid(value)
    rest, both = lost(one, other), intersection(one, other)
    assert rest is None or validator(rest).is_valid(value) is (in_one and not in_other)
    assert both is None or validator(both).is_valid(value) is (in_one and in_other)
    if covers(one, other):
        assert in_one or not in_other
