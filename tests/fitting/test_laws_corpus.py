"""The laws on the corpus: a fixed tenth of its distinct schemas, each on every target that asks for something else.

`make accept` runs all of it.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from laws import Fitted, Subject, law1, law2, law3, law5, ledger_is_sound, sent_bytes
from targets_asked import distinct_targets
from tests.clock import untraced
from tests.shared import corpus, needs_shared

from toolglot.fitting.normalized import normalize
from toolglot.targets.load import SHIPPED

pytestmark = untraced


def distinct() -> list[dict[str, Any]]:
    """One tool for each distinct schema, in the order of the corpus."""
    found: dict[str, dict[str, Any]] = {}
    for tool in corpus():
        found.setdefault(json.dumps(tool["inputSchema"], sort_keys=True), tool)
    return [
        {"name": t["name"], "description": "What it does.", "inputSchema": t["inputSchema"]} for t in found.values()
    ]


@needs_shared
@pytest.mark.parametrize("part", range(8))
def test_a_tenth_of_the_corpus(part: int) -> None:
    targets = distinct_targets()
    found: list[str] = []
    for tool in distinct()[part * 10 :: 80]:
        subject = Subject(tool)
        for target in targets:
            f = Fitted(subject, target)
            found += [*law1(f), *law2(f), *law5(f), *ledger_is_sound(f)]
            found += law3(f) if target.id in ("openai-strict", "gemini-parameters", "langflow") else []
    assert found == [], "\n".join(found[:20]) + f"\n{len(found)} problems"


DIGEST = """
import sys
sys.path[:0] = sys.argv[1:3]
from test_laws_corpus import digest
print(digest())
"""


def digest() -> str:
    """A hash of what is sent for some tools of the corpus, on every target."""
    found = hashlib.sha256()
    for tool in distinct()[::160]:
        for name in SHIPPED.ids:
            found.update(sent_bytes(normalize(tool, name)).encode("utf-8", "surrogatepass"))
    return found.hexdigest()


@needs_shared
def test_every_process_sends_the_same_bytes() -> None:
    here = Path(__file__).parent
    digests = {digest()}
    for seed in ("1", "2"):
        command = [sys.executable, "-c", DIGEST, str(here), str(here.parents[1])]
        environment = {**os.environ, "PYTHONHASHSEED": seed}
        digests.add(subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout.strip())
    assert len(digests) == 1


@needs_shared
def test_other_tools_change_nothing() -> None:
    from toolglot.fitting.toolset import Toolset

    tools = distinct()[::400]
    for name in ("gemini-parameters", "openai-nonstrict", "portable"):
        together = Toolset(tools).normalize(name).tools
        assert [sent_bytes(n) for n in together] == [sent_bytes(normalize(tool, name)) for tool in tools]


@needs_shared
def test_nine_tenths_pass_the_default_targets_untouched() -> None:
    tools = distinct()
    untouched = [tool for tool in tools if normalize(tool, "portable").schema == tool["inputSchema"]]
    assert len(untouched) / len(tools) >= 0.9
