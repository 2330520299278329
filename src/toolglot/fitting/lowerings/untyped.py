"""Schemas without a type that have properties or items: written as an object or a list, which other values are not."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.ledger import arguments_with, leads_from_root
from toolglot.fitting.nodes import types_of
from toolglot.schema.keywords import ANNOTATIONS, TYPES, UNIONS
from toolglot.schema.values import is_list, is_map, type_of


def note_kind(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """Note that a schema without a type is written as the kind of its keywords; where that cannot be said, JSON text.

    A branch of a union is not noted: the union is.
    """
    if "type" in schema or site.is_root or site.pointer.rpartition("/")[0].endswith(("/anyOf", "/oneOf")):
        return None
    return _noted(fitter, schema, site, types_of(schema))


def note_branches(fitter: Fitter, schema: Mapping[str, Any], word: str, site: Site) -> Fit | None:
    """The same for a union with such branches, unless one of the others takes any value."""
    if "type" in schema or not any(_is_read(fitter.follow(branch)) for branch in schema[word]):
        return None
    if any(_is_any(fitter, branch) for branch in schema[word]):
        return None
    kinds = _kinds(fitter, {word: schema[word]})
    if kinds is None:
        return fitter.text(schema, site, "untyped-properties")
    return _noted(fitter, schema, site, [name for name in TYPES if name in kinds])


def _noted(fitter: Fitter, schema: Mapping[str, Any], site: Site, kinds: list[str]) -> Fit | None:
    if not leads_from_root(site.pointer):
        return fitter.text(schema, site, "untyped-properties")
    if site.pointer in fitter.null_beside and "null" not in kinds:
        kinds = [*kinds, "null"]
    lost = arguments_with(site.pointer, {"not": {"type": kinds}})
    fitter.note(site, "untyped-properties", "kept", "narrower", f"written as: {', '.join(kinds)}", lost)
    return None


def _is_read(branch: Any) -> bool:
    """Whether only its keywords say what a branch is about."""
    listed = is_map(branch) and ("enum" in branch or "const" in branch)
    return is_map(branch) and "type" not in branch and not listed and bool(types_of(branch))


def _is_any(fitter: Fitter, schema: Any) -> bool:
    """Whether a branch says nothing that a value could break."""
    schema = fitter.follow(schema)
    return schema is True or (is_map(schema) and ANNOTATIONS.issuperset(schema))


def _kinds(fitter: Fitter, schema: Any, depth: int = 3) -> set[str] | None:
    """The JSON types that a schema is written with; None where structure does not say."""
    schema = fitter.follow(schema)
    if not is_map(schema):
        return set() if schema is False else None
    word = next((name for name in UNIONS if is_list(schema.get(name))), None)
    if word is None or "type" in schema:
        values = schema.get("enum", [schema["const"]] if "const" in schema else [])
        return {type_of(value) for value in values} or set(types_of(schema)) or None
    found = [_kinds(fitter, branch, depth - 1) if depth else None for branch in schema[word]]
    known = [kinds for kinds in found if kinds is not None]
    return set[str]().union(*known) if len(known) == len(found) else None
