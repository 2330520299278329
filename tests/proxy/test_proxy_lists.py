"""What the proxy knows of tools: whose list it is, when it is read again, what is told, and faults of ours."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Mapping
from typing import Any

import pytest
from proxy_help import Between

from toolglot.fitting.toolset import Toolset
from toolglot.mcp.proxy import shelf as shelf_module
from toolglot.mcp.proxy.conversation import Conversation
from toolglot.mcp.proxy.journal import Journal
from toolglot.mcp.proxy.policy import Fitters, Shelves
from toolglot.mcp.proxy.settings import Settings
from toolglot.targets.load import SHIPPED

pytestmark = pytest.mark.anyio


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "inputSchema": {"type": "object", "properties": properties}}


class Callers:
    """Several callers of one server; each has a list of its own, and the server says who may share it."""

    def __init__(self, lists: Mapping[str, list[Any]], scopes: Mapping[str, str]) -> None:
        self.lists = lists
        self.scopes = dict(scopes)
        self.asked: list[str] = []
        self.shelves = Shelves(Fitters(Settings("portable"), SHIPPED).of("portable"))

    def result(self, caller: str) -> bytes:
        scope = {"cacheScope": self.scopes[caller]} if caller in self.scopes else {}
        return json.dumps({"tools": self.lists[caller], **scope}).encode()

    async def calls(self, caller: str, name: str) -> bool:
        """Whether the server gets the call."""
        to_server: list[bytes] = []

        async def ask(params: Any) -> bytes:
            self.asked.append(caller)
            return self.result(caller)

        policy = self.shelves.policy(caller.encode(), Settings("portable"), Journal())
        line = Conversation(policy, to_server.append, lambda _: None, ask)
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": name, "arguments": {}}}
        line.client_says(json.dumps(message).encode())
        await line.settled()
        return bool(to_server)

    async def lists_for(self, caller: str) -> None:
        """The caller asks for the list itself."""
        policy = self.shelves.policy(caller.encode(), Settings("portable"), Journal())
        line = Conversation(policy, lambda _: None, lambda _: None)
        line.client_says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
        line.server_says(b'{"jsonrpc":"2.0","id":1,"result":' + self.result(caller) + b"}")


LISTS = {"a": [tool("for_a")], "b": [tool("for_b")]}
SCOPES = [
    ("nothing said", {}, ["a", "b"]),
    ("private", {"a": "private", "b": "private"}, ["a", "b"]),
    ("public", {"a": "public", "b": "public"}, ["a"]),
]


@pytest.mark.parametrize(("scopes", "asked"), [row[1:] for row in SCOPES], ids=[row[0] for row in SCOPES])
@pytest.mark.parametrize("passing", [False, True])
async def test_a_list_is_its_callers_own_unless_it_is_public(
    scopes: dict[str, str], asked: list[str], passing: bool
) -> None:
    callers = Callers(LISTS, scopes)
    if passing:
        await callers.lists_for("a")
    assert await callers.calls("a", "for_a")
    shared = await callers.calls("b", "for_a")
    assert shared == (asked == ["a"])
    assert callers.asked == (asked[1:] if passing else asked)


@pytest.mark.parametrize("passing", [False, True])
async def test_a_list_that_is_public_no_longer_teaches_nobody_else(passing: bool) -> None:
    """What one caller gets for itself never stands on everybody's shelf."""
    callers = Callers(LISTS, {"a": "public", "b": "private"})
    assert await callers.calls("a", "for_a")
    if passing:
        await callers.lists_for("b")
    else:
        shelf = callers.shelves.policy(b"b", Settings(), Journal()).shelf_of(None)
        shelf.outdate()
        shelf._asked = float("-inf")  # pyright: ignore[reportPrivateUsage]
        assert await callers.calls("b", "for_b")
    assert await callers.calls("b", "for_b")
    assert not await callers.calls("a", "for_b")


