"""Servers that we did not write, from npm and PyPI, read over stdio, HTTP and in process."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.accept.conftest import ROOT, Environment

TOOLGLOT = Path(sys.executable).parent / "toolglot"


def toolglot(*args: str | Path, python: Path | None = None, cwd: Path | None = None) -> tuple[int, dict[str, Any], str]:
    """Run the command (in another environment if `python` is given): exit code, JSON report, standard error."""
    command = [TOOLGLOT] if python is None else [python, "-m", "toolglot"]
    place = args.index("--") if "--" in args else len(args)
    options = ("--isolated", "--output-format", "json", "--timeout", "120")
    done = subprocess.run(
        [*command, "check", *args[:place], *options, *args[place:]],
        capture_output=True,
        text=True,
        timeout=300,
        cwd=cwd,
        check=False,
    )
    return done.returncode, json.loads(done.stdout) if done.stdout else {}, done.stderr


NPM = [
    ("@modelcontextprotocol/server-everything", 10, ()),
    ("@modelcontextprotocol/server-memory", 8, ()),
    ("@modelcontextprotocol/server-sequential-thinking", 1, ()),
    ("@modelcontextprotocol/server-filesystem", 10, (".",)),
]


@pytest.mark.parametrize(("package", "least", "args"), NPM, ids=[row[0] for row in NPM])
def test_a_server_from_npm(node: str, package: str, least: int, args: tuple[str, ...], tmp_path: Path) -> None:
    code, report, errors = toolglot("--", node, "-y", package, *args, cwd=tmp_path)
    assert code in (0, 1), errors
    assert len(report["tools"]) >= least
    assert report["sources"][0]["transport"] == "stdio"
    assert report["sources"][0]["error"] is None


PYPI = [
    ("mcp-server-time", "mcp_server_time", 2),
    ("mcp-server-git", "mcp_server_git", 8),
    ("mcp-server-fetch", "mcp_server_fetch", 1),
]


@pytest.mark.parametrize(("package", "module", "least"), PYPI, ids=[row[0] for row in PYPI])
def test_a_server_from_pypi(environment: Environment, package: str, module: str, least: int) -> None:
    python = environment(package, package)
    code, report, errors = toolglot("--", str(python), "-m", module)
    assert code in (0, 1), errors
    assert len(report["tools"]) >= least


SDK_1 = '''
from mcp.server.fastmcp import FastMCP
server = FastMCP("old")

@server.tool()
def add(a: int, tags: list[str] | None = None, size: dict[str, str] | None = None) -> str:
    """Add something."""
    return str(a)

if __name__ == "__main__":
    server.run()
'''

SDK_1_LOW = """
import anyio
import mcp.types as types
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
server = Server("low")

@server.list_tools()
async def list_tools() -> list[types.Tool]:
    schema = {"type": "object", "properties": {"x": {"type": "array"}}}
    return [types.Tool(name="a", description="A.", inputSchema=schema)]

async def main() -> None:
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())

if __name__ == "__main__":
    anyio.run(main)
"""

SDK_2 = SDK_1.replace("from mcp.server.fastmcp import FastMCP", "from mcp.server import MCPServer").replace(
    'FastMCP("old")', 'MCPServer("new")'
)

FASTMCP = SDK_1.replace("from mcp.server.fastmcp import FastMCP", "from fastmcp import FastMCP")

OURS = f"--editable={ROOT}"

SDKS = [
    ("mcp 1.x", ("mcp==1.*",), SDK_1),
    ("mcp 1.x, low level", ("mcp==1.*",), SDK_1_LOW),
    ("mcp 1.9", ("mcp==1.9.4", "pydantic<2.12"), SDK_1),
    ("mcp 2.x", ("mcp==2.*",), SDK_2),
    ("fastmcp 2", ("fastmcp==2.*",), FASTMCP),
    ("fastmcp 3", ("fastmcp==3.*",), FASTMCP),
    ("fastmcp 4", ("fastmcp==4.*",), FASTMCP),
]


@pytest.mark.parametrize(("packages", "code"), [row[1:] for row in SDKS], ids=[row[0] for row in SDKS])
def test_in_process_is_the_same_list_as_over_stdio(
    environment: Environment, packages: tuple[str, ...], code: str, tmp_path: Path
) -> None:
    python = environment(packages[0].replace("=", "").replace("*", "x"), *packages, OURS)
    (tmp_path / "my_server.py").write_text(code)
    exit_stdio, over_stdio, errors = toolglot("--", python, "my_server.py", python=python, cwd=tmp_path)
    assert exit_stdio in (0, 1), errors
    exit_memory, in_memory, errors = toolglot("my_server:server", python=python, cwd=tmp_path)
    assert exit_memory == exit_stdio, errors
    assert in_memory["sources"][0]["transport"] == "memory"
    same = ("name", "index", "class", "bytes")
    assert [[t[k] for k in same] for t in in_memory["tools"]] == [[t[k] for k in same] for t in over_stdio["tools"]]


@pytest.mark.parametrize("packages", [("mcp==1.*",), ("mcp==2.*",), ("fastmcp==4.*",)], ids=lambda p: p[0])
def test_the_demo_server_is_read_by_every_sdks_environment(environment: Environment, packages: tuple[str, ...]) -> None:
    python = environment(packages[0].replace("=", "").replace("*", "x"), *packages, OURS)
    code, report, errors = toolglot("--", python, "-m", "toolglot.demo", python=python)
    assert code == 1, errors
    assert len(report["tools"]) == 10
