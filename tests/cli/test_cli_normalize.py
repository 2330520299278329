"""`normalize` and `names`: what a target gets, what that costs, and what cannot be sent."""

from __future__ import annotations

import json
from typing import Any

import pytest
from cli_help import DEMO, OK, UNION

from toolglot.targets.load import SHIPPED

BOUNDS = {
    "name": "notes.add",
    "description": "Adds a note.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "text": {"type": "string", "maxLength": 200},
            "kind": {"const": "note"},
            "tags": {"type": "array", "items": {"type": "string", "maxLength": 20}},
        },
        "required": ["text"],
        "additionalProperties": False,
    },
}
BAD = [{"inputSchema": 1}, {"name": "x\x1b[31m", "inputSchema": []}]
DOUBLED = [OK[0], OK[0]]


@pytest.fixture
def tools(cli) -> str:
    """A saved list: one tool that every target takes, one that none does, one with bounds and an odd name."""
    return cli.file("tools.json", [*OK, UNION, BOUNDS])


def test_one_line_a_tool(cli, tools):
    done = cli("normalize", tools, "--for", "portable-strict")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert len(lines) == 4
    assert lines[0].split() == ["pages_list", "as", "published"]
    assert "encoded" in lines[1]
    assert lines[2].startswith("notes.add -> notes_add_h")
    assert lines[3].startswith("3 tools for portable-strict: 1 as published, 2 fitted; about ")


def test_all_as_published(cli):
    cli.file("tools.json", OK)
    done = cli("normalize", "tools.json", "--for", "openai")
    assert done.out.splitlines()[-1].startswith("1 tool for openai-nonstrict: 1 as published, 0 fitted; about ")
    assert cli("normalize", "tools.json", "--for", "openai", "--ledger").out.count("\n") == 1
    assert cli("normalize", "tools.json", "--for", "openai", "--diff").out == ""


def test_the_ledger(cli, tools):
    done = cli("normalize", tools, "--for", "portable-strict", "--ledger")
    assert done.code == 0
    assert "/properties/sites" in done.out
    assert "string-bounds: left out, wider" in done.out
    assert "and 1 more place" in done.out
    assert "pages_list" not in done.out
    verbose = cli("normalize", tools, "--for", "portable-strict", "--ledger", "-v")
    assert "also /properties/tags/items" in verbose.out
    assert "because portable-strict/string-bounds is rejected [documented 2026-11-30" in verbose.out
    assert "because a rule for names [" in verbose.out


def test_what_cannot_be_said(cli):
    schema = {"type": "object", "properties": {"text": {"type": ["string", "null"]}}, "additionalProperties": False}
    cli.file("tools.json", [OK[0] | {"inputSchema": schema}])
    done = cli("normalize", "tools.json", "--for", "openai-strict", "--ledger")
    assert "narrower; " in done.out
    said = next(line for line in done.out.splitlines() if line.startswith("    cannot be said: "))
    assert "(leave out)" in said
    (row,) = document(cli("normalize", "tools.json", "--for", "openai-strict", "--json"))["fitted"]
    lost = [entry["lost"] for entry in row["ledger"] if entry["values"] == "narrower"]
    assert len(lost) == 1
    assert json.dumps(lost[0]) in said


def test_the_diff(cli, tools):
    done = cli("normalize", tools, "--for", "portable-strict", "--diff", "--tool", "notes.add")
    assert done.code == 0
    lines = done.out.splitlines()
    assert lines[0] == "--- published/notes.add"
    assert lines[1].startswith("+++ portable-strict/notes_add_h")
    assert any(line.startswith("-") and '"maxLength": 200' in line for line in lines)
    assert "groups_manage" not in done.out


def document(done: Any) -> dict[str, Any]:
    return json.loads(done.out)


