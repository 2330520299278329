"""What an HTTP answer means: refusals, redirects, pages that are no answer; every case is one clear Problem."""

from __future__ import annotations

import re
from http import HTTPStatus
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from toolglot.errors import MAX_MESSAGE_BYTES, JsonError
from toolglot.mcp.kinds import shown_url
from toolglot.mcp.text import clean
from toolglot.mcp.wire import METHOD_NOT_FOUND, NoAnswer, NotSent, Problem, RpcError, decode

if TYPE_CHECKING:
    from collections.abc import Mapping

    import httpx

    from toolglot.mcp.wire import Message

_TITLE = re.compile(rb"<title[^>]*>(.*?)</title", re.IGNORECASE | re.DOTALL)
_KEEPS_METHOD = (307, 308)
_NO_CONTENT = (202, 204)
_UNAUTHORIZED = (401, 403)
_MOVED = 5
ENDPOINT_HINT = "Is this the address of the MCP endpoint? It often ends in /mcp or /sse."


class RefusedProblem(Problem):
    """A refusal by an HTTP status as a reason why a source cannot be read."""

    def __init__(self, message: str, hint: str, status: int) -> None:
        super().__init__(message, hint)
        self.status = status


class Refused(RpcError):
    """An HTTP status that stands for an error, without a JSON-RPC error in its body."""

    def __init__(self, status: int, said: str) -> None:
        super().__init__(METHOD_NOT_FOUND, said)
        self.status = status

    def problem(self, method: str) -> Problem:
        """What the status means for a reader of tools."""
        hint = ENDPOINT_HINT
        if self.status == HTTPStatus.TOO_MANY_REQUESTS or self.status >= HTTPStatus.INTERNAL_SERVER_ERROR:
            hint = "Try again later, or look at the server's log."
        said = f": {self.message}" if self.message else ""
        text = f"the server answers `{method}` with {status_text(self.status)}{said}"
        return RefusedProblem(text, hint, self.status)


def status_text(status: int) -> str:
    """An HTTP status with its standard name: "404 (Not Found)"."""
    try:
        return f"{status} ({HTTPStatus(status).phrase})"
    except ValueError:
        return str(status)


def check_address(url: str) -> None:
    """Raise Problem for an address that cannot be asked."""
    try:
        parts = urlsplit(url)
        valid = bool(parts.hostname) and (parts.port is None or parts.port > 0)
    except ValueError:
        valid = False
    if not valid:
        raise Problem("the address is not valid", "Write it like https://example.com/mcp.")


