"""`python -m toolglot.demo`: the demo server over stdio; with `incident`, the story of one wrong argument.

With `--typed-values` the server publishes values whose type it knows itself, and the story ends well.
"""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from toolglot.demo.incident import tell, tell_typed
from toolglot.demo.rpc import Server, error_message
from toolglot.demo.typed import TYPED_TOOLS
from toolglot.errors import MAX_MESSAGE_BYTES, JsonError, parse_json

if TYPE_CHECKING:
    from typing import BinaryIO

_PARSE_ERROR = -32700
_USAGE = "usage: python -m toolglot.demo [incident] [--typed-values]\n"
_TYPED = "--typed-values"


def answer(server: Server, line: bytes) -> Any:
    """The answer to one line of input: a message, a list of messages for a batch, or None for nothing."""
    try:
        message = parse_json(line, max_bytes=MAX_MESSAGE_BYTES)
    except JsonError as error:
        return error_message(None, _PARSE_ERROR, f"Parse error: {error.message}")
    if isinstance(message, list) and message:
        return [reply for item in message if (reply := server.handle(item)) is not None] or None
    return server.handle(message)


def serve(lines: BinaryIO, out: BinaryIO, server: Server) -> None:
    """Answer each line of `lines` on `out` until the input ends or the reader of `out` is gone."""
    for line in lines:
        reply = answer(server, line) if line.strip() else None
        if reply is None:
            continue
        out.write(json.dumps(reply, separators=(",", ":")).encode() + b"\n")
        out.flush()


def main(arguments: list[str]) -> int:
    """Run the command; the exit code: 0, or 2 for wrong usage."""
    typed = arguments[-1:] == [_TYPED]
    told = arguments[:-1] if typed else arguments
    if told == ["incident"]:
        sys.stdout.write(tell_typed() if typed else tell())
        return 0
    if told:
        sys.stderr.write(_USAGE)
        return 2
    try:
        serve(sys.stdin.buffer, sys.stdout.buffer, Server(tools=TYPED_TOOLS) if typed else Server())
    except (KeyboardInterrupt, BrokenPipeError):
        return 0  # the client has gone: nothing is left to do
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
