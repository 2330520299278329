"""References and `allOf`: kept where the target takes them, else written in place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.fitting.codec import IDENTITY, Definition
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.intersect import Unmergeable, intersect
from toolglot.fitting.nodes import without
from toolglot.schema.declared import said_by
from toolglot.schema.features import mask_of
from toolglot.schema.keywords import ANNOTATIONS
from toolglot.schema.refs import Resolved, ref_of
from toolglot.schema.values import is_map

_KINDS = ("ref", "ref-definitions", "ref-to-root", "ref-other", "ref-recursive")


def reference(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """A `$ref`: kept, or written in place; where it leads back to itself, unrolled once, then JSON text."""
    ref = ref_of(schema)
    if ref is None:
        return None
    found = fitter.document.resolve(ref)
    if not isinstance(found, Resolved):
        return fitter.fit(without(schema, "$ref"), site)
    recursive = found.pointer in fitter.document.recursive
    if not site.is_root and _may_stay(fitter, schema, site, recursive):
        return _kept(fitter, schema, found)
    if found.pointer in site.stack or len(site.stack) > 40:
        return fitter.text(fitter.follow(schema), site, "ref-recursive")
    kind = "ref-recursive" if recursive else "ref"
    fitter.note(site, kind, "kept", "exact", "written in place of the reference")
    inside = site._replace(pointer=found.pointer, stack=(*site.stack, found.pointer))
    return fitter.fit(_inlined(fitter, schema, found), inside)


def _may_stay(fitter: Fitter, schema: Mapping[str, Any], site: Site, recursive: bool) -> bool:
    """Whether the target takes a reference here; places other than definitions are moved into them."""
    if fitter.refuses("ref") and fitter.refuses("ref-definitions"):
        return False
    if recursive and fitter.refuses("ref-recursive"):
        return False
    beside = set(schema) - {"$ref"}
    if beside - ANNOTATIONS or (beside and fitter.own_at(schema, site) & _ANNOTATED):
        return False
    return not (site.keyword in ("anyOf", "oneOf") and fitter.refuses("ref-in-union"))


_ANNOTATED = mask_of("ref-annotated", "ref-siblings")


def _kept(fitter: Fitter, schema: Mapping[str, Any], found: Resolved) -> Fit:
    ref = fitter.define(found)
    codec = fitter.codecs.get(found.pointer)
    new = {**schema, "$ref": ref}
    return Fit(new, IDENTITY if codec is IDENTITY else Definition(found.pointer))


def _inlined(fitter: Fitter, schema: Mapping[str, Any], found: Resolved) -> Any:
    rest = without(schema, "$ref")
    if not rest:
        return found.schema
    try:
        return intersect(rest, found.schema, lambda one: one)
    except Unmergeable:
        return {**rest, "allOf": [*rest.get("allOf", ()), found.schema]}


def all_of(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """`allOf` as one schema: the intersection of its parts."""
    if "allOf" not in schema:
        return None
    merged: Any = without(schema, "allOf")
    left: list[Any] = []
    for part in schema["allOf"]:
        try:
            merged = intersect(merged, part, fitter.follow)
        except Unmergeable:
            left.append(part)
    if merged is False:
        merged = {"type": "object", "not": {}} if site.is_root else {"not": {}}
    if left:
        merged = _loosened(fitter, merged, left, site)
        fitter.note(site, "all-of", "left out", "wider", "one part is checked before the server is called")
    else:
        fitter.note(
            site, "all-of", "kept", "exact" if _simple(schema["allOf"]) else "unproved", "joined into one schema"
        )
    return fitter.fit(merged, site)


def _loosened(fitter: Fitter, merged: Any, left: list[Any], site: Site) -> Any:
    """What could be joined, with room for the names that the parts left out declare or ask for."""
    if not is_map(merged) or not (merged.get("properties") or site.is_root):
        return merged
    said = said_by(left, fitter.document)
    loose = sorted((said.names | said.wanted).difference(merged.get("properties", ())))
    new = {**merged, "properties": {**merged.get("properties", {}), **dict.fromkeys(loose, True)}}
    return {"additionalProperties": True, **new} if said.others else new


def _simple(parts: list[Any]) -> bool:
    """Whether only properties, required names and annotations are joined: structure alone shows that it is exact."""
    known = {"type", "properties", "required", "description", "title", "$ref"}
    return all(is_map(part) and set(part) <= known for part in parts)
