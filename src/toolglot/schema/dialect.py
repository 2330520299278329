"""The dialects of JSON Schema: a closed list of `$schema` addresses."""

from __future__ import annotations

from toolglot.schema.walk import Schema

DRAFT_04 = "draft-04"
DRAFT_06 = "draft-06"
DRAFT_07 = "draft-07"
DRAFT_2019_09 = "2019-09"
DRAFT_2020_12 = "2020-12"

_ADDRESSES = {
    "json-schema.org/draft-04/schema": DRAFT_04,
    "json-schema.org/draft-06/schema": DRAFT_06,
    "json-schema.org/draft-07/schema": DRAFT_07,
    "json-schema.org/draft/2019-09/schema": DRAFT_2019_09,
    "json-schema.org/draft/2020-12/schema": DRAFT_2020_12,
}

OLD_REFERENCES = frozenset((DRAFT_04, DRAFT_06, DRAFT_07))
"""Dialects in which keywords beside `$ref` count for nothing (draft-07, 8.3)."""


def declared_dialect(schema: Schema) -> str | None:
    """The dialect that `$schema` names; None where there is none, or one that is not in the closed list."""
    address = None if isinstance(schema, bool) else schema.get("$schema")
    if not isinstance(address, str):
        return None
    return _ADDRESSES.get(address.removeprefix("http://").removeprefix("https://").rstrip("#"))


def dialect_of(schema: Schema) -> str:
    """The dialect a schema is read in: the declared one, else 2020-12 (MCP 2025-11-25, SEP-1613)."""
    return declared_dialect(schema) or DRAFT_2020_12
