"""`explain-error`: the text from an option or standard input, with a source or without."""

from __future__ import annotations

import io
import json

import pytest
from cli_help import DEMO, OK

_PARAMETERS = {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}}}
NAMES = {
    "name": "a b",
    "description": "E.",
    "inputSchema": {"properties": {"x y": {"type": "array"}}, "type": "object"},
}
_EITHER = [{"required": ["a"]}, {"required": ["b"]}]
ROOT = {"name": "either", "description": "E.", "inputSchema": {**_PARAMETERS, "anyOf": _EITHER}}
TEXT = "tools.1.custom.input_schema: input_schema does not support oneOf, allOf, or anyOf at the top level"
NAMES = {
    "name": "a b",
    "description": "E.",
    "inputSchema": {"type": "object", "properties": {"x y": {"type": "array"}}},
}


@pytest.fixture
def tools(cli) -> str:
    return cli.file("tools.json", [*OK, ROOT, NAMES])


def test_tool_place_feature_fact_and_way_out(cli, tools):
    done = cli("explain-error", tools, "--error", TEXT)
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == f"anthropic-nonstrict: {TEXT}"
    assert lines[1] == "  tool     either (number 1, counted from 0, of the request)"
    assert lines[2] == "  place    (root)"
    assert lines[3].startswith("  feature  root-union: ")
    assert lines[4].startswith("  fact     anthropic-nonstrict/root-union is rejected [")
    assert lines[5].startswith("  way out  `normalize --for anthropic-nonstrict` sends it in another form: ")


def test_standard_input(cli, tools, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO(f'{{"message": "{TEXT}"}}'))
    assert "  tool     either" in cli("explain-error", tools, "--for", "anthropic").out


def test_without_a_source(cli):
    done = cli("explain-error", "--error", TEXT)
    assert done.code == 0
    assert "  tool     number 1, counted from 0, of the request\n" in done.out
    assert "; or root-all-of" in done.out


def test_an_index_that_a_client_moved(cli, tools):
    done = cli("explain-error", tools, "--error", TEXT.replace(".1.", ".99."))
    assert "  tool     likely either; the text says number 99" in done.out


def test_names_and_limits(cli, tools):
    name = cli("explain-error", tools, "--error", "tools.2.custom.name: String should match pattern '^[a-z]+$'")
    assert '  tool     "a b" (' in name.out
    assert "  fact     names: `[a-zA-Z0-9_-]+`" in name.out
    assert "gives it a legal name" in name.out
    keys = "tools.2.custom.input_schema.properties: Property keys should match pattern"
    assert "  place    /properties/x y\n" in cli("explain-error", tools, "--error", keys).out
    many = cli("explain-error", tools, "--error", "Invalid 'tools': array too long. Expected an array")
    assert "  fact     at most 128 tools in one request" in many.out
    assert "send fewer tools" in many.out


def test_more_places(cli):
    seven = {f"p{n}": {"type": "array"} for n in range(7)}
    cli.file(
        "many.json", [{"name": "many", "description": "M.", "inputSchema": {"type": "object", "properties": seven}}]
    )
    text = "tool parameters array type must have items"
    done = cli("explain-error", "many.json", "--error", text)
    assert "  tool     many\n" in done.out
    assert done.out.count("also many") == 4
    assert "and 2 more places; -v shows them" in done.out
    assert cli("explain-error", "many.json", "--error", text, "-v").out.count("also many") == 6


def test_two_refusals_and_json(cli, tools):
    text = f"{TEXT}\n{TEXT.replace('.1.', '.50.')}"
    assert "\n\nanthropic-nonstrict: tools.50" in cli("explain-error", tools, "--error", text).out
    found = json.loads(cli("explain-error", tools, "--error", text, "--json").out)
    assert found["version"] == 1
    first, second = found["refusals"]
    assert (first["tool"], first["pointer"], first["sure"], first["index"]) == ("either", "", True, 1)
    assert first["fact"]["source"]
    assert first["places"] == [{"tool": "either", "pointer": "", "feature": "root-union"}]
    assert (second["tool"], second["sure"]) == ("either", False)


def test_what_is_not_known(cli, tools):
    done = cli("explain-error", tools, "--error", "no")
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("Nothing in this text is known.")
    done = cli("explain-error", tools, "--error", "no", "--json")
    assert (done.code, json.loads(done.out)["refusals"]) == (1, [])


def test_the_demo_server(cli):
    text = "Invalid schema for function 'releases_manage': schema must have type 'object' and not have 'oneOf'"
    done = cli("explain-error", "--error", text, "--", *DEMO)
    assert "  tool     releases_manage\n" in done.out


WRONG = [
    (("explain-error", "-", "--error", "x", "y"), "takes one source"),
    (("explain-error", "-"), "standard input is the list of tools"),
    (("explain-error", "--error", "x", "--for", "opanai"), "unknown target"),
    (("explain-error", "none.json", "--error", "x"), "none.json"),
]


@pytest.mark.parametrize(("args", "message"), WRONG)
def test_wrong_usage(cli, args, message, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("[]"))
    done = cli(*args)
    assert done.code == 2
    assert message in done.err


def test_a_terminal_is_asked_for_a_text(cli, tools, monkeypatch):
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    assert "give the error text" in cli("explain-error", tools).err
