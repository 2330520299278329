"""The branches of a union that a value may be meant for: by a tag, else the nearest."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toolglot.fitting.failures import Failure, Judge, Path
from toolglot.fitting.takes import taken
from toolglot.fitting.unknown import known_names
from toolglot.schema.values import has_type, is_list, is_map, same


@dataclass(frozen=True, slots=True)
class Side:
    """One branch of a union that takes values of the type at hand.

    `failures` are why the value does not fit it; `tags` are the properties for which it lists values.
    """

    failures: tuple[Failure, ...]
    tags: Mapping[str, Sequence[Any]]
    path: Path

    def takes(self, tag: str, item: Mapping[str, Any]) -> bool:
        """Whether an object has a value of this branch for a tag."""
        return tag in item and any(same(item[tag], value) for value in self.tags[tag])

    def distance(self) -> float:
        """How far the value is from this branch; a value that is not listed there counts a little more."""
        below = len(self.path) + 1
        strange = sum(one.kind in ("Enum", "Constant") and len(one.path) <= below for one in self.failures)
        return len(self.failures) + strange / 2


def sides(failure: Failure, judge: Judge, item: Any) -> list[Side]:
    """The branches of a failed union that take values of the type of the item."""
    found: list[Side] = []
    for place, branch in enumerate(failure.branches):
        types = taken(branch, failure.path)
        if types is None or any(has_type(item, name) for name in types):
            pointer = f"{failure.where}/{failure.keyword}/{place}"
            found.append(Side(branch, _tags(judge, pointer, item) if is_map(item) else {}, failure.path))
    return found


def _tags(judge: Judge, pointer: str, item: Any) -> dict[str, list[Any]]:
    found: dict[str, list[Any]] = {}
    for name, schema in known_names(judge, pointer, item).items():
        schema = judge.document.follow(schema)
        if not is_map(schema):
            continue
        values = [schema["const"]] if "const" in schema else schema.get("enum")
        if is_list(values) and values:
            found[name] = values
    return found


def tag_of(found: Sequence[Side]) -> str | None:
    """The property that tells all branches apart: each lists values for it, and no two list the same one."""
    for name in found[0].tags:
        lists = [side.tags.get(name) for side in found]
        known = [values for values in lists if values is not None]
        if len(known) == len(lists) and _disjoint(known):
            return name
    return None


def _disjoint(lists: Sequence[Sequence[Any]]) -> bool:
    seen: set[str] = set()
    for values in lists:
        texts = {json.dumps(value, sort_keys=True) for value in values}
        if not seen.isdisjoint(texts):
            return False
        seen |= texts
    return True


def choose(found: Sequence[Side], tag: str | None, item: Any) -> Side:
    """The branch that a tag chooses, else the nearest."""
    if tag is not None:
        found = [side for side in found if side.takes(tag, item)] or found
    return min(found, key=Side.distance)
