"""The tools and the prompt that ask their client for more before they answer (2026-07-28).

The state between two rounds is sealed by the SDK's own boundary: what comes back unchanged is plain text here, and what
was changed does not get here.
"""

from __future__ import annotations

from typing import Any

from fixture_parts import Answer, Context, Tool, answer, text


def _form(message: str, name: str, kind: str = "string") -> Answer:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return {"method": "elicitation/create", "params": {"mode": "form", "message": message, "requestedSchema": schema}}


def _sampling(said: str, tokens: int) -> Answer:
    message = {"role": "user", "content": {"type": "text", "text": said}}
    return {"method": "sampling/createMessage", "params": {"messages": [message], "maxTokens": tokens}}


_NAME = {"user_name": _form("What is your name?", "name")}
_ROOTS = {"client_roots": {"method": "roots/list", "params": {}}}
_GREETING = {"greeting": _sampling("Generate a greeting", 50)}


def ask(requests: Answer, state: str | None = None) -> Answer:
    """The answer that asks for more."""
    found: Answer = {"resultType": "input_required", "inputRequests": requests}
    return found if state is None else {**found, "requestState": state}


def given(ctx: Context) -> Answer:
    """What the client has answered, by key."""
    found = (ctx.params or {}).get("inputResponses")
    return found if isinstance(found, dict) else {}


def state_of(ctx: Context) -> str | None:
    return (ctx.params or {}).get("requestState")


def content(ctx: Context, key: str, name: str) -> Any:
    """One field of an accepted form; None where there is none."""
    found = given(ctx).get(key)
    if not isinstance(found, dict) or found.get("action") != "accept" or not isinstance(found.get("content"), dict):
        return None
    return found["content"].get(name)


async def elicitation(ctx: Context, _: Answer) -> Answer:
    name = content(ctx, "user_name", "name")
    return answer(text(f"Hello, {name}!")) if isinstance(name, str) else ask(_NAME)


async def sampling(ctx: Context, _: Answer) -> Answer:
    said = given(ctx).get("capital_question")
    if not isinstance(said, dict) or not isinstance(said.get("content"), dict):
        return ask({"capital_question": _sampling("What is the capital of France?", 100)})
    return answer(text(str(said["content"].get("text"))))


async def list_roots(ctx: Context, _: Answer) -> Answer:
    said = given(ctx).get("client_roots")
    if not isinstance(said, dict) or not isinstance(said.get("roots"), list):
        return ask(_ROOTS)
    return answer(text(", ".join(str(root.get("uri")) for root in said["roots"])))


async def request_state(ctx: Context, _: Answer) -> Answer:
    if state_of(ctx) == "confirming" and "confirm" in given(ctx):
        return answer(text("state-ok"))
    return ask({"confirm": _form("Please confirm", "ok", "boolean")}, "confirming")


async def multiple_inputs(ctx: Context, _: Answer) -> Answer:
    wanted = _NAME | _GREETING | _ROOTS
    if state_of(ctx) == "all" and wanted.keys() <= given(ctx).keys():
        return answer(text(f"Hello, {content(ctx, 'user_name', 'name')}!"))
    return ask(wanted, "all")


async def multi_round(ctx: Context, _: Answer) -> Answer:
    state, name = state_of(ctx), content(ctx, "step1", "name")
    if state == "one" and name is not None:
        return ask({"step2": _form("Step 2: What is your favorite color?", "color")}, f"two {name}")
    color = content(ctx, "step2", "color")
    if state is not None and state.startswith("two ") and color is not None:
        return answer(text(f"{state.removeprefix('two ')} likes {color}."))
    return ask({"step1": _form("Step 1: What is your name?", "name")}, "one")


async def tampered_state(ctx: Context, _: Answer) -> Answer:
    if state_of(ctx) == "sealed":
        return answer(text("The state is whole."))
    return ask({"confirm": _form("Please confirm", "ok", "boolean")}, "sealed")


async def capabilities(ctx: Context, _: Answer) -> Answer:
    declared = ctx.session.client_capabilities
    asked: Answer = {}
    if declared is not None and declared.elicitation is not None:
        asked |= _NAME
    if declared is not None and declared.sampling is not None:
        asked |= _GREETING
    return ask(asked) if asked and not given(ctx) else answer(text("Nothing more to ask."))


async def streaming_elicitation(ctx: Context, _: Answer) -> Answer:
    await ctx.session.report_progress(1, 2)
    return await elicitation(ctx, {})


async def context_prompt(ctx: Context, _: Answer) -> Answer:
    said = content(ctx, "user_context", "context")
    if said is None:
        return ask({"user_context": _form("What context should the prompt use?", "context")})
    return {"messages": [{"role": "user", "content": text(f"In the context of {said}.")}]}


_START = "test_input_required_result_"

INPUT_TOOLS = {
    f"{_START}elicitation": Tool(elicitation),
    f"{_START}sampling": Tool(sampling),
    f"{_START}list_roots": Tool(list_roots),
    f"{_START}request_state": Tool(request_state),
    f"{_START}multiple_inputs": Tool(multiple_inputs),
    f"{_START}multi_round": Tool(multi_round),
    f"{_START}tampered_state": Tool(tampered_state),
    f"{_START}capabilities": Tool(capabilities),
    "test_streaming_elicitation": Tool(streaming_elicitation),
}
