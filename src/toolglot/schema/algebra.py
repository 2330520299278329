"""Sets of values: does one schema cover another, what is lost, do two overlap. Over `jsonschema_rs.canonicalize`.

Answers are yes, no, or None for *not decided*; what is not decided is never read as fine.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import jsonschema_rs

from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.rewrite import standalone
from toolglot.schema.tool import thaw
from toolglot.schema.values import is_map
from toolglot.schema.walk import Node, Schema, walk

_Form = jsonschema_rs.CanonicalSchema
_LINEAR = jsonschema_rs.RegexOptions()
MOST_SCHEMAS = 2_000
"""Most schemas, references written out, that are asked about."""
_FAILURES = (jsonschema_rs.ValidationError, jsonschema_rs.ReferencingError, ValueError, RecursionError)


def canonical(schema: Schema, definitions: Schema = True) -> _Form | None:
    """The canonical form of a meaning; `definitions` is the document its references point into. None: not decided.

    Recursive schemas are not decided: on some of them the engine of jsonschema_rs 0.61 ends the whole process. Nor are
    those that hold too many others: it writes references out, and does not end within minutes where they fan out.
    """
    alone = standalone(schema, Document(definitions if is_map(definitions) else schema))
    document = Document(alone)
    try:
        if document.recursive or _written_out(document) > MOST_SCHEMAS:
            return None
        return jsonschema_rs.canonicalize(
            thaw(alone), draft=jsonschema_rs.Draft202012, validate_formats=False, pattern_options=_LINEAR, offline=True
        )
    except _FAILURES:
        return None


def _written_out(document: Document) -> int:
    """How many schemas there are once all references are written out; no reference may lead back to itself."""
    sizes: dict[int, int] = {}

    def size(schema: Any) -> int:
        if id(schema) not in sizes:
            own = [node for node in walk(schema) if not _is_definition(node)]
            leads = [document.resolve(ref) for node in own if (ref := ref_of(node.schema)) is not None]
            sizes[id(schema)] = len(own) + sum(size(one.schema) for one in leads if isinstance(one, Resolved))
        return sizes[id(schema)]

    return size(document.schema)


def _is_definition(node: Node | None) -> bool:
    while node is not None:
        if node.role == "definition":
            return True
        node = node.parent
    return False


def _verdict(answer: Any) -> bool | None:
    name = getattr(answer, "name", str(answer)).rsplit(".", 1)[-1].upper()
    return {"YES": True, "NO": False}.get(name)


def covers(wide: Schema, narrow: Schema, definitions: Schema = True) -> bool | None:
    """Whether `wide` takes every value that `narrow` takes."""
    left, right = canonical(wide, definitions), canonical(narrow, definitions)
    return None if left is None or right is None else _verdict(left.covers(right))


def satisfiable(schema: Schema, definitions: Schema = True) -> bool | None:
    """Whether any value is valid."""
    form = canonical(schema, definitions)
    return None if form is None else _verdict(form.satisfiability())


def lost(before: Schema, after: Schema, definitions: Schema = True) -> Schema | None:
    """A schema of the values that `before` takes and `after` does not; False where there is none, None: not decided."""
    return _combined(before, after, definitions, lambda one, other: one.subtract(other))


def intersection(left: Schema, right: Schema, definitions: Schema = True) -> Schema | None:
    """A schema of the values that both take; False where there is none, None: not decided."""
    return _combined(left, right, definitions, lambda one, other: one.intersect(other))


def _combined(left: Schema, right: Schema, definitions: Schema, how: Callable[[_Form, _Form], _Form]) -> Schema | None:
    one, other = canonical(left, definitions), canonical(right, definitions)
    if one is None or other is None:
        return None
    try:
        both = how(one, other)
    except _FAILURES:
        return None
    return False if _verdict(both.satisfiability()) is False else _plain(both)


def _plain(form: _Form) -> Schema:
    schema: Any = form.to_json_schema()
    return {key: value for key, value in schema.items() if key != "$schema"} if is_map(schema) else bool(schema)
