"""A bug report about what one target does with one feature, ready to send."""

from __future__ import annotations

import json
from difflib import get_close_matches
from typing import TYPE_CHECKING

from toolglot.cli.examples import example
from toolglot.cli.factsheet import EFFECTS, proof_words
from toolglot.errors import ToolglotError
from toolglot.report.escape import plain
from toolglot.schema.features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolglot.targets.model import Fact, Target

_HARM = ("rejected", "dropped", "ignored")
_SUBJECTS = {"root": "an input schema", "tool": "a tool"}


def feature_named(name: str) -> str:
    """The feature with this name. Raises ToolglotError with the nearest names."""
    if name in FEATURES:
        return name
    near = get_close_matches(name, FEATURES, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`toolglot explain` lists them."
    raise ToolglotError(f"no feature is called {name!r}.", hint=hint)


def bug_report(target: Target, feature: str) -> Iterator[str]:
    """The report in Markdown, line by line.

    Raises ToolglotError where nothing is known about the feature, or where the target takes it.
    """
    fact = target.facts.get(feature_named(feature))
    if fact is None:
        known = ", ".join(fact.feature for fact in target.facts.values() if fact.status in _HARM)
        hint = f"It changes or refuses: {known}." if known else ""
        raise ToolglotError(f"nothing is known about {feature} on {target.id}.", hint=hint)
    if fact.status not in _HARM:
        raise ToolglotError(f"{target.id} has {feature} as {fact.status}: nothing to report.")
    return _report(target, fact)


def _report(target: Target, fact: Fact) -> Iterator[str]:
    subject = _subject(fact.feature)
    yield f"# {plain(target.title)}: {subject} is {fact.status}"
    yield ""
    yield f"An MCP server may publish {subject}. This is what happens to it here."
    yield ""
    yield f"**Sent**, as `{plain(target.field)}` of a tool:"
    yield ""
    yield "```json"
    yield from json.dumps(example(fact.feature), indent=2).splitlines()
    yield "```"
    yield ""
    yield f"**Expected**: it is taken as it is, or the documentation says that `{fact.feature}` is not supported."
    yield ""
    yield f"**Happens**: {_what_happens(target, fact)}"
    if fact.proof.says:
        yield ""
        yield f"> {plain(fact.proof.says)}"
    if fact.proof.note:
        yield ""
        yield f"**Note**: {plain(fact.proof.note)}"
    yield ""
    yield f"**Seen**: {proof_words(fact.proof)}, {plain(fact.proof.source)}"


def _subject(feature: str) -> str:
    """What the report is about, as a noun: `a place in an input schema that has a `const``."""
    known = FEATURES[feature]
    says = known.says.replace("is a root that", "has a root that")
    return f"{_SUBJECTS.get(known.kind, 'a place in an input schema')} that {says}"


def _what_happens(target: Target, fact: Fact) -> str:
    if fact.status == "rejected":
        how = f" ({plain(target.failure)})" if target.failure else ""
        return f"it is rejected{how}."
    verb = "dropped" if fact.status == "dropped" else "ignored"
    only = f" Seen with {plain(fact.only)}." if fact.only else ""
    return f"it is {verb} without a word; {EFFECTS[fact.effect]}.{only}"
