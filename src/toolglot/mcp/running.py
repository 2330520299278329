"""Runs the reading of servers: several at a time, within the time limit, ended in order by signals."""

from __future__ import annotations

import asyncio
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

import anyio

from toolglot.mcp import processes
from toolglot.mcp.kinds import Command
from toolglot.mcp.pages import Pages
from toolglot.mcp.reading import finished, new_reading
from toolglot.mcp.session import read_tools
from toolglot.mcp.transports import talk
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Sequence

    from toolglot.mcp.kinds import LiveSource
    from toolglot.mcp.pages import Reading
    from toolglot.mcp.reading import Options

AT_A_TIME = 4
"""How many servers of a configuration are read at the same time."""

_ENDING = [number for name in ("SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]


def run(sources: Sequence[LiveSource | Pages], options: Options) -> tuple[Pages, ...]:
    """What each server published, in the given order; what is an answer already is passed on.

    Child processes have ended when this returns or raises. Inside of a running event loop, as in a notebook, a
    thread of its own does the work.
    """
    if not _in_event_loop():
        return _run(sources, options)
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(_run, sources, options).result()


def _run(sources: Sequence[LiveSource | Pages], options: Options) -> tuple[Pages, ...]:
    caught: list[signal.Signals] = []
    try:
        return anyio.run(_read_all, sources, options, caught)
    finally:
        processes.kill_rest()
        for number in caught:
            signal.raise_signal(number)


def _in_event_loop() -> bool:
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return False
    return True


async def _read_all(
    sources: Sequence[LiveSource | Pages], options: Options, caught: list[signal.Signals]
) -> tuple[Pages, ...]:
    found: dict[int, Pages] = {}
    limiter = anyio.CapacityLimiter(AT_A_TIME)

    async def one(index: int, source: LiveSource | Pages) -> None:
        async with limiter:
            found[index] = await _read_one(source, options)

    async with _ended_by_signals(caught), anyio.create_task_group() as group:
        for index, source in enumerate(sources):
            group.start_soon(one, index, source)
    return tuple(found[index] for index in sorted(found))


@asynccontextmanager
async def _ended_by_signals(caught: list[signal.Signals]) -> AsyncGenerator[None, None]:
    """Cancel what is inside at SIGTERM or SIGHUP, so that child processes end first; the signal is kept.

    Ctrl-C is handled the same way by asyncio itself. A program that has handlers of its own keeps them.
    """
    ours = [number for number in _ENDING if signal.getsignal(number) == signal.SIG_DFL]
    if threading.current_thread() is not threading.main_thread() or not ours:
        yield
        return
    with anyio.open_signal_receiver(*ours) as numbers:
        async with anyio.create_task_group() as group:

            async def listen() -> None:
                async for number in numbers:
                    caught.append(number)
                    group.cancel_scope.cancel()

            group.start_soon(listen)
            yield
            group.cancel_scope.cancel()


async def _read_one(source: LiveSource | Pages, options: Options) -> Pages:
    """One source; a failure is the error of the answer, next to what was read before it."""
    if isinstance(source, Pages):
        pages = source
    else:
        options.on_progress(f"{'starting' if isinstance(source, Command) else 'reading'} {source.id}")
        reading = new_reading(source)
        try:
            await _timed(source, reading, options.timeout)
            pages = finished(source, reading, options)
        except Problem as problem:
            pages = finished(source, reading, options, problem)
    options.on_progress(_outcome(pages))
    return pages


def _outcome(pages: Pages) -> str:
    if pages.error is not None:
        return f"{pages.id}: failed"
    return f"{pages.id}: {len(pages.raws)} {'tool' if len(pages.raws) == 1 else 'tools'}"


async def _timed(source: LiveSource, reading: Reading, timeout: float) -> None:
    try:
        with anyio.fail_after(timeout):
            await talk(source, reading, read_tools)
    except TimeoutError:
        hint = "\n".join(filter(None, ["--timeout SECONDS waits longer.", reading.note]))
        raise Problem(
            f"no answer to `{reading.waiting}` within {timeout:g} second{'s' * (timeout != 1)}", hint
        ) from None
