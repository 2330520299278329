from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest
from mcp_help import SERVERS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hand_http import Web


def _web() -> Iterator[Web]:
    sys.path.insert(0, str(SERVERS))
    try:
        from hand_http import start
    finally:
        sys.path.remove(str(SERVERS))
    web, server = start()
    yield web
    server.shutdown()
    server.server_close()


@pytest.fixture
def web() -> Iterator[Web]:
    """A hand-written HTTP server, see servers/hand_http.py."""
    yield from _web()


@pytest.fixture
def elsewhere() -> Iterator[Web]:
    """A second one, of another origin."""
    yield from _web()
