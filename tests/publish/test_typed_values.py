"""`typed_value` in a handler of the high-level servers: one annotation, read by pydantic before the handler runs."""

from __future__ import annotations

import json
from typing import Annotated, Any

import pytest
from publish_help import flavours, talking

import toolglot
from toolglot import FieldValue, typed_value

pytestmark = pytest.mark.anyio

CONTENT_TYPES = {"card": {"headline": "text", "picture": "asset", "seats": "integer"}, "note": {"headline": "text"}}
TYPES = {"text": str, "integer": int, "asset": {"type": "integer", "description": "the number of the asset"}}
BY_CALL = typed_value(TYPES, lambda arguments: CONTENT_TYPES.get(arguments.get("content_type", ""), {}))
KNOWN = typed_value(TYPES, CONTENT_TYPES["card"], wrong_type="refuse")
LATER = typed_value(TYPES)


def upsert(content_type: str, values: list[Annotated[Any, BY_CALL]]) -> str:
    """Set fields."""
    return json.dumps([[one.field, one.type, one.value] for one in values])


def set_one(value: Annotated[Any, KNOWN]) -> str:
    """Set one field of a card."""
    assert isinstance(value, FieldValue)
    return json.dumps([value.field, value.type, value.value])


def set_later(values: list[Annotated[Any, LATER]]) -> str:
    """Set fields, read in the handler."""
    read = [LATER.read(value, CONTENT_TYPES["card"]) for value in values]
    return json.dumps([[one.field, one.type, one.value] for one in read])


@pytest.fixture(params=[name for name in flavours.FLAVOURS if name != "low"], name="server")
def _server(request: pytest.FixtureRequest) -> Any:
    made = flavours.FLAVOURS[request.param]()
    for function in (upsert, set_one, set_later):
        (made.tool if request.param == "fast" else made.add_tool)(function)
    return made


def _sees_others(server: Any) -> bool:
    return not hasattr(server, "mount")


WRONG = {"field": "picture", "type": "text", "value": "549895"}
CALLS = [
    ("set_later", {"values": [{"field": "headline", "value": "7"}]}, [["headline", "text", "7"]]),
    ("upsert", {"content_type": "card", "values": [WRONG]}, [["picture", "asset", 549895]]),
    ("upsert", {"content_type": "card", "values": [{"field": "headline", "value": "7"}]}, [["headline", "text", "7"]]),
    ("upsert", {"content_type": "card", "values": []}, []),
    ("set_one", {"value": {"field": "seats", "value": "12"}}, ["seats", "integer", 12]),
    ("set_later", {"values": [WRONG]}, [["picture", "asset", 549895]]),
]


@pytest.mark.parametrize("publish", [False, True], ids=["bare", "published"])
@pytest.mark.parametrize(("name", "said", "read"), CALLS)
async def test_a_handler_gets_the_value_of_the_field(
    server: Any, publish: bool, name: str, said: Any, read: Any
) -> None:
    if name == "upsert" and not _sees_others(server):
        name, said = "set_later", {"values": said["values"]}  # fastmcp reads each argument by itself
    if publish:
        toolglot.publish(server)
    async with talking(server) as talk:
        answer = await talk.call(name, said)
    assert not answer["result"].get("isError"), answer
    assert json.loads(answer["result"]["content"][0]["text"]) == read


REFUSED = [
    ("upsert", {"content_type": "note", "values": [WRONG]}, "There is no field 'picture'; there are: headline."),
    (
        "upsert",
        {"content_type": "card", "values": [{**WRONG, "value": "harbour"}]},
        "The field 'picture' is of type asset, not text. A value of type asset is: the number of the asset.",
    ),
    ("set_one", {"value": WRONG}, "The field 'picture' is of type asset, not text."),
]


@pytest.mark.parametrize(("name", "said", "words"), REFUSED)
async def test_the_model_reads_why_a_value_is_refused(server: Any, name: str, said: Any, words: str) -> None:
    if name == "upsert" and not _sees_others(server):
        words = "the fields depend on the argument 'content_type', which cannot be seen here"
    async with talking(server) as talk:
        answer = await talk.call(name, said)
    assert answer["result"]["isError"] is True
    assert words in answer["result"]["content"][0]["text"]


async def test_what_is_published_passes_the_contract_and_portable(server: Any) -> None:
    async with talking(server) as talk:
        own = {tool["name"]: tool for tool in await talk.tools()}
    tools = [own[name] for name in ("upsert", "set_one", "set_later")]
    assert toolglot.check(tools, ignore=["TG204"]).findings == ()  # pydantic's own titles
    assert own["upsert"]["inputSchema"]["properties"]["values"]["items"]["properties"] == BY_CALL.schema["properties"]
    toolglot.publish(server)
    async with talking(server) as talk:
        published = {tool["name"]: tool for tool in await talk.tools()}
    assert [published[tool["name"]] for tool in tools] == tools
