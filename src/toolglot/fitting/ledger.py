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


def arguments_with(pointer: str, value: Any) -> Any:
    """A schema of the arguments that have a value of the schema `value` at a place; true where that is not sayable."""
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
        else:
            return True
    return schema


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
