"""What is wrong with one tool of a list."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Problem:
    """`tool` is the published name (None: the entry has none), `index` the place in the list, `message` the reason."""

    tool: str | None
    index: int
    message: str
