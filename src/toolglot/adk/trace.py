"""What each step of an adapter did, and where in the published schema."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from toolglot.adk.adapters import Step, transform_for
from toolglot.adk.transform import Node, Transform, any_object, read
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import walk


@dataclass(frozen=True, slots=True)
class Change:
    """One node that one step changed. `pointer` is its place in the published schema; `root` is the whole as the step
    found it; `before` and `after` are the node, with everything below it as it was before the step.
    """

    pointer: str
    step: str
    before: Node
    after: Any
    root: Any


def traced(steps: Iterable[Step], schema: Any) -> tuple[list[Change], Any]:
    """The changes of all steps, in their order, and the schema after them.

    What is nested too deep is cut before, as in `normalize_schema`. Raises ToolError past the budget of nodes.
    """
    current, _ = read(schema)
    trace = _Trace(current)
    for step in steps:
        transform = transform_for(step, current)
        made = transform(current)
        trace.compare(transform, current, made)
        current = made
    return list(trace.changes.values()), current


class _Trace:
    """Where each object of the schema stood when it was published. Objects are known by sight, so all are kept."""

    def __init__(self, schema: Any) -> None:
        self.changes: dict[tuple[str, str, bool], Change] = {}
        self._kept: list[Any] = []
        self._places: dict[int, str] = {}
        for node in walk(schema) if is_map(schema) else ():
            self._places.setdefault(id(node.schema), node.pointer)

    def compare(self, transform: Transform, root: Any, made: Any) -> None:
        """Note where a transformation changed `root` on its way to `made`."""
        self._kept.append(root)
        waiting: list[tuple[Any, Any, int, str]] = [(root, made, 0, "")]
        while waiting:
            before, after, depth, near = waiting.pop()
            if before is after or not is_map(before):
                continue
            local, below = transform.local(before, depth)
            here = self._places.get(id(before), near)
            if local is not before:
                self._kept.append(local)
                key = (here, transform.name, local == any_object())
                self.changes.setdefault(key, Change(here, transform.name, before, local, root))
            there = self._places.get(id(local), here)
            if is_map(after):
                self._places.setdefault(id(after), there)
            if below is not None and is_map(local) and is_map(after):
                pairs = [(old, new, below, there) for old, new in _pairs(local, after, transform)]
                waiting += reversed(pairs)


def _pairs(before: Node, after: Node, transform: Transform) -> Iterator[tuple[Any, Any]]:
    """The schemas directly below two forms of one node, place by place."""
    for keyword in transform.places:
        old, new = before.get(keyword), after.get(keyword)
        if is_map(old) and is_map(new) and transform.places[keyword] == "map":
            yield from ((old[name], new[name]) for name in old)
        elif is_list(old) and is_list(new):
            yield from zip(old, new, strict=True)
        elif is_map(old) and is_map(new):
            yield old, new
