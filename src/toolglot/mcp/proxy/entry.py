"""Entries of client configurations that put the proxy before a server, and where clients keep them."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tomllib
from dataclasses import dataclass, field
from functools import cache
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING, Any

from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PROGRAM = "toolglot"
_EVERYWHERE = os.pathsep.join(("/usr/local/bin", os.defpath))


@dataclass(frozen=True, slots=True)
class ClientFile:
    """How one client is configured; `more` are members that every entry has."""

    name: str
    paths: tuple[str, ...]
    key: str
    target: str
    more: Mapping[str, str] = field(default_factory=dict[str, str])

    def path(self) -> Path:
        """The file of the client that is there. Raises Problem where none is."""
        found = [Path(path).expanduser() for path in self.paths]
        there = next((path for path in found if path.is_file()), None)
        if there is None:
            looked = ", ".join(self.paths) or "no known place"
            raise Problem(f"no configuration of {self.name} was found ({looked})", "Name it with --file PATH.")
        return there


@cache
def client_files() -> dict[str, ClientFile]:
    """The clients whose configuration is known, by name."""
    text = resources.files("toolglot.mcp.proxy").joinpath("clients.toml").read_text("utf-8")
    return {
        name: ClientFile(name, tuple(row["paths"]), row["key"], row["target"], row.get("more", {}))
        for name, row in tomllib.loads(text)["files"].items()
    }


def printed(client: ClientFile, name: str, words: Sequence[str], env: Mapping[str, str] | None = None) -> str:
    """The text to paste: one server behind the proxy; `words` are the options of the proxy, and the server."""
    entry: dict[str, Any] = {**client.more, "command": PROGRAM, "args": ["proxy", *words]}
    if env:
        entry["env"] = dict(env)
    return json.dumps({client.key: {name: entry}}, indent=2, ensure_ascii=False) + "\n"


def variables_of(headers: Mapping[str, Any]) -> tuple[dict[str, str], list[str]]:
    """Variables that hold the values of headers, and the options that name them: no value is on a command line."""
    variables = {f"TOOLGLOT_HEADER_{n}": str(value) for n, value in enumerate(headers.values(), 1)}
    named = zip(headers, variables, strict=True)
    return variables, [word for name, variable in named for word in ("--header-from-env", f"{name}={variable}")]


def installed() -> str:
    """The command that starts this very toolglot; its name alone where every program finds it.

    A client with windows does not have the search path of a shell, and an environment is on no other path.
    """
    script = Path(sys.executable).parent / PROGRAM
    if not script.is_file() or shutil.which(PROGRAM, path=_EVERYWHERE):
        return PROGRAM
    return str(script)


def behind_proxy(entry: Mapping[str, Any], options: Sequence[str]) -> dict[str, Any]:
    """An entry with the proxy before its server; every other member stays.

    Headers of an address become variables of the entry, so that no value is on a command line. Raises Problem where the
    entry names no server, or the proxy is there already.
    """
    command = entry.get("command")
    arguments: list[str] = [str(word) for word in entry.get("args") or ()]
    if isinstance(command, str) and Path(command).stem == PROGRAM and arguments[:1] == ["proxy"]:
        raise Problem("the proxy is before this server already", "`toolglot proxy uninstall` takes it away.")
    if isinstance(command, str) and command:
        return {**entry, "command": installed(), "args": ["proxy", *options, "--", command, *arguments]}
    address = next((entry[key] for key in ("url", "serverUrl", "httpUrl") if isinstance(entry.get(key), str)), None)
    if address is None:
        raise Problem("the entry has neither a `command` nor a `url`")
    return _before_address(entry, address, options)


def _before_address(entry: Mapping[str, Any], address: str, options: Sequence[str]) -> dict[str, Any]:
    variables, words = variables_of(entry.get("headers") or {})
    dropped = ("url", "serverUrl", "httpUrl", "headers", "type", "transport")
    kept = {key: value for key, value in entry.items() if key not in dropped}
    made = {**kept, "command": installed(), "args": ["proxy", *options, *words, address]}
    given: Mapping[str, Any] = entry.get("env") or {}
    env: dict[str, Any] = {**given, **variables}
    return {**made, "env": env} if env else made
