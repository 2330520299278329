"""The incident cannot happen where the server reads a value by the type of its field."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

import toolglot
from toolglot.demo import Server
from toolglot.demo.incident import RIGHT, WRONG, call, upsert
from toolglot.demo.tools import TOOLS
from toolglot.demo.typed import TYPED_TOOLS

PAGE = {"page_id": "home"}
WHOLE = "[picture: harbour-at-dawn.jpg] The harbour at dawn"


def server() -> Server:
    return Server(tools=TYPED_TOOLS)


def answer(made: Server, field_value: Any) -> tuple[str, bool]:
    params = {"name": "entries_upsert", "arguments": upsert(field_value)}
    reply = made.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    assert reply is not None
    return reply["result"]["content"][0]["text"], reply["result"]["isError"]


def test_the_wrong_argument_of_the_incident_is_corrected_and_the_card_is_whole() -> None:
    made = server()
    before = call(made, "page_render", PAGE)
    said = call(made, "entries_upsert", upsert(WRONG))
    assert said == "updated. The field 'picture' is of type asset, not string; the value was read as asset."
    assert made.store.entries["harbour-tour"]["fields"]["picture"] == {"type": "asset", "asset_id": 549895}
    assert call(made, "page_render", PAGE) == before
    assert WHOLE in before


STORED = [
    ("picture", "549896", {"type": "asset", "asset_id": 549896}),
    ("picture", '{"asset_id": 549895, "alt": "Boats"}', {"type": "asset", "asset_id": 549895, "alt": "Boats"}),
    ("headline", "549895", {"type": "string", "value": "549895"}),
    ("teaser", "Short.", {"type": "text", "text": "Short."}),
    ("price", "24.90", {"type": "decimal", "amount": "24.90"}),
    ("seats", "14", {"type": "integer", "number": 14}),
    ("bookable", True, {"type": "boolean", "checked": True}),
    ("starts", "2026-12-01", {"type": "date", "date": "2026-12-01"}),
    (
        "more",
        '{"url": "https://example.com", "label": "Go"}',
        {"type": "link", "url": "https://example.com", "label": "Go"},
    ),
]


@pytest.mark.parametrize(("field", "value", "stored"), STORED)
def test_every_type_of_the_card_is_stored_as_the_server_keeps_it(field: str, value: Any, stored: Any) -> None:
    made = server()
    assert answer(made, {"field": field, "value": value}) == ("updated", False)
    assert made.store.entries["harbour-tour"]["fields"][field] == stored


REFUSED = [
    ({"field": "picture", "type": "string", "value": "harbour-at-dawn.jpg"}, "of type asset, not string"),
    ({"field": "seats", "value": "twelve"}, "a whole number"),
    ({"field": "seat", "value": 12}, "Did you mean 'seats'?"),
    (RIGHT, "value is missing"),
]


@pytest.mark.parametrize(("field_value", "says"), REFUSED)
def test_what_does_not_fit_is_refused_and_the_card_stays_whole(field_value: Any, says: str) -> None:
    made = server()
    before = call(made, "page_render", PAGE)
    said, is_error = answer(made, field_value)
    assert says in said
    assert is_error
    assert call(made, "page_render", PAGE) == before


def test_nothing_is_stored_where_one_of_several_values_is_refused() -> None:
    made = server()
    arguments = upsert({"field": "seats", "value": 14})
    arguments["field_values"].append({"field": "price", "value": True})
    with pytest.raises(RuntimeError, match="of type decimal"):
        call(made, "entries_upsert", arguments)
    assert made.store.entries["harbour-tour"]["fields"]["seats"] == {"type": "integer", "number": 12}


def test_what_it_publishes_passes_the_contract_and_portable() -> None:
    tool = TYPED_TOOLS[0].published()
    assert toolglot.check([tool]).findings == ()
    assert toolglot.check([tool], target="portable").findings == ()
    form = toolglot.normalize(tool, "portable")
    assert form.schema is form.published.tool.input_schema
    assert form.ledger == ()
    assert TYPED_TOOLS[1:] == TOOLS[1:]


def test_the_command() -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call"}
    lines = [
        {**request, "params": {"name": "entries_upsert", "arguments": upsert(WRONG)}},
        {**request, "params": {"name": "page_render", "arguments": PAGE}},
    ]
    done = subprocess.run(
        [sys.executable, "-m", "toolglot.demo", "--typed-values"],
        input="".join(json.dumps(line) + "\n" for line in lines),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    updated, page = (json.loads(line)["result"] for line in done.stdout.splitlines())
    assert updated["content"][0]["text"].startswith("updated. The field 'picture' is of type asset")
    assert WHOLE in page["content"][0]["text"]
