"""`toolglot proxy`: stand between a client and a server, and make the tools fit the client's model."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING, Any, BinaryIO

import click

from toolglot.cli.console import progress
from toolglot.cli.options import all_of, names_option, option
from toolglot.cli.sources import Given, SourceCommand
from toolglot.errors import SourceError, ToolglotError
from toolglot.mcp.proxy.switches import READ_ONLY, is_on

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from toolglot.cli.project import Project
    from toolglot.mcp.kinds import Command, Url
    from toolglot.mcp.proxy.http_front import Backend
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.stdio_front import Upstream

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

http_options = all_of(
    option("--http", metavar="HOST:PORT", help="Serve over HTTP: /mcp for TARGET, /NAME/mcp for every other target."),
    names_option("--allow-host", metavar="NAME", help="A name by which the proxy may be asked, beside localhost."),
    names_option("--allow-origin", metavar="URL", help="A site whose pages may ask the proxy."),
    option("--public-url", metavar="URL", help="The address by which clients know the proxy, without its path."),
    option("--reuse-port", is_flag=True, help="Let several proxies listen on one port."),
    option(
        "--session-prefix",
        metavar="TEXT",
        default="",
        help="The beginning of the names of sessions, by which a load balancer finds their worker.",
    ),
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


configuration_options = all_of(
    # Not from the environment: for the other commands TOOLGLOT_CONFIG names a toolglot.toml.
    click.option("--config", metavar="FILE", help="Serve all servers of a client configuration, with prefixed names."),
    option("--print-config", metavar="CLIENT", help="Print the entry for a client, and start nothing."),
    option("--client", metavar="CLIENT", help="install, uninstall: the client whose configuration is changed."),
    option("--file", metavar="PATH", help="install, uninstall: the configuration, where it is not at its usual place."),
    option("--server", metavar="NAME", help="A server of the configuration."),
    option("--yes", "-y", is_flag=True, help="install, uninstall: do not ask."),
)


@click.command("proxy", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[URL | install | uninstall]")
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
@http_options
@log_options
@server_options
@configuration_options
def proxy(**options: Any) -> None:
    """Stand between a client and a server, and make the tools fit the client's model.

    Calls come back in the server's own shape, checked; all other messages pass as they are.

    \b
    toolglot proxy --for TARGET -- npx -y SERVER
    toolglot proxy --for TARGET https://example.com/mcp
    toolglot proxy --for TARGET --observe --log proxy.jsonl -- npx -y SERVER
    toolglot proxy --for TARGET --read-only -- npx -y SERVER
    toolglot proxy --for TARGET --http 127.0.0.1:8080 -- npx -y SERVER
    toolglot proxy --config mcp.json
    toolglot proxy install --client CLIENT --server NAME
    """
    if options["print_config"] or options["sources"][:1] in (("install",), ("uninstall",)):
        from toolglot.cli.proxy_install import configure

        configure(options)
        return
    _check(options)
    from toolglot.cli.project import project

    found = project(None, options["isolated"])
    settings = _settings(options, found)
    journal = _journal(options)
    if options["config"]:
        code = _several(settings, found, journal, options)
    else:
        serve = _over_http if options["http"] else _over_stdio
        code = serve(_source(options), settings, found, journal, options)
    if code:
        click.get_current_context().exit(code)


_GO_WITH = {
    "client": ("install", "uninstall"),
    "file": ("install", "uninstall"),
    "yes": ("install", "uninstall"),
    "server": ("config",),
    "allow_host": ("http",),
    "allow_origin": ("http",),
    "public_url": ("http",),
    "reuse_port": ("http",),
    "session_prefix": ("http",),
}
"""Options that mean nothing without another one (or the word install, uninstall)."""


def _check(options: Mapping[str, Any]) -> None:
    """Raise UsageError for an option that would do nothing, and for an address that is none."""
    source_of = click.get_current_context().get_parameter_source
    for name, others in _GO_WITH.items():
        source = source_of(name)
        if source is not None and source.name == "COMMANDLINE" and not any(options.get(other) for other in others):
            spelled = " and ".join(f"--{one}" if one in options else f"`{one}`" for one in others)
            raise _usage(f"--{name.replace('_', '-')} goes with {spelled}.")
    if options["public_url"] and not options["public_url"].startswith(("http://", "https://")):
        raise _usage("--public-url takes an address, for example https://mcp.example.com.")


def _over_stdio(
    source: Command | Url, settings: Settings, found: Project, journal: Journal, options: Mapping[str, Any]
) -> int:
    from toolglot.mcp.proxy.policy import single_policy
    from toolglot.mcp.proxy.stdio_front import serve

    policy = single_policy(settings, found.catalogue, journal)
    return _served(source.id, lambda: serve(_upstream(source, journal), policy))


def _several(settings: Settings, found: Project, journal: Journal, options: Mapping[str, Any]) -> int:
    if options["http"] or options["sources"]:
        raise _usage("--config names the servers, and serves them over stdio.")
    from toolglot.mcp.clientconfig import configured
    from toolglot.mcp.prefixes import prefixes
    from toolglot.mcp.proxy.policy import single_policy
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.several import Part, SeveralUpstream
    from toolglot.mcp.proxy.stdio_front import serve

    parts: list[Part] = []
    servers = configured(options["config"])
    prefix_of = prefixes(server.name for server in servers if not server.disabled)
    for server in servers:
        wanted = options["server"] in (None, server.name)
        if wanted and server.problem is not None:
            journal.tell(f"{server.name} is left out: {server.problem}")
        elif wanted and server.source is not None and not server.disabled:
            prefix = prefix_of[server.name]
            policy = single_policy(settings, found.catalogue, journal, prefix)
            parts.append(Part(server.name, prefix, _upstream(server.source, journal), policy))
    if not parts:
        raise SourceError(options["config"], f"{options['config']}: it names no server that can be started.")
    front = single_policy(Settings(target="none"), found.catalogue, journal)
    return _served(options["config"], lambda: serve(SeveralUpstream(parts, journal), front))


def _served(named: str, serve: Callable[[], int]) -> int:
    from toolglot.mcp.wire import Problem

    try:
        return serve()
    except Problem as problem:
        raise SourceError(named, f"{named}: {problem.message}.", hint=problem.hint) from None


def _over_http(
    source: Command | Url, settings: Settings, found: Project, journal: Journal, options: Mapping[str, Any]
) -> int:
    if settings.target == "auto":
        raise _usage("--for auto goes by the client, and over HTTP there are many: name a target, or use /TARGET/mcp.")
    from toolglot.mcp.proxy.http_front import Front, Place
    from toolglot.mcp.proxy.policy import Fitters
    from toolglot.mcp.proxy.serving import serve_http

    host, port = _address(options["http"])
    place = Place(host, port, options["allow_host"], options["allow_origin"], options["public_url"] or "")
    fitters = Fitters(settings, found.catalogue)
    fitters.of(settings.target)
    if not place.is_local:
        journal.tell(f"{host} can be reached from other machines, and the proxy itself asks for no password")
    prefix = _prefix(options["session_prefix"])

    def serve() -> int:
        front = Front(_backend(source, settings, journal, prefix), fitters, journal, place, settings.target)
        return serve_http(front, reuse_port=options["reuse_port"])

    return _served(source.id, serve)


def _address(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not port.isdigit() or int(port) > 65535:
        raise _usage("--http takes HOST:PORT, for example 127.0.0.1:8080.")
    return host or "127.0.0.1", int(port)


def _prefix(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9._~-]{0,64}", text):
        raise _usage("--session-prefix takes up to 64 letters, digits, and . _ ~ -")
    return text


def _backend(source: Command | Url, settings: Settings, journal: Journal, prefix: str) -> Backend:
    from toolglot.mcp.kinds import Command

    if isinstance(source, Command):
        from toolglot.mcp.proxy.sessions import Commands

        return Commands(source, settings, journal, prefix)
    from toolglot.mcp.proxy.relay import Relay  # it loads httpx, which a command does not need

    return Relay(source, settings, journal)


def _upstream(source: Command | Url, journal: Journal) -> Upstream:
    from toolglot.mcp.kinds import Command
    from toolglot.mcp.proxy.command import CommandUpstream

    if isinstance(source, Command):
        return CommandUpstream(source, journal)
    from toolglot.mcp.proxy.address import AddressUpstream

    return AddressUpstream(source, journal)


def _settings(options: Mapping[str, Any], found: Project) -> Settings:
    from toolglot.contract.surface import Vocabulary
    from toolglot.mcp.proxy.restrict import Restriction
    from toolglot.mcp.proxy.settings import Settings

    restriction = Restriction(
        read_only=options["read_only"] or is_on(os.environ.get(READ_ONLY)),
        allow=frozenset(options["allow"]),
        deny=frozenset(options["deny"]),
        vocabulary=Vocabulary.of(found.config.action_names, found.config.reading_values),
    )
    if options["observe"] and restriction:
        raise _usage("--observe changes nothing, so it does not go with --read-only, --allow and --deny.")
    return Settings(options["target"], options["mend"], options["refuse"] == "on", options["observe"], restriction)


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

    given = Given.of({**options, "config": None, "server": None, "transport": "auto"})
    if len(given.texts) + bool(given.command) != 1:
        raise _usage("name one server: `-- COMMAND ARGS`, or an address.")
    source = parse_source(*given.texts, command=given.command, headers=given.headers)
    if not isinstance(source, (Command, Url)):
        raise _usage("the proxy takes a command after `--`, or an address.")
    return source


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())
