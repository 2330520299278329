"""Puts the proxy before a server in a client's configuration, and takes it away again, byte for byte."""

from __future__ import annotations

import difflib
import json
import os
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolglot.mcp.jsonc import strip
from toolglot.mcp.proxy.entry import behind_proxy
from toolglot.mcp.text import hide
from toolglot.mcp.wire import Problem
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from collections.abc import Sequence

BACKUP = ".toolglot-backup"
_SUM = ".toolglot-sum"
_SPACE = re.compile(r"\s*")
_SERVER_KEYS = ("mcpServers", "servers")


@dataclass(frozen=True, slots=True)
class Edit:
    """A change of one file that is not written yet. `diff` shows it, without the values of variables and headers."""

    path: Path
    before: bytes
    after: bytes
    diff: str

    def write(self) -> None:
        """Write the file; the first backup is kept, so that it is the file as it was before any proxy."""
        backup = self.path.with_name(self.path.name + BACKUP)
        if not backup.exists():
            _write_private(backup, self.before)
        _replace(self.path, self.after)
        _write_private(self.path.with_name(self.path.name + _SUM), sha256(self.after).hexdigest().encode())


def planned(path: Path, server: str, options: Sequence[str]) -> Edit:
    """The change that puts the proxy before one server; comments and layout of all else stay. Raises Problem."""
    before = _read(path)
    text = before.decode("utf-8-sig")
    plain = strip(text)
    key = next((key for key in _SERVER_KEYS if _span(plain, (key, server)) is not None), None)
    if key is None:
        raise Problem(f"{path} names no server {server!r}")
    entry: Any = json.loads(_cut(plain, (key, server)))
    if not is_map(entry):
        raise Problem(f"the entry of {server!r} is no object")
    made = behind_proxy(entry, options)
    changed = _written(text, plain, (key, server), entry, made)
    mark = b"\xef\xbb\xbf" if before.startswith(b"\xef\xbb\xbf") else b""
    lines = difflib.unified_diff(text.splitlines(), changed.splitlines(), str(path), str(path), "", "", 0, "")
    return Edit(path, before, mark + changed.encode(), hide("\n".join(lines) + "\n", _secrets(entry)))


def restore(path: Path, *, anyway: bool = False) -> None:
    """Bring back the file as it was before the first proxy.

    Raises Problem where there is no backup, or the file was changed since, unless `anyway`.
    """
    backup, known = path.with_name(path.name + BACKUP), path.with_name(path.name + _SUM)
    if not backup.exists():
        raise Problem(f"{path} has no backup", "The proxy was not put there by `toolglot proxy install`.")
    same = known.exists() and known.read_bytes().decode() == sha256(_read(path)).hexdigest()
    if not same and not anyway:
        raise Problem(f"{path} was changed since", f"--yes brings back {backup.name} all the same.")
    _replace(path, backup.read_bytes())
    backup.unlink()
    known.unlink(missing_ok=True)


def _written(text: str, plain: str, place: tuple[str, ...], entry: dict[str, Any], made: dict[str, Any]) -> str:
    """The text with the values of `command` and `args` replaced; an address becomes a whole new entry."""
    if "command" not in entry:
        start, end = _found(plain, place)
        return text[:start] + json.dumps(made, ensure_ascii=False) + text[end:]
    edits: list[tuple[int, int, str]] = []
    args = json.dumps(made["args"], ensure_ascii=False)
    start, end = _found(plain, (*place, "command"))
    command = json.dumps(made["command"])
    if "args" in entry:
        edits.append((*_found(plain, (*place, "args")), args))
    else:
        command += f', "args": {args}'
    edits.append((start, end, command))
    for first, last, new in sorted(edits, reverse=True):
        text = text[:first] + new + text[last:]
    return text


def _found(plain: str, place: tuple[str, ...]) -> tuple[int, int]:
    found = _span(plain, place)
    assert found is not None
    return found


def _cut(plain: str, place: tuple[str, ...]) -> str:
    start, end = _found(plain, place)
    return plain[start:end]


def _span(plain: str, place: tuple[str, ...]) -> tuple[int, int] | None:
    """Where the value at a place begins and ends. Raises Problem for what is no JSON."""
    decoder = json.JSONDecoder()
    at = _skip(plain, 0)
    try:
        end = decoder.raw_decode(plain, at)[1]
        for name in place:
            found = _member(plain, at, name, decoder)
            if found is None:
                return None
            at, end = found
    except (json.JSONDecodeError, RecursionError) as error:
        raise Problem(f"the configuration is no JSON: {error}") from None
    return at, end


def _member(plain: str, at: int, name: str, decoder: json.JSONDecoder) -> tuple[int, int] | None:
    if plain[at : at + 1] != "{":
        return None
    at = _skip(plain, at + 1)
    while plain[at : at + 1] == '"':
        key, at = decoder.raw_decode(plain, at)
        start = _skip(plain, _skip(plain, at) + 1)
        end = decoder.raw_decode(plain, start)[1]
        if key == name:
            return start, end
        at = _skip(plain, end)
        at = _skip(plain, at + 1) if plain[at : at + 1] == "," else at
    return None


def _skip(plain: str, at: int) -> int:
    found = _SPACE.match(plain, at)
    return found.end() if found else at


def _secrets(entry: dict[str, Any]) -> list[str]:
    maps = [entry[key] for key in ("env", "headers") if is_map(entry.get(key))]
    values = [str(value) for found in maps for value in found.values()]
    return sorted((value for value in values if len(value) > 3), key=len, reverse=True)


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Problem(f"{path} cannot be read: {error.strerror or error}") from None


def _replace(path: Path, content: bytes) -> None:
    """Write a file whole or not at all, with the rights that it had."""
    made = path.with_name(path.name + ".toolglot-new")
    _write_private(made, content)
    made.chmod(path.stat().st_mode & 0o777)
    made.replace(path)


def _write_private(path: Path, content: bytes) -> None:
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(number, "wb") as file:
        file.write(content)
