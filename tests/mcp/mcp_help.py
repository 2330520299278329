"""What the tests of sources share: paths, hand-written servers, and waiting."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

from toolglot.mcp.kinds import Command

if TYPE_CHECKING:
    from collections.abc import Callable

SERVERS = Path(__file__).parent / "servers"


def hand(mode: str, *rest: str, **env: str) -> Command:
    """A hand-written server of servers/hand.py as a source."""
    return Command((sys.executable, str(SERVERS / "hand.py"), mode, *rest), env)


def script(name: str, *rest: str) -> Command:
    """A server script as a source."""
    return Command((sys.executable, str(SERVERS / f"{name}.py"), *rest))


def free_port() -> int:
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def wait_for(condition: Callable[[], object], seconds: float = 10) -> None:
    """Wait until the condition holds; fails after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "waited too long"
        time.sleep(0.02)


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def is_running(pid: int) -> bool:
    """Whether a process lives; one that ended and was not collected yet does not."""
    try:
        state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    except OSError:
        os.kill(pid, 0)
        return True
    return bool(state.strip()) and not state.startswith("Z")
