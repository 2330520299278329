"""The random model: of what it says, how much does the published schema accept after restoring?

Three arms with the same tools and the same seed: ours, first-branch collapsing (`toolglot.adk`) and the schemas as
published. In the other two arms what the endpoint would refuse is counted, and answered all the same.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import pytest
from batches import STRICT, WHOLE, Plain, PlainView, as_published, batches, tools
from loopback import Answer, Ask, Sent, endpoint, problems
from random_model import RandomModel
from sdks import CASES, Case
from test_providers_corpus import body, report
from tests.shared import needs_shared

from toolglot import Toolset
from toolglot.adk.adapters import (
    AnthropicSchemaAdapter,
    GeminiSchemaAdapter,
    OpenAiSchemaAdapter,
    OpenAiStrictSchemaAdapter,
    SchemaAdapter,
)
from toolglot.errors import ArgumentsError, ToolglotError
from toolglot.fitting.normalized import Normalized
from toolglot.fitting.published import Published
from toolglot.providers.calling import Call
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.validate import validator
from toolglot.schema.values import same
from toolglot.schema.witness import instances
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Target

ROUNDS = 4 if WHOLE else 2
EVERY, WHOLE_EVERY = 120, 30
MOST_VALUES = 12
ONCE = list({case.target: case for case in CASES if case.provider != "ollama"}.values())

ADAPTERS: dict[str, Callable[[], SchemaAdapter]] = {
    "openai-nonstrict": OpenAiSchemaAdapter,
    "openai-strict": OpenAiStrictSchemaAdapter,
    "azure-openai": OpenAiStrictSchemaAdapter,
    "anthropic-nonstrict": AnthropicSchemaAdapter,
    "gemini-parameters": GeminiSchemaAdapter,
    "gemini-parameters-json-schema": GeminiSchemaAdapter.json_schema,
    "vertex-ai": GeminiSchemaAdapter.vertex_ai,
}


@dataclass
class Arm:
    """What one arm came to."""

    tools: int = 0
    refused: int = 0
    grammars: int = 0
    calls: int = 0
    valid: int = 0
    exact_calls: int = 0
    exact_valid: int = 0
    values: int = 0
    sayable: int = 0
    causes: Counter[str] = field(default_factory=Counter)
    unexplained: list[str] = field(default_factory=list)

    @property
    def row(self) -> dict[str, Any]:
        share = round(100 * self.valid / self.calls, 1) if self.calls else None
        row: dict[str, Any] = {"tools": self.tools, "refused": self.refused, "grammars": self.grammars}
        row |= {"calls": self.calls, "valid": self.valid, "share": share}
        row |= {"values": self.values, "sayable": self.sayable}
        if self.exact_calls:
            row |= {"exact calls": self.exact_calls, "exact valid": self.exact_valid}
        return {**row, "causes": dict(self.causes.most_common(12))} if self.causes else row


def run_ours(case: Case, found: list[dict[str, Any]]) -> Arm:
    """Every tool sent through the SDK, some rounds; the endpoint answers with one drawn call of each."""
    model, arm, target = RandomModel(), Arm(), SHIPPED.target(case.target)
    with endpoint(case.wire, case.target) as server:
        for batch in batches(found, STRICT):
            view = Toolset(batch).normalize(case.target)
            written = case.form.tools(view)
            sent = case.wire.tools(body(case, view))
            count(arm, model, sent, target)
            by_name = {n.published.tool.name: n for n in view.tools}
            say(arm, [tool for tool in batch if tool["name"] in by_name], [partial(says, n) for n in view.tools])
            for _ in range(ROUNDS):
                server.answers = [Answer(drawn(model, sent))]
                response = case.ask(server.url, written, [case.user("Hello")])
                for call in case.form.calls(response, view):
                    note(arm, by_name[call.name], call)
    return arm


def run_other(case: Case, found: list[dict[str, Any]], make: Callable[[list[dict[str, Any]]], Any]) -> Arm:
    """The same without us and without an SDK between, which would refuse some of it itself: nothing is restored."""
    model, arm, target = RandomModel(), Arm(), SHIPPED.target(case.target)
    for batch in batches(found, STRICT):
        sent = case.wire.tools(body(case, make(batch)))
        count(arm, model, sent, target)
        say(arm, batch, [partial(takes, one, target) for one in sent])
        for _ in range(ROUNDS):
            for one, tool in zip(sent, batch, strict=True):
                text = model.answer(one.tool.get("inputSchema"))
                if text is not None:
                    arm.calls += 1
                    arm.valid += accepts(tool, json.loads(text))
    return arm


def drawn(model: RandomModel, sent: list[Sent]) -> tuple[Ask, ...]:
    """One call of every tool that a grammar can be made of."""
    texts = [(one.tool["name"], model.answer(one.tool.get("inputSchema"))) for one in sent]
    said = [(name, json.loads(text)) for name, text in texts if text is not None]
    return tuple(Ask(name, arguments, f"abcde{place:04}") for place, (name, arguments) in enumerate(said))


def count(arm: Arm, model: RandomModel, sent: list[Sent], target: Target) -> None:
    """What can be counted before anybody answers."""
    arm.tools += len(sent)
    for one in sent:
        arm.grammars += model.has_grammar(one.tool.get("inputSchema"))
        arm.refused += any(refuses for _, _, refuses in problems([one], target))


def say(arm: Arm, batch: list[dict[str, Any]], can: list[Callable[[Any], bool]]) -> None:
    """How many of the values that show all of a published schema the model can say."""
    for tool, can_say in zip(batch, can, strict=True):
        shown = instances(tool["inputSchema"], MOST_VALUES)
        arm.values += len(shown)
        arm.sayable += sum(map(can_say, shown))


def says(n: Normalized, value: Any) -> bool:
    """Whether what we send takes the value in its wire form, and gives it back as the same call.

    Where the server declares null as the default, null and nothing are the same call.
    """
    wire = n.encode(value)
    taken = n.schema is None or takes_value(n.schema, wire)
    return taken and same(n.encode(n.restore(wire, False).arguments), wire)


def takes(sent: Sent, target: Target, value: Any) -> bool:
    """Whether a schema that was sent takes the value as it is; nothing can be said to a tool that is refused."""
    if any(refuses for _, _, refuses in problems([sent], target)):
        return False
    schema = sent.tool.get("inputSchema")
    return schema is None or takes_value(schema, value)


def takes_value(schema: Any, value: Any) -> bool:
    try:
        return validator(meaning(Document(thaw(schema))).schema).is_valid(value)
    except (ValueError, ToolglotError):
        return False


def accepts(tool: dict[str, Any], arguments: Any) -> bool:
    """Whether the published schema takes arguments as they are."""
    try:
        Published(Tool.of(tool)).finish(arguments, False)
    except ToolglotError:
        return False
    return True


def note(arm: Arm, n: Normalized, call: Call) -> None:
    """A call counted; where it is wrong, the entries of the ledger that say so beforehand."""
    exact = all(entry.values == "exact" for entry in n.ledger)
    arm.calls += 1
    arm.valid += call.error is None
    arm.exact_calls += exact
    arm.exact_valid += exact and call.error is None
    if call.error is None:
        return
    assert isinstance(call.error, ArgumentsError)
    tops = {error.pointer.split("/")[1] for error in call.error.errors if error.pointer}
    said = {e.feature for e in n.ledger if e.values != "exact" and (not tops or _about(e.pointer, tops))}
    arm.causes.update(said or {"(none)"})
    if not said:
        arm.unexplained.append(f"{n.name}: {call.error}")


def _about(pointer: str, tops: set[str]) -> bool:
    steps = pointer.split("/")
    return len(steps) < 3 or steps[1] != "properties" or steps[2] in tops


def collapsed(case: Case, batch: list[dict[str, Any]]) -> PlainView:
    adapter = ADAPTERS[case.target]()
    target = SHIPPED.target(case.target)
    sent = [
        Plain(
            adapter.normalize_tool_name(t["name"]), t["description"], adapter.normalize_schema(t["inputSchema"]), target
        )
        for t in batch
    ]
    return PlainView(target, tuple(sent))


@needs_shared
@pytest.mark.parametrize("case", ONCE, ids=lambda case: case.target)
def test_what_the_random_model_says_restores(case: Case) -> None:
    found = tools(EVERY, WHOLE_EVERY)
    ours = run_ours(case, found)
    report("random ours", case, ours.row)
    assert ours.refused == 0
    assert ours.exact_valid == ours.exact_calls
    assert ours.unexplained == [], "\n".join(ours.unexplained[:10])


@needs_shared
@pytest.mark.parametrize("case", ONCE, ids=lambda case: case.target)
def test_the_other_arms_for_contrast(case: Case) -> None:
    """Not a promise: what the same model says where schemas are collapsed, or go out as published."""
    found = tools(EVERY, WHOLE_EVERY)
    report("random published", case, run_other(case, found, lambda batch: as_published(case, batch)).row)
    if case.target in ADAPTERS:
        report("random collapsed", case, run_other(case, found, lambda batch: collapsed(case, batch)).row)
