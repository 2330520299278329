"""Real error texts are recognised: who says them, which tool, which place, which feature."""

from __future__ import annotations

import json
from typing import Any

import pytest
from error_rows import OBJECT, ROWS, Row, at, root, tool

from toolglot.errors import ConfigError
from toolglot.fitting.error_places import locate, segments
from toolglot.fitting.refusals import explain, explain_published
from toolglot.fitting.toolset import Toolset
from toolglot.schema.refs import Document
from toolglot.schema.tool import Tool
from toolglot.targets.load import SHIPPED, Catalogue


def tools_of(row: Row) -> list[Tool]:
    return [Tool.of(one, n) for n, one in enumerate(row.tools)]


@pytest.mark.parametrize("row", ROWS, ids=[row.source for row in ROWS])
def test_a_reported_text(row: Row) -> None:
    found = explain_published(row.text, tools_of(row))[0]
    assert (found.target.id, found.tool, found.pointer, found.feature) == (
        row.target,
        row.tool,
        row.pointer,
        row.feature,
    )


@pytest.mark.parametrize("row", ROWS, ids=[row.source for row in ROWS])
def test_a_reported_text_of_a_named_target(row: Row) -> None:
    found = explain_published(row.text, tools_of(row), SHIPPED.target(row.target))[0]
    assert (found.target.id, found.tool, found.pointer, found.feature) == (
        row.target,
        row.tool,
        row.pointer,
        row.feature,
    )


def test_there_are_enough_texts() -> None:
    assert len({row.source for row in ROWS}) >= 30
