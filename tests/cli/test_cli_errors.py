"""Every error is one line that says what, then the next step, on stderr, with exit code 2; never a traceback."""

from __future__ import annotations

import pytest
from cli_help import OK

import toolglot.cli.app as app_module

ERRORS = [
    (("chek",), "error: no such command 'chek'.", "Did you mean check?"),
    (("tools.json",), "error: no such command 'tools.json'.", "To check a source: `toolglot check tools.json`."),
    (
        ("check", "--fo", "x", "tools.json"),
        "error: no such option --fo.",
        "Did you mean --for or ",
    ),
    (("check", "--bogus"), "error: no such option --bogus.", "`toolglot check --help` shows the options."),
    (("check", "tools.json", "--all"), "error: --server and --all choose from", "--help"),
    (("check", "tools.json", "--server", "x"), "error: --server and --all choose from", "--help"),
    (("check",), "error: no SOURCE is given.", "Name one: `toolglot check tools.json`"),
    (("surface",), "error: no SOURCE is given.", "`toolglot surface -- npx -y SERVER`"),
    (("check", "--"), "error: no command follows after `--`.", "--help"),
    (("check", "nope.json"), "error: nope.json: there is no such file.", "A source is a saved list"),
    (("check", "tool.json"), "error: tool.json: there is no such file.", "Did you mean tools.json?"),
    (("check", "npx"), "error: npx:", "Did you mean `-- npx`?"),
    (("check", "tools.json", "--for", "gemni"), "error: unknown target 'gemni'.", "Did you mean gemini"),
    (("check", "tools.json", "--for", "x.toml"), "error: x.toml: cannot be read", ""),
    (("check", "tools.json", "--select", "TG999"), "error: unknown rule 'TG999'.", "Did you mean"),
    (("check", "tools.json", "--fail-on", "x"), "error: invalid value for '--fail-on'", "--help"),
    (("check", "tools.json", "--config", "no.toml"), "error: no.toml: cannot be read", ""),
    (("check", "tools.json", "--config", "a", "--isolated"), "error: --config and --isolated exclude each other.", ""),
    (("check", "tools.json", "--baseline", "no.toml"), "error: no.toml: cannot be read", ""),
    (
        ("check", "tools.json", "--baseline", "x", "--no-baseline"),
        "error: --baseline and --no-baseline exclude each other.",
        "",
    ),
    (("check", "tools.json", "--header", "x"), "error: --header takes NAME:VALUE.", "--help"),
    (("check", "tools.json", "--header-from-env", "x"), "error: --header-from-env takes NAME=VARIABLE.", ""),
    (
        ("check", "tools.json", "--header-from-env", "Authorization=NOT_THERE"),
        "error: the environment variable NOT_THERE is not set.",
        "Authorization needs it",
    ),
    (("check", "tools.json", "-o", "no/out.txt"), "error: no/out.txt: cannot be written: No such file", "-o FILE"),
    (("check", "empty.json"), "error: empty.json: it publishes no tool.", "--allow-empty"),
    (("check", "broken.json"), "error: broken.json: it is not JSON", ""),
    (("check", "--", "no-such-command-here"), "error: no-such-command-here: the command", ""),
    (("capture", "tools.json", "empty.json"), "error: a capture is of one server.", "--help"),
    (("capture", "tools.json", "-o", "no/out.json"), "error: no/out.json: cannot be written", ""),
    (("targets", "gemni"), "error: unknown target 'gemni'.", "Did you mean gemini"),
    (("targets", "report"), "error: `targets report` takes a target and a feature.", ""),
    (("targets", "report", "cursor", "unoin"), "error: no feature is called 'unoin'.", ""),
    (("targets", "report", "openai", "type-null"), "error: nothing is known about type-null on openai-nonstrict.", ""),
    (("targets", "report", "openai", "enum"), "error: openai-nonstrict has enum as accepted: nothing to report.", ""),
    (
        ("explain", "structural-unoin"),
        "error: 'structural-unoin' is no rule, no feature and no target.",
        "Did you mean",
    ),
    (("rule", "TG199"), "error: 'TG199' is no rule, no feature and no target.", "Did you mean"),
    (("baseline", "ad"), "error: no such command 'ad'.", "Did you mean add?"),
    (("baseline", "check"), "error: missing option '--against'", ""),
    (("baseline", "check", "--against", "main"), "error: main: cannot be looked up", "inside the repository"),
    (("baseline", "add", "broken.json"), "error: broken.json: it is not JSON", ""),
]


@pytest.mark.parametrize(("args", "what", "next_step"), ERRORS, ids=[" ".join(row[0]) for row in ERRORS])
def test_errors(cli, args, what, next_step):
    cli.file("tools.json", OK)
    cli.file("empty.json", {"tools": []})
    cli.file("broken.json", '{"tools": [')
    done = cli(*args)
    assert done.code == 2
    assert done.err.startswith(what)
    assert next_step in done.err
    assert done.err.count("error:") == 1
    assert done.out == ""
    assert "Traceback" not in done.err


@pytest.mark.parametrize("args", [(), ("baseline",)])
def test_no_arguments_show_the_commands(cli, args):
    done = cli(*args)
    assert (done.code, done.err) == (2, "")
    assert "Commands:" in done.out


@pytest.mark.parametrize("name", ["-h", "--help"])
def test_help(cli, name):
    done = cli("check", name)
    assert (done.code, done.err) == (0, "")
    assert "[-- COMMAND ARGS]" in done.out


def test_an_unexpected_failure_is_one_line(cli, monkeypatch):
    def broken(*args, **kwargs):
        raise LookupError("kaputt\x1b[31m")

    monkeypatch.setattr(app_module.app, "main", broken)
    done = cli("check", "tools.json")
    assert done.code == 2
    assert done.err == (
        "error: toolglot itself failed: LookupError: kaputt\\x1b[31m. Please report it with the command; "
        "TOOLGLOT_DEBUG=1 shows where it happened.\n"
    )
    monkeypatch.setenv("TOOLGLOT_DEBUG", "1")
    with pytest.raises(LookupError):
        cli("check", "tools.json")


@pytest.mark.parametrize("error", [KeyboardInterrupt(), BaseExceptionGroup("x", [KeyboardInterrupt()])])
def test_ctrl_c_is_quiet(cli, monkeypatch, error):
    def interrupted(*args, **kwargs):
        raise error

    monkeypatch.setattr("toolglot.cli.sources.read_all", interrupted)
    monkeypatch.setattr("toolglot.cli.checking.read_all", interrupted)
    cli.file("tools.json", OK)
    done = cli("check", "tools.json")
    assert (done.code, done.out, done.err) == (130, "", "")