async def test_who_shares_a_list_asks_again_when_the_one_who_asked_has_gone() -> None:
    shelves = Shelves(Fitters(Settings("portable"), SHIPPED).of("portable"))
    sent: list[list[bytes]] = [[], []]
    lines = [
        Conversation(shelves.policy(b"", Settings("portable"), Journal()), out.append, lambda _: None) for out in sent
    ]
    for line in lines:
        line.client_says(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}')
    await asyncio.sleep(0.05)
    assert [len(out) for out in sent] == [1, 0]
    lines[0].close()
    await asyncio.sleep(0.05)
    question = json.loads(sent[1][0])
    assert question["method"] == "tools/list"
    answer = {"jsonrpc": "2.0", "id": question["id"], "result": {"tools": [tool("t")]}}
    lines[1].server_says(json.dumps(answer).encode())
    await lines[1].settled()
    assert json.loads(sent[1][1])["method"] == "tools/call"


async def test_an_answer_that_comes_too_late_for_us_does_not_reach_the_client(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[bytes] = []
    sent: list[bytes] = []
    shelves = Shelves(Fitters(Settings("portable"), SHIPPED).of("portable"))
    line = Conversation(shelves.policy(b"", Settings("portable"), Journal()), sent.append, heard.append)
    line.client_says(b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"t","arguments":{}}}')
    await asyncio.sleep(0.01)
    line.server_lost()
    await line.settled()
    question = json.loads(sent[0])["id"]
    line.server_says(json.dumps({"jsonrpc": "2.0", "id": question, "result": {"tools": []}}).encode())
    assert heard == []


async def test_a_new_tool_may_be_called_before_the_list_ends_to_count() -> None:
    """Under a restriction too, an unknown name reads the list again: not before ten seconds."""
    tools: list[Any] = [{**tool("old"), "annotations": {"readOnlyHint": True}}]
    between = Between(tools, "none", read_only=True)
    await between.calls("old", {})
    tools.append({**tool("new"), "annotations": {"readOnlyHint": True}})
    await between.calls("new", {})
    assert len(between.to_server) == 1
    between.conversation.shelf._asked = time.monotonic() - shelf_module.FETCH_EVERY  # pyright: ignore[reportPrivateUsage]
    await between.calls("new", {})
    assert len(between.to_server) == 2


