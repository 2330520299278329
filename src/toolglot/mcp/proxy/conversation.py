"""One conversation between a client and a server: `client_says` and `server_says` decide about every message.

It knows no transport: it gets bytes, and puts bytes into two sinks. What is neither a call nor a list goes on as it
came. A call that has to wait for a list of tools waits alone; other messages pass it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from toolglot.errors import JsonError
from toolglot.mcp.proxy.answers import Answers, tell_notes, tell_tally
from toolglot.mcp.proxy.calls import judge
from toolglot.mcp.proxy.envelope import (
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
)
from toolglot.mcp.proxy.pending import Pending, key_of, own_meta, sent
from toolglot.mcp.proxy.questions import OwnQuestions
from toolglot.mcp.proxy.restrict import Closed, check_method, read_closed
from toolglot.mcp.proxy.shelf import Left
from toolglot.mcp.proxy.state import State
from toolglot.mcp.wire import INTERNAL_ERROR, META, Problem, RpcError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Coroutine, Mapping

    from toolglot.mcp.proxy.calls import Verdict
    from toolglot.mcp.proxy.envelope import Head
    from toolglot.mcp.proxy.fitted import Known
    from toolglot.mcp.proxy.pending import Policy
    from toolglot.mcp.proxy.shelf import Ask, Shelf

Sink = Callable[[bytes], None]

LOST = "The server ended before it answered. Whether the request had an effect is not known; it was not sent again."
NOT_SENT = "The server could not be started again. The request was not sent."


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
        self._state = State.of(policy)
        self._to_server = to_server
        self._to_client = to_client
        self.own = OwnQuestions(to_server, wake)
        self._answers = Answers(self._state, self.own)
        self._ask = ask or self.own.ask
        self._wake = wake
        self._settings = policy.settings
        self._held: dict[bytes, asyncio.Task[None]] = {}
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def pending(self) -> dict[bytes, Pending]:
        """The requests that went to the server and have no answer yet, by raw id."""
        return self._state.pending

    @property
    def shelf(self) -> Shelf:
        """The tools as this client knows them."""
        return self._state.shelf

    def resume(self) -> None:
        """Take answers whose requests were made elsewhere: on a stream that is taken up again."""
        self._answers.by_form = True

    # What the client says

    def client_says(self, raw: bytes) -> None:
        """Take one message of the client."""
        if self._settings.restriction:
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
        if method == "initialize" or (method and not self._state.client):
            self._meet(head)
        if method == "notifications/cancelled" and self._cancelled(head):
            return
        if method in ("initialize", "notifications/initialized"):
            self.own.remember(raw, first=method == "initialize")
        if method == "tools/list" and head.key and self._settings.restriction and not self.shelf.is_fresh:
            self._hold(head.key, self._list_after_a_list(raw, head))
        else:
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
        if name and name != self._state.client:
            self._state.client = name
            self._state.look_again()

    def _cancelled(self, head: Head) -> bool:
        """A cancelled request: one that is still held never reaches the server, nor does the notice."""
        key = object_of(head.params).get("requestId", b"")
        task = self._held.pop(key, None)
        if task is not None:
            task.cancel()
            return True
        self.pending.pop(key, None)
        return False

    # What the client says, where the server is restricted

    def _closed(self, raw: bytes) -> None:
        try:
            messages = read_closed(raw)
        except Closed as closed:
            self._refuse(key_of(raw), closed)
            return
        for message in messages:
            try:
                self._judge_closed(message)
            except Closed as closed:
                self._refuse(dump(message["id"]) if message.get("id") is not None else b"", closed)

    def _judge_closed(self, message: dict[str, Any]) -> None:
        """Let one message go on, written anew. Raises Closed."""
        if "method" in message:
            check_method(message)
        raw = dump(message)
        head = head_of(raw)
        assert head is not None
        self._from_client(raw, head)

    def _refuse(self, key: bytes, closed: Closed) -> None:
        self._state.journal.event("refused", reason=closed.message)
        if key or closed.code != -32601:
            self._to_client(error_answer(key, closed.code, closed.message))

    async def _list_after_a_list(self, raw: bytes, head: Head) -> None:
        """Under a restriction nothing is listed before the whole list was read: names may stand on two pages."""
        failed = await self._read_list(object_of(head.params).get("_meta"))
        if failed:
            self._unreadable(head.key, failed)
        else:
            self._pass(raw, head)

    def _unreadable(self, key: bytes, failed: str) -> None:
        said = f"The list of tools could not be read, and this server is restricted here: {failed}"
        self._to_client(error_answer(key, INTERNAL_ERROR, said))

    # Calls

    def _call(self, raw: bytes, head: Head) -> None:
        if not self._state.client:
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
        if known is not None and not self._must_read():
            self._judged(raw, head, params, known)
        else:
            self._hold(head.key, self._after_a_list(raw, head, params, name))

    def _must_read(self) -> bool:
        """Whether a list has to be read before a tool that is known may be called."""
        if self._settings.restriction:
            return not self.shelf.is_fresh
        return self.shelf.stale and self.shelf.may_ask

    def _hold(self, key: bytes, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._held[key] = task
        self._tasks.add(task)
        task.add_done_callback(lambda done: self._let_go(key, done))

    def _let_go(self, key: bytes, done: asyncio.Task[None]) -> None:
        self._tasks.discard(done)
        self._held.pop(key, None)
        if not done.cancelled() and (error := done.exception()) is not None:
            # A fault of ours: the call was not sent, and somebody waits for its answer.
            self._state.journal.tell(f"a call could not be judged ({type(error).__name__}), and was not sent")
            self._to_client(error_answer(key, INTERNAL_ERROR, "The call could not be judged, and was not sent."))
        self._wake()

    async def _after_a_list(self, raw: bytes, head: Head, params: Mapping[str, bytes], name: str) -> None:
        """A call of a tool that is not known (any more): one list is read first, with the caller's credentials."""
        failed = await self._read_list(params.get("_meta"))
        known = self.shelf.find(name)
        if failed and self._settings.restriction:
            self._unreadable(head.key, failed)
        elif known is not None:
            self._judged(raw, head, params, known)
        elif failed:
            self._state.journal.tell(f"the list of tools could not be read ({failed}); a call went on as it came")
            self._pass_call(raw, head, None, None)
        else:
            self._unknown(raw, head, name)

    async def _read_list(self, meta: bytes | None) -> str:
        """Read the list, unless it was read just now; out: why it could not be read, empty where it was.

        Twice at most: what another caller asked for may have ended with that caller, or be for that caller only.
        """
        for _ in range(2):
            shelf = self.shelf
            if not (shelf.may_ask or self._must_read() or shelf.stale):
                return ""
            try:
                page = await shelf.fetch(self._ask, own_meta(meta), self._state.policy.settle)
            except Left:
                continue
            except (Problem, RpcError, JsonError) as error:
                return str(error) or type(error).__name__
            self._state.look_again()
            tell_notes(self._state, page)
            tell_tally(self._state, self.shelf.tally)
            if self.shelf is shelf:
                return ""
        return "" if self.shelf.is_fresh else "whoever asked for it has gone"

    def _unknown(self, raw: bytes, head: Head, name: str) -> None:
        """A tool that no list names."""
        if self._settings.observe:
            self._state.journal.tell("a tool was called that no list names; without --observe it would be refused")
            self._pass_call(raw, head, None, None)
            return
        self._state.journal.called(None, self._state.target, "unknown", 0.0, None, None)
        self._to_client(error_answer(head.key, INVALID_PARAMS, f"Unknown tool: {name[:200]}"))

    def _judged(self, raw: bytes, head: Head, params: Mapping[str, bytes], known: Known) -> None:
        verdict = judge(known, params.get("arguments"), self._settings)
        if verdict.warning:
            self._state.journal.tell(f"{known.shown}: {verdict.warning}")
        if self._settings.observe:
            self._pass_call(raw, head, known, verdict)
        elif verdict.refused and (self._settings.refuse or verdict.gate or self._settings.restriction):
            outcome = "gated" if verdict.gate else "refused"
            self._state.journal.called(known, self._state.target, outcome, 0.0, verdict, params.get("arguments"))
            self._to_client(tool_error(head.key, verdict.refused, modern=is_modern(head.params)))
        else:
            self._pass_call(sent(raw, params, known, verdict), head, known, verdict)

    def _pass_call(self, raw: bytes, head: Head, known: Known | None, verdict: Verdict | None) -> None:
        arguments = object_of(head.params).get("arguments") if self._state.journal.log_arguments else None
        self.pending[head.key] = Pending("tools/call", known=known, verdict=verdict, arguments=arguments)
        self._to_server(raw)

    # What the server says

    def server_says(self, raw: bytes) -> None:
        """Take one message of the server."""
        head = head_of(raw)
        batch = None if head is not None else batch_of(raw)
        if head is not None:
            made = self._answers.one(raw, head)
        else:
            made = raw if batch is None else self._answers.batch(raw, batch)
        if made is not None:
            self._to_client(made)

    # The end

    async def shake_hands(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """Open the session of the older era again. Raises RpcError, Problem."""
        await self.own.shake_hands(send)

    def server_lost(self, said: str = LOST, waiting: Collection[bytes] = ()) -> None:
        """The server is gone: every request that went to it is answered with an error, and never sent again.

        `waiting` are the ids of requests that were not written yet: they stay. The next server may be another one, so
        that the list counts no more.
        """
        self.shelf.outdate()
        for key, pending in list(self.pending.items()):
            if key in waiting:
                continue
            if pending.method == "tools/call":
                seconds = time.perf_counter() - pending.started
                known, verdict, arguments = pending.known, pending.verdict, pending.arguments
                self._state.journal.called(known, self._state.target, "lost", seconds, verdict, arguments)
            del self.pending[key]
            self._to_client(error_answer(key, INTERNAL_ERROR, said))
        self.own.lost(Problem("the server ended"), waiting)

    async def settled(self) -> None:
        """Wait until no call is held any more."""
        while self._tasks:
            await asyncio.wait(list(self._tasks))

    def close(self) -> None:
        """Drop what is held; whoever shares a list that is asked for here asks again."""
        for task in list(self._tasks):
            task.cancel()
        self.own.lost(Left("whoever asked for the list has gone"))
        self._ask = self.own.ask  # that of a caller leads back here: large messages would wait for the collector
