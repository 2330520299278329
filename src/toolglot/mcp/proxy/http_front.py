"""The proxy over Streamable HTTP: `/mcp`, `/TARGET/mcp`, `/healthz`, `/metrics`, and who may ask."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import urlsplit

from toolglot.errors import ToolglotError
from toolglot.mcp.proxy.policy import Fitters, Shelves
from toolglot.mcp.proxy.relay import WELL_KNOWN
from toolglot.mcp.proxy.settings import AUTO
from toolglot.mcp.proxy.web import Gone, Request, TooLarge

if TYPE_CHECKING:
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.web import Receive, Send

_MOST_TARGETS = 50
_MOST_PATH = 200


class Backend(Protocol):
    """What stands behind the front: a relay to an address, or commands."""

    async def handle(self, request: Request, shelves: Shelves, own: str) -> None:
        """Answer one request of the endpoint; `own` is its address as the client knows it."""
        ...

    async def metadata(self, request: Request, own: str) -> None:
        """Answer the question for the metadata of the protected resource."""
        ...

    def end_streams(self) -> None:
        """End the streams that would stay open for ever."""
        ...

    async def close(self) -> None:
        """End what is behind, in order."""
        ...


@dataclass(frozen=True, slots=True)
class Place:
    """Where the front listens, and by which names it may be asked beside those of this machine."""

    host: str
    port: int
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    public_url: str = ""

    @property
    def is_local(self) -> bool:
        """Whether only this machine can ask."""
        return is_loopback(self.host)


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its name or address."""
    host = host.strip("[]")
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


@dataclass(slots=True)
class Front:
    """The ASGI application."""

    backend: Backend
    fitters: Fitters
    journal: Journal
    place: Place
    default: str
    _shelves: dict[str, Shelves] = field(default_factory=dict[str, Shelves])
    ready: bool = True
    active: int = 0

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request; lifespan messages are the server's own."""
        if scope["type"] != "http":
            return
        request = Request.of(scope, receive, send)
        self.active += 1
        try:
            await self._answer(request)
        except TooLarge:
            await request.say(413, "the message is too large")
        except Gone:
            return
        finally:
            self.active -= 1

    async def _answer(self, request: Request) -> None:
        refused = self._refusal(request)
        if refused:
            await request.say(403, refused)
        elif request.path == "/healthz":
            await request.answer(200, b'{"status":"ok"}\n', [("content-type", "application/json")])
        elif request.path == "/metrics":
            text = self.journal.exposition().encode()
            await request.answer(200, text, [("content-type", "text/plain; version=0.0.4; charset=utf-8")])
        elif request.path.startswith(WELL_KNOWN):
            await self._metadata(request)
        else:
            await self._endpoint(request)

    async def _metadata(self, request: Request) -> None:
        path = request.path[len(WELL_KNOWN) :] or "/mcp"
        await self.backend.metadata(request, self._own(request, path))

    async def _endpoint(self, request: Request) -> None:
        target = self._target(request.path)
        try:
            shelves = None if target is None else self._of(target)
        except ToolglotError as error:
            await request.say(404, str(error))
            return
        if shelves is None:
            await request.say(404, "the endpoint is /mcp, or /TARGET/mcp")
            return
        await self.backend.handle(request, shelves, self._own(request, request.path))

    def _target(self, path: str) -> str | None:
        """The target that a path names; None for another path."""
        if path in ("/mcp", "/mcp/"):
            return self.default
        parts = path.strip("/").split("/")
        if len(parts) != 2 or parts[1] != "mcp" or len(path) > _MOST_PATH:
            return None
        # A file on this machine is no target that a caller may name.
        return parts[0] if parts[0] and "." not in parts[0] and parts[0] != AUTO else None

    def _of(self, target: str) -> Shelves:
        if target not in self._shelves:
            if len(self._shelves) >= _MOST_TARGETS:
                raise ToolglotError("too many targets are in use.")
            self._shelves[target] = Shelves(self.fitters.of(target))
        return self._shelves[target]

    def _refusal(self, request: Request) -> str:
        """Why a request is not answered: a page of another site must not reach a server on this machine."""
        host = request.headers.get("host", "")
        if not self._is_ours(_name_of(host)):
            return "the Host header names another machine; --allow-host NAME lets it through"
        origin = request.headers.get("origin")
        if origin is None or origin in self.place.origins:
            return ""
        named = urlsplit(origin)
        if named.hostname and (self._is_ours(named.hostname) or named.netloc == host):
            return ""
        return "the Origin header names another site; --allow-origin URL lets it through"

    def _is_ours(self, name: str) -> bool:
        if name in self.place.hosts or is_loopback(name):
            return True
        return not self.place.is_local and (not self.place.hosts or name == self.place.host)

    def _own(self, request: Request, path: str) -> str:
        if self.place.public_url:
            return self.place.public_url.rstrip("/") + path
        return f"{request.scheme}://{request.headers.get('host', self.place.host)}{path}"


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    return urlsplit(f"//{host}").hostname or ""
