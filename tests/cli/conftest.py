from __future__ import annotations

import os
from pathlib import Path

import pytest
from cli_help import Cli, clean


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Cli:
    """The command line in an empty directory."""
    monkeypatch.chdir(tmp_path)
    kept = clean()
    for key in list(os.environ):
        if key not in kept:
            monkeypatch.delenv(key)
    return Cli(tmp_path, capsys)
