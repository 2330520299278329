"""Headers that repeat a message, and statuses that repeat an error, over HTTP in the modern era."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
from test_proxy_http import META, answering, call
from web_help import front, post, upstream

VERSION_KEY = "io.modelcontextprotocol/protocolVersion"
MIRRORS = {"mcp_method": "tools/call", "mcp_name": "set", "mcp_protocol_version": "2026-07-28"}


def test_headers_that_mirror_the_call_are_those_of_the_restored_one() -> None:
    """A parameter that is re-shaped has no header for the client; the server gets it all the same."""
    with upstream() as up, front("--for", "openai-strict", url=up.url) as url:
        up.answer = answering
        post(f"{url}/mcp", call({"n": "1", "region": "zürich", "more": None}), **MIRRORS, mcp_param_region="wrong")
    seen = up.seen[-1].headers
    assert {"mcp-method": "tools/call", "mcp-name": "set"}.items() <= seen.items()
    assert seen["mcp-param-region"] == "=?base64?esO8cmljaA==?="
    assert up.seen[0].headers["mcp-method"] == "tools/list"


@pytest.mark.parametrize("target", ["none", "portable"])
@pytest.mark.parametrize(
    "wrong",
    [
        {**MIRRORS, "mcp_method": "tools/list"},
        {**MIRRORS, "mcp_name": "other"},
        {**MIRRORS, "mcp_protocol_version": "2025-11-25"},
        {**MIRRORS, "mcp_param_region": "other"},
        {"mcp_protocol_version": "2026-07-28"},
    ],
    ids=["method", "name", "version", "parameter", "missing"],
)
def test_a_header_that_is_wrong_or_missing_stays_so(target: str, wrong: dict[str, str]) -> None:
    """The server judges what the client sent: a header must not be put right on its way."""
    with upstream() as up, front("--for", target, url=up.url) as url:
        up.answer = answering
        post(f"{url}/mcp", call({"n": 1, "region": "west"}), **wrong)
    seen = {name: value for name, value in up.seen[-1].headers.items() if name.startswith("mcp-")}
    assert seen == {name.replace("_", "-"): value for name, value in wrong.items()}


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({**MIRRORS, "mcp_method": "tools/list"}, "mcp-method does not say"),
        ({**MIRRORS, "mcp_name": "page"}, "mcp-name does not say"),
        ({**MIRRORS, "mcp_name": "=?base64?cGFn?="}, "mcp-name does not say"),
        ({**MIRRORS, "mcp_protocol_version": "2025-11-25"}, "mcp-protocol-version does not say"),
        ({"mcp_protocol_version": "2026-07-28", "mcp_name": "page_render"}, "mcp-method is missing"),
    ],
)
def test_before_a_command_the_front_judges_the_headers(wrong: dict[str, str], said: str) -> None:
    asked = call({"page_id": "home"}, "page_render")
    right = {**MIRRORS, "mcp_name": "=?base64?cGFnZV9yZW5kZXI=?="}
    with front("--for", "none") as url:
        refused, taken, bare = (
            post(f"{url}/mcp", asked, **wrong),
            post(f"{url}/mcp", asked, **right),
            post(f"{url}/mcp", asked),
        )
    assert refused.status_code == 400
    assert refused.json()["error"]["code"] == -32020
    assert said in refused.json()["error"]["message"]
    assert refused.json()["id"] == taken.json()["id"]
    assert (taken.status_code, bare.status_code) == (200, 200)


@pytest.mark.parametrize(
    ("message", "status", "code"),
    [
        ({"method": "no/such", "params": {"_meta": META}}, 404, -32601),
        ({"method": "tools/call", "params": {"_meta": META, "name": "no"}}, 400, -32602),
        ({"method": "tools/list", "params": {}}, 400, -32602),
        ({"method": "server/discover", "params": {"_meta": {**META, VERSION_KEY: "2099-01-01"}}}, 400, -32022),
    ],
)
def test_before_a_command_errors_have_the_status_of_their_code(message: Any, status: int, code: int) -> None:
    with front("--for", "none") as url:
        got = post(f"{url}/mcp", {"jsonrpc": "2.0", "id": 5, **message})
    assert (got.status_code, got.json()["error"]["code"], got.json()["id"]) == (status, code, 5)


def test_before_a_command_a_header_must_not_be_there_twice() -> None:
    """Whoever stands between may go by the other one."""
    headers = [("content-type", "application/json"), ("mcp-protocol-version", "2026-07-28")]
    twice = [*headers, ("mcp-method", "tools/call"), ("mcp-name", "page_render"), ("mcp-name", "page_render")]
    with front("--for", "none") as url:
        got = httpx.post(f"{url}/mcp", json=call({"page_id": "home"}, "page_render"), headers=twice, timeout=30)
    assert (got.status_code, got.json()["error"]["code"]) == (400, -32020)
    assert "more than once" in got.json()["error"]["message"]


def test_before_a_command_a_notification_needs_no_headers() -> None:
    told = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1, "_meta": META}}
    with front("--for", "none") as url:
        assert post(f"{url}/mcp", told, mcp_protocol_version="2026-07-28").status_code == 202
