"""`toolglot check`: the main job."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.checking import Checking
from toolglot.cli.console import USAGE, colored, fail, write
from toolglot.cli.options import (
    all_of,
    baseline_options,
    config_options,
    option,
    output_option,
    rule_options,
    source_options,
    target_option,
    verbose_option,
)
from toolglot.cli.sources import SourceCommand, unread
from toolglot.errors import SourceError
from toolglot.report.json import render_json
from toolglot.report.text import View, render_text

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.contract.model import Report
    from toolglot.schema.tool import Listing

_output_options = all_of(
    option("--exit-zero", is_flag=True, help="Exit with 0 whatever is found."),
    option("--output-format", "--format", type=click.Choice(["text", "json"]), default="text", show_default=True),
    output_option,
    verbose_option,
    option("--quiet", "-q", is_flag=True, help="Show only what fails."),
)


@click.command("check", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@target_option
@rule_options
@_output_options
@baseline_options
@source_options
@config_options
def check(**options: Any) -> None:
    """Say which published tools break, for whom, where, and what to write instead.

    SOURCE is a saved list, `-`, an address, `package.module:object`, or the configuration of a client. Without it,
    the `server` of the configuration is meant.

    \b
    toolglot check tools.json
    toolglot check --for TARGET -- npx -y SERVER
    toolglot check --format json -o report.json https://example.com/mcp

    Exit code: 0 nothing that fails, 1 findings, 2 usage, input or server.
    """
    click.get_current_context().exit(_run(Checking.of(options), options))


def _run(checking: Checking, options: Mapping[str, Any]) -> int:
    baseline = checking.baseline()
    report = checking.report(_read(checking, options), baseline)
    code = report.exit_code(checking.fail_on)
    code = 0 if options["exit_zero"] and code < USAGE else code
    error = report.listings[0].error if len(report.listings) == 1 else None
    if error is None or report.tools or options["output_format"] == "json":
        write(_rendered(report, checking, options, code), options["output"])
    return code if error is None else fail(error.message, error.hint)


def _read(checking: Checking, options: Mapping[str, Any]) -> tuple[Listing, ...]:
    """What was read. A program that asked for JSON gets a document where nothing could be read, too."""
    keep_errors = options["output_format"] == "json"
    try:
        return checking.read(keep_errors=keep_errors)
    except SourceError as error:
        if not keep_errors:
            raise
        return (unread(error, error),)


def _rendered(report: Report, checking: Checking, options: Mapping[str, Any], code: int) -> str:
    if options["output_format"] == "json":
        return render_json(report, fail_on=checking.fail_on, exit_code=code)
    view = View(
        verbose=options["verbose"],
        quiet=options["quiet"],
        color=options["output"] in (None, "-") and colored(sys.stdout),
        fail_on=checking.fail_on,
        default_targets=checking.default_targets,
    )
    return render_text(report, view)
