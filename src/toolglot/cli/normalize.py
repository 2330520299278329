"""`toolglot normalize`: what a target gets, and what that costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from toolglot.cli import normalized_text
from toolglot.cli.console import write
from toolglot.cli.fitting import Fitting, fitting_options
from toolglot.cli.normalized_json import render
from toolglot.cli.options import config_options, option, output_option, source_options, verbose_option
from toolglot.cli.sources import SourceCommand
from toolglot.fitting.toolset import Toolset

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.fitting.toolset import View

NOT_SENT = 1
"""Exit code where a tool cannot be sent."""

_FORMS = ("ledger", "diff", "json")


@click.command("normalize", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@fitting_options
@option("--ledger", is_flag=True, help="Show every place that is sent in another form, why, and what it costs.")
@option("--diff", is_flag=True, help="Show each tool that is sent in another form as a diff.")
@option("--json", is_flag=True, help="Write what is sent, with the ledger, as JSON.")
@verbose_option
@output_option
@source_options
@config_options
def normalize(**options: Any) -> None:
    """Make the tools of a server fit a target, and show what that costs.

    Without an option: one line for each tool. Exit code 1: some tool cannot be sent.

    \b
    toolglot normalize tools.json --for TARGET
    toolglot normalize tools.json --for TARGET --tool NAME --diff
    toolglot normalize --for TARGET --ledger -- npx -y SERVER
    toolglot normalize tools.json --for TARGET --json | toolglot check - --for TARGET
    """
    chosen = _form(options)
    fitting = Fitting.of(options)
    view = Toolset(fitting.listing, catalogue=fitting.project.catalogue).normalize(fitting.target)
    write(_render(chosen, fitting, view, options), options["output"])
    if any(fitting.shows(problem.tool) for problem in view.problems):
        click.get_current_context().exit(NOT_SENT)


def _form(options: Mapping[str, Any]) -> str:
    chosen = [name for name in _FORMS if options[name]]
    if len(chosen) > 1:
        named = " and ".join(f"--{name}" for name in chosen)
        raise click.UsageError(f"{named} exclude each other.", click.get_current_context())
    return chosen[0] if chosen else ""


def _render(chosen: str, fitting: Fitting, view: View, options: Mapping[str, Any]) -> str:
    if chosen == "json":
        return render(fitting, view)
    lines = normalized_text.lines(chosen, fitting, view, verbose=options["verbose"])
    return "".join(f"{line}\n" for line in lines)
