"""What an adapter loses: where, which values, and one that can no longer be said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from toolglot.adk.adapters import SchemaAdapter, SteppedAdapter
from toolglot.adk.lossless import LosslessSchemaAdapter
from toolglot.adk.reasons import gone, reason
from toolglot.adk.trace import Change, traced
from toolglot.adk.transform import MOST_LEVELS, any_object, read
from toolglot.fitting.ledger import Values
from toolglot.schema.declared import close, declared
from toolglot.schema.keywords import ANNOTATIONS, UNIONS
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document
from toolglot.schema.tool import freeze, thaw
from toolglot.schema.validate import NO_SCHEMA, NO_VERDICT, validator
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema
from toolglot.schema.witness import NO_VALUE, instances
from toolglot.targets.accept import json_bytes

MOST_WITNESSES = 20
_TRIED = 50


class Loss(NamedTuple):
    """One place of the published schema where a step of an adapter costs something.

    `pointer` is the place in the published schema, `step` the function that did it. `values`: *exact* (only a hint is
    lost), *wider* (the model may also say what the server refuses), *narrower* (some values can no longer be said),
    *changed* (both), *unproved* (no verdict). `lost` is a JSON Schema of the values at this place that can no longer be
    said, False where there are none, None where the algebra gives no verdict. `witnesses` are some of them, at most 20:
    where the lost values are branches of a union, one for each.
    """

    pointer: str
    step: str
    values: Values
    reason: str
    lost: Schema | None = False
    witnesses: tuple[Any, ...] = ()

    @property
    def witness(self) -> Any:
        """A value that can no longer be said at this place, or NO_VALUE."""
        return self.witnesses[0] if self.witnesses else NO_VALUE


@dataclass(frozen=True, slots=True)
class Ledger:
    """What an adapter makes of a schema, and what that costs.

    `entries` are the places, in the order of the steps. `lost` and `witness` are about whole calls: a JSON Schema of
    the arguments that can no longer be said (False: none; None: no verdict), and some such arguments, or NO_VALUE.
    """

    adapter: SchemaAdapter
    schema: Any
    normalized: Any
    entries: tuple[Loss, ...]
    lost: Schema | None
    witness: Any

    def loses(self, arguments: Mapping[str, Any]) -> bool:
        """Whether a call that the published schema takes can no longer be said. Arguments are in the server's shape."""
        call = thaw(dict(arguments))
        if isinstance(self.adapter, LosslessSchemaAdapter):
            return is_map(self.lost) and validator(self.lost).is_valid(call)
        taken = validator(_arguments(self.schema, self.schema)).is_valid(call)
        return taken and not validator(_arguments(self.normalized, self.schema)).is_valid(call)

    def __iter__(self) -> Iterator[Loss]:
        return iter(self.entries)

    def __len__(self) -> int:
        return len(self.entries)


def explain_schema(adapter: SchemaAdapter, schema: Any) -> Ledger:
    """The ledger of one schema. Raises ToolError for more nodes, or more levels, than a tool may have.

    The two sides are compared as declared: an object that has properties and says nothing about other names takes none.
    """
    schema = freeze(schema)
    if isinstance(adapter, LosslessSchemaAdapter):
        return _of_lossless(adapter, schema)
    if not isinstance(adapter, SteppedAdapter):
        made = adapter.normalize_schema(schema)
        whole = _difference(_arguments(schema, schema), _arguments(made, schema))
        entry = Loss("", "normalize_schema", whole.values, "is changed by the adapter", whole.lost, whole.witnesses)
        entries = () if whole.values == "exact" else (entry,)
        return _ledger(adapter, schema, made, entries, whole)
    changes, made = traced(adapter.steps, schema)
    whole = _difference(_arguments(schema, schema), _arguments(made, schema))
    found = [_loss(change, schema) for change in changes if not _is_clean(change)]
    entries = (*_cut(schema), *(entry for entry in found if entry is not None))
    return _ledger(adapter, schema, made, _in_the_end(entries, whole), whole)


def _ledger(adapter: SchemaAdapter, schema: Any, made: Any, entries: tuple[Loss, ...], whole: _Difference) -> Ledger:
    witness = min(whole.witnesses, key=json_bytes, default=NO_VALUE)
    return Ledger(adapter, schema, made, entries, whole.lost, witness)


def _of_lossless(adapter: LosslessSchemaAdapter, schema: Any) -> Ledger:
    made = adapter.normalized(schema).ledger
    entries = tuple(Loss(entry.pointer, "normalize", entry.values, entry.reason, entry.lost or False) for entry in made)
    lost = [entry.lost for entry in entries if entry.values in ("narrower", "changed")]
    return Ledger(
        adapter, schema, adapter.normalize_schema(schema), entries, {"anyOf": lost} if lost else False, NO_VALUE
    )


