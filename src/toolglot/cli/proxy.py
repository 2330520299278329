"""`toolglot proxy`: stand between a client and a server, and make the tools fit the client's model."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from toolglot.cli.console import progress
from toolglot.cli.options import all_of, names_option, option
from toolglot.cli.sources import Given, SourceCommand
from toolglot.errors import SourceError, ToolglotError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.cli.project import Project
    from toolglot.mcp.kinds import Command, Url
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.stdio_front import Upstream

READ_ONLY = "TOOLGLOT_READ_ONLY"
_OFF = ("0", "false", "no", "off")

call_options = all_of(
    option(
        "--mend",
        type=click.Choice(["safe", "all", "all-tools", "off"]),
        default="safe",
        show_default=True,
        help="Repair sloppy arguments; all: guesses of intent too, for tools that say they only read.",
    ),
    option(
        "--refuse",
        type=click.Choice(["on", "off"]),
        default="on",
        show_default=True,
        help="Answer calls with wrong arguments, instead of passing them on.",
    ),
    option("--observe", is_flag=True, help="Change nothing; log what would have been changed, mended, refused."),
)

restriction_options = all_of(
    click.option(
        "--read-only",
        is_flag=True,
        help=f"Hide tools that may change something, and narrow actions to those that read. Also: {READ_ONLY}=true.",
    ),
    names_option("--allow", metavar="TOOL", help="Serve these tools only, by published name."),
    names_option("--deny", metavar="TOOL", help="Do not serve these tools."),
)

log_options = all_of(
    option("--log", metavar="FILE", help="Append a log in JSON lines; - is stderr."),
    option("--log-arguments", is_flag=True, help="Write the arguments of calls to the log, too."),
    option("--quiet", "-q", is_flag=True, help="No notes on stderr."),
)

server_options = all_of(
    option("--header", type=click.STRING, multiple=True, metavar="NAME:VALUE", help="A header for a server over HTTP."),
    option(
        "--header-from-env",
        type=click.STRING,
        multiple=True,
        metavar="NAME=VAR",
        help="A header with the value of an environment variable.",
    ),
    option("--isolated", is_flag=True, help="Read no toolglot.toml."),
)


@click.command("proxy", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[URL]")
@option(
    "--for",
    "--target",
    "-t",
    "target",
    metavar="TARGET",
    default="portable",
    show_default=True,
    help="The target: an id, a short name, `client+api`, a file; none: change nothing; auto: go by the client.",
)
@call_options
@restriction_options
@log_options
@server_options
def proxy(**options: Any) -> None:
    """Stand between a client and a server, and make the tools fit the client's model.

    Calls come back in the server's own shape, checked; all other messages pass as they are.

    \b
    toolglot proxy --for TARGET -- npx -y SERVER
    toolglot proxy --for TARGET https://example.com/mcp
    toolglot proxy --for TARGET --observe --log proxy.jsonl -- npx -y SERVER
    toolglot proxy --for TARGET --read-only -- npx -y SERVER
    """
    settings = _settings(options)
    from toolglot.cli.project import project

    found = project(None, options["isolated"])
    journal = _journal(options)
    code = _over_stdio(_source(options), settings, found, journal)
    if code:
        click.get_current_context().exit(code)


def _over_stdio(source: Command | Url, settings: Settings, found: Project, journal: Journal) -> int:
    from toolglot.mcp.proxy.policy import single_policy
    from toolglot.mcp.proxy.stdio_front import serve
    from toolglot.mcp.wire import Problem

    policy = single_policy(settings, found.catalogue, journal)
    try:
        return serve(_upstream(source, journal), policy)
    except Problem as problem:
        raise SourceError(source.id, f"{source.id}: {problem.message}.", hint=problem.hint) from None


def _upstream(source: Command | Url, journal: Journal) -> Upstream:
    from toolglot.mcp.kinds import Command
    from toolglot.mcp.proxy.command import CommandUpstream

    if isinstance(source, Command):
        return CommandUpstream(source, journal)
    raise _usage("an address is not served over stdio yet; name a command after `--`.")


def _settings(options: Mapping[str, Any]) -> Settings:
    from toolglot.mcp.proxy.restrict import Restriction
    from toolglot.mcp.proxy.settings import Settings

    restriction = Restriction(
        read_only=options["read_only"] or _is_on(os.environ.get(READ_ONLY)),
        allow=frozenset(options["allow"]),
        deny=frozenset(options["deny"]),
    )
    if options["observe"] and restriction:
        raise _usage("--observe changes nothing, so it does not go with --read-only, --allow and --deny.")
    return Settings(options["target"], options["mend"], options["refuse"] == "on", options["observe"], restriction)


def _is_on(value: str | None) -> bool:
    """Whether a variable switches a protection on; a value that cannot be read does."""
    return value is not None and value.strip().lower() not in _OFF


def _journal(options: Mapping[str, Any]) -> Journal:
    from toolglot.mcp.proxy.journal import Journal

    log: BinaryIO | None = None
    if options["log"] == "-":
        log = sys.stderr.buffer
    elif options["log"]:
        try:
            log = open(options["log"], "ab")  # noqa: SIM115 - it stays open as long as the proxy runs
        except OSError as error:
            raise ToolglotError(f"{options['log']}: cannot be written: {error.strerror}.") from None
    return Journal(log, options["log_arguments"]) if options["quiet"] else Journal(log, options["log_arguments"], _note)


def _note(text: str) -> None:
    progress(f"toolglot: {text}")


def _source(options: Mapping[str, Any]) -> Command | Url:
    from toolglot.mcp.sources import Command, Url, parse_source

    given = Given.of({**options, "config": None, "transport": "auto"})
    if len(given.texts) + bool(given.command) != 1:
        raise _usage("name one server: `-- COMMAND ARGS`, or an address.")
    source = parse_source(*given.texts, command=given.command, headers=given.headers)
    if not isinstance(source, (Command, Url)):
        raise _usage("the proxy takes a command after `--`, or an address.")
    return source


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())
