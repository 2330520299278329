"""Servers of the official SDK 2.x and of fastmcp over HTTP, as real processes."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest
from mcp_help import script
from tests.waiting import free_port, is_listening, wait_for

from toolglot.mcp.sources import parse_source, read

if TYPE_CHECKING:
    from collections.abc import Iterator

pytest.importorskip("mcp", reason="the official SDK is not installed")
pytest.importorskip("fastmcp", reason="fastmcp is not installed")

ROWS = [
    ("sdk2", "http", "/mcp", "http", "2026-07-28"),
    ("sdk2", "sse", "/sse", "sse", "2025-11-25"),
    ("fast4", "http", "/mcp", "http", "2026-07-28"),
    ("fast4", "sse", "/sse", "sse", "2025-11-25"),
]


@pytest.fixture(scope="module")
def ports() -> Iterator[dict[tuple[str, str], int]]:
    """All servers of ROWS, started together; module and transport to port."""
    ports = {(row[0], row[1]): free_port() for row in ROWS}
    running = [
        subprocess.Popen(script(name, kind, str(port)).argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for (name, kind), port in ports.items()
    ]
    try:
        wait_for(lambda: all(map(is_listening, ports.values())), 60)
        yield ports
    finally:
        for process in running:
            process.kill()
            process.wait()


@pytest.mark.parametrize(("name", "kind", "path", "transport", "protocol"), ROWS)
def test_the_same_list_as_over_stdio(
    ports: dict[tuple[str, str], int], name: str, kind: str, path: str, transport: str, protocol: str
) -> None:
    (web,) = read(parse_source(f"http://127.0.0.1:{ports[name, kind]}{path}"))
    (stdio,) = read(script(name))
    assert (web.transport, web.protocol) == (transport, protocol)
    assert [dict(tool.raw) for tool in web.tools] == [dict(tool.raw) for tool in stdio.tools]
    assert (web.server, web.version) == (stdio.server, stdio.version)
