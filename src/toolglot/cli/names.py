"""`toolglot names`: what the tools and parameters are called on a target."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

import click

from toolglot.cli.console import write
from toolglot.cli.fitting import Fitting, fitting_options
from toolglot.cli.options import config_options, output_option, source_options, verbose_option
from toolglot.cli.sources import SourceCommand
from toolglot.errors import ToolError
from toolglot.fitting.names import property_names, wire_name
from toolglot.report.escape import name as shown
from toolglot.report.escape import plain
from toolglot.report.view import count
from toolglot.targets.accept import ScannedTool, name_problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from toolglot.schema.tool import Tool
    from toolglot.targets.model import NameRule, Target


class Row(NamedTuple):
    """A name, the one that is sent instead, and why; both empty where it stays."""

    name: str
    wire: str
    reason: str


@click.command("names", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@fitting_options
@verbose_option
@output_option
@source_options
@config_options
def names(**options: Any) -> None:
    """Show what the tools and parameters are called on a target, where that is not the published name, and why.

    \b
    toolglot names tools.json --for TARGET
    toolglot names --for TARGET -v -- npx -y SERVER
    """
    fitting = Fitting.of(options)
    lines = _lines(fitting, options["verbose"])
    write("".join(f"{line}\n" for line in lines), options["output"])


def _lines(fitting: Fitting, verbose: bool) -> Iterator[str]:
    tools: dict[str, Tool] = {}
    for tool in fitting.listing.tools:
        if fitting.shows(tool.name):
            tools.setdefault(tool.name, tool)  # of two with one name the first is sent
    groups = [_rows(tool, fitting.target) for tool in tools.values()]
    shown_groups = groups if verbose else [rows for rows in groups if any(row.wire for row in rows)]
    yield from _table([row for rows in shown_groups for row in rows])
    yield _closing(groups, plain(fitting.target.id))


def _closing(groups: Sequence[Sequence[Row]], target: str) -> str:
    others = sum(bool(rows[0].wire) for rows in groups)
    parameters = sum(len(rows) - 1 for rows in groups)
    tools = count(len(groups), "tool")
    if others:
        line = f"{others} of {tools} {'has' if others == 1 else 'have'} another name on {target}."
    else:
        line = f"{tools} {'has its' if len(groups) == 1 else 'have their'} published name on {target}."
    called = f" {count(parameters, 'parameter')} {'is' if parameters == 1 else 'are'} called otherwise."
    return line + called if parameters else line


def _rows(tool: Tool, target: Target) -> list[Row]:
    """The tool's name, and the names of those of its parameters that are sent under another."""
    own = _row(tool.name, wire_name(tool.name, target.tool_name), target.tool_name)
    rule = target.property_name
    if rule is None or rule.effect == "none":
        return [own]
    try:
        odd = sorted(name for name in ScannedTool(tool).scan.names if name_problem(name, rule))
    except (ToolError, RecursionError):
        return [own]  # too large to be scanned: `normalize` says so
    return [own, *(_row(name, wire, rule, "  ") for name, wire in property_names(odd, rule).items())]


def _row(name: str, wire: str, rule: NameRule | None, indent: str = "") -> Row:
    if wire == name or rule is None:
        return Row(f"{indent}{shown(name)}", "", "")
    reason = name_problem(name, rule) or "has the form of a name that toolglot makes"
    return Row(f"{indent}{shown(name)}", f"-> {shown(wire)}", plain(reason))


def _table(rows: Sequence[Row]) -> Iterator[str]:
    widths = [min(max((len(row[column]) for row in rows), default=0), 66) for column in (0, 1)]
    for row in rows:
        yield f"{row.name:{widths[0]}}  {row.wire:{widths[1]}}  {row.reason}".rstrip()
