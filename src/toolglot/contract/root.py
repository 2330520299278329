"""Whether the root of an input schema is an object with its parameters in sight, and if not, what hides them."""

from __future__ import annotations

from dataclasses import dataclass

from toolglot.contract.shapes import Parameters, entries, parameters_of, types_of
from toolglot.contract.unions import listed
from toolglot.schema.keywords import COMBINERS
from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema


@dataclass(frozen=True, slots=True)
class Root:
    """The root of one schema. `hidden` says what hides its parameters, in words; empty where they are in sight.

    `keyword` is the keyword that hides them. `parameters` are all of them, those out of sight too.
    """

    hidden: str
    keyword: str | None
    parameters: Parameters


def read_root(document: Document, *, missing: bool = False) -> Root:
    """Read the root of a document; `missing`: the tool published no `inputSchema` at all."""
    parameters = parameters_of(document.schema, document)
    if missing:
        return Root("the tool publishes no `inputSchema`", None, parameters)
    hidden, keyword = _what_hides(document.schema, parameters)
    return Root(hidden, keyword, parameters)


def _what_hides(schema: Schema, parameters: Parameters) -> tuple[str, str | None]:
    if not is_map(schema):
        return f"the root is `{str(schema).lower()}`", None
    ref = ref_of(schema)
    if ref is not None:
        return f"the root is a reference to `{ref}`", "$ref"
    if schema.get("type") != "object":
        return _untyped(schema)
    if parameters.hidden:
        keyword = _holder(schema)
        names = listed([f"`{name}`" for name in parameters.hidden])
        return f"the root declares {names} inside `{keyword}` only", keyword
    return "", None


def _untyped(schema: dict[str, object]) -> tuple[str, str | None]:
    for keyword in COMBINERS:
        if branches := entries(schema, keyword):
            return f"the root is an `{keyword}` of {len(branches)} without `type: object`", keyword
    if not schema.keys() - {"$schema"}:
        return "the root says nothing but `$schema`" if schema else "the root is empty", None
    if types := types_of(schema):
        return f"the root has type {' or '.join(types)}, not `object`", "type"
    return "the root has no `type: object`", "type" if "type" in schema else None


def _holder(schema: dict[str, object]) -> str:
    """The first keyword at the root that can declare parameters out of sight."""
    holders = (*COMBINERS, "then", "else", "dependentSchemas", "dependencies")
    return next((keyword for keyword in holders if keyword in schema), "")
