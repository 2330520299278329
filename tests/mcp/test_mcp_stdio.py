"""Servers as child processes: both eras, every way to fail, and what is kept."""

from __future__ import annotations

import asyncio
import time

import pytest
from mcp_help import SERVERS, hand

from toolglot.errors import SourceError
from toolglot.mcp import pages, stdio
from toolglot.mcp.kinds import Command
from toolglot.mcp.sources import read
from toolglot.schema.tool import BadTool, Tool

ERAS = [
    ("good", "hand", "1.2.3", "2025-06-18"),
    ("modern", "modern-hand", "9", "2026-07-28"),
    ("late", "modern-hand", "9", "2026-07-28"),
    ("again", "modern-hand", "9", "2026-07-28"),
    ("stamp", "modern-hand", "9", "2026-07-28"),
    ("discover-text", "hand", "1.2.3", "2025-06-18"),
    ("discover-old", "hand", "1.2.3", "2025-06-18"),
    ("discover-odd", "hand", "1.2.3", "2025-06-18"),
    ("null-id", "hand", "1.2.3", "2025-06-18"),
    ("batch", "hand", "1.2.3", "2025-06-18"),
    ("exits", "hand", "1.2.3", "2025-06-18"),
    ("silent", "hand", "1.2.3", "2025-06-18"),
    ("text-id", "hand", "1.2.3", "2025-06-18"),
    ("noise", "hand", "1.2.3", "2025-06-18"),
    ("empty-cursor", "hand", "1.2.3", "2025-06-18"),
]


@pytest.mark.parametrize(("mode", "server", "version", "protocol"), ERAS)
def test_reads_servers_of_both_eras(mode: str, server: str, version: str, protocol: str) -> None:
    (listing,) = read(hand(mode))
    assert (listing.server, listing.version, listing.protocol) == (server, version, protocol)
    assert (listing.transport, listing.error) == ("stdio", None)
    assert listing.tools[0].name == "one"


FAILURES = [
    ("crash", "ended with exit code 3 before it answered `initialize`", "line 29 of the log"),
    ("killed", "was ended by signal 9 before it answered `tools/list`", "by hand"),
    ("empty", "publishes no tool", "--allow-empty"),
    ("null", "`tools` that is null, not a list", "a list `tools`"),
    ("missing", "has no `tools`", "a list `tools`"),
    ("list", "is a list, not an object", ""),
    ("error", "error -32603: database locked", ""),
    ("no-tools", "error -32601: Method not found", "offers no tools"),
    ("broken", "broken message: not JSON: Expecting value at line 1, column 44", ""),
    ("future", "speaks only protocol 2031-01-01", "newer release"),
    ("init-text", "the answer to `initialize` is a text, not an object", ""),
    ("init-error", "the server answers `initialize` with error -32603: no licence", ""),
    ("doubled-tools", "the answer to `tools/list` is the key 'tools' stands twice", ""),
    ("closes", "closed its output", "by hand"),
]


@pytest.mark.parametrize(("mode", "message", "hint"), FAILURES)
def test_says_what_failed_at_once(mode: str, message: str, hint: str) -> None:
    begun = time.monotonic()
    with pytest.raises(SourceError) as caught:
        read(hand(mode), timeout=60)
    assert message in caught.value.message
    assert hint in caught.value.hint
    assert time.monotonic() - begun < 20
    assert "\x1b" not in str(caught.value)


HANGS = [
    ("hang", "no answer to `initialize` within 2 seconds", "1 line that is no message: INFO only a log line"),
    ("web", "no answer to `initialize` within 2 seconds", "It may serve over HTTP"),
    ("hang-list", "no answer to `tools/list` within 2 seconds", "loading the index"),
]


