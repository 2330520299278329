"""`baseline`: add, prune, check against a commit; and `check` with the file."""

from __future__ import annotations

import subprocess

import pytest
from cli_help import OK, UNION

FILE = "toolglot-baseline.toml"
FILLED = ("--reason", "3.0 changes it", "--issue", "https://example.com/1")


def test_a_violation_is_listed_and_then_fixed(cli):
    cli.file("tools.json", [UNION])
    cli.file("toolglot.toml", 'for = ["openai"]')
    assert cli("check", "tools.json").code == 1
    added = cli("baseline", "add", "tools.json", *FILLED)
    assert added.code == 0
    assert added.out == f"{FILE}: 1 entry added.\n"
    listed = cli("check", "tools.json")
    assert listed.code == 0
    assert "Nothing but the 1 finding that the baseline lists" in listed.out
    assert "listed by the baseline: 3.0 changes it" in cli("check", "tools.json", "-v").out
    assert cli("check", "tools.json", "--no-baseline").code == 1
    assert cli("check", "tools.json", "--isolated").code == 1
    assert cli("check", "tools.json", "--isolated", "--baseline", FILE).code == 0

    cli.file("tools.json", [UNION | {"inputSchema": OK[0]["inputSchema"]}])
    fixed = cli("check", "tools.json")
    assert fixed.code == 1
    assert "TG301 stale-entry" in fixed.out
    assert cli("baseline", "prune", "tools.json").out == f"{FILE}: 1 entry removed.\n"
    assert cli("check", "tools.json").code == 0
    assert cli("baseline", "prune", "tools.json").out == "Nothing to remove.\n"


def test_entries_without_reason_fail_until_a_person_fills_them(cli):
    cli.file("tools.json", [UNION])
    done = cli("baseline", "add", "tools.json")
    assert done.out == f"{FILE}: 1 entry added.\nThey fail until each has a reason and an issue.\n"
    checked = cli("check", "tools.json")
    assert checked.code == 1
    assert "TG303" in checked.out
    assert "TG304" in checked.out


def test_nothing_to_add(cli):
    cli.file("tools.json", OK)
    assert cli("baseline", "add", "tools.json").out == "Nothing to add.\n"
    assert not (cli.directory / FILE).exists()


def test_a_named_file(cli):
    cli.file("tools.json", [UNION])
    assert cli("baseline", "add", "tools.json", "--baseline", "other.toml", *FILLED).code == 0
    assert (cli.directory / "other.toml").is_file()
    assert cli("check", "tools.json", "--baseline", "other.toml").code == 0


@pytest.mark.parametrize("command", ["add", "prune"])
def test_a_source_that_cannot_be_read_changes_nothing(cli, command):
    cli.file("a.json", OK)
    cli.file("b.json", "{")
    cli.file(FILE, "")
    done = cli("baseline", command, "a.json", "b.json")
    assert done.code == 2
    assert (cli.directory / FILE).read_text() == ""


def git(*words):
    who = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "commit.gpgsign=false")
    subprocess.run(("git", *who, *words), check=True, capture_output=True)


def test_growth_since_a_commit(cli):
    git("init", "-q")
    cli.file("tools.json", [UNION])
    git("add", "tools.json")
    git("commit", "-qm", "start")
    cli("baseline", "add", "tools.json", *FILLED)
    grown = cli("baseline", "check", "--against", "HEAD")
    assert grown.code == 1
    assert grown.out.splitlines() == [
        f"{FILE}, entry 1 (line 4) is new: TG101 in groups_manage /properties/sites",
        "  reason: 3.0 changes it; issue: https://example.com/1",
        "1 entry more than at HEAD.",
    ]
    accepted = cli("baseline", "check", "--against", "HEAD", "--allow-growth")
    assert (accepted.code, accepted.out) == (0, f"{grown.out}Accepted: --allow-growth.\n")
    git("add", FILE)
    git("commit", "-qm", "list it")
    same = cli("baseline", "check", "--against", "HEAD")
    assert (same.code, same.out) == (0, "The baseline lists nothing that it did not list at HEAD.\n")
    assert cli("baseline", "check", "--against", "nowhere").code == 2


ARRAY = {"type": "object", "properties": {"rows": {"type": "array"}}}
MILD = ("--fail-on", "warning")
"""Facts that grow old give warnings: with it these tests stay true."""

TWO_TARGETS = [{"name": "rows_import", "description": "Imports.", "inputSchema": ARRAY}]


def test_an_entry_with_several_targets_is_one_entry(cli):
    git("init", "-q")
    cli.file("tools.json", TWO_TARGETS)
    git("add", "tools.json")
    git("commit", "-qm", "start")
    args = ("tools.json", "--select", "TG201", "--for", "openai,vscode-copilot", *MILD)
    assert cli("baseline", "add", *args).out.startswith(f"{FILE}: 1 entry added.\n")
    unfilled = cli("check", *args)
    assert "Entry 1 (line 4) of" in unfilled.out
    assert unfilled.out.splitlines()[-1].startswith("2 errors on")
    grown = cli("baseline", "check", "--against", "HEAD").out.splitlines()
    assert grown[0] == f"{FILE}, entry 1 (line 4) is new: TG201 for openai-nonstrict, vscode-copilot in " + (
        "rows_import /properties/rows"
    )
    assert grown[-1] == "1 entry more than at HEAD."
    cli.file("tools.json", OK)
    assert cli("check", *args).out.count("TG302 tool-gone") == 1
    assert cli("baseline", "prune", *args).out == f"{FILE}: 1 entry removed.\n"


def test_an_entry_loses_the_targets_that_are_fine_now(cli):
    cli.file("tools.json", TWO_TARGETS)
    cli("baseline", "add", "tools.json", "--select", "TG201", "--for", "openai,vscode-copilot", *MILD, *FILLED)
    text = (cli.directory / FILE).read_text()
    (cli.directory / FILE).write_text(text.replace('"vscode-copilot"', '"anthropic-nonstrict"'))
    pruned = cli("baseline", "prune", "tools.json", "--select", "TG201", "--for", "openai,anthropic", *MILD)
    assert pruned.out == f"{FILE}: targets of entries removed.\n"
    assert 'target = ["openai-nonstrict"]' in (cli.directory / FILE).read_text()


@pytest.mark.parametrize("command", ["add", "prune"])
def test_the_hint_names_the_whole_command(cli, command):
    assert f"`toolglot baseline {command} tools.json`" in cli("baseline", command).err
