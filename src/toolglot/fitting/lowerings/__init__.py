"""The lowerings, in the order they are tried. One visible tuple; the first that applies writes the node."""

from __future__ import annotations

from toolglot.fitting.engine import Lowering
from toolglot.fitting.lowerings.arrays import an_array
from toolglot.fitting.lowerings.nulls import nullable, type_list
from toolglot.fitting.lowerings.objects import an_object
from toolglot.fitting.lowerings.refs import all_of, reference
from toolglot.fitting.lowerings.unions import union
from toolglot.fitting.lowerings.values import anything, listed, scalar

LOWERINGS: tuple[Lowering, ...] = (
    reference,
    all_of,
    nullable,
    type_list,
    union,
    listed,
    an_array,
    an_object,
    scalar,
    anything,
)
