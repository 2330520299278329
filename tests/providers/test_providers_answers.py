"""Answers as they really come: quirks of streams, refused calls, results of every kind. No SDK is needed."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import pytest
from test_providers_loop import OUTCOME, PIXEL, TOOLS, WRITE

from toolglot import Toolset
from toolglot.errors import ToolglotError, UnknownTool
from toolglot.providers import Call, anthropic, bedrock, compatible, google_genai, mistral, ollama, openai_chat
from toolglot.providers import openai_responses as responses
from toolglot.providers.form import Form

VIEW = Toolset(TOOLS).normalize("openai-nonstrict")
NAME = VIEW.names["entries.upsert"]
TEXT = json.dumps(WRITE)


def chunk(*calls: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"choices": [{"index": 0, "delta": {"tool_calls": list(calls)}, "finish_reason": finish}]}


def piece(arguments: Any, **members: Any) -> dict[str, Any]:
    name = members.pop("name", None)
    return {**members, "function": {"arguments": arguments, **({"name": name} if name else {})}}


STREAMS: dict[str, list[dict[str, Any]]] = {
    "as OpenAI": [
        chunk(piece("", index=0, id="a", name=NAME)),
        chunk(piece(TEXT[:9], index=0)),
        chunk(piece(TEXT[9:], index=0)),
        chunk(piece("", index=1, id="b", name="ping")),
        chunk(piece("{}", index=1)),
    ],
    "interleaved": [
        chunk(piece("", index=0, id="a", name=NAME), piece("", index=1, id="b", name="ping")),
        chunk(piece(TEXT[:9], index=0), piece("{", index=1)),
        chunk(piece("}", index=1), piece(TEXT[9:], index=0)),
    ],
    "all numbered 0": [
        chunk(piece(TEXT, index=0, id="a", name=NAME)),
        chunk(piece("{}", index=0, id="b", name="ping")),
    ],
    "no numbers": [chunk(piece(TEXT, id="a", name=NAME)), chunk(piece("{}", id="b", name="ping"))],
    "id and name in each": [
        chunk(piece(TEXT[:9], index=0, id="a", name=NAME)),
        chunk(piece(TEXT[9:], index=0, id="a", name=NAME)),
        chunk(piece("{}", index=1, id="b", name="ping")),
    ],
    "no ids": [chunk(piece(TEXT, index=0, name=NAME)), chunk(piece("{}", index=0, name="ping"))],
    "arguments as an object": [
        chunk(piece(WRITE, index=0, id="a", name=NAME)),
        chunk(piece({}, index=1, id="b", name="ping")),
    ],
    "empty arguments": [
        chunk(piece(TEXT, index=0, id="a", name=NAME)),
        chunk(piece("", index=1, id="b", name="ping"), finish="tool_calls"),
    ],
    "ids that are empty texts": [
        chunk(piece(TEXT[:9], index=0, id="a", name=NAME)),
        chunk(piece(TEXT[9:], index=0, id="")),
        chunk(piece("{}", index=1, id="b", name="ping")),
    ],
}


@pytest.mark.parametrize("events", STREAMS.values(), ids=STREAMS.keys())
def test_streams_of_chat_completions(events: list[dict[str, Any]]) -> None:
    calls = compatible.calls(events, VIEW)
    assert [(call.name, call.arguments, str(call.error)) for call in calls] == [
        ("entries.upsert", WRITE, "None"),
        ("ping", {}, "None"),
    ]
    assert len({call.id for call in calls}) == 2


def test_a_stream_that_breaks_off_is_an_error_of_its_last_call() -> None:
    events = STREAMS["as OpenAI"][:2]
    (call,) = openai_chat.calls(events, VIEW)
    assert "cannot be read" in str(call.error)
    assert call.arguments is None


def test_an_answer_that_was_cut_before_the_first_argument_is_no_call_without_arguments() -> None:
    (call,) = openai_chat.calls([chunk(piece("", index=0, id="a", name="ping"), finish="length")], VIEW)
    assert "cut off" in str(call.error)


def test_reasoning_and_members_of_calls_stay_in_what_was_said() -> None:
    deltas = [{"reasoning_content": "We"}, {"reasoning_content": "ll"}, {"content": "Yes"}]
    events = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    extra = {"extra_content": {"google": {"thought_signature": "c2ln"}}}
    events.append(chunk(piece("{}", index=0, id="a", name="ping", **extra)))
    (message,) = compatible.said(events)
    assert message["reasoning_content"] == "Well"
    assert message["content"] == "Yes"
    assert message["tool_calls"][0]["extra_content"] == extra["extra_content"]


class Refused(Exception):
    """As the SDKs' errors are: the body is that of the answer, or its member `error`."""

    def __init__(self, body: Any, text: str = "Error code: 400") -> None:
        super().__init__(text)
        self.body = body


