"""Without a framework: its module says what to install, and nothing else of toolglot needs it."""

from __future__ import annotations

import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest

from toolglot.providers.frameworks.common import needed

ROOT = Path(__file__).resolve().parents[2]
FRAMEWORKS = [
    ("pydantic_ai", "pydantic_ai", "pydantic-ai"),
    ("langchain", "langchain_core", "langchain"),
    ("openai_agents", "agents", "openai-agents"),
]


@pytest.mark.parametrize(("module", "package", "extra"), FRAMEWORKS, ids=[extra for _, _, extra in FRAMEWORKS])
def test_a_missing_framework_says_what_to_install(
    module: str, package: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in [name for name in sys.modules if f"{name}.".startswith(f"{package}.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"toolglot.providers.frameworks.{module}", raising=False)
    with pytest.raises(ImportError, match=rf"pip install 'toolglot\[{extra}\]'"):
        import_module(f"toolglot.providers.frameworks.{module}")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert extra in extras


def test_a_framework_that_is_broken_says_so_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "broken_framework.py").write_text("import no_such_module_at_all")
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(ImportError, match="no_such_module_at_all"):
        needed("broken_framework", "x")
