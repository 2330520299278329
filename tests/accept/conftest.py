"""The long proof: `make accept` runs it, an ordinary run skips it."""

from __future__ import annotations

import os
import shutil
import subprocess
import venv
from collections.abc import Callable
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
WORK = ROOT / ".accept"
LONG = os.environ.get("TOOLGLOT_ACCEPT") == "1"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip the long tests of this folder unless they are asked for."""
    if LONG:
        return
    for item in items:
        if Path(__file__).parent in item.path.parents and not item.get_closest_marker("short"):
            item.add_marker(pytest.mark.skip(reason="part of `make accept`"))


Environment = Callable[..., Path]


@pytest.fixture(scope="session", name="environment")
def _environment() -> Environment:
    """Makes an environment with some packages from PyPI, once; gives its Python."""

    def make(name: str, *packages: str) -> Path:
        home = WORK / name
        python = home / "bin" / "python"
        done = home / ".done"
        wanted = "\n".join(packages)
        if not done.exists() or done.read_text() != wanted:
            shutil.rmtree(home, ignore_errors=True)
            venv.create(home, with_pip=True)
            subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True, timeout=900)
            done.write_text(wanted)
        return python

    return make


@pytest.fixture(scope="session", name="node")
def _node() -> str:
    """The command `npx`; skips where there is no Node."""
    found = shutil.which("npx")
    if found is None:
        pytest.skip("Node with npx is not installed")
    return found