def groq(generation: str) -> dict[str, Any]:
    message = "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details."
    error = {"message": message, "type": "invalid_request_error", "code": "tool_use_failed"}
    return {"error": {**error, "failed_generation": generation}}


GENERATIONS = [
    f"<function={NAME}>{TEXT}</function>",
    f"<function={NAME}{TEXT}</function>",
    f"{NAME}{TEXT}</function>",
    f'<tool-use>{{"tool_calls": [{{"id": "pending", "type": "function", "function": {{"name": "{NAME}"}}, '
    f'"parameters": {TEXT}}}]}}</tool-use>',
    f'```\n{{"tool_calls": [{{"function": {{"name": "{NAME}", "arguments": {json.dumps(TEXT)}}}}}]}}\n```',
    f'<tool_call>\n{{"name": "{NAME}", "arguments": {TEXT}}}\n</tool_call>',
    f'[{{"name": "{NAME}", "parameters": {TEXT}}}]',
]


@pytest.mark.parametrize("generation", GENERATIONS)
@pytest.mark.parametrize("inner", [False, True], ids=["whole body", "its error"])
def test_a_call_that_groq_refused_is_read_from_its_body(generation: str, inner: bool) -> None:
    body = groq(generation)
    error = Refused(body["error"] if inner else body)
    (call,) = compatible.calls(error, VIEW)
    assert (call.name, call.arguments) == ("entries.upsert", WRITE)
    (said,) = compatible.said(error)
    assert said["tool_calls"][0]["id"] == call.id
    (result,) = compatible.results([call], ["written"])
    assert result == {"role": "tool", "tool_call_id": call.id, "content": "written"}


def test_a_null_that_groq_refused_is_mended() -> None:
    (call,) = compatible.calls(
        Refused(groq(f"<function={NAME}>{json.dumps({**WRITE, 'limit': None})}</function>")), VIEW
    )
    assert call.arguments == WRITE
    assert call.restored is not None
    assert call.restored.mended


@pytest.mark.parametrize("generation", ["", "I cannot do that.", '{"name": ', '{"tool_calls": 3}', "[[[["])
def test_what_cannot_be_read_is_told_to_the_model(generation: str) -> None:
    (call,) = compatible.calls(Refused(groq(generation)), VIEW)
    assert call.orphan
    assert call.error is not None
    (message,) = compatible.results([call])
    assert message["role"] == "user"
    assert "Failed to call a function" in message["content"]


def test_another_error_is_raised_again() -> None:
    with pytest.raises(Refused):
        compatible.calls(Refused({"error": {"code": "rate_limit"}}), VIEW)
    with pytest.raises(Refused):
        openai_chat.calls(Refused(groq(GENERATIONS[0])), VIEW)


