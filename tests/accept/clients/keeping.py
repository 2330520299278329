"""The demo server. It writes what it stores into a file after each call, and its results have structured content."""

from __future__ import annotations

import dataclasses
import json
import sys
from pathlib import Path
from typing import Any

from toolglot.demo.rpc import Server, as_object

OUTPUT = {"type": "object", "properties": {"said": {"type": "string"}}, "required": ["said"]}
"""What every tool says that it gives: clients check `structuredContent` against it."""


class Keeping(Server):
    """The demo server with a memory that others can read."""

    file = Path(sys.argv[1])

    def handle(self, message: Any) -> Any:
        reply = super().handle(message)
        result = as_object(as_object(reply).get("result"))
        for tool in result.get("tools", ()):
            tool["outputSchema"] = OUTPUT
        if "content" in result and not result["isError"]:
            result["structuredContent"] = {"said": result["content"][0]["text"]}
        self.file.write_text(json.dumps(dataclasses.asdict(self.store)))
        return reply


def main() -> None:
    server = Keeping()
    for line in sys.stdin.buffer:
        reply = server.handle(json.loads(line))
        if reply is not None:
            print(json.dumps(reply), flush=True)


if __name__ == "__main__":
    main()
