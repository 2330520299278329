"""All providers with their real SDKs, in an environment of their own: the loop, the whole corpus, the random model."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

from tests.accept.conftest import ROOT, WORK, Environment

SDKS = ("openai", "anthropic", "google-genai", "boto3", "mistralai", "ollama", "groq", "llguidance")
FIGURES = WORK / "provider-figures"


def test_the_real_sdks(environment: Environment) -> None:
    python = environment("provider-sdks", *SDKS, "pytest>=8.2", "pytest-xdist", f"--editable={ROOT}")
    for old in FIGURES.glob("*.json"):
        old.unlink()
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-n", "2", "-rs", "-p", "no:cacheprovider", "tests/providers"],
        cwd=ROOT,
        env={**os.environ, "TOOLGLOT_ACCEPT": "1"},
        capture_output=True,
        text=True,
        timeout=3000,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    missing = re.findall(r"SKIPPED.*is not installed.*", done.stdout)
    assert missing == []
    print(table(FIGURES))


def table(figures: Path) -> str:
    """The figures of a run, a row for each provider and target."""
    arms: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sorted(figures.glob("*.json")):
        found = json.loads(path.read_text())
        arms.setdefault(f"{found['provider']} {found['target']}", {})[found["arm"]] = found
    lines = [json.dumps({name: arms[name]}) for name in arms]
    return "\n".join(lines)
