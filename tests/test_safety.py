"""Nothing that a server publishes makes us fetch anything, hang, or fall over."""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.clock import ends_within, untraced
from toolglot.contract.check import check
from toolglot.contract.config import Config
from toolglot.errors import JsonError, ToolError, parse_json
from toolglot.report.json import render_json
from toolglot.report.text import View, render_text
from toolglot.schema.algebra import covers, intersection, lost, satisfiable
from toolglot.schema.declared import declared
from toolglot.schema.meaning import meaning
from toolglot.schema.tool import Tool
from toolglot.schema.validate import meta_error, validator


class Listener:
    """A loopback server that only counts who connects."""

    def __init__(self) -> None:
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self.socket.getsockname()[1]
        self.connections = 0
        self.thread = threading.Thread(target=self._count, daemon=True)
        self.thread.start()

    def _count(self) -> None:
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            self.connections += 1
            connection.close()

    def close(self) -> None:
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.thread.join()


@pytest.fixture(name="listener")
def _listener() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.close()


def reaching_out(address: str, path: Path) -> list[dict[str, Any]]:
    """Schemas that a careless reader would follow to a server or a file."""
    return [
        {"type": "object", "properties": {"a": {"$ref": f"{address}/schema.json"}}},
        {"type": "object", "properties": {"a": {"$ref": f"{address}/schema.json#/$defs/a"}}},
        {"type": "object", "properties": {"a": {"$ref": path.as_uri()}}},
        {"type": "object", "properties": {"a": {"$ref": str(path)}}},
        {"$id": f"{address}/root.json", "type": "object", "properties": {"a": {"$ref": "other.json"}}},
        {"$id": path.parent.as_uri() + "/", "type": "object", "properties": {"a": {"$ref": path.name}}},
        {"$schema": f"{address}/meta.json", "type": "object"},
        {"$schema": path.as_uri(), "type": "object"},
        {"type": "object", "properties": {"a": {"$schema": f"{address}/meta.json", "type": "string"}}},
        {"type": "object", "properties": {"a": {"$dynamicRef": f"{address}/schema.json#node"}}},
        {"$vocabulary": {f"{address}/vocabulary": True}, "type": "object"},
        {"$schema": "http://json-schema.org/draft-04/schema#", "id": f"{address}/", "items": {"$ref": "x.json"}},
    ]


def test_no_reference_is_followed(listener: Listener, tmp_path: Path) -> None:
    canary = tmp_path / "canary.json"
    canary.write_text('{"type": "integer"}')
    os.utime(canary, (1_000_000_000, 1_000_000_000))
    for schema in reaching_out(f"http://127.0.0.1:{listener.port}", canary):
        look_at(schema)
    time.sleep(0.05)
    assert listener.connections == 0
    assert canary.stat().st_atime == 1_000_000_000


def look_at(schema: dict[str, Any]) -> None:
    """Everything that reads a published schema."""
    report = check([{"name": "t", "description": "d", "inputSchema": schema}], "all")
    render_text(report, View(verbose=True))
    render_json(report)
    understood = meaning(schema).schema
    judge = validator(understood)
    assert judge.is_valid({}) in (True, False)
    validator(declared(schema))
    meta_error(schema)
    for answer in (covers(understood, True), satisfiable(understood), lost(True, understood)):
        assert answer is None or isinstance(answer, (bool, dict))
    intersection(understood, True)


def nested(levels: int) -> dict[str, Any]:
    schema: dict[str, Any] = {"type": "string"}
    for _ in range(levels):
        schema = {"type": "object", "properties": {"a": schema}}
    return schema


def fan_out(levels: int) -> dict[str, Any]:
    both = {
        n: {"properties": {"a": {"$ref": f"#/$defs/d{n + 1}"}, "b": {"$ref": f"#/$defs/d{n + 1}"}}}
        for n in range(levels)
    }
    defs: dict[str, Any] = {f"d{n}": {"type": "object", **schema} for n, schema in both.items()}
    return {
        "type": "object",
        "properties": {"x": {"$ref": "#/$defs/d0"}},
        "$defs": {**defs, f"d{levels}": {"type": "string"}},
    }


KEYWORD_NAMES = ("type", "properties", "items", "required", "$ref", "$defs", "enum", "title", "__proto__")

