"""The official SDK 1.x, which cannot be installed beside 2.x: in an environment of its own."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.accept.conftest import ROOT, Environment
from tests.waiting import free_port, is_listening, wait_for

SERVERS = Path(__file__).parent / "servers"
SOURCE = Path(__file__).parents[2] / "src"
READER = """
import json, sys
from toolglot.mcp.sources import parse_source, read
command = sys.argv[2:] if sys.argv[1] == "--" else ()
(listing,) = read(parse_source(None if command else sys.argv[1], command=command))
print(json.dumps({
    "tools": [tool.raw for tool in listing.tools], "server": listing.server, "version": listing.version,
    "protocol": listing.protocol, "transport": listing.transport, "handlers": listing.handlers,
    "error": str(listing.error),
}))
"""

PYTHON = ""
"""The Python with the SDK 1.x; the fixture below makes it."""


@pytest.fixture(scope="module", autouse=True)
def _sdk1(environment: Environment) -> None:
    global PYTHON
    PYTHON = str(environment("mcp1.x", "mcp==1.*", f"--editable={ROOT}"))


def _read(*source: str) -> dict[str, Any]:
    environment = {**os.environ, "PYTHONPATH": str(SOURCE)}
    done = subprocess.run(
        [PYTHON, "-W", "error::ResourceWarning", "-c", READER, *source],
        cwd=SERVERS,
        env=environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return json.loads(done.stdout)


def _stdio() -> dict[str, Any]:
    return _read("--", PYTHON, "sdk1.py")


def test_over_stdio() -> None:
    found = _stdio()
    assert [tool["name"] for tool in found["tools"]] == ["search", "store"]
    assert (found["server"], found["protocol"], found["transport"]) == ("sdk-one", "2025-11-25", "stdio")


@pytest.mark.parametrize("attribute", ["server", "make"])
def test_in_process_the_same_list_as_over_stdio(attribute: str) -> None:
    memory, stdio = _read(f"sdk1:{attribute}"), _stdio()
    assert memory["transport"] == "memory"
    assert memory["handlers"] == {"search": ["query", "limit", "mode"], "store": ["items", "tags"]}
    assert json.dumps(memory["tools"]) == json.dumps(stdio["tools"])
    assert (memory["server"], memory["version"], memory["protocol"]) == (
        stdio["server"],
        stdio["version"],
        "2025-11-25",
    )


def test_a_lowlevel_server() -> None:
    found = _read("sdk1:low")
    assert json.dumps(found["tools"][0]["inputSchema"]) == (
        '{"type": "object", "maximum": 123456789012345678901234567890, "b": 1, "a": 2}'
    )
    assert (found["server"], found["version"]) == ("low-one", "1")


@pytest.mark.parametrize(("kind", "path"), [("http", "/mcp"), ("sse", "/sse")])
def test_over_http_the_same_list_as_over_stdio(kind: str, path: str) -> None:
    port = free_port()
    command = [PYTHON, str(SERVERS / "sdk1.py"), kind, str(port)]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: is_listening(port), 30)
            found = _read(f"http://127.0.0.1:{port}{path}")
        finally:
            process.kill()
    assert found["transport"] == kind
    assert json.dumps(found["tools"]) == json.dumps(_stdio()["tools"])
