"""A fuzzer for the read-only gate: whatever gets through reads, for every way in which servers read JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from proxy_help import Between
from test_proxy_read_only import TARGETS, TOOLS

pytestmark = pytest.mark.untraced

READING: dict[str, dict[str, set[str]]] = {
    "read": {},
    "manage": {"action": {"list", "get"}},
    "defaulted": {"action": {"list"}},
    "hinted": {"action": {"list"}},
    "two": {"action": {"get"}, "op": {"read"}},
    "l" * 80: {"action": {"list"}},
    "referenced": {"action": {"list"}},
    "union": {"action": {"get"}},
    "shouted": {"action": {"LIST"}},
    "numbers": {"action": {"get"}},
    "open": {"action": {"list"}},
}
"""What may be called, and with which actions: written by hand, beside the gate. All else may change something."""

OPTIONAL: dict[str, dict[str, set[str]]] = {
    "reads_by_default": {"action": {"list", "get"}},
    "unclear": {"mode": {"fast", "slow"}},
}
ACTIONS = {"action", "operation", "command", "method", "mode", "op"}
HARMLESS_MODES = {"unclear"}

Pairs = list[tuple[str, Any]]


def first_wins(pairs: Pairs) -> dict[str, Any]:
    return dict(reversed(pairs))


def without_case(pairs: Pairs) -> dict[str, Any]:
    """As readers that match names without regard to case; the last one wins."""
    return {key.casefold(): value for key, value in pairs}


def without_case_first(pairs: Pairs) -> dict[str, Any]:
    return without_case(list(reversed(pairs)))


READERS: tuple[Callable[[Pairs], dict[str, Any]], ...] = (dict, first_wins, without_case, without_case_first)


def readings(raw: bytes) -> Iterator[dict[str, Any]]:
    """Every message that some server might see in a line."""
    for piece in raw.replace(b"\r", b"\n").split(b"\n"):
        for reader in READERS:
            try:
                value = json.loads(piece, object_pairs_hook=reader)
            except ValueError:
                continue
            yield from (one for one in (value if isinstance(value, list) else [value]) if isinstance(one, dict))


def changes(message: dict[str, Any]) -> bool:
    """Whether a server might change something on this message."""
    method = str(message.get("method", "")).strip().casefold()
    if not method.startswith("tools/") or method == "tools/list":
        return method not in ("", "ping", "tools/list", "notifications/initialized")
    params = message.get("params")
    if not isinstance(params, dict):
        return True
    return _call_changes(params.get("name"), params.get("arguments", {}))


def _call_changes(name: Any, arguments: Any) -> bool:
    optional = OPTIONAL.get(name) if isinstance(name, str) else None
    required = READING.get(name) if isinstance(name, str) else None
    if (optional is None and required is None) or not isinstance(arguments, dict):
        return True
    said = {key.casefold(): value for key, value in arguments.items()}
    if optional is not None:
        return any(said.get(key, next(iter(values))) not in values for key, values in optional.items())
    assert required is not None
    wrong = any(not isinstance(said.get(key), str) or said[key] not in values for key, values in required.items())
    others = {key for key in said if key in ACTIONS and key not in required} if required else set()
    return wrong or any(said[key] not in ("list", "get", "read") for key in others)


NAMES = st.sampled_from(
    [*READING, *OPTIONAL, "write", "liar", "dull", "broken", "hidden", "twice", "deep", "READ", "Manage", "write\u0000",
     "manage ", "\u017fhouted", 5, None]
)  # fmt: skip
KEYS = st.sampled_from(
    [
        "action",
        "Action",
        "ACTION",
        "a\u0441tion",
        "op",
        "OP",
        "operation",
        "method",
        "Mode",
        "mode",
        "id",
        "a",
        "",
        "act\u0130on",
    ]
)
VALUES = st.sampled_from(
    ["list", "get", "read", "delete", "LIST", "purge", "set", "drop", "list ", "fast", '"list"', "null", None, True, 1,
     0.5, ["list"], {"0": "list"}, {"action": "list"}, float("nan"), "\ud800", "{}"]
)  # fmt: skip
ARGUMENTS = st.one_of(
    st.lists(st.tuples(KEYS, VALUES), max_size=4),
    st.sampled_from([None, [], ["list"], "", "null", '{"action":"list"}', '{"action":"delete"}', 5]),
)
TOP = st.sampled_from(["method", "Method", "params", "Params", "PARAMS", "id", "result", "error", "x", "jsonrpc", "ID"])
INNER = st.sampled_from(["name", "Name", "arguments", "Arguments", "argument\u017f", "_meta", "task", "tool", "NAME"])


def text_of(value: Any) -> str:
    """JSON that may have doubled keys: a list of pairs is an object."""
    if isinstance(value, list) and all(isinstance(item, tuple) for item in value):
        return "{" + ",".join(f"{json.dumps(key)}:{text_of(item)}" for key, item in value) + "}"
    return json.dumps(value)


@st.composite
def messages(draw: st.DrawFn) -> bytes:
    """A call, with some of what goes wrong or is done on purpose."""
    params: Pairs = [("name", draw(NAMES)), ("arguments", draw(ARGUMENTS))]
    for _ in range(draw(st.integers(0, 1))):
        extra = draw(st.one_of(st.tuples(INNER, NAMES), st.tuples(INNER, ARGUMENTS)))
        params.insert(draw(st.integers(0, len(params))), extra)
    method = draw(st.sampled_from(["tools/call"] * 8 + ["tools/Call", "tools/call ", "tools/run", "ping", "wipe"]))
    message: Pairs = [("jsonrpc", "2.0"), ("id", draw(st.sampled_from([1, "a", None, True, 1.5]))), ("method", method)]
    message.append(("params", params))
    for _ in range(draw(st.integers(0, 1))):
        extra = draw(st.tuples(TOP, st.sampled_from(["tools/call", "ping", params, {}, 5])))
        message.insert(draw(st.integers(0, len(message))), extra)
    text = text_of(message)
    return draw(st.sampled_from([_same, _batch, _twice, _escaped, _spaced, _cut]))(text).encode(
        "utf-8", "surrogatepass"
    )


def _same(text: str) -> str:
    return text


def _batch(text: str) -> str:
    return f'[{text},{{"jsonrpc":"2.0","id":9,"method":"ping"}}]'


def _twice(text: str) -> str:
    return f"{text}\r{text}"


def _escaped(text: str) -> str:
    return text.replace('"action"', '"\\u0061ction"', 1).replace("tools/", "tools\\/")


def _spaced(text: str) -> str:
    return f" \t{text}\r"


def _cut(text: str) -> str:
    return text[:-1]


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("mend", ["safe", "all-tools"])
@settings(max_examples=400)
@given(st.lists(messages(), min_size=1, max_size=4))
def test_nothing_that_changes_gets_through(target: str, mend: str, lines: list[bytes]) -> None:
    between = asyncio.run(_said(target, mend, lines))
    for raw in between.to_server:
        assert not any(changes(message) for message in readings(raw)), raw


async def _said(target: str, mend: str, lines: list[bytes]) -> Between:
    between = Between(TOOLS, target, read_only=True, refuse=False, mend=mend)
    for line in lines:
        await between.says(line)
    return between


def test_the_fuzzer_sees_what_changes() -> None:
    """The judge of the fuzzer, checked from the other side."""
    for name, arguments in (
        ("write", {}),
        ("manage", {}),
        ("manage", {"action": "delete"}),
        ("two", {"action": "get"}),
    ):
        assert changes({"method": "tools/call", "params": {"name": name, "arguments": arguments}})
    assert not changes({"method": "tools/call", "params": {"name": "manage", "arguments": {"action": "list"}}})
    assert any(changes(m) for m in readings(b'{"method":"tools/call","params":{"name":"manage","arguments":'
                                            b'{"action":"list","Action":"delete"}}}'))  # fmt: skip
