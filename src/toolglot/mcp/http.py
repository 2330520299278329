"""A server at an address: Streamable HTTP, one POST per message, answers in JSON or as an event stream."""

from __future__ import annotations

from contextlib import aclosing, suppress
from typing import TYPE_CHECKING

import anyio
import httpx

from toolglot import __version__
from toolglot.errors import JsonError
from toolglot.mcp import sse
from toolglot.mcp.responses import (
    ENDPOINT_HINT,
    RefusedProblem,
    check_address,
    check_headers,
    check_status,
    connection_problem,
    content_type,
    kind_problem,
    read_body,
    send,
)
from toolglot.mcp.wire import CANCEL_SECONDS, NoAnswer, NotSent, Problem, deaf, decode, error_reply

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from httpx_sse import ServerSentEvent

    from toolglot.mcp.kinds import Url
    from toolglot.mcp.pages import Reading
    from toolglot.mcp.wire import Message, Request

SESSION = "mcp-session-id"
THIS_MACHINE = ("all://localhost", "all://127.0.0.1", "all://[::1]")
"""A proxy from the environment is not for these: it would look for the server on its own machine."""

_RESUMES = 3
_RESUME_SECONDS = 1.0
_SHORTEST_WAIT = 0.1
_LONGEST_WAIT = 60.0
_REPLY_SECONDS = 5.0
"""How long the reading of an answer may stand still while a request of the server is answered."""

_OLD_TRANSPORT = (400, 404, 405)
"""How a server of the old HTTP+SSE transport answers a POST, as the specification of 2025-03-26 says."""


async def read(source: Url, reading: Reading, work: Callable[..., Awaitable[None]]) -> None:
    """Do `work(exchange, reading, probe=...)` over the transport that the server speaks.

    With `auto` a server that refuses the first POST is asked for the old HTTP+SSE transport. Raises Problem.
    """
    check_address(source.url)
    check_headers(source.headers)
    client = httpx.AsyncClient(
        follow_redirects=False,
        timeout=None,
        headers={"user-agent": f"toolglot/{__version__}"},
        mounts=dict.fromkeys(THIS_MACHINE),
    )
    try:
        async with client:
            if source.transport == "sse":
                await sse.read(client, source, reading, work)
            else:
                await _streamable(client, source, reading, work)
    except httpx.HTTPError as error:
        raise connection_problem(error, source.url) from None


async def _streamable(
    client: httpx.AsyncClient, source: Url, reading: Reading, work: Callable[..., Awaitable[None]]
) -> None:
    exchange = HttpExchange(client, source)
    try:
        await work(exchange, reading, probe=True)
    except RefusedProblem as problem:
        if source.transport != "auto" or problem.status not in _OLD_TRANSPORT or exchange.answered:
            raise
        if not await sse.try_read(client, source, reading, work):
            raise
    finally:
        await exchange.leave()


