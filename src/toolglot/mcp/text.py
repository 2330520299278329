"""Text of others made fit for an error: no terminal codes, no secrets, not too long."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

_TERMINAL = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[@-Z\\-_])")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_SHORTEST_SECRET = 4


def clean(text: str, limit: int = 500) -> str:
    """The text without terminal codes and control characters (line ends and tabs stay), cut at `limit`."""
    cleaned = _CONTROL.sub("", _TERMINAL.sub("", text.replace("\r\n", "\n"))).strip()
    return cleaned if len(cleaned) <= limit else cleaned[: limit - 1] + "…"


def tail(output: bytes, lines: int = 20, limit: int = 4000) -> str:
    """The last lines of a process's output, cleaned."""
    kept = clean(output.decode("utf-8", "replace"), len(output) + 1).splitlines()[-lines:]
    return "\n".join(kept)[-limit:]


def secrets_of(values: Iterable[str]) -> tuple[str, ...]:
    """What must not be shown of header or environment values: the whole values, and each of their words.

    Longest first, so that hiding one never leaves the rest of another. Very short words are no secrets.
    """
    words = {word for value in values for word in (value, *value.split()) if len(word) >= _SHORTEST_SECRET}
    return tuple(sorted(words, key=len, reverse=True))


def hide(text: str, secrets: Iterable[str]) -> str:
    """The text with every secret replaced."""
    for secret in secrets:
        text = text.replace(secret, "[hidden]")
    return text
