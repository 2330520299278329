"""Several servers behind one client: names get the prefix of their server, lists are joined, calls find their way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Any

import anyio
import msgspec

from toolglot import __version__
from toolglot.errors import JsonError, parse_json
from toolglot.mcp.proxy.command import never
from toolglot.mcp.proxy.conversation import Conversation
from toolglot.mcp.proxy.envelope import (
    INVALID_PARAMS,
    batch_of,
    dump,
    error_answer,
    head_of,
    join,
    join_list,
    object_of,
    text_of,
    with_parts,
)
from toolglot.mcp.raw import items
from toolglot.mcp.wire import METHOD_NOT_FOUND, Problem

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.mcp.proxy.envelope import Head
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.pending import Policy
    from toolglot.mcp.proxy.stdio_front import Upstream

LISTS = {
    "tools/list": "tools",
    "prompts/list": "prompts",
    "resources/list": "resources",
    "resources/templates/list": "resourceTemplates",
}
"""Methods whose results are joined, and the member that holds the entries."""

_ALL = ("initialize", "server/discover", "logging/setLevel")
_MOST_PAGES = 1000
_ASK_SECONDS = 30.0


@dataclass(slots=True)
class Part:
    """One server: its name, the prefix of its tools and prompts, and the line to it."""

    name: str
    prefix: str
    upstream: Upstream
    policy: Policy
    conversation: Conversation | None = None
    dead: bool = False


class SeveralUpstream:
    """Several servers as one. What cannot be joined or told apart is refused, with the reason."""

    def __init__(self, parts: list[Part], journal: Journal) -> None:
        self._parts = parts
        self._journal = journal
        self._front: Conversation | None = None
        self._numbers = count(1)
        self._waiting: dict[bytes, Callable[[Head], None]] = {}
        self._asked: dict[bytes, tuple[Part, bytes]] = {}
        self._routes: dict[bytes, Part] = {}
        self._uris: dict[str, Part] = {}
        self._queue: list[bytes] = []
        self._closed = anyio.Event()
        self._problem: Problem | None = None

    def put(self, raw: bytes, /) -> None:
        """Take one message of the client."""
        self._queue.append(raw)

    def wake(self) -> None:
        """Give what was put to the servers it is for."""
        if self._front is None:
            return
        while self._queue:
            raw = self._queue.pop(0)
            for one in batch_of(raw) or [raw]:
                self._route(one)
        for part in self._parts:
            part.upstream.wake()

    @property
    def full(self) -> bool:
        """Whether one of the servers is slower than the client."""
        return any(part.upstream.full for part in self._living())

    async def flush(self) -> None:
        """Wait until slow servers have caught up."""
        for part in self._living():
            await part.upstream.flush()

    async def run(
        self,
        conversation: Conversation,
        after: Callable[[], Awaitable[None]],
        full: Callable[[], bool] = never,
    ) -> None:
        """Run all servers until `close`; one that cannot be started is left out, with a note.

        Raises Problem where none can be started.
        """
        self._front = conversation
        self._after = after
        self._full = full
        async with anyio.create_task_group() as group:
            self._group = group
            for part in self._parts:
                part.conversation = self._conversation_of(part)
            for part in self._parts:
                group.start_soon(self._run_part, part)
            self.wake()
            await self._closed.wait()
            group.cancel_scope.cancel()
        if self._problem is not None:
            raise self._problem

    async def close(self, owed: Callable[[], bool]) -> None:
        """End all servers in order."""
        with anyio.move_on_after(10):
            while owed() and not self._closed.is_set():
                await anyio.sleep(0.01)
        async with anyio.create_task_group() as group:
            for part in self._parts:
                group.start_soon(part.upstream.close, lambda: False)
        self._closed.set()

    def _conversation_of(self, part: Part) -> Conversation:
        def to_client(raw: bytes) -> None:
            self._from_part(part, raw)

        return Conversation(part.policy, part.upstream.put, to_client, wake=part.upstream.wake)

    async def _run_part(self, part: Part) -> None:
        assert part.conversation is not None
        try:
            await part.upstream.run(part.conversation, self._after, self._full)
        except Problem as problem:
            part.dead = True
            self._journal.tell(f"{part.name} is left out: {problem.message}. {problem.hint}".rstrip())
            part.conversation.server_lost(f"There is no server {part.name}: {problem.message}")
            await self._after()
            if not self._living() and not self._closed.is_set():
                self._problem = Problem("none of the servers can be started")
                self._closed.set()

    # From the client

    def _route(self, raw: bytes) -> None:
        head = head_of(raw)
        if head is None:
            return
        if not head.name:
            self._answer_to_part(raw, head)
        elif not head.key:
            self._notice(raw, head)
        elif head.name in LISTS or head.name in _ALL:
            self._group.start_soon(self._join, raw, head)
        elif head.name == "ping":
            self._say(b'{"jsonrpc":"2.0","id":' + head.key + b',"result":{}}')
        else:
            self._to_one(raw, head)

    def _answer_to_part(self, raw: bytes, head: Head) -> None:
        found = self._asked.pop(head.key, None)
        if found is not None and found[0].conversation is not None:
            found[0].conversation.client_says(with_parts(raw, id=found[1]))

    def _notice(self, raw: bytes, head: Head) -> None:
        part = self._routes.get(object_of(head.params).get("requestId", b""))
        for one in self._living() if part is None else [part]:
            assert one.conversation is not None
            one.conversation.client_says(raw)

    def _to_one(self, raw: bytes, head: Head) -> None:
        params = object_of(head.params)
        if head.name not in _NAMING:
            said = f"{head.name[:100]} is not passed on: it does not say which of several servers it is for"
            self._say(error_answer(head.key, METHOD_NOT_FOUND, said))
            return
        part, raw = self._meant(raw, head, params)
        if part is None or part.conversation is None:
            self._say(error_answer(head.key, INVALID_PARAMS, "none of the servers has what is named"))
            return
        self._routes[head.key] = part
        part.conversation.client_says(raw)

    def _meant(self, raw: bytes, head: Head, params: Mapping[str, bytes]) -> tuple[Part | None, bytes]:
        """The server that a request is for, and the request as it knows it."""
        name = text_of(params.get("name")) or ""
        if head.name == "tools/call":
            listed = (p for p in self._living() if p.conversation and p.conversation.shelf.find(name))
            return next(listed, None) or self._by_prefix(name), raw
        if head.name == "prompts/get":
            part = self._by_prefix(name)
            short = name.removeprefix(part.prefix) if part else name
            return part, with_parts(raw, params=join({**params, "name": dump(short)}))
        if head.name == "completion/complete":
            return self._completed(raw, params)
        uri = text_of(params.get("uri")) or ""
        return self._uris.get(uri) or self._only(), raw

    def _completed(self, raw: bytes, params: Mapping[str, bytes]) -> tuple[Part | None, bytes]:
        ref = object_of(params.get("ref"))
        name = text_of(ref.get("name"))
        if name is None:
            return self._uris.get(text_of(ref.get("uri")) or "") or self._only(), raw
        part = self._by_prefix(name)
        short = join({**ref, "name": dump(name.removeprefix(part.prefix) if part else name)})
        return part, with_parts(raw, params=join({**params, "ref": short}))

    def _by_prefix(self, name: str) -> Part | None:
        fitting = [part for part in self._living() if name.startswith(part.prefix)]
        return max(fitting, key=lambda part: len(part.prefix), default=None)

    def _only(self) -> Part | None:
        living = self._living()
        return living[0] if len(living) == 1 else None

    def _living(self) -> list[Part]:
        return [part for part in self._parts if not part.dead]

    # Joined answers

    async def _join(self, raw: bytes, head: Head) -> None:
        found: dict[str, list[dict[str, bytes]]] = {}
        errors: list[str] = []

        async def one(part: Part) -> None:
            try:
                found[part.name] = await self._pages(part, raw, head)
            except Problem as problem:
                errors.append(problem.message)
                if head.name == "tools/list":
                    self._journal.tell(f"the tools of {part.name} are missing: {problem.message}")

        async with anyio.create_task_group() as group:
            for part in self._living():
                group.start_soon(one, part)
        results = [(part, page) for part in self._parts for page in found.get(part.name, ())]
        if not results:
            said = errors[0] if errors else "no server is there"
            self._say(error_answer(head.key, METHOD_NOT_FOUND, said))
        elif head.name in LISTS:
            self._say(_answer(head.key, self._listed(head.name, results)))
        else:
            self._say(_answer(head.key, _hello(head.name, results)))
        await self._after()

    async def _pages(self, part: Part, raw: bytes, head: Head) -> list[dict[str, bytes]]:
        """All pages that one server has. Raises Problem for an error, or no answer."""
        pages: list[dict[str, bytes]] = []
        params = {key: value for key, value in object_of(head.params).items() if key != "cursor"}
        for _ in range(_MOST_PAGES):
            page = await self._ask(part, with_parts(raw, params=join(params)) if params else raw)
            pages.append(page)
            cursor = text_of(page.get("nextCursor"))
            if head.name not in LISTS or not cursor:
                return pages
            params["cursor"] = dump(cursor)
        raise Problem(f"a list of {part.name} does not end")

    async def _ask(self, part: Part, raw: bytes) -> dict[str, bytes]:
        assert part.conversation is not None
        key = dump(f"all-{next(self._numbers)}")
        done = anyio.Event()
        answers: list[Head] = []

        def take(head: Head) -> None:
            answers.append(head)
            done.set()

        self._waiting[key] = take
        part.conversation.client_says(with_parts(raw, id=key))
        part.upstream.wake()
        with anyio.move_on_after(_ASK_SECONDS):
            await done.wait()
        self._waiting.pop(key, None)
        if not answers or answers[0].result is msgspec.UNSET:
            raise Problem(f"{part.name} does not answer" if not answers else f"{part.name} answers with an error")
        return object_of(answers[0].result)

    def _listed(self, method: str, results: list[tuple[Part, dict[str, bytes]]]) -> bytes:
        member = LISTS[method]
        entries: list[bytes] = []
        for part, page in results:
            listed = items(page[member]) if page.get(member, b"")[:1] == b"[" else []
            entries += [self._entry(method, part, entry) for entry in listed]
        rest = {key: value for key, value in results[0][1].items() if key not in (member, "nextCursor")}
        return join({**rest, **_caching([page for _, page in results]), member: join_list(entries)})

    def _entry(self, method: str, part: Part, entry: bytes) -> bytes:
        """Prompts get the prefix here, tools got it where they were made fit; whose a resource is, is kept."""
        parts = object_of(entry)
        name, uri = text_of(parts.get("name")), text_of(parts.get("uri"))
        if uri is not None:
            self._uris[uri] = part
        return with_parts(entry, name=dump(part.prefix + name)) if method == "prompts/list" and name else entry

    # From the servers

    def _from_part(self, part: Part, raw: bytes) -> None:
        head = head_of(raw)
        if head is None:
            return
        if head.name and head.key:
            new = dump(f"{part.prefix}{next(self._numbers)}")
            self._asked[new] = (part, head.key)
            self._say(with_parts(raw, id=new))
            return
        waiting = self._waiting.pop(head.key, None) if head.is_answer else None
        if waiting is not None:
            waiting(head)
            return
        self._routes.pop(head.key, None)
        self._say(raw)

    def _say(self, raw: bytes) -> None:
        assert self._front is not None
        self._front.server_says(raw)


_NAMING = (
    *("tools/call", "prompts/get", "completion/complete", "resources/read", "resources/subscribe"),
    "resources/unsubscribe",
)


def _answer(key: bytes, result: bytes) -> bytes:
    return b'{"jsonrpc":"2.0","id":' + key + b',"result":' + result + b"}"


def _caching(pages: list[dict[str, bytes]]) -> dict[str, bytes]:
    """How long a joined list counts, and for whom: as its strictest part says."""
    found: dict[str, bytes] = {}
    if all("ttlMs" in page for page in pages):
        with suppress(ValueError):
            found["ttlMs"] = min((page["ttlMs"] for page in pages), key=float)
    scopes = {text_of(page.get("cacheScope")) for page in pages}
    if scopes - {"public", None}:
        found["cacheScope"] = b'"private"'
    return found


def _hello(method: str, results: list[tuple[Part, dict[str, bytes]]]) -> bytes:
    """What all servers say of themselves, as one: what any of them can is offered."""
    first = dict(results[0][1])
    if method == "logging/setLevel":
        return join(first)
    able: dict[str, Any] = {}
    for _, page in results:
        try:
            able |= {key: value for key, value in _mapping(page.get("capabilities")).items() if key not in able}
        except JsonError:
            continue
    said = [text for _, page in results if (text := text_of(page.get("instructions")))]
    first["capabilities"] = dump({key: value for key, value in able.items() if key != "tasks"})
    if said:
        first["instructions"] = dump("\n\n".join(said))
    if method == "initialize":
        versions = [v for _, page in results if (v := text_of(page.get("protocolVersion")))]
        first["protocolVersion"] = dump(min(versions))
        first["serverInfo"] = dump({"name": "toolglot", "version": __version__})
    return join(first)


def _mapping(raw: bytes | None) -> dict[str, Any]:
    value = parse_json(raw or b"{}")
    return value if isinstance(value, dict) else {}
