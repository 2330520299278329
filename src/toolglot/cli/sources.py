"""From the command line to listings: SOURCE arguments, a command after `--`, or what the configuration names."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

import click

from toolglot.cli.console import progress
from toolglot.errors import SourceError, ToolglotError
from toolglot.mcp.clientconfig import configured
from toolglot.mcp.project_server import project_server
from toolglot.mcp.sources import ClientConfig, Command, InProcess, Source, StandardInput, Url, parse_source, read
from toolglot.schema.tool import Listing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolglot.contract.config import Config

_COMMAND = "toolglot.command"
_EXAMPLES = "Name one: `{name} tools.json`, `{name} -- npx -y SERVER`, `{name} https://...`."
_TIMEOUT = 30.0


class SourceCommand(click.Command):
    """A command that takes `-- COMMAND ARGS`; click alone would mix its words with the SOURCE arguments."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Keep what follows the first `--` apart."""
        if "--" in args:
            place = args.index("--")
            ctx.meta[_COMMAND] = tuple(args[place + 1 :])
            args = args[:place]
            if not ctx.meta[_COMMAND]:
                raise click.UsageError("no command follows after `--`.", ctx)
        return super().parse_args(ctx, args)

    def collect_usage_pieces(self, ctx: click.Context) -> list[str]:
        """The usage line names the command after `--`."""
        return [*super().collect_usage_pieces(ctx), "[-- COMMAND ARGS]"]


def command_after_dashes() -> tuple[str, ...]:
    """The words after the first `--` of the command that runs; none where there is no `--`."""
    return click.get_current_context().meta.get(_COMMAND, ())


@dataclass(frozen=True, slots=True)
class Given:
    """What the command line says about sources."""

    texts: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    headers: Mapping[str, str] = field(default_factory=dict[str, str], repr=False)
    transport: Literal["auto", "http", "sse"] = "auto"
    timeout: float | None = None
    server: str | None = None
    all_servers: bool = False
    schema: bool = False
    allow_empty: bool = False
    run_configured: bool = False
    named_config: bool = False
    quiet: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Given:
        """The options of a command as they were parsed. Raises UsageError for a header that is none."""
        same = ("transport", "timeout", "server", "all_servers", "schema", "allow_empty", "run_configured", "quiet")
        return cls(
            texts=tuple(dict.fromkeys(options["sources"])),
            command=command_after_dashes(),
            headers=_headers(options["header"], options["header_from_env"]),
            named_config=bool(options["config"]),
            **{key: options[key] for key in same if key in options},
        )


def _headers(plain: tuple[str, ...], from_env: tuple[str, ...]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for text in plain:
        name, colon, value = text.partition(":")
        if not colon or not name.strip():
            raise click.UsageError("--header takes NAME:VALUE.", click.get_current_context())
        headers[name.strip()] = value.strip()
    for text in from_env:
        name, equals, variable = (part.strip() for part in text.partition("="))
        if not equals or not name:
            raise click.UsageError("--header-from-env takes NAME=VARIABLE.", click.get_current_context())
        if variable not in os.environ:
            raise ToolglotError(f"the environment variable {variable} is not set.", hint=f"The header {name} needs it.")
        headers[name] = os.environ[variable]
    return headers


def sources_of(given: Given, config: Config) -> tuple[Source | SourceError, ...]:
    """The sources that are named, else the one of the configuration; a text that names none is its error.

    Raises UsageError, ToolglotError.
    """
    found = [_parsed(text, given) for text in given.texts]
    if given.command:
        found.append(parse_source(command=given.command))
    sources = tuple(found) or (_configured_source(given, config),)
    if (given.server or given.all_servers) and not any(isinstance(source, ClientConfig) for source in sources):
        raise click.UsageError(
            "--server and --all choose from the configuration of a client, and none is named.",
            click.get_current_context(),
        )
    return sources


def _parsed(text: str, given: Given) -> Source | SourceError:
    try:
        return parse_source(text, headers=given.headers, transport=given.transport)
    except SourceError as error:
        return error


def _configured_source(given: Given, config: Config) -> Source:
    ctx = click.get_current_context()
    if config.server is None:
        raise click.UsageError(f"no SOURCE is given.\n{_EXAMPLES.format(name=ctx.command_path)}", ctx)
    source = project_server(config)
    runs = isinstance(source, (Command, InProcess))
    if runs and not (given.run_configured or given.named_config):
        raise ToolglotError(
            f"no SOURCE is given, and {config.shown} names what would be run: {source.id}",
            hint="It runs with --run-configured.",
        )
    return source


def read_all(given: Given, config: Config, *, keep_errors: bool = False) -> tuple[Listing, ...]:
    """Read every source. With several, one that cannot be read is a listing with its error.

    Raises SourceError where there is only one source and it cannot be read, unless `keep_errors`.
    """
    sources = sources_of(given, config)
    several = len(sources) > 1 or given.all_servers
    on_progress = progress if several and not given.quiet else None
    keep_errors = keep_errors or several
    return tuple(listing for source in sources for listing in _read(source, given, config, on_progress, keep_errors))


def _read(
    source: Source | SourceError,
    given: Given,
    config: Config,
    on_progress: Callable[[str], None] | None,
    keep_errors: bool,
) -> tuple[Listing, ...]:
    try:
        if isinstance(source, SourceError):
            raise source
        _check_choice(source, given)
        return read(
            source,
            timeout=given.timeout or config.timeout or _TIMEOUT,
            allow_empty=given.allow_empty,
            schema=given.schema,
            server=given.server,
            all_servers=given.all_servers,
            on_progress=on_progress,
        )
    except SourceError as error:
        if not keep_errors:
            raise
        return (unread(source, error),)


_TRANSPORTS: dict[type, str] = {StandardInput: "stdin", Command: "stdio", Url: "http", InProcess: "memory"}


def unread(source: Source | SourceError, error: SourceError) -> Listing:
    """The listing of a source that could not be read, or of what is no source."""
    return Listing(error.source, transport=_TRANSPORTS.get(type(source), "file"), error=error)


def _check_choice(source: Source, given: Given) -> None:
    """A client configuration starts nothing by itself: say what it would start."""
    if not isinstance(source, ClientConfig) or given.server or given.all_servers:
        return
    servers = configured(source.path)
    width = max((len(server.name) for server in servers), default=0)
    lines = [f"{server.name:{width}}  {server.shown}{'  (disabled)' * server.disabled}" for server in servers]
    count = f"{len(servers)} {'server' if len(servers) == 1 else 'servers'}"
    hint = "\n".join([*lines, "Choose with --server NAME or --all."]) if servers else ""
    raise SourceError(source.id, f"{source.id}: names {count}, and none was started.", hint=hint)
