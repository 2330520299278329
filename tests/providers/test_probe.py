"""The real SDKs ask an endpoint on this machine whether it takes tools; no key of anybody is needed or sent."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest
from loopback import Sent, endpoint, problems
from sdks import CASES, Case, sdk

from toolglot.cli.app import run
from toolglot.fitting.refusals import explain
from toolglot.fitting.toolset import Toolset
from toolglot.providers.conversation import form_of
from toolglot.providers.probe import APIS, NotAsked, Wanted, api_of, control, line_to
from toolglot.providers.probing import Calls, Part, judge
from toolglot.schema.tool import Tool
from toolglot.targets.load import SHIPPED, Catalogue
from toolglot.targets.model import Target

SECRET = "sk-user-0123456789"
MODULES = {api.form: api.module for api in APIS.values()}
ASKED = [case for case in CASES if case.target in APIS and APIS[case.target].form == case.provider]
EACH = pytest.mark.parametrize("case", ASKED, ids=[f"{case.provider}-{case.target}" for case in ASKED])


@pytest.fixture(autouse=True)
def _nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    """An environment without anybody's keys and endpoints."""
    for name in list(os.environ):
        if name.endswith(("_API_KEY", "_BASE_URL", "_ENDPOINT", "_HOST")) or name.startswith(("AWS_", "TOOLGLOT_")):
            monkeypatch.delenv(name)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "none")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "none")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "us-east-1")


def fine(name: str) -> dict[str, Any]:
    return {**control_tool(), "name": name}


def control_tool() -> dict[str, Any]:
    schema = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
    return {"name": "say", "description": "Says.", "inputSchema": schema}


ODD: dict[str, Any] = {
    "type": "object",
    "properties": {
        "a": {"oneOf": [{"type": "object", "properties": {"b": {"type": ["string", "number"]}}}, {"type": "array"}]},
        "c": {"$ref": "#/definitions/C"},
        "d": {"type": "array", "items": [{"type": "string"}, True]},
        "e": True,
    },
    "definitions": {"C": {"type": "string", "pattern": "a", "minLength": 2}},
    "anyOf": [{"required": ["a"]}, {"required": ["c"]}],
}
"""What nearly everybody refuses."""


def tools() -> list[Tool]:
    odd = {"name": "odd_one", "description": "Odd.", "inputSchema": ODD}
    found = [fine("first"), odd, *(fine(f"t{n}") for n in range(5)), {**odd, "name": "odd_two"}]
    return [Tool.of(one, n) for n, one in enumerate(found)]


@EACH
def test_what_is_fitted_is_accepted(case: Case) -> None:
    sdk(MODULES[case.provider])
    view = Toolset(tools()).normalize(case.target)
    with endpoint(case.wire, case.target) as server, line_to(Wanted(view.target, "m", server.url)) as line:
        verdicts = judge(Part.of(view), Calls(line.ask, 20), control=control(view.target))
        assert [one.status for one in verdicts] == ["accepted"] * len(view.tools), [one.says for one in verdicts]
        assert len(server.requests) == 1
        assert line.host == server.url
        assert line.key_name == ""


@EACH
def test_bad_tools_are_named(case: Case) -> None:
    """The tools as published: those that the target's facts refuse are refused, and what the SDK itself falls over."""
    sdk(MODULES[case.provider])
    target = SHIPPED.target(case.target)
    with endpoint(case.wire, case.target) as server, line_to(Wanted(target, "m", server.url)) as line:
        verdicts = judge(Part.published(tools(), target), Calls(line.ask, 60), control=control(target))
    refused = {one.tool for one in verdicts if one.status == "refused"}
    expected = {one.name for one in tools() if refuses_tool(target, one)}
    assert expected <= refused <= expected | {"odd_one", "odd_two"}
    assert {one.status for one in verdicts} <= {"accepted", "refused"}
    assert all(one.says for one in verdicts if one.status == "refused")


def refuses_tool(target: Target, one: Tool) -> bool:
    """Whether the endpoint refuses a tool as it was published; one for a strict target is sent strict."""
    return any(bad for _, _, bad in problems([Sent("", dict(one.raw), bool(target.fallback))], target))


@contextmanager
def answering(status: int, body: Any) -> Iterator[tuple[str, list[str]]]:
    """An endpoint that gives everybody the same answer; the second value has the headers of each request."""
    heard: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            heard.append(str(self.headers))
            content = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing is logged."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", heard
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


