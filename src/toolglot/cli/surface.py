"""`toolglot surface`: which tools read, can be gated, or may change something."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.console import USAGE, write
from toolglot.cli.options import config_options, option, output_option, source_options
from toolglot.cli.project import project
from toolglot.cli.sources import Given, SourceCommand, read_all
from toolglot.contract.rule import subjects
from toolglot.contract.surface import Vocabulary
from toolglot.errors import ToolError
from toolglot.report.escape import cut, name, plain
from toolglot.schema.tool import BadTool

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolglot.contract.rule import Subject
    from toolglot.schema.tool import Listing

Row = tuple[str, str, str]


@click.command("surface", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@output_option
@option("--quiet", "-q", is_flag=True, help="No progress.")
@source_options
@config_options
def surface(**options: Any) -> None:
    """Show which tools read, can be gated by an action parameter, or may change something, and why.

    \b
    toolglot surface tools.json
    toolglot surface -- npx -y SERVER
    """
    config = project(options["config"], options["isolated"]).config
    listings = read_all(Given.of(options), config)
    vocabulary = Vocabulary.of(config.action_names, config.reading_values)
    lines = [line for listing in listings for line in _section(listing, vocabulary, len(listings) > 1)]
    write("".join(f"{line}\n" for line in lines), options["output"])
    if any(listing.error is not None for listing in listings):
        click.get_current_context().exit(USAGE)


def _section(listing: Listing, vocabulary: Vocabulary, several: bool) -> Iterator[str]:
    if several:
        yield f"{plain(listing.id)}:"
    if listing.error is not None:
        yield f"could not be read: {plain(str(listing.error))}"
    rows = [_row(subject) for subject in subjects(listing, vocabulary)]
    yield from _table(rows)
    counts = Counter(row[0] for row in rows)
    broken = sum(isinstance(entry, BadTool) for entry in listing.entries)
    parts = [f"{counts[kind]} {kind}" for kind in ("read", "gated", "mutation")]
    if broken:
        parts.append("1 entry that is no tool" if broken == 1 else f"{broken} entries that are no tools")
    yield ", ".join(parts) + "."


def _row(subject: Subject) -> Row:
    try:
        reading = subject.surface
    except (ToolError, RecursionError):
        return "mutation", name(subject.tool.name), "the schema is too large to be read"
    reason = reading.reason
    if reading.in_sight != reading.surface:
        reason += f"; without that it would be {reading.in_sight}"
    return reading.surface, name(subject.tool.name), plain(cut(reason, 300))


def _table(rows: Sequence[Row]) -> Iterator[str]:
    width = min(max((len(row[1]) for row in rows), default=0), 50)
    for kind, tool, reason in rows:
        yield f"{kind:8}  {tool:{width}}  {reason}"
