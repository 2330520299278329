"""The proxy over Streamable HTTP: `/mcp`, `/TARGET/mcp`, `/healthz`, `/metrics`, and who may ask."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol, cast
from urllib.parse import urlsplit

from toolglot.errors import ToolglotError
from toolglot.mcp.proxy.policy import Fitters, Shelves
from toolglot.mcp.proxy.settings import AUTO
from toolglot.mcp.proxy.web import WELL_KNOWN, Gone, Request, TooLarge

if TYPE_CHECKING:
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.web import Headers, Receive, Send

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


_EXPOSED = ("access-control-expose-headers", "mcp-session-id, mcp-protocol-version, www-authenticate")
_PREFLIGHT = [
    ("access-control-allow-methods", "GET, POST, DELETE"),
    ("access-control-allow-headers", "*, Authorization"),
    ("access-control-max-age", "600"),
]


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
    ending: bool = False
    _shelves: dict[str, Shelves] = field(default_factory=dict[str, Shelves])

    async def __call__(self, scope: Any, receive: Receive, send: Send) -> None:
        """Answer one request; lifespan messages are the server's own."""
        if scope["type"] != "http":
            return
        request = Request.of(scope, receive, send)
        request.closes = self.ending
        request.more = self._cors(request)
        try:
            await self._answer(request)
        except TooLarge:
            await request.say(413, "the message is too large")
        except Gone:
            return
        except Exception as error:
            self.journal.tell(f"a request could not be answered ({_kinds(error)})")
            await request.fail()

    async def _answer(self, request: Request) -> None:
        if request.path == "/healthz":  # whoever asks: it tells nothing, and probes know no name
            said = b'{"status":"ending"}\n' if self.ending else b'{"status":"ok"}\n'
            await request.answer(503 if self.ending else 200, said, [("content-type", "application/json")])
            return
        refused = self._refusal(request)
        if refused:
            await request.say(403, refused)
        elif request.method == "OPTIONS" and "access-control-request-method" in request.headers:
            await request.answer(204, b"", _PREFLIGHT)
        elif request.path == "/metrics":
            text = self.journal.exposition().encode()
            await request.answer(200, text, [("content-type", "text/plain; version=0.0.4; charset=utf-8")])
        elif request.path == WELL_KNOWN or request.path.startswith(f"{WELL_KNOWN}/"):
            await self._metadata(request)
        else:
            await self._endpoint(request)

    async def _metadata(self, request: Request) -> None:
        path = request.path[len(WELL_KNOWN) :] or "/mcp"
        if self._target(path) is None:
            await request.say(404, "there is no such endpoint")
        else:
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
        if not self._is_ours(_name_of(request.headers.get("host", ""))):
            return "the Host header names another machine; --allow-host NAME lets it through"
        if not self._may_ask(request):
            return "the Origin header names another site; --allow-origin URL lets it through"
        return ""

    def _is_ours(self, name: str) -> bool:
        """Whether a Host names us. A name that somebody else points at us is what has to be kept out."""
        place = self.place
        if name in place.hosts or is_loopback(name) or name == _name_of(urlsplit(place.public_url).netloc):
            return True
        return not place.is_local and (name == place.host or _is_address(name))

    def _may_ask(self, request: Request) -> bool:
        """Whether the page that asks, where one does, is of this site, of this machine, or allowed."""
        origin = request.headers.get("origin")
        if origin is None or origin in self.place.origins:
            return True
        named = urlsplit(origin)
        own = (request.headers.get("host", ""), urlsplit(self.place.public_url).netloc)
        return bool(named.hostname) and (is_loopback(str(named.hostname)) or named.netloc in own)

    def _cors(self, request: Request) -> Headers:
        """The headers that let a page read an answer, where it may ask at all."""
        origin = request.headers.get("origin")
        if origin is None or not self._may_ask(request):
            return []
        return [
            ("access-control-allow-origin", origin),
            _EXPOSED,
            ("vary", "Origin"),
        ]

    def _own(self, request: Request, path: str) -> str:
        if self.place.public_url:
            return self.place.public_url.rstrip("/") + path
        return f"{request.scheme}://{request.headers.get('host', self.place.host)}{path}"


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _kinds(error: BaseException) -> str:
    """What kinds of fault there were; their texts may hold what somebody sent."""
    if isinstance(error, BaseExceptionGroup):
        inner = cast("tuple[BaseException, ...]", error.exceptions)  # pyright: ignore[reportUnknownMemberType]
        return ", ".join(sorted({_kinds(one) for one in inner}))
    return type(error).__name__


def _name_of(host: str) -> str:
    """The name in a Host header, without the port."""
    return urlsplit(f"//{host}").hostname or ""
