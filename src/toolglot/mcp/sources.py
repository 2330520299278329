"""Sources of tools: what a SOURCE argument means, and reading it into listings.

Readers, SDKs and httpx are imported when a source is read, so that this module is cheap to import.
"""

from __future__ import annotations

import difflib
import re
from pathlib import Path
from typing import TYPE_CHECKING

from toolglot.errors import SourceError
from toolglot.mcp.kinds import (
    ClientConfig,
    Command,
    HttpTransport,
    InProcess,
    SavedFile,
    Source,
    StandardInput,
    Url,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from toolglot.schema.tool import Listing

__all__ = [
    "ClientConfig",
    "Command",
    "InProcess",
    "SavedFile",
    "Source",
    "StandardInput",
    "Url",
    "parse_source",
    "read",
]

FORMS = (
    "A source is a saved list (a file, or - for standard input), `-- COMMAND ARGS`, an http:// or https:// address, "
    "`package.module:object`, or the configuration file of a client."
)
_OBJECT = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")
_FILE_OBJECT = re.compile(r"([\w./\\-]+)\.py:([\w.]+)")
_HOST = re.compile(r"(?:localhost|[\w-]+(?:\.[\w-]+)+|\d+\.\d+\.\d+\.\d+)(?::\d+)?(?:/\S*)?")
_RUNNERS = ("npx", "uvx", "node", "python", "python3", "docker", "uv", "bunx", "deno", "npm", "pnpm", "go")


def parse_source(
    text: str | None = None,
    *,
    command: Sequence[str] = (),
    headers: Mapping[str, str] | None = None,
    transport: HttpTransport = "auto",
    env: Mapping[str, str] | None = None,
    cwd: Path | None = None,
) -> Source:
    """What a SOURCE argument, or a command after `--`, means.

    In: the argument or the command, not both. `headers` and `transport` are for addresses, `env` and `cwd` for
    commands. Raises SourceError for what is none of the accepted forms; the error names them and the nearest guess.
    """
    if command:
        if text is not None:
            raise SourceError(text, f"{text}: a source and a command are both given.", hint="Give one of them.")
        return Command(tuple(command), dict(env or {}), cwd)
    if not text:
        raise SourceError("", "no source is named.", hint=FORMS)
    if text == "-":
        return StandardInput()
    path = Path(text)
    if path.is_file():
        return _file(path)
    if text.startswith(("http://", "https://")):
        return Url(text, dict(headers or {}), transport)
    if _OBJECT.fullmatch(text) and not _FILE_OBJECT.fullmatch(text):
        module, _, attribute = text.partition(":")
        return InProcess(module, attribute)
    raise SourceError(text, f"{text}: {_what(text, path)}", hint=f"{_guess(text, path)} {FORMS}".lstrip())


def read(
    source: Source,
    *,
    timeout: float = 30,
    allow_empty: bool = False,
    schema: bool = False,
    server: str | None = None,
    all_servers: bool = False,
    on_progress: Callable[[str], None] | None = None,
) -> tuple[Listing, ...]:
    """Read the tools of a source: one listing, or one for each chosen server of a client configuration.

    In: `timeout` in seconds for each server, all pages included; `schema` reads a saved file as one bare schema;
    `server` or `all_servers` chooses from a configuration; `on_progress` gets a line of text per step.
    Out: listings. `error` of a listing is set where a server of several could not be read, and where some tools
    were read before a failure (then `entries` has them).
    Raises SourceError where one source could not be read at all, or has no tool unless `allow_empty`. Child
    processes have ended when this returns or raises.
    """
    from toolglot.mcp.reading import Options, read_pages, silent

    options = Options(timeout, allow_empty, schema, server, all_servers, on_progress or silent)
    return tuple(pages.listing() for pages in read_pages(source, options))


def _file(path: Path) -> Source:
    from toolglot.mcp.clientconfig import is_config
    from toolglot.mcp.saved import read_bytes, to_utf8
    from toolglot.mcp.wire import Problem

    try:
        return ClientConfig(path) if is_config(to_utf8(read_bytes(path))) else SavedFile(path)
    except Problem:
        return SavedFile(path)  # reading it says what is wrong


def _what(text: str, path: Path) -> str:
    if path.is_dir():
        return "this is a directory."
    return "there is no such file." if path.suffix or "/" in text else "this is no source."


def _guess(text: str, path: Path) -> str:
    """The nearest thing that is a source, as a question; empty where nothing is near."""
    if found := _FILE_OBJECT.fullmatch(text):
        module = found[1].replace("/", ".").replace("\\", ".").strip(".")
        return f"Did you mean {module}:{found[2]}?"
    if " " in text or text in _RUNNERS:
        return f"Did you mean `-- {text}`?"
    if path.is_dir():
        inside = [name for name in ("mcp.json", ".mcp.json", ".vscode/mcp.json") if (path / name).is_file()]
        return f"Did you mean {path / inside[0]}?" if inside else ""
    if near := _near_file(path):
        return f"Did you mean {near}?"
    if Path(*text.split(".")).with_suffix(".py").is_file():
        return f"Did you mean {text}:NAME, with the name of the server object?"
    return f"Did you mean http://{text}?" if _HOST.fullmatch(text) and path.suffix != ".json" else ""


def _near_file(path: Path) -> Path | None:
    folder = path.parent
    names = [item.name for item in folder.iterdir()] if folder.is_dir() else []
    near = difflib.get_close_matches(path.name, names, n=1, cutoff=0.75)
    return folder / near[0] if near else None
