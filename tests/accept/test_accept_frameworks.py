"""The agent frameworks, in an environment of their own, with scripted models and their own model classes."""

from __future__ import annotations

import os
import re
import subprocess

from tests.accept.conftest import ROOT, Environment

FRAMEWORKS = (
    *("pydantic-ai-slim[mcp,openai,anthropic,google]", "openai-agents"),
    *("langchain", "langgraph", "langchain-mcp-adapters"),
    *("langchain-openai", "langchain-anthropic", "langchain-google-genai"),
)

OURS = f"--editable={ROOT}[pydantic-ai,langchain,openai-agents]"
PACKAGES = (*FRAMEWORKS, "pytest>=8.2", "hypothesis", OURS)


def test_the_real_frameworks(environment: Environment) -> None:
    python = environment("frameworks", *PACKAGES)
    done = subprocess.run(
        [python, "-m", "pytest", "-q", "-rs", "-p", "no:cacheprovider", "tests/frameworks"],
        cwd=ROOT,
        env={**os.environ, "TOOLGLOT_ACCEPT": "1"},
        capture_output=True,
        text=True,
        timeout=2400,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-5000:] + done.stderr[-2000:]
    assert re.findall(r"SKIPPED.*is not installed.*", done.stdout) == []
