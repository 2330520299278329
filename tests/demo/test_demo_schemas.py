"""The published schemas hold the faults they are there for."""

from __future__ import annotations

import jsonschema_rs
import pytest

from toolglot.demo.tools import TOOLS
from toolglot.schema.tool import Tool

PUBLISHED = {tool.name: tool.published() for tool in TOOLS}


def schema(name):
    return PUBLISHED[name]["inputSchema"]


@pytest.mark.parametrize("name", PUBLISHED)
def test_every_schema_is_valid_for_its_dialect(name):
    assert jsonschema_rs.meta.is_valid(schema(name))
    assert Tool.of(PUBLISHED[name]).name == name


def test_field_values_are_a_union_of_seventeen_tagged_objects_with_the_string_first():
    branches = schema("entries_upsert")["properties"]["field_values"]["items"]["anyOf"]
    tags = [branch["properties"]["type"]["const"] for branch in branches]
    assert len(set(tags)) == len(tags) == 17
    assert tags[0] == "string"
    assert {"integer", "decimal", "asset", "boolean", "date", "link"} <= set(tags)
    assert all("type" in branch["required"] for branch in branches)


@pytest.mark.parametrize(
    ("name", "parameter"),
    [("content_types_manage", "fields"), ("groups_manage", "sites"), ("groups_manage", "realms")],
)
def test_a_list_or_an_object_that_adds_and_removes(name, parameter):
    array, change = schema(name)["properties"][parameter]["anyOf"]
    assert array["type"] == "array"
    assert set(change["properties"]) == {"add", "remove"}


def test_the_right_form_stands_beside_it():
    properties = schema("groups_manage")["properties"]
    assert [properties[name]["type"] for name in ("admin_users", "add_users", "remove_users")] == ["array"] * 3


def test_asset_types_are_an_enum_in_disguise():
    validations = schema("content_types_manage")["definitions"]["field"]["properties"]["validations"]
    branches = validations["properties"]["asset_types"]["items"]["anyOf"]
    kinds = [branch["properties"].pop("kind")["const"] for branch in map(_copy, branches)]
    assert kinds == ["image", "video", "audio", "document"]
    assert {tuple(branch["properties"]) for branch in branches} == {("kind",)}


def _copy(branch):
    return {**branch, "properties": dict(branch["properties"])}


def test_nested_arrays_stand_under_a_union():
    array, timetable = schema("originations_set")["properties"]["plan"]["anyOf"]
    assert array["items"]["type"] == "array"
    assert timetable["properties"]["groups"]["items"]["type"] == "array"


def test_an_identifier_of_text_or_number():
    branches = schema("assets_get")["properties"]["identifier"]["anyOf"]
    assert [branch["type"] for branch in branches] == ["string", "number"]


def test_a_root_union_hides_the_action():
    root = schema("releases_manage")
    assert root["type"] == "object"
    assert "properties" not in root
    actions = [branch["properties"]["action"] for branch in root["anyOf"]]
    assert actions == [
        {"type": "string", "const": "list"},
        {"type": "string", "enum": ["publish", "unpublish"]},
    ]


def test_an_array_without_items():
    assert "items" not in schema("redirects_import")["properties"]["rows"]


def test_one_name_is_too_long():
    assert [len(name) for name in PUBLISHED if len(name) > 64] == [67]


def test_read_only_and_gated_tools():
    assert PUBLISHED["page_render"]["annotations"] == {"readOnlyHint": True}
    assert "annotations" not in PUBLISHED["assets_manage"]
    assert schema("assets_manage")["properties"]["action"]["enum"] == ["list", "get", "rename", "delete"]
