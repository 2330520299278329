"""Arrays and tuples."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.fitting.codec import IDENTITY, Codec
from toolglot.fitting.codec_lists import Items, Positions
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.lowerings.hints import write
from toolglot.fitting.lowerings.nulls import spell_null, wire_takes_null
from toolglot.fitting.lowerings.untyped import note_kind
from toolglot.fitting.nodes import looking_at, types_of, without
from toolglot.schema.values import is_map, same


def an_array(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """An array: its entries fitted; a tuple where the target takes none as an array of one kind or as an object."""
    if types_of(schema) != ["array"]:
        return None
    if site.depth + 1 > fitter.depth_limit:
        return fitter.text(schema, site, "depth")
    if "type" not in schema and (text := note_kind(fitter, schema, site)) is not None:
        return text
    schema = looking_at(schema, "array")
    if "prefixItems" in schema:
        return _tuple(fitter, schema, site)
    child = _items(fitter, schema, site)
    new = {"type": "array", **without(schema, "type", "items"), **child.schema}
    codec: Codec = IDENTITY if child.codec is IDENTITY else Items(child.codec)
    return write(fitter, schema, new, site, codec, inside=codec is not IDENTITY)


def _items(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit:
    """The member `items` on the wire, as a mapping of none or one member."""
    items = schema.get("items", True)
    if items is False:
        return Fit({"items": {"type": "string"}, "maxItems": 0})
    if "items" not in schema and not fitter.refuses("array-no-items"):
        return Fit({})
    child = fitter.fit(items, site.below("items"))
    if "items" not in schema:
        fitter.note(site, "array-no-items", "kept", "exact", "the entries are written out as any value")
    return Fit({"items": child.schema}, child.codec)


def _tuple(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit:
    items = schema["prefixItems"]
    rest = schema.get("items", True)
    fitted = [fitter.fit(item, site.below("prefixItems", place)) for place, item in enumerate(items)]
    others = fitter.fit(rest, site.below("items")) if is_map(rest) else Fit(rest)
    if not fitter.refuses("tuple") and all(one.codec is IDENTITY for one in (*fitted, others)):
        new = {**schema, "prefixItems": [one.schema for one in fitted]}
        if "items" in schema:
            new["items"] = others.schema
        if isinstance(rest, bool) and fitter.refuses("boolean-schema"):
            new.pop("items", None)
            if rest is False:
                new["maxItems"] = min(len(items), schema.get("maxItems", len(items)))
        return write(fitter, schema, new, site)
    least = schema.get("minItems", 0)
    if rest is False and least >= len(items) and all(same(item, items[0]) for item in items):
        return _one_kind(fitter, schema, site, fitted[0], len(items))
    return _as_object(fitter, schema, site, rest)


def _one_kind(fitter: Fitter, schema: Mapping[str, Any], site: Site, item: Fit, length: int) -> Fit:
    """A tuple of fixed length and one kind is an array with bounds."""
    new = {"type": "array", **without(schema, "type", "prefixItems", "items"), "items": item.schema}
    new |= {"minItems": length, "maxItems": length}
    fitter.note(site, "tuple", "kept", "exact", "an array of one kind with bounds")
    codec: Codec = IDENTITY if item.codec is IDENTITY else Items(item.codec)
    return write(fitter, {**schema, "minItems": length, "maxItems": length}, new, site, codec, inside=True)


def _as_object(fitter: Fitter, schema: Mapping[str, Any], site: Site, rest: Any) -> Fit:
    """Other tuples: one property per position, the rest as a list. JSON text where a missing item cannot be said."""
    least = schema.get("minItems", 0)
    properties: dict[str, Any] = {}
    codecs: list[Codec] = []
    for place, item in enumerate(schema["prefixItems"]):
        child = _position(fitter, item, site.below("prefixItems", place, deeper=1), optional=place >= least)
        if child is None:
            return fitter.text(schema, site, "tuple")
        properties[f"item_{place + 1}"] = child.schema
        codecs.append(child.codec)
    more: Codec | None = None
    if rest is not False:
        child = fitter.fit(rest, site.below("items", deeper=2))
        properties["more"] = {"type": "array", "items": child.schema}
        more = child.codec
    fitter.note(site, "tuple", "encoded", "wider", "sent as an object with item_1, item_2, ...")
    known = min(least, len(codecs))
    full = fitter.refuses("property-optional")
    demanded = list(properties) if full else [f"item_{place + 1}" for place in range(known)]
    return _object_of(fitter, schema, properties, demanded, Positions(tuple(codecs), more, known if full else None))


def _position(fitter: Fitter, item: Any, site: Site, *, optional: bool) -> Fit | None:
    """An item of a tuple; where null has to mean "not there", one that takes null is wrapped. None: no null there."""
    child = fitter.fit(item, site)
    if not optional or not fitter.refuses("property-optional"):
        return child
    spelled = None if wire_takes_null(fitter, child.schema) else spell_null(fitter, child.schema)
    if spelled is None:
        child = fitter.text(item, site, "tuple")
        spelled = spell_null(fitter, child.schema)
    return None if spelled is None else Fit(spelled, child.codec)


def _object_of(
    fitter: Fitter, schema: Mapping[str, Any], properties: dict[str, Any], demanded: list[str], codec: Positions
) -> Fit:
    wire: dict[str, Any] = {"type": "object", "properties": properties}
    if demanded:
        wire["required"] = demanded
    if fitter.refuses("object-not-closed"):
        wire["additionalProperties"] = False
    return Fit(fitter.describe(wire, schema, []), codec)
