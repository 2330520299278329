"""A server at an address, for a client on our standard streams: a POST for each message, a stream for the rest."""

from __future__ import annotations

from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

import anyio
import httpx
import msgspec

from toolglot.mcp.proxy.client import UNSENT, finish, new_client, send_when_open
from toolglot.mcp.proxy.command import never
from toolglot.mcp.proxy.conversation import LOST
from toolglot.mcp.proxy.envelope import batch_of, error_answer, head_of, object_of, text_of
from toolglot.mcp.proxy.events import Events, data_of, field_of
from toolglot.mcp.proxy.headers import SESSION, VERSION, mirrored
from toolglot.mcp.proxy.readers import wanted_of
from toolglot.mcp.responses import connection_problem, content_type, read_body, status_text
from toolglot.mcp.wire import INTERNAL_ERROR, Problem

if TYPE_CHECKING:
    from toolglot.mcp.kinds import Url
    from toolglot.mcp.proxy.conversation import Conversation
    from toolglot.mcp.proxy.journal import Journal

TRIES = 6
"""How often a request that could not even be written is tried, with growing pauses."""

_RESUMES = 5
_MOST_WAITING = 1000
_GONE = 404
_UNAUTHORIZED = (401, 403)
_WAY_OUT = "Send a token: --header-from-env Authorization=VARIABLE, or put `npx mcp-remote URL` behind `--`."


