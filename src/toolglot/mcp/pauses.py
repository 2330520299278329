"""The pauses, in seconds, before a server that was lost is started or connected again."""

from __future__ import annotations

FIRST_PAUSE = 0.1
LONGEST_PAUSE = 10.0
"""Each pause is twice the one before it, up to this."""

STEADY = 3.0
"""How long a server must have lived for the pauses to start from the first again."""
