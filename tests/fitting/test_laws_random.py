"""The laws on schemas that nobody wrote; TOOLGLOT_EXAMPLES=2000 draws more of them, `make accept` too."""

from __future__ import annotations

import os

import pytest
from drawn_laws import the_laws_hold

EXAMPLES = int(os.environ.get("TOOLGLOT_EXAMPLES", "200"))


@pytest.mark.untraced
def test_the_laws_hold_for_any_schema() -> None:
    the_laws_hold(EXAMPLES)
