"""The pytest plugin, in real runs of pytest against a small stdio server."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

pytest_plugins = ("pytester",)

SERVER = """
import json, pathlib, sys

sys.stderr.write("up and running\\n")
with pathlib.Path("starts").open("a") as starts:
    starts.write("x")
for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "initialize":
        info = {"name": "shop", "version": "1"}
        version = message["params"]["protocolVersion"]
        answer = {"result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}}
    elif message.get("method") == "tools/list":
        answer = {"result": {"tools": json.loads(pathlib.Path("tools.json").read_text())}}
    else:
        answer = {"error": {"code": -32601, "message": "no such method"}}
    if "id" in message:
        print(json.dumps({"jsonrpc": "2.0", "id": message["id"], **answer}), flush=True)
"""


def tool(name: str, **properties: Any) -> dict[str, Any]:
    """A published tool."""
    schema = {"type": "object", "properties": properties or {"id": {"type": "string", "description": "Which."}}}
    return {"name": name, "description": "Do it.", "inputSchema": schema}


def branch(name: str) -> dict[str, Any]:
    """One branch of a structural union."""
    return {"type": "object", "properties": {name: {"type": "string"}}, "required": [name]}


UNION = {"description": "One of two.", "anyOf": [branch("a"), branch("b")]}
FINE, BROKEN = tool("shop_read"), tool("shop_write", value=UNION)
ENTRY = """
[[entry]]
tool = "{tool}"
pointer = "{pointer}"
rule = "{rule}"
reason = "{reason}"
issue = "https://example.org/7"
"""
LEAN = ("-p", "no:hypothesispytest", "-p", "no:anyio")
"""Plugins of other projects that only cost time here."""

CONFIGURATION = """
[tool.pytest.ini_options]
filterwarnings = ["error"]
addopts = "--strict-markers --strict-config"

[tool.toolglot]
select = ["TG1"]
"""


def entry(
    tool: str = "shop_write", pointer: str = "/properties/value", rule: str = "TG101", reason: str = "old"
) -> str:
    """An entry of the baseline."""
    return ENTRY.format(tool=tool, pointer=pointer, rule=rule, reason=reason)


@pytest.fixture
def project(pytester: pytest.Pytester) -> pytest.Pytester:
    """A project with a server, a configuration, and one test of its own."""
    write(pytester, {"server.py": SERVER, "tests/test_own.py": "def test_own():\n    pass\n"})
    publish(pytester, FINE, BROKEN)
    configure(pytester)
    return pytester


def write(pytester: pytest.Pytester, files: dict[str, str]) -> None:
    """Write files below the project."""
    for name, text in files.items():
        path = pytester.path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def publish(pytester: pytest.Pytester, *tools: Any) -> None:
    """Have the server publish these tools."""
    write(pytester, {"tools.json": json.dumps(tools)})


def configure(pytester: pytest.Pytester, more: str = "", server: str | None = None) -> None:
    """Write the configuration; `server` as TOML."""
    named = server or json.dumps([sys.executable, "server.py"])
    write(pytester, {"pyproject.toml": f"{CONFIGURATION}server = {named}\n{more}"})


def run(pytester: pytest.Pytester, *args: str) -> pytest.RunResult:
    """A run of pytest in a process of its own."""
    return pytester.runpytest_subprocess("-p", "no:cacheprovider", *LEAN, *args)


def starts(pytester: pytest.Pytester) -> int:
    """How often the server was started."""
    path = pytester.path / "starts"
    return len(path.read_text()) if path.exists() else 0


def ids(result: pytest.RunResult) -> list[str]:
    """The ids of a `--collect-only -q` run."""
    return [line for line in result.outlines if "::" in line]


def test_an_ordinary_run_has_the_tools(project: pytest.Pytester) -> None:
    result = run(project, "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(
        [
            "*collected 3 items",
            "tests/test_own.py::test_own PASSED*",
            "toolglot::shop_read::contract PASSED*",
            "toolglot::shop_write::contract FAILED*100%*",
            "*_ toolglot shop_write contract _*",
            "TG101 structural-union /properties/value",
            "  instead: *",
            "FAILED toolglot::shop_write::contract*",
        ]
    )
    assert starts(project) == 1
    assert "Traceback" not in result.stdout.str()


def test_a_clean_server_passes(project: pytest.Pytester) -> None:
    publish(project, FINE)
    run(project).assert_outcomes(passed=2)


def test_groups_follow_the_rules_that_run(project: pytest.Pytester) -> None:
    publish(project, FINE)
    configure(project, 'for = ["openai"]')
    text = (project.path / "pyproject.toml").read_text().replace('select = ["TG1"]', "")
    write(project, {"pyproject.toml": text})
    assert ids(run(project, "--collect-only", "-q")) == [
        "tests/test_own.py::test_own",
        "toolglot::shop_read::contract",
        "toolglot::shop_read::targets",
        "toolglot::tools/list::targets",
    ]


@pytest.mark.parametrize(
    ("baseline", "outcomes", "line"),
    [
        (
            entry(),
            {"passed": 3, "xfailed": 1},
            "XFAIL toolglot::baseline::shop_write TG101 * - old (*/7)",
        ),
        (
            entry() + entry("shop_read"),
            {"passed": 3, "xfailed": 1, "failed": 1},
            "*XPASS(strict)*TG101 no longer violates here, but entry 2 (line *Remove the entry*",
        ),
        (entry() + entry("shop_gone"), {"passed": 3, "xfailed": 1, "failed": 1}, "TG302 tool-gone /properties/value"),
        (entry(reason=""), {"passed": 3, "failed": 1}, "TG303 entry-without-reason /properties/value"),
        (entry() + entry(), {"passed": 3, "failed": 1, "xfailed": 1}, "TG305 doubled-entry /properties/value"),
        (entry() + entry(rule="TG201"), {"passed": 3, "xfailed": 1, "skipped": 1}, "SKIPPED*not judged: *"),
        (entry(pointer="/properties/other"), {"passed": 2, "failed": 2}, "FAILED toolglot::shop_write::contract*"),
        ("[[entri]]", {"passed": 1, "failed": 1}, "toolglot-baseline.toml: entri: is not known. Did you mean entry?"),
    ],
)
def test_the_baseline(project: pytest.Pytester, baseline: str, outcomes: dict[str, int], line: str) -> None:
    write(project, {"toolglot-baseline.toml": baseline})
    result = run(project, "-rxsf")
    result.assert_outcomes(**outcomes)
    result.stdout.fnmatch_lines([line])


def test_an_entry_for_a_target(project: pytest.Pytester) -> None:
    configure(project, 'for = ["gemini-parameters"]\n')
    text = (project.path / "pyproject.toml").read_text().replace('"TG1"', '"TG201"')
    write(project, {"pyproject.toml": text})
    publish(project, tool("shop_read", value={"type": ["string", "integer"], "description": "Either."}))
    line = 'target = "gemini-parameters"\nissue'
    write(project, {"toolglot-baseline.toml": entry("*", "", "TG201").replace("issue", line, 1)})
    result = run(project, "-v")
    result.stdout.fnmatch_lines(["toolglot::baseline::* TG201 gemini-parameters XFAIL*"])
    result.assert_outcomes(passed=3, xfailed=1)


@pytest.mark.parametrize(
    ("server", "lines"),
    [
        ('["no-such-command-at-all"]', ["*The server could not be read. no-such-command-at-all: *"]),
        (json.dumps([sys.executable, "-c", "import sys; sys.exit('it broke')"]), ["*it broke*"]),
        (json.dumps([sys.executable, "-c", "print('hello')"]), ["The server could not be read.*"]),
        ('"missing.module:server"', ["*there is no module `missing`*"]),
        ('"http://127.0.0.1:1/mcp"', ["The server could not be read. http://127.0.0.1:1/mcp: *"]),
    ],
)
def test_a_server_that_cannot_be_read_is_one_failure(project: pytest.Pytester, server: str, lines: list[str]) -> None:
    configure(project, server=server)
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([*lines, "FAILED toolglot::server*"])


def test_a_server_without_tools_is_a_failure(project: pytest.Pytester) -> None:
    publish(project)
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*it publishes no tool*"])


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ("servr = 1", "pyproject.toml: tool.toolglot.servr: is not known. Did you mean server?"),
        ('for = ["gemnii"]', "*unknown target 'gemnii'.*"),
        ('ignore = ["TG999"]', "unknown rule 'TG999'.*"),
        ('baseline = "nothing.toml"', "nothing.toml: cannot be read: *"),
    ],
)
def test_a_wrong_configuration_is_one_failure(project: pytest.Pytester, more: str, line: str) -> None:
    configure(project, more)
    text = (project.path / "pyproject.toml").read_text()
    write(project, {"pyproject.toml": text.replace('select = ["TG1"]', "") if "for" in more else text})
    result = run(project)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines([line, "FAILED toolglot::configuration*"])


@pytest.mark.parametrize(
    ("server", "files"),
    [
        ('"saved.json"', {"saved.json": json.dumps({"tools": [FINE]})}),
        (f'"{Path(sys.executable).as_posix()} server.py"', {"tools.json": json.dumps([FINE])}),
    ],
)
def test_other_kinds_of_server(project: pytest.Pytester, server: str, files: dict[str, str]) -> None:
    write(project, files)
    configure(project, server=server)
    run(project).assert_outcomes(passed=2)


def test_a_server_object_of_the_project(project: pytest.Pytester) -> None:
    pytest.importorskip("mcp", reason="the official SDK is not installed")
    server = """
from mcp.server import MCPServer

shop = MCPServer("shop")

@shop.tool()
def shop_find(name: str) -> str:
    '''Find it.'''
    return name
"""
    write(project, {"shop.py": server})
    configure(project, server='"shop:shop"')
    result = run(project, "-v", "--rootdir", str(project.path), "tests")
    result.stdout.fnmatch_lines(["toolglot::shop_find::contract PASSED*"])


@pytest.mark.parametrize(
    ("args", "expected", "started"),
    [
        (["--toolglot-off"], {"passed": 2}, 0),
        (["-p", "no:toolglot"], {"passed": 2}, 0),
        (["tests/test_own.py::test_own"], {"passed": 1}, 0),
        (["tests/unit"], {"passed": 1}, 0),
        (["tests/test_own.py", "--toolglot"], {"passed": 2, "failed": 1}, 1),
        (["."], {"passed": 3, "failed": 1}, 1),
        (["tests"], {"passed": 3, "failed": 1}, 1),
        (["-k", "shop_read"], {"passed": 1, "deselected": 3}, 1),
        (["-m", "not toolglot"], {"passed": 2, "deselected": 2}, 1),
        (["-m", "toolglot"], {"passed": 1, "failed": 1, "deselected": 2}, 1),
        (["--deselect", "toolglot::shop_write"], {"passed": 3, "deselected": 1}, 1),
        (["toolglot::shop_read"], {"passed": 1}, 1),
        (["toolglot::shop_write::contract", "tests/unit"], {"passed": 1, "failed": 1}, 1),
        (["--runxfail"], {"passed": 3, "failed": 1}, 1),
    ],
)
def test_choosing_tests(project: pytest.Pytester, args: list[str], expected: dict[str, int], started: int) -> None:
    write(project, {"tests/unit/test_more.py": "def test_more():\n    pass\n"})
    run(project, *args).assert_outcomes(**expected)
    assert starts(project) == started


def test_an_id_that_no_tool_has_is_an_error(project: pytest.Pytester) -> None:
    result = run(project, "toolglot::shop_writ::contract")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*not found: toolglot::shop_writ::contract"])


def test_testpaths_are_the_whole_project(project: pytest.Pytester) -> None:
    text = (project.path / "pyproject.toml").read_text()
    write(project, {"pyproject.toml": text.replace("addopts", 'testpaths = ["tests/test_own.py"]\naddopts')})
    run(project).assert_outcomes(passed=2, failed=1)


@pytest.mark.parametrize("name", ["pyproject.toml", "toolglot.toml"])
def test_a_configuration_above_the_rootdir_is_not_read(project: pytest.Pytester, name: str) -> None:
    server = json.dumps([sys.executable, "server.py"])
    head = "[tool.toolglot]\n" if name == "pyproject.toml" else ""
    write(project, {"pyproject.toml": "", name: f"{head}server = {server}\n"})
    write(project, {"inner/pytest.ini": "[pytest]\n", "inner/test_in.py": "def test_in():\n    pass\n"})
    run(project, "--rootdir", "inner", "-c", "inner/pytest.ini", "inner").assert_outcomes(passed=1)
    assert starts(project) == 0


def test_toolglot_toml_counts(project: pytest.Pytester) -> None:
    write(project, {"toolglot.toml": f"server = {json.dumps([sys.executable, 'server.py'])}\nselect = ['TG109']\n"})
    run(project).assert_outcomes(passed=3)


def test_without_a_configuration_nothing_is_imported(pytester: pytest.Pytester) -> None:
    source = """
import sys

def test_modules():
    mine = [name for name in sys.modules if name.startswith("toolglot")]
    assert sorted(mine) == ["toolglot", "toolglot.pytest_plugin"]
"""
    write(pytester, {"test_modules.py": source, "pyproject.toml": "[tool.ruff]\n"})
    run(pytester).assert_outcomes(passed=1)


def test_a_configuration_without_a_server_adds_nothing(project: pytest.Pytester) -> None:
    write(project, {"pyproject.toml": CONFIGURATION})
    run(project).assert_outcomes(passed=1)


def test_malformed_and_hostile_tools_have_harmless_ids(project: pytest.Pytester) -> None:
    publish(project, FINE, 5, tool("\x1b[31m\nred"), tool("a::b"), {"name": "bad", "inputSchema": 7}, FINE)
    result = run(project, "--collect-only", "-q")
    assert ids(result)[1:] == [
        "toolglot::shop_read::contract",
        "toolglot::entry 1::contract",
        "toolglot::\\x1b[31m\\nred::contract",
        "toolglot::a::b::contract",
        "toolglot::bad::contract",
    ]
    result = run(project, "-q")
    result.assert_outcomes(passed=3, failed=3)
    assert "\x1b" not in result.stdout.str()


def test_the_last_failures_run_again(project: pytest.Pytester) -> None:
    project.runpytest_subprocess(*LEAN).assert_outcomes(passed=2, failed=1)
    project.runpytest_subprocess(*LEAN, "--lf").assert_outcomes(failed=1, deselected=2)


def test_a_junit_file_names_the_tools(project: pytest.Pytester) -> None:
    run(project, "--junitxml=out.xml")
    text = (project.path / "out.xml").read_text(encoding="utf-8")
    assert 'classname="toolglot.shop_write" name="contract"' in text


def test_with_xdist_the_server_is_read_once(project: pytest.Pytester) -> None:
    pytest.importorskip("xdist", reason="pytest-xdist is not installed")
    write(project, {"toolglot-baseline.toml": entry("shop_read")})
    result = run(project, "-n", "2", "toolglot::shop_write", "toolglot::baseline", "tests")
    result.assert_outcomes(passed=1, failed=2)
    assert starts(project) == 1
    run(project, "-n", "2", "tests/test_own.py").assert_outcomes(passed=1)
    assert starts(project) == 1
