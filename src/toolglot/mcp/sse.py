"""The old HTTP+SSE transport of 2024-11-05: a GET that stays open for answers, a POST for each message."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING, cast

import anyio
import httpx
from httpx_sse import EventSource, SSEError

from toolglot.errors import MAX_MESSAGE_BYTES
from toolglot.mcp.kinds import shown_url
from toolglot.mcp.peer import Peer
from toolglot.mcp.responses import check_status, connection_problem, content_type, send
from toolglot.mcp.wire import NoAnswer, Problem, RpcError

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable

    from httpx_sse import ServerSentEvent

    from toolglot.mcp.kinds import Url
    from toolglot.mcp.pages import Reading

ENDPOINT_SECONDS = 5.0
_NO_BODY = (202, 204)


class _Limited:
    """A response whose text ends with a Problem once one event is larger than a message may be."""

    def __init__(self, response: httpx.Response) -> None:
        self.headers = response.headers
        self.size = 0
        self._response = response

    async def aiter_text(self) -> AsyncIterator[str]:
        async for text in self._response.aiter_text():
            self.size += len(text)
            if self.size > MAX_MESSAGE_BYTES:
                raise Problem(f"an event of the server is larger than {MAX_MESSAGE_BYTES:,} bytes")
            yield text


async def events(response: httpx.Response) -> AsyncGenerator[ServerSentEvent, None]:
    """The events of a response, until it ends; raises Problem for one that is larger than a message may be."""
    limited = _Limited(response)
    try:
        source = EventSource(cast("httpx.Response", limited))
        async with aclosing(source.aiter_sse()) as stream:
            async for event in stream:
                limited.size = 0
                yield event
    except SSEError as error:
        raise Problem(f"the answer is no event stream: {error}") from None
    except httpx.RemoteProtocolError:
        return  # cut in the middle; whoever reads may take it up again


async def try_read(
    client: httpx.AsyncClient, source: Url, reading: Reading, work: Callable[..., Awaitable[None]]
) -> bool:
    """Read over the old transport; false, and nothing done, where the server does not speak it."""
    response = await _open(client, source)
    try:
        if not response.is_success or content_type(response) != "text/event-stream":
            return False
        await _converse(client, source, response, reading, work)
    except NoAnswer:
        return False
    finally:
        await response.aclose()
    return True


async def read(client: httpx.AsyncClient, source: Url, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Read over the old transport; raises Problem where the server does not speak it."""
    response = await _open(client, source)
    try:
        try:
            await check_status(response)
        except RpcError as error:
            raise error.problem("GET") from None
        if content_type(response) != "text/event-stream":
            raise Problem(f"the answer is {content_type(response) or 'of no stated type'}, not an event stream")
        await _converse(client, source, response, reading, work)
    finally:
        await response.aclose()


async def _open(client: httpx.AsyncClient, source: Url) -> httpx.Response:
    given = {name.lower(): value for name, value in source.headers.items()}
    headers = {**given, "accept": "text/event-stream", "cache-control": "no-store"}
    request = client.build_request("GET", source.url, headers=headers)
    return await send(client, request)


async def _converse(
    client: httpx.AsyncClient,
    source: Url,
    response: httpx.Response,
    reading: Reading,
    work: Callable[..., Awaitable[None]],
) -> None:
    reading.transport = "sse"
    line = _Line(client, source, response.url)
    problem: Problem | None = None
    async with anyio.create_task_group() as group:
        group.start_soon(line.listen, response)
        try:
            with anyio.move_on_after(ENDPOINT_SECONDS):
                await line.ready.wait()
            line.check()
            await work(line.peer, reading, probe=False)
        except Problem as error:
            problem = error  # raised outside of the group, which would wrap it
        group.cancel_scope.cancel()
    if problem is not None:
        raise problem


class _Line:
    """One open event stream and the address that takes messages."""

    def __init__(self, client: httpx.AsyncClient, source: Url, base: httpx.URL) -> None:
        self._client = client
        self._headers = {name.lower(): value for name, value in source.headers.items()}
        self._base = base
        self._endpoint: httpx.URL | None = None
        self._failed: Problem | None = None
        self.ready = anyio.Event()
        self.peer = Peer(self._post)

    def check(self) -> None:
        """Raise Problem where the stream named no address for messages; NoAnswer where it just said nothing."""
        if self._endpoint is None:
            raise self._failed or NoAnswer("the event stream does not name an address for messages")

    async def listen(self, response: httpx.Response) -> None:
        """Hand every event to the peer; whatever ends the stream ends the conversation."""
        try:
            async with aclosing(events(response)) as stream:
                async for event in stream:
                    await self._hear(event)
        except Problem as problem:
            self._failed = problem
        except httpx.HTTPError as error:
            self._failed = connection_problem(error, str(self._base))
        self.peer.close(self._failed or Problem("the event stream ended before the answer came"))
        self.ready.set()

    async def _hear(self, event: ServerSentEvent) -> None:
        if event.event == "endpoint":
            self._set_endpoint(event.data)
        elif event.data:
            await self.peer.deliver(event.data.encode())

    def _set_endpoint(self, address: str) -> None:
        endpoint = self._base.join(address)
        if (endpoint.scheme, endpoint.host, endpoint.port) != (
            self._base.scheme,
            self._base.host,
            self._base.port,
        ):
            raise Problem(f"the server names an endpoint of another origin, {shown_url(str(endpoint))}")
        self._endpoint = endpoint
        self.ready.set()

    async def _post(self, raw: bytes) -> None:
        if self._endpoint is None:
            return
        headers = {**self._headers, "content-type": "application/json"}
        try:
            response = await self._client.post(self._endpoint, headers=headers, content=raw)
            if response.status_code not in _NO_BODY:
                await check_status(response)
        except Problem as problem:
            self.peer.close(problem)
        except RpcError as error:
            self.peer.close(error.problem("POST"))
        except httpx.HTTPError as error:
            self.peer.close(connection_problem(error, str(self._endpoint)))
