"""A server that answers every request with the same bytes, but for the id: `echo.py RECORD`.

RECORD gets every line that came, byte for byte.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

RESULT = '{"z":0.10,"result":{"tools":[],"a":-0,"n":1234567890123456789012345678901234567890},"id":ID,"jsonrpc":"2.0"}'

with Path(sys.argv[1]).open("ab") as kept:
    for line in sys.stdin.buffer:
        kept.write(line)
        kept.flush()
        message = json.loads(line)
        if "id" in message and "method" in message:
            sys.stdout.write(RESULT.replace("ID", json.dumps(message["id"])) + "\n")
            sys.stdout.flush()
