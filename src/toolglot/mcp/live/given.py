"""What `connect` was given: one server, or the servers of a configuration, each with the prefix of its names."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from toolglot.errors import SourceError
from toolglot.mcp.clientconfig import configured, configured_in
from toolglot.mcp.inprocess import is_server
from toolglot.mcp.kinds import (
    ClientConfig,
    Command,
    HttpTransport,
    InProcess,
    SavedFile,
    ServerObject,
    StandardInput,
    Url,
)
from toolglot.mcp.prefixes import prefixes
from toolglot.mcp.sources import FORMS, parse_source

if TYPE_CHECKING:
    from toolglot.mcp.clientconfig import ConfiguredServer
    from toolglot.mcp.kinds import LiveSource, Source


_FORMS = (
    "Give the words of a command, an http:// or https:// address, the configuration file of a client, "
    "`package.module:object`, or a server object of the official SDK or of fastmcp."
)


@dataclass(frozen=True, slots=True)
class Given:
    """Servers to connect to, in their order.

    Each has its name, the prefix of its tools' names, and its source, or why it cannot be started.
    """

    id: str
    servers: tuple[tuple[str, str, LiveSource | SourceError], ...]


@dataclass(frozen=True, slots=True)
class Choices:
    """More about what is given: see `toolglot.connect`."""

    server: str | None = None
    env: Mapping[str, str] | None = None
    cwd: Path | None = None
    headers: Mapping[str, str] | None = None
    transport: HttpTransport = "auto"


def read_given(source: Sequence[Any], choices: Choices) -> Given:
    """The servers that the arguments of `connect` mean. Raises SourceError for what is none."""
    if len(source) == 1 and not isinstance(source[0], str):
        return _object(source[0], choices)
    if not all(isinstance(word, str) for word in source):
        raise SourceError("", "the words of a command are texts.", hint='Write connect("npx", "-y", "SERVER").')
    return _from_source(_parsed(cast("Sequence[str]", source), choices), choices)


def _object(given: Any, choices: Choices) -> Given:
    if isinstance(given, Path):
        return _from_source(_parsed([str(given)], choices), choices)
    if isinstance(given, Mapping):
        return _of_mapping(cast("Mapping[str, Any]", given), choices)
    if isinstance(given, (Command, Url, InProcess, ServerObject, SavedFile, StandardInput, ClientConfig)):
        return _from_source(given, choices)
    if is_server(given):
        return _from_source(ServerObject(given), choices)
    kind = f"{type(given).__module__}.{type(given).__qualname__}"
    raise SourceError(kind, f"an object of {kind} is no server.", hint=_FORMS)


def _parsed(words: Sequence[str], choices: Choices) -> Source:
    if len(words) > 1:
        return parse_source(None, command=words, env=choices.env, cwd=choices.cwd)
    text = words[0] if words else None
    try:
        return parse_source(text, headers=choices.headers, transport=choices.transport)
    except SourceError as error:
        if text and shutil.which(text):
            return Command((text,), dict(choices.env or {}), choices.cwd)
        raise SourceError(error.source, error.message, hint=error.hint.replace(FORMS, _FORMS)) from None


def _from_source(source: Source, choices: Choices) -> Given:
    if isinstance(source, ClientConfig):
        return _chosen(source.id, [*map(_one, configured(source.path))], choices)
    if isinstance(source, (SavedFile, StandardInput)):
        hint = 'A server is a command: connect("python", "server.py"), an address, or a configuration.'
        raise SourceError(source.id, f"{source.id}: a saved list has no server to call.", hint=hint)
    if choices.server is not None:
        raise SourceError(source.id, f"{source.id}: it is one server.", hint="`server` chooses from a configuration.")
    return Given(source.id, ((source.id, "", source),))


def _of_mapping(value: Mapping[str, Any], choices: Choices) -> Given:
    """A configuration in memory; a server object may stand where a file has an entry."""
    servers = value.get("mcpServers", value.get("servers"))
    if not isinstance(servers, Mapping):
        raise SourceError("configuration", "the configuration has no `mcpServers` or `servers`.")
    entries: dict[str, Any] = {str(name): entry for name, entry in cast("Mapping[Any, Any]", servers).items()}
    objects = {name: entry for name, entry in entries.items() if not isinstance(entry, Mapping) and is_server(entry)}
    plain = configured_in({**value, "mcpServers": {name: entries[name] for name in entries if name not in objects}})
    found = {one.name: one for one in map(_one, plain)}
    found |= {name: _One(name, ServerObject(entry, name)) for name, entry in objects.items()}
    return _chosen("configuration", [found[name] for name in entries], choices)


@dataclass(frozen=True, slots=True)
class _One:
    """One server of a configuration, with its source or why it cannot be started."""

    name: str
    source: LiveSource | SourceError
    disabled: bool = False


def _one(server: ConfiguredServer) -> _One:
    problem = server.problem or SourceError(server.name, f"{server.name}: it cannot be started.")
    source = problem if server.source is None else replace(server.source, name=server.name)
    return _One(server.name, source, server.disabled)


def _chosen(id: str, servers: Sequence[_One], choices: Choices) -> Given:
    if choices.server is not None:
        return Given(id, ((choices.server, "", _named(id, servers, choices.server)),))
    enabled = [one for one in servers if not one.disabled]
    if not enabled:
        raise SourceError(id, f"{id}: it names no server that is switched on.")
    prefix = prefixes(one.name for one in enabled)
    return Given(id, tuple((one.name, prefix[one.name], one.source) for one in enabled))


def _named(id: str, servers: Sequence[_One], name: str) -> LiveSource | SourceError:
    for one in servers:
        if one.name == name:
            return one.source
    names = ", ".join(one.name for one in servers) or "none"
    raise SourceError(id, f"{id}: it names no server {name!r}.", hint=f"Its servers: {names}.")
