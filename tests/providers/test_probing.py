"""Refused requests are taken apart until each bad tool is known; what refuses is a target's facts, without an SDK."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Any

import pytest
from loopback import Sent, problems

from toolglot.cli.examples import example
from toolglot.errors import ToolglotError
from toolglot.fitting.toolset import Toolset
from toolglot.providers.fact_patch import Asked, Seen, ask_features, news, patch, smallest
from toolglot.providers.probe import control
from toolglot.providers.probing import Calls, Part, batches, judge
from toolglot.schema.features import FEATURES
from toolglot.schema.tool import Tool
from toolglot.targets.accept import ScannedTool
from toolglot.targets.load import SHIPPED, Catalogue

TODAY = date(2026, 12, 1)
PLACES: dict[str, Callable[[int, str, str], str]] = {
    "silent": lambda index, name, problem: f"Bad request: {problem}.",
    "index": lambda index, name, problem: (
        f"tools.{index}.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
    ),
    "name": lambda index, name, problem: (
        f"Invalid schema for function '{name}': schema must have type 'object' and not have 'oneOf'/'anyOf' at the top"
    ),
}
"""How much a provider says about where the fault is."""


@dataclass
class Provider:
    """Refuses a whole request where the target's facts refuse one of its tools. `requests`: the names of each."""

    target: str
    says: str = "silent"
    most: int = 10_000
    requests: list[list[str]] = field(default_factory=list)

    def __call__(self, part: Part) -> str | None:
        self.requests.append([tool.name for tool in part.tools])
        if len(part.tools) > self.most:
            return "too much"
        target = SHIPPED.target(self.target)
        for index, tool in enumerate(part.tools):
            own = {"name": tool.name, "description": tool.description, "inputSchema": tool.schema}
            for _, problem, refuses in problems([Sent("", own, bool(target.fallback))], target):
                if refuses:
                    return PLACES[self.says](index, tool.name, problem)
        return None


def tool(name: str, schema: dict[str, Any] | None = None) -> Tool:
    return Tool.of({"name": name, "description": "It.", "inputSchema": schema or {"type": "object"}})


EITHER = {"type": "object", "anyOf": [{"required": ["a"]}, {"required": ["b"]}]}
FINE = {"type": "object", "properties": {"a": {"type": "string"}}}


def listed(size: int, *bad: int) -> list[Tool]:
    return [tool(f"t{n}", EITHER if n in bad else FINE) for n in range(size)]


CASES = [
    ("anthropic-nonstrict", "silent", 16, (), 1),
    ("anthropic-nonstrict", "silent", 16, (11,), 10),
    ("anthropic-nonstrict", "silent", 16, (0, 15), 16),
    ("anthropic-nonstrict", "silent", 1, (0,), 2),
    ("anthropic-nonstrict", "silent", 3, (0, 1, 2), 6),
    ("anthropic-nonstrict", "index", 60, (3, 40), 4),
    ("anthropic-nonstrict", "index", 1, (0,), 2),
    ("openai-nonstrict", "name", 60, (3, 40, 41), 5),
]


@pytest.mark.parametrize(("target", "says", "size", "bad", "most"), CASES)
def test_all_bad_tools_are_named(target: str, says: str, size: int, bad: tuple[int, ...], most: int) -> None:
    provider = Provider(target, says)
    calls = Calls(provider, 100)
    found = SHIPPED.target(target)
    verdicts = judge(Part.published(listed(size, *bad), found), calls, control=control(found))
    assert [n for n, one in enumerate(verdicts) if one.status == "refused"] == list(bad)
    assert {one.status for n, one in enumerate(verdicts) if n not in bad} <= {"accepted"}
    assert all(verdicts[n].says for n in bad)
    assert calls.made == len(provider.requests) <= most


def test_the_provider_s_words_lead_to_the_place() -> None:
    target = SHIPPED.target("anthropic-nonstrict")
    verdicts = judge(
        Part.published(listed(4, 2), target), Calls(Provider(target.id, "index"), 9), control=control(target)
    )
    refusal = verdicts[2].refusal
    assert refusal is not None
    assert (refusal.tool, refusal.pointer, refusal.feature) == ("t2", "", "root-union")


def test_what_is_fitted_is_accepted() -> None:
    view = Toolset(listed(20, 1, 7)).normalize("anthropic-nonstrict")
    provider = Provider("anthropic-nonstrict")
    verdicts = judge(Part.of(view), Calls(provider, 3), control=control(view.target))
    assert {one.status for one in verdicts} == {"accepted"}
    assert len(provider.requests) == 1


def test_tools_that_are_only_too_many_together() -> None:
    target = SHIPPED.target("anthropic-nonstrict")
    verdicts = judge(Part.published(listed(8), target), Calls(Provider(target.id, most=4), 9), control=control(target))
    assert {(one.status, one.says) for one in verdicts} == {("refused together", "too much")}


def test_the_calls_run_out() -> None:
    target = SHIPPED.target("anthropic-nonstrict")
    provider = Provider(target.id)
    verdicts = judge(Part.published(listed(64, 63), target), Calls(provider, 4), control=control(target))
    assert len(provider.requests) == 4
    assert [one.status for one in verdicts] == ["accepted"] * 32 + ["not asked"] * 32


def test_what_is_about_no_tool_blames_no_tool() -> None:
    target = SHIPPED.target("openai-nonstrict")
    with pytest.raises(ToolglotError, match="even the simplest tool is refused: The model `x` does not exist"):
        judge(
            Part.published(listed(4), target),
            Calls(lambda part: "The model `x` does not exist", 9),
            control=control(target),
        )


