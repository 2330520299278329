"""Every option can be set in the environment, and means the same there."""

from __future__ import annotations

import json

import click
import pytest
from cli_help import OK, UNION

from toolglot.cli.app import COMMANDS, app


def _commands(command=app, path=()):
    if isinstance(command, click.Group):
        ctx = click.Context(command)
        for name in [*command.list_commands(ctx), *(n for n in COMMANDS if command is app)]:
            yield from _commands(command.get_command(ctx, name), (*path, name))
    else:
        yield path, command


LEAVES = dict(_commands())
OPTIONS = [
    pytest.param(option, id=f"{' '.join(path)} {option.opts[0]}")
    for path, command in LEAVES.items()
    for option in command.params
    if isinstance(option, click.Option)
]


def test_all_commands_are_looked_at():
    assert {" ".join(path) for path in LEAVES} == {
        *("check", "normalize", "names", "adk", "capture", "surface", "targets", "explain", "rule"),
        *("explain-error", "probe", "eval", "proxy"),
        *("baseline add", "baseline prune", "baseline check"),
    }


@pytest.mark.parametrize("option", OPTIONS)
def test_every_option_has_its_variables(option):
    names = [name for name in option.opts if name.startswith("--")]
    if names == ["--read-only"]:
        return  # the proxy reads this variable itself: a value that it cannot read means on
    if names == ["--config"] and option.envvar is None:
        assert "client configuration" in option.help
        return  # of the proxy: TOOLGLOT_CONFIG names a toolglot.toml elsewhere
    assert option.envvar == ["TOOLGLOT_" + name[2:].replace("-", "_").upper() for name in names]
    assert option.help or isinstance(option.type, click.Choice)


BOTH = [
    ((), {}, 1),
    (("--exit-zero",), {"TOOLGLOT_EXIT_ZERO": "1"}, 0),
    (("--fail-on", "note"), {"TOOLGLOT_FAIL_ON": "note"}, 1),
    (("--ignore", "TG1,TG2"), {"TOOLGLOT_IGNORE": "TG1, TG2"}, 0),
    (("--ignore", "TG1", "--ignore", "TG2"), {"TOOLGLOT_IGNORE": "TG1,TG2"}, 0),
    (("--select", "TG106"), {"TOOLGLOT_SELECT": "TG106"}, 0),
    (("--preset", "policy"), {"TOOLGLOT_PRESET": "policy"}, 1),
    (("--for", "portable,openai"), {"TOOLGLOT_FOR": "portable,openai"}, 1),
    (("-t", "portable", "-t", "openai"), {"TOOLGLOT_TARGET": "portable,openai"}, 1),
    (("--format", "json"), {"TOOLGLOT_FORMAT": "json"}, 1),
    (("--output-format", "json", "-q"), {"TOOLGLOT_OUTPUT_FORMAT": "json", "TOOLGLOT_QUIET": "true"}, 1),
    (("-v",), {"TOOLGLOT_VERBOSE": "1"}, 1),
    (("--schema",), {"TOOLGLOT_SCHEMA": "1"}, 2),
    (("-o", "out.txt"), {"TOOLGLOT_OUTPUT": "out.txt"}, 1),
    (("--timeout", "5"), {"TOOLGLOT_TIMEOUT": "5"}, 1),
    (("--timeout", "-5"), {"TOOLGLOT_TIMEOUT": "-5"}, 2),
]


@pytest.mark.parametrize(("args", "variables", "code"), BOTH)
def test_an_option_and_its_variable_do_the_same(cli, monkeypatch, args, variables, code):
    cli.file("tools.json", [UNION])
    given = cli("check", "tools.json", *args)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert cli("check", "tools.json") == given
    assert given.code == code


def test_an_option_wins_over_its_variable(cli, monkeypatch):
    cli.file("tools.json", OK)
    monkeypatch.setenv("TOOLGLOT_FOR", "portable")
    done = cli("check", "tools.json", "--for", "openai", "--format", "json")
    assert json.loads(done.out)["summary"]["targets"] == ["openai-nonstrict"]


@pytest.mark.parametrize("name", ["claude", "gemini+openai", "default", "strict", "agents", "local"])
def test_targets_by_every_kind_of_name(cli, name):
    cli.file("tools.json", OK)
    assert cli("check", "tools.json", "--for", name).code in (0, 1)
