"""The target of a model or provider, by name. The names are data: the table `[models]` beside the default targets."""

from __future__ import annotations

import re
from dataclasses import replace
from fnmatch import fnmatchcase
from functools import lru_cache
from typing import TYPE_CHECKING

from toolglot.targets.load import PORTABLE, SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterator

    from toolglot.targets.model import Target

_LONGEST = 500


@lru_cache(maxsize=1024)
def target_for(model: str) -> Target:
    """The target that a model or provider name stands for: "gpt-5", "openai:gpt-5", "bedrock/anthropic.claude-...".

    A target id or short name stands for itself. A name that nobody knows gives `portable`, with a first note that
    says so. Strict targets are never chosen.
    """
    found, note = explain_target_for(model)
    known = note.startswith("`")
    return found if known else replace(found, notes=(note, *found.notes))


def explain_target_for(model: str) -> tuple[Target, str]:
    """The target of a model or provider name, and in one sentence what it was chosen by."""
    name = model.strip()
    if name in SHIPPED.ids or name in SHIPPED.short_names:
        return SHIPPED.target(name), f"`{name}` is the name of a target."
    for part in _parts(name.lower()[:_LONGEST]):
        for row, target in SHIPPED.models.items():
            if _fits(part, row):
                return SHIPPED.target(target), f"`{row}` stands for {target}."
    return SHIPPED.target(PORTABLE), f"No target is known for {name[:80]!r}: what all default targets take is used."


def _parts(name: str) -> Iterator[str]:
    """The name, then without what stands before each `:` or `/`."""
    yield name
    for separator in re.finditer(r"[:/]", name):
        yield name[separator.end() :]


def _fits(name: str, row: str) -> bool:
    if row.endswith(":"):
        return name == row[:-1] or name.startswith((row, f"{row[:-1]}/"))
    return fnmatchcase(name, row)
