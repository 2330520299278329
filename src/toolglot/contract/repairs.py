"""Repairs of the meaning in words. Every kind of repair is reported by exactly one rule."""

from __future__ import annotations

from toolglot.schema.dialect import dialect_of
from toolglot.schema.meaning import Repair
from toolglot.schema.walk import Schema

BROKEN = frozenset(("invalid-keyword", "dangling-reference", "remote-reference"))
"""The repairs after which a schema no longer says what its author meant."""


def repair_says(repair: Repair, schema: Schema) -> str:
    """One sentence about a repair, without the full stop; `schema` is the published root."""
    return _WORDS[repair.kind].format(keyword=repair.keyword, detail=repair.detail, dialect=dialect_of(schema))


_WORDS = {
    "invalid-keyword": "`{keyword}` is not valid in JSON Schema {dialect}: {detail}",
    "dangling-reference": "`{keyword}` refers to `{detail}`, which does not exist in the schema",
    "remote-reference": "`{keyword}` refers to `{detail}`, which is outside the schema",
    "unknown-dialect": "`$schema` is `{detail}`, which is no known dialect",
    "uncompilable-pattern": "`{keyword}` has `{detail}`, which the linear engine cannot compile",
}
