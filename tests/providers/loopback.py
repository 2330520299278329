"""An endpoint on this machine that refuses tools as a provider does: whole request, 400, in that provider's words.

What is refused is decided by the target's facts (`toolglot.targets.accept`) alone. It answers with the calls that a
test hands it, plain or as a stream, and it refuses a conversation whose calls and results do not fit together.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from toolglot.fitting.budgets import budgets, counts_of, exceeded, most_tools
from toolglot.targets.accept import Violation, accept
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Fact, Limit, Target


@dataclass(frozen=True)
class Ask:
    """A call that the model makes; `arguments` is an object, or the text that the model wrote."""

    name: str
    arguments: Any
    id: str = ""

    @property
    def text(self) -> str:
        return self.arguments if isinstance(self.arguments, str) else json.dumps(self.arguments)

    @property
    def object(self) -> Any:
        return self.arguments if not isinstance(self.arguments, str) else {}


@dataclass(frozen=True)
class Answer:
    """What the model says: text and calls; `cut` where it ran out of tokens; `error` is a body to send instead."""

    asks: tuple[Ask, ...] = ()
    text: str = ""
    cut: bool = False
    error: tuple[int, dict[str, Any]] | None = None
    own: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Sent:
    """One tool of a request: `place` is how the provider names it, `tool` is it as a server would publish it."""

    place: str
    tool: dict[str, Any]
    strict: bool = False


@dataclass(frozen=True)
class Wire:
    """How one provider's requests are read and its answers written.

    `tools` and `talk` read a request: the tools, and who said what as (role, ids of calls, ids of results).
    `refusal` is a body for a message; `plain` and `stream` write an answer, `stream` with its content type.
    """

    tools: Callable[[dict[str, Any]], list[Sent]]
    talk: Callable[[dict[str, Any]], list[tuple[str, list[str], list[str]]]]
    refusal: Callable[[str, str], tuple[int, dict[str, Any]]]
    plain: Callable[[Answer], dict[str, Any]]
    stream: Callable[[Answer], tuple[str, bytes]]
    streams: Callable[[str, dict[str, Any]], bool]
    messages: Callable[[dict[str, Any]], Iterator[str]] = lambda body: iter(())


@dataclass
class Endpoint:
    """A running endpoint.

    `requests` are the bodies it took, `refused` its words for those it did not, `changed` what it took and would have
    changed without a word, at the cost of arguments.
    """

    url: str
    wire: Wire
    target: Target
    answers: list[Answer] = field(default_factory=list)
    requests: list[dict[str, Any]] = field(default_factory=list)
    refused: list[str] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)

    def handle(self, path: str, body: dict[str, Any]) -> tuple[int, str, bytes]:
        found = list(problems(self.wire.tools(body), self.target))
        self.changed += [f"{place}: {problem}" for place, problem, refuses in found if not refuses]
        wrong = ((place, problem) for place, problem, refuses in found if refuses)
        for place, problem in (*wrong, *self.talk(body)):
            self.refused.append(f"{place}: {problem}")
            status, refusal = self.wire.refusal(place, problem)
            return status, "application/json", json.dumps(refusal).encode()
        self.requests.append(body)
        answer = self.answers.pop(0) if self.answers else Answer(text="Done.")
        if answer.error is not None:
            return answer.error[0], "application/json", json.dumps(answer.error[1]).encode()
        if self.wire.streams(path, body):
            return (200, *self.wire.stream(answer))
        return 200, "application/json", json.dumps(self.wire.plain(answer)).encode()

    def talk(self, body: dict[str, Any]) -> Iterator[tuple[str, str]]:
        """What is wrong with the conversation: a call without its result in the next turn, a result without a call."""
        for problem in self.wire.messages(body):
            yield "messages", problem
        open_calls: list[str] = []
        for role, calls, results in self.wire.talk(body):
            for result in results:
                if result not in open_calls:
                    yield "messages", f"a result for {result!r} without a call in the turn before it"
                else:
                    open_calls.remove(result)
            if open_calls and (role == "assistant" or not results):
                yield "messages", f"calls without a result: {', '.join(open_calls)}"
            open_calls += calls
        if open_calls:
            yield "messages", f"calls without a result: {', '.join(open_calls)}"


def problems(tools: list[Sent], target: Target) -> Iterator[tuple[str, str, bool]]:
    """What a target has against the tools of a request: place, words, and whether it refuses or only changes them."""
    twin = SHIPPED.target(target.fallback) if target.fallback else target
    most = most_tools(target, twin)
    if most is not None and len(tools) > most.value and not most.proof.disputed:
        yield "tools", most.proof.says or f"more than {most.value} tools", True
    for one in tools:
        own = target if one.strict or not target.fallback else twin
        for found in accept(one.tool, own):
            yield one.place, words(found), refuses(found)
    for own in (target, twin) if target.fallback else (target,):
        limits = budgets(own)
        counted = [t.tool for t in tools if not target.fallback or t.strict == (own is target)]
        for limit in exceeded([counts_of(tool, limits) for tool in counted], limits):
            yield "tools", limit.proof.says or f"more than {limit.value} {limit.unit}", True


def refuses(found: Violation) -> bool:
    """Whether a target answers with an error; else it goes on with another schema than was sent."""
    rejected = isinstance(found.statement, Fact) and found.statement.status == "rejected"
    return rejected or found.effect in ("refused", "tool-lost")


def words(found: Violation) -> str:
    """The target's own words for what it refuses, where they are known."""
    statement = found.statement
    own = statement.proof.says
    if isinstance(statement, Limit):
        return own or f"{found.what}: {found.measured} is more than {statement.value} {statement.unit}"
    return own or f"{found.what} is not supported {found.measured}".strip()


@contextmanager
def endpoint(wire: Wire, target: str, *answers: Answer) -> Iterator[Endpoint]:
    """A running endpoint for one target; it is gone when the block ends."""
    found = Endpoint("", wire, SHIPPED.target(target), list(answers))

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            try:
                status, kind, content = found.handle(self.path, body)
            except Exception as error:
                status, kind, content = (
                    500,
                    "application/json",
                    json.dumps({"error": {"message": f"the endpoint failed: {error!r}"}}).encode(),
                )
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def events(items: list[Any], *, named: bool = False, done: bool = True) -> tuple[str, bytes]:
    """Server-sent events, one for each item; `named` with its type as the name of the event."""
    lines = [
        f"event: {item['type']}\ndata: {json.dumps(item)}\n\n" if named else f"data: {json.dumps(item)}\n\n"
        for item in items
    ]
    return "text/event-stream", "".join([*lines, "data: [DONE]\n\n" if done else ""]).encode()


def pieces(text: str) -> list[str]:
    """A text in pieces, as a stream brings it."""
    third = max(1, len(text) // 3)
    return [text[start : start + third] for start in range(0, len(text), third)]
