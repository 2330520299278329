"""`toolglot targets`: the list, what is known about one, what is due to be seen again, a bug report."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

import click

from toolglot.cli import factsheet
from toolglot.cli.bugreport import bug_report
from toolglot.cli.console import write
from toolglot.cli.options import config_options, option, output_option, verbose_option
from toolglot.cli.project import project
from toolglot.report.escape import plain
from toolglot.targets.model import STALE_DAYS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolglot.targets.load import Catalogue
    from toolglot.targets.model import Target


@click.command("targets")
@click.argument("names", nargs=-1, metavar="[NAME]... | report TARGET FEATURE")
@option("--stale", is_flag=True, help="What is undated or older than 18 months, the oldest first.")
@verbose_option
@output_option
@config_options
def targets(
    names: tuple[str, ...], stale: bool, verbose: bool, output: str | None, config: str | None, isolated: bool
) -> None:
    """Show what is known about providers, clients and engines.

    Without NAME all targets are listed. With NAME: its limits, names and facts, each with date and source.

    \b
    toolglot targets portable
    toolglot targets CLIENT+API
    toolglot targets --stale
    toolglot targets report TARGET FEATURE       a bug report, ready to send
    """
    catalogue = project(config, isolated).catalogue
    write("".join(f"{line}\n" for line in _lines(names, catalogue, stale, verbose)), output)


def _lines(names: tuple[str, ...], catalogue: Catalogue, stale: bool, verbose: bool) -> Iterable[str]:
    if names[:1] == ("report",):
        return bug_report(*_report_arguments(names[1:], catalogue))
    if stale:
        return _stale(catalogue.targets(names or "all"), date.today())
    if not names:
        return factsheet.overview(catalogue)
    found = catalogue.targets(names)
    return (line for target in found for line in factsheet.sheet(target, verbose=verbose))


def _report_arguments(names: tuple[str, ...], catalogue: Catalogue) -> tuple[Target, str]:
    if len(names) != 2:
        raise click.UsageError("`targets report` takes a target and a feature.", click.get_current_context())
    return catalogue.target(names[0]), names[1]


def _stale(found: Iterable[Target], today: date) -> Iterator[str]:
    due = {  # mirrors have the facts of another target: each counts once
        (proof.seen.isoformat() if proof.seen else "undated   ", name, plain(proof.source))
        for target in found
        for name, proof in factsheet.proofs(target)
        if proof.seen is None or (today - proof.seen).days > STALE_DAYS
    }
    width = max((len(name) for _, name, _ in due), default=0)
    yield from (f"{seen}  {plain(name):{width}}  {source}" for seen, name, source in sorted(due))
    count = f"{len(due)} {'fact is' if len(due) == 1 else 'facts are'}" if due else "No fact is"
    yield f"{count} undated or older than 18 months."
