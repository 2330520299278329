"""Objects: properties, optional ones, maps, open and empty objects."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.codec import IDENTITY, Choice, Codec, Entries, Field, Properties
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.lowerings.hints import write
from toolglot.fitting.lowerings.presence import presence, with_null_apart
from toolglot.fitting.lowerings.untyped import note_kind
from toolglot.fitting.names import property_names
from toolglot.fitting.nodes import looking_at, types_of
from toolglot.schema.declared import said_by
from toolglot.schema.features import mask_of
from toolglot.schema.values import is_map

_OWN = ("type", "properties", "required", "additionalProperties", "patternProperties", "unevaluatedProperties")


@dataclass
class _Draft:
    """An object while it is written."""

    properties: dict[str, Any] = field(default_factory=dict[str, Any])
    required: list[str] = field(default_factory=list[str])
    fields: list[Field] = field(default_factory=list[Field])
    sentences: list[str] = field(default_factory=list[str])

    def keep(self, name: str, schema: Any, required: bool) -> None:
        """A property that stays as published."""
        self.properties[name] = schema
        if required:
            self.required.append(name)


def an_object(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """An object, written in the target's spelling."""
    if types_of(schema) != ["object"] and not site.is_root:
        return None
    if site.depth + 1 > fitter.depth_limit and not site.is_root:
        return fitter.text(schema, site, "depth")
    if "type" not in schema and (text := note_kind(fitter, schema, site)) is not None:
        return text
    schema = looking_at(schema, "object")
    others = other_names(fitter, schema, site)
    declared = declared_names(fitter, schema, site)
    if not declared and others is False and not site.is_root and fitter.refuses("object-empty"):
        if fitter.refuses("enum"):
            return fitter.text(schema, site, "object-empty")
        fitter.note(site, "object-empty", "encoded", "exact", "the empty object is an enum of one text")
        return Fit(fitter.describe({"type": "string", "enum": ["{}"]}, schema, []), Choice(("{}",), ({},)))
    return _written(fitter, schema, site, declared, others)


