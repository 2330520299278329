"""Runs the HTTP front with uvicorn, until a signal ends it in order."""

from __future__ import annotations

import asyncio
import logging
import signal
import socket
from typing import TYPE_CHECKING, Any

import anyio
import uvicorn

from toolglot.mcp import processes
from toolglot.mcp.proxy.sessions import Commands
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from toolglot.mcp.proxy.http_front import Front

GRACE = 10
"""Seconds that open answers have when the front ends."""

LINGER = 0.5
"""Seconds in which a connection that is open may still bring a request."""

SILENT = 120
"""Seconds after which a connection counts as dead whose other side confirms nothing."""

_ENDING = [number for name in ("SIGINT", "SIGTERM", "SIGHUP") if (number := getattr(signal, name, None))]


class _Server(uvicorn.Server):
    """uvicorn without its own handling of signals, and with an end that loses no request."""

    def capture_signals(self) -> Any:
        """Signals are handled around it."""
        from contextlib import nullcontext

        return nullcontext()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take what has connected already, then no more; let requests that are on their way come in."""
        waiting = [line for listener in sockets or [] for line in _queue_of(listener)]
        for server in self.servers:
            server.close()  # nothing else ran since the queue was empty
        for line in waiting:
            await asyncio.get_running_loop().connect_accepted_socket(self._protocol, line)
        await asyncio.sleep(LINGER)
        await super().shutdown([])

    def _protocol(self) -> asyncio.Protocol:
        made = self.config.http_protocol_class
        return made(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)  # pyright: ignore[reportCallIssue]


def _queue_of(listener: socket.socket) -> list[socket.socket]:
    """The connections that wait at a listening socket; they would be reset when it is closed."""
    found: list[socket.socket] = []
    listener.setblocking(False)
    try:
        while True:
            line, _ = listener.accept()
            line.setblocking(False)
            found.append(line)
    except OSError:
        return found


def serve_http(front: Front, *, reuse_port: bool = False) -> int:
    """Listen until a signal comes. Out: the exit code. Raises Problem where the port is taken."""
    listener = _listener(front.place.host, front.place.port, reuse_port=reuse_port)
    try:
        return anyio.run(_serve, front, listener)
    finally:
        listener.close()
        processes.kill_rest()


def _listener(host: str, port: int, *, reuse_port: bool) -> socket.socket:
    try:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        listener = socket.create_server((host.strip("[]"), port), family=family, backlog=512, reuse_port=reuse_port)
        # Inherited by each connection: an answer in two pieces would wait 40 ms for the client's acknowledgement.
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        _notice_the_dead(listener)
        return listener
    except OSError as error:
        raise Problem(f"{host}:{port} cannot be listened on: {error.strerror or error}") from None


def _notice_the_dead(listener: socket.socket) -> None:
    """Connections whose other side has vanished end some time; the options are not the same everywhere."""
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {"TCP_KEEPIDLE": 60, "TCP_KEEPINTVL": 20, "TCP_KEEPCNT": 3, "TCP_USER_TIMEOUT": SILENT * 1000}
    for name, value in options.items():
        if hasattr(socket, name):
            listener.setsockopt(socket.IPPROTO_TCP, getattr(socket, name), value)


async def _serve(front: Front, listener: socket.socket) -> int:
    config = uvicorn.Config(
        front,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        date_header=False,
        timeout_graceful_shutdown=GRACE,
        timeout_keep_alive=75,
        ws="none",
        proxy_headers=False,
    )
    # What it has to say is ours to say: an answer that is cut on purpose is no error.
    logging.getLogger("uvicorn").addHandler(logging.NullHandler())
    logging.getLogger("uvicorn").propagate = False
    server = _Server(config)
    host, port = listener.getsockname()[:2]
    shown = f"[{host}]" if ":" in host else host
    front.journal.tell(f"listening on http://{shown}:{port}/mcp")
    async with anyio.create_task_group() as group:
        if isinstance(front.backend, Commands):
            front.backend.start(group)
        with anyio.open_signal_receiver(*_ENDING) as signals:

            async def listen() -> None:
                async for _ in signals:
                    server.should_exit = front.ending = True
                    front.backend.end_streams()

            group.start_soon(listen)
            try:
                await server.serve(sockets=[listener])
            finally:
                with anyio.CancelScope(shield=True), anyio.move_on_after(GRACE):
                    await front.backend.close()
                group.cancel_scope.cancel()
    return 0
