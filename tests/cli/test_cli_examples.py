"""Each feature has a smallest schema, and the scan finds the feature there."""

from __future__ import annotations

import pytest

from toolglot.cli.examples import example
from toolglot.schema.features import FEATURES, names_of
from toolglot.schema.tool import Tool
from toolglot.targets.accept import ScannedTool


@pytest.mark.parametrize("feature", FEATURES)
def test_the_example_has_the_feature(feature):
    tool = Tool.of({"name": "t", "description": "", "inputSchema": example(feature)})
    assert feature in names_of(ScannedTool(tool).mask)


def test_examples_are_small():
    large = [name for name in FEATURES if len(str(example(name))) > 230]
    assert large == []
