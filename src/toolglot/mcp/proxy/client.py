"""The client side of HTTP that all upstreams at an address share."""

from __future__ import annotations

from typing import TYPE_CHECKING

import httpx

from toolglot import __version__
from toolglot.mcp.responses import check_address, check_headers

if TYPE_CHECKING:
    from toolglot.mcp.kinds import Url

_THIS_MACHINE = ("all://localhost", "all://127.0.0.1", "all://[::1]")

UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before the first byte of a request was written: it may be sent once more."""


def new_client(source: Url) -> httpx.AsyncClient:
    """A client for one address: no redirect is followed, nothing is stored. Raises Problem for a wrong address."""
    check_address(source.url)
    check_headers(source.headers)
    return httpx.AsyncClient(
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=10),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30),
        headers={"user-agent": f"toolglot/{__version__}"},
        mounts=dict.fromkeys(_THIS_MACHINE),
        cookies=None,
    )


def content_type(response: httpx.Response) -> str:
    """The content type without its parameters."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()
