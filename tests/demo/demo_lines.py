"""Plain JSON lines to the demo server in a process of its own, as a client without any SDK would write them."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

COMMAND = [sys.executable, "-m", "toolglot.demo"]

MODERN_META = {
    "io.modelcontextprotocol/protocolVersion": "2026-07-28",
    "io.modelcontextprotocol/clientInfo": {"name": "lines", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}


def request(number: Any, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    message = {"jsonrpc": "2.0", "id": number, "method": method}
    return message if params is None else {**message, "params": params}


def modern(number: Any, method: str, params: dict[str, Any] | None = None) -> dict[str, Any]:
    return request(number, method, {**(params or {}), "_meta": MODERN_META})


def lines(*sent: Any) -> list[Any]:
    """What the server writes for these messages (JSON values, or raw bytes), once its input has ended."""
    raw = b"".join(item if isinstance(item, bytes) else json.dumps(item).encode() + b"\n" for item in sent)
    done = subprocess.run(COMMAND, input=raw, capture_output=True, timeout=60, check=True)
    assert done.stderr == b""
    return [json.loads(line) for line in done.stdout.splitlines()]
