"""The switch in the environment, read in one way by everybody. It imports nothing: the command line starts with it."""

from __future__ import annotations

READ_ONLY = "TOOLGLOT_READ_ONLY"
"""The variable that makes a server read-only, for the proxy and for what is published."""

_OFF = ("0", "false", "no", "off")


def is_on(value: str | None) -> bool:
    """Whether a variable switches a protection on; a value that cannot be read does, the empty one included."""
    return value is not None and value.strip().lower() not in _OFF
