"""Saved lists: a file or standard input that holds tools in one of a few known shapes."""

from __future__ import annotations

import codecs
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from toolglot.errors import MAX_MESSAGE_BYTES, JsonError, parse_json
from toolglot.mcp.raw import items, kind, members
from toolglot.mcp.text import clean
from toolglot.mcp.wire import Problem, rpc_error, text

if TYPE_CHECKING:
    from toolglot.mcp.kinds import SavedFile, StandardInput
    from toolglot.mcp.pages import Reading

SHAPES = (
    "It can hold a `tools/list` result, a whole JSON-RPC response with one, a list of tools, one tool, "
    "a capture of `toolglot capture`, or a client configuration."
)
_SCHEMA_WORDS = frozenset({"$schema", "type", "properties", "$ref", "anyOf", "oneOf", "allOf", "$defs", "enum"})


def read(source: SavedFile | StandardInput, reading: Reading, *, schema: bool = False) -> None:
    """Read a saved list into `reading`, each tool as its raw text.

    With `schema` the text is a bare input schema, and becomes one tool named after the file. Raises Problem.
    """
    path = getattr(source, "path", None)
    raw = to_utf8(read_bytes(path) if isinstance(path, Path) else _read_stdin())
    if not raw.strip():
        raise Problem("it is empty", SHAPES)
    try:
        if schema:
            reading.add([_tool_of_schema(raw, _stem(path))])
        else:
            _take(raw, reading)
    except JsonError as error:
        raise Problem(f"it is {error}") from None


def read_bytes(path: Path) -> bytes:
    """The bytes of a file within the limit of one message; raises Problem where it cannot be read."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_MESSAGE_BYTES + 1)
    except OSError as error:
        raise Problem(f"it cannot be read: {error.strerror}") from None
    return _limited(raw)


def _read_stdin() -> bytes:
    if sys.stdin.isatty():
        raise Problem("standard input is the keyboard", "Send a saved list: `toolglot check - < tools.json`.")
    return _limited(sys.stdin.buffer.read(MAX_MESSAGE_BYTES + 1))


def _limited(raw: bytes) -> bytes:
    if len(raw) > MAX_MESSAGE_BYTES:
        raise Problem(f"it is larger than {MAX_MESSAGE_BYTES:,} bytes")
    return raw


def to_utf8(raw: bytes) -> bytes:
    """The text as UTF-8 without a byte order mark; PowerShell writes UTF-16 with one."""
    if raw.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return raw.decode("utf-16", "replace").encode()
    return raw.removeprefix(codecs.BOM_UTF8)


def _take(raw: bytes, reading: Reading) -> None:
    if kind(raw) == "a list":
        reading.add(items(raw))
        return
    if kind(raw) != "an object":
        parse_json(raw)
        raise Problem(f"it is {kind(raw)}, not a list of tools", SHAPES)
    parts = members(raw, once=("tools", "result", "nextCursor"))
    if "toolglot" in parts:
        _take_header(parts["toolglot"], reading)
    if "tools" in parts:
        _take_list(parts, reading)
    elif "result" in parts:
        _take_result(parts["result"], reading)
    elif "error" in parts:
        failed = rpc_error(parts["error"])
        raise Problem(f"it is a JSON-RPC response with error {failed.code}: {clean(failed.message)}", SHAPES)
    elif "inputSchema" in parts or ("name" in parts and kind(parts["name"]) == "a text"):
        reading.add([raw.strip()])
    else:
        raise Problem("it has no tools", _shape_hint(parts))


def _take_result(raw: bytes, reading: Reading) -> None:
    parts = members(raw, once=("tools", "nextCursor")) if kind(raw) == "an object" else {}
    if "tools" not in parts:
        raise Problem("its `result` has no `tools`", SHAPES)
    _take_list(parts, reading)


def _take_list(parts: dict[str, bytes], reading: Reading) -> None:
    if kind(parts["tools"]) != "a list":
        raise Problem(f"its `tools` is {kind(parts['tools'])}, not a list", SHAPES)
    reading.add(items(parts["tools"]))
    if text(parts.get("nextCursor")):
        raise Problem(
            "it holds only the first page of a list (there is a `nextCursor`)",
            "`toolglot capture SOURCE -o tools.json` saves all pages.",
        )


def _take_header(raw: bytes, reading: Reading) -> None:
    header = members(raw) if kind(raw) == "an object" else {}
    reading.server = text(header.get("server"))
    reading.version = text(header.get("version"))
    reading.protocol = text(header.get("protocol"))


def _shape_hint(parts: dict[str, bytes]) -> str:
    if _SCHEMA_WORDS & parts.keys():
        return "It looks like a bare schema: `--schema` reads it as the input of one tool."
    return SHAPES


def _tool_of_schema(raw: bytes, name: str) -> bytes:
    """A bare schema as a raw tool; the schema's own text is kept."""
    if kind(raw) not in ("an object", "a boolean"):
        raise Problem(f"it is {kind(raw)}, not a schema", "A schema is an object, `true` or `false`.")
    if kind(raw) == "an object":
        members(raw)
    return b'{"name":' + msgspec.json.encode(name) + b',"inputSchema":' + raw.strip() + b"}"


def _stem(path: object) -> str:
    return path.name.partition(".")[0] or path.name if isinstance(path, Path) else "stdin"
