"""From HTTP to a command: a process for each session of the older era, one for all requests of the modern one."""

from __future__ import annotations

import time
from collections import deque
from typing import TYPE_CHECKING
from uuid import uuid4

import anyio

from toolglot.mcp.proxy.command import CommandUpstream
from toolglot.mcp.proxy.conversation import Conversation
from toolglot.mcp.proxy.envelope import INVALID_PARAMS, batch_of, error_answer, head_of, is_modern, object_of
from toolglot.mcp.proxy.events import event_of
from toolglot.mcp.proxy.headers import SESSION
from toolglot.mcp.proxy.mux import Mux
from toolglot.mcp.proxy.readers import MOST_WAITING, Reader, give, ids_of, wanted_of
from toolglot.mcp.proxy.repeats import HEADER_MISMATCH, mismatch, status_of
from toolglot.mcp.proxy.web import JSON, STREAM, Gone
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from anyio.abc import TaskGroup

    from toolglot.mcp.kinds import Command
    from toolglot.mcp.proxy.envelope import Head
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.pending import Policy
    from toolglot.mcp.proxy.policy import Shelves
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.web import Request

MOST_SESSIONS = 200
IDLE = 3600.0
"""Seconds after which a session of the older era that nobody uses ends."""

LISTEN = "subscriptions/listen"
"""The request of the modern era whose answer stays open for ever."""

_MOST_KEPT = 1000


class Session:
    """One session of the older era, with a process of its own."""

    def __init__(self, name: str, command: Command, policy: Policy, journal: Journal) -> None:
        self.id = name
        self.used = time.monotonic()
        self.upstream = CommandUpstream(command, journal)
        self.conversation = Conversation(policy, self.upstream.put, self._to_client)
        self.readers: list[Reader] = []
        self.listeners: list[Reader] = []
        self._speaking: Reader | None = None
        self._kept: deque[bytes] = deque(maxlen=_MOST_KEPT)

    def client_says(self, body: bytes, reader: Reader) -> None:
        """Take one body; a refusal that has no id goes to who sent it."""
        self._speaking = reader
        try:
            self.conversation.client_says(body)
        finally:
            self._speaking = None

    def _to_client(self, raw: bytes) -> None:
        """An answer goes to whoever waits for it; the rest to the open stream, else to any open answer."""
        self.used = time.monotonic()
        head = head_of(raw)
        if head is not None and head.is_answer:
            self._answer(raw, {head.key})
        elif (batch := batch_of(raw)) is not None:
            self._answer(raw, ids_of(batch))
        else:
            self._notice(raw, head)

    def _answer(self, raw: bytes, keys: set[bytes]) -> None:
        if keys == {b""} and self._speaking is not None:
            self._speaking.put(raw)
            return
        for reader in self.readers:
            if reader.wanted & keys:
                reader.put(raw)
                return
        # Whoever asked has gone.

    def _notice(self, raw: bytes, head: Head | None) -> None:
        token = object_of(head.params).get("progressToken") if head is not None else None
        others = [*self.listeners[-1:], *self.readers[-1:]] if token is None else [*self.readers[-1:], *self.listeners]
        if others:
            others[0].put(raw)
        else:
            self._kept.append(raw)
            while sum(map(len, self._kept)) > MOST_WAITING:
                self._kept.popleft()

    def listen(self) -> Reader:
        """A reader for what belongs to no answer; it gets what was kept."""
        reader = Reader({b"never"})
        self.listeners.append(reader)
        while self._kept:
            reader.put(self._kept.popleft())
        return reader

    async def run(self) -> None:
        """Run the process until the session ends; then everything that is open ends too."""
        said = "The session has ended. Whether the request had an effect is not known."
        try:
            await self.upstream.run(self.conversation, self._drained, self._is_full)
        except Problem as problem:
            said = f"There is no server: {problem.message}"
        finally:
            self.conversation.server_lost(said)
            self.conversation.close()
            for reader in self.listeners:
                reader.end()

    def _is_full(self) -> bool:
        return any(reader.full for reader in (*self.readers, *self.listeners))

    async def _drained(self) -> None:
        """Wait for slow readers: meanwhile the server waits too. One that takes nothing at all is given up."""
        while self._is_full():
            for reader in (*self.readers, *self.listeners):
                if reader.stalled:
                    reader.cut()
            await anyio.sleep(0.02)


