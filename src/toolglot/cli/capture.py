"""`toolglot capture`: the answer of a server, verbatim."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from toolglot.cli.console import progress
from toolglot.cli.options import config_options, option, source_options
from toolglot.cli.project import project
from toolglot.cli.sources import Given, SourceCommand, sources_of
from toolglot.errors import SourceError, ToolglotError
from toolglot.mcp.capture import capture as take


@click.command("capture", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@option("--output", "-o", metavar="FILE", help="Where to save it. [default: stdout]")
@option("--verbose", "-v", is_flag=True, help="Show what is read.")
@source_options
@config_options
def capture(**options: Any) -> None:
    """Save what a server answers to tools/list, verbatim, with server, version, protocol and date.

    \b
    toolglot capture -o tools.json -- npx -y SERVER
    toolglot check tools.json
    """
    config = project(options["config"], options["isolated"]).config
    given = Given.of(options)
    sources = sources_of(given, config)
    if len(sources) != 1 or given.all_servers:
        raise click.UsageError("a capture is of one server.", click.get_current_context())
    source = sources[0]
    if isinstance(source, SourceError):
        raise source
    text = take(
        source,
        timeout=given.timeout or config.timeout or 30,
        allow_empty=given.allow_empty,
        server=given.server,
        on_progress=progress if options["verbose"] else None,
    )
    _write(text, options["output"])


def _write(text: bytes, output: str | None) -> None:
    if output in (None, "-"):
        click.echo(text, nl=False)
        return
    try:
        Path(output).write_bytes(text)
    except OSError as error:
        raise ToolglotError(f"{output}: cannot be written: {error.strerror or error}.") from None
