"""The laws on the whole corpus and every target: law 1, and every covering value there and back; on drawn schemas."""

from __future__ import annotations

import json
import os
import sys
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from tests.shared import corpus, needs_shared

sys.path.append(str(Path(__file__).resolve().parents[1] / "fitting"))

PARTS = 64


def part(number: int) -> tuple[int, list[str]]:
    """One part of the corpus: how many tools, and what is broken."""
    from laws import Fitted, Subject, law1, law2, law5, ledger_is_sound
    from targets_asked import distinct_targets

    found: list[str] = []
    tools = _distinct()[number::PARTS]
    for tool in tools:
        subject = Subject(tool)
        for target in distinct_targets():
            f = Fitted(subject, target)
            found += [*law1(f), *law2(f), *law5(f), *ledger_is_sound(f)]
    return len(tools), found


def _distinct() -> list[dict[str, Any]]:
    """One tool for each distinct pair of name and schema."""
    found: dict[str, dict[str, Any]] = {}
    for tool in corpus():
        key = json.dumps([tool["name"], tool["inputSchema"]], sort_keys=True)
        found.setdefault(key, {"name": tool["name"], "description": "", "inputSchema": tool["inputSchema"]})
    return list(found.values())


@needs_shared
def test_the_laws_hold_for_the_whole_corpus_on_every_target() -> None:
    tools = 0
    found: list[str] = []
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for many, broken in pool.map(part, range(PARTS)):
            tools += many
            found += broken
    assert tools == len(_distinct())
    assert found == [], "\n".join(found[:30]) + f"\n{len(found)} problems"


def test_the_laws_hold_for_many_drawn_schemas() -> None:
    from drawn_laws import the_laws_hold

    the_laws_hold(3000)
