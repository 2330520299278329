"""The whole loop with each provider's own SDK: tools out, calls in, results out."""

from __future__ import annotations

import json
from typing import Any

import pytest
from loopback import Answer, Ask, endpoint
from sdks import CASES, Case

from toolglot import Toolset
from toolglot.fitting.toolset import View
from toolglot.targets.accept import name_problem
from toolglot.targets.load import SHIPPED

EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.provider}-{case.target}")
BOTH = pytest.mark.parametrize("stream", [False, True], ids=["plain", "stream"])

TOOLS: list[dict[str, Any]] = [
    {
        "name": "entries.upsert",
        "description": "Writes an entry.",
        "inputSchema": {
            "type": "object",
            "properties": {
                "id": {"type": "string"},
                "hero": {
                    "anyOf": [
                        {
                            "type": "object",
                            "properties": {"type": {"const": "string"}, "value": {"type": "string"}},
                            "required": ["type", "value"],
                            "additionalProperties": False,
                        },
                        {
                            "type": "object",
                            "properties": {"type": {"const": "asset"}, "asset_id": {"type": "integer"}},
                            "required": ["type", "asset_id"],
                            "additionalProperties": False,
                        },
                    ]
                },
                "labels": {"type": "object", "additionalProperties": {"type": "string"}},
                "limit": {"type": "integer", "minimum": 1},
            },
            "required": ["id", "hero"],
            "additionalProperties": False,
        },
    },
    {"name": "ping", "description": "Answers.", "inputSchema": {"type": "object"}},
    {"name": "bare"},
]
WRITE = {"id": "a", "hero": {"type": "asset", "asset_id": 549895}, "labels": {"en": "Hello"}}
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg=="
OUTCOME = {
    "content": [
        {"type": "text", "text": "written"},
        {"type": "image", "data": PIXEL, "mimeType": "image/png"},
        {"type": "resource", "resource": {"uri": "file:///log.txt", "mimeType": "text/plain", "text": "line one"}},
        {"type": "resource", "resource": {"uri": "file:///a.bin", "mimeType": "application/x-own", "blob": "UklGRg=="}},
    ],
    "structuredContent": {"written": 1, "kind": "asset"},
}


def view_of(case: Case) -> View:
    return Toolset(TOOLS).normalize(case.target)


def ask(case: Case, view: View, name: str, arguments: Any, number: int) -> Ask:
    wire, encoded = view.encode(name, arguments)
    return Ask(wire, encoded, case.id.format(number))


@EACH
@BOTH
def test_calls_arrive_and_results_go_back(case: Case, stream: bool) -> None:
    view = view_of(case)
    asks = (ask(case, view, "entries.upsert", WRITE, 1), ask(case, view, "ping", {}, 2))
    with endpoint(case.wire, case.target, Answer(asks, text="I write."), Answer(text="Done.")) as server:
        messages: list[Any] = [case.user("Write the entry.")]
        tools = case.form.tools(view)
        response = case.ask(server.url, tools, messages, stream)
        calls = case.form.calls(response, view)
        assert [(call.name, call.arguments, call.error) for call in calls] == [
            ("entries.upsert", WRITE, None),
            ("ping", {}, None),
        ]
        assert len({call.id for call in calls}) == 2
        messages += case.form.said(response)
        messages += case.form.results(calls, [OUTCOME, {"content": [{"type": "text", "text": "no"}], "isError": True}])
        response = case.ask(server.url, tools, messages, stream)
        assert case.form.calls(response, view) == []
        assert server.refused == []
        told = json.dumps(server.requests[1])
        assert all(word in told for word in ("written", "line one", PIXEL, "application/x-own", "cannot be shown"))
        assert "asset" in told


@EACH
@BOTH
def test_a_wrong_call_is_an_error_of_that_call_alone(case: Case, stream: bool) -> None:
    view = view_of(case)
    wrong = (
        Ask(view.names["entries.upsert"], {"id": "a"}, case.id.format(1)),
        Ask("no_such_tool", {}, case.id.format(2)),
        ask(case, view, "ping", {}, 3),
    )
    with endpoint(case.wire, case.target, Answer(wrong), Answer(text="Done.")) as server:
        messages: list[Any] = [case.user("Write the entry.")]
        response = case.ask(server.url, case.form.tools(view), messages, stream)
        calls = case.form.calls(response, view)
        assert [call.name for call in calls] == ["entries.upsert", "no_such_tool", "ping"]
        assert "hero" in str(calls[0].error)
        assert "unknown tool" in str(calls[1].error)
        assert calls[2].error is None
        messages += [*case.form.said(response), *case.form.results(calls, [None, None, "pong"])]
        case.ask(server.url, case.form.tools(view), messages, stream)
        told = json.dumps(server.requests[1])
        assert all(word in told for word in ("hero", "unknown tool", "pong"))


