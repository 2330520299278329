"""Ordinary servers have no error: a plain fastmcp server as its own client sees it, and its zod twin."""

from __future__ import annotations

import asyncio
from typing import Any, Literal

import pytest
from rule_rows import hits_of_list

pytest.importorskip("fastmcp")

from fastmcp import Client, FastMCP
from pydantic import BaseModel, Field


class Step(BaseModel):
    """One step."""

    name: str
    note: str | None = None
    limit: int = Field(3, ge=1, le=9)


def plain_server() -> FastMCP:
    """A server in the plainest manner."""
    server = FastMCP("plain")

    @server.tool
    def run(
        steps: list[Step], labels: dict[str, str], mode: Literal["fast", "deep"] = "fast", at: str | None = None
    ) -> str:
        """Runs steps."""
        return f"{steps} {labels} {mode} {at}"

    @server.tool
    def rename(step: Step, names: list[str] | None = None, ratio: float | int = 1, keep: bool = True) -> str:
        """Renames a step."""
        return f"{step} {names} {ratio} {keep}"

    @server.tool
    def now() -> str:
        """Says what time it is."""
        return "now"

    return server


async def listed(server: FastMCP) -> list[dict[str, Any]]:
    """The tools as a client gets them."""
    async with Client(server) as client:
        tools = await client.list_tools()
    return [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in tools]


DRAFT_7 = "http://json-schema.org/draft-07/schema#"
STEP = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "limit": {"type": "integer", "minimum": 1, "maximum": 9, "default": 3},
    },
    "required": ["name"],
    "additionalProperties": False,
}
ZOD_TWIN = [
    {
        "name": "run",
        "inputSchema": {
            "type": "object",
            "properties": {
                "steps": {"type": "array", "items": STEP},
                "labels": {
                    "type": "object",
                    "propertyNames": {"type": "string"},
                    "additionalProperties": {"type": "string"},
                },
                "mode": {"default": "fast", "type": "string", "enum": ["fast", "deep"]},
                "at": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            },
            "required": ["steps", "labels"],
            "additionalProperties": False,
            "$schema": DRAFT_7,
        },
    },
    {
        "name": "now",
        "inputSchema": {"type": "object", "properties": {}, "additionalProperties": False, "$schema": DRAFT_7},
    },
]


@pytest.mark.parametrize("library", ["fastmcp", "zod"])
def test_an_ordinary_server_has_one_note(library: str) -> None:
    tools = asyncio.run(listed(plain_server())) if library == "fastmcp" else ZOD_TWIN
    told = [(rule.code, hit.severity or rule.severity) for rule, hit in hits_of_list(tools)]
    assert told == [("TG111", "note")]
