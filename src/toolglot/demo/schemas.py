"""The input schemas that the demo server publishes.

They re-tell incidents of real servers, fault included: each is what a schema library made of a sound type.
Those of the content tools are in the hand of zod, those of the groups and numbers in the hand of pydantic.
"""

from __future__ import annotations

from typing import Any

Schema = dict[str, Any]

_DRAFT_07 = "http://json-schema.org/draft-07/schema#"


def _text(description: str) -> Schema:
    return {"type": "string", "description": description}


def _integer(description: str) -> Schema:
    return {"type": "integer", "description": description}


def _list_of(items: Schema, description: str = "") -> Schema:
    schema: Schema = {"type": "array", "items": items}
    return {**schema, "description": description} if description else schema


def _zod(properties: Schema, *required: str, **more: Any) -> Schema:
    root: Schema = {"type": "object", "properties": properties, "required": list(required)}
    return {**root, "additionalProperties": False, **more, "$schema": _DRAFT_07}


def _branch(tag: str, members: Schema, *, optional: tuple[str, ...] = ()) -> Schema:
    """One branch of the union of field values: the name of the field, the tag, and what this type holds."""
    properties = {"field": {"type": "string"}, "type": {"type": "string", "const": tag}, **members}
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


FIELD_TYPES: tuple[Schema, ...] = (
    _branch("string", {"value": {"type": "string"}}),
    _branch("text", {"text": {"type": "string"}}),
    _branch("rich_text", {"markdown": {"type": "string"}}),
    _branch("integer", {"number": {"type": "integer"}}),
    _branch("decimal", {"amount": _text("Digits with a point: 24.90")}),
    _branch("boolean", {"checked": {"type": "boolean"}}),
    _branch("date", {"date": _text("YYYY-MM-DD")}),
    _branch("time", {"time": _text("HH:MM")}),
    _branch("date_time", {"at": _text("ISO 8601 with zone")}),
    _branch("color", {"hex": {"type": "string"}}),
    _branch("location", {"latitude": {"type": "number"}, "longitude": {"type": "number"}}),
    _branch("link", {"url": {"type": "string"}, "label": {"type": "string"}}),
    _branch("asset", {"asset_id": {"type": "integer"}, "alt": {"type": "string"}}, optional=("alt",)),
    _branch("asset_list", {"asset_ids": _list_of({"type": "integer"})}),
    _branch("entry", {"entry_id": {"type": "string"}}),
    _branch("entry_list", {"entry_ids": _list_of({"type": "string"})}),
    _branch("json", {"source": {"type": "string"}}),
)
"""What a field of an entry can hold. The string is first: a client that keeps one branch keeps this one."""

ENTRIES_UPSERT = _zod(
    {
        "entry_id": _text("Id of the entry; a new one is created where it does not exist"),
        "content_type": {"type": "string"},
        "field_values": _list_of({"anyOf": list(FIELD_TYPES)}, "The fields to set"),
    },
    "entry_id",
    "content_type",
    "field_values",
)

PAGE_RENDER = _zod({"page_id": _text("Id of the page, for example home")}, "page_id")


def _asset_kind(kind: str) -> Schema:
    return {
        "type": "object",
        "properties": {"kind": {"type": "string", "const": kind}},
        "required": ["kind"],
        "additionalProperties": False,
    }


_ASSET_KINDS: Schema = {"anyOf": [_asset_kind(kind) for kind in ("image", "video", "audio", "document")]}
"""An enum in disguise: objects that differ in one constant."""

_FIELD: Schema = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "type": {"type": "string", "enum": [branch["properties"]["type"]["const"] for branch in FIELD_TYPES]},
        "validations": {
            "type": "object",
            "properties": {
                "required": {"type": "boolean"},
                "asset_types": _list_of(_ASSET_KINDS, "Kinds of asset the field takes"),
            },
            "additionalProperties": False,
        },
    },
    "required": ["name", "type"],
    "additionalProperties": False,
}


def _replace_or_change(items: Schema, what: str) -> Schema:
    """A list that replaces, or an object that adds and removes."""
    change: Schema = {
        "type": "object",
        "properties": {"add": _list_of(items), "remove": _list_of({"type": "string"})},
        "additionalProperties": False,
    }
    return {"anyOf": [_list_of(items), change], "description": f"All {what}, or the {what} to add and remove"}


CONTENT_TYPES_MANAGE = _zod(
    {
        "content_type": {"type": "string"},
        "fields": _replace_or_change({"$ref": "#/definitions/field"}, "fields"),
    },
    "content_type",
    "fields",
    definitions={"field": _FIELD},
)

RELEASES_MANAGE: Schema = {
    "type": "object",
    "anyOf": [
        {
            "type": "object",
            "properties": {"action": {"type": "string", "const": "list"}},
            "required": ["action"],
        },
        {
            "type": "object",
            "properties": {
                "action": {"type": "string", "enum": ["publish", "unpublish"]},
                "entry_id": {"type": "string"},
            },
            "required": ["action", "entry_id"],
        },
    ],
    "$schema": _DRAFT_07,
}
"""The root is a union: nobody sees the parameter `action`, nor that one of its values only reads.

`type: object` stays beside it: the official client refuses the whole list for a root without it.
"""

ASSETS_GET = _zod(
    {"identifier": {"anyOf": [{"type": "string"}, {"type": "number"}], "description": "File name or number"}},
    "identifier",
)

ASSETS_MANAGE = _zod(
    {
        "action": {
            "type": "string",
            "enum": ["list", "get", "rename", "delete"],
            "description": "What to do",
        },
        "asset_id": _integer("Number of the asset; not for list"),
        "file": _text("Only for rename: the new file name"),
    },
    "action",
)

REDIRECTS_IMPORT = _zod(
    {"rows": {"type": "array", "description": "Rows of old and new address"}},
    "rows",
)

SUGGESTIONS_EXPORT = _zod({"locale": _text("For example de-CH")}, "locale")


def _pydantic(title: str, properties: Schema, *required: str) -> Schema:
    return {"properties": properties, "required": list(required), "title": title, "type": "object"}


GROUPS_MANAGE = _pydantic(
    "GroupsManageArguments",
    {
        "group": {"title": "Group", "type": "string"},
        "sites": _replace_or_change({"type": "string"}, "sites"),
        "realms": _replace_or_change({"type": "string"}, "realms"),
        "admin_users": _list_of({"type": "string"}, "All admins: replaces those that are set"),
        "add_users": _list_of({"type": "string"}, "Admins to add"),
        "remove_users": _list_of({"type": "string"}, "Admins to remove"),
    },
    "group",
)
"""The wrong form (`sites`, `realms`) next to the right one (`admin_users`, `add_users`, `remove_users`)."""

_RING_ORDER = _list_of(_list_of({"type": "string"}), "Groups of phones; each group rings at once")

ORIGINATIONS_SET = _pydantic(
    "OriginationsSetArguments",
    {
        "number": {"title": "Number", "type": "string", "description": "The number that is called"},
        "plan": {
            "title": "Plan",
            "anyOf": [
                _RING_ORDER,
                {
                    "type": "object",
                    "title": "Timetable",
                    "properties": {
                        "from_hour": {"title": "From Hour", "type": "integer"},
                        "until_hour": {"title": "Until Hour", "type": "integer"},
                        "groups": _RING_ORDER,
                    },
                    "required": ["from_hour", "until_hour", "groups"],
                },
            ],
        },
    },
    "number",
    "plan",
)