BREAKABLE = [
    pytest.param(case, stream, id=f"{case.provider}-{case.target}-{'stream' if stream else 'plain'}")
    for case in CASES
    for stream in (False, True)
    if case.can_break(stream)
]


@pytest.mark.parametrize(("case", "stream"), BREAKABLE)
@pytest.mark.parametrize("cut", [False, True], ids=["broken", "cut"])
def test_arguments_that_are_no_json_are_an_error_of_that_call(case: Case, stream: bool, cut: bool) -> None:
    view = view_of(case)
    text = '{"id": "a", "hero": {"type": "ass'
    asks = (ask(case, view, "ping", {}, 1), Ask(view.names["entries.upsert"], text, case.id.format(2)))
    with endpoint(case.wire, case.target, Answer(asks, cut=cut), Answer(text="Done.")) as server:
        messages: list[Any] = [case.user("Write the entry.")]
        response = case.ask(server.url, case.form.tools(view), messages, stream)
        calls = case.form.calls(response, view)
        assert (calls[0].name, calls[0].error) == ("ping", None)
        assert calls[1].name == "entries.upsert"
        assert ("cut off" if cut else "cannot be read") in str(calls[1].error)
        messages += [*case.form.said(response), *case.form.results(calls, ["pong", None])]
        case.ask(server.url, case.form.tools(view), messages, stream)
        assert server.refused == []
        assert ("cut off" if cut else "cannot be read") in json.dumps(server.requests[1])


@EACH
def test_tools_are_a_fresh_copy_and_the_same_bytes(case: Case) -> None:
    view = view_of(case)
    first, second = case.form.tools(view), case.form.tools(view)
    assert json.dumps(first) == json.dumps(second)
    before = json.dumps(first)
    _spoil(first)
    assert json.dumps(case.form.tools(view)) == before == json.dumps(case.form.tools(view_of(case)))


def _spoil(value: Any) -> None:
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        _spoil(item)
    if isinstance(value, (dict, list)):
        value.clear()


@EACH
def test_no_tools_are_an_empty_list(case: Case) -> None:
    assert case.form.tools(Toolset([]).normalize(case.target)) == []


def refuses_names(case: Case) -> bool:
    rule = SHIPPED.target(case.target).tool_name
    return rule is not None and rule.effect == "refused" and bool(name_problem("no good name", rule))


RULED = [case for case in CASES if refuses_names(case)]


@pytest.mark.parametrize("case", RULED, ids=lambda case: f"{case.provider}-{case.target}")
def test_what_a_fact_says_is_refused_is_refused(case: Case) -> None:
    """The endpoint is no yes-man."""
    view = view_of(case)
    tools = case.form.tools(view)
    with endpoint(case.wire, case.target) as server:
        broken = json.loads(json.dumps(tools).replace(view.names["ping"], "no good name"))
        with pytest.raises(Exception, match=r"400|no good name|ValidationException|422|Function name was"):
            case.ask(server.url, broken, [case.user("Hello")], False)
        assert server.refused


WHOLE = [case for case in CASES if case.provider != "ollama"]


@pytest.mark.parametrize("case", WHOLE, ids=lambda case: f"{case.provider}-{case.target}")
def test_the_sdk_sends_what_was_written(case: Case) -> None:
    """Nothing gets lost on the way: the tools that arrive are those of the view."""
    view = view_of(case)
    with endpoint(case.wire, case.target) as server:
        case.ask(server.url, case.form.tools(view), [case.user("Hello")])
        arrived = [sent.tool for sent in case.wire.tools(server.requests[0])]
    for tool, n in zip(arrived, view.tools, strict=True):
        assert tool["name"] == n.name
        assert tool["description"] == n.description
        properties = (n.schema or {}).get("properties", {})
        assert tool.get("inputSchema", {}).get("properties", {}) == properties


def test_what_ollamas_own_sdk_drops_is_said_in_words() -> None:
    """Its type of a parameter has no place for a union: the shape is in the description."""
    (case,) = [case for case in CASES if case.provider == "ollama"]
    view = view_of(case)
    with endpoint(case.wire, case.target) as server:
        case.ask(server.url, case.form.tools(view), [case.user("Hello")])
        arrived = case.wire.tools(server.requests[0])[0].tool["inputSchema"]["properties"]
    assert arrived["id"] == {"type": "string"}
    assert "anyOf" not in arrived["hero"]
    assert "asset_id: integer" in arrived["hero"]["description"]