async def test_a_notice_that_comes_while_a_list_is_read_counts() -> None:
    between = Between([tool("t")], "portable")
    inner = between._list

    async def changes(params: Any) -> bytes:
        found = await inner(params)
        between.conversation.server_says(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
        return found

    between.conversation._ask = changes  # pyright: ignore[reportPrivateUsage]
    await between.calls("t", {})
    assert between.conversation.shelf.stale


async def test_a_call_waits_for_a_list_that_is_read_because_it_changed() -> None:
    """Under a restriction: what counted before must not count while the new list is on its way."""
    tools: list[Any] = [{**tool("t"), "annotations": {"readOnlyHint": True}}]
    between = Between(tools, "none", read_only=True)
    await between.calls("t", {})
    inner, gate = between._list, asyncio.Event()

    async def slow(params: Any) -> bytes:
        await gate.wait()
        return await inner(params)

    between.conversation._ask = slow  # pyright: ignore[reportPrivateUsage]
    between.conversation.server_says(b'{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}')
    tools[0] = tool("t")
    for n in range(3):
        message = {"jsonrpc": "2.0", "id": n, "method": "tools/call", "params": {"name": "t", "arguments": {}}}
        between.conversation.client_says(json.dumps(message).encode())
        await asyncio.sleep(0.01)
    gate.set()
    await between.conversation.settled()
    assert len(between.to_server) == 1


async def test_under_a_restriction_every_list_is_cut_whoever_asked() -> None:
    """Two questions with one id, or one that was cancelled: the answer shows no more than it may."""
    between = Between([tool("writes")], "none", read_only=True)
    for _ in range(2):
        await between.says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    for _ in range(3):
        listed = {"jsonrpc": "2.0", "id": 1, "result": {"tools": [tool("writes")]}}
        between.conversation.server_says(json.dumps(listed).encode())
    assert [json.loads(raw)["result"]["tools"] for raw in between.to_client] == [[], [], []]


async def test_what_observing_would_refuse_goes_on() -> None:
    between = Between([tool("t")], "portable", observe=True)
    await between.calls("nothing", {})
    assert json.loads(between.to_server[0])["params"]["name"] == "nothing"
    assert between.to_client == []


async def test_the_whole_list_is_summed_up_once() -> None:
    between = Between([], "gemini-parameters")
    told: list[str] = []
    between.journal.note = told.append
    pages = [[tool("plain"), tool("l" * 80)], [tool("more", a={"type": ["string", "null"]})]]
    for _ in range(2):
        for number, page in enumerate(pages):
            params = {"cursor": "2"} if number else {}
            await between.says({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params})
            more = {} if number else {"nextCursor": "2"}
            listed = {"jsonrpc": "2.0", "id": 1, "result": {"tools": page, **more}}
            between.conversation.server_says(json.dumps(listed).encode())
    (line,) = told
    assert line.startswith("gemini-parameters: 1 of 3 tools left alone; renamed: llll")


@pytest.mark.parametrize("restricted", [False, True])
async def test_a_fault_of_ours_costs_one_tool_its_form(monkeypatch: pytest.MonkeyPatch, restricted: bool) -> None:
    inner = Toolset.normalize

    def faulty(self: Toolset, target: Any, strict: Any = True) -> Any:
        if any(one.name == "odd" for one in self.tools):
            raise KeyError("a fault")
        return inner(self, target, strict)

    monkeypatch.setattr(Toolset, "normalize", faulty)
    union = {"type": ["string", "null"]}
    tools = [{**tool(name, a=union), "annotations": {"readOnlyHint": True}} for name in ("one", "odd", "two")]
    between = Between(tools, "gemini-parameters", **({"read_only": True} if restricted else {}))
    told: list[str] = []
    between.journal.note = told.append
    await between.says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    between.conversation.server_says(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).encode())
    listed = {one["name"]: one for one in json.loads(between.to_client[-1])["result"]["tools"]}
    assert list(listed) == (["one", "two"] if restricted else ["one", "odd", "two"])
    assert listed["one"]["_meta"] == {"io.toolglot/target": "gemini-parameters"}
    assert any("odd" in line and "KeyError" in line for line in told)
    if not restricted:
        assert listed["odd"] == tools[1]
        await between.calls("odd", {"a": 1})
        assert json.loads(between.to_server[-1])["params"]["arguments"] == {"a": 1}


@pytest.mark.parametrize("restricted", [False, True])
async def test_more_tools_than_go_into_a_request_are_made_fit_all_the_same(restricted: bool) -> None:
    """The client chooses what it sends; what it chooses has to be taken."""
    union = {"type": ["string", "null"]}
    tools = [{**tool(f"t{n}", a=union), "annotations": {"readOnlyHint": True}} for n in range(600)]
    between = Between(tools, "gemini-parameters", **({"read_only": True} if restricted else {}))
    told: list[str] = []
    between.journal.note = told.append
    await between.says(b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}')
    between.conversation.server_says(json.dumps({"jsonrpc": "2.0", "id": 1, "result": {"tools": tools}}).encode())
    listed = json.loads(between.to_client[-1])["result"]["tools"]
    assert [one["name"] for one in listed] == [one["name"] for one in tools]
    assert all("io.toolglot/target" in one["_meta"] for one in listed)
    assert told == [
        "t512: 88 tools are more than go into one request: gemini-parameters takes 512 tools in one request. "
        "The client has to choose",
        "gemini-parameters: 0 of 600 tools left alone; renamed: none",
    ]
    await between.calls("t599", {"a": None})
    assert json.loads(between.to_server[-1])["params"]["arguments"] == {"a": None}
