"""The server's own check agrees with a full validator on what its schemas say."""

from __future__ import annotations

import copy
import json

import jsonschema_rs
import pytest

from toolglot.demo.arguments import problem
from toolglot.demo.incident import RIGHT, WRONG, upsert
from toolglot.demo.tools import TOOLS

SCHEMAS = {tool.name: tool.schema for tool in TOOLS}
LONG = "workspace_localization_translation_memory_suggestions_export_as_csv"

CASES = [
    ("entries_upsert", upsert(WRONG), ""),
    ("entries_upsert", upsert(RIGHT), ""),
    ("entries_upsert", upsert({**RIGHT, "asset_id": "549895"}), "field_values[0]"),
    ("entries_upsert", upsert({**RIGHT, "asset_id": True}), "field_values[0]"),
    ("entries_upsert", upsert({**RIGHT, "value": "549895"}), "field_values[0]"),
    ("entries_upsert", upsert({"field": "picture", "type": "picture"}), "field_values[0]"),
    ("entries_upsert", {"entry_id": "a", "content_type": "card"}, "field_values is missing"),
    ("entries_upsert", {**upsert(WRONG), "dry_run": True}, "dry_run is not known"),
    ("entries_upsert", {**upsert(WRONG), "field_values": {}}, "arguments.field_values: expected array"),
    ("entries_upsert", upsert({"field": "at", "type": "location", "latitude": 1, "longitude": 2.5}), ""),
    ("entries_upsert", upsert({"field": "ok", "type": "boolean", "checked": False}), ""),
    ("entries_upsert", upsert({"field": "ok", "type": "boolean", "checked": 0}), "field_values[0]"),
    ("page_render", {"page_id": "home"}, ""),
    ("page_render", {"page_id": 1}, "arguments.page_id: expected string"),
    ("page_render", {}, "page_id is missing"),
    ("page_render", "home", "arguments: expected object"),
    ("content_types_manage", {"content_type": "card", "fields": []}, ""),
    ("content_types_manage", {"content_type": "card", "fields": [{"name": "a", "type": "date"}]}, ""),
    ("content_types_manage", {"content_type": "card", "fields": [{"name": "a"}]}, "arguments.fields"),
    ("content_types_manage", {"content_type": "card", "fields": [{"name": "a", "type": "x"}]}, "fields"),
    ("content_types_manage", {"content_type": "card", "fields": {"remove": ["a"]}}, ""),
    ("content_types_manage", {"content_type": "card", "fields": {"remove": [1]}}, "arguments.fields"),
    ("content_types_manage", {"content_type": "card", "fields": {"drop": ["a"]}}, "arguments.fields"),
    ("content_types_manage", {"content_type": "card", "fields": "all"}, "arguments.fields"),
    ("groups_manage", {"group": "editors", "sites": ["a"], "realms": {"add": ["b"]}}, ""),
    ("groups_manage", {"group": "editors", "sites": "a"}, "arguments.sites"),
    ("groups_manage", {"group": "editors", "unknown": 1}, ""),
    ("originations_set", {"number": "1", "plan": [["a", "b"], ["c"]]}, ""),
    ("originations_set", {"number": "1", "plan": ["a"]}, "arguments.plan"),
    (
        "originations_set",
        {"number": "1", "plan": {"from_hour": 8, "until_hour": 18, "groups": [["a"]]}},
        "",
    ),
    ("originations_set", {"number": "1", "plan": {"from_hour": 8}}, "arguments.plan"),
    ("assets_get", {"identifier": "harbour-at-dawn.jpg"}, ""),
    ("assets_get", {"identifier": 549895}, ""),
    ("assets_get", {"identifier": True}, "arguments.identifier"),
    ("assets_get", {"identifier": None}, "arguments.identifier"),
    ("assets_manage", {"action": "list"}, ""),
    ("assets_manage", {"action": "burn"}, "arguments.action: expected one of list, get, rename, delete"),
    ("releases_manage", {"action": "list"}, ""),
    ("releases_manage", {"action": "publish", "entry_id": "harbour-tour"}, ""),
    ("releases_manage", {"action": "publish"}, "arguments: fits no alternative"),
    ("redirects_import", {"rows": [["/a", "/b"], 1, None]}, ""),
    ("redirects_import", {"rows": "/a"}, "arguments.rows: expected array"),
    (LONG, {"locale": "de-CH"}, ""),
]


@pytest.mark.parametrize(("name", "arguments", "place"), CASES, ids=lambda part: json.dumps(part)[:60])
def test_the_verdict_is_that_of_a_validator(name, arguments, place):
    found = problem(SCHEMAS[name], arguments)
    assert place in found
    assert bool(found) == bool(place)
    validator = jsonschema_rs.Draft202012Validator(SCHEMAS[name], offline=True)
    assert validator.is_valid(arguments) == (not found)


@pytest.mark.parametrize("name", SCHEMAS)
def test_a_check_leaves_the_schema_as_it_was(name):
    before = copy.deepcopy(SCHEMAS[name])
    problem(SCHEMAS[name], {"content_type": 1})
    assert SCHEMAS[name] == before
