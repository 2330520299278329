"""`toolglot proxy install`, `uninstall` and `--print-config`: the proxy in the configuration of a client."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.console import write
from toolglot.cli.sources import Given
from toolglot.errors import ToolglotError
from toolglot.mcp.proxy.entry import client_files, printed
from toolglot.mcp.proxy.install import planned, restore
from toolglot.mcp.wire import Problem
from toolglot.report.escape import plain

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.proxy.entry import ClientFile

_DEFAULT = "portable"


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
    command = Given.of({**options, "config": None, "server": None, "transport": "auto"}).command
    if not command:
        raise _usage("--print-config takes the server's command after `--`.")
    name = options["server"] or Path(command[-1]).stem or "server"
    write(printed(client, name, _words(options, client), command))


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
    given = click.get_current_context().get_parameter_source("target")
    named = given is not None and given.name != "DEFAULT"
    target = options["target"] if named or client is None else client.target
    words = ["--for", target or _DEFAULT]
    words += ["--read-only"] if options["read_only"] else []
    words += ["--observe"] if options["observe"] else []
    words += ["--log", str(Path(options["log"]).absolute())] if options["log"] else []
    for key in ("allow", "deny"):
        words += [word for name in options[key] for word in (f"--{key}", name)]
    return words


def _client(name: str | None) -> ClientFile:
    known = client_files()
    if name not in known:
        raise _usage(f"name the client as one of {', '.join(known)}.")
    return known[name]


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())