@pytest.mark.parametrize(("mode", "message", "hint"), HANGS)
def test_a_server_that_hangs_is_given_up_after_the_timeout(mode: str, message: str, hint: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(hand(mode), timeout=2)
    assert message in caught.value.message
    assert "--timeout" in caught.value.hint
    assert hint in caught.value.hint


KEPT = [
    ("crash-list", ["kept"], "exit code 137 before it answered `tools/list (page 2)`"),
    ("number-cursor", ["one"], "`nextCursor` that is a number"),
    ("repeat", ["again", "again"], "a cursor that was there before"),
    ("endless", [f"page-{page}" for page in range(1000)], "more than 1,000 pages"),
]


@pytest.mark.parametrize(("mode", "names", "message"), KEPT)
def test_what_was_read_before_a_failure_is_kept(mode: str, names: list[str], message: str) -> None:
    (listing,) = read(hand(mode))
    assert [tool.name for tool in listing.tools] == names
    assert listing.error is not None
    assert message in listing.error.message


def test_reads_all_pages_in_order() -> None:
    (listing,) = read(hand("pages"))
    assert [tool.name for tool in listing.tools] == [f"page-{page}" for page in range(5)]
    assert [tool.index for tool in listing.tools] == list(range(5))


def test_an_empty_list_is_fine_where_it_is_allowed() -> None:
    (listing,) = read(hand("empty"), allow_empty=True)
    assert (listing.entries, listing.error) == ((), None)


def test_one_bad_tool_spoils_no_other() -> None:
    (listing,) = read(hand("bad"))
    bad = {entry.index: (entry.name, entry.problem) for entry in listing.entries if isinstance(entry, BadTool)}
    assert [tool.name for tool in listing.tools] == ["first", "last"]
    assert bad[1] == ("doubled", "the key 'type' stands twice in one object")
    assert bad[2][0] == "huge"
    assert "1e400" in bad[2][1]
    assert bad[3][0] == "nan"
    assert bad[4] == ("deep", "nested deeper than 200 levels")
    assert bad[5] == (None, "is a text, not an object")
    assert bad[6][0] is None
    assert bad[7][0] == "schema-text"
    assert listing.tools[1].index == 8


def test_answers_are_kept_exactly() -> None:
    (listing,) = read(hand("exact"))
    (tool,) = listing.entries
    assert isinstance(tool, Tool)
    assert list(tool.raw) == ["zeta", "name", "inputSchema", "description", "_meta", "unknown"]
    number = tool.schema["properties"]["n"]
    assert number == {"maximum": 123456789012345678901234567890, "minimum": 0.1, "default": None}
    assert isinstance(number["maximum"], int)
    assert tool.description == "café – 🙂"
    assert tool.raw["_meta"] == {"b": 1, "a": [1.0, 1000.0]}


def test_requests_of_the_server_are_answered() -> None:
    (listing,) = read(hand("asks"))
    assert [tool.name for tool in listing.tools] == ["1:ok", "two:-32601", "3:-32601"]


def test_a_message_that_is_too_large_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(stdio, "MAX_MESSAGE_BYTES", 50)
    with pytest.raises(SourceError, match="a message of the server is larger than 50 bytes"):
        read(hand("pages"))


def test_pages_that_are_too_large_together_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages, "MAX_MESSAGE_BYTES", 120)
    (listing,) = read(hand("pages"))
    assert "all pages together are larger than 120 bytes" in str(listing.error)


def test_works_inside_of_a_running_event_loop() -> None:
    async def notebook() -> int:
        (listing,) = read(hand("good"))
        return len(listing.tools)

    assert asyncio.run(notebook()) == 2


NOT_STARTED = [
    (Command(()), "the command is empty"),
    (Command(("no-such-command-here",)), "the command `no-such-command-here` was not found"),
    (Command(("npx -y some-server",)), "was not found"),
    (Command((str(SERVERS),)), "cannot be started: Permission denied"),
    (Command(("python", "x\0y")), "is not a legal command"),
    (Command(("python",), cwd=SERVERS / "nowhere"), "its working directory does not exist"),
]


@pytest.mark.parametrize(("command", "message"), NOT_STARTED)
def test_says_why_a_command_does_not_start(command: Command, message: str) -> None:
    with pytest.raises(SourceError, match=message):
        read(command)


def test_values_of_the_environment_are_passed_and_never_shown() -> None:
    with pytest.raises(SourceError) as caught:
        read(hand("crash", HAND_SECRET="tok-1234567890"))
    assert "SECRET is [hidden]" in caught.value.hint
    assert "tok-1234567890" not in str(caught.value)
    assert "tok-1234567890" not in repr(hand("crash", HAND_SECRET="tok-1234567890"))