HOSTILE: list[tuple[str, dict[str, Any]]] = [
    ("90 levels", nested(90)),
    ("10,000 levels", nested(10_000)),
    ("2^30 by references", fan_out(30)),
    ("a reference to itself", {"type": "object", "properties": {"a": {"$ref": "#/properties/a"}}}),
    ("references in a circle", {"$ref": "#/$defs/a", "$defs": {
        "a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}}),
    ("allOf of itself", {"type": "object", "allOf": [{"$ref": "#"}]}),
    ("anyOf of itself", {"type": "object", "properties": {"a": {"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}}}),
    ("50,000 enum values", {"type": "object", "properties": {"a": {"enum": [f"v{n}" for n in range(50_000)]}}}),
    ("20,000 properties", {"type": "object", "properties": {f"p{n}": {"type": "string"} for n in range(20_000)}}),
    ("1,000 branches", {"type": "object", "properties": {"a": {"anyOf": [
        {"type": "object", "properties": {f"p{n}": {"type": "string"}}} for n in range(1_000)]}}}),
    ("1,000 alike branches", {"type": "object", "properties": {"a": {"anyOf": [
        {"type": "object", "properties": {"p": {"const": n}}} for n in range(1_000)]}}}),
    ("parameters named like keywords", {"type": "object", "properties": {
        name: {"type": "string"} for name in KEYWORD_NAMES}}),
    ("a pattern that explodes", {"type": "object", "properties": {"a": {"type": "string", "pattern": "^(a+)+$"}}}),
    ("a huge repetition", {"type": "object", "properties": {"a": {"type": "string", "pattern": "(a{1000}){1000}"}}}),
    ("lone surrogates", {"type": "object", "properties": {"\ud800": {"type": "string", "description": "\udfff"}}}),
    ("terminal codes", {"type": "object", "properties": {"\x1b[31m[bold]\n\u202e": {"type": "array"}}}),
    ("numbers beyond 64 bits", {"type": "object", "properties": {"a": {"enum": [10**40, -(10**40)]}}}),
]  # fmt: skip


@untraced
@pytest.mark.parametrize("schema", [row[1] for row in HOSTILE], ids=[row[0] for row in HOSTILE])
def test_hostile_schemas_end_soon(schema: dict[str, Any]) -> None:
    """Each ends in a second, with a report that is harmless to show."""
    good = {"name": "good", "inputSchema": {"type": "object"}}
    with ends_within(1):
        report = check([{"name": "t", "inputSchema": schema}, good], "all")
        text = render_text(report, View(verbose=True))
        json.loads(render_json(report))
    assert not [char for char in text if ord(char) < 32 and char != "\n"]
    assert "\u202e" not in text
    text.encode()
    assert [tool.name for tool in report.tools][-1] == "good"


TEXTS: list[tuple[str, str]] = [
    ("[" * 10_000 + "]" * 10_000, "nested deeper"),
    ('{"a": ' * 201 + "1" + "}" * 201, "nested deeper"),
    ("1" * 5_000, "more than 1,000 digits"),
    ("0." + "1" * 5_000, "more than 1,000 digits"),
    ("1e400", "too large"),
    ('{"a": NaN}', "NaN"),
    ('{"a": 1, "a": 2}', "stands twice"),
    ('{"a": tru}', "line 1, column 7"),
    ("", "line 1, column 1"),
    (f'"{"x" * 11_000_000}"', "larger than 10,000,000 bytes"),
]


@pytest.mark.parametrize(("text", "message"), TEXTS, ids=[row[1] for row in TEXTS])
def test_json_within_limits(text: str, message: str) -> None:
    with pytest.raises(JsonError, match=message):
        parse_json(text)


@pytest.mark.parametrize("text", ["0.10", "-0", "1E5", "123456789012345678901234567890", '"\\ud800"', "[[[]]]"])
def test_json_that_is_fine(text: str) -> None:
    assert parse_json(text) == json.loads(text)


def test_a_python_object_that_contains_itself_is_one_clear_error() -> None:
    schema: dict[str, Any] = {"type": "object"}
    schema["properties"] = {"a": schema}
    with pytest.raises(ToolError, match="nested"):
        Tool.of({"name": "t", "inputSchema": schema})


def test_a_check_needs_no_configuration() -> None:
    assert check([{"name": "t", "inputSchema": {"type": "object"}}], config=Config()).tools