class Commands:
    """All processes of one command behind the HTTP front. `prefix` is the beginning of the names of its sessions."""

    def __init__(self, command: Command, settings: Settings, journal: Journal, prefix: str = "") -> None:
        self._command = command
        self._settings = settings
        self._journal = journal
        self._prefix = prefix
        self._sessions: dict[str, Session] = {}
        self._shared: CommandUpstream | None = None
        self._mux: Mux | None = None
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
        for session in self._sessions.values():
            for reader in session.listeners:
                reader.end()

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
        elif head is not None and is_modern(head.params):
            await self._alone(request, shelves, body)
        elif head is not None and head.name == "initialize":
            await self._open(request, shelves, body)
        else:
            said = "a request needs the header Mcp-Session-Id, or the protocol version in its _meta"
            await _refuse(request, head, INVALID_PARAMS, said)

    # Sessions of the older era

    async def _open(self, request: Request, shelves: Shelves, body: bytes) -> None:
        if len(self._sessions) >= MOST_SESSIONS:
            await request.say(503, "there are too many sessions")
            return
        policy = shelves.session(self._settings, self._journal)
        session = Session(f"{self._prefix}{uuid4().hex}", self._command, policy, self._journal)
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

        async def work() -> None:
            session.client_says(body, reader)
            await session.upstream.flush()
            if reader.done:
                await request.answer(202)
            else:
                await give(request, reader, [(SESSION, session.id)])

        session.readers.append(reader)
        try:
            # A client that goes has not cancelled anything in the older era: the server goes on.
            await request.while_there(work, reader.scopes)
        finally:
            session.readers.remove(reader)

    async def _listen(self, request: Request) -> None:
        session = self._sessions.get(request.headers.get(SESSION, ""))
        if session is None:
            await request.answer(405 if SESSION not in request.headers else 404, b"", [("allow", "POST")])
            return
        await request.body()
        reader = session.listen()

        async def work() -> None:
            await request.start(200, [*STREAM, (SESSION, session.id)])
            await request.piece(b": open\n\n")
            try:
                while True:
                    await request.piece(event_of(await reader.take()))
            except Gone:
                await request.finish()

        try:
            await request.while_there(work, reader.scopes)
        finally:
            session.listeners.remove(reader)

    async def _delete(self, request: Request) -> None:
        session = self._sessions.pop(request.headers.get(SESSION, ""), None)
        if session is None:
            await request.say(404, "there is no such session")
            return
        await session.upstream.close(lambda: False)
        await request.answer(204)

    async def _end_idle(self) -> None:
        while True:
            await anyio.sleep(60)
            for session in list(self._sessions.values()):
                if time.monotonic() - session.used > IDLE and not session.listeners and not session.readers:
                    self._sessions.pop(session.id, None)
                    await session.upstream.close(lambda: False)

    # Requests of the modern era

    async def _alone(self, request: Request, shelves: Shelves, body: bytes) -> None:
        """A request of the modern era, on the process that all of them share."""
        head = head_of(body)
        policy = shelves.policy(b"", self._settings, self._journal)
        if wrong := mismatch(request.pairs, body, policy.shelf_of(None)):
            await _refuse(request, head, HEADER_MISMATCH, wrong)
            return
        mux, upstream = self._shared_line()
        reader = Reader(wanted_of(body))

        def to_server(raw: bytes) -> None:
            mux.send(conversation, raw)

        def to_client(raw: bytes) -> None:
            reader.put(raw)
            if reader.full:
                reader.cut()  # all share the server: nobody may hold it up

        async def work() -> None:
            conversation.client_says(body)
            await upstream.flush()
            await (request.answer(202) if reader.done else give(request, reader, [], status_of))

        conversation = Conversation(policy, to_server, to_client)
        endless = head is not None and head.name == LISTEN
        try:
            await request.while_there(work, reader.scopes, self._streams if endless else None)
        finally:
            conversation.close()
            mux.leave(conversation)

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
            mux.server_lost(f"There is no server: {problem.message}")
        if self._mux is mux:
            self._mux = self._shared = None

    def _changed(self) -> None:
        for shelves in self._shelves:
            shelves.outdate()


async def _refuse(request: Request, head: Head | None, code: int, said: str) -> None:
    """Answer a request that is wrong over HTTP, before a server sees it."""
    await request.answer(400, error_answer(b"" if head is None else head.key, code, said), [JSON])