def other_names(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Any:
    """What names that are not declared may have as values: False (none), True (anything), or a schema."""
    closed = schema.get("unevaluatedProperties") is False
    additional = schema.get("additionalProperties")
    patterns = list(schema.get("patternProperties", {}).values())
    if additional is None and not patterns:
        silent_closed = bool(schema.get("properties")) or (site.is_root and fitter.silent_root)
        return not (closed or silent_closed)
    if additional is None:
        additional = not closed  # names that match no pattern are open too
    values = [*patterns, *([] if additional is False else [additional])]
    if not values:
        return False
    if any(value is True or value == {} for value in values):
        return True
    return values[0] if len(values) == 1 else {"anyOf": values}


def declared_names(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> dict[str, Any]:
    """The properties of an object; a name that is only required, or depended on, is declared with any value.

    An object without properties that is open has no declared names: what it requires is among its entries.
    """
    names: dict[str, Any] = dict(schema.get("properties", {}))
    wanted = list(schema.get("required", ()))
    if not _ASKING.isdisjoint(schema):
        asking = {word: schema[word] for word in _ASKING if word in schema}
        said = said_by([asking], fitter.document)
        wanted += sorted(said.names | said.wanted)
    if wanted and (names or other_names(fitter, schema, site) is False):
        for name in wanted:
            names.setdefault(name, True)
    return {name: value for name, value in names.items() if value is not False}


_ASKING = frozenset(("dependentRequired", "dependentSchemas", "if", "then", "else"))
"""Keywords that can ask for names, or declare some for a case."""
_COUNTING = _ASKING | {"minProperties"}
"""Keywords that tell a property with null from an absent one."""


def _written(fitter: Fitter, schema: Mapping[str, Any], site: Site, declared: dict[str, Any], others: Any) -> Fit:
    draft = _Draft()
    inside = Site("", "properties", site.depth + 1)
    renamed = property_names(list(declared), fitter.target.property_name)
    required = schema.get("required", ())
    optional_ok = not fitter.refuses("property-optional")
    for name, part in declared.items():
        wanted = name in required
        if renamed[name] == name and (wanted or optional_ok) and fitter.stays(part, inside):
            draft.keep(name, fitter.keep(part), wanted)
        else:
            _property(fitter, draft, schema, name, renamed[name], part, site)
    must_encode = others is not False and _is_refused_map(fitter, schema, site, declared)
    if must_encode and not declared and not site.is_root:
        return _as_entries(fitter, schema, site, others)
    new = {word: value for word, value in schema.items() if word not in _OWN}
    new = {"type": "object", "properties": draft.properties, **new}
    if draft.required:
        new["required"] = draft.required
    value: Codec | None = IDENTITY
    entries = ""
    if must_encode:
        entries, value = _add_entries(fitter, draft, new, site, others)
    elif others is not False:
        _keep_map(fitter, schema, new, draft, declared, site)
    _close(fitter, schema, new, site, closed=others is False or must_encode)
    fields = tuple(one for one in draft.fields if one.server != one.wire or one.codec is not IDENTITY or one.absent)
    codec: Codec = _codec(fitter, fields, entries, value, declared) if fields or entries else IDENTITY
    if (
        not draft.properties
        and not entries
        and "properties" not in schema
        and not fitter.refuses("root-properties-missing")
    ):
        new.pop("properties", None)
    return write(fitter, schema, new, site, codec, tuple(draft.sentences), inside=codec is not IDENTITY)


def _codec(
    fitter: Fitter, fields: tuple[Field, ...], entries: str, value: Codec | None, declared: Mapping[str, Any]
) -> Codec:
    always = bool(entries) and fitter.refuses("property-optional")
    return Properties(fields, entries, value, frozenset(declared), always)


def _is_refused_map(fitter: Fitter, schema: Mapping[str, Any], site: Site, declared: Mapping[str, Any]) -> bool:
    bits = mask_of("map", "pattern-properties", "additional-true", "object-open", "object-not-closed")
    own = {word: schema[word] for word in _OWN if word in schema}
    if fitter.own_at({"type": "object", **own}, site) & bits:
        return True
    if fitter.refuses("object-not-closed"):
        return True
    return _unclean(fitter, schema.get("additionalProperties", True), site.below("additionalProperties")) or any(
        _unclean(fitter, value, site.below("patternProperties", name))
        for name, value in schema.get("patternProperties", {}).items()
    )


def _unclean(fitter: Fitter, value: Any, site: Site) -> bool:
    """Whether the values of a map have to be written differently."""
    if isinstance(value, bool):
        return site.keyword == "patternProperties" and fitter.refuses("boolean-schema")
    return not fitter.is_clean(value, site)


def _entry(fitter: Fitter, others: Any, site: Site) -> tuple[dict[str, Any], Codec]:
    """The schema of one `{key, value}`, and the codec of its value."""
    inside = site.below("additionalProperties", deeper=2)._replace(keyword="properties")
    child = fitter.fit({} if others is True else others, inside)
    entry: dict[str, Any] = {
        "type": "object",
        "properties": {"key": {"type": "string"}, "value": child.schema},
        "required": ["key", "value"],
    }
    if fitter.refuses("object-not-closed"):
        entry["additionalProperties"] = False
    return entry, child.codec


def _as_entries(fitter: Fitter, schema: Mapping[str, Any], site: Site, others: Any) -> Fit:
    """A map without declared names: a list of entries."""
    if site.depth + 2 > fitter.depth_limit:
        return fitter.text(schema, site, "depth")
    entry, value = _entry(fitter, others, site)
    fitter.note(site, _map_feature(schema), "encoded", "wider", "sent as a list of entries")
    said = [words.entries(), words.needs([schema["required"]]) if schema.get("required") else ""]
    wire = fitter.describe({"type": "array", "items": entry}, schema, said)
    return Fit(wire, Entries(value))


def _map_feature(schema: Mapping[str, Any]) -> str:
    if "patternProperties" in schema:
        return "pattern-properties"
    others = schema.get("additionalProperties")
    return "map" if is_map(others) and others else "additional-true" if schema.get("properties") else "object-open"


def _add_entries(
    fitter: Fitter, draft: _Draft, new: dict[str, Any], site: Site, others: Any
) -> tuple[str, Codec | None]:
    """Names that are not declared, as a list of entries under a free name."""
    name = next(n for n in _free_names() if n not in draft.properties)
    if site.depth + 3 > fitter.depth_limit:
        fitter.note(site, "depth", "encoded", "wider", "other names are sent as JSON text")
        draft.properties[name] = {"type": "string", "description": words.json_text({"type": "object"}, fitter.document)}
        codec: Codec | None = None
    else:
        entry, codec = _entry(fitter, others, site._replace(depth=site.depth + 1))
        draft.properties[name] = {"type": "array", "items": entry, "description": words.entries()}
    fitter.note(site, "map", "encoded", "wider", f"other names are sent in {name}")
    if fitter.refuses("property-optional"):
        new["required"] = [*new.get("required", []), name]
    return name, codec


def _free_names() -> list[str]:
    return ["entries", *(f"entries_{n}" for n in range(2, 1000))]


def _keep_map(
    fitter: Fitter,
    schema: Mapping[str, Any],
    new: dict[str, Any],
    draft: _Draft,
    declared: Mapping[str, Any],
    site: Site,
) -> None:
    """An open object stays open; what it requires beside its properties stays, where the target takes that."""
    for word in ("additionalProperties", "patternProperties", "unevaluatedProperties"):
        if word in schema:
            new[word] = schema[word]
    wanted = [name for name in schema.get("required", ()) if name not in declared]
    if wanted and not fitter.refuses("required-undeclared"):
        new["required"] = [*draft.required, *wanted]
    elif wanted:
        draft.sentences.append(words.needs([wanted]))
        fitter.note(site, "required-undeclared", "left out", "wider", "names that are required are asked for in words")


def _close(fitter: Fitter, schema: Mapping[str, Any], new: dict[str, Any], site: Site, *, closed: bool) -> None:
    """Write that an object is closed, where the target wants it or the server says it and the target takes it."""
    if not closed:
        return
    said = schema.get("additionalProperties") is False
    if fitter.refuses("object-not-closed"):
        new["additionalProperties"] = False
        if not said:
            fitter.note(site, "object-not-closed", "kept", "exact", "closed, as the server means it")
    elif said and not fitter.refuses("object-closed"):
        new["additionalProperties"] = False
    elif said:
        fitter.note(
            site,
            "object-closed",
            "left out",
            "wider",
            "other names are refused before the server is called",
        )


# One property


def _property(
    fitter: Fitter, draft: _Draft, schema: Mapping[str, Any], name: str, wire_name: str, part: Any, site: Site
) -> None:
    below = site.below("properties", name)
    required = name in schema.get("required", ())
    if wire_name != name:
        fitter.note(below, "property-name", "encoded", "exact", f"called {wire_name}")
    if not required and not _COUNTING.isdisjoint(schema):
        part = with_null_apart(fitter, part)
    child, absent, wanted = presence(fitter, part, below, required)
    draft.properties[wire_name] = child.schema
    if wanted:
        draft.required.append(wire_name)
    draft.fields.append(Field(name, wire_name, child.codec, absent))
