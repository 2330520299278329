"""The lowest versions of the dependencies that pyproject.toml claims; `make test` runs with the newest."""

from __future__ import annotations

import re
import subprocess
import tomllib

from tests.accept.conftest import ROOT, Environment

TESTS = ("tests/schema", "tests/targets", "tests/contract", "tests/report", "tests/mcp", "tests/cli")


def lowest() -> list[str]:
    """Each dependency at the lowest version it is claimed to work with."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins: list[str] = []
    for dependency in project["dependencies"]:
        found = re.match(r"([\w.-]+)[~>]=([\w.]+)", dependency)
        assert found is not None, dependency
        pins.append(f"{found[1]}=={found[2]}")
    return pins


def test_the_lowest_versions_we_claim(environment: Environment) -> None:
    python = environment("lowest", *lowest(), f"--editable={ROOT}", "pytest", "hypothesis", "pydantic")
    command = [
        python,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-o",
        "addopts=",
        "-o",
        "filterwarnings=",
        *TESTS,
    ]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=1800, check=False)
    assert done.returncode == 0, done.stdout[-3000:]
