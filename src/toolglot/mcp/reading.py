"""Reads sources into raw pages: chooses the servers, and turns every failure into one SourceError."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolglot.errors import SourceError
from toolglot.mcp import saved
from toolglot.mcp.clientconfig import configured
from toolglot.mcp.kinds import ClientConfig, Command, InProcess, SavedFile, ServerObject, StandardInput, Url
from toolglot.mcp.pages import Pages, Reading
from toolglot.mcp.text import hide, secrets_of
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from toolglot.mcp.clientconfig import ConfiguredServer
    from toolglot.mcp.kinds import LiveSource, OneSource, Source

_SHORTEST_ENV_SECRET = 8
_TRANSPORTS: dict[type, str] = {
    SavedFile: "file",
    StandardInput: "stdin",
    Command: "stdio",
    InProcess: "memory",
    ServerObject: "memory",
}


def silent(text: str) -> None:
    """No progress."""


@dataclass(frozen=True, slots=True)
class Options:
    """How sources are read; see `sources.read`."""

    timeout: float = 30
    allow_empty: bool = False
    schema: bool = False
    server: str | None = None
    all_servers: bool = False
    on_progress: Callable[[str], None] = silent


def read_pages(source: Source, options: Options) -> tuple[Pages, ...]:
    """What each server of a source published, as raw text; see `sources.read` for the errors.

    Child processes have ended when this returns or raises, also after Ctrl-C or SIGTERM.
    """
    if isinstance(source, ClientConfig):
        return _read_live(_chosen(source, options), options)
    if isinstance(source, (SavedFile, StandardInput)):
        pages = _read_saved(source, options)
    else:
        pages = _read_live([source], options)[0]
    if pages.error is not None and not pages.raws:
        raise pages.error
    return (pages,)


def _read_saved(source: SavedFile | StandardInput, options: Options) -> Pages:
    reading = new_reading(source)
    try:
        saved.read(source, reading, schema=options.schema)
    except Problem as problem:
        return finished(source, reading, options, problem)
    return finished(source, reading, options)


def _read_live(sources: Sequence[LiveSource | Pages], options: Options) -> tuple[Pages, ...]:
    from toolglot.mcp.running import run  # asyncio is not imported for a saved list

    return run(sources, options)


def new_reading(source: OneSource) -> Reading:
    """An empty reading of a source."""
    return Reading(_TRANSPORTS.get(type(source), "http"))


def finished(source: OneSource, reading: Reading, options: Options, problem: Problem | None = None) -> Pages:
    """What was read, with a problem as its error; no tool at all is a problem too, unless allowed."""
    if problem is None and not reading.raws and not options.allow_empty:
        problem = Problem("it publishes no tool", "--allow-empty takes that as fine.")
    return reading.pages(source.id, None if problem is None else source_error(source, problem))


def source_error(source: OneSource, problem: Problem) -> SourceError:
    """The problem with the name of the source before it, and without any value that was configured as secret."""
    end = "" if problem.message.endswith((".", "?", "!", "…")) else "."
    message = without_secrets(source, f"{source.id}: {problem.message}{end}")
    return SourceError(source.id, message, hint=without_secrets(source, problem.hint))


def without_secrets(source: OneSource, text: str) -> str:
    """A text without any value that was configured as secret."""
    return hide(text, _secrets(source))


def _secrets(source: OneSource) -> tuple[str, ...]:
    if isinstance(source, Url):
        return secrets_of([*source.headers.values(), *source.secrets])
    if isinstance(source, Command):
        values = {*source.env.values(), *source.secrets}
        return tuple(sorted((value for value in values if len(value) >= _SHORTEST_ENV_SECRET), key=len, reverse=True))
    return ()


def _chosen(source: ClientConfig, options: Options) -> list[LiveSource | Pages]:
    """The servers to start; one that cannot be started is an answer with its error already."""
    servers = configured(source.path)
    if options.server is not None:
        return [_startable(_named(servers, options.server, source))]
    enabled = [server for server in servers if not server.disabled]
    if not enabled:
        raise SourceError(source.id, f"{source.id}: it names no server that is switched on.")
    if not options.all_servers:
        names = ", ".join(server.name for server in enabled)
        raise SourceError(source.id, f"{source.id}: it names {names}.", hint="Choose with --server NAME or --all.")
    return [_startable(server) for server in enabled]


def _named(servers: Sequence[ConfiguredServer], name: str, source: ClientConfig) -> ConfiguredServer:
    for server in servers:
        if server.name == name:
            if server.disabled:
                raise SourceError(name, f"{name}: it is switched off in {source.id}.", hint="Switch it on there.")
            return server
    names = ", ".join(server.name for server in servers) or "none"
    raise SourceError(source.id, f"{source.id}: it names no server {name!r}.", hint=f"Its servers: {names}.")


def _startable(server: ConfiguredServer) -> LiveSource | Pages:
    return server.source or Pages(server.name, transport=server.transport, error=server.problem)
