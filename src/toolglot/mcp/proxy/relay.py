"""From HTTP to HTTP: each request goes on as it came, but for lists, calls, and what belongs to one connection."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import aclosing, suppress
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import anyio
import httpx

from toolglot.mcp.proxy.client import UNSENT, finish, new_client, send_when_open
from toolglot.mcp.proxy.conversation import LOST, Conversation
from toolglot.mcp.proxy.envelope import batch_of, dump, head_of, join, join_list, object_of
from toolglot.mcp.proxy.events import Events, data_of, event_of, through
from toolglot.mcp.proxy.headers import caller_of, passed, with_mirrored
from toolglot.mcp.proxy.repeats import carried
from toolglot.mcp.proxy.sessions import LISTEN
from toolglot.mcp.proxy.web import JSON, WELL_KNOWN, Request
from toolglot.mcp.responses import connection_problem, content_type, read_body
from toolglot.mcp.wire import Problem, rpc_error

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.kinds import Url
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.policy import Shelves
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.web import Headers

AUDIENCE = (
    "the server refuses the token of a client. If it insists on tokens made for its own address, give it one with "
    "--header-from-env Authorization=VARIABLE, or put `npx mcp-remote URL` behind `--`"
)
_METADATA = re.compile(r'resource_metadata="[^"]*"')
_TRIES = 5


class Relay:
    """One server at an address. Nothing is kept between requests but what lists of tools said."""

    def __init__(self, source: Url, settings: Settings, journal: Journal) -> None:
        self._source = source
        self._settings = settings
        self._journal = journal
        self._client = new_client(source, keeps_cookies=False)
        self._streams: set[anyio.CancelScope] = set()
        self._configured = {name.lower(): value for name, value in source.headers.items()}

    def end_streams(self) -> None:
        """End the streams that would stay open for ever."""
        for scope in self._streams:
            scope.cancel()

    async def close(self) -> None:
        """Close all connections."""
        await self._client.aclose()

    async def handle(self, request: Request, shelves: Shelves, own: str) -> None:
        """Answer one request; `own` is the address by which the client knows us."""
        if request.method == "POST":
            await self._post(request, shelves, own)
        else:
            await self._other(request, shelves, own)

    async def _post(self, request: Request, shelves: Shelves, own: str) -> None:
        body = await request.body()
        to_server: list[bytes] = []
        to_client: list[bytes] = []
        headers = self._headers(request)

        async def ask(params: Mapping[str, bytes]) -> bytes:
            return await self._ask(params, headers, conversation)

        policy = shelves.policy(caller_of(request.headers), self._settings, self._journal)
        conversation = Conversation(policy, to_server.append, to_client.append, ask)

        async def work() -> None:
            conversation.client_says(body)
            await conversation.settled()
            if to_server:
                await self._exchange(request, conversation, body, whole(to_server), headers, to_client, own)
            elif to_client:
                await request.answer(200, whole(to_client), [JSON])
            else:
                await request.answer(202)

        head = head_of(body)
        try:
            await request.while_there(work, self._streams if head is not None and head.name == LISTEN else None)
        finally:
            conversation.close()
            to_server.clear()
            to_client.clear()

    async def _exchange(
        self,
        request: Request,
        conversation: Conversation,
        came: bytes,
        body: bytes,
        headers: Headers,
        to_client: list[bytes],
        own: str,
    ) -> None:
        closed = bool(self._settings.restriction)
        headers = carried(headers, came, body, conversation.shelf, closed=closed)
        try:
            response = await self._send("POST", body, headers, request.query)
        except httpx.HTTPError as error:
            unsent = isinstance(error, UNSENT)
            said = connection_problem(error, self._source.url).message if unsent else LOST
            self._journal.tell(said)
            conversation.server_lost(said)
            await request.answer(200 if to_client else 502, whole(to_client), [JSON])
            return
        try:
            await self._answer(request, conversation, response, to_client, own)
        finally:
            await finish(response)

    async def _answer(
        self,
        request: Request,
        conversation: Conversation,
        response: httpx.Response,
        to_client: list[bytes],
        own: str,
    ) -> None:
        headers = self._answer_headers(response, own)
        kind = content_type(response)
        self._say_way_out(request, response)
        if kind == "text/event-stream":
            await request.stream(response.status_code, headers, self._events(response, conversation, to_client))
        elif kind == "application/json":
            try:
                body = await read_body(response)
            except (httpx.HTTPError, Problem):
                conversation.server_lost()
                await request.answer(200, whole(to_client), [JSON])
                return
            conversation.server_says(body)
            await request.answer(response.status_code, whole(to_client), headers)
        elif to_client and response.is_success:
            # Members of a batch that were answered here; the server had nothing to say to the others.
            await request.answer(200, whole(to_client), [JSON])
        else:
            with suppress(httpx.HTTPError):  # cut at the server: cut here too
                await request.stream(response.status_code, headers, response.aiter_bytes())

    async def _events(
        self, response: httpx.Response, conversation: Conversation, to_client: list[bytes]
    ) -> AsyncGenerator[bytes, None]:
        """The events of an answer, changed where they have to be; a cut stream ends with what is known."""
        for one in to_client:
            yield event_of(one)

        def change(data: bytes) -> list[bytes]:
            to_client.clear()
            conversation.server_says(data)
            return list(to_client)

        events = Events()
        has_ids = False
        try:
            async for chunk in response.aiter_bytes():
                for event in events.feed(chunk):
                    has_ids = has_ids or b"\nid:" in event or event.startswith(b"id:")
                    yield through(event, change)
            yield events.end()
        except (httpx.HTTPError, Problem):
            self._journal.tell("an event stream of the server was cut")
        if conversation.pending and not has_ids:
            # Without ids nobody can take the stream up again: the answer will never come.
            to_client.clear()
            conversation.server_lost()
            for one in to_client:
                yield event_of(one)

    async def _other(self, request: Request, shelves: Shelves, own: str) -> None:
        """GET opens or takes up a stream, DELETE ends a session; unknown methods go on too."""
        body = await request.body()
        if self._settings.restriction and (body or request.method not in ("GET", "DELETE")):
            await request.say(405, "the server is restricted here: messages come with POST")
            return
        to_client: list[bytes] = []
        policy = shelves.policy(caller_of(request.headers), self._settings, self._journal)
        conversation = Conversation(policy, to_client.append, to_client.append)
        conversation.resume()
        try:
            response = await self._send(request.method, body, self._headers(request), request.query)
        except httpx.HTTPError as error:
            await request.say(502, connection_problem(error, self._source.url).message)
            return

        async def answer() -> None:
            await self._answer(request, conversation, response, to_client, own)

        async with aclosing(response):
            await request.while_there(answer, self._streams)

    async def _ask(self, params: Mapping[str, bytes], headers: Headers, conversation: Conversation) -> bytes:
        """A page of the list for ourselves, with the caller's own credentials."""
        raw = b'{"jsonrpc":"2.0","id":"toolglot-list","method":"tools/list"'
        raw += (b',"params":' + join(params) if params else b"") + b"}"
        kept = [(name, value) for name, value in headers if not name.startswith(("mcp-param-", "mcp-name"))]
        try:
            response = await self._send("POST", raw, with_mirrored(kept, raw, conversation.shelf), "")
            try:
                return await _result(response)
            finally:
                await finish(response)
        except httpx.HTTPError as error:
            raise connection_problem(error, self._source.url) from None

    async def _send(self, method: str, body: bytes, headers: Headers, query: str) -> httpx.Response:
        url = httpx.URL(self._source.url)
        if query:
            url = url.copy_with(query=query.encode())

        def request() -> httpx.Request:
            return self._client.build_request(method, url, headers=headers, content=body or None)

        return await send_when_open(self._client, request, _TRIES, 0.1)

    def _headers(self, request: Request) -> Headers:
        """The client's headers without those of the connection, and under the configured ones."""
        kept = [(name, value) for name, value in passed(request.pairs) if name not in self._configured]
        if self._settings.restriction:
            # Another character set would be another message than the one that was judged.
            kept = [("content-type", "application/json") if name == "content-type" else (name, value)
                    for name, value in kept if name != "content-encoding"]  # fmt: skip
        return [*kept, *self._configured.items(), ("accept-encoding", "identity")]

    def _answer_headers(self, response: httpx.Response, own: str) -> Headers:
        headers = passed((name.lower(), value) for name, value in response.headers.multi_items())
        headers = [(name, value) for name, value in headers if name != "content-encoding"]  # httpx has decoded it
        metadata = f'resource_metadata="{_well_known(own)}"'
        return [
            (name, _METADATA.sub(metadata, value) if name == "www-authenticate" else value) for name, value in headers
        ]

    def _say_way_out(self, request: Request, response: httpx.Response) -> None:
        """Say once why a token may be refused that a client got for our address."""
        if response.status_code == HTTPStatus.UNAUTHORIZED and "authorization" in request.headers:
            self._journal.tell(AUDIENCE)

    async def metadata(self, request: Request, own: str) -> None:
        """The server's document about its authorization, with our own address as the resource."""
        parts = urlsplit(self._source.url)
        origin = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}"
        for path in (f"{WELL_KNOWN}{parts.path.rstrip('/')}", WELL_KNOWN):
            try:
                response = await self._client.get(f"{origin}{path}")
                if response.is_success and response.content.lstrip()[:1] == b"{":
                    document = join({**object_of(response.content), "resource": dump(own)})
                    await request.answer(200, document, [JSON])
                    return
            except httpx.HTTPError:
                break
        await request.say(404, "the server has no such document")


def whole(messages: list[bytes]) -> bytes:
    """One message as it is; several as one batch."""
    if len(messages) < 2:
        return b"".join(messages)
    return join_list(one for raw in messages for one in (batch_of(raw) or [raw]))


async def _result(response: httpx.Response) -> bytes:
    """The result of one answer, from JSON or from an event stream. Raises Problem, RpcError."""
    events = Events()
    if content_type(response) != "text/event-stream":
        return _found(await read_body(response)) or b"null"
    async for chunk in response.aiter_bytes():
        for event in events.feed(chunk):
            data = data_of(event)
            if data and (found := _found(data, strict=False)) is not None:
                return found
    raise Problem("the event stream ended before it answered `tools/list`")


def _found(raw: bytes, *, strict: bool = True) -> bytes | None:
    head = head_of(raw)
    parts = object_of(raw)
    if head is None or not head.is_answer:
        if strict:
            raise Problem("the answer to `tools/list` is no JSON-RPC message")
        return None
    if "error" in parts and parts["error"] != b"null":
        raise rpc_error(parts["error"])
    return parts.get("result")


def _well_known(own: str) -> str:
    parts = urlsplit(own)
    return f"{parts.scheme}://{parts.netloc}{WELL_KNOWN}{parts.path}"