def test_requests_keep_within_the_number_of_tools() -> None:
    target = SHIPPED.target("openai-nonstrict")
    sizes = [len(group) for group in batches(Part.published(listed(150), target))]
    assert sum(sizes) == 150
    assert max(sizes) <= 64
    few = Catalogue(extra=[{"id": "few", "title": "F", "kind": "api", "limits": {"tools": {
        "value": 10, "evidence": "observed", "source": "a/b#1", "seen": "unknown"}}}]).target("few")  # fmt: skip
    assert [len(group) for group in batches(Part.published(listed(25), few))] == [10, 10, 5]


def test_a_part_is_for_sending_only() -> None:
    part = Part.published([tool("a"), Tool.of({"name": "b", "inputSchema": True})], SHIPPED.target("openai"))
    assert part.tools[1].schema == {"type": "object"}
    with pytest.raises(ToolglotError):
        part.restore("a", {})
    with pytest.raises(ToolglotError):
        part.encode("a", {})


# Facts


@pytest.mark.parametrize("name", ["openai-strict", "anthropic-strict", "gemini-parameters", "openai-nonstrict"])
@pytest.mark.parametrize("feature", FEATURES)
def test_the_smallest_tool_of_a_feature_has_it(feature: str, name: str) -> None:
    target = SHIPPED.target(name)
    bit = FEATURES[feature].bit
    assert ScannedTool(smallest(feature, example(feature), target)).mask & bit


@pytest.mark.parametrize("name", ["openai-strict", "anthropic-nonstrict", "gemini-parameters", "mistral"])
def test_a_provider_that_is_as_the_data_say_brings_few_news(name: str) -> None:
    """A refusal that nobody dated, or that sources deny, is news; an accepted unknown too. No fact is contradicted."""
    target = SHIPPED.target(name)
    asked = ask_features(target, example, Calls(Provider(name), 2_000), control(target))
    assert {one.feature for one in asked} == set(FEATURES)
    assert "not asked" not in {one.outcome for one in asked}
    for one in news(target, asked, Seen("m", "sdk 1", TODAY)):
        fact = target.facts.get(one.feature)
        known = fact is not None and fact.status != "unknown"
        assert not known or (one.outcome == "refused") == (fact.status == "rejected")


def test_few_calls_leave_features_unasked() -> None:
    target = SHIPPED.target("gemini-parameters")
    asked = ask_features(target, example, Calls(Provider(target.id), 2), control(target))
    assert "not asked" in {one.outcome for one in asked}
    assert "not asked" not in {one.outcome for one in news(target, asked, Seen("m", "s 1", TODAY))}


SEEN = Seen("model-1", "google-genai 3.6.1", TODAY)
NEWS = [
    Asked("type-list", "accepted"),
    Asked("title", "refused", "Unknown name \"title\" at 'x'"),
    Asked("nullable", "refused", "no"),
]


def test_the_patch_applies_and_says_what_was_seen(tmp_path: Any) -> None:
    target = SHIPPED.target("gemini-parameters")
    text = patch(target, NEWS, SEEN)
    assert text.startswith("--- a/src/toolglot/targets/data/google.toml\n+++ b/src/toolglot/targets/data/google.toml\n")
    patched = Catalogue(extra=[applied(target.path, text)["gemini-parameters"]]).target("gemini-parameters")
    fact = patched.facts["type-list"]
    assert (fact.status, fact.proof.evidence, fact.proof.seen) == ("accepted", "observed", TODAY)
    assert fact.proof.source == "toolglot: probe of model-1 with google-genai 3.6.1"
    assert fact.proof.note.startswith("Before: rejected (")
    assert patched.facts["title"].status == "rejected"
    assert patched.facts["title"].proof.says == "Unknown name \"title\" at 'x'"
    assert patched.facts["type-list-null"] == target.facts["type-list-null"]
    changed = {one.feature for one in NEWS}
    assert {k: v for k, v in patched.facts.items() if k not in changed} == {
        k: v for k, v in target.facts.items() if k not in changed
    }
    assert [error.pattern for error in patched.errors] == [error.pattern for error in target.errors]


def applied(file: str, text: str) -> dict[str, Any]:
    """The targets of a shipped file after a patch: every hunk's lines must be there."""
    from importlib import resources

    lines = (resources.files("toolglot.targets") / "data" / file).read_text("utf-8").splitlines(keepends=True)
    out: list[str] = []
    at = 0
    for line in text.splitlines(keepends=True)[2:]:
        if line.startswith("@@"):
            start = int(line.split()[1][1:].split(",")[0]) - 1
            out += lines[at:start]
            at = start
        elif line[0] in " -":
            assert lines[at] == line[1:]
            out += [line[1:]] * (line[0] == " ")
            at += 1
        else:
            out.append(line[1:])
    found = tomllib.loads("".join(out + lines[at:]))
    return {table["id"]: table for table in found["target"]}


def test_no_news_is_no_patch_and_own_targets_have_no_file() -> None:
    target = SHIPPED.target("gemini-parameters")
    assert patch(target, [], SEEN) == ""
    own = Catalogue(extra=[{"id": "own", "title": "Own", "kind": "api"}]).target("own")
    with pytest.raises(ToolglotError, match="no file"):
        patch(own, NEWS, SEEN)


def test_what_the_control_says_can_be_said_to_every_target() -> None:
    for name in SHIPPED.ids:
        target = SHIPPED.target(name)
        assert len(control(target).tools) == 1, name
        json.dumps(control(target).tools[0].schema)
