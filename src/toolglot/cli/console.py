"""What the commands write, and where: text on stdout or in a file, progress and errors on stderr."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path

import click

from toolglot.errors import ToolglotError
from toolglot.report.escape import cut, plain

USAGE = 2
"""Exit code for a wrong usage, an input that cannot be read, a server that fails."""

_LINE_LIMIT = 2_000


def harmless_streams() -> None:
    """Let stdout and stderr write what their encoding does not have as escapes, instead of failing."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def fail(what: str, next_step: str = "") -> int:
    """Write `error: WHAT` and the next step to stderr. Out: the exit code 2."""
    lines = [plain(cut(part, _LINE_LIMIT)) for text in (what, next_step) if text for part in text.splitlines()]
    word = click.style("error:", fg="red", bold=True) if colored(sys.stderr) else "error:"
    with suppress(BrokenPipeError):
        click.echo("\n".join([f"{word} {lines[0]}", *(f"  {line}" for line in lines[1:])]), err=True, color=True)
    return USAGE


def progress(line: str) -> None:
    """Write one line about what is going on to stderr."""
    click.echo(plain(cut(line, _LINE_LIMIT)), err=True)


def colored(stream: object) -> bool:
    """Whether to write colours: on a terminal, unless NO_COLOR is set or the terminal is a dumb one."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return bool(os.environ.get("FORCE_COLOR")) or (isinstance(stream, TextIOWrapper) and stream.isatty())


def write(text: str, output: str | None = None) -> None:
    """Write the result to a file, or to stdout (None or `-`). Raises ToolglotError where that cannot be done."""
    if output in (None, "-"):
        click.echo(text, nl=False, color=True)
        return
    try:
        Path(output).write_text(text, encoding="utf-8", errors="backslashreplace", newline="")
    except OSError as error:
        problem = error.strerror or str(error)
        raise ToolglotError(f"{output}: cannot be written: {problem}.", hint="Choose another -o FILE.") from None
