"""What the tools do to the store, call by call."""

from __future__ import annotations

import json

import pytest

from toolglot.demo import Server
from toolglot.demo.incident import call
from toolglot.demo.rpc import Message

LONG = "workspace_localization_translation_memory_suggestions_export_as_csv"
CARD = {"content_type": "card", "entry_id": "sunset-tour"}
HEADLINE = {"field": "headline", "type": "string", "value": "Sunset tour"}


def result(server: Server, name: str, arguments: Message) -> Message:
    params = {"name": name, "arguments": arguments}
    reply = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert reply is not None
    return reply["result"]


def test_a_new_entry_is_created_then_updated():
    server = Server()
    assert call(server, "entries_upsert", {**CARD, "field_values": [HEADLINE]}) == "created"
    assert call(server, "entries_upsert", {**CARD, "field_values": []}) == "updated"
    server.store.pages["home"]["entries"].append("sunset-tour")
    assert "| Sunset tour " in call(server, "page_render", {"page_id": "home"})


def test_content_types():
    server = Server()
    change = {"add": [{"name": "weather", "type": "string"}], "remove": ["price", "nothing"]}
    call(server, "content_types_manage", {"content_type": "card", "fields": change})
    assert "weather" in server.store.content_types["card"]
    assert "24.90" not in call(server, "page_render", {"page_id": "home"})
    kinds = [{"kind": "image"}]
    field = {"name": "cover", "type": "asset", "validations": {"asset_types": kinds}}
    call(server, "content_types_manage", {"content_type": "book", "fields": [field]})
    assert server.store.content_types["book"] == {"cover": {"type": "asset", "validations": {"asset_types": kinds}}}
    call(server, "content_types_manage", {"content_type": "book", "fields": []})
    assert server.store.content_types["book"] == {}


@pytest.mark.parametrize(
    ("arguments", "group"),
    [
        ({"sites": ["shop"]}, {"sites": ["shop"]}),
        ({"sites": {"add": ["shop", "www"]}}, {"sites": ["www", "shop"]}),
        ({"realms": {"add": ["staff"], "remove": ["public"]}}, {"realms": ["staff"]}),
        ({"realms": {}}, {}),
        ({"add_users": ["bob"], "remove_users": ["ada"]}, {"admin_users": ["bob"]}),
        ({"admin_users": ["cleo"], "add_users": ["bob"]}, {"admin_users": ["cleo", "bob"]}),
    ],
)
def test_groups(arguments, group):
    server = Server()
    before = {"sites": ["www"], "realms": ["public"], "admin_users": ["ada"]}
    assert call(server, "groups_manage", {"group": "editors", **arguments}) == "updated"
    assert server.store.groups["editors"] == {**before, **group}


def test_a_new_group():
    server = Server()
    call(server, "groups_manage", {"group": "guests", "add_users": ["bob"]})
    assert server.store.groups["guests"] == {"sites": [], "realms": [], "admin_users": ["bob"]}


@pytest.mark.parametrize(
    ("plan", "stored"),
    [
        ([["desk", "hall"], ["mobile"]], {"from_hour": 0, "until_hour": 24}),
        ({"from_hour": 8, "until_hour": 18, "groups": [["desk", "hall"], ["mobile"]]}, {}),
    ],
)
def test_originations(plan, stored):
    server = Server()
    assert call(server, "originations_set", {"number": "+41 44 000 00 00", "plan": plan}) == "updated"
    groups = [["desk", "hall"], ["mobile"]]
    expected = {"from_hour": 8, "until_hour": 18, "groups": groups} | stored
    assert server.store.numbers["+41 44 000 00 00"] == expected


@pytest.mark.parametrize("identifier", [549895, 549895.0, "549895", "harbour-at-dawn.jpg"])
def test_an_asset_by_number_or_file(identifier):
    asset = json.loads(call(Server(), "assets_get", {"identifier": identifier}))
    assert asset["alt"] == "The harbour at dawn"


def test_assets():
    server = Server()
    assert set(json.loads(call(server, "assets_manage", {"action": "list"}))) == {"549895", "549896"}
    rename = {"action": "rename", "asset_id": 549896, "file": "prices.pdf"}
    assert call(server, "assets_manage", rename) == "renamed"
    get = {"action": "get", "asset_id": 549896}
    assert json.loads(call(server, "assets_manage", get))["file"] == "prices.pdf"
    assert call(server, "assets_manage", {"action": "delete", "asset_id": 549896}) == "deleted"
    assert result(server, "assets_manage", get)["isError"]


def test_releases():
    server = Server()
    publish = {"action": "publish", "entry_id": "harbour-tour"}
    assert call(server, "releases_manage", publish) == "published"
    assert json.loads(call(server, "releases_manage", {"action": "list"})) == {"harbour-tour": True}
    assert call(server, "releases_manage", {**publish, "action": "unpublish"}) == "unpublished"


def test_redirects_and_export():
    server = Server()
    assert call(server, "redirects_import", {"rows": [["/a", "/b"], ["/c", "/d"]]}) == "imported 2"
    assert server.store.redirects == [["/a", "/b"], ["/c", "/d"]]
    first = call(server, LONG, {"locale": "de-CH"}).splitlines()[0]
    assert first.startswith("de-CH,harbour-tour,headline,")


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("entries_upsert", {**CARD, "content_type": "note", "field_values": []}, "no content type 'note'"),
        ("entries_upsert", {**CARD, "field_values": [{**HEADLINE, "field": "head"}]}, "no field 'head'"),
        ("page_render", {"page_id": "away"}, "no page 'away'; there are: home"),
        ("assets_get", {"identifier": 1}, "no asset '1'"),
        ("assets_manage", {"action": "delete"}, "no asset 'None'"),
        ("releases_manage", {"action": "publish", "entry_id": "x"}, "no entry 'x'"),
        ("page_render", {}, "arguments: page_id is missing"),
    ],
)
def test_a_refused_call_is_a_result_with_is_error(name, arguments, text):
    refused = result(Server(), name, arguments)
    assert refused["isError"] is True
    assert text in refused["content"][0]["text"]


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        ({"field": "more", "type": "string", "value": "example.com"}, "| example.com "),
        ({"field": "more", "type": "link", "url": "https://a.example", "label": "A"}, "| A -> https://a.example "),
        ({"field": "picture", "type": "color", "hex": "#fff"}, "[picture missing] {'type': 'color', 'hex': '#fff'}"),
        ({"field": "headline", "type": "string", "value": "x" * 80}, "| " + "x" * 80 + " |"),
    ],
)
def test_what_a_page_shows(value, shown):
    server = Server()
    call(server, "entries_upsert", {"content_type": "card", "entry_id": "harbour-tour", "field_values": [value]})
    page = call(server, "page_render", {"page_id": "home"})
    assert shown in page
    assert len({len(line) for line in page.splitlines()[1:]}) == 1
