"""`oneOf` written as `anyOf`: exact where structure shows that at most one branch takes a value."""

from __future__ import annotations

from typing import Any

import pytest

from toolglot import normalize

TEXT, INTEGER, NUMBER = {"type": "string"}, {"type": "integer"}, {"type": "number"}


def tagged(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"kind": {"type": "string", "enum": [value]}, **more}, "required": ["kind"]}


ROWS: list[tuple[str, list[Any], str]] = [
    ("different types", [TEXT, INTEGER], "exact"),
    ("integers are numbers", [INTEGER, NUMBER], "unproved"),
    ("different tags", [tagged("a", x=TEXT), tagged("b", y=INTEGER)], "exact"),
    ("the same tag", [tagged("a", x=TEXT), tagged("a", y=INTEGER)], "unproved"),
    ("a tag that is not required", [tagged("a"), {**tagged("b", y=TEXT), "required": []}], "unproved"),
    ("different values", [{**TEXT, "enum": ["a"]}, {**TEXT, "enum": ["b", "c"]}, INTEGER], "exact"),
    ("a value twice", [{**TEXT, "enum": ["a", "b"]}, {**TEXT, "enum": ["b"]}], "unproved"),
    ("no type", [TEXT, {"minLength": 2}], "unproved"),
]


@pytest.mark.parametrize(("branches", "values"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_one_of_as_any_of(branches: list[Any], values: str) -> None:
    tool = {"name": "t", "inputSchema": {"type": "object", "properties": {"v": {"oneOf": branches}}}}
    found = [entry for entry in normalize(tool, "gemini-parameters").ledger if "anyOf" in entry.reason]
    assert {entry.values for entry in found} <= {values}, found
    assert found or values == "unproved"
