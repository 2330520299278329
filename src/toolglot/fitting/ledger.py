"""The ledger: what could not stay as published, where, why, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import unescape

if TYPE_CHECKING:
    from toolglot.targets.model import Fact, Limit, NameRule

Shape = Literal["kept", "encoded", "left out", "refused"]
Values = Literal["exact", "wider", "narrower", "changed", "unproved"]

SHAPES: tuple[Shape, ...] = get_args(Shape)
VALUES: tuple[Values, ...] = get_args(Values)


class Entry(NamedTuple):
    """One place of the published schema that is sent in another form.

    `pointer` is in the published schema; `feature` is what the target does not take. `shape`: *kept* (another
    spelling, values as they are), *encoded* (values travel in another form and are restored), *left out* (defaults,
    examples, hints, assertions), *refused* (nothing is sent for this tool). `values`: *exact*; *wider* (the wire takes
    what does not restore to a valid value; caught on return); *narrower* or *changed*, then `lost` is a JSON Schema of
    the arguments that can no longer be said; *unproved*. `fact` is the statement about the target behind it.
    """

    pointer: str
    feature: str
    shape: Shape
    values: Values
    reason: str
    lost: Any = None
    fact: Fact | Limit | NameRule | None = None

    def __hash__(self) -> int:
        """By place and reason: what is lost may be any JSON."""
        return hash((self.pointer, self.feature, self.shape, self.values, self.reason))


def placed(entry: Entry, published: Any) -> Entry:
    """The entry with its pointer in the published schema.

    The engine reads the meaning, where some keywords have their modern name and parts are joined: a place that is not
    published is the nearest published one above it.
    """
    place = _nearest(entry.pointer, published)
    return entry if place == entry.pointer else entry._replace(pointer=place)


def leads_from_root(pointer: str) -> bool:
    """Whether a place has one way from the root: below a definition there may be many."""
    return not pointer.startswith(("/$defs/", "/definitions/"))


def arguments_with(pointer: str, value: Any) -> Any:
    """A schema of the arguments that have a value of the schema `value` at a place.

    Below a definition the way from the root is not known: there the arguments that have the rest of it anywhere.
    """
    schema: Any = value
    segments = [unescape(segment) for segment in pointer.split("/")[1:]]
    while segments:
        name = segments.pop()
        if segments and segments[-1] == "properties":
            segments.pop()
            schema = {"type": "object", "required": [name], "properties": {name: schema}}
        elif segments and segments[-1] in ("anyOf", "oneOf", "allOf"):
            segments.pop()
        elif name == "items":
            schema = {"type": "array", "contains": schema}
        elif name == "additionalProperties":
            schema = _some({"additionalProperties": {"not": schema}})
        elif segments and segments[-1] == "patternProperties":
            segments.pop()
            schema = _some({"patternProperties": {name: {"not": schema}}})
        elif segments and segments[-1] == "prefixItems":
            segments.pop()
            schema = {"type": "array", "minItems": int(name) + 1, "prefixItems": [*[True] * int(name), schema]}
        else:
            return _anywhere(schema)
    return schema


def _some(none: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "not": none}


def _anywhere(schema: Any) -> dict[str, Any]:
    """A schema of the values that are, or hold at any depth, a value of a schema."""
    within = {"$ref": "#/$defs/within"}
    held = [_some({"additionalProperties": {"not": within}}), {"type": "array", "contains": within}]
    return {**within, "$defs": {"within": {"anyOf": [schema, *held]}}}


_OLD_NAMES = {"prefixItems": "items", "anyOf": "oneOf", "items": "additionalItems"}


def _nearest(pointer: str, value: Any) -> str:
    found: list[str] = []
    for segment in pointer.split("/")[1:]:
        for name in (segment, _OLD_NAMES.get(segment, segment)):
            below = _below(value, name)
            if below is not None:
                found.append(name)
                value = below
                break
        else:
            break
    return "".join(f"/{name}" for name in found)


def _below(value: Any, segment: str) -> Any:
    if is_map(value):
        return value.get(unescape(segment))
    if is_list(value) and segment.isdecimal() and int(segment) < len(value):
        return value[int(segment)]
    return None
