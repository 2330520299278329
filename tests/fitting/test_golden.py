"""Twenty normalised tools as text that people read in review.

`TOOLGLOT_GOLDEN=1 pytest tests/fitting/test_golden.py` writes the files anew; read the difference before it is kept.
"""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from golden_tools import GOLDEN
from laws import Fitted, Subject, all_laws, text_of

from toolglot.fitting.normalized import Normalized, normalize
from toolglot.schema.tool import thaw
from toolglot.targets.load import SHIPPED

HOME = Path(__file__).parent / "golden"
WRITE = os.environ.get("TOOLGLOT_GOLDEN") == "1"


def shown(n: Normalized, published: dict[str, Any], arguments: dict[str, Any]) -> str:
    """A normalised tool as text: what is sent, what it costs, how one call travels."""
    lines = [
        f"{published['name']} for {n.target.id}, sent as {n.name}, {n.size.published} bytes -> {n.size.sent}",
        "",
        f"description: {n.description}",
        "schema: " + ("none" if n.schema is None else json.dumps(thaw(n.schema), indent=1, ensure_ascii=False)),
        "",
        *(f"{e.pointer or '(root)'} | {e.feature} | {e.shape}, {e.values} | {e.reason}" for e in n.ledger),
        *([] if n.ledger else ["nothing was changed"]),
        "",
        f"arguments: {json.dumps(arguments, ensure_ascii=False)}",
        f"sent:      {json.dumps(n.encode(arguments), ensure_ascii=False)}",
    ]
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("name", GOLDEN)
def test_a_normalised_tool_reads_like_this(name: str) -> None:
    target, tool, arguments = GOLDEN[name]
    text = shown(normalize(tool, target), tool, arguments)
    path = HOME / f"{name}.txt"
    if WRITE:
        path.write_text(text, "utf-8")
    assert path.read_text("utf-8") == text


@pytest.mark.parametrize("name", GOLDEN)
def test_the_laws_hold_for_a_golden_tool(name: str) -> None:
    target, tool, arguments = GOLDEN[name]
    f = Fitted(Subject(tool), SHIPPED.target(target))
    found = all_laws(f)
    assert found == [], "\n".join(found)
    assert text_of(f.n.restore(f.n.encode(arguments)).arguments) == text_of(arguments)


def test_every_golden_text_has_a_tool() -> None:
    assert {path.stem for path in HOME.glob("*.txt")} == set(GOLDEN)
    assert len(GOLDEN) == 20
