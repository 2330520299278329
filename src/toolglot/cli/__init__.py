"""The command line. `main` is the entry point; each command is one file, imported when it is used."""

from __future__ import annotations

import gc
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence


def main(args: Sequence[str] | None = None) -> None:
    """Run the command line and end the process with its exit code.

    0 clean, 1 findings that fail, 2 usage, input or server, 130 after Ctrl-C.
    """
    from toolglot.cli.app import run

    # A short run makes many objects and few cycles: looking for cycles is a fifth of the time of a large list.
    gc.set_threshold(100_000, 100, 100)
    sys.exit(run(sys.argv[1:] if args is None else args))
