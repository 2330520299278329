"""The kinds of source that tools are read from, as frozen values; reading them is in `reading.py`."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias
from urllib.parse import urlsplit, urlunsplit

HttpTransport: TypeAlias = Literal["auto", "http", "sse"]


@dataclass(frozen=True, slots=True)
class SavedFile:
    """A file that holds a list of tools, one tool, a capture, or (when asked for) a bare schema."""

    path: Path

    @property
    def id(self) -> str:
        """The path as it was given."""
        return str(self.path)


@dataclass(frozen=True, slots=True)
class StandardInput:
    """The same as a saved file, from standard input."""

    @property
    def id(self) -> str:
        """What stands for standard input."""
        return "-"


@dataclass(frozen=True, slots=True)
class Command:
    """A server started as a child process; `env` is added to this process's environment.

    `name` is what a client configuration calls the server. Values of `env`, and `secrets`, which are values that
    were filled in elsewhere, never appear in a text.
    """

    argv: tuple[str, ...]
    env: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    cwd: Path | None = None
    name: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def id(self) -> str:
        """The name in a configuration, else the command line."""
        return self.name or shlex.join(self.argv)


@dataclass(frozen=True, slots=True)
class Url:
    """A server at an address; `headers` go to the origin of `url` only. They, and `secrets`, never appear in a text."""

    url: str
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    transport: HttpTransport = "auto"
    name: str = ""
    secrets: tuple[str, ...] = field(default=(), repr=False, compare=False)

    @property
    def id(self) -> str:
        """The name in a configuration, else the address without secrets."""
        return self.name or shown_url(self.url)


@dataclass(frozen=True, slots=True)
class InProcess:
    """A server object, or a factory of one, at `module:attribute`."""

    module: str
    attribute: str

    @property
    def id(self) -> str:
        """The object as it was named."""
        return f"{self.module}:{self.attribute}"


@dataclass(frozen=True, slots=True)
class ServerObject:
    """A server object of this process itself."""

    server: Any = field(repr=False)
    name: str = ""

    @property
    def id(self) -> str:
        """The name it was given, else that of its class."""
        return self.name or type(self.server).__name__


@dataclass(frozen=True, slots=True)
class ClientConfig:
    """A configuration file of an MCP client that names servers."""

    path: Path

    @property
    def id(self) -> str:
        """The path as it was given."""
        return str(self.path)


Source: TypeAlias = SavedFile | StandardInput | Command | Url | InProcess | ServerObject | ClientConfig
LiveSource: TypeAlias = Command | Url | InProcess | ServerObject
OneSource: TypeAlias = SavedFile | StandardInput | LiveSource


def shown_url(url: str) -> str:
    """The address without user, password, query values and fragment: those may hold secrets."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return url.partition("?")[0]
    query = "&".join(f"{item.partition('=')[0]}=…" for item in parts.query.split("&")) if parts.query else ""
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, query, ""))
