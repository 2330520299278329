"""Live servers that we did not write: listed for several targets, called through them, over stdio and HTTP."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from tests.accept.conftest import Environment
from tests.waiting import free_port, is_listening, wait_for

import toolglot
from toolglot import adk

TARGETS = ("gemini-parameters", "openai-strict", "anthropic-strict", "langflow", adk.GeminiSchemaAdapter())

Call = tuple[str, dict[str, Any], str]
"""Name, arguments, and what the text of the result has in it."""

NPM: dict[str, tuple[tuple[str, ...], Call]] = {
    "everything": (("@modelcontextprotocol/server-everything",), ("get-sum", {"a": 2, "b": 40}, "42")),
    "memory": (
        ("@modelcontextprotocol/server-memory",),
        (
            "create_entities",
            {"entities": [{"name": "harbour", "entityType": "place", "observations": ["quiet"]}]},
            "[",
        ),
    ),
    "filesystem": (
        ("@modelcontextprotocol/server-filesystem", "."),
        ("write_file", {"path": "a.txt", "content": "hello"}, "a.txt"),
    ),
}
PYPI: dict[str, tuple[str, Call]] = {
    "mcp-server-time": (
        "mcp_server_time",
        ("convert_time", {"source_timezone": "UTC", "time": "12:00", "target_timezone": "Asia/Tokyo"}, "21:00"),
    ),
    "mcp-server-git": ("mcp_server_git", ("git_status", {"repo_path": "."}, "")),
}


async def _called(words: tuple[str, ...], call: Call, **options: Any) -> None:
    name, arguments, expected = call
    async with toolglot.connect(*words, timeout=120, **options) as server:
        for target in TARGETS:
            view = server.view(target)
            assert not view.problems
            wire, said = view.encode(name, arguments)
            result = await view.call(wire, said)
            assert not result.get("isError"), result
            assert expected in "".join(block.get("text", "") for block in result["content"])
            refused = await view.call(wire, {"no such parameter": 1})
            assert refused["isError"] is True


@pytest.mark.parametrize("server", NPM)
def test_a_server_from_npm(server: str, node: str, tmp_path: Path) -> None:
    words, call = NPM[server]
    env = {"MEMORY_FILE_PATH": str(tmp_path / "memory.json")}
    asyncio.run(_called((node, "-y", *words), call, cwd=tmp_path, env=env))


@pytest.mark.parametrize("package", PYPI)
def test_a_server_from_pypi(package: str, environment: Environment, tmp_path: Path) -> None:
    module, call = PYPI[package]
    subprocess.run(["git", "init", "--quiet", str(tmp_path)], check=True)
    asyncio.run(_called((str(environment(package, package)), "-m", module), call, cwd=tmp_path))


@pytest.mark.parametrize(("mode", "path"), [("streamableHttp", "/mcp"), ("sse", "/sse")])
def test_a_server_from_npm_over_http(mode: str, path: str, node: str, tmp_path: Path) -> None:
    with _web(node, mode, tmp_path) as port:
        asyncio.run(_called((f"http://127.0.0.1:{port}{path}",), NPM["everything"][1]))


@contextmanager
def _web(node: str, mode: str, folder: Path) -> Iterator[int]:
    port = free_port()
    process = subprocess.Popen(
        [node, "-y", "@modelcontextprotocol/server-everything", mode],
        env={**os.environ, "PORT": str(port)},
        cwd=folder,
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        wait_for(lambda: is_listening(port), 120)
        yield port
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
