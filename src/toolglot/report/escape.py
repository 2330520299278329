"""The one place that makes published text harmless: on a terminal, and as JSON inside a page."""

from __future__ import annotations

import re
import unicodedata

_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HIDDEN_CATEGORIES = frozenset(("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"))
_NOT_ASCII_PRINTABLE = re.compile(r"[^ -~]")
_NEEDS_QUOTES = re.compile(r"[\s,\"]|^$")

NAME_LIMIT = 120
"""Longest tool name or pointer that a line shows; `cut` shortens the rest."""


def plain(text: str) -> str:
    """A text as it may stand on one line of a terminal.

    Control characters, escape sequences, line ends, bidi and zero-width controls, lone surrogates and
    unassigned characters become visible escapes (`\\x1b`, `\\u202e`). The rest stays: nothing reads markup.
    """
    return text if text.isascii() and text.isprintable() else _NOT_ASCII_PRINTABLE.sub(_visible, text)


def _visible(match: re.Match[str]) -> str:
    character = match.group()
    if unicodedata.category(character) not in _HIDDEN_CATEGORIES:
        return character
    return _SHORT.get(character) or _escape(ord(character))


def _escape(code: int) -> str:
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def cut(text: str, limit: int = NAME_LIMIT) -> str:
    """A text of at most `limit` characters: of a longer one the middle is left out, both ends stay."""
    if len(text) <= limit:
        return text
    head = limit * 2 // 3
    return f"{text[:head]}…{text[len(text) - (limit - head - 1) :]}"


def name(text: str) -> str:
    """A published name for a terminal: harmless, not too long, quoted where it is empty or has spaces."""
    shown = plain(cut(text))
    return f'"{shown}"' if _NEEDS_QUOTES.search(shown) else shown


def embedded(json_text: str) -> str:
    """JSON text that may stand inside a page: `<`, which only its strings can hold, becomes `\\u003c`."""
    return json_text.replace("<", "\\u003c")
