"""Normalised schemas, kept by content."""

from __future__ import annotations

import json
from collections.abc import Mapping
from threading import Lock
from typing import Any

from toolglot.adk.adapters import SchemaAdapter
from toolglot.schema.tool import FrozenDict, freeze

MOST_ENTRIES = 10_000
"""Most contents that are kept, and most frozen schemas that are known by sight; above that all are forgotten."""

_encode = json.JSONEncoder(sort_keys=True, separators=(",", ":")).encode


def content(schema: Any) -> str:
    """What a schema says, as a text: equal for schemas that are equal as JSON by type, whatever the order of keys.

    1, 1.0, true and "1" are four values; integers are exact. Raises TypeError for what is no JSON, ToolError for what
    is nested too deep or contains itself.
    """
    try:
        return _encode(schema)
    except (RecursionError, ValueError):
        return _encode(freeze(schema))


class SchemaCache:
    """What one adapter makes of schemas, computed once for each content. Threads may share it.

    Two caches share nothing, so two adapters never see an entry of each other. Results are read-only: nothing that a
    caller does reaches the cache, or the tool that a schema came from.
    """

    def __init__(self, adapter: SchemaAdapter) -> None:
        self.adapter = adapter
        self._by_content: dict[str, Any] = {}
        self._seen: dict[int, tuple[FrozenDict, Any]] = {}
        self._writing = Lock()

    @classmethod
    def for_adapter(cls, adapter: SchemaAdapter) -> SchemaCache:
        """An empty cache for an adapter."""
        return cls(adapter)

    def normalize(self, schema: Mapping[str, Any] | bool) -> Any:
        """The schema as the adapter makes it, as read-only containers (copy it to change it).

        A plain dict is looked at each time, so one that was changed in place gets its new answer. The frozen schema of
        a toolglot Tool (`tool.schema`) is known by sight. Raises ToolError for a schema nested deeper than 200 levels.
        """
        known = self._seen.get(id(schema))
        if known is not None and known[0] is schema:
            return known[1]
        key = content(schema)
        found = self._by_content.get(key, self)
        if found is self:
            found = self._made(key, schema)
        if type(schema) is FrozenDict:
            with self._writing:
                _put(self._seen, id(schema), (schema, found))
        return found

    def _made(self, key: str, schema: Any) -> Any:
        """Computed outside the lock: two threads may do the same work, and the first answer counts."""
        made = freeze(self.adapter.normalize_schema(freeze(schema)))
        with self._writing:
            return _put(self._by_content, key, made)

    def clear(self) -> None:
        """Forget everything."""
        with self._writing:
            self._by_content.clear()
            self._seen.clear()

    def __len__(self) -> int:
        """How many contents are kept."""
        return len(self._by_content)

    def __bool__(self) -> bool:
        """True: an empty cache is one, too."""
        return True

    def __repr__(self) -> str:
        return f"SchemaCache.for_adapter({self.adapter!r})"


def _put(kept: dict[Any, Any], key: Any, value: Any) -> Any:
    if len(kept) >= MOST_ENTRIES:
        kept.clear()
    return kept.setdefault(key, value)
