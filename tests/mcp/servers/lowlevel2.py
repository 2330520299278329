"""A lowlevel server of SDK 2.x, with faults at run time."""

import sys
from contextlib import asynccontextmanager
from typing import Any

from mcp.server import Server
from mcp_types import ListToolsResult, Tool

SCHEMA: dict[str, Any] = {"type": "object", "maximum": 123456789012345678901234567890, "b": 1, "a": 2}


async def list_tools(context: Any, params: Any) -> ListToolsResult:
    print("a log line on stdout")
    return ListToolsResult(tools=[Tool(name="low", input_schema=SCHEMA)])


async def fail_list(context: Any, params: Any) -> ListToolsResult:
    raise RuntimeError("no database")


@asynccontextmanager
async def lifespan(server: Any):
    raise RuntimeError("no lifespan")
    yield


server = Server("low-two", version="7", on_list_tools=list_tools)
failing = Server("low-fail", on_list_tools=fail_list)
unstarted = Server("low-unstarted", on_list_tools=list_tools, lifespan=lifespan)
toolless = Server("low-toolless")


class Holder:
    server = server


def leaves() -> None:
    sys.exit("leaving")
