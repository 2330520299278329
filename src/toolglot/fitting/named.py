"""Objects as definitions: for targets that read the properties of an object only where a reference leads to it.

The values do not change, so it is done once, on the whole schema that is to be sent.
"""

from __future__ import annotations

import re
from hashlib import sha256
from json import dumps
from typing import TYPE_CHECKING, Any

from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.values import is_list, is_map

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_STAY = frozenset(("definition", "part", "condition", "names"))
"""Schemas that are no value of their own, or a definition already."""

_OTHER = re.compile(r"[^A-Za-z0-9_]")


def with_named_objects(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema, where every object with properties below the root is a definition; the same object if all are."""
    work = _Naming()
    body = work.inside(schema, "root", stays=True)
    if not work.made:
        return schema
    return {**body, "$defs": {**body.get("$defs", {}), **work.made}}


class _Naming:
    """One schema on its way; `made` are the definitions that were added."""

    def __init__(self) -> None:
        self.made: dict[str, Any] = {}

    def inside(self, schema: Any, name: str, *, stays: bool = False) -> Any:
        """A schema with everything below it named; `name` is that of its parameter, `stays`: it is no place itself."""
        if not is_map(schema):
            return schema
        found = dict(self._parts(schema, name))
        if stays or not found.get("properties"):
            return found
        kept = {"description": found["description"]} if isinstance(found.get("description"), str) else {}
        return {"$ref": f"#/$defs/{self._named(found, name)}", **kept}

    def _parts(self, schema: Mapping[str, Any], name: str) -> Iterator[tuple[str, Any]]:
        for word, value in schema.items():
            holder = SCHEMA_HOLDERS.get(word)
            if holder is None:
                yield word, value
                continue
            stays = holder.role in _STAY
            if is_list(value):
                yield word, [self.inside(one, name, stays=stays) for one in value]
            elif holder.holds.startswith("map") and is_map(value):
                yield word, {key: self.inside(one, key, stays=stays) for key, one in value.items()}
            else:
                yield word, self.inside(value, name, stays=stays)

    def _named(self, body: dict[str, Any], name: str) -> str:
        """The name of a definition, which says what it is: clients keep one of a name for all tools of a server."""
        digest = sha256(dumps(body, sort_keys=True, default=dict).encode()).hexdigest()[:8]
        found = f"{_OTHER.sub('_', name) or 'object'}_h{digest}"
        self.made[found] = body
        return found
