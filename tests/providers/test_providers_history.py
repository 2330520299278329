"""A conversation begun with one provider goes on with another, whatever the two are."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from loopback import Answer, Ask, endpoint
from sdks import CASES, Case
from test_providers_loop import OUTCOME, WRITE, view_of

from toolglot.providers import history
from toolglot.providers.conversation import NAMES, UnknownProvider, form_of
from toolglot.providers.parts import Answered, Asked, Text, Turn

ONE_EACH = [next(case for case in reversed(CASES) if case.provider == name) for name in NAMES]
PAIRS = list(itertools.product(ONE_EACH, repeat=2))


def own_messages(case: Case, response: Any) -> list[Any]:
    """The model's messages as users of this SDK append them: its own objects."""
    if case.provider == "openai_responses":
        return list(response.output)
    if case.provider == "anthropic":
        return [{"role": "assistant", "content": response.content}]
    if case.provider == "google_genai":
        return [response.candidates[0].content]
    if case.provider == "bedrock":
        return [response["output"]["message"]]
    return [response.message if case.provider == "ollama" else response.choices[0].message]


def conversation(case: Case) -> list[Any]:
    """A real one: text, two calls of one tool at once, a call that was wrong, a call to a tool that is not there."""
    view = view_of(case)
    wire, encoded = view.encode("entries.upsert", WRITE)
    asks = (
        Ask(wire, encoded, case.id.format(1)),
        Ask(view.names["ping"], {}, case.id.format(2)),
        Ask(wire, {"id": "b"}, case.id.format(3)),
        Ask("gone", {"x": 1}, case.id.format(4)),
    )
    messages: list[Any] = [case.user("Write the entry.")]
    with endpoint(case.wire, case.target, Answer(asks, text="I write."), Answer(text="All done.")) as server:
        for outcomes in ([OUTCOME, "pong", None, None], []):
            response = case.ask(server.url, case.form.tools(view), messages)
            calls = case.form.calls(response, view)
            messages += [*own_messages(case, response), *case.form.results(calls, outcomes)]
        assert server.refused == []
    return [*messages, case.user("Thanks.")]


@pytest.mark.parametrize(("old", "new"), PAIRS, ids=[f"{a.provider}-{b.provider}" for a, b in PAIRS])
def test_a_conversation_goes_on(old: Case, new: Case) -> None:
    before, after = view_of(old), view_of(new)
    messages = history(conversation(old), (old.provider, before), (new.provider, after))
    with endpoint(new.wire, new.target) as server:
        new.ask(server.url, new.form.tools(after), messages)
        assert server.refused == []
        told = json.dumps(server.requests[0])
    assert all(word in told for word in ("Write the entry.", "I write.", "All done.", "Thanks.", "pong", "line one"))
    asked = [part for turn in new.form.read(messages) for part in turn.parts if isinstance(part, Asked)]
    wire, encoded = after.encode("entries.upsert", WRITE)
    assert [(one.name, one.arguments) for one in asked[:2]] == [(wire, encoded), (after.names["ping"], {})]
    assert (asked[2].name, asked[2].arguments) == (wire, {"id": "b"})
    assert asked[3].arguments == {"x": 1}
    answers = [part for turn in new.form.read(messages) for part in turn.parts if isinstance(part, Answered)]
    assert len(answers) == 4
    assert "written" in str(answers[0].parts)
    assert "hero" in str(answers[2].parts)


SYSTEM = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hello"}]


@pytest.mark.parametrize("case", ONE_EACH, ids=lambda case: case.provider)
def test_system_texts_go_where_the_provider_wants_them(case: Case) -> None:
    found = history(SYSTEM, ("openai_chat", view_of(CASES[0])), (case.provider, view_of(case)))
    apart = case.provider in ("anthropic", "google_genai", "bedrock")
    assert (found.system == "Be brief.") is apart
    assert ("Be brief." in str(list(found))) is not apart
    back = history(list(found), (case.provider, view_of(case)), ("openai_chat", view_of(CASES[0])), system=found.system)
    assert list(back) == SYSTEM


@pytest.mark.parametrize("case", ONE_EACH, ids=lambda case: case.provider)
def test_a_call_that_nobody_answered_gets_a_result_unless_it_is_the_last(case: Case) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "ping", "arguments": "{}"}}
    asked = {"role": "assistant", "content": None, "tool_calls": [call]}
    sides = (("openai_chat", view_of(CASES[0])), (case.provider, view_of(case)))
    later = history([*SYSTEM, asked, {"role": "user", "content": "Stop."}], *sides)
    assert "The call was not made." in str(list(later))
    assert "The call was not made." not in str(list(history([*SYSTEM, asked], *sides)))


@pytest.mark.parametrize("case", ONE_EACH, ids=lambda case: case.provider)
def test_arguments_that_are_no_json_travel_as_text(case: Case) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "ping", "arguments": '{"a": '}}
    messages = [*SYSTEM, {"role": "assistant", "content": None, "tool_calls": [call]}]
    found = history(messages, ("openai_chat", view_of(CASES[0])), (case.provider, view_of(case)))
    (asked,) = [part for turn in case.form.read(found) for part in turn.parts if isinstance(part, Asked)]
    assert asked.arguments == '{"a": '
    assert "INVALID_JSON" in str(list(found))


OWN = {"anthropic": ("c2ln",), "google_genai": ("signed \\xff",), "openai_responses": ("rs_1", "fc_0")}


@pytest.mark.parametrize("case", [case for case in ONE_EACH if case.provider in OWN], ids=lambda case: case.provider)
def test_what_only_its_provider_understands_stays_with_it(case: Case) -> None:
    """Reasoning and signatures are kept for the same provider, and nobody else sees them."""
    messages = conversation(case)
    kept = str(list(history(messages, (case.provider, view_of(case)), (case.provider, view_of(case)))))
    other = str(list(history(messages, (case.provider, view_of(case)), ("compatible", view_of(CASES[0])))))
    for word in OWN[case.provider]:
        assert word in kept
        assert word not in other


def test_an_unknown_provider_is_an_error() -> None:
    with pytest.raises(UnknownProvider, match="openai_chat"):
        form_of("nobody")
    with pytest.raises(UnknownProvider):
        form_of(json)


@pytest.mark.parametrize("name", NAMES)
def test_a_turn_comes_back_as_it_was_written(name: str) -> None:
    form = form_of(name)
    id = form.ids.fit("call_1") if form.ids else ""
    turns = [
        Turn("user", (Text("Hello"),)),
        Turn("assistant", (Text("I ask."), Asked(id, "ping", {"a": None, "b": [1]}))),
        Turn("user", (Answered(id, "ping", (Text("pong"),)),)),
    ]
    asked = form.read(form.write(turns))
    parts = [part for turn in asked for part in turn.parts]
    assert [type(part) for part in parts] == [Text, Text, Asked, Answered]
    assert isinstance(parts[2], Asked)
    assert (parts[2].id, parts[2].name, parts[2].arguments) == (id, "ping", {"a": None, "b": [1]})
    assert isinstance(parts[3], Answered)
    assert parts[3].parts == (Text("pong"),)