def test_json(cli, tools):
    done = cli("normalize", tools, "--for", "portable-strict", "--json")
    assert done.code == 0
    found = document(done)
    assert list(found) == ["version", "target", "tools", "fitted", "problems", "notes"]
    assert (found["version"], found["target"]) == (1, "portable-strict")
    assert found["tools"][0] == OK[0]
    assert [row["published"] for row in found["fitted"]] == ["pages_list", "groups_manage", "notes.add"]
    assert [row["name"] for row in found["fitted"]] == [row["name"] for row in found["tools"]]
    entries = [entry for row in found["fitted"] for entry in row["ledger"]]
    assert {"tool-name", "string-bounds"} <= {entry["feature"] for entry in entries}
    keys = ["pointer", "feature", "shape", "values", "reason", "fact"]
    assert all(list(entry)[:6] == keys and list(entry)[6:] in ([], ["lost"]) for entry in entries)
    facts = [entry["fact"] for entry in entries if entry["fact"]]
    assert all(fact["source"] and "date" in fact for fact in facts)


@pytest.mark.parametrize(
    "target", ["portable-strict", "gemini-parameters", "openai-strict", "anthropic-strict", "cursor"]
)
def test_what_is_sent_passes_the_check(cli, target):
    cli.file("tools.json", [*OK, UNION, BOUNDS])
    fitted = cli("normalize", "tools.json", "--for", target, "--json")
    assert fitted.code == 0
    cli.file("fitted.json", fitted.out)
    checked = cli("check", "fitted.json", "--for", target, "--select", "TG2")
    assert checked.code == 0, checked.out


def test_what_cannot_be_sent(cli):
    cli.file("tools.json", [*DOUBLED, *BAD])
    done = cli("normalize", "tools.json", "--for", "openai")
    assert done.code == 1
    lines = done.out.splitlines()
    assert lines[1] == "not sent: pages_list has the name of an earlier tool; only that one is sent."
    assert lines[2].startswith("not sent: entry 3 ")
    assert lines[3].startswith("not sent: x\\x1b[31m ")
    assert ", 3 not sent; about " in lines[-1]
    found = document(cli("normalize", "tools.json", "--for", "openai", "--json"))
    assert [(row["tool"], row["index"]) for row in found["problems"]] == [
        ("pages_list", 1),
        (None, 2),
        ("x\x1b[31m", 3),
    ]
    assert cli("normalize", "tools.json", "--for", "openai", "--ledger").code == 1
    assert cli("normalize", "tools.json", "--for", "openai", "--diff").out.startswith("not sent: ")


def test_what_goes_to_the_twin(cli):
    many = [OK[0] | {"name": f"t{place}"} for place in range(22)]
    cli.file("tools.json", many)
    done = cli("normalize", "tools.json", "--for", "anthropic-strict")
    assert done.code == 0
    assert done.out.count("; sent to anthropic-nonstrict\n") == 2
    assert (
        "note: t21 is sent to anthropic-nonstrict: anthropic-strict takes 20 strict tools in one request." in done.out
    )
    found = document(cli("normalize", "tools.json", "--for", "anthropic-strict", "--json", "--tool", "t0,t21"))
    assert [row["target"] for row in found["fitted"]] == ["anthropic-strict", "anthropic-nonstrict"]
    assert [row["tool"] for row in found["notes"]] == ["t21"]


WRONG = [
    (("normalize", "tools.json"), "name one target with --for TARGET."),
    (("names", "tools.json"), "name one target with --for TARGET."),
    (("normalize", "tools.json", "--for", "openai", "--for", "gemini"), "name one target with --for TARGET."),
    (("names", "tools.json", "--for", "openai,gemini"), "name one target with --for TARGET."),
    (("normalize", "tools.json", "--for", "default"), "'default' is a group of targets, and one is needed."),
    (("normalize", "tools.json", "--for", "opanai"), "unknown target 'opanai'."),
    (("normalize", "tools.json", "--for", "openai", "--tool", "page_list"), "unknown tool 'page_list'."),
    (("normalize", "tools.json", "tools.json", "b.json", "--for", "openai"), "`normalize` takes one source."),
    (("names", "tools.json", "b.json", "--for", "openai"), "`names` takes one source."),
    (("normalize", "tools.json", "--for", "openai", "--ledger", "--json"), "--ledger and --json exclude each other."),
    (("normalize", "none.json", "--for", "openai"), "none.json"),
    (("normalize", "--for", "openai"), "no SOURCE is given."),
]


@pytest.mark.parametrize(("args", "message"), WRONG)
def test_wrong_usage(cli, tools, args, message):
    done = cli(*args)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: ")
    assert message in done.err


