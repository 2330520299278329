"""The incident as a story: a wrong argument that no layer notices, and the page it leaves behind."""

from __future__ import annotations

import json
from typing import Any

from toolglot.demo.rpc import Server
from toolglot.demo.typed import TYPED_TOOLS

WRONG: dict[str, Any] = {"field": "picture", "type": "string", "value": "549895"}
"""What a model says that was shown only the first branch of the union."""

RIGHT: dict[str, Any] = {"field": "picture", "type": "asset", "asset_id": 549895}
"""What it would have said, had it seen the branch for assets."""


def upsert(field_value: dict[str, Any]) -> dict[str, Any]:
    """The arguments of `entries_upsert` that set one field of the card on the page."""
    return {"entry_id": "harbour-tour", "content_type": "card", "field_values": [field_value]}


def call(server: Server, name: str, arguments: dict[str, Any]) -> str:
    """The text that the server answers to one `tools/call`. Raises RuntimeError where the call fails."""
    params = {"name": name, "arguments": arguments}
    reply = server.handle({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})
    if reply is None or "error" in reply or reply["result"]["isError"]:
        raise RuntimeError(f"{name} failed: {reply}")
    return reply["result"]["content"][0]["text"]


def tell() -> str:
    """The story as text, from calls to a new server."""
    server = Server()
    page = {"page_id": "home"}
    before = call(server, "page_render", page)
    answer = call(server, "entries_upsert", upsert(WRONG))
    broken = call(server, "page_render", page)
    again = call(server, "entries_upsert", upsert(RIGHT))
    parts = [
        "The page before. page_render answers:",
        before,
        "A client showed its model only the first branch of the union, so the model sends:",
        f"entries_upsert {json.dumps(upsert(WRONG))}",
        f"The arguments fit the published schema. The server answers: {answer}",
        "Nobody has seen an error. The page after. page_render answers:",
        broken,
        "With the branch for assets in sight, a model sends:",
        f"entries_upsert {json.dumps(upsert(RIGHT))}",
        f"The server answers, in the same words: {again}",
        "page_render answers:",
        call(server, "page_render", page),
    ]
    return "\n\n".join(parts) + "\n"


def tell_typed() -> str:
    """The story of the same argument on a server that knows the type of each field, from calls to a new one."""
    server = Server(tools=TYPED_TOOLS)
    answer = call(server, "entries_upsert", upsert(WRONG))
    parts = [
        "A server that knows the type of each field publishes one value for all of them. A model sends:",
        f"entries_upsert {json.dumps(upsert(WRONG))}",
        f"The server answers: {answer}",
        "The page after. page_render answers:",
        call(server, "page_render", {"page_id": "home"}),
    ]
    return "\n\n".join(parts) + "\n"
