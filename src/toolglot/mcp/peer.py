"""One conversation over a stream of messages: matches answers to questions, and answers the server's own."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import anyio

from toolglot.errors import JsonError
from toolglot.mcp.text import clean
from toolglot.mcp.wire import CANCEL_SECONDS, NoAnswer, NotSent, Problem, deaf, decode, error_reply

if TYPE_CHECKING:
    from toolglot.mcp.wire import Message, Request


_ID = re.compile(rb'"id"\s*:\s*"?(\d+)')


@dataclass(slots=True)
class _Question:
    method: str
    done: anyio.Event = field(default_factory=anyio.Event)
    answer: Message | None = None
    failure: Problem | None = None


class Peer:
    """An Exchange over any pair of "send one message" and "here is one message".

    A transport calls `deliver` for each incoming text and `close` when nothing more can come.
    """

    def __init__(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        self._send = send
        self._open: dict[bytes, _Question] = {}
        self._last = 0
        self._gone: Problem | None = None
        self.lost = anyio.Event()
        self.on_notice: Callable[[str], None] = deaf
        self.answered = False
        self.noise = 0
        self.last_noise = b""

    async def ask(self, request: Request, *, within: float | None = None) -> bytes:
        """Send a request and wait for its answer, see `wire.Exchange`."""
        if self._gone is not None:
            raise NotSent(self._gone.message, self._gone.hint)
        self._last += 1
        number = self._last
        raw = request.encode(number)
        question = self._open[str(number).encode()] = _Question(request.method)
        try:
            await self._send_or_close(raw)
            with anyio.move_on_after(within):
                await question.done.wait()
        except anyio.get_cancelled_exc_class():
            await self._cancel(number, request)
            raise
        return self._answer(question)

    def _answer(self, question: _Question) -> bytes:
        if question.answer is not None:
            return question.answer.answer()
        raise question.failure or self._gone or NoAnswer(f"no answer to `{question.method}`")

    async def _cancel(self, number: int, request: Request) -> None:
        """Forget a question that nobody waits for any more, and tell the server where the request says so."""
        self._open.pop(str(number).encode(), None)
        if request.cancels:
            with anyio.move_on_after(CANCEL_SECONDS, shield=True):
                await self.tell(request.cancelled(number))

    async def tell(self, request: Request) -> None:
        """Send a notification, see `wire.Exchange`."""
        if self._gone is None:
            await self._send_or_close(request.encode(None))

    async def listen(self) -> None:
        """Everything comes over the one line."""

    async def deliver(self, raw: bytes) -> None:
        """Take one incoming text: an answer, a request of the server, a notification, or noise.

        What is no message is counted. A broken message is the end of the question it answers; where that cannot be
        told it ends the conversation, since an answer is lost.
        """
        try:
            messages = decode(raw)
        except JsonError as error:
            messages = ()
            if raw.lstrip().startswith(b"{") and b'"jsonrpc"' in raw:
                self._take_broken(raw, Problem(f"the server sent a broken message: {error}"))
        if not messages:
            self.noise += 1
            self.last_noise = raw[:1000]
        for message in messages:
            await self._take(message)

    def close(self, problem: Problem) -> None:
        """Nothing more will come; every open question ends with the problem. The first call counts."""
        if self._gone is None:
            self._gone = problem
            self.lost.set()
            for question in self._open.values():
                question.done.set()

    @property
    def problem(self) -> Problem:
        """Why nothing more will come."""
        return self._gone or Problem("the connection is open")

    def noise_note(self) -> str:
        """A sentence about output that was no message, for the case that nothing else came."""
        if self.answered or not self.noise:
            return ""
        shown = clean(self.last_noise.decode("utf-8", "replace"), 200)
        lines = "line that is no message" if self.noise == 1 else "lines that are no messages, the last"
        return f"Its standard output had {self.noise} {lines}: {shown}"

    async def _take(self, message: Message) -> None:
        self.answered = True
        if message.method:
            if message.id:
                await self._send_or_close(error_reply(message))
            else:
                self.on_notice(message.method)
            return
        question = self._open.pop(message.answers, None)
        if question is None and not message.answers and message.error and len(self._open) == 1:
            # A server that could not read a request answers with an error without id.
            question = self._open.pop(next(iter(self._open)))
        if question is not None:
            question.answer = message
            question.done.set()

    def _take_broken(self, raw: bytes, problem: Problem) -> None:
        found = _ID.findall(raw)
        question = self._open.pop(found[0], None) if len(found) == 1 else None
        if question is None and len(self._open) == 1:
            question = self._open.pop(next(iter(self._open)))
        if question is None:
            self.close(problem)
            return
        question.failure = problem
        question.done.set()

    async def _send_or_close(self, raw: bytes) -> None:
        try:
            await self._send(raw)
        except (anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            # The reading side sees the end of the stream and knows more about why.
            return
