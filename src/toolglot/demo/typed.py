"""`entries_upsert` as it should be: the server knows the type of each field, so no call can say it wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from toolglot.demo import schemas
from toolglot.demo.store import Refused, known
from toolglot.demo.tools import TOOLS, DemoTool, entries_upsert
from toolglot.fitting.typed import ValueRefused, typed_value

if TYPE_CHECKING:
    from toolglot.demo.store import Record, Store
    from toolglot.demo.tools import Arguments
    from toolglot.fitting.typed import FieldValue


def _members(branch: Record) -> Record:
    """What a field value holds beside the name of the field and the tag."""
    return {name: schema for name, schema in branch["properties"].items() if name not in ("field", "type")}


def _only(branch: Record) -> str:
    """The one member that a value needs; empty where it needs several."""
    needed = [name for name in branch["required"] if name not in ("field", "type")]
    return needed[0] if len(needed) == 1 else ""


def _type(branch: Record) -> Record:
    """The bare value where one member is enough, else an object of the members; either where some may be left out."""
    members, only = _members(branch), _only(branch)
    if only and len(members) == 1:
        return members[only]
    required = [only] if only else list(members)
    whole = {"type": "object", "properties": members, "required": required, "additionalProperties": False}
    return {"anyOf": [members[only], whole]} if only else whole


_BRANCHES: dict[str, Record] = {branch["properties"]["type"]["const"]: branch for branch in schemas.FIELD_TYPES}

FIELD_VALUE = typed_value({name: _type(branch) for name, branch in _BRANCHES.items()})

SCHEMA: Record = {
    **schemas.ENTRIES_UPSERT,
    "properties": {
        **schemas.ENTRIES_UPSERT["properties"],
        "field_values": {"type": "array", "items": FIELD_VALUE.schema, "description": "The fields to set"},
    },
}


def upsert(store: Store, arguments: Arguments) -> str:
    """Set fields of an entry, each value as its field takes it. Raises Refused for a value that does not fit."""
    fields = known(store.content_types, arguments["content_type"], "content type")
    try:
        read = [FIELD_VALUE.read(value, fields) for value in arguments["field_values"]]
    except ValueRefused as refused:
        raise Refused(str(refused)) from None
    answer = entries_upsert(store, {**arguments, "field_values": [_stored(value) for value in read]})
    corrected = " ".join(value.corrected for value in read if value.corrected)
    return f"{answer}. {corrected}" if corrected else answer


def _stored(read: FieldValue) -> Record:
    """The value in the form that the server keeps."""
    tag: Record = {"field": read.field, "type": read.type}
    only = _only(_BRANCHES[read.type])
    value: Any = read.value
    bare = only and not (len(_members(_BRANCHES[read.type])) > 1 and isinstance(value, dict))
    return {**tag, only: value} if bare else {**tag, **value}


TYPED_TOOLS = (DemoTool("entries_upsert", TOOLS[0].description, SCHEMA, upsert), *TOOLS[1:])
"""The tools of the demo server, the first one with values whose type the server knows."""
