"""The surface classes of the demo server's tools: one reads, one is gated, one hides its gate."""

from __future__ import annotations

import pytest

from toolglot.contract.surface import explain_surface
from toolglot.demo.tools import TOOLS

CLASSES = {
    "page_render": ("read", "read"),
    "assets_get": ("read", "read"),
    "workspace_localization_translation_memory_suggestions_export_as_csv": ("read", "read"),
    "assets_manage": ("gated", "gated"),
    "releases_manage": ("mutation", "gated"),
}


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_class_and_the_class_with_the_root_in_sight(tool):
    found = explain_surface(tool.published())
    assert (found.surface, found.in_sight) == CLASSES.get(tool.name, ("mutation", "mutation"))
