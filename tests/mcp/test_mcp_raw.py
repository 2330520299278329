"""JSON texts taken apart into raw members."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.clock import untraced

from toolglot.errors import JsonError
from toolglot.mcp.raw import items, kind, members
from toolglot.mcp.wire import decode, error_reply, rpc_error

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
)


@untraced
@settings(max_examples=40)
@given(st.lists(VALUES), st.booleans())
def test_items_are_kept_byte_for_byte(values: list[object], ascii_only: bool) -> None:
    texts = [json.dumps(value, ensure_ascii=ascii_only).encode("utf-8", "surrogatepass") for value in values]
    assert items(b" [ " + b" ,\n".join(texts) + b"] ") == texts


@untraced
@settings(max_examples=40)
@given(st.dictionaries(st.text(), VALUES))
def test_members_are_kept_byte_for_byte(value: dict[str, object]) -> None:
    found = members(json.dumps(value).encode())
    assert {key: raw.decode() for key, raw in found.items()} == {key: json.dumps(item) for key, item in value.items()}
    assert list(found) == list(value)


BROKEN = [
    (b"", "line 1, column 1"),
    (b"[", "line 1, column 2"),
    (b"[1,]", "line 1, column 4"),
    (b"[1}", "line 1, column 3"),
    (b"[1] x", "line 1, column 5"),
    (b"[,1]", "line 1, column 2"),
    (b'["a]', "line 1, column 2"),
    (b'[{"a":1,}]', "line 1, column 9"),
    (b"[01]", "line 1, column 3"),
    (b'{"a":1}', "an object where"),
    (b"[" + b"[" * 100_000, "does not close|where another"),
]


@pytest.mark.parametrize(("raw", "message"), BROKEN, ids=range(len(BROKEN)))
def test_what_is_no_list_of_json_is_refused(raw: bytes, message: str) -> None:
    with pytest.raises(JsonError, match=message):
        items(raw)


LENIENT = [
    (b'[NaN, [1, 2], "a,b[", {}]', [b"NaN", b"[1, 2]", b'"a,b["', b"{}"]),
    (b"[1e999, " + b"[" * 3000 + b"]" * 3000 + b", 3]", [b"1e999", b"[" * 3000 + b"]" * 3000, b"3"]),
    (b'["\xff", 1]', [b'"\xff"', b"1"]),
    (b'["\\ud800", NaN]', [b'"\\ud800"', b"NaN"]),
]


@pytest.mark.parametrize(("raw", "expected"), LENIENT, ids=range(len(LENIENT)))
def test_members_are_told_apart_whatever_is_in_them(raw: bytes, expected: list[bytes]) -> None:
    assert items(raw) == expected
    assert list(members(b'{"a":' + raw + b',"b":NaN}')) == ["a", "b"]


DOUBLED = [
    (b'{"tools":[],"tools":[1]}', True),
    (b'{"tools":[],"x":NaN,"tools":[1]}', True),
    (b'{"x":{"tools":1},"tools":["tools"]}', False),
    (b'{"x":"\\"tools\\"","tools":[]}', False),
    (b'{"x":1}', False),
]


@pytest.mark.parametrize(("raw", "doubled"), DOUBLED)
def test_a_doubled_key_is_noticed(raw: bytes, doubled: bool) -> None:
    if doubled:
        with pytest.raises(JsonError, match="the key 'tools' stands twice"):
            members(raw, once=("tools",))
    else:
        assert members(raw, once=("tools",)) == members(raw)


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b" {", "an object"),
        (b"[", "a list"),
        (b'"', "a text"),
        (b"-1", "a number"),
        (b"true", "a boolean"),
        (b"null", "null"),
        (b"", "empty"),
    ],
)
def test_kind(raw: bytes, expected: str) -> None:
    assert kind(raw) == expected


MESSAGES = [
    (b'{"id":1,"result":{"a":1}}', [(b"1", "", b'{"a":1}', None)]),
    (b'{"id":"x","error":{"code":1}}', [(b'"x"', "", None, b'{"code":1}')]),
    (b'{"id":1,"result":{},"error":null}', [(b"1", "", b"{}", None)]),
    (b'{"method":"ping","id":3}', [(b"3", "ping", None, None)]),
    (b'{"method":7,"id":3}', []),
    (b"{}", []),
    (b"[1, 2]", []),
    (b"7", []),
    (b'[{"method":"a"},{"id":2,"result":1}]', [(b"", "a", None, None), (b"2", "", b"1", None)]),
]


@pytest.mark.parametrize(("raw", "expected"), MESSAGES)
def test_decode(raw: bytes, expected: list[tuple[object, ...]]) -> None:
    assert [(m.id, m.method, m.result, m.error) for m in decode(raw)] == expected


ERRORS = [
    (b'{"code":-32601,"message":"no"}', -32601, "no"),
    (b'{"code":"x"}', -32603, "no message"),
    (b'"text"', -32603, '"text"'),
]


@pytest.mark.parametrize(("raw", "code", "message"), ERRORS)
def test_rpc_error(raw: bytes, code: int, message: str) -> None:
    error = rpc_error(raw)
    assert (error.code, error.message) == (code, message)


SUPPORTED = [
    (b'{"code":-32022,"data":{"supported":["2026-07-28"]}}', ("2026-07-28",)),
    (b'{"code":-32022,"data":{"supported":"x"}}', ()),
    (b'{"code":-32022,"data":[]}', ()),
    (b'{"code":-32022}', ()),
]


@pytest.mark.parametrize(("raw", "versions"), SUPPORTED)
def test_the_versions_that_an_error_names(raw: bytes, versions: tuple[str, ...]) -> None:
    assert rpc_error(raw).supported() == versions


@pytest.mark.parametrize(
    ("raw", "reply"),
    [
        (b'{"method":"ping","id":"a\\"b"}', {"jsonrpc": "2.0", "id": 'a"b', "result": {}}),
        (b'{"method":"ping","id":"5"}', {"jsonrpc": "2.0", "id": "5", "result": {}}),
        (
            b'{"method":"roots/list","id":-5}',
            {"jsonrpc": "2.0", "id": -5, "error": {"code": -32601, "message": "Method not found"}},
        ),
    ],
)
def test_replies_to_requests_of_the_server(raw: bytes, reply: object) -> None:
    assert json.loads(error_reply(decode(raw)[0])) == reply
