"""The tools of the demo server: what each publishes and what it does to the store."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolglot.demo import schemas
from toolglot.demo.render import render_page
from toolglot.demo.store import Record, Store, known

if TYPE_CHECKING:
    from collections.abc import Callable

Arguments = dict[str, Any]

READ_ONLY = {"readOnlyHint": True}


@dataclass(frozen=True, slots=True)
class DemoTool:
    """One tool: `run` takes the store and checked arguments, returns a text, and may raise Refused."""

    name: str
    description: str
    schema: Record
    run: Callable[[Store, Arguments], str]
    annotations: Record | None = None

    def published(self) -> Record:
        """The tool as an entry of `tools/list`."""
        entry: Record = {"name": self.name, "description": self.description, "inputSchema": self.schema}
        return {**entry, "annotations": self.annotations} if self.annotations else entry


def entries_upsert(store: Store, arguments: Arguments) -> str:
    """Set fields of an entry, or make a new one. Raises Refused for an unknown content type or field.

    A field takes what it is given: the values passed the published schema, and nothing here compares their
    type with that of the field. That is the incident this server re-tells.
    """
    name = arguments["entry_id"]
    declared = known(store.content_types, arguments["content_type"], "content type")
    for value in arguments["field_values"]:
        known(declared, value["field"], "field")
    answer = "updated" if name in store.entries else "created"
    new: Record = {"content_type": arguments["content_type"], "published": False, "fields": {}}
    entry = store.entries.setdefault(name, new)
    entry["fields"] |= {value["field"]: _without_field(value) for value in arguments["field_values"]}
    return answer


def _without_field(value: Record) -> Record:
    return {key: item for key, item in value.items() if key != "field"}


def page_render(store: Store, arguments: Arguments) -> str:
    """A page as text. Raises Refused for an unknown page."""
    return render_page(store, known(store.pages, arguments["page_id"], "page"))


def content_types_manage(store: Store, arguments: Arguments) -> str:
    """Replace the fields of a content type, or add and remove some."""
    declared = store.content_types.setdefault(arguments["content_type"], {})
    fields: list[Any] | Record = arguments["fields"]
    if isinstance(fields, list):
        declared.clear()
    declared |= {item["name"]: _without_name(item) for item in _added(fields)}
    for name in _removed(fields):
        declared.pop(name, None)
    return "updated"


def _without_name(item: Record) -> Record:
    return {key: value for key, value in item.items() if key != "name"}


def _added(change: list[Any] | Record) -> list[Any]:
    return change if isinstance(change, list) else change.get("add", [])


def _removed(change: list[Any] | Record) -> list[Any]:
    return [] if isinstance(change, list) else change.get("remove", [])


def groups_manage(store: Store, arguments: Arguments) -> str:
    """Change what a group of users may see, and its admins."""
    new: Record = {"sites": [], "realms": [], "admin_users": []}
    group = store.groups.setdefault(arguments["group"], new)
    for member in ("sites", "realms"):
        if member in arguments:
            group[member] = _changed(group[member], arguments[member])
    users = arguments.get("admin_users", group["admin_users"])
    change = {"add": arguments.get("add_users", []), "remove": arguments.get("remove_users", [])}
    group["admin_users"] = _changed(users, change)
    return "updated"


def _changed(current: list[Any], change: list[Any] | Record) -> list[Any]:
    if isinstance(change, list):
        return list(change)
    both = [*current, *(item for item in _added(change) if item not in current)]
    return [item for item in both if item not in _removed(change)]


def originations_set(store: Store, arguments: Arguments) -> str:
    """Set where the calls to a number ring."""
    plan = arguments["plan"]
    always: Record = {"from_hour": 0, "until_hour": 24, "groups": plan}
    store.numbers[arguments["number"]] = always if isinstance(plan, list) else plan
    return "updated"


def assets_get(store: Store, arguments: Arguments) -> str:
    """One asset by number or file name. Raises Refused where there is none."""
    identifier = arguments["identifier"]
    wanted = f"{identifier:.0f}" if isinstance(identifier, float) else str(identifier)
    by_file = {asset["file"]: asset for asset in store.assets.values()}
    return json.dumps(store.assets.get(wanted) or known(by_file, wanted, "asset"))


def assets_manage(store: Store, arguments: Arguments) -> str:
    """List, read, rename or delete assets. Raises Refused where the number is unknown."""
    action = arguments["action"]
    if action == "list":
        return json.dumps(store.assets)
    number = str(arguments.get("asset_id"))
    asset = known(store.assets, number, "asset")
    if action == "rename":
        asset["file"] = arguments.get("file", asset["file"])
    elif action == "delete":
        del store.assets[number]
    return json.dumps(asset) if action == "get" else f"{action}d"


def releases_manage(store: Store, arguments: Arguments) -> str:
    """List, publish or unpublish entries."""
    if arguments["action"] == "list":
        return json.dumps({name: entry["published"] for name, entry in store.entries.items()})
    entry = known(store.entries, arguments["entry_id"], "entry")
    entry["published"] = arguments["action"] == "publish"
    return f"{arguments['action']}ed"


def redirects_import(store: Store, arguments: Arguments) -> str:
    """Keep the rows as they come."""
    store.redirects += arguments["rows"]
    return f"imported {len(arguments['rows'])}"


def suggestions_export(store: Store, arguments: Arguments) -> str:
    """The texts of all entries, one a line."""
    lines = [
        f"{arguments['locale']},{name},{key},{json.dumps(value)}"
        for name, entry in store.entries.items()
        for key, value in entry["fields"].items()
    ]
    return "\n".join(lines)


TOOLS: tuple[DemoTool, ...] = (
    DemoTool("entries_upsert", "Create an entry or set its fields.", schemas.ENTRIES_UPSERT, entries_upsert),
    DemoTool("page_render", "Show a page as visitors see it.", schemas.PAGE_RENDER, page_render, dict(READ_ONLY)),
    DemoTool(
        "content_types_manage",
        "Change the fields of a content type.",
        schemas.CONTENT_TYPES_MANAGE,
        content_types_manage,
    ),
    DemoTool("groups_manage", "Change sites, realms and admins of a group.", schemas.GROUPS_MANAGE, groups_manage),
    DemoTool(
        "originations_set",
        "Set which phones ring for a number.",
        schemas.ORIGINATIONS_SET,
        originations_set,
    ),
    DemoTool("assets_get", "Read one asset.", schemas.ASSETS_GET, assets_get, dict(READ_ONLY)),
    DemoTool("assets_manage", "List, read, rename or delete assets.", schemas.ASSETS_MANAGE, assets_manage),
    DemoTool("releases_manage", "List, publish or unpublish entries.", schemas.RELEASES_MANAGE, releases_manage),
    DemoTool("redirects_import", "Add redirects.", schemas.REDIRECTS_IMPORT, redirects_import),
    DemoTool(
        "workspace_localization_translation_memory_suggestions_export_as_csv",
        "Export the texts of all entries.",
        schemas.SUGGESTIONS_EXPORT,
        suggestions_export,
        dict(READ_ONLY),
    ),
)
"""In published order."""
