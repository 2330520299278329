"""A model is measured: against an endpoint on this machine whose model does exactly what each schema says."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from toolglot.cli.app import run as command
from toolglot.demo.tools import TOOLS
from toolglot.providers.eval import model_at
from toolglot.providers.eval_tasks import ARMS, Outcome, Row, Task, offered, run, said, score, tasks
from toolglot.providers.probe import NotAsked
from toolglot.schema.tool import Tool
from toolglot.schema.validate import validator
from toolglot.schema.witness import instances
from toolglot.targets.load import SHIPPED

TARGET = SHIPPED.target("portable-strict")
DEMO = [Tool.of(one.published(), n) for n, one in enumerate(TOOLS)]
SECRET = "sk-user-0123456789"

Answer = Any  # a response body, (status, body), or None to hang up


@dataclass
class Server:
    """An endpoint whose answers a function makes of each request; `bodies` and `headers` are what came."""

    answer: Callable[[dict[str, Any]], Answer]
    url: str = ""
    bodies: list[dict[str, Any]] = field(default_factory=list)
    headers: list[str] = field(default_factory=list)


@contextmanager
def serving(answer: Callable[[dict[str, Any]], Answer]) -> Iterator[Server]:
    found = Server(answer)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            found.bodies.append(body)
            found.headers.append(str(self.headers))
            made = found.answer(body)
            status, content = made if isinstance(made, tuple) else (200, made)
            text = content if isinstance(content, bytes) else json.dumps(content).encode()
            self.send_response(status)
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    found.url = f"http://127.0.0.1:{server.server_port}/v1"
    try:
        yield found
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def said_by(message: dict[str, Any]) -> dict[str, Any]:
    usage = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}
    return {
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": "stop"}],
        "usage": usage,
    }


def calling(name: str, arguments: Any) -> dict[str, Any]:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    function = {"name": name, "arguments": text}
    return said_by({"content": None, "tool_calls": [{"id": "call_1", "type": "function", "function": function}]})


@dataclass
class Obedient:
    """A model that says what it was asked for where the schema it was sent lets it, else whatever the schema takes."""

    chosen: list[Task]

    def __call__(self, body: dict[str, Any]) -> dict[str, Any]:
        function = body["tools"][0]["function"]
        prompt = body["messages"][0]["content"]
        if prompt.startswith("Call say with"):
            return calling("say", {"text": "hello"})
        task = next(task for task in self.chosen if task.prompt(function["name"]) == prompt)
        view = offered(task, "ours", TARGET, SHIPPED)
        for form in (task.expected, view.encode(task.tool.name, task.expected)[1] if view else None):
            if form is not None and validator(function["parameters"]).is_valid(form):
                return calling(function["name"], form)
        return calling(function["name"], instances(function["parameters"])[0])


def measured(chosen: list[Task], answer: Callable[[dict[str, Any]], Answer]) -> tuple[list[Row], Server]:
    with serving(answer) as server, model_at(server.url, "m", 7) as model:
        return list(run(chosen, model.play, TARGET, SHIPPED)), server


def test_first_branches_lose_what_the_other_arms_keep() -> None:
    chosen = tasks(DEMO, 40, 7)
    rows, server = measured(chosen, Obedient(chosen))
    sums = score(rows)
    assert list(sums) == list(ARMS)
    assert sums["ours"]["equal"] == sums["published"]["equal"] == len(chosen) == 40
    assert sums["first branch"]["equal"] < len(chosen)
    assert sums["first branch"]["valid_but_other"] > 0
    assert sums["ours"]["turns"] == sums["ours"]["equal_in_first_turn"] == 40
    assert (sums["ours"]["prompt_tokens"], sums["ours"]["completion_tokens"]) == (4000, 400)
    assert {(body["seed"], body["temperature"], body["model"]) for body in server.bodies} == {(7, 0, "m")}


def test_tasks_are_the_same_for_a_seed_and_spread_over_the_tools() -> None:
    one, other = tasks(DEMO, 20, 1), tasks(DEMO, 20, 1)
    assert one == other != tasks(DEMO, 20, 2)
    assert len({task.tool.name for task in one}) == len(DEMO)
    texts = json.dumps([task.expected for task in one])
    assert "549895" in texts
    assert tasks([], 5, 1) == []
    assert tasks([Tool.of({"name": "none", "inputSchema": False})], 5, 1) == []


SAID = [
    (549895, "549895"),
    ("asset", '"asset"'),
    (None, "null"),
    ([], "an empty list"),
    ({}, "an empty object"),
    ({"type": "asset", "id": 5}, 'an object (type "asset", id 5)'),
    ([1, 2, True], "a list (1, 2, true)"),
]


@pytest.mark.parametrize(("value", "words"), SAID)
def test_values_in_words(value: Any, words: str) -> None:
    assert said(value) == words


TOOL = Tool.of({"name": "put", "description": "Puts.", "inputSchema": {
    "type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}})  # fmt: skip
ONE = Task(TOOL, {"n": 1})


def outcome(*answers: Answer) -> tuple[Row, Server]:
    """The outcome of one task in the first arm, with these answers, one after the other."""
    waiting = list(answers)
    with serving(lambda body: waiting.pop(0)) as server, model_at(server.url, "m", 1) as model:
        view = offered(ONE, "published", TARGET, SHIPPED)
        assert view is not None
        return Row(ONE, "published", model.play(ONE, view)), server


def test_the_prompt_tells_the_value() -> None:
    assert ONE.prompt("put") == "Call put once, so that n is 1. Leave out everything else."
    assert Task(TOOL, {}).prompt("put") == "Call put once, without any arguments."


def test_a_wrong_call_gets_one_retry_with_the_error() -> None:
    row, server = outcome(calling("put", {"n": "one"}), calling("put", {"n": 1}))
    assert (row.equal, row.outcome.turns, row.outcome.first) == (True, 2, False)
    assert row.outcome.prompt_tokens == 200
    _, said_, answered = server.bodies[1]["messages"]
    assert said_["tool_calls"][0]["id"] == answered["tool_call_id"] == "call_1"
    assert "/n: " in answered["content"]


BAD = [
    (calling("put", "{"), calling("put", "{")),
    (calling("other", {"n": 1}), calling("put", {"m": 1})),
    (said_by({"content": "I would rather not."}), said_by({"content": "No."})),
]


@pytest.mark.parametrize("answers", BAD)
def test_no_valid_call_in_two_turns(answers: tuple[Answer, ...]) -> None:
    row, server = outcome(*answers)
    assert (row.outcome.given, row.equal, row.outcome.turns) == (None, False, 2)
    assert len(server.bodies) == 2


def test_a_valid_call_that_is_another_one() -> None:
    row, _ = outcome(calling("put", {"n": 2}))
    assert (row.outcome.given, row.equal) == ({"n": 2}, False)
    assert score([row])["published"]["valid_but_other"] == 1


def test_a_refused_tool_is_counted() -> None:
    row, _ = outcome((400, {"error": {"message": "Invalid schema"}}))
    assert row.outcome.refused == "Invalid schema"
    assert score([row])["published"]["refused"] == 1


def test_options_that_an_endpoint_does_not_know_are_dropped() -> None:
    wrong = (400, {"error": {"message": "Unsupported parameter: 'max_tokens' and 'seed'"}})
    row, server = outcome(wrong, calling("put", {"n": 1}))
    assert row.equal
    assert {"max_tokens", "seed"} & server.bodies[1].keys() == set()
    assert server.bodies[1]["temperature"] == 0


def test_a_busy_endpoint_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("time.sleep", lambda seconds: None)
    row, server = outcome((429, {"error": "slow down"}), (503, b"<html>"), calling("put", {"n": 1}))
    assert row.equal
    assert len(server.bodies) == 3


FAILS = [
    ((401, {"error": {"message": f"no such key {SECRET}"}}), "answered 401: no such key \\*\\*\\*"),
    ((404, b"nothing here"), "answered 404: nothing here"),
    ((200, b"<html>"), "the answer is not JSON"),
]


@pytest.mark.parametrize(("answer", "message"), FAILS)
def test_answers_that_end_the_measurement(answer: Answer, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_KEY", SECRET)
    with (
        serving(lambda body: answer) as server,
        model_at(server.url, "m", 1, "MY_KEY") as model,
        pytest.raises(NotAsked, match=message) as raised,
    ):
        model.check(TARGET)
    assert f"Bearer {SECRET}" in server.headers[0]
    assert SECRET not in str(raised.value) + repr(model)


def test_the_model_s_name_is_checked_first() -> None:
    wrong = (400, {"error": {"message": "model m not found"}})
    with serving(lambda body: wrong) as server, model_at(server.url, "m", 1) as model:
        with pytest.raises(NotAsked, match="even the simplest tool is refused: model m not found"):
            model.check(TARGET)
        assert len(server.bodies) == 1


def test_nobody_answers() -> None:
    with serving(lambda body: {}) as server:
        url = server.url
    with model_at(url, "m", 1) as model, pytest.raises(NotAsked, match="ConnectError"):
        model.check(TARGET)


def test_a_key_goes_where_it_belongs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    with serving(lambda body: calling("say", {"text": "hello"})) as server, model_at(server.url, "m", 1) as model:
        model.check(TARGET)
    assert SECRET not in server.headers[0]
    with model_at("https://api.openai.com/v1", "m", 1) as model:
        assert model.client.headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.parametrize("endpoint", ["localhost:8000", "file:///x", "http://", ""])
def test_what_is_no_address(endpoint: str) -> None:
    with pytest.raises(NotAsked, match="is no address"):
        model_at(endpoint, "m", 1).__enter__()


def test_a_variable_that_is_not_set() -> None:
    with pytest.raises(NotAsked, match="NO_SUCH is not set"):
        model_at("http://127.0.0.1:1/v1", "m", 1, "NO_SUCH").__enter__()


def test_no_task_has_no_share() -> None:
    assert score([])["ours"]["equal_share"] is None
    assert score([Row(ONE, "ours", Outcome(unsent=True))])["ours"]["not_sent"] == 1


# The command line


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """Without a source the tools are those of the demo server, and the result says when and of which model it is."""
    monkeypatch.chdir(tmp_path)
    chosen = tasks(DEMO, 12, 3)
    args = ("eval", "--model", "m", "--tasks", "12", "--seed", "3", "--yes", "--isolated")
    with serving(Obedient(chosen)) as server:
        assert command([*args, "--endpoint", server.url]) == 0
        said_ = capsys.readouterr()
        assert command([*args, "--endpoint", server.url, "--json", "-o", "result.json"]) == 0
    assert f"This sends 12 tasks with {len(DEMO)} tools to {server.url} with the model m." in said_.err
    assert "at most 73 requests" in said_.err
    assert "They go without a key" in said_.err
    assert said_.out.splitlines()[3].startswith("ours          100.0 % as asked  (12 equal, ")
    found = json.loads(Path("result.json").read_text())
    assert (found["model"], found["target"], found["seed"], found["requests"]) == ("m", "portable-strict", 3, 37)
    assert len(found["date"]) == 10
    assert len(found["tasks"]) == 36
    assert found["arms"]["ours"]["equal_share"] == 1.0


def test_the_command_with_a_source(tmp_path: Path, monkeypatch: Any, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps([dict(TOOL.raw)]))
    args = ["eval", "tools.json", "--model", "m", "--for", "openai", "--tool", "put", "--isolated"]
    with serving(lambda body: calling(body["tools"][0]["function"]["name"], {"n": 0, "text": "hello"})) as server:
        where = server.url.replace("//", "//user:word@")
        assert command([*args, "--endpoint", where]) == 2
        assert "--yes sends it" in (told := capsys.readouterr().err)
        assert "word" not in told.partition("error:")[0]
        assert server.bodies == []
        assert command([*args, "--endpoint", server.url, "--yes"]) == 0
    assert "ours" in capsys.readouterr().out
