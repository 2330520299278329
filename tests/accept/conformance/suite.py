"""Running the official suite: a named version, and what each check said."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.accept.conftest import Environment
from tests.accept.nodes import from_npm

PACKAGE = "@modelcontextprotocol/conformance@0.2.0-alpha.12"
VERSIONS = ("2025-11-25", "2026-07-28")

Check = tuple[str, str, str]
"""The scenario, the id of the check, and its name: one id may stand for several."""

_NAMED = re.compile(r"server-(.+)-\d{4}-\d\d-\d\dT[\d-]+Z")


@dataclass(frozen=True, slots=True)
class Suite:
    """The installed suite."""

    node: Path
    program: Path

    def run(self, url: str, version: str, results: Path) -> dict[Check, list[str]]:
        """What each check of the scenarios for a server said about the one at `url`, in the order they were made."""
        command = [self.node, self.program, "server", "--url", url, "--suite", "all", "--spec-version", version]
        done = subprocess.run(
            [*command, "-o", results], capture_output=True, text=True, timeout=300, check=False, cwd=results.parent
        )
        assert done.returncode in (0, 1), done.stdout[-2000:] + done.stderr[-2000:]
        return said(results)


def said(results: Path) -> dict[Check, list[str]]:
    """The statuses in a folder of results, by check."""
    found: dict[Check, list[str]] = defaultdict(list)
    for file in sorted(results.glob("*/checks.json")):
        named = _NAMED.fullmatch(file.parent.name)
        assert named is not None, file
        for check in json.loads(file.read_text()):
            found[named[1], check["id"], check.get("name", "")].append(check["status"])
    return dict(found)


def differing(one: dict[Check, list[str]], other: dict[Check, list[str]]) -> set[Check]:
    """The checks that did not say the same, or that only one side has."""
    return {check for check in one.keys() | other.keys() if one.get(check) != other.get(check)}


def listed(path: Path, how: str, version: str) -> set[Check]:
    """The checks that the list of differences names for one way and one version."""
    entries: list[dict[str, Any]] = tomllib.loads(path.read_text())["difference"]
    return {
        (entry["scenario"], *check)
        for entry in entries
        if how in entry["how"] and version in entry["versions"]
        for check in entry["checks"]
    }


def install(environment: Environment) -> Suite:
    """The suite with a Node that can run it; skips where npm cannot give it."""
    node, home = from_npm(environment, "conformance", PACKAGE)
    return Suite(node, home / "node_modules" / "@modelcontextprotocol" / "conformance" / "dist" / "index.js")
