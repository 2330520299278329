"""Saved lists: every accepted shape, and one clear error for each that is none."""

from __future__ import annotations

import io
import json
import sys
from typing import TYPE_CHECKING

import pytest

from toolglot.errors import SourceError
from toolglot.mcp.sources import StandardInput, parse_source, read
from toolglot.schema.tool import BadTool

if TYPE_CHECKING:
    from pathlib import Path

TOOL = '{"zeta": 1, "name": "exact", "inputSchema": {"type": "object", "maximum": 123456789012345678901234567890}}'
CAPTURE = '{"capture": 1, "server": "s", "version": "2", "protocol": "2026-07-28", "transport": "stdio"}'

SHAPES = [
    f'{{"tools": [{TOOL}]}}',
    f'{{"tools": [{TOOL}], "nextCursor": null, "_meta": {{}}, "ttlMs": 5}}',
    f'{{"tools": [{TOOL}], "nextCursor": ""}}',
    f'{{"jsonrpc": "2.0", "id": 1, "result": {{"tools": [{TOOL}]}}}}',
    f"[{TOOL}]",
    f"\n  {TOOL}\n",
    f'{{"toolglot": {CAPTURE}, "result": {{"tools": [{TOOL}]}}}}',
    f'{{"name": "a server", "tools": [{TOOL}]}}',
]


def _saved(tmp_path: Path, text: str | bytes, name: str = "tools.json") -> Path:
    path = tmp_path / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


@pytest.mark.parametrize("text", SHAPES)
def test_reads_every_shape(text: str, tmp_path: Path) -> None:
    path = _saved(tmp_path, text)
    (listing,) = read(parse_source(str(path)))
    (tool,) = listing.tools
    assert (listing.id, listing.transport, listing.error) == (str(path), "file", None)
    assert list(tool.raw) == ["zeta", "name", "inputSchema"]
    assert tool.schema["maximum"] == 123456789012345678901234567890


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le"])
def test_reads_what_other_systems_save(encoding: str, tmp_path: Path) -> None:
    mark = b"\xff\xfe" if encoding == "utf-16-le" else b""
    (listing,) = read(parse_source(str(_saved(tmp_path, mark + SHAPES[0].encode(encoding)))))
    assert [tool.name for tool in listing.tools] == ["exact"]


def test_a_capture_says_who_published_it(tmp_path: Path) -> None:
    (listing,) = read(parse_source(str(_saved(tmp_path, SHAPES[6]))))
    assert (listing.server, listing.version, listing.protocol) == ("s", "2", "2026-07-28")


def test_standard_input(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(SHAPES[0].encode())))
    (listing,) = read(parse_source("-"))
    assert (listing.id, listing.transport, listing.tools[0].name) == ("-", "stdin", "exact")


def test_standard_input_that_is_a_keyboard(monkeypatch: pytest.MonkeyPatch) -> None:
    class Keyboard(io.TextIOWrapper):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr(sys, "stdin", Keyboard(io.BytesIO()))
    with pytest.raises(SourceError, match="is the keyboard"):
        read(StandardInput())


BAD = [
    ("", "it is empty", "`tools/list` result"),
    ("  \n", "it is empty", "a client configuration"),
    ('{"tools": [\n  {"name": }]}', "not JSON: Expecting value at line 2, column 12", ""),
    ('{"tools": [{"name": "a"}', "not JSON: Expecting ',' delimiter at line 1, column 25", ""),
    ('{"tools": [{"name": "a",}]}', "not JSON:", ""),
    ("not json", "not JSON: Expecting value at line 1, column 1", ""),
    ("<html></html>", "not JSON: Expecting value at line 1, column 1", ""),
    ('{"tools": [], "tools": []}', "the key 'tools' stands twice", ""),
    ('{"tools": {"a": {}}}', "its `tools` is an object, not a list", "`tools/list` result"),
    ('{"tools": null}', "its `tools` is null, not a list", ""),
    ('{"result": {}}', "its `result` has no `tools`", ""),
    ('{"result": []}', "its `result` has no `tools`", ""),
    ('{"jsonrpc": "2.0", "id": 1, "error": {"code": -3, "message": "m"}}', "response with error -3: m", ""),
    ("42", "it is a number, not a list of tools", "one tool"),
    ('"text"', "it is a text, not a list of tools", ""),
    ("null", "it is null, not a list of tools", ""),
    ('{"a": 1}', "it has no tools", "a list of tools"),
    ('{"type": "object", "properties": {}}', "it has no tools", "`--schema` reads it"),
    ('{"tools": []}', "it publishes no tool", "--allow-empty"),
    ("[]", "it publishes no tool", "--allow-empty"),
]


