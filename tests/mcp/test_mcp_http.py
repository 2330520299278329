"""Servers at an address: Streamable HTTP in both eras, the old HTTP+SSE, and every answer that is none."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.waiting import free_port

from toolglot.errors import SourceError
from toolglot.mcp import responses, sse
from toolglot.mcp.sources import Url, parse_source, read

if TYPE_CHECKING:
    from types import ModuleType

    from hand_http import Web

SECRET = "Bearer tok-1234567890"

GOOD = [
    ("/modern", ["one"], "web-modern", "2026-07-28", "http"),
    ("/legacy", ["one", "two"], "web-legacy", "2025-03-26", "http"),
    ("/events", ["one", "two"], "web-legacy", "2025-03-26", "http"),
    ("/batch", ["one", "two"], "web-legacy", "2025-03-26", "http"),
    ("/cut", ["late"], "web-legacy", "2025-03-26", "http"),
    ("/moved", ["one", "two"], "web-legacy", "2025-03-26", "http"),
    ("/old/sse", ["one", "two"], "web-legacy", "2025-03-26", "sse"),
]


@pytest.mark.parametrize(("path", "names", "server", "protocol", "transport"), GOOD)
def test_reads_every_transport(
    web: Web, path: str, names: list[str], server: str, protocol: str, transport: str
) -> None:
    (listing,) = read(parse_source(web.url(path)), timeout=20)
    assert [tool.name for tool in listing.tools] == names
    assert (listing.server, listing.protocol, listing.transport) == (server, protocol, transport)
    assert listing.error is None
    if names != ["late"]:
        assert list(listing.tools[0].raw) == ["b", "name", "inputSchema"]
        assert listing.tools[0].schema["maximum"] == 123456789012345678901234567890


def test_the_old_transport_can_be_asked_for(web: Web) -> None:
    (listing,) = read(Url(web.url("/old/sse"), transport="sse"))
    assert [tool.name for tool in listing.tools] == ["one", "two"]
    assert {(asked.method, asked.path.partition("?")[0]) for asked in web.asked} == {
        ("GET", "/old/sse"),
        ("POST", "/old/messages"),
    }


def test_headers_of_the_modern_era(web: Web) -> None:
    read(parse_source(web.url("/modern")))
    assert [(asked.headers["mcp-method"], asked.message["id"]) for asked in web.asked] == [
        ("server/discover", 1),
        ("tools/list", 2),
    ]
    meta = web.asked[1].message["params"]["_meta"]
    assert meta["io.modelcontextprotocol/protocolVersion"] == "2026-07-28"
    assert meta["io.modelcontextprotocol/clientInfo"]["name"] == "toolglot"
    assert meta["io.modelcontextprotocol/clientCapabilities"] == {}


def test_a_session_of_the_older_era_is_named_in_every_request_and_ended(web: Web) -> None:
    read(parse_source(web.url("/legacy")))
    steps = [(a.method, a.message and a.message["method"], a.headers.get("mcp-session-id")) for a in web.asked]
    assert steps[1:] == [
        ("POST", "initialize", None),
        ("POST", "notifications/initialized", "s-1"),
        ("POST", "tools/list", "s-1"),
        ("POST", "tools/list", "s-1"),
        ("DELETE", None, "s-1"),
    ]
    assert {asked.headers.get("mcp-protocol-version") for asked in web.asked[2:]} == {"2025-03-26"}
    assert "mcp-protocol-version" not in web.asked[1].headers


def test_requests_of_the_server_are_answered(web: Web) -> None:
    read(parse_source(web.url("/events")))
    answers = [asked.message for asked in web.asked if asked.message and "result" in asked.message]
    assert {"jsonrpc": "2.0", "id": "srv", "result": {}} in answers


BAD = [
    ("/html", "is an HTML page with the title “Sign in”", "/mcp"),
    ("/html404", "404 (Not Found): an HTML page with the title “Sign in”", "/mcp"),
    ("/401", "401 (Unauthorized)", "--header-from-env Authorization=VARIABLE. The server uses OAuth"),
    ("/403", "403 (Forbidden)", "--header-from-env"),
    ("/nowhere", "404 (Not Found): not here", "/mcp"),
    ("/503", "503 (Service Unavailable): overloaded", "later"),
    ("/599", "with 599.", "later"),
    ("/accepted", "202 (Accepted) and nothing else", ""),
    ("/empty", "is empty", ""),
    ("/broken", "not JSON: Expecting value at line 2, column 21", ""),
    ("/truncated", "not JSON: Unterminated string starting at at line 1, column 45", ""),
    ("/other-json", "is no JSON-RPC message", "/mcp"),
    ("/broken-event", "an event of the server is not JSON", ""),
    ("/short", "the event stream ended before it answered `tools/list`", ""),
    ("/gone", "ended the session", ""),
    ("/rpc-error", "answers `tools/list` with error -32603: the database is locked", ""),
    ("/found", "redirects to", "name it"),
    ("/loop", "redirects more than 5 times", ""),
    ("/quiet/sse", "404 (Not Found)", ""),
]


@pytest.mark.parametrize(("path", "message", "hint"), BAD)
def test_every_answer_that_is_none_is_one_clear_error(web: Web, path: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(Url(web.url(path), {"Authorization": SECRET}), timeout=20)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert caught.value.source == web.url(path)
    assert "tok-1234567890" not in str(caught.value)


BAD_SSE = [
    ("/quiet/sse", "does not name an address"),
    ("/nowhere", r"405 \(Method Not Allowed\)"),
    ("/foreign/sse", "an endpoint of another origin"),
    ("/locked/sse", r"401 \(Unauthorized\)"),
    ("/locked", r"401 \(Unauthorized\)"),
    ("/sour/sse", "answers `POST` with error -32603: no licence"),
    ("/dead/sse", "the connection to .* failed: Server disconnected"),
    ("/text/sse", "is text/plain, not an event stream"),
]


@pytest.mark.parametrize(("path", "message"), BAD_SSE)
def test_the_old_transport_fails_as_clearly(web: Web, elsewhere: Web, path: str, message: str) -> None:
    web.elsewhere = elsewhere.url("")
    with pytest.raises(SourceError, match=message):
        read(Url(web.url(path), {"Authorization": SECRET}, "sse"), timeout=20)
    assert elsewhere.asked == []


LIMITS = [("/modern", responses, "the answer is larger"), ("/events", sse, "an event of the server is larger")]


@pytest.mark.parametrize(("path", "module", "message"), LIMITS)
def test_what_is_too_large_is_refused(
    web: Web, path: str, module: ModuleType, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_MESSAGE_BYTES", 10)
    with pytest.raises(SourceError, match=message):
        read(parse_source(web.url(path)), timeout=20)


def test_a_value_that_the_server_repeats_is_hidden(web: Web) -> None:
    with pytest.raises(SourceError) as caught:
        read(Url(web.url("/echo"), {"authorization": SECRET}))
    assert "bad token [hidden]" in caught.value.message


def test_a_redirect_to_another_origin_is_not_followed(web: Web, elsewhere: Web) -> None:
    web.elsewhere = elsewhere.url("")
    with pytest.raises(SourceError, match="which is not followed") as caught:
        read(Url(web.url("/away"), {"Authorization": SECRET}))
    assert elsewhere.asked == []
    assert elsewhere.url("/legacy?code=…") in caught.value.message
    assert "secret-code" not in str(caught.value)


def test_headers_go_with_every_request_of_the_origin(web: Web) -> None:
    read(Url(web.url("/moved"), {"Authorization": SECRET, "Accept": "x/y"}))
    assert {asked.headers["authorization"] for asked in web.asked} == {SECRET}
    assert {asked.headers["accept"] for asked in web.asked} == {"application/json, text/event-stream"}


def test_a_proxy_of_the_environment_is_not_for_this_machine(web: Web, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{free_port()}")
    (listing,) = read(parse_source(web.url("/modern")))
    assert listing.error is None


def test_a_closed_port() -> None:
    port = free_port()
    with pytest.raises(SourceError, match=f"nothing answers at 127.0.0.1:{port}"):
        read(parse_source(f"http://127.0.0.1:{port}/mcp"))


def test_a_server_that_hangs(web: Web) -> None:
    with pytest.raises(SourceError, match=r"no answer to `initialize` within 1 second\."):
        read(parse_source(web.url("/hang")), timeout=1)


ADDRESSES = [
    ("http://", "not valid"),
    ("http://127.0.0.1:99999/mcp", "not valid"),
    ("http://[::1/mcp", "not valid"),
]


@pytest.mark.parametrize(("url", "message"), ADDRESSES)
def test_an_address_that_is_none(url: str, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read(parse_source(url))


HEADERS = [
    ({"Authorization": "Bearer tok-1234567890\n"}, "the value of the header Authorization"),
    ({"Authorization": "Bearer tök-1234567890"}, "the value of the header Authorization"),
    ({"bad name": "tok-1234567890"}, "'bad name' is not the name of a header"),
]


@pytest.mark.parametrize(("headers", "message"), HEADERS)
def test_a_header_that_cannot_be_sent_is_named_and_its_value_is_not(headers: dict[str, str], message: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(Url("http://127.0.0.1:9/mcp", headers))
    assert message in caught.value.message
    assert "1234567890" not in str(caught.value)


def test_secrets_of_an_address_are_not_shown() -> None:
    source = Url("http://user:pass@127.0.0.1:9/mcp?key=abc&b=c#frag")
    assert source.id == "http://127.0.0.1:9/mcp?key=…&b=…"
    with pytest.raises(SourceError) as caught:
        read(source)
    assert "pass" not in str(caught.value)
    assert "abc" not in str(caught.value)
