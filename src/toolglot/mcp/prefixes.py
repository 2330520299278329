"""What stands before the names of each of several servers, so that no two tools get one name."""

from __future__ import annotations

from hashlib import sha256
from typing import TYPE_CHECKING

from toolglot.schema.tool import Tool

if TYPE_CHECKING:
    from collections.abc import Iterable


def prefixes(servers: Iterable[str]) -> dict[str, str]:
    """The prefix of each server by its name: `NAME_`, and more only where that begins another one.

    No prefix begins another, so a prefixed name belongs to one server whatever its tools are called.
    """
    found: dict[str, str] = {}
    for name in sorted(dict.fromkeys(servers), key=len, reverse=True):
        forms = (f"{name}_", f"{name}__", f"{name}_{sha256(name.encode()).hexdigest()[:8]}_")
        found[name] = next((form for form in forms if not _meets(form, found.values())), forms[-1])
    return found


def _meets(form: str, others: Iterable[str]) -> bool:
    return any(form.startswith(other) or other.startswith(form) for other in others)


def prefixed(tool: Tool, prefix: str, index: int | None = None) -> Tool:
    """The tool with a prefix before its name, and perhaps another place in the list."""
    if not prefix and index in (None, tool.index):
        return tool
    return Tool.of({**tool.raw, "name": prefix + tool.name}, tool.index if index is None else index)
