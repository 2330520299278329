"""The other commands: capture, surface, targets, explain."""

from __future__ import annotations

import json

import pytest
from cli_help import DEMO, OK, UNION

from toolglot.cli.codes import CODES
from toolglot.contract.rules import RULES, TARGET_RULES
from toolglot.schema.features import FEATURES
from toolglot.targets.load import SHIPPED


def test_a_capture_is_checked_like_the_server(cli):
    done = cli("capture", "-o", "tools.json", "--", *DEMO)
    assert (done.code, done.out, done.err) == (0, "", "")
    saved = json.loads(cli("check", "tools.json", "--format", "json").out)
    live = json.loads(cli("check", "--format", "json", "--", *DEMO).out)
    assert saved["summary"] == live["summary"]
    assert saved["sources"][0]["server"] == live["sources"][0]["server"]


def test_a_capture_to_stdout(cli):
    cli.file("tools.json", OK)
    done = cli("capture", "tools.json")
    assert json.loads(done.out)["result"]["tools"] == OK


def test_surface(cli):
    read = OK[0] | {"annotations": {"readOnlyHint": True}}
    cli.file("tools.json", [read, UNION, {"name": "x\x1b", "inputSchema": {"anyOf": []}}, {"inputSchema": 1}])
    done = cli("surface", "tools.json")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert lines[0] == "read      pages_list     `readOnlyHint` is true"
    assert lines[1].startswith("mutation  groups_manage  no action parameter")
    assert lines[2].startswith("mutation  x\\x1b")
    assert lines[-1] == "1 read, 0 gated, 2 mutation, 1 entry that is no tool."


def test_surface_of_several_sources(cli):
    cli.file("a.json", OK)
    cli.file("b.json", "{")
    done = cli("surface", "a.json", "b.json")
    assert done.code == 2
    assert "a.json:\n" in done.out
    assert "could not be read" in done.out


def test_surface_of_the_configured_words(cli):
    schema = {"type": "object", "properties": {"verb": {"enum": ["leer", "borrar"]}}, "required": ["verb"]}
    cli.file("tools.json", [OK[0] | {"inputSchema": schema}])
    cli.file("toolglot.toml", 'action-names = ["verb"]\nreading-values = ["leer"]\n')
    assert cli("surface", "tools.json").out.startswith("gated ")
    assert cli("surface", "tools.json", "--isolated").out.startswith("mutation ")


def test_targets_are_listed(cli):
    done = cli("targets")
    assert done.code == 0
    for name in SHIPPED.ids:
        assert f" {name} " in done.out
    assert "short: gemini)" in done.out
    marked = [line.split()[1] for line in done.out.splitlines() if line.startswith("  * ")]
    assert set(marked) == set(SHIPPED.group("default"))


@pytest.mark.parametrize("name", [*SHIPPED.ids, "gemini", "cursor+gemini-parameters"])
def test_facts_have_their_sources(cli, name):
    done = cli("targets", name, "-v")
    assert (done.code, done.err) == (0, "")
    target = SHIPPED.target(name)
    assert done.out.startswith(f"{target.id}: ")
    for fact in target.facts.values():
        assert fact.feature in done.out
        assert fact.proof.source in done.out


def test_what_is_stale(cli):
    done = cli("targets", "--stale")
    assert done.code == 0
    *rows, last = done.out.splitlines()
    assert last == f"{len(rows)} facts are undated or older than 18 months."
    assert rows == sorted(set(rows))
    assert all(row.startswith(("undated", "202")) for row in rows)
    assert len(cli("targets", "--stale", "openai").out.splitlines()) < len(rows)


BITING = [
    (fact.target, fact.feature)
    for target in SHIPPED.targets("default")
    for fact in target.facts.values()
    if fact.status in ("rejected", "dropped", "ignored")
]


@pytest.mark.parametrize(("target", "feature"), BITING)
def test_bug_reports(cli, target, feature):
    done = cli("targets", "report", target, feature)
    assert (done.code, done.err) == (0, "")
    proof = SHIPPED.target(target).facts[feature].proof
    known = SHIPPED.target(target)
    assert done.out.splitlines()[0].startswith(f"# {known.title}: ")
    assert done.out.splitlines()[0].endswith(f" is {known.facts[feature].status}")
    assert proof.source in done.out
    schema = done.out.partition("```json\n")[2].partition("\n```")[0]
    assert isinstance(json.loads(schema), dict)
    for part in ("**Expected**", "**Happens**", "**Seen**"):
        assert part in done.out


@pytest.mark.parametrize("rule", [*RULES, *TARGET_RULES], ids=lambda rule: rule.code)
def test_rules_are_explained(cli, rule):
    done = cli("explain", rule.code.lower())
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{rule.code} {rule.name} ({rule.severity})\n")
    for part in ("What it does", "Why it matters", "Example", "Instead", "JSON Schema:", "zod:", "pydantic:", "Go:"):
        assert f"{part}\n" in done.out
    assert cli("rule", rule.name).out.startswith(done.out[:100])


@pytest.mark.parametrize("code", CODES)
def test_other_codes_are_explained(cli, code):
    assert cli("explain", code).out.startswith(f"{code} {CODES[code][0]}\n  ")


@pytest.mark.parametrize("feature", FEATURES)
def test_features_are_explained(cli, feature):
    done = cli("explain", feature)
    assert done.code == 0
    assert f"{feature} (feature): a place that {FEATURES[feature].says}\n" in done.out
    lines = done.out.partition("What targets do\n")[2].splitlines()
    assert len(lines) == len(set(lines))
    named = [name for line in lines for name in line[12:].partition(" [")[0].partition(": ")[0].split(", ")]
    knowing = [name for name in SHIPPED.ids if feature in SHIPPED.target(name).facts]
    assert set(knowing) <= {name.partition(";")[0] for name in named}


@pytest.mark.parametrize("name", ["cursor", "gemini", "strict"])
def test_targets_are_explained(cli, name):
    assert cli("explain", name).out == cli("targets", name).out


def test_everything_is_listed(cli):
    out = cli("explain").out
    for name in (*CODES, *FEATURES, *(rule.code for rule in RULES), *(rule.name for rule in TARGET_RULES)):
        assert f"  {name} " in out
