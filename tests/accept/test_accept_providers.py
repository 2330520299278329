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
    python = environment("provider-sdks", *SDKS, "pytest>=8.2", "pytest-xdist", "hypothesis", f"--editable={ROOT}")
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
    (WORK / "provider-figures.md").write_text(table(FIGURES) + "\n")


HEAD = (
    "| provider | target | sent | left out | refused as published | changed silently as published | "
    "random calls valid | the same, collapsed | sayable values | as published | collapsed |\n"
    "| --- | --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: | ---: |"
)


def table(figures: Path) -> str:
    """The figures of a run in Markdown, a row for each provider and target."""
    rows: dict[tuple[str, str], dict[str, dict[str, Any]]] = {}
    for path in sorted(figures.glob("*.json")):
        found = json.loads(path.read_text())
        rows.setdefault((found["provider"], found["target"]), {})[found["arm"]] = found
    return "\n".join([HEAD, *(_row(*key, arms) for key, arms in rows.items())])


def _row(provider: str, target: str, arms: dict[str, dict[str, Any]]) -> str:
    ours, published = arms["ours"], arms["published"]
    cells = [ours["sent"], ours["left out"], published["refused"], published["changed"]]
    cells += [_share(arms.get(arm), "valid", "calls") for arm in ("random ours", "random collapsed")]
    cells += [_share(arms.get(f"random {arm}"), "sayable", "values") for arm in ("ours", "published", "collapsed")]
    return f"| `{provider}` | `{target}` | {' | '.join(map(str, cells))} |"


def _share(arm: dict[str, Any] | None, part: str, whole: str) -> str:
    return f"{100 * arm[part] / arm[whole]:.1f} %" if arm and arm[whole] else ""
