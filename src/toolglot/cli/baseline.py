"""`toolglot baseline`: add, prune and check the list of known violations. Nothing else writes the file."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.checking import Checking
from toolglot.cli.console import write
from toolglot.cli.options import (
    HelpfulGroup,
    all_of,
    config_options,
    option,
    rule_options,
    source_options,
    target_option,
)
from toolglot.cli.project import project
from toolglot.cli.sources import SourceCommand
from toolglot.contract import baseline_edit
from toolglot.contract.config import shown
from toolglot.contract.entries import load_baseline, parse_baseline
from toolglot.contract.growth import check_against
from toolglot.errors import ConfigError
from toolglot.report.escape import plain

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from toolglot.contract.growth import Growth
    from toolglot.contract.model import Report

_file_option = option(
    "--baseline", metavar="FILE", help="The baseline. [default: toolglot-baseline.toml beside the configuration]"
)
_check_options = all_of(target_option, rule_options, _file_option, source_options, config_options)


@click.group("baseline", cls=HelpfulGroup)
def baseline() -> None:
    """Keep the list of known violations. It exists to reach zero."""


@baseline.command("add", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@option("--reason", default="", metavar="TEXT", help="Why the violations have to stay for now.")
@option("--issue", default="", metavar="REF", help="The issue that will remove them.")
@_check_options
def add(**options: Any) -> None:
    """List each violation that is not listed yet.

    Without --reason and --issue the entries fail until a person fills them in.
    """
    checking, report = _report(options)
    path = checking.baseline_path
    old = _text(path)
    new = baseline_edit.add(report.failing(checking.fail_on), old, options["reason"], options["issue"], shown(path))
    if new == old:
        click.echo("Nothing to add.")
        return
    write(new, str(path))
    click.echo(f"{plain(shown(path))}: {_count(_entries(new, path) - _entries(old, path))} added.")
    if not (options["reason"].strip() and options["issue"].strip()):
        click.echo("They fail until each has a reason and an issue.")


@baseline.command("prune", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]...")
@_check_options
def prune(**options: Any) -> None:
    """Take out the entries that no longer violate.

    Those of tools that are gone, too. An entry with several targets loses the targets that no longer violate.
    """
    checking, report = _report(options)
    path = checking.baseline_path
    old = _text(path)
    new = baseline_edit.prune(old, report.findings, shown(path))
    if new == old:
        click.echo("Nothing to remove.")
        return
    write(new, str(path))
    number = _entries(old, path) - _entries(new, path)
    click.echo(f"{plain(shown(path))}: {_count(number) if number else 'targets of entries'} removed.")


@baseline.command("check")
@option("--against", required=True, metavar="GITREF", help="The commit to compare with, such as origin/main.")
@option("--allow-growth", is_flag=True, help="Accept the growth knowingly.")
@_file_option
@config_options
def check(against: str, allow_growth: bool, baseline: str | None, config: str | None, isolated: bool) -> None:
    """Fail where the baseline lists more than it did at a commit."""
    from pathlib import Path

    here = project(config, isolated)
    path = Path(baseline) if baseline else here.config.baseline_path
    grown = check_against(against, path, here.catalogue)
    lines = _growth(grown, load_baseline(path).path if grown else "", against)
    click.echo("\n".join([*lines, "Accepted: --allow-growth."] if grown and allow_growth else lines))
    click.get_current_context().exit(1 if grown and not allow_growth else 0)


def _growth(grown: tuple[Growth, ...], path: str, against: str) -> list[str]:
    if not grown:
        return [f"The baseline lists nothing that it did not list at {plain(against)}."]
    lines: list[str] = []
    for _, group in groupby(grown, lambda one: one.entry.number):
        lines += _grown(list(group), path)
    number = len({one.entry.number for one in grown})
    return [*lines, f"{_count(number)} more than at {plain(against)}."]


def _grown(same: list[Growth], path: str) -> Iterator[str]:
    """The lines about one entry of the file: it may have grown by several targets."""
    entry = same[0].entry
    kind = "lists more than before" if any(one.widens for one in same) else "is new"
    targets = ", ".join(one.entry.target for one in same if one.entry.target)
    violation = f"{entry.rule} for {targets}" if targets else entry.rule
    where = f"{violation} in {entry.tool or 'the list'} {entry.pointer}".rstrip()
    yield f"{plain(path)}, {entry.where} {kind}: {plain(where)}"
    yield f"  reason: {plain(entry.reason) or 'none'}; issue: {plain(entry.issue) or 'none'}"


def _report(options: dict[str, Any]) -> tuple[Checking, Report]:
    """The check with the baseline as it is. Raises SourceError where a source was not read whole."""
    checking = Checking.of(options)
    path = checking.baseline_path
    before = checking.baseline() if path.is_file() else None
    report = checking.report(checking.read(), before)
    for listing in report.unread:
        if listing.error is not None:
            raise listing.error
    return checking, report


def _text(path: Path) -> str:
    if not path.is_file():
        return ""
    try:
        # Universal newlines would lose the line ends of the file.
        return path.read_bytes().decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(shown(path), "", f"cannot be read: {error}.") from None


def _entries(text: str, path: Path) -> int:
    # An entry that names several targets is read as several with the same number.
    return len({entry.number for entry in parse_baseline(text, shown(path)).entries})


def _count(number: int) -> str:
    return f"{number} {'entry' if number == 1 else 'entries'}"
