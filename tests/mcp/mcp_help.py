"""What the tests of sources share: paths, hand-written servers, and waiting."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from toolglot.mcp.kinds import Command

if TYPE_CHECKING:
    pass

SERVERS = Path(__file__).parent / "servers"


def hand(mode: str, *rest: str, **env: str) -> Command:
    """A hand-written server of servers/hand.py as a source."""
    return Command((sys.executable, str(SERVERS / "hand.py"), mode, *rest), env)


def script(name: str, *rest: str) -> Command:
    """A server script as a source."""
    return Command((sys.executable, str(SERVERS / f"{name}.py"), *rest))


def is_running(pid: int) -> bool:
    """Whether a process lives; one that ended and was not collected yet does not."""
    try:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    except OSError:
        os.kill(pid, 0)
        return True
    return bool(state.strip()) and not state.startswith("Z")