def check_headers(headers: Mapping[str, str]) -> None:
    """Raise Problem for a header that cannot be sent; its value is not shown."""
    for name, value in headers.items():
        if not re.fullmatch(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+", name):
            raise Problem(f"{clean(name, 80)!r} is not the name of a header", "Write --header 'Name: value'.")
        if not re.fullmatch(r"[\t\x20-\x7e]*", value) or value != value.strip():
            raise Problem(
                f"the value of the header {name} has characters that a header cannot have",
                "Look for a line end or a space around the value.",
            )


async def check_status(response: httpx.Response, *, in_session: bool = False) -> None:
    """Return for a success; else raise RpcError (a JSON-RPC error in the body), Refused, or Problem."""
    status = response.status_code
    if status in _UNAUTHORIZED:
        raise _unauthorized(response)
    if status in _NO_CONTENT:
        raise NoAnswer(f"the server answers a request with {status_text(status)} and nothing else")
    if response.is_success:
        return
    body = await read_body(response)
    if in_session and _forgot_session(status, body):
        raise NotSent("the server ended the session")
    for message in _messages(body):
        message.answer()
    raise Refused(status, _said(response, body))


def _forgot_session(status: int, body: bytes) -> bool:
    """Whether a refusal is about the session: 404, as the specification has it, or 400 in words, as many servers do."""
    return status == HTTPStatus.NOT_FOUND or (status == HTTPStatus.BAD_REQUEST and b"session" in body.lower())


def _unauthorized(response: httpx.Response) -> Problem:
    hint = "Send credentials: --header-from-env Authorization=VARIABLE."
    if "resource_metadata" in response.headers.get("www-authenticate", ""):
        hint += " The server uses OAuth: take the access token of a client that is logged in."
    return Problem(f"the server answers with {status_text(response.status_code)}", hint)


def _messages(body: bytes) -> tuple[Message, ...]:
    try:
        return tuple(message for message in decode(body) if message.error is not None)
    except JsonError:
        return ()


def _said(response: httpx.Response, body: bytes) -> str:
    """What the body of a refusal says, in a line."""
    if is_html(response, body):
        return f"an HTML page{_titled(body)}"
    return clean(" ".join(body.decode("utf-8", "replace").split()), 200)


def content_type(response: httpx.Response) -> str:
    """The content type without its parameters."""
    return response.headers.get("content-type", "").partition(";")[0].strip().lower()


def is_html(response: httpx.Response, body: bytes) -> bool:
    """Whether an answer is a page for people."""
    return content_type(response) in ("text/html", "application/xhtml+xml") or body.lstrip()[:1] == b"<"


def _titled(body: bytes) -> str:
    title = _TITLE.search(body[:100_000])
    return f" with the title “{clean(title[1].decode('utf-8', 'replace'), 100)}”" if title else ""


def kind_problem(response: httpx.Response, body: bytes, method: str) -> Problem | None:
    """A Problem for a body that is a page or nothing, else None."""
    if is_html(response, body):
        return NoAnswer(
            f"the answer to `{method}` is an HTML page{_titled(body)}",
            ENDPOINT_HINT,
        )
    if not body.strip():
        return NoAnswer(f"the answer to `{method}` is empty")
    return None


async def read_body(response: httpx.Response) -> bytes:
    """The whole body, up to the limit of one message."""
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_MESSAGE_BYTES:
            raise Problem(f"the answer is larger than {MAX_MESSAGE_BYTES:,} bytes")
    return bytes(body)


async def send(client: httpx.AsyncClient, request: httpx.Request) -> httpx.Response:
    """Send a request, following redirects within its origin that keep the method; the body is not read yet.

    Any other redirect is a Problem that names the address: headers were given for one origin only.
    """
    for _ in range(_MOVED):
        response = await client.send(request, stream=True)
        if response.next_request is None:
            return response
        await response.aclose()
        request = _following(response)
    raise Problem(f"{shown_url(str(request.url))} redirects more than {_MOVED} times")


def _following(response: httpx.Response) -> httpx.Request:
    following = response.next_request
    assert following is not None
    keeps = response.status_code in _KEEPS_METHOD or following.method == response.request.method == "GET"
    if keeps and _same_origin(response.request.url, following.url):
        return following
    raise Problem(
        f"the server redirects to {shown_url(str(following.url))}, which is not followed",
        "Headers go only to the address that was named. If the new one is right, name it.",
    )


def _same_origin(one: httpx.URL, other: httpx.URL) -> bool:
    if other.userinfo and other.userinfo != one.userinfo:
        return False
    if (one.scheme, one.host, one.port) == (other.scheme, other.host, other.port):
        return True
    upgrade = one.scheme == "http" and other.scheme == "https" and one.port is None and other.port is None
    return upgrade and one.host == other.host


def connection_problem(error: httpx.HTTPError, url: str) -> Problem:
    """A Problem for a connection that failed; `error` is an error of httpx."""
    where = urlsplit(url).netloc.rpartition("@")[2]
    kind = type(error).__name__
    reason = clean(str(error), 200)
    if kind == "ConnectError" and "SSL" not in reason:
        return Problem(f"nothing answers at {where}: {reason}", "Is the server running, and is the port right?")
    return Problem(f"the connection to {where} failed: {reason or kind}")
