"""No child process is left behind, on any path."""

from __future__ import annotations

import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from mcp_help import hand, is_running
from tests.waiting import wait_for

from toolglot.errors import SourceError
from toolglot.mcp.sources import read

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="process groups and signals of POSIX")


def _family(file: Path) -> list[int]:
    return [int(number) for number in file.read_text().split()]


@pytest.mark.parametrize("mode", ["family", "detached"])
def test_the_whole_tree_ends_after_a_good_reading(mode: str, tmp_path: Path) -> None:
    (listing,) = read(hand(mode, str(tmp_path / "pids")))
    assert len(listing.tools) == 2
    assert [pid for pid in _family(tmp_path / "pids") if is_running(pid)] == []


def test_the_whole_tree_ends_after_a_timeout_even_if_it_ignores_the_signal(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="within 2 seconds"):
        read(hand("stubborn", str(tmp_path / "pids")), timeout=2)
    assert [pid for pid in _family(tmp_path / "pids") if is_running(pid)] == []


READER = """
import signal, sys
from toolglot.mcp.sources import parse_source, read
# A test run in the background ignores some signals, and children inherit that.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)
read(parse_source(command=sys.argv[1:]))
"""


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_whole_tree_ends_at_a_signal(number: signal.Signals, tmp_path: Path) -> None:
    file = tmp_path / "pids"
    command = [sys.executable, "-c", READER, *hand("stubborn", str(file)).argv]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_for(file.exists)
        process.send_signal(number)
        _, said = process.communicate(timeout=20)
    assert [pid for pid in _family(file) if is_running(pid)] == []
    assert process.returncode == -number
    assert ("KeyboardInterrupt" in said) == (number == signal.SIGINT)


def test_a_second_interrupt_leaves_nothing_behind(tmp_path: Path) -> None:
    file = tmp_path / "pids"
    command = [sys.executable, "-c", READER, *hand("stubborn", str(file)).argv]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        wait_for(file.exists)
        for _ in range(2):
            process.send_signal(signal.SIGINT)
            wait_for(lambda: True, 0.1)
        process.communicate(timeout=20)
    assert [pid for pid in _family(file) if is_running(pid)] == []
