"""The silence: a wrong argument passes every layer, and only the page shows it."""

from __future__ import annotations

import copy
import subprocess
import sys

import jsonschema_rs
import pytest

from toolglot.demo import Server, schemas
from toolglot.demo.incident import RIGHT, WRONG, call, tell, tell_typed, upsert

PAGE = {"page_id": "home"}


@pytest.mark.parametrize(
    ("value", "shown", "hidden"),
    [
        pytest.param(WRONG, "[picture missing] 549895", "[picture: ", id="string-branch"),
        pytest.param(RIGHT, "[picture: harbour-at-dawn.jpg] The harbour at dawn", "missing", id="asset-branch"),
        pytest.param({**RIGHT, "alt": "Boats"}, "[picture: harbour-at-dawn.jpg] Boats", "missing", id="asset-with-alt"),
        pytest.param({**RIGHT, "asset_id": 7}, "[picture missing] 7", "[picture: ", id="no-such-asset"),
    ],
)
def test_every_payload_is_answered_with_updated_and_only_the_page_differs(value, shown, hidden):
    server = Server()
    assert call(server, "entries_upsert", upsert(value)) == "updated"
    page = call(server, "page_render", PAGE)
    assert shown in page
    assert hidden not in page


def test_the_wrong_payload_is_valid_for_the_published_schema():
    validator = jsonschema_rs.Draft7Validator(schemas.ENTRIES_UPSERT, offline=True)
    assert validator.is_valid(upsert(WRONG))
    assert validator.is_valid(upsert(RIGHT))


def test_the_store_keeps_the_wrong_value_as_it_came():
    server = Server()
    call(server, "entries_upsert", upsert(WRONG))
    stored = server.store.entries["harbour-tour"]["fields"]["picture"]
    assert stored == {"type": "string", "value": "549895"}


def test_the_story_of_typed_values_shows_the_whole_page():
    story = tell_typed()
    assert "the value was read as asset" in story
    assert "[picture: harbour-at-dawn.jpg]" in story
    assert "missing]" not in story


def test_the_arguments_are_not_changed():
    arguments = upsert(copy.deepcopy(WRONG))
    before = copy.deepcopy(arguments)
    call(Server(), "entries_upsert", arguments)
    assert arguments == before


def test_the_story_shows_the_whole_the_broken_and_the_mended_page():
    story = tell()
    places = [story.index(text) for text in ("[picture: ", '"value": "549895"', "answers: updated", "missing]")]
    assert places == sorted(places)
    assert story.index('"asset_id": 549895') < story.rindex("[picture: ")
    assert story.count("[picture: ") == 2


@pytest.mark.parametrize(
    ("arguments", "code", "start"),
    [
        (["incident"], 0, "The page before."),
        (["incident", "--typed-values"], 0, "A server that knows the type of each field"),
        (["nonsense"], 2, "usage: python -m toolglot.demo"),
        (["--typed-values", "incident"], 2, "usage: python -m toolglot.demo"),
    ],
)
def test_the_command(arguments, code, start):
    command = [sys.executable, "-m", "toolglot.demo", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode == code
    assert (done.stdout or done.stderr).startswith(start)


def test_a_failed_call_is_an_error_of_the_story():
    with pytest.raises(RuntimeError, match="page_render failed"):
        call(Server(), "page_render", {"page_id": "nowhere"})
