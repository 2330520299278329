"""Ports of this machine, and waiting until something holds."""

from __future__ import annotations

import socket
import time
from collections.abc import Callable


def free_port() -> int:
    """A port that nobody listens on."""
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
    """Whether somebody listens on a port, by either address of this machine."""
    return any(_reaches(host, port) for host in ("127.0.0.1", "::1"))


def _reaches(host: str, port: int) -> bool:
    try:
        socket.create_connection((host, port), timeout=1).close()
    except OSError:
        return False
    return True
