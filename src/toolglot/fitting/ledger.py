"""The ledger: what could not stay as published, where, why, and what it costs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, NamedTuple, get_args

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
