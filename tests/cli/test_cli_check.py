"""`check`: sources, output, exit codes, configuration."""

from __future__ import annotations

import json
import sys

import pytest
from cli_help import DEMO, OK, UNION, process

SDK_SERVER = """
from mcp.server.mcpserver import MCPServer

server = MCPServer("shop", version="1.0", log_level="ERROR")


@server.tool()
def search(query: str, limit: int = 10) -> str:
    return query


if __name__ == "__main__":
    server.run()
"""

CLEAN = "1 tool works on openai-nonstrict."
FOR = ("--for", "openai")


def summary(done):
    return json.loads(done.out)["summary"]


@pytest.mark.parametrize(
    ("content", "args"),
    [
        (OK, ()),
        ({"tools": OK}, ()),
        ({"jsonrpc": "2.0", "id": 1, "result": {"tools": OK}}, ()),
        (OK[0], ()),
        (OK[0]["inputSchema"], ("--schema",)),
    ],
)
def test_saved_lists(cli, content, args):
    cli.file("tools.json", content)
    done = cli("check", "tools.json", *args, *FOR)
    assert (done.code, done.err) == (0, "")
    first, second = done.out.splitlines()
    assert first.startswith("tools.json, file, 1 tool, about ")
    assert second.startswith(CLEAN)


def test_a_clean_run_names_the_default_targets(cli):
    cli.file("tools.json", OK)
    done = cli("check", "tools.json")
    assert done.code == 0
    assert done.out.splitlines()[1].startswith("1 tool works on the default targets (openai-nonstrict, ")
    assert len(done.out.splitlines()) == 2


def test_a_server_over_stdio(cli):
    done = cli("check", *FOR, "--", *DEMO)
    assert (done.code, done.err) == (1, "")
    assert done.out.startswith("toolglot-demo ")
    assert "error TG101 structural-union" in done.out


def test_a_server_in_process_is_the_same_as_over_stdio(cli):
    pytest.importorskip("mcp", reason="the official SDK is not installed")
    cli.file("shop.py", SDK_SERVER)
    memory = json.loads(process("check", "shop:server", "--format", "json", cwd=cli.directory).stdout)
    stdio = process("check", "--format", "json", "--", sys.executable, "shop.py", cwd=cli.directory)
    same = [tool | {"source": "shop:server"} for tool in json.loads(stdio.stdout)["tools"]]
    assert memory["tools"] == same
    assert memory["sources"][0]["transport"] == "memory"
    assert memory["summary"] == json.loads(stdio.stdout)["summary"]


def test_a_command_keeps_its_own_options(cli):
    done = cli("check", *FOR, "--", *DEMO, "--help")
    assert done.code in (1, 2)
    assert "Usage: toolglot" not in done.out + done.err


@pytest.mark.parametrize(
    ("tools", "args", "code"),
    [
        (OK, (), 0),
        ([UNION], (), 1),
        ([UNION], ("--exit-zero",), 0),
        ([UNION], ("--ignore", "TG1"), 0),
        ([UNION], ("--ignore", "structural-union"), 0),
        ([UNION], ("--select", "TG106,TG107"), 0),
        ([UNION], ("--preset", "policy"), 1),
        ([], ("--allow-empty",), 0),
    ],
)
def test_exit_codes(cli, tools, args, code):
    cli.file("tools.json", {"tools": tools})
    text = cli("check", "tools.json", *FOR, *args)
    machine = cli("check", "tools.json", *FOR, *args, "--format", "json")
    assert text.code == machine.code == summary(machine)["exit"] == code


@pytest.mark.parametrize("fail_on", ["error", "warning", "note"])
def test_fail_on(cli, fail_on):
    tool = OK[0] | {"inputSchema": {"type": "object", "properties": {"any": {"description": "Any value."}}}}
    cli.file("tools.json", [tool])
    done = cli("check", "tools.json", "--select", "TG107", "--fail-on", fail_on)
    assert done.code == (fail_on == "note")
    assert ("note TG107" in done.out) is (fail_on == "note")


def test_output_goes_to_a_file(cli):
    cli.file("tools.json", [UNION])
    shown = cli("check", "tools.json").out
    done = cli("check", "tools.json", "-o", "report.txt")
    assert (done.code, done.out) == (1, "")
    assert (cli.directory / "report.txt").read_text() == shown


def test_json_has_a_document_where_nothing_could_be_read(cli):
    done = cli("check", "--format", "json", "--", "no-such-command-here")
    assert done.code == 2
    assert json.loads(done.out)["sources"][0]["transport"] == "stdio"
    assert "was not found" in json.loads(done.out)["sources"][0]["error"]
    assert done.err.startswith("error: no-such-command-here: ")
    nothing = cli("check", "--format", "json", "nope.json")
    assert json.loads(nothing.out)["sources"][0]["id"] == "nope.json"
    assert summary(nothing)["exit"] == nothing.code == 2


