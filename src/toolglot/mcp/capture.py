"""A capture: the answer of a server byte for byte, with who gave it, when and how."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING

import msgspec

from toolglot.errors import SourceError
from toolglot.mcp.kinds import ClientConfig
from toolglot.mcp.reading import Options, read_pages, silent

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglot.mcp.kinds import Source

FORMAT = 1


def capture(
    source: Source,
    *,
    timeout: float = 30,
    allow_empty: bool = False,
    server: str | None = None,
    on_progress: Callable[[str], None] | None = None,
) -> bytes:
    """The tools of all pages of one server, each with the bytes it was sent with, as a JSON text to save.

    The text is a header (`capture`, `date`, `server`, `version`, `protocol`, `transport`) and a `result` like that
    of `tools/list`; every place that takes a saved list reads it. Raises SourceError, also where only a part
    could be read, since that would be no capture.
    """
    if isinstance(source, ClientConfig) and server is None:
        raise SourceError(source.id, f"{source.id}: a capture is of one server.", hint="Name it with --server NAME.")
    options = Options(timeout, allow_empty, server=server, on_progress=on_progress or silent)
    pages = read_pages(source, options)[0]
    if pages.error is not None:
        raise pages.error
    header = {
        "capture": FORMAT,
        "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "server": pages.server,
        "version": pages.version,
        "protocol": pages.protocol,
        "transport": pages.transport,
    }
    tools = b",\n".join(pages.raws)
    return b'{"toolglot":' + msgspec.json.encode(header) + b',"result":{"tools":[\n' + tools + b"\n]}}\n"
