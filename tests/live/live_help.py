"""What the tests of live servers share."""

from __future__ import annotations

import sys
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import anyio

SERVERS = Path(__file__).parent / "servers"
FAULTY = (sys.executable, str(SERVERS / "faulty.py"))
DEMO = (sys.executable, "-m", "toolglot.demo")


def run(work: Callable[[], Awaitable[Any]]) -> Any:
    """Run a coroutine function, at most a minute."""

    async def limited() -> Any:
        with anyio.fail_after(60):
            return await work()

    return anyio.run(limited)


async def until(condition: Callable[[], Any], seconds: float = 10) -> None:
    """Wait until something holds."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not come about"
        await anyio.sleep(0.02)


def text(result: dict[str, Any]) -> str:
    """The text of a result."""
    return "\n".join(block["text"] for block in result["content"])


class Seen:
    """What a faulty server wrote down."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def lines(self) -> list[str]:
        return self.path.read_text().splitlines() if self.path.exists() else []

    def count(self, start: str) -> int:
        return sum(1 for line in self.lines() if line.startswith(start))

    def pids(self) -> list[int]:
        return [int(line.split()[1]) for line in self.lines() if line.startswith("started ")]


def alive(pid: int) -> bool:
    """Whether a process is there, and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
