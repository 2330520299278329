"""One conversation between a client and a server: `client_says` and `server_says` decide about every message.

It knows no transport: it gets bytes, and puts bytes into two sinks. What is neither a call nor a list goes on as it
came. A call that has to wait for a list of tools waits alone; other messages pass it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec

from toolglot.errors import JsonError
from toolglot.mcp.proxy.calls import judge
from toolglot.mcp.proxy.envelope import (
    INTERNAL_ERROR,
    INVALID_PARAMS,
    batch_of,
    dump,
    error_answer,
    head_of,
    is_modern,
    join_list,
    object_of,
    text_of,
    tool_error,
    with_meta,
    with_parts,
)
from toolglot.mcp.proxy.fitted import tools_of
from toolglot.mcp.proxy.pending import Pending, key_of, own_meta, sent
from toolglot.mcp.proxy.questions import OwnQuestions
from toolglot.mcp.proxy.restrict import Closed, check_method, read_closed
from toolglot.mcp.wire import META, Problem, RpcError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Mapping

    from toolglot.mcp.proxy.calls import Verdict
    from toolglot.mcp.proxy.envelope import Head
    from toolglot.mcp.proxy.fitted import Known, Page
    from toolglot.mcp.proxy.pending import Policy
    from toolglot.mcp.proxy.shelf import Ask

Sink = Callable[[bytes], None]

RESTORED = "io.toolglot/restored"
"""The member of a result's `_meta` that says what was done to the arguments: kinds and places, no values."""

LOST = "The server ended before it answered. Whether the request had an effect is not known; it was not sent again."