class HttpExchange:
    """An Exchange over Streamable HTTP."""

    def __init__(self, client: httpx.AsyncClient, source: Url) -> None:
        self._client = client
        self._url = httpx.URL(source.url)
        self._headers = {name.lower(): value for name, value in source.headers.items()}
        self._session = ""
        self._version = ""
        self._last = 0
        self._gone: Problem | None = None
        self.lost = anyio.Event()
        self.on_notice: Callable[[str], None] = deaf
        self.answered = False

    @property
    def problem(self) -> Problem:
        """Why the connection was lost, see `wire.Exchange`."""
        return self._gone or Problem("the connection is open")

    def close(self, problem: Problem) -> None:
        """End the connection; the first call counts."""
        self._gone = self._gone or problem
        self.lost.set()

    async def ask(self, request: Request, *, within: float | None = None) -> bytes:
        """POST a request and read its answer, see `wire.Exchange`."""
        if self._gone is not None:
            raise NotSent(self._gone.message, self._gone.hint)
        self._last += 1
        number = self._last
        try:
            with anyio.move_on_after(within):
                message = await self._exchange(request, str(number).encode())
                self.answered = True
                return message.answer()
        except httpx.HTTPError as error:
            raise connection_problem(error, str(self._url)) from None
        except NotSent as problem:
            self.close(problem)
            raise
        except anyio.get_cancelled_exc_class():
            await self._cancel(number, request)
            raise
        raise NoAnswer(f"no answer to `{request.method}`")

    async def _cancel(self, number: int, request: Request) -> None:
        """Tell the server that nobody waits; in the modern era the closed answer says it."""
        if not request.cancels or request.modern or self._gone is not None:
            return
        with anyio.move_on_after(CANCEL_SECONDS, shield=True):
            try:
                await self.tell(request.cancelled(number))
            except (httpx.HTTPError, Problem):
                return

    async def listen(self) -> None:
        """Hear what the server says on its own in the older era, while it lets us; returns where it does not."""
        last_id = ""
        while self._gone is None:
            extra = {"last-event-id": last_id} if last_id else None
            try:
                response = await self._send("GET", b"", extra=extra)
                if not response.is_success or content_type(response) != "text/event-stream":
                    await response.aclose()
                    return
                last_id, wait = await self._hear(response, last_id)
            except (httpx.HTTPError, Problem):
                wait = _RESUME_SECONDS
            await anyio.sleep(wait)

    async def _hear(self, response: httpx.Response, last_id: str) -> tuple[str, float]:
        wait = _RESUME_SECONDS
        async with aclosing(response), aclosing(sse.events(response)) as stream:
            async for event in stream:
                last_id, wait = event.id or last_id, _wait(event, wait)
                await self._from_event(event.data, b"")
        return last_id, wait

    async def tell(self, request: Request) -> None:
        """POST a notification; the version it names is the agreed one from now on."""
        self._version = request.version
        response = await self._send("POST", request.encode(None), request)
        await response.aclose()

    async def leave(self) -> None:
        """End the session of the older era, where there is one; a server may refuse that."""
        if not self._session:
            return
        with anyio.move_on_after(2, shield=True):
            try:
                await (await self._send("DELETE", b"")).aclose()
            except (httpx.HTTPError, Problem):
                return  # nothing is lost: the session times out

    async def _exchange(self, request: Request, number: bytes) -> Message:
        try:
            response = await self._send("POST", request.encode(int(number)), request)
        except (httpx.ConnectError, httpx.ConnectTimeout) as error:
            # Only here: once the request has an answer that began, a lost connection does not unsay it.
            problem = connection_problem(error, str(self._url))
            raise NotSent(problem.message, problem.hint) from None
        try:
            await check_status(response, in_session=bool(self._session))
            if request.method == "initialize":
                self._session = response.headers.get(SESSION, "")
            if content_type(response) != "text/event-stream":
                return await _from_body(response, number, request.method)
        except BaseException:
            await response.aclose()
            raise
        return await self._from_events(response, number, request.method)

    async def _from_events(self, response: httpx.Response, number: bytes, method: str) -> Message:
        """The answer from the event stream; a stream that the server cut is taken up again where it can be."""
        for left in reversed(range(_RESUMES)):
            last_id, wait = "", _RESUME_SECONDS
            async with aclosing(response), aclosing(sse.events(response)) as stream:
                async for event in stream:
                    last_id, wait = event.id or last_id, _wait(event, wait)
                    if message := await self._from_event(event.data, number):
                        return message
            if not last_id or not left:
                break
            await anyio.sleep(wait)
            rest = await self._taken_up(last_id)
            if rest is None:
                break
            response = rest
        raise NoAnswer(f"the event stream ended before it answered `{method}`")

    async def _taken_up(self, last_id: str) -> httpx.Response | None:
        """The rest of a stream that was cut; None where there is none. Never NotSent: the request was read."""
        try:
            response = await self._send("GET", b"", extra={"last-event-id": last_id})
        except (httpx.HTTPError, Problem):
            return None
        if response.is_success and content_type(response) == "text/event-stream":
            return response
        await response.aclose()
        return None

    async def _from_event(self, data: str, number: bytes) -> Message | None:
        if not data:
            return None
        try:
            messages = decode(data.encode())
        except JsonError as error:
            raise NoAnswer(f"an event of the server is {error}") from None
        for message in messages:
            if message.is_answer and message.answers in (number, b""):
                return message
            if message.method and message.id:
                await self._reply(message)
            elif message.method:
                self.on_notice(message.method)
        return None

    async def _reply(self, message: Message) -> None:
        """Answer a request of the server; that this fails is no news about the question whose answer is read."""
        with anyio.move_on_after(_REPLY_SECONDS), suppress(httpx.HTTPError, Problem):
            response = await self._send("POST", error_reply(message))
            await response.aclose()

    async def _send(
        self, method: str, body: bytes, request: Request | None = None, extra: dict[str, str] | None = None
    ) -> httpx.Response:
        """Send one message; the body of the answer is not read yet."""
        headers = {**self._headers, **self._protocol_headers(request), **(extra or {})}
        return await send(
            self._client, self._client.build_request(method, self._url, headers=headers, content=body or None)
        )

    def _protocol_headers(self, request: Request | None) -> dict[str, str]:
        headers = {"accept": "application/json, text/event-stream", "content-type": "application/json"}
        if self._session:
            headers[SESSION] = self._session
        if version := (request.version if request else "") or self._version:
            headers["mcp-protocol-version"] = version
        if request and request.modern:
            headers["mcp-method"] = request.method
        return {**headers, **(request.headers if request else {})}


def _wait(event: ServerSentEvent, before: float) -> float:
    """Seconds before a stream is taken up again, as the server says, but neither at once nor hours later."""
    return before if event.retry is None else min(max(event.retry / 1000, _SHORTEST_WAIT), _LONGEST_WAIT)


async def _from_body(response: httpx.Response, number: bytes, method: str) -> Message:
    body = await read_body(response)
    if problem := kind_problem(response, body, method):
        raise problem
    try:
        messages = decode(body)
    except JsonError as error:
        raise NoAnswer(f"the answer to `{method}` is {error}") from None
    for message in messages:
        if message.is_answer and message.answers in (number, b""):
            return message
    raise NoAnswer(f"the answer to `{method}` is no JSON-RPC message", ENDPOINT_HINT)
