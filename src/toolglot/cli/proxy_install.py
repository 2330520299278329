"""`toolglot proxy install`, `uninstall` and `--print-config`: the proxy in the configuration of a client."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import click

from toolglot.cli.console import write
from toolglot.cli.sources import command_after_dashes
from toolglot.errors import ToolglotError
from toolglot.mcp.proxy.entry import client_files, printed, variables_of
from toolglot.mcp.proxy.install import planned, restore
from toolglot.mcp.wire import Problem
from toolglot.report.escape import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.proxy.entry import ClientFile

_DEFAULT = "portable"
_NOT_IN_ENTRY = frozenset(("print_config", "client", "file", "server", "yes", "config", "header"))
"""Options about the configuration itself; a header moves into the environment of the entry."""


def configure(options: Mapping[str, Any]) -> None:
    """Print the entry for a client, or change its configuration. Raises UsageError, ToolglotError."""
    try:
        if options["print_config"]:
            _print(options)
        elif options["sources"][0] == "install":
            _install(options)
        else:
            _uninstall(options)
    except Problem as problem:
        raise ToolglotError(f"{problem.message}.", hint=problem.hint) from None


def _print(options: Mapping[str, Any]) -> None:
    client = _client(options["print_config"])
    command = command_after_dashes()
    addresses: list[str] = list(options["sources"])
    if len(addresses) + bool(command) != 1:
        raise _usage("--print-config takes the server's command after `--`, or its address.")
    stem = Path(command[-1]).stem if command else urlsplit(addresses[0]).hostname
    name: str = options["server"] or stem or "server"
    words = _words(options, client)
    if command:
        write(printed(client, name, [*words, "--", *command]))
        return
    variables, named = variables_of(_headers(options["header"]))
    write(printed(client, name, [*words, *named, addresses[0]], variables))


def _headers(texts: tuple[str, ...]) -> dict[str, str]:
    pairs = [text.partition(":") for text in texts]
    if any(not colon or not name.strip() for name, colon, _ in pairs):
        raise _usage("--header takes NAME:VALUE.")
    return {name.strip(): value.strip() for name, _, value in pairs}


def _install(options: Mapping[str, Any]) -> None:
    if not options["server"]:
        raise _usage("name the server with --server NAME.")
    client = _client(options["client"]) if options["client"] or not options["file"] else None
    edit = planned(_path(options, client), options["server"], _words(options, client))
    click.echo("".join(f"{plain(line)}\n" for line in edit.diff.splitlines()), nl=False)
    if not options["yes"]:
        click.confirm("Write this?", abort=True)
    edit.write()
    click.echo("Written. Restart the client; `toolglot proxy uninstall` brings the file back as it was.")


def _uninstall(options: Mapping[str, Any]) -> None:
    client = _client(options["client"]) if options["client"] or not options["file"] else None
    restore(_path(options, client), anyway=options["yes"])
    click.echo("The configuration is as it was before.")


def _path(options: Mapping[str, Any], client: ClientFile | None) -> Path:
    if options["file"]:
        return Path(options["file"])
    assert client is not None
    return client.path()


def _words(options: Mapping[str, Any], client: ClientFile | None) -> list[str]:
    """The options of the proxy that stand in the entry: those given, and the target of the client."""
    context = click.get_current_context()
    words = [] if _is_given(context, "target") else ["--for", _DEFAULT if client is None else client.target]
    for parameter in context.command.params:
        name = str(parameter.name)
        if not isinstance(parameter, click.Option) or name in _NOT_IN_ENTRY or not _is_given(context, name):
            continue
        value = str(Path(options[name]).absolute()) if name == "log" and options[name] != "-" else options[name]
        words += _spelled(parameter, value)
    return words


def _is_given(context: click.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name in ("COMMANDLINE", "ENVIRONMENT")


def _spelled(parameter: click.Option, value: Any) -> list[str]:
    flag = next(word for word in parameter.opts if word.startswith("--"))
    if parameter.is_flag:
        return [flag] if value else []
    return [word for one in (value if parameter.multiple else (value,)) for word in (flag, str(one))]


def _client(name: str | None) -> ClientFile:
    known = client_files()
    if name not in known:
        raise _usage(f"name the client as one of {', '.join(known)}.")
    return known[name]


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())
