"""From HTTP to a command: a process for each session of the older era, one for all requests of the modern one."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING
from uuid import uuid4

import anyio

from toolglot.mcp.proxy.command import CommandUpstream
from toolglot.mcp.proxy.conversation import Conversation
from toolglot.mcp.proxy.envelope import batch_of, head_of, is_modern, object_of
from toolglot.mcp.proxy.events import event_of
from toolglot.mcp.proxy.headers import SESSION
from toolglot.mcp.proxy.mux import Mux
from toolglot.mcp.proxy.pending import Policy
from toolglot.mcp.proxy.web import JSON, STREAM
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from anyio.abc import TaskGroup

    from toolglot.mcp.kinds import Command
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.policy import Shelves
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.web import Request

MOST_SESSIONS = 200
IDLE = 3600.0
"""Seconds after which a session of the older era that nobody uses ends."""

_MOST_KEPT = 1000


class Reader:
    """One open answer: what is put is sent in order; `wanted` are the ids it waits for."""

    def __init__(self, wanted: set[bytes]) -> None:
        self.wanted = wanted
        self._items: deque[bytes] = deque(maxlen=_MOST_KEPT * 10)
        self._more = anyio.Event()

    def put(self, raw: bytes) -> None:
        """One message for this reader."""
        self._items.append(raw)
        head = head_of(raw)
        if head is not None and head.is_answer:
            self.wanted.discard(head.key)
        for one in batch_of(raw) or ():
            if (inner := head_of(one)) is not None:
                self.wanted.discard(inner.key)
        self._more.set()

    async def take(self) -> bytes:
        """The next message."""
        while not self._items:
            await self._more.wait()
            self._more = anyio.Event()
        return self._items.popleft()

    @property
    def done(self) -> bool:
        """Whether everything that was wanted has come, and was taken."""
        return not self.wanted and not self._items


async def give(request: Request, reader: Reader, headers: list[tuple[str, str]]) -> None:
    """Send what a reader gets: one JSON answer where that is all, else an event stream."""
    first = await reader.take()
    head = head_of(first)
    if reader.done and (batch_of(first) is not None or (head is not None and head.is_answer)):
        await request.answer(200, first, [JSON, *headers])
        return

    async def rest() -> AsyncGenerator[bytes, None]:
        yield event_of(first)
        while not reader.done:
            yield event_of(await reader.take())

    await request.stream(200, [*STREAM, *headers], rest())


def wanted_of(raw: bytes) -> set[bytes]:
    """The ids of the requests in a body."""
    heads = [head_of(one) for one in batch_of(raw) or [raw]]
    return {head.key for head in heads if head is not None and head.is_request}


class Session:
    """One session of the older era, with a process of its own."""

    def __init__(self, command: Command, policy: Policy, journal: Journal) -> None:
        self.id = uuid4().hex
        self.used = time.monotonic()
        self.upstream = CommandUpstream(command, journal)
        self.conversation = Conversation(policy, self.upstream.put, self._to_client)
        self.readers: list[Reader] = []
        self.listeners: list[Reader] = []
        self.problem: Problem | None = None
        self._kept: deque[bytes] = deque(maxlen=_MOST_KEPT)

    def _to_client(self, raw: bytes) -> None:
        """An answer goes to whoever waits for it; the rest to the open stream, else to any open answer."""
        self.used = time.monotonic()
        head = head_of(raw)
        key = head.key if head is not None and head.is_answer else b""
        for reader in self.readers:
            if (key and key in reader.wanted) or (batch_of(raw) is not None and reader.wanted & wanted_ids(raw)):
                reader.put(raw)
                return
        token = object_of(head.params).get("progressToken") if head is not None else None
        others = [*self.listeners[-1:], *self.readers[-1:]] if token is None else [*self.readers[-1:], *self.listeners]
        if key:
            return  # whoever asked has gone
        if others:
            others[0].put(raw)
        else:
            self._kept.append(raw)

    def listen(self) -> Reader:
        """A reader for what belongs to no answer; it gets what was kept."""
        reader = Reader({b"never"})
        self.listeners.append(reader)
        while self._kept:
            reader.put(self._kept.popleft())
        return reader

    async def run(self) -> None:
        """Run the process until the session ends."""
        try:
            await self.upstream.run(self.conversation, self.upstream.flush)
        except Problem as problem:
            self.problem = problem
            self.conversation.server_lost(f"There is no server: {problem.message}")


def wanted_ids(raw: bytes) -> set[bytes]:
    """The ids that a batch of answers has."""
    return {head.key for one in batch_of(raw) or () if (head := head_of(one)) is not None}


class Commands:
    """All processes of one command behind the HTTP front."""

    def __init__(self, command: Command, settings: Settings, journal: Journal) -> None:
        self._command = command
        self._settings = settings
        self._journal = journal
        self._sessions: dict[str, Session] = {}
        self._shared: CommandUpstream | None = None
        self._mux: Mux | None = None
        self._readers: dict[Conversation, Reader] = {}
        self._shelves: set[Shelves] = set()
        self._streams: set[anyio.CancelScope] = set()

    def start(self, group: TaskGroup) -> None:
        """Processes run in this group from now on."""
        self._group = group
        group.start_soon(self._end_idle)

    def end_streams(self) -> None:
        """End the streams that would stay open for ever."""
        for scope in self._streams:
            scope.cancel()

    async def close(self) -> None:
        """End every process in order."""
        upstreams = [session.upstream for session in self._sessions.values()]
        if self._shared is not None:
            upstreams.append(self._shared)
        async with anyio.create_task_group() as group:
            for upstream in upstreams:
                group.start_soon(upstream.close, lambda: False)

    async def handle(self, request: Request, shelves: Shelves, own: str) -> None:
        """Answer one request."""
        self._shelves.add(shelves)
        if request.method == "POST":
            await self._post(request, shelves)
        elif request.method == "GET":
            await self._listen(request)
        elif request.method == "DELETE":
            await self._delete(request)
        else:
            await request.answer(405, b"", [("allow", "GET, POST, DELETE")])

    async def metadata(self, request: Request, own: str) -> None:
        """A command asks for no authorization."""
        await request.say(404, "the server asks for no authorization")

    async def _post(self, request: Request, shelves: Shelves) -> None:
        body = await request.body()
        head = head_of(body)
        name = request.headers.get(SESSION)
        if name is not None:
            session = self._sessions.get(name)
            if session is None:
                await request.say(404, "there is no such session")
                return
            await self._in_session(request, session, body)
        elif head is not None and head.name == "initialize":
            await self._open(request, shelves, body)
        elif head is not None and is_modern(head.params):
            await self._alone(request, shelves, body)
        else:
            await request.say(400, "a request needs the header Mcp-Session-Id, or the protocol version in its _meta")

    async def _open(self, request: Request, shelves: Shelves, body: bytes) -> None:
        if len(self._sessions) >= MOST_SESSIONS:
            await request.say(503, "there are too many sessions")
            return
        shelf = shelves.of(b"")
        session = Session(self._command, Policy(self._settings, self._journal, lambda _: shelf), self._journal)
        self._sessions[session.id] = session
        self._group.start_soon(self._run, session)
        await self._in_session(request, session, body)

    async def _run(self, session: Session) -> None:
        try:
            await session.run()
        finally:
            self._sessions.pop(session.id, None)

    async def _in_session(self, request: Request, session: Session, body: bytes) -> None:
        session.used = time.monotonic()
        reader = Reader(wanted_of(body))
        if reader.wanted:
            session.readers.append(reader)
        try:
            session.conversation.client_says(body)
            await session.upstream.flush()
            if reader.wanted or not reader.done:
                await give(request, reader, [(SESSION, session.id)])
            else:
                await request.answer(202)
        finally:
            if reader in session.readers:
                session.readers.remove(reader)

    async def _listen(self, request: Request) -> None:
        session = self._sessions.get(request.headers.get(SESSION, ""))
        if session is None:
            await request.answer(405 if SESSION not in request.headers else 404, b"", [("allow", "POST")])
            return
        await request.body()
        reader = session.listen()
        try:
            async with anyio.create_task_group() as group:

                async def end_when_gone() -> None:
                    await request.gone()
                    group.cancel_scope.cancel()

                group.start_soon(end_when_gone)
                self._streams.add(group.cancel_scope)
                await request.start(200, [*STREAM, (SESSION, session.id)])
                await request.piece(b": open\n\n")
                while True:
                    await request.piece(event_of(await reader.take()))
        finally:
            session.listeners.remove(reader)
        await request.finish()

    async def _delete(self, request: Request) -> None:
        session = self._sessions.pop(request.headers.get(SESSION, ""), None)
        if session is None:
            await request.say(404, "there is no such session")
            return
        await session.upstream.close(lambda: False)
        await request.answer(204)

    async def _alone(self, request: Request, shelves: Shelves, body: bytes) -> None:
        """A request of the modern era, on the process that all of them share."""
        mux, upstream = self._shared_line()
        reader = Reader(wanted_of(body))
        shelf = shelves.of(b"")
        policy = Policy(self._settings, self._journal, lambda _: shelf)

        def to_server(raw: bytes) -> None:
            mux.send(conversation, raw)

        conversation = Conversation(policy, to_server, reader.put)
        async with anyio.create_task_group() as group:

            async def end_when_gone() -> None:
                await request.gone()
                group.cancel_scope.cancel()

            group.start_soon(end_when_gone)
            try:
                conversation.client_says(body)
                await upstream.flush()
                await (give(request, reader, []) if reader.wanted or not reader.done else request.answer(202))
            finally:
                conversation.close()
                mux.leave(conversation)
            group.cancel_scope.cancel()

    def _shared_line(self) -> tuple[Mux, CommandUpstream]:
        if self._mux is None or self._shared is None:
            upstream = self._shared = CommandUpstream(self._command, self._journal)
            self._mux = Mux(upstream.put, self._changed)
            self._group.start_soon(self._run_shared, self._mux, upstream)
        return self._mux, self._shared

    async def _run_shared(self, mux: Mux, upstream: CommandUpstream) -> None:
        try:
            await upstream.run(mux, upstream.flush)
        except Problem as problem:
            self._journal.tell(f"{problem.message}. {problem.hint}".rstrip())
            mux.server_lost()
        if self._mux is mux:
            self._mux = self._shared = None

    def _changed(self) -> None:
        for shelves in self._shelves:
            shelves.stale()

    async def _end_idle(self) -> None:
        while True:
            await anyio.sleep(60)
            for session in list(self._sessions.values()):
                if time.monotonic() - session.used > IDLE and not session.listeners and not session.readers:
                    self._sessions.pop(session.id, None)
                    await session.upstream.close(lambda: False)
