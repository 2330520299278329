"""A cache of normalised schemas: by content, by type, never mixed, never written to by a caller."""

from __future__ import annotations

import copy
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from rows import ADAPTERS

from toolglot.adk import SchemaAdapter, SchemaCache
from toolglot.adk import cache as module
from toolglot.schema.tool import Tool

SCHEMA = {"type": "object", "properties": {"a": {"type": "integer", "enum": [1]}}, "required": ["a"]}


class Counting(SchemaAdapter):
    """Counts how often it is asked."""

    def __init__(self) -> None:
        self.asked = 0

    def normalize_schema(self, schema: Any) -> Any:
        self.asked += 1
        return {**schema, "asked": self.asked}


def with_value(value: Any) -> dict[str, Any]:
    return {"type": "object", "properties": {"a": {"const": value}}}


DIFFERENT = [1, True, "1", 1.0, 0, False, None, 2**70, 2**70 + 1, [1], {"a": 1}, "\ud800"]


def test_equal_means_equal_as_json_by_type() -> None:
    adapter = Counting()
    cache = SchemaCache.for_adapter(adapter)
    for value in DIFFERENT:
        cache.normalize(with_value(value))
    assert adapter.asked == len(cache) == len(DIFFERENT)
    for value in DIFFERENT:
        cache.normalize(with_value(copy.deepcopy(value)))
    assert adapter.asked == len(DIFFERENT)


def test_the_order_of_keys_does_not_matter() -> None:
    adapter = Counting()
    cache = SchemaCache.for_adapter(adapter)
    turned = {key: SCHEMA[key] for key in reversed(SCHEMA)}
    assert cache.normalize(SCHEMA) is cache.normalize(turned)
    assert adapter.asked == 1


def test_a_collision_of_hashes_mixes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Same(str):
        """A text whose hash is that of every other."""

        __slots__ = ()
        __eq__ = str.__eq__

        def __hash__(self) -> int:
            return 1

    content = module.content
    monkeypatch.setattr(module, "content", lambda schema: Same(content(schema)))
    cache = SchemaCache.for_adapter(Counting())
    made = [cache.normalize(with_value(value))["properties"]["a"]["const"] for value in (1, "1", True)]
    assert list(map(type, made)) == [int, str, bool]
    assert len(cache) == 3


def test_a_dict_that_was_changed_gets_its_new_answer() -> None:
    cache = SchemaCache.for_adapter(ADAPTERS["gemini"])
    schema: dict[str, Any] = copy.deepcopy(SCHEMA)
    assert "b" not in cache.normalize(schema)["properties"]
    schema["properties"]["b"] = {"type": "string"}
    assert "b" in cache.normalize(schema)["properties"]


def test_a_frozen_tool_is_known_by_sight(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = SchemaCache.for_adapter(ADAPTERS["gemini"])
    schema = Tool.of({"name": "t", "inputSchema": SCHEMA}).schema
    first = cache.normalize(schema)
    monkeypatch.setattr(module, "content", lambda _: pytest.fail("looked at again"))
    assert cache.normalize(schema) is first


def levels(value: Any) -> list[Any]:
    below = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [value, *(found for one in below for found in levels(one))] if isinstance(value, (dict, list)) else []


def test_no_edit_reaches_the_cache() -> None:
    cache = SchemaCache.for_adapter(ADAPTERS["gemini"])
    given = copy.deepcopy(SCHEMA)
    for part in levels(cache.normalize(given)):
        with pytest.raises(TypeError, match="read-only"):
            part.clear()
    assert given == SCHEMA
    for part in levels(given):
        part.clear()
    assert cache.normalize(SCHEMA)["properties"]["a"]["enum"] == [1]


def test_two_caches_share_nothing() -> None:
    one, other = SchemaCache.for_adapter(ADAPTERS["gemini"]), SchemaCache.for_adapter(ADAPTERS["openai-strict"])
    assert one.normalize(SCHEMA) != other.normalize(SCHEMA)
    one.clear()
    assert (len(one), len(other)) == (0, 1)


def test_threads_share_a_cache() -> None:
    cache = SchemaCache.for_adapter(ADAPTERS["gemini"])
    schemas = [with_value(n % 20) for n in range(400)]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(cache.normalize, schemas))
    assert len(cache) == 20
    assert all(one is made[place % 20] for place, one in enumerate(made))
