"""The measured noise of a check: the committed numbers are those of the code, and the README shows them."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from types import ModuleType

import pytest

from tests.clock import untraced
from tests.shared import needs_shared
from toolglot.schema.features import FEATURES
from toolglot.targets.model import SCHEMA_LIMITS

ROOT = Path(__file__).parent.parent


def load() -> ModuleType:
    """`bench/noise.py`, which is no package."""
    spec = importlib.util.spec_from_file_location("noise", ROOT / "bench" / "noise.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


noise = load()
COMMITTED = json.loads((ROOT / "bench" / "noise.json").read_text())


@untraced
@needs_shared
def test_the_committed_numbers_are_those_of_the_code() -> None:
    assert noise.measure() == COMMITTED, "run `make noise` and look at what has changed"


def test_the_readme_shows_the_committed_numbers() -> None:
    readme = (ROOT / "README.md").read_text()
    assert noise.replaced(readme, COMMITTED) == readme


@pytest.mark.parametrize(("key", "least", "most"), [("median", 2, 2), ("share within 12", 0.95, 1)])
def test_a_check_is_quiet(key: str, least: float, most: float) -> None:
    assert least <= COMMITTED["lines"][key] <= most


def test_nine_tenths_pass_all_default_targets_untouched() -> None:
    portable, tools = COMMITTED["portable"], COMMITTED["tools"]
    assert portable["untouched"] / tools >= 0.9
    assert sum(portable["causes"].values()) >= tools - portable["untouched"]
    assert set(portable["causes"]) <= {*FEATURES, *SCHEMA_LIMITS, "property-name", "tool-name"}


def test_the_table_names_every_rule() -> None:
    shown = noise.show(COMMITTED)
    assert all(key in shown for key in COMMITTED["rules"])
