"""One property of an object: how the wire says that it is not there, and null beside that."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.fitting.codec import IDENTITY, LEAVE_OUT, Codec, JsonText
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.ledger import arguments_with
from toolglot.fitting.lowerings.nulls import Nullable, spell_null, takes_null, wire_takes_null, without_null
from toolglot.fitting.nodes import types_of, without
from toolglot.fitting.wire import on_wire
from toolglot.schema.features import mask_of
from toolglot.schema.values import is_list, is_map, same


def with_null_apart(fitter: Fitter, part: Any) -> Any:
    """A property whose null is not the same as its absence, whatever its default says."""
    schema = fitter.follow(part)
    return without(schema, "default") if is_map(schema) and _default_is_null(fitter, part) else part


def presence(fitter: Fitter, part: Any, site: Site, required: bool) -> tuple[Fit, str, bool]:
    """A property, what stands for its absence, and whether the wire requires it."""
    optional_ok = not fitter.refuses("property-optional")
    if required or optional_ok:
        return _null_by_absence(fitter, part, site, required, optional_ok) or (fitter.fit(part, site), "", required)
    return _demanded(fitter, part, site)


def _null_by_absence(
    fitter: Fitter, part: Any, site: Site, required: bool, optional_ok: bool
) -> tuple[Fit, str, bool] | None:
    """Where the target has no null: a required property becomes optional, an optional one loses its null default."""
    if not optional_ok or not takes_null(fitter, part):
        return None
    rest = without_null(fitter, part)
    if rest is None or takes_null(fitter, rest) or not _null_is_unspeakable(fitter, part):
        return None
    fitter.null_beside.add(site.pointer)
    if required:
        fitter.note(site, "null-union", "encoded", "exact", "absent stands for null")
        return fitter.fit(rest, site), "swap", False
    if _default_is_null(fitter, part):
        fitter.note(site, "null-union", "encoded", "exact", "absent stands for null, its default")
        return fitter.fit(without(rest, "default"), site), "drop", False
    return None


def _null_is_unspeakable(fitter: Fitter, part: Any) -> bool:
    """Whether a null that is spelled out here is refused, and the target has no other spelling for it."""
    schema = fitter.follow(part)
    if not is_map(schema):
        return False
    refused = fitter.mask(schema, "properties") & fitter.refused & mask_of(
        "type-list", "type-list-null", "null-union", "enum-null", "type-null", "scalar-union", "one-structured-union",
        "structured-union", "one-of", "union-typed", "union-annotated", "union-siblings",
    )  # fmt: skip
    return bool(refused) and spell_null(fitter, {"type": "string"}) is None


def _default_is_null(fitter: Fitter, part: Any) -> bool:
    schema = fitter.follow(part)
    return is_map(schema) and "default" in schema and schema["default"] is None


def _demanded(fitter: Fitter, part: Any, site: Site) -> tuple[Fit, str, bool]:
    """An optional property of a target that demands every property: null stands for absent."""
    child = fitter.fit(part, site)
    if not wire_takes_null(fitter, child.schema):
        spelled = spell_null(fitter, child.schema)
        if spelled is not None:
            fitter.note(site, "property-optional", "encoded", "exact", "null stands for absent")
            return Fit(spelled, child.codec), "null", True
        return _sentinel(fitter, part, child, site)
    if _default_is_null(fitter, part):
        fitter.note(
            site, "property-optional", "encoded", "exact", "null stands for absent, as the server's default says"
        )
        return Fit(child.schema, _around_null(child.codec)), "null-too", True
    return _sentinel(fitter, part, child, site)


def _around_null(codec: Codec) -> Codec:
    return codec if codec is IDENTITY or isinstance(codec, (Nullable, JsonText)) else Nullable(codec)


def _sentinel(fitter: Fitter, part: Any, child: Fit, site: Site) -> tuple[Fit, str, bool]:
    """Null is a value of its own: a text of one word says that the property is left out."""
    wire = _with_sentinel(fitter, child.schema)
    if wire is None:
        text = fitter.text(part, site, "property-optional")
        spelled = spell_null(fitter, text.schema)
        if spelled is not None:
            return Fit(spelled, text.codec), "null", True
        return text, "sentinel", True
    if _takes_text(fitter, child.schema):
        lost = arguments_with(site.pointer, {"const": LEAVE_OUT})
        fitter.note(site, "property-optional", "encoded", "narrower", f'"{LEAVE_OUT}" stands for absent', lost)
    else:
        fitter.note(site, "property-optional", "encoded", "exact", f'"{LEAVE_OUT}" stands for absent')
    return Fit(wire, child.codec), "sentinel", True


def _with_sentinel(fitter: Fitter, wire: Mapping[str, Any]) -> dict[str, Any] | None:
    """The wire schema with the text as one more branch."""
    extra = {"type": "string", "enum": [LEAVE_OUT]}
    outside = {word: wire[word] for word in ("description", "title") if word in wire}
    inside = without(wire, *outside)
    branches = [*inside["anyOf"], extra] if set(inside) == {"anyOf"} else _split(inside, extra)
    new = {**outside, "anyOf": branches}
    looked_at = {**new, "anyOf": [on_wire(fitter, branch) for branch in branches]}
    return new if not (fitter.mask(new, "properties") | fitter.mask(looked_at, "properties")) & fitter.refused else None


def _split(inside: Mapping[str, Any], extra: dict[str, Any]) -> list[Any]:
    kind = inside.get("type")
    if not is_list(kind) or "null" not in kind:
        return [dict(inside), extra]
    rest = [name for name in kind if name != "null"]
    if not rest:
        return [{"type": "null"}, extra]
    one = {**inside, "type": rest[0] if len(rest) == 1 else rest}
    if "enum" in inside:
        one["enum"] = [value for value in inside["enum"] if value is not None]
    return [one, {"type": "null"}, extra]


def _takes_text(fitter: Fitter, wire: Mapping[str, Any]) -> bool:
    branches = [on_wire(fitter, branch) for branch in wire.get("anyOf", [wire])]
    return any(_branch_takes_text(branch) for branch in branches if is_map(branch))


def _branch_takes_text(branch: Mapping[str, Any]) -> bool:
    values = branch.get("enum", [branch["const"]] if "const" in branch else None)
    if values is not None:
        return any(same(value, LEAVE_OUT) for value in values)
    types = types_of(branch)
    return not types or "string" in types
