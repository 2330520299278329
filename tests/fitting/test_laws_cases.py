"""The laws on the public reports and the hard schemas, for each target they name and for those that all run on."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any

import pytest
from laws import Fitted, Subject, all_laws, law2, text_of
from targets_asked import ALWAYS, NAMED, targets_of
from tests.shared import cases, hard, needs_shared

from toolglot.errors import ArgumentsError
from toolglot.fitting.codec import IDENTITY
from toolglot.targets.load import SHIPPED

CASES = {case["id"]: case for case in cases()}
HARD = {row["id"]: row for row in hard()}


@lru_cache(maxsize=8)
def subject(name: str) -> Subject:
    if name in CASES:
        return Subject(CASES[name]["tool"])
    return Subject({"name": name, "description": "What it does.", "inputSchema": HARD[name]["inputSchema"]})


def fitted(name: str, target: str) -> Fitted:
    return Fitted(subject(name), SHIPPED.target(target))


def expressible(f: Fitted, values: list[Any]) -> list[str]:
    """Each value stays sayable; one with names that are not declared passes `restore` unchanged."""
    found: list[str] = []
    for value in values:
        if not f.subject.takes(value):
            found += [] if f.n.refused else _passes(f, value)
        elif f.n.refused or f.is_lost(value):
            found.append(f.says("case", "a valid value is lost", value))
        else:
            found += law2(f, [value])
    return found


def _passes(f: Fitted, value: Any) -> list[str]:
    try:
        restored = f.n.restore(value, mend=False).arguments
    except ArgumentsError as error:
        return [f.says("case", f"a value with undeclared names is refused: {error}", value)]
    same = text_of(restored) == text_of(value)
    return [] if same else [f.says("case", f"a value with undeclared names comes back as {text_of(restored)}", value)]


def refused(f: Fitted, values: list[Any]) -> list[str]:
    """Each value is refused, unless the wire reads it as something valid, or the repairs of the schema allow it.

    Null and the empty text stand for no arguments.
    """
    found: list[str] = []
    for value in values:
        if f.subject.means(value) or value in (None, ""):
            continue
        try:
            restored = f.n.restore(value, mend=False).arguments
        except ArgumentsError as error:
            found += [] if error.errors and str(error) else [f.says("case", "refused without a word", value)]
            continue
        if f.n.codec is IDENTITY or not f.subject.means(restored):
            found.append(f.says("case", f"an invalid value comes back as {text_of(restored)}", value))
    return found


def answered(f: Fitted, rows: list[dict[str, Any]]) -> list[str]:
    """What a model sent becomes what the server should receive."""
    found: list[str] = []
    for row in rows:
        wanted = row["server_should_receive"]
        try:
            got = f.n.restore(row["sent"], mend="all").arguments
        except ArgumentsError as error:
            if wanted != "error":
                found.append(f.says("case", f"refused, not {text_of(wanted)}: {error}", row["sent"]))
            continue
        if wanted == "error" or not f.subject.same(got, wanted):
            found.append(f.says("case", f"comes back as {text_of(got)}, not {text_of(wanted)}", row["sent"]))
    return found


ROWS = [(name, target) for name, case in CASES.items() for target in targets_of(case["targets"])]


@pytest.mark.parametrize(("name", "target"), ROWS)
def test_a_public_report(name: str, target: str) -> None:
    f, case = fitted(name, target), CASES[name]
    found = all_laws(f)
    found += expressible(f, case.get("valid_arguments", []))
    found += refused(f, case.get("invalid_arguments", []))
    if target in [NAMED.get(one, one) for one in case["targets"]]:
        found += answered(f, case.get("model_arguments", []))
    assert found == [], "\n".join(found)


@pytest.mark.parametrize("target", ALWAYS)
@pytest.mark.parametrize("name", HARD)
def test_a_hard_schema(name: str, target: str) -> None:
    f, row = fitted(name, target), HARD[name]
    found = all_laws(f)
    found += expressible(f, row["accept"])
    found += refused(f, row["reject"])
    sent = json.dumps(f.n.tool, ensure_ascii=False)
    found += [f.says("case", f"`{word}` is not to be seen") for word in row["keep"] if word not in sent]
    assert found == [], "\n".join(found)


@needs_shared
def test_every_name_of_a_target_is_known() -> None:
    named = {name for case in CASES.values() for name in case["targets"]}
    assert named - NAMED.keys() <= set(SHIPPED.ids)
    assert named >= NAMED.keys()