@pytest.mark.parametrize(("text", "message", "hint"), BAD)
def test_what_is_no_list_is_one_clear_error(text: str, message: str, hint: str, tmp_path: Path) -> None:
    path = _saved(tmp_path, text)
    with pytest.raises(SourceError) as caught:
        read(parse_source(str(path)))
    assert caught.value.message.startswith(f"{path}: ")
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_the_first_page_alone_is_no_whole_list(tmp_path: Path) -> None:
    (listing,) = read(parse_source(str(_saved(tmp_path, f'{{"tools": [{TOOL}], "nextCursor": "2"}}'))))
    assert [tool.name for tool in listing.tools] == ["exact"]
    assert listing.error is not None
    assert "only the first page" in listing.error.message


def test_an_empty_list_is_fine_where_it_is_allowed(tmp_path: Path) -> None:
    (listing,) = read(parse_source(str(_saved(tmp_path, "[]"))), allow_empty=True)
    assert listing.entries == ()


ENTRIES = [
    ('{"name": "a", "name": "b"}', "b", "the key 'name' stands twice in one object"),
    ('{"name": "a", "inputSchema": {"maximum": 1e400}}', "a", "the number 1e400 is too large"),
    ('{"name": "a", "inputSchema": {"maximum": ' + "9" * 1001 + "}}", "a", "a number of more than 1,000 digits"),
    ('{"name": "a", "inputSchema": {"maximum": Infinity}}', "a", "Infinity is not JSON"),
    ('{"name": "a", "inputSchema": ' + "[" * 300 + "]" * 300 + "}", "a", "nested deeper than 200 levels"),
    ('{"name": "a", "inputSchema": ' + "[" * 100_000 + "]" * 100_000 + "}", "a", "nested deeper than 200 levels"),
    (b'{"name": "a", "description": "\xff\xfe"}', "a", "not UTF-8: byte 30 cannot be read"),
    ('{"name": "a", "x": "' + "x" * 10_000_001 + '"}', "a", "larger than 10,000,000 bytes"),
    ("7", None, "is a number, not an object"),
    ("null", None, "is missing or null, not an object"),
    ('{"name": 7}', None, "`name` is a number, not a text"),
    ('{"name": "a", "inputSchema": []}', "a", "`inputSchema` is a list, not an object"),
]


@pytest.mark.parametrize(("entry", "name", "problem"), ENTRIES, ids=range(len(ENTRIES)))
def test_one_bad_entry_spoils_no_other(entry: str | bytes, name: str, problem: str, tmp_path: Path) -> None:
    raw = entry if isinstance(entry, bytes) else entry.encode()
    (listing,) = read(
        parse_source(str(_saved(tmp_path, b"[" + TOOL.encode() + b",\n" + raw + b"," + TOOL.encode() + b"]")))
    )
    bad = listing.entries[1]
    assert [tool.index for tool in listing.tools] == [0, 2]
    assert isinstance(bad, BadTool)
    assert (bad.index, bad.name, bad.problem) == (1, name, problem)


def test_a_lone_surrogate_is_kept(tmp_path: Path) -> None:
    (listing,) = read(parse_source(str(_saved(tmp_path, r'[{"name": "a", "description": "\ud83d"}]'))))
    assert listing.tools[0].description == "\ud83d"


SCHEMAS = [
    ("search.schema.json", '{"type": "object", "maximum": 0.10}', "search"),
    ("plain.json", "true", "plain"),
    (".hidden", '{"tools": []}', ".hidden"),
]


@pytest.mark.parametrize(("file", "text", "name"), SCHEMAS)
def test_a_bare_schema_is_one_tool_named_after_the_file(file: str, text: str, name: str, tmp_path: Path) -> None:
    (listing,) = read(parse_source(str(_saved(tmp_path, text, file))), schema=True)
    (tool,) = listing.tools
    assert tool.name == name
    assert tool.schema == json.loads(text)


@pytest.mark.parametrize(("text", "message"), [("[]", "is a list, not a schema"), ('{"a"}', "not JSON")])
def test_what_is_no_schema(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message):
        read(parse_source(str(_saved(tmp_path, text))), schema=True)


def test_a_file_that_is_gone(tmp_path: Path) -> None:
    path = _saved(tmp_path, "[]")
    source = parse_source(str(path))
    path.unlink()
    with pytest.raises(SourceError, match="No such file"):
        read(source)
