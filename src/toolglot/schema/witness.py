"""Small values that a schema takes: one (`sample`), or a few that together show all of it (`instances`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, Final

from toolglot.schema.declared import declared
from toolglot.schema.making.conjunction import Mark, key_of
from toolglot.schema.making.maker import Made, Maker
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document
from toolglot.schema.tool import thaw
from toolglot.schema.validate import validator
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema


class _NoValue:
    __slots__ = ()

    def __repr__(self) -> str:
        return "NO_VALUE"

    def __bool__(self) -> bool:
        return False


NO_VALUE: Final = _NoValue()
"""Where no value was found (None is a JSON value)."""


def sample(schema: Schema, document: Document, *, telling: bool = False) -> Any:
    """A small value that should be valid for a schema, or NO_VALUE. References are looked up in `document`.

    `telling`: `{}` and `[]` say little, so an object has its first property and a list one entry where they may.

    A guess: check it with a validator before it counts.
    """
    made = Maker(document, telling=telling).least((schema,))
    return NO_VALUE if made is None else made.value


def instances(schema: Document | Schema, limit: int = 50) -> list[Any]:
    """Small values, each valid for the declared schema, that together show as much of it as can be shown.

    Shown are: each property present and absent, each branch of each union, the first 20 values of each enum, each
    type, bounds from both sides, entries of maps, lengths of tuples, recursion twice. The least value comes first.
    Where the schema takes an object, only objects are made: arguments are objects. Empty where no valid value was
    found, or the validator's engine takes no such schema (half a surrogate pair). `schema` is what a server publishes.
    Raises ToolError past the budget of nodes.
    """
    root: Any = thaw(declared(schema))
    try:
        maker = Maker(Document(root), _judge(root, schema))
    except ValueError:
        return []
    covered: set[Mark] = set()
    found: dict[Any, Any] = {}
    for made in _candidates(maker, root, covered):
        if len(found) == limit:
            break
        if (not found or not made.marks <= covered) and maker.is_valid(made.value):
            covered |= made.marks
            found.setdefault(key_of(made.value), made.value)
    return list(found.values())


def _judge(root: Schema, published: Document | Schema) -> Callable[[Any], bool]:
    """Who says whether a value is valid for the declared schema, and for the meaning where that can differ."""
    takes = validator(root).is_valid
    if not any(is_map(node.schema) and "oneOf" in node.schema for node in Document(root).nodes):
        return takes
    means = validator(thaw(meaning(published).schema)).is_valid
    return lambda value: takes(value) and means(value)


def _candidates(maker: Maker, root: Schema, covered: set[Mark]) -> Iterator[Made]:
    """Values of an object if there are any, else of whatever the schema takes."""
    some = False
    for made in maker.values((root, _OBJECT), covered):
        some = True
        yield made
    if not some and (not is_map(root) or root.get("type") != "object"):
        yield from maker.values((root,), covered)


_OBJECT: dict[str, Any] = {"type": "object"}
