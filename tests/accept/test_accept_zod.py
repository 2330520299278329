"""The zod snippet of every rule, run by node: what it publishes has the parameters of the JSON form and no finding.

`make accept` installs zod 4 into a temporary directory; TOOLGLOT_ZOD_DIR names one where it is installed already.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from toolglot.contract.rule import Rule, listing_of, subjects
from toolglot.contract.ruledoc import parse_doc
from toolglot.contract.rules import RULES

STUBS = "const server = { registerTool() {} }; const searchFiles = null; const searchMail = null;"

pytestmark = pytest.mark.skipif(
    not shutil.which("node") or not (os.environ.get("TOOLGLOT_ZOD_DIR") or os.environ.get("TOOLGLOT_ACCEPT")),
    reason="needs node, and make accept or TOOLGLOT_ZOD_DIR",
)


@pytest.fixture(scope="module")
def zod(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory in which `import "zod"` works."""
    if given := os.environ.get("TOOLGLOT_ZOD_DIR"):
        return Path(given)
    place = tmp_path_factory.mktemp("zod")
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed")
    (place / "package.json").write_text('{"private": true}')
    command = [npm, "install", "--no-audit", "--no-fund", "zod@4"]
    done = subprocess.run(command, cwd=place, capture_output=True, text=True, timeout=300, check=False)
    if done.returncode:
        pytest.skip(f"npm could not install zod: {done.stderr.strip().splitlines()[-1:]}")
    return place


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)
def test_zod_snippet_publishes_the_json_form(rule: Rule, zod: Path) -> None:
    doc = parse_doc(rule.doc)
    schema = published(doc.instead["ts"], zod)
    (subject,) = subjects(listing_of([{"name": "t", "inputSchema": schema}]))
    assert [hit for other in RULES for hit in other.check(subject)] == []
    if isinstance(form := doc.instead_value, dict):
        assert set(names_in(schema)) == set(names_in(form))
        assert schema.get("required", []) == form.get("required", [])


def published(snippet: str, place: Path) -> dict[str, Any]:
    """What a snippet publishes: the JSON Schema of its constant `Arguments`."""
    show = 'console.log(JSON.stringify(z.toJSONSchema(Arguments, { io: "input" })));'
    program = "\n".join(['import { z } from "zod";', STUBS, snippet, show])
    command = ["node", "--input-type=module", "-"]
    done = subprocess.run(command, cwd=place, input=program, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def names_in(schema: Any) -> Iterator[str]:
    """Every parameter name that a schema declares."""
    if isinstance(schema, dict):
        if isinstance(properties := schema.get("properties"), dict):
            yield from properties
        for value in schema.values():
            yield from names_in(value)
