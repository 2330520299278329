"""JSON as people write it in configuration files: with comments and trailing commas."""

from __future__ import annotations

import re

_PIECE = re.compile(r'"(?:[^"\\\n]|\\.)*"|//[^\n]*|/\*.*?\*/|/\*.*\Z', re.DOTALL)
_TRAILING = re.compile(r'"(?:[^"\\\n]|\\.)*"|,(?=\s*[}\]])')
_NOT_NEWLINE = re.compile(r"[^\n]")


def strip(text: str) -> str:
    """The text as plain JSON; what is left out becomes spaces, so that lines and columns stay right."""
    plain = _PIECE.sub(lambda found: _blank(found[0]), text)
    return _TRAILING.sub(lambda found: _blank(found[0]), plain)


def _blank(piece: str) -> str:
    return piece if piece.startswith('"') else _NOT_NEWLINE.sub(" ", piece)