class AmazonRefused(Exception):
    """As boto3's ClientError is."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.response = {
            "Error": {"Code": code, "Message": "The model produced an invalid sequence as part of ToolUse."}
        }


ORPHANS: list[tuple[str, Form, Any, str]] = [
    ("gemini", google_genai.FORM, {"candidates": [{"finishReason": "MALFORMED_FUNCTION_CALL"}]}, "MALFORMED"),
    (
        "gemini with a message",
        google_genai.FORM,
        {"candidates": [{"finishReason": "UNEXPECTED_TOOL_CALL", "finishMessage": "Unexpected call: x"}]},
        "Unexpected call: x",
    ),
    (
        "bedrock",
        bedrock.FORM,
        {"output": {"message": {"content": []}}, "stopReason": "malformed_tool_use"},
        "malformed",
    ),
    ("nova", bedrock.FORM, AmazonRefused("ModelErrorException"), "invalid sequence"),
    ("ollama", ollama.FORM, RuntimeError("error parsing tool call: raw='{\"a', err=unexpected end"), "unexpected end"),
]


@pytest.mark.parametrize(("form", "answer", "words"), [row[1:] for row in ORPHANS], ids=[row[0] for row in ORPHANS])
def test_a_call_that_the_provider_refused_itself_is_told_in_a_turn_of_the_user(
    form: Form, answer: Any, words: str
) -> None:
    (call,) = form.calls(answer, VIEW)
    assert call.orphan
    assert words in str(call.error)
    (message,) = form.results([call])
    assert message["role"] == "user"
    assert words in str(message)


def test_arguments_that_google_streams_path_by_path() -> None:
    def part(call: dict[str, Any]) -> dict[str, Any]:
        return {"candidates": [{"content": {"parts": [{"functionCall": call}]}}]}

    events = [
        part({"name": NAME, "id": "x", "willContinue": True}),
        part({"partialArgs": [{"jsonPath": "$.id", "stringValue": "a", "willContinue": True}], "willContinue": True}),
        part({"partialArgs": [{"jsonPath": "$.id", "stringValue": "b"}], "willContinue": True}),
        part({"partialArgs": [{"jsonPath": "$.hero.type", "stringValue": "asset"}], "willContinue": True}),
        part({"partialArgs": [{"jsonPath": "$.hero.asset_id", "numberValue": 5}], "willContinue": True}),
        part({"partialArgs": [{"jsonPath": "$.labels['e.n']", "stringValue": "Hello"}], "willContinue": True}),
        part({}),
        part({"name": "ping", "args": {}}),
    ]
    first, second = google_genai.calls(events, VIEW)
    assert first.arguments == {"id": "ab", "hero": {"type": "asset", "asset_id": 5}, "labels": {"e.n": "Hello"}}
    assert (second.name, second.arguments) == ("ping", {})


def test_lists_that_google_streams_path_by_path() -> None:
    pieces = [{"jsonPath": "$.a[1].b", "boolValue": True}, {"jsonPath": "$.a[0]", "nullValue": "NULL_VALUE"}]
    part = {"functionCall": {"name": "ping", "partialArgs": pieces}}
    (call,) = google_genai.calls([{"candidates": [{"content": {"parts": [part]}}]}], VIEW)
    assert call.asked.arguments == {"a": [None, {"b": True}]}


def test_a_stream_of_responses_that_breaks_off() -> None:
    item = {"type": "function_call", "id": "fc", "call_id": "a", "name": NAME, "arguments": ""}
    events = [
        {"type": "response.created", "response": {"output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.function_call_arguments.delta", "output_index": 0, "delta": TEXT[:9]},
    ]
    (call,) = responses.calls(events, VIEW)
    assert "cut off" in str(call.error)
    assert json.loads(responses.said(events)[0]["arguments"]) == {"INVALID_JSON": TEXT[:9]}


@pytest.mark.parametrize("stop", ["max_tokens", "model_context_window_exceeded"])
def test_a_cut_call_of_anthropic_is_never_run(stop: str) -> None:
    """The API closes the braces of what was cut: it looks whole, and is not."""
    block = {"type": "tool_use", "id": "toolu_1", "name": NAME, "input": WRITE}
    (call,) = anthropic.calls({"content": [block], "stop_reason": stop}, VIEW)
    assert "cut off" in str(call.error)
    (call,) = anthropic.calls({"content": [block], "stop_reason": "tool_use"}, VIEW)
    assert call.arguments == WRITE


def test_a_cut_text_behind_a_call_does_not_spoil_it() -> None:
    blocks = [{"type": "tool_use", "id": "toolu_1", "name": NAME, "input": WRITE}, {"type": "text", "text": "And"}]
    (call,) = anthropic.calls({"content": blocks, "stop_reason": "max_tokens"}, VIEW)
    assert call.error is None


def test_calls_of_mistral_without_ids_get_some() -> None:
    message = {"tool_calls": [{"id": "null", "function": {"name": "ping", "arguments": {}}}] * 2}
    calls = mistral.calls({"choices": [{"message": json.loads(json.dumps(message))}]}, VIEW)
    assert [call.error for call in calls] == [None, None]
    assert all(len(call.asked.id) == 9 for call in calls)
    assert calls[0].id != calls[1].id


@pytest.mark.parametrize("form", [openai_chat.FORM, anthropic.FORM, google_genai.FORM, bedrock.FORM, ollama.FORM])
@pytest.mark.parametrize("response", [{}, [], {"choices": []}, {"content": None}, {"candidates": None}])
def test_an_answer_without_calls(form: Form, response: Any) -> None:
    assert form.calls(response, VIEW) == []
    assert form.results([]) == []


@pytest.mark.parametrize("response", ["text", None, 3])
def test_what_is_no_answer(response: Any) -> None:
    with pytest.raises(ToolglotError, match="is no response"):
        openai_chat.calls(response, VIEW)


def test_an_asynchronous_stream_is_to_be_collected() -> None:
    async def stream() -> Any:
        yield {}

    with pytest.raises(ToolglotError, match="asynchronous"):
        openai_chat.calls(stream(), VIEW)


def one_call(**members: Any) -> Call:
    message = {"tool_calls": [{"id": "call_1", "function": {"name": "ping", "arguments": "{}"}, **members}]}
    (call,) = openai_chat.calls({"choices": [{"message": message}]}, VIEW)
    return call


OUTCOMES: list[tuple[Any, str]] = [
    ("pong", "pong"),
    ({"content": [{"type": "text", "text": "pong"}]}, "pong"),
    ({"content": [{"type": "text", "text": "no"}], "isError": True}, "Error: no"),
    ({"content": [{"type": "text", "text": "Error: no"}], "isError": True}, "Error: no"),
    ({"content": [], "structuredContent": {"a": 1}}, '{"a": 1}'),
    ({"content": [{"type": "text", "text": '{"a":1}'}], "structuredContent": {"a": 1}}, '{"a":1}'),
    ({"content": [{"type": "text", "text": "One."}], "structuredContent": {"a": 1}}, 'One.\n{"a": 1}'),
    ({"a": 1}, '{"a": 1}'),
    ([1, 2], "[1, 2]"),
    (ValueError("it broke"), "Error: it broke"),
    (None, "Error: The call was not made."),
    (
        {"content": [{"type": "resource_link", "uri": "file:///a", "name": "a.txt", "description": "A file"}]},
        "a.txt: A file: file:///a",
    ),
    ({"content": [{"type": "resource", "resource": {"uri": "x:y", "text": "inside"}}]}, "x:y:\ninside"),
    ({"content": [{"type": "later", "x": 1}]}, '{"type": "later", "x": 1}'),
]


@pytest.mark.parametrize(("outcome", "content"), OUTCOMES)
def test_outcomes_as_text(outcome: Any, content: str) -> None:
    (message,) = openai_chat.results([one_call()], [outcome])
    assert message == {"role": "tool", "tool_call_id": "call_1", "content": content}


def test_outcomes_by_the_ids_of_calls() -> None:
    assert openai_chat.results([one_call()], {"call_1": "pong"})[0]["content"] == "pong"


@pytest.mark.parametrize("outcomes", [["a", "b"], "pong"])
def test_as_many_outcomes_as_calls(outcomes: Any) -> None:
    with pytest.raises(ToolglotError, match="1 calls need"):
        openai_chat.results([one_call()], outcomes)


def test_structured_content_is_an_object_where_a_provider_takes_objects() -> None:
    part = {"functionCall": {"name": "ping", "id": "x"}}
    (call,) = google_genai.calls({"candidates": [{"content": {"parts": [part]}}]}, VIEW)

    def response(outcome: Any) -> Any:
        (message,) = google_genai.results([call], [outcome])
        return message["parts"][0]["function_response"]

    assert response({"content": [], "structuredContent": {"a": 1}}) == {
        "id": "x",
        "name": "ping",
        "response": {"output": {"a": 1}},
    }
    with_ref = {"content": [], "structuredContent": {"$ref": "x"}}
    assert response(with_ref)["response"] == {"output": '{"$ref": "x"}'}
    assert response({"content": [{"type": "text", "text": "no"}], "isError": True})["response"] == {"error": "no"}


PDF = {
    "content": [
        {
            "type": "resource",
            "resource": {
                "uri": "file:///r.pdf",
                "mimeType": "application/pdf",
                "blob": base64.b64encode(b"%PDF").decode(),
            },
        }
    ]
}


def test_documents_and_pictures_where_they_can_be_shown() -> None:
    block = {"type": "tool_use", "id": "toolu_1", "name": "ping", "input": {}}
    calls = anthropic.calls({"content": [block], "stop_reason": "tool_use"}, VIEW)
    (message,) = anthropic.results(calls, [PDF])
    assert message["content"][0]["content"][0]["source"]["media_type"] == "application/pdf"
    (message,) = anthropic.results(calls, [OUTCOME])
    kinds = [one["type"] for one in message["content"][0]["content"]]
    assert kinds == ["text", "text", "text", "image", "text"]
    use = {"toolUse": {"toolUseId": "t", "name": "ping", "input": {}}}
    calls = bedrock.calls({"output": {"message": {"content": [use]}}, "stopReason": "tool_use"}, VIEW)
    (message,) = bedrock.results(calls, [PDF])
    document = message["content"][0]["toolResult"]["content"][0]["document"]
    assert document == {"format": "pdf", "name": "r pdf", "source": {"bytes": b"%PDF"}}
    _, message = openai_chat.results([one_call()], [PDF])
    assert message["content"][1]["type"] == "file"
    (message,) = compatible.results([one_call()], [PDF])
    assert "application/pdf file:///r.pdf" in message["content"]
    tool, user = compatible.results([one_call()], [OUTCOME])
    assert "1 of the following pictures" in tool["content"]
    assert user["content"][1]["image_url"]["url"] == f"data:image/png;base64,{PIXEL}"


def test_an_error_of_a_call_says_what_the_model_can_do() -> None:
    message = {"tool_calls": [{"id": "a", "function": {"name": "pong", "arguments": "{}"}}]}
    (call,) = openai_chat.calls({"choices": [{"message": message}]}, VIEW)
    assert isinstance(call.error, UnknownTool)
    (result,) = openai_chat.results([call])
    assert "Did you mean ping?" in result["content"]


def test_calls_of_a_providers_own_tools_are_left_alone() -> None:
    message = {"tool_calls": [{"id": "a", "type": "custom", "custom": {"name": "x", "input": "y"}}]}
    assert openai_chat.calls({"choices": [{"message": message}]}, VIEW) == []
    block = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {}}
    assert anthropic.calls({"content": [block], "stop_reason": "end_turn"}, VIEW) == []
    assert anthropic.said({"content": [block], "stop_reason": "end_turn"})[0]["content"] == [block]


@pytest.mark.parametrize("ids", [(None, None), ("", ""), ("a", "a"), ("a", None)])
def test_calls_without_ids_of_their_own_get_some(ids: tuple[str | None, str | None]) -> None:
    calls = [{"id": id, "function": {"name": "ping", "arguments": "{}"}} for id in ids]
    response = {"choices": [{"message": {"tool_calls": calls}}]}
    (said,) = compatible.said(response)
    first, second = (call["id"] for call in said["tool_calls"])
    assert first != second
    assert [call.id for call in compatible.calls(response, VIEW)] == [first, second]


def test_a_long_text_that_is_no_call_is_read_soon() -> None:
    began = time.monotonic()
    for generation in ("a" * 200_000, "<function=" * 20_000, "{" * 100_000, "a{" * 100_000):
        (call,) = compatible.calls(Refused(groq(generation)), VIEW)
        assert call.error is not None
    assert time.monotonic() - began < 5


def test_an_answer_that_is_nested_too_deeply_is_no_crash() -> None:
    value: Any = {}
    for _ in range(5_000):
        value = {"a": value}
    block = {"type": "tool_use", "id": "toolu_1", "name": "ping", "input": value}
    with pytest.raises(ToolglotError, match="nested too deeply"):
        anthropic.calls({"content": [block], "stop_reason": "tool_use"}, VIEW)