OTHER = [
    (
        401,
        {"error": {"message": f"Incorrect key {SECRET}", "code": 401, "status": "UNAUTHENTICATED"}},
        "the key is not",
    ),
    (429, {"error": {"message": f"too fast, {SECRET}", "code": 429, "status": "RESOURCE_EXHAUSTED"}}, "answered 429"),
    (503, {"error": {"message": "overloaded", "code": 503, "status": "UNAVAILABLE"}}, "answered 503"),
    (404, {"error": {"message": "no model m", "code": 404, "status": "NOT_FOUND"}}, "answered 404"),
]
SOME = ("openai-nonstrict", "anthropic-nonstrict", "gemini-parameters", "groq")


@pytest.mark.parametrize(("status", "body", "message"), OTHER, ids=[str(row[0]) for row in OTHER])
@pytest.mark.parametrize("name", SOME)
def test_other_answers_blame_no_tool_and_show_no_key(
    name: str, status: int, body: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    sdk(APIS[name].module)
    monkeypatch.setenv("MY_KEY", SECRET)
    target = SHIPPED.target(name)
    with (
        answering(status, body) as (url, heard),
        line_to(Wanted(target, "m", url, "MY_KEY")) as line,
        pytest.raises(NotAsked, match=message) as raised,
    ):
        judge(Part.published(tools(), target), Calls(line.ask, 20), control=control(target))
    assert len(heard) == 1
    assert SECRET in heard[0]
    assert SECRET not in str(raised.value)
    assert SECRET not in repr(raised.value)


@pytest.mark.parametrize("name", SOME)
def test_a_key_goes_to_no_other_endpoint(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    sdk(APIS[name].module)
    for variable in APIS[name].keys:
        monkeypatch.setenv(variable, SECRET)
    target = SHIPPED.target(name)
    body = {"error": {"message": "no", "code": 400, "status": "INVALID_ARGUMENT"}}
    with answering(400, body) as (url, heard), line_to(Wanted(target, "m", url)) as line:
        assert line.ask(control(target)) == "no"
    assert SECRET not in "".join(heard)


@pytest.mark.parametrize("name", SOME)
def test_without_a_key_nothing_is_asked(name: str) -> None:
    sdk(APIS[name].module)
    with pytest.raises(NotAsked, match="no key: "), line_to(Wanted(SHIPPED.target(name), "m")):
        raise AssertionError


@pytest.mark.parametrize("name", SOME)
def test_the_usual_variable_is_used_at_the_usual_host(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is sent here: only what would be is looked at."""
    sdk(APIS[name].module)
    monkeypatch.setenv(APIS[name].keys[0], SECRET)
    with line_to(Wanted(SHIPPED.target(name), "m")) as line:
        assert line.host == APIS[name].host
        assert line.key_name == APIS[name].keys[0]


_OPENAI_WORDS = (
    "Invalid schema for function 'odd_one': In context=('properties', 'a', 'oneOf', '1'), array schema missing items."
)
_ANTHROPIC_WORDS = "tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
_GOOGLE_WORDS = (
    'Invalid JSON payload received. Unknown name "oneOf" at \'tools[0].function_declarations[1].parameters'
    ".properties[0].value': Cannot find field."
)
REFUSALS = [
    (
        "openai-nonstrict",
        {"error": {"message": _OPENAI_WORDS, "type": "invalid_request_error", "param": "tools[1].function.parameters"}},
        "/properties/a/oneOf/1",
    ),
    (
        "anthropic-nonstrict",
        {"type": "error", "error": {"type": "invalid_request_error", "message": _ANTHROPIC_WORDS}},
        "",
    ),
    (
        "gemini-parameters-json-schema",
        {"error": {"code": 400, "status": "INVALID_ARGUMENT", "message": _GOOGLE_WORDS}},
        "/properties/a",
    ),
]


@pytest.mark.parametrize(("name", "body", "pointer"), REFUSALS, ids=[row[0] for row in REFUSALS])
def test_the_exception_of_an_sdk_is_explained(name: str, body: Any, pointer: str) -> None:
    """What the SDK raises leads to the place that was published."""
    sdk(APIS[name].module)
    part = Part.published(tools(), SHIPPED.target(name))
    with (
        answering(400, body) as (url, _),
        line_to(Wanted(part.target, "m", url)) as line,
        pytest.raises(Exception, match="400") as raised,
    ):
        line.api.send(line.client, "m", form_of(line.api.form).tools(part))
    (found,) = explain(raised.value, part)
    assert (found.tool, found.pointer, found.sure) == ("odd_one", pointer, True)


def test_what_cannot_be_asked() -> None:
    with pytest.raises(NotAsked, match="claude-code has no API"):
        api_of(SHIPPED.target("claude-code"))
    with pytest.raises(NotAsked, match="has no API"):
        api_of(SHIPPED.target("cursor+openai"))
    own = Catalogue(extra=[{"id": "own", "title": "Own", "kind": "api"}]).target("own")
    assert api_of(own).form == "compatible"


def test_the_sdk_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "anthropic", None)
    with pytest.raises(NotAsked, match=r"anthropic is not installed. pip install 'toolglot\[anthropic\]'"):
        line_to(Wanted(SHIPPED.target("anthropic"), "m")).__enter__()


def test_an_unnamed_place_and_an_unset_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk("openai")
    own = Catalogue(extra=[{"id": "own", "title": "Own", "kind": "api"}]).target("own")
    with pytest.raises(NotAsked, match="Name it with --endpoint"), line_to(Wanted(own, "m")):
        raise AssertionError
    with pytest.raises(NotAsked, match="NO_SUCH is not set"), line_to(Wanted(own, "m", "http://x", "NO_SUCH")):
        raise AssertionError


# The command line, with the one SDK that is installed for development.

GEMINI = next(case for case in CASES if case.target == "gemini-parameters")


@pytest.fixture(name="saved")
def _saved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    Path("tools.json").write_text(json.dumps([dict(one.raw) for one in tools()]))
    return "tools.json"


def command(*args: str) -> int:
    return run(["probe", "--model", "m", "--yes", "--isolated", *args])


def test_the_command(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    sdk("google.genai")
    with endpoint(GEMINI.wire, GEMINI.target) as server:
        assert command(saved, "--for", "gemini-parameters", "--endpoint", server.url) == 0
        said = capsys.readouterr()
        assert (
            f"This sends 8 tools, as toolglot fits them to gemini-parameters, to {server.url} with the model m"
            in said.err
        )
        assert "At most 20 requests." in said.err
        assert "They go with no key, and cost what your provider charges." in said.err
        assert said.out.splitlines()[-1] == f"8 tools at {server.url}: 8 accepted, 0 refused; 1 request."
        assert command(saved, "--for", "gemini-parameters", "--endpoint", server.url, "--as-published", "--json") == 1
        found = json.loads(capsys.readouterr().out)
    assert (found["target"], found["model"], found["host"]) == ("gemini-parameters", "m", server.url)
    assert found["sdk"].startswith("google-genai ")
    assert [row["tool"] for row in found["tools"] if row["status"] == "refused"] == ["odd_one", "odd_two"]
    assert found["requests"] >= len(server.requests) + len(server.refused)


def test_what_is_refused_is_told(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    sdk("google.genai")
    with endpoint(GEMINI.wire, GEMINI.target) as server:
        args = (saved, "--for", "gemini-parameters", "--endpoint", server.url, "--as-published")
        assert command(*args, "--tool", "odd_one,first") == 1
        out = capsys.readouterr().out
        assert "odd_one  refused\n" in out
        assert "first  accepted\n" in out
        assert command(*args, "--max-calls", "1") == 1
        assert "8 not asked (--max-calls)" in capsys.readouterr().out


def test_facts_write_a_patch(saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    sdk("google.genai")
    with endpoint(GEMINI.wire, "gemini-parameters-json-schema") as server:
        code = command(
            "--facts", "gemini-parameters", "--endpoint", server.url, "--max-calls", "500", "-o", "facts.patch"
        )
        assert code == 0, capsys.readouterr().err
        assert "features: " in capsys.readouterr().err
        assert command("--facts", "gemini-parameters", "--endpoint", server.url, "--json") in (0, 1)
    text = Path("facts.patch").read_text()
    assert text.startswith("--- a/src/toolglot/targets/data/google.toml\n")
    assert '+source = "toolglot: probe of m with google-genai ' in text
    found = json.loads(capsys.readouterr().out)
    assert {"feature", "outcome", "says", "others"} == set(found["features"][0])


WRONG = [
    (("tools.json",), "name one target"),
    (("tools.json", "--facts", "openai"), "--facts takes a target and no tools"),
    (("tools.json", "--for", "claude-code"), "has no API that could be asked"),
    (("tools.json", "--for", "opanai"), "unknown target"),
]


@pytest.mark.parametrize(("args", "message"), WRONG, ids=[row[1] for row in WRONG])
def test_wrong_usage(args: tuple[str, ...], message: str, saved: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command(*args) == 2
    assert message in capsys.readouterr().err


def test_nothing_is_sent_unasked(
    saved: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    sdk("google.genai")
    with endpoint(GEMINI.wire, GEMINI.target) as server:
        args = ["probe", saved, "--model", "m", "--for", "gemini-parameters", "--endpoint", server.url, "--isolated"]
        assert run(args) == 2
        assert "--yes sends it without asking" in capsys.readouterr().err
        monkeypatch.setattr("sys.stdin.isatty", lambda: True, raising=False)
        monkeypatch.setattr("click.confirm", lambda *args, **options: False)
        assert run(args) == 1
        assert server.requests == server.refused == []
        monkeypatch.setattr("click.confirm", lambda *args, **options: True)
        assert run(args) == 0
        assert len(server.requests) == 1
