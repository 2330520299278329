"""The client side of HTTP that all upstreams at an address share."""

from __future__ import annotations

from collections.abc import Callable
from http.cookiejar import CookieJar, DefaultCookiePolicy
from typing import TYPE_CHECKING

import anyio
import httpx

from toolglot import __version__
from toolglot.mcp.http import THIS_MACHINE
from toolglot.mcp.responses import check_address, check_headers

if TYPE_CHECKING:
    from toolglot.mcp.kinds import Url

UNSENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)
"""Failures before the first byte of a request was written: it may be sent once more."""


def new_client(source: Url, *, keeps_cookies: bool = True) -> httpx.AsyncClient:
    """A client for one address: no redirect is followed. Raises Problem for a wrong address.

    One that many callers share must not keep cookies: they would go from one caller to the next.
    """
    check_address(source.url)
    check_headers(source.headers)
    policy = None if keeps_cookies else DefaultCookiePolicy(allowed_domains=())
    return httpx.AsyncClient(
        follow_redirects=False,
        timeout=httpx.Timeout(None, connect=10),
        limits=httpx.Limits(max_connections=None, max_keepalive_connections=100, keepalive_expiry=30),
        headers={"user-agent": f"toolglot/{__version__}"},
        mounts=dict.fromkeys(THIS_MACHINE),
        cookies=CookieJar(policy),
    )


async def send_when_open(
    client: httpx.AsyncClient, request: Callable[[], httpx.Request], tries: int, pause: float
) -> httpx.Response:
    """Send a request; where nobody took the connection, try again after a pause that doubles, up to 5 seconds.

    `request` makes it anew for each of the `tries`. The body of the answer is not read yet. Raises httpx.HTTPError.
    """
    for _ in range(tries - 1):
        try:
            return await client.send(request(), stream=True)
        except UNSENT:
            await anyio.sleep(pause)
            pause = min(pause * 2, 5)
    return await client.send(request(), stream=True)


async def finish(response: httpx.Response) -> None:
    """Close an answer, and let go of what was sent for it.

    An answer and its stream refer to each other, and to the body that was sent: a large one would stay in memory until
    the collector comes by.
    """
    try:
        await response.aclose()
    finally:
        response.stream = httpx.ByteStream(b"")