def test_the_target_of_the_configuration(cli, tools):
    cli.file("toolglot.toml", 'for = ["portable-strict"]\n')
    assert "for portable-strict: " in cli("normalize", tools).out
    assert "for openai-nonstrict: " in cli("normalize", tools, "--for", "openai").out
    assert cli("normalize", tools, "--isolated").code == 2
    cli.file("toolglot.toml", 'for = ["portable-strict", "openai"]\n')
    assert cli("normalize", tools).code == 2


def test_a_target_of_the_project(cli, tools):
    cli.file("toolglot.toml", '[[target]]\nid = "mine"\ntitle = "Mine"\nkind = "api"\nfield = "schema"\n')
    done = cli("normalize", tools, "--for", "mine", "--json")
    assert document(done)["fitted"][0]["field"] == "schema"


def test_output_to_a_file(cli, tools):
    done = cli("normalize", tools, "--for", "openai", "--json", "-o", "out.json")
    assert (done.code, done.out) == (0, "")
    assert json.loads((cli.directory / "out.json").read_text())["target"] == "openai-nonstrict"


@pytest.mark.parametrize("target", SHIPPED.group("default"))
def test_the_demo_server(cli, target):
    done = cli("normalize", "--for", target, "--", *DEMO)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[-1].startswith(f"10 tools for {target}: ")


# names


def test_names(cli, tools):
    done = cli("names", tools, "--for", "openai")
    assert (done.code, done.err) == (0, "")
    first, last = done.out.splitlines()
    assert first.split() == [
        "notes.add",
        "->",
        "notes_add_he1253ccd",
        *["has", "characters", "outside", "`[a-zA-Z0-9_-]+`"],
    ]
    assert last == "1 of 3 tools has another name on openai-nonstrict."
    verbose = cli("names", tools, "--for", "openai", "-v").out.splitlines()
    assert [line.split()[0] for line in verbose[:3]] == ["pages_list", "groups_manage", "notes.add"]


def test_of_two_tools_with_one_name_the_first_is_sent(cli, tmp_path):
    twice = [{"name": "a b", "inputSchema": {"type": "object"}}] * 2
    (tmp_path / "twice.json").write_text(json.dumps(twice))
    lines = cli("names", str(tmp_path / "twice.json"), "--for", "openai").out.splitlines()
    assert len(lines) == 2
    assert lines[-1] == "1 of 1 tool has another name on openai-nonstrict."


def test_names_that_stay(cli):
    cli.file("tools.json", OK)
    done = cli("names", "tools.json", "--for", "openai")
    assert done.out == "1 tool has its published name on openai-nonstrict.\n"


def test_names_of_parameters(cli):
    schema = {"type": "object", "properties": {"user name": {"type": "string"}, "id": {"type": "string"}}}
    cli.file("tools.json", [OK[0] | {"inputSchema": schema}])
    lines = cli("names", "tools.json", "--for", "anthropic").out.splitlines()
    assert lines[0].split()[0] == "pages_list"
    assert lines[1].startswith('  "user name"  ')
    assert "-> user_name_h7935f403" in lines[1]
    assert lines[-1].endswith("1 parameter is called otherwise.")
    assert "user name" not in cli("names", "tools.json", "--for", "openai").out


def test_a_name_with_the_form_of_ours(cli):
    cli.file("tools.json", [OK[0] | {"name": "pages_h0123abcd"}])
    assert "has the form of a name that toolglot makes" in cli("names", "tools.json", "--for", "openai").out


def test_a_tool_that_is_too_large(cli):
    many = {"type": "object", "properties": {f"p {place}": True for place in range(200_001)}}
    cli.file("tools.json", [OK[0] | {"inputSchema": many}])
    assert cli("names", "tools.json", "--for", "anthropic").code == 0
    done = cli("normalize", "tools.json", "--for", "anthropic")
    assert done.code == 1
    assert done.out.startswith("not sent: pages_list has more than 30,000 schemas. ")


def test_names_of_one_tool(cli, tools):
    assert "1 tool has its published name" in cli("names", tools, "--for", "openai", "--tool", "pages_list").out
