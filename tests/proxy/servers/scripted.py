"""A server that plays a script: `scripted.py SCRIPT RECORD`.

SCRIPT is a JSON list of lists of lines: the first list is sent at once, the next after the first line that came, and so
on. A line `!exit N` ends the process with that code, `!sleep S` waits. RECORD gets every line that came, byte for byte.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path


def play(lines: list[str]) -> None:
    for line in lines:
        if line.startswith("!exit "):
            sys.exit(int(line[6:]))
        if line.startswith("!sleep "):
            time.sleep(float(line[7:]))
            continue
        sys.stdout.buffer.write(line.encode("utf-8", "surrogateescape") + b"\n")
        sys.stdout.buffer.flush()


def main(script: str, record: str) -> None:
    steps = json.loads(Path(script).read_text())
    with Path(record).open("ab") as kept:
        play(steps[0])
        for number, line in enumerate(sys.stdin.buffer, 1):
            kept.write(line)
            kept.flush()
            play(steps[number] if number < len(steps) else [])


main(*sys.argv[1:])
