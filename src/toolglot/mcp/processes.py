"""Child processes that end with everything they started, on every path."""

from __future__ import annotations

import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import anyio

from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from anyio.abc import Process

    from toolglot.mcp.kinds import Command

GRACE_SECONDS = 1.0
"""How long a server may take to end after its input closed, and again after it was told to terminate."""

_POLL_SECONDS = 0.02
_PROC = Path("/proc")
_running: dict[int, int] = {}
"""Process number to the thread that started it, until its tree has ended."""


@dataclass(frozen=True, slots=True)
class Member:
    """One process of a tree; the start time tells it from a later process with the same number."""

    pid: int
    started: str


async def start(command: Command, *, pipes: tuple[int, int] | None = None) -> Process:
    """Start a command in a session of its own, with pipes; raises Problem where it cannot be started.

    With `pipes`, the ends of two pipes of the caller, these are its input and output, and its stderr is that of this
    process.
    """
    if not command.argv or not command.argv[0]:
        raise Problem("the command is empty", "Give a command after `--`.")
    env = {**os.environ, **command.env}
    try:
        # Shielded: a process that is cancelled in its making would be left behind.
        with anyio.CancelScope(shield=True):
            process = await anyio.open_process(
                list(command.argv),
                cwd=command.cwd,
                env=env,
                start_new_session=True,
                stdin=pipes[0] if pipes else subprocess.PIPE,
                stdout=pipes[1] if pipes else subprocess.PIPE,
                stderr=None if pipes else subprocess.PIPE,
            )
            _running[process.pid] = threading.get_ident()
            return process
    except FileNotFoundError:
        raise _not_found(command) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else "it is not a legal command"
        raise Problem(f"`{command.argv[0]}` cannot be started: {reason}") from None
    raise AssertionError("a shielded scope does not end early")


def _not_found(command: Command) -> Problem:
    if command.cwd is not None and not command.cwd.is_dir():
        return Problem("its working directory does not exist", "Correct `cwd`.")
    hint = "Install it, or give its full path."
    if " " in command.argv[0]:
        hint = "Give the command and its arguments as separate words, not as one quoted text."
    return Problem(f"the command `{command.argv[0]}` was not found", hint)


async def end(process: Process) -> None:
    """End a process and its tree: close its input, then terminate, then kill; ends in bounded time.

    Shielded from cancellation, so that a timeout or Ctrl-C cannot leave a process behind.
    """
    with anyio.CancelScope(shield=True):
        known = set(_tree(process.pid))
        if process.stdin is not None:
            with suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
                await process.stdin.aclose()
        await _wait(process, GRACE_SECONDS)
        for number in (signal.SIGTERM, signal.SIGKILL):
            known.update(_tree(process.pid))
            if not _send(process, known, number):
                break
            await _wait(process, GRACE_SECONDS, known)
        _close_pipes(process)
        _running.pop(process.pid, None)


def kill_rest() -> None:
    """Kill what this thread started and could not end in order, as after a second Ctrl-C."""
    for pid, thread in list(_running.items()):
        if thread == threading.get_ident():
            _kill(pid)
            del _running[pid]


def _kill(root: int) -> None:
    below = list(_tree(root))
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(root, signal.SIGKILL)
    for member in below:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(member.pid, signal.SIGKILL)


def _send(process: Process, known: set[Member], number: signal.Signals) -> bool:
    """Send a signal to the group and to known processes that left it; false where nothing is left to signal."""
    left = [member for member in known if _alive(member)]
    if process.returncode is not None and not left and _PROC.is_dir():
        return False
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)
    for member in left:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(member.pid, number)
    return True


async def _wait(process: Process, seconds: float, known: set[Member] | None = None) -> None:
    """Wait until the process, and the known members of its tree where given, are gone, or the time is over."""
    # Not process.wait(): it also waits for the pipes, which a grandchild may hold open.
    with anyio.move_on_after(seconds):
        while process.returncode is None or any(_alive(member) for member in known or ()):
            await anyio.sleep(_POLL_SECONDS)


def _close_pipes(process: Process) -> None:
    # anyio closes the pipes one by one and waits for each; asyncio's transport closes them all at once. Without
    # this a pipe that a survivor holds open would warn when it is collected.
    inner = getattr(getattr(process, "_process", None), "_transport", None)
    close = getattr(inner, "close", None)
    if callable(close):
        with suppress(ProcessLookupError, PermissionError):
            close()


def _tree(root: int) -> Iterator[Member]:
    """The living processes of the session that `root` leads and all below it; nothing where there is no /proc."""
    stats = dict(_stats())
    inside = {root}
    growing = True
    while growing:
        found = {pid for pid, stat in stats.items() if stat[3] == str(root) or int(stat[1]) in inside}
        growing = not found <= inside
        inside |= found
    for pid in inside & stats.keys():
        if stats[pid][0] != "Z":
            yield Member(pid, stats[pid][19])


def _stats() -> Iterator[tuple[int, list[str]]]:
    """Per process the fields of /proc/PID/stat after the command name: state, parent, group, session, ..."""
    if not _PROC.is_dir():
        return
    for path in _PROC.iterdir():
        if path.name.isdigit() and (stat := _stat(int(path.name))):
            yield int(path.name), stat


def _stat(pid: int) -> list[str]:
    try:
        return (_PROC / str(pid) / "stat").read_text(errors="replace").rpartition(")")[2].split()
    except OSError:
        return []


def _alive(member: Member) -> bool:
    stat = _stat(member.pid)
    return bool(stat) and stat[0] != "Z" and stat[19] == member.started