def _cut(schema: Any) -> Iterator[Loss]:
    if read(schema)[0] is not schema:
        yield Loss(
            "", "normalize_schema", "unproved", f"is cut below {MOST_LEVELS} levels: any object stands there", None
        )


_SPELLING = ("strip_schema_keyword", "remove_definitions")


def _is_clean(change: Change) -> bool:
    """Whether structure alone tells that nothing is lost: no algebra is needed for these."""
    if change.step in _SPELLING:
        return True
    if change.step == "convert_const_to_enum":
        return "enum" not in change.before
    return change.step == "resolve_refs" and len(change.before) == 1 and change.after != any_object()


def _loss(change: Change, schema: Any) -> Loss | None:
    found = _difference(_part(change.before, change, schema), _part(change.after, change, schema))
    if found.values == "exact" and not _hints(change):
        return None
    words = reason(change)
    if found.lost is None:
        words += "; the algebra gives no verdict"
    return Loss(change.pointer, change.step, found.values, words, found.lost, found.witnesses)


def _hints(change: Change) -> bool:
    """Whether a hint for the model got lost: an annotation, or a format."""
    return any(word in ANNOTATIONS or word == "format" for word in gone(change.before, change.after))


def _in_the_end(entries: tuple[Loss, ...], whole: _Difference) -> tuple[Loss, ...]:
    """The entries; where no call is lost in the end, later steps took back what one lost, and such entries go."""
    if whole.lost is not False:
        return entries
    kept = [entry for entry in entries if entry.values != "narrower"]
    return tuple(
        entry._replace(values="wider", lost=False, witnesses=()) if entry.values == "changed" else entry
        for entry in kept
    )


class _Difference(NamedTuple):
    """What a value loses and gains."""

    values: Values
    lost: Schema | None
    witnesses: tuple[Any, ...]


def _difference(before: Schema, after: Schema) -> _Difference:
    if _asserted(before) == _asserted(after):
        return _Difference("exact", False, ())
    from toolglot.schema.algebra import lost  # costs time to import, and most calls end above

    gone, gained = lost(before, after), lost(after, before)
    witnesses = () if gone is False else _witnesses(gone, before, after)
    return _Difference(_kind(gone, gained, bool(witnesses)), gone, witnesses)


def _asserted(schema: Schema) -> Schema:
    """A schema without the hints of its own level."""
    if not is_map(schema):
        return schema
    return {word: value for word, value in schema.items() if word not in ANNOTATIONS and word != "format"}


def _kind(gone: Schema | None, gained: Schema | None, witnessed: bool) -> Values:
    if gone is None or gained is None:
        return "narrower" if witnessed else "unproved"
    if gone is False:
        return "exact" if gained is False else "wider"
    return "narrower" if gained is False else "changed"


def _witnesses(lost: Schema | None, before: Schema, after: Schema) -> tuple[Any, ...]:
    """Values that `before` takes and `after` does not: of a union one of each branch, else small ones of `lost`."""
    try:
        old, new = validator(before), validator(after)
        for source in (before, lost) if len(_branches(before)) > 1 else (lost, before):
            tried = [] if source is None else [instances(one, _TRIED) for one in _branches(source)]
            found = [[value for value in some if old.is_valid(value) and not new.is_valid(value)] for some in tried]
            if any(found):
                shown = [one for some in found for one in (some[:1] if len(found) > 1 else some)]
                return tuple(shown[:MOST_WITNESSES])
    except (*NO_SCHEMA, *NO_VERDICT):
        pass
    return ()


def _branches(schema: Schema) -> list[Schema]:
    """A union as one schema for each branch; any other schema alone."""
    word = next((word for word in UNIONS if is_map(schema) and is_list(schema.get(word))), None)
    if word is None or not is_map(schema):
        return [schema]
    return [{**schema, word: [branch]} for branch in schema[word]]


def _arguments(schema: Any, published: Any) -> Schema:
    """The declared schema of a whole call: arguments are always an object."""
    if not is_map(schema):
        return any_object()
    closed = declared(Document({**schema, **_dialect(published)}))
    return {**closed, "type": "object"} if is_map(closed) else any_object()


def _part(part: Any, change: Change, published: Any) -> Schema:
    """The declared schema of the values at one place; references lead into what the step found."""
    if not is_map(part):
        return bool(part)
    boxes = {box: change.root[box] for box in ("$defs", "definitions") if box in change.root}
    if not change.pointer:
        return _arguments({**part, **boxes}, published)
    return close(meaning(Document({**boxes, **part, **_dialect(published)})).schema)


def _dialect(published: Any) -> dict[str, Any]:
    return {"$schema": published["$schema"]} if is_map(published) and "$schema" in published else {}
