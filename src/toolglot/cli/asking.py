"""Before something is sent to a model provider: say what and where, and ask."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from toolglot.cli.console import progress
from toolglot.cli.options import all_of, option

if TYPE_CHECKING:
    from collections.abc import Iterable

endpoint_option = option("--endpoint", metavar="URL", help="Another endpoint than the provider's own.")
asking_options = all_of(
    option("--model", metavar="NAME", required=True, help="The model to ask."),
    option("--key-from-env", metavar="VARIABLE", help="The environment variable that holds the key."),
    option("--yes", "-y", is_flag=True, help="Do not ask before sending."),
)

NOT_AGREED = 1


def agree(lines: Iterable[str], yes: bool) -> None:
    """Say on stderr what will be sent, and ask whether to. Ends the command where that is not agreed to.

    Raises UsageError where nobody can be asked and `--yes` is not given.
    """
    for line in lines:
        progress(line)
    if yes:
        return
    ctx = click.get_current_context()
    if not sys.stdin.isatty():
        raise click.UsageError("nobody can be asked whether to send this.\n--yes sends it without asking.", ctx)
    if not click.confirm("Send?", err=True):
        ctx.exit(NOT_AGREED)
