"""One target-free pass over a schema: which features are present (a bit mask) and how large it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from toolglot.schema.detectors import boolean
from toolglot.schema.features import mask_of
from toolglot.schema.plans import plan_of
from toolglot.schema.refs import Document
from toolglot.schema.tally import Tally


@dataclass(frozen=True, slots=True)
class Scan:
    """What one pass over a schema found.

    `mask`: the features present; `masks`: those of each node of the document. `formats` and `names`: every `format`
    and every property name. The counters are those of `targets.model` (SCHEMA_LIMITS, REQUEST_LIMITS); definitions
    do not count as parameters.
    """

    mask: int
    masks: Sequence[int]
    counts: Mapping[str, int]
    formats: frozenset[str]
    names: frozenset[str]


def scan(document: Document) -> Scan:
    """Look once at every node of a schema. Raises ToolError past the budget of nodes."""
    mask = 0
    masks: list[int] = []
    tally = Tally()
    for node in document.nodes:
        schema = node.schema
        if isinstance(schema, bool):
            found = boolean(node)
        else:
            plan = plan_of(schema)
            found = plan.features(schema, node, document)
            if plan.tallied or found & _LISTS:
                tally.add(node, schema)
        mask |= found
        masks.append(found)
    return Scan(mask, masks, tally.counts(), frozenset(tally.formats), frozenset(tally.names))


_LISTS = mask_of("type-list", "type-list-null")