class Conversation:
    """One client and one server.

    `ask` reads a page of the list for ourselves; None: over the same line. `wake` is called when something was put
    into a sink outside of `client_says` and `server_says`.
    """

    def __init__(
        self,
        policy: Policy,
        to_server: Sink,
        to_client: Sink,
        ask: Ask | None = None,
        wake: Callable[[], None] = lambda: None,
    ) -> None:
        self.settings = policy.settings
        self.journal = policy.journal
        self.pending: dict[bytes, Pending] = {}
        self.shelf = policy.shelf_of(None)
        self._policy = policy
        self._to_server = to_server
        self._to_client = to_client
        self.own = OwnQuestions(to_server, wake)
        self._ask = ask or self.own.ask
        self._wake = wake
        self.resumed = False
        """A stream that is taken up again: its answers have no request here, and a list is known by its form."""
        self._client: str = ""
        self._held: dict[bytes, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def target(self) -> str:
        """The id of the target, for logs; `none` where there is none."""
        found = self.shelf.fitter.target
        return found.id if found else "none"

    # What the client says

    def client_says(self, raw: bytes) -> None:
        """Take one message of the client."""
        if self.settings.restriction:
            self._closed(raw)
            return
        head = head_of(raw)
        if head is not None:
            self._from_client(raw, head)
        elif (batch := batch_of(raw)) is not None:
            self._batch(raw, batch)
        else:
            self._to_server(raw)

    def _batch(self, raw: bytes, batch: list[bytes]) -> None:
        """A batch goes on as it came, unless one of its members changes or waits."""
        kept, sink, sent = self._to_server, list[bytes](), list[bytes]()
        self._to_server = sink.append
        try:
            for one in batch:
                head = head_of(one)
                sent.append(one)
                if head is None:
                    sink.append(one)
                else:
                    self._from_client(one, head)
        finally:
            self._to_server = kept
        if sink:
            self._to_server(raw if sink == sent else join_list(sink))

    def _from_client(self, raw: bytes, head: Head) -> None:
        method = head.name
        if method == "tools/call" and head.key:
            self._call(raw, head)
            return
        if method == "initialize" or (method and not self._client):
            self._meet(head)
        if method == "notifications/cancelled" and self._cancelled(head):
            return
        if method in ("initialize", "notifications/initialized"):
            self.own.remember(raw, first=method == "initialize")
        self._pass(raw, head)

    def _pass(self, raw: bytes, head: Head) -> None:
        if head.is_request:
            first = head.name != "tools/list" or "cursor" not in object_of(head.params)
            self.pending[head.key] = Pending(head.name, first_page=first)
        self._to_server(raw)

    def _meet(self, head: Head) -> None:
        """Learn who the client is, where it says so: `--for auto` goes by that."""
        params = object_of(head.params)
        info = params.get("clientInfo") or object_of(params.get("_meta")).get(f"{META}clientInfo")
        name = text_of(object_of(info).get("name"))
        if name and name != self._client:
            self._client = name
            self.shelf = self._policy.shelf_of(name)

    def _cancelled(self, head: Head) -> bool:
        """A cancelled request: one that is still held never reaches the server, nor does the notice."""
        key = object_of(head.params).get("requestId", b"")
        task = self._held.pop(key, None)
        if task is not None:
            task.cancel()
            return True
        self.pending.pop(key, None)
        return False

    # Calls

    def _call(self, raw: bytes, head: Head) -> None:
        if not self._client:
            self._meet(head)
        if self.shelf.fitter.idle:
            self._pass_call(raw, head, None, None)
            return
        params = object_of(head.params)
        name = text_of(params.get("name"))
        if name is None:
            self._pass(raw, head)
            return
        known = self.shelf.find(name)
        if known is not None and not (self.shelf.stale and self.shelf.may_ask):
            self._judged(raw, head, params, known)
        else:
            self._hold(head.key, self._after_a_list(raw, head, params, name))

    def _hold(self, key: bytes, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._held[key] = task
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        task.add_done_callback(lambda _: self._held.pop(key, None))
        task.add_done_callback(lambda _: self._wake())

    async def _after_a_list(self, raw: bytes, head: Head, params: Mapping[str, bytes], name: str) -> None:
        """A call of a tool that is not known (any more): one list is read first, with the caller's credentials."""
        failed = ""
        if self.shelf.may_ask or not self.shelf.is_fresh:
            failed = await self._fetch(params.get("_meta"))
        known = self.shelf.find(name)
        if known is not None:
            self._judged(raw, head, params, known)
        elif failed:
            self.journal.tell(f"the list of tools could not be read ({failed}); a call went on as it came")
            self._pass_call(raw, head, None, None)
        else:
            self._unknown(head.key, name)

    async def _fetch(self, meta: bytes | None) -> str:
        """Read the list; out: why it could not be read, empty where it was."""
        if not self.shelf.may_ask and not self.shelf.stale and not self.settings.restriction:
            return ""
        try:
            page = await self.shelf.fetch(self._ask, own_meta(meta))
        except (Problem, RpcError, JsonError) as error:
            return str(error) or type(error).__name__
        self._tell(page)
        return ""

    def _unknown(self, key: bytes, name: str) -> None:
        if self.settings.observe:
            return
        self.journal.called(None, self.target, "unknown", 0.0, None, None)
        self._to_client(error_answer(key, INVALID_PARAMS, f"Unknown tool: {name[:200]}"))

    def _judged(self, raw: bytes, head: Head, params: Mapping[str, bytes], known: Known) -> None:
        verdict = judge(known, params.get("arguments"), self.settings)
        if verdict.warning:
            self.journal.tell(f"{known.shown}: {verdict.warning}")
        if self.settings.observe:
            self._pass_call(raw, head, known, verdict)
        elif verdict.refused and (self.settings.refuse or verdict.gate or self.settings.restriction):
            outcome = "gated" if verdict.gate else "refused"
            self.journal.called(known, self.target, outcome, 0.0, verdict, params.get("arguments"))
            self._to_client(tool_error(head.key, verdict.refused, modern=is_modern(head.params)))
        else:
            self._pass_call(sent(raw, params, known, verdict), head, known, verdict)

    def _pass_call(self, raw: bytes, head: Head, known: Known | None, verdict: Verdict | None) -> None:
        arguments = object_of(head.params).get("arguments") if self.journal.log_arguments else None
        self.pending[head.key] = Pending("tools/call", known=known, verdict=verdict, arguments=arguments)
        self._to_server(raw)

    # What the client says, where the server is restricted

    def _closed(self, raw: bytes) -> None:
        try:
            messages = read_closed(raw)
        except Closed as closed:
            self._refuse(key_of(raw), closed)
            return
        for message in messages:
            key = dump(message["id"]) if message.get("id") is not None else b""
            try:
                self._closed_one(message, key)
            except Closed as closed:
                self._refuse(key, closed)

    def _refuse(self, key: bytes, closed: Closed) -> None:
        self.journal.event("refused", reason=closed.message)
        if key or closed.code != -32601:
            self._to_client(error_answer(key, closed.code, closed.message))

    def _closed_one(self, message: dict[str, Any], key: bytes) -> None:
        raw = dump(message)
        head = head_of(raw)
        assert head is not None
        if "method" not in message:
            self._to_server(raw)
            return
        check_method(message)
        if message["method"] in ("tools/call", "tools/list") and key:
            if not self._client:
                self._meet(head)
            if self.shelf.is_fresh:
                self._closed_tools(raw, head)
            else:
                self._hold(key, self._closed_after_a_list(raw, head))
        else:
            self._from_client(raw, head)

    async def _closed_after_a_list(self, raw: bytes, head: Head) -> None:
        """Under a restriction nothing is called or listed before the whole list was read."""
        failed = await self._fetch(object_of(head.params).get("_meta"))
        if failed:
            said = f"The list of tools could not be read, and this server is restricted here: {failed}"
            self._to_client(error_answer(head.key, INTERNAL_ERROR, said))
        else:
            self._closed_tools(raw, head)

    def _closed_tools(self, raw: bytes, head: Head) -> None:
        if head.name == "tools/list":
            self._pass(raw, head)
            return
        params = object_of(head.params)
        name = text_of(params.get("name")) or ""
        known = self.shelf.find(name)
        if known is None:
            self._unknown(head.key, name)
        else:
            self._judged(raw, head, params, known)

    # What the server says

    def server_says(self, raw: bytes) -> None:
        """Take one message of the server."""
        head = head_of(raw)
        if head is not None:
            made = self._from_server(raw, head)
            if made is not None:
                self._to_client(made)
            return
        batch = batch_of(raw)
        self._to_client(raw if batch is None else self._batch_from_server(raw, batch))

    def _batch_from_server(self, raw: bytes, batch: list[bytes]) -> bytes:
        made = [self._from_server(one, head) if (head := head_of(one)) else one for one in batch]
        return raw if made == batch else join_list([one for one in made if one is not None])

    def _from_server(self, raw: bytes, head: Head) -> bytes | None:
        """What the client gets instead of a message; None: nothing."""
        if head.name:
            if head.name == "notifications/tools/list_changed":
                self.shelf.stale = True
            return raw
        key = head.key
        if self.own.take(key, head):
            return None
        pending = self._take(key)
        if pending is None and self.resumed and head.result is not msgspec.UNSET:
            return self._list_result(raw, bytes(head.result))
        if pending is None:
            return raw
        if pending.method == "tools/list" and head.result is not msgspec.UNSET:
            return self._list_result(raw, bytes(head.result))
        if pending.method == "tools/call":
            return self._call_result(raw, head, pending)
        return raw

    def _take(self, key: bytes) -> Pending | None:
        found = self.pending.pop(key, None)
        # Some servers answer 1 with "1", and the other way round.
        return found or self.pending.pop(key.strip(b'"'), None) or self.pending.pop(b'"' + key + b'"', None)

    def _list_result(self, raw: bytes, result: bytes) -> bytes:
        found = tools_of(result)
        if found is None or self.shelf.fitter.idle:
            return raw
        try:
            page = self.shelf.fitter.page(found[0], self.shelf.doubled)
        except JsonError as error:
            self.journal.tell(f"the list of tools cannot be read: {error}")
            return raw if not self.settings.restriction else with_parts(raw, result=with_parts(result, tools=b"[]"))
        if not self.settings.restriction:
            self.shelf.learn(page)
            if found[1] is None:
                self.shelf.stale = False
        self.shelf.public = text_of(object_of(result).get("cacheScope")) == "public"
        self._tell(page)
        self.journal.listed(page, self.target)
        if page.raw is None or self.settings.observe:
            return raw
        return with_parts(raw, result=with_parts(result, tools=page.raw))

    def _tell(self, page: Page) -> None:
        """Say once what the target makes of the list."""
        for note in page.notes:
            self.journal.tell(f"{note.tool or 'an entry without a name'}: {note.text}")
        renamed = ", ".join(f"{shown} is {wire}" for shown, wire in list(page.renamed.items())[:20])
        said = f"{self.target}: {page.alone} of {len(page.known)} tools left alone"
        said += f", {page.hidden} hidden" if page.hidden else ""
        self.journal.tell(f"{said}; renamed: {renamed or 'none'}")

    def _call_result(self, raw: bytes, head: Head, pending: Pending) -> bytes:
        seconds = time.perf_counter() - pending.started
        verdict = pending.verdict
        outcome = "passed" if head.result is not msgspec.UNSET else "error"
        if self.settings.observe and verdict and (verdict.refused or verdict.restored):
            outcome = "would be refused" if verdict.refused else "would be changed"
        self.journal.called(pending.known, self.target, outcome, seconds, verdict, pending.arguments)
        if head.result is msgspec.UNSET or verdict is None or self.settings.observe or not verdict.restored:
            return raw
        with suppress(JsonError):
            return with_parts(raw, result=with_meta(bytes(head.result), RESTORED, verdict.restored))
        return raw

    # The end

    async def shake_hands(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Open the session of the older era again. Raises RpcError, Problem."""
        await self.own.shake_hands(send)

    def server_lost(self, said: str = LOST) -> None:
        """The server is gone: every request that went to it is answered with an error, and never sent again."""
        for key, pending in list(self.pending.items()):
            if pending.method == "tools/call":
                seconds = time.perf_counter() - pending.started
                self.journal.called(pending.known, self.target, "lost", seconds, pending.verdict, pending.arguments)
            self._to_client(error_answer(key, INTERNAL_ERROR, said))
        self.pending.clear()
        self.own.lost()

    async def settled(self) -> None:
        """Wait until no call is held any more."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    def close(self) -> None:
        """Drop what is held."""
        for task in list(self._tasks):
            task.cancel()