def test_several_sources(cli):
    cli.file("a.json", OK)
    cli.file("b.json", [UNION])
    cli.file("c.json", "{")
    done = cli("check", "a.json", "b.json", "a.json", "c.json", "missing.json", *FOR)
    assert done.code == 2
    lines = done.out.splitlines()
    assert [line.partition(", file")[0] for line in lines if ", file" in line] == [
        "a.json", "b.json", "c.json", "missing.json",
    ]  # fmt: skip
    assert "  could not be read: there is no such file." in lines
    assert "  could not be read: it is not JSON" in done.out
    assert lines[-1].startswith("4 sources: 1 error; 2 sources could not be read.")


SERVERS = {
    "mcpServers": {
        "demo": {"command": DEMO[0], "args": list(DEMO[1:])},
        "gone": {"command": "no-such-command-here", "env": {"TOKEN": "very-secret-value"}},
        "off": {"command": "off", "disabled": True},
    }
}


def test_a_client_configuration_starts_nothing_by_itself(cli):
    cli.file("mcp.json", SERVERS)
    done = cli("check", "mcp.json")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("error: mcp.json: names 3 servers, and none was started.\n  demo  ")
    assert "\n  gone  no-such-command-here\n  off   off  (disabled)\n" in done.err
    assert done.err.endswith("  Choose with --server NAME or --all.\n")


def test_one_server_of_a_client_configuration(cli):
    cli.file(".vscode/mcp.json", SERVERS)
    assert cli("check", ".vscode/mcp.json", "--server", "demo").code == 1
    gone = cli("check", ".vscode/mcp.json", "--server", "gone")
    assert (gone.code, gone.out) == (2, "")
    assert "secret" not in gone.err
    assert cli("check", ".vscode/mcp.json", "--server", "nobody").code == 2


def test_all_servers_of_a_client_configuration(cli):
    cli.file("mcp.json", SERVERS)
    done = cli("check", "mcp.json", "--all", "--format", "json")
    assert done.code == 2
    assert [source["id"] for source in json.loads(done.out)["sources"]] == ["demo", "gone"]
    assert summary(done)["errors"] > 0
    assert "starting demo\n" in done.err
    assert "secret" not in done.err + done.out


CONFIGURED = [
    ('server = "tools.json"', (), 0),
    (f"server = {json.dumps(list(DEMO))}", (), 2),
    (f"server = {json.dumps(list(DEMO))}", ("--run-configured",), 1),
    (f"server = {json.dumps(list(DEMO))}", ("--config", "toolglot.toml"), 1),
    ('server = "toolglot.demo:server"', (), 2),
    ('server = "toolglot.demo:server"', ("--run-configured",), 1),
    ('for = ["openai"]', (), 2),
    ('server = "tools.json"', ("--isolated",), 2),
]


@pytest.mark.parametrize(("config", "args", "code"), CONFIGURED)
def test_the_server_of_the_configuration(cli, config, args, code):
    cli.file("tools.json", OK)
    cli.file("toolglot.toml", config)
    done = cli("check", *args)
    assert done.code == code
    if "server = [" in config and not args:
        assert done.err.startswith("error: no SOURCE is given, and toolglot.toml names what would be run: ")
        assert done.err.endswith("  It runs with --run-configured.\n")


def test_the_configuration_counts_and_options_win(cli):
    cli.file("tools.json", [UNION])
    cli.file("toolglot.toml", 'for = ["openai"]\nselect = ["TG106"]\nfail-on = "note"\n')
    assert summary(cli("check", "tools.json", "--format", "json"))["errors"] == 0
    assert cli("check", "tools.json", "--select", "TG101").code == 1
    assert cli("check", "tools.json", "--isolated").code == 1
    assert cli("check", "tools.json", "--preset", "policy").code == 1


def test_corrected_facts_are_printed(cli):
    cli.file("tools.json", OK)
    cli.file(
        "toolglot.toml",
        '[[correct]]\ntarget = "cursor"\nfeature = "title"\nstatus = "rejected"\neffect = "refused"\n'
        'evidence = "observed"\nsource = "https://example.com/x"\nseen = 2026-01-01\n',
    )
    done = cli("check", "tools.json", "--for", "cursor")
    assert done.out.splitlines()[1].endswith("Facts corrected here: cursor/title.")
    assert "corrected here" in cli("targets", "cursor").out


def test_hostile_names_do_no_harm(cli):
    tool = UNION | {"name": "\x1b[31mred\x1b]8;;https://x\x07\u202e[bold]\n error TG000"}
    cli.file("tools.json", [tool])
    done = cli("check", "tools.json", "-v")
    assert "\x1b" not in done.out
    assert "\\x1b[31mred" in done.out
    assert "\\u202e[bold]\\n error TG000" in done.out


def test_headers_come_from_the_environment(cli, monkeypatch):
    monkeypatch.setenv("MY_TOKEN", "very-secret-value")
    done = cli("check", "http://127.0.0.1:9/mcp", "--header-from-env", "Authorization=MY_TOKEN")
    assert done.code == 2
    assert "secret" not in done.err