class AddressUpstream:
    """Speaks Streamable HTTP for one client."""

    def __init__(self, source: Url, journal: Journal) -> None:
        self._source = source
        self._journal = journal
        self._client = new_client(source)
        self._configured = {name.lower(): value for name, value in source.headers.items()}
        self._queue: deque[bytes] = deque()
        self._wanted = anyio.Event()
        self._closed = anyio.Event()
        self._session = ""
        self._version = ""
        self._listening = False
        self._opening = anyio.Lock()
        self.put = self._queue.append

    def wake(self) -> None:
        """Something was put: it is sent."""
        if self._queue:
            self._wanted.set()

    @property
    def full(self) -> bool:
        """Whether much waits to be sent."""
        return len(self._queue) > _MOST_WAITING

    async def flush(self) -> None:
        """Wait until less waits to be sent."""
        while self.full and not self._closed.is_set():
            await anyio.sleep(0.01)

    async def run(
        self,
        conversation: Conversation,
        after: Callable[[], Awaitable[None]],
        full: Callable[[], bool] = never,
    ) -> None:
        """Send what is put, and hand over what comes back, until `close`."""
        self._conversation = conversation
        self._after = after
        async with anyio.create_task_group() as group:
            self._group = group
            while not self._closed.is_set():
                while self._queue:
                    await self._dispatch(self._queue.popleft())
                await self._wanted.wait()
                self._wanted = anyio.Event()
            group.cancel_scope.cancel()

    async def close(self, owed: Callable[[], bool]) -> None:
        """Wait for the answers that are owed, then end the session of the older era."""
        self.wake()
        with anyio.move_on_after(10):
            while owed() or self._queue:
                await anyio.sleep(0.01)
        if not self._closed.is_set() and self._session:
            with anyio.CancelScope(shield=True), anyio.move_on_after(2):
                await self._leave()
        self._closed.set()
        self._wanted.set()
        with anyio.CancelScope(shield=True):
            await self._client.aclose()

    async def _leave(self) -> None:
        try:
            await self._client.delete(self._source.url, headers=self._headers(None))
        except httpx.HTTPError:
            return  # nothing is lost: the session times out

    async def _dispatch(self, raw: bytes) -> None:
        """Notifications keep their order among what follows; requests do not wait for each other."""
        head = head_of(raw)
        wanted = wanted_of(raw)
        if wanted:
            self._group.start_soon(self._exchange, raw, wanted)
            return
        await self._exchange(raw, wanted)
        if head is not None and head.name == "notifications/initialized" and not self._listening:
            self._listening = True
            self._group.start_soon(self._listen)

    async def _exchange(self, raw: bytes, wanted: set[bytes]) -> None:
        """Send one body, and see that each request in it is answered."""
        try:
            await self._post(raw, wanted)
        except Problem as problem:
            self._failed(wanted, f"{problem.message}. {problem.hint}".rstrip())
        except UNSENT as error:
            self._failed(wanted, connection_problem(error, self._source.url).message)
        except httpx.HTTPError:
            self._failed(wanted, LOST)
        await self._after()

    def _failed(self, wanted: set[bytes], said: str) -> None:
        self._journal.tell(said)
        for key in sorted(wanted & self._conversation.pending.keys()):
            self._conversation.server_says(error_answer(key, INTERNAL_ERROR, said))

    async def _post(self, raw: bytes, wanted: set[bytes]) -> None:
        session = self._session
        response = await self._sent(raw)
        if response.status_code == _GONE and session and self._conversation.own.handshake:
            await finish(response)
            async with self._opening:
                if self._session == session:  # nobody else has opened another one meanwhile
                    await self._again(raw)
            response = await self._sent(raw)
        try:
            await self._take(response, wanted)
        finally:
            await finish(response)

    async def _again(self, raw: bytes) -> None:
        """The session is gone, and the server did nothing with the message: open another session first."""
        self._session = ""
        self._conversation.shelf.outdate()
        self._journal.count("toolglot_proxy_upstream_restarts_total")
        for one in self._conversation.own.handshake:
            if one != raw:
                response = await self._sent(one)
                self._session = self._session or response.headers.get(SESSION, "")
                await finish(response)

    async def _sent(self, raw: bytes) -> httpx.Response:
        headers = self._headers(raw)

        def request() -> httpx.Request:
            return self._client.build_request("POST", self._source.url, headers=headers, content=raw)

        return await send_when_open(self._client, request, TRIES, 0.2)

    def _headers(self, raw: bytes | None) -> dict[str, str]:
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if self._session:
            headers[SESSION] = self._session
        if self._version:
            headers[VERSION] = self._version
        made = None if raw is None else mirrored(raw, self._conversation.shelf)
        return headers | (made or {}) | self._configured

    async def _take(self, response: httpx.Response, wanted: set[bytes]) -> None:
        if content_type(response) == "text/event-stream" and response.is_success:
            await self._events(response, wanted)
            return
        body = await read_body(response)
        head = head_of(body)
        if batch_of(body) is not None or (head is not None and head.is_answer):
            self._opened(response, body)
            self._conversation.server_says(body)
        elif response.status_code in _UNAUTHORIZED:
            raise Problem(f"the server answers with {status_text(response.status_code)}", _WAY_OUT)
        elif not response.is_success:
            raise Problem(f"the server answers with {status_text(response.status_code)}")
        elif body.strip():
            self._conversation.server_says(body)
        if wanted & self._conversation.pending.keys():
            said = "a request with nothing" if response.is_success else f"with {status_text(response.status_code)}"
            raise Problem(f"the server answers {said}")

    async def _events(self, response: httpx.Response, wanted: set[bytes]) -> None:
        """The events of one answer; a stream that is cut is taken up again where the server allows it."""
        last = b""
        for _ in range(_RESUMES):
            last = await self._stream(response, last)
            if not wanted & self._conversation.pending.keys():
                return
            if not last:
                break
            await finish(response)
            await anyio.sleep(0.5)
            try:
                response = await self._resumed(last)
            except httpx.HTTPError:
                break  # also where nobody answers any more: the request itself was sent
        raise Problem(LOST.removesuffix("."))

    async def _resumed(self, last: bytes) -> httpx.Response:
        headers = self._headers(None) | {"last-event-id": last.decode("utf-8", "replace")}
        request = self._client.build_request("GET", self._source.url, headers=headers)
        return await self._client.send(request, stream=True)

    async def _stream(self, response: httpx.Response, last: bytes) -> bytes:
        """Hand over every event; out: the id of the last one."""
        events = Events()
        try:
            async for chunk in response.aiter_bytes():
                for event in events.feed(chunk):
                    last = field_of(event, b"id") or last
                    data = data_of(event)
                    if data:
                        self._opened(response, data)
                        self._conversation.server_says(data)
                await self._after()
        except httpx.TransportError:
            return last  # cut in the middle
        return last

    def _opened(self, response: httpx.Response, raw: bytes) -> None:
        """Keep what the answer to `initialize` says: the session, and the version for the headers."""
        if session := response.headers.get(SESSION):
            self._session = session
        if not self._version and b'"protocolVersion"' in raw:
            head = head_of(raw)
            if head is not None and head.result is not msgspec.UNSET:
                self._version = text_of(object_of(head.result).get("protocolVersion")) or ""

    async def _listen(self) -> None:
        """The stream of the older era for what the server says of itself; many servers have none."""
        last = b""
        while not self._closed.is_set():
            try:
                response = await self._resumed(last)
                try:
                    if not response.is_success or content_type(response) != "text/event-stream":
                        return
                    last = await self._stream(response, last)
                finally:
                    await finish(response)
            except httpx.HTTPError:
                pass  # tried again below
            await anyio.sleep(1)
