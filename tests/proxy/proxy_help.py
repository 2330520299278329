"""Running the proxy as a real process, and speaking to it line by line."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from toolglot.mcp.proxy.conversation import Conversation
from toolglot.mcp.proxy.journal import Journal
from toolglot.mcp.proxy.policy import single_policy
from toolglot.mcp.proxy.restrict import Restriction
from toolglot.mcp.proxy.settings import Settings
from toolglot.targets.load import SHIPPED

SERVERS = Path(__file__).parent / "servers"
DEMO = (sys.executable, "-m", "toolglot.demo")
INITIALIZE = (
    b'{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25",'
    b'"capabilities":{},"clientInfo":{"name":"test","version":"1"}}}'
)
INITIALIZED = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'


def environment(**more: str) -> dict[str, str]:
    kept = {key: value for key, value in os.environ.items() if not key.startswith(("TOOLGLOT_", "NO_COLOR"))}
    return kept | more


def proxy_command(*options: str, server: Sequence[str] = DEMO) -> list[str]:
    return [sys.executable, "-m", "toolglot", "proxy", "--isolated", *options, "--", *server]


class Line:
    """A process that takes and gives lines; everything it gives is kept."""

    def __init__(self, command: Sequence[str], **env: str) -> None:
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(**env)
        )
        self._lines: queue.Queue[bytes | None] = queue.Queue()
        self.errors: list[bytes] = []
        self._threads = [threading.Thread(target=self._read), threading.Thread(target=self._read_errors)]
        for thread in self._threads:
            thread.start()

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put(None)

    def _read_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.errors.append(line)

    def say(self, *lines: bytes) -> None:
        assert self.process.stdin
        self.process.stdin.write(b"".join(line + b"\n" for line in lines))
        self.process.stdin.flush()

    def hear(self, seconds: float = 20) -> bytes:
        line = self._lines.get(timeout=seconds)
        assert line is not None, b"".join(self.errors).decode()
        return line.removesuffix(b"\n")

    def ask(self, method: str, params: Any = None, id: Any = 1) -> Any:
        message = {"jsonrpc": "2.0", "id": id, "method": method}
        self.say(json.dumps(message if params is None else {**message, "params": params}).encode())
        return json.loads(self.hear())

    def close(self, seconds: float = 20) -> int:
        """Close its input, and wait for it."""
        assert self.process.stdin
        self.process.stdin.close()
        code = self.process.wait(seconds)
        for thread in self._threads:
            thread.join(seconds)
        assert self.process.stdout
        assert self.process.stderr
        self.process.stdout.close()
        self.process.stderr.close()
        return code

    def rest(self) -> list[bytes]:
        """What it gave and nobody heard, after it was closed."""
        found: list[bytes] = []
        while (line := self._lines.get_nowait()) is not None:
            found.append(line.removesuffix(b"\n"))
        return found

    @property
    def said(self) -> str:
        """Its stderr, after it was closed."""
        return b"".join(self.errors).decode()

    def __enter__(self) -> Line:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        if self.process.stdin and not self.process.stdin.closed:
            self.close()


class Between:
    """A conversation without any transport: what the client and the server got."""

    def __init__(self, tools: list[Any] | None = None, target: str = "none", **settings: Any) -> None:
        restriction = {key: settings.pop(key) for key in ("read_only", "allow", "deny") if key in settings}
        restriction = {k: v if k == "read_only" else frozenset(v) for k, v in restriction.items()}
        self.journal = Journal()
        self.settings = Settings(target, restriction=Restriction(**restriction), **settings)
        self.to_server: list[bytes] = []
        self.to_client: list[bytes] = []
        self.tools = tools
        policy = single_policy(self.settings, SHIPPED, self.journal)
        self.conversation = Conversation(policy, self.to_server.append, self.to_client.append, self._list)

    async def _list(self, params: Any) -> bytes:
        if self.tools is None:
            from toolglot.mcp.wire import Problem

            raise Problem("the list is broken")
        entries = [tool if isinstance(tool, bytes) else json.dumps(tool).encode() for tool in self.tools]
        return b'{"tools":[' + b",".join(entries) + b"]}"

    async def says(self, raw: bytes | dict[str, Any]) -> None:
        """Let the client say something, and wait until it is decided."""
        self.conversation.client_says(raw if isinstance(raw, bytes) else json.dumps(raw).encode())
        await self.conversation.settled()

    async def calls(self, name: str, arguments: Any, **params: Any) -> None:
        await self.says(
            {
                "jsonrpc": "2.0",
                "id": 7,
                "method": "tools/call",
                "params": {"name": name, "arguments": arguments, **params},
            }
        )
