"""The parameters of the functions behind a server's tools, where the server object shows them; best effort."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


async def handlers_of(server: Any) -> Mapping[str, tuple[str, ...]]:
    """Parameter names by tool name, without those that the server fills itself; empty where nothing is shown.

    Known: the tool manager of the official SDK (1.x FastMCP, 2.x MCPServer), `list_tools` or `get_tools` of fastmcp.
    """
    found: dict[str, tuple[str, ...]] = {}
    try:
        for tool in await _tools(server):
            function = getattr(tool, "fn", None)
            if callable(function):
                found[str(tool.name)] = tuple(_parameters(tool, function))
    except Exception:
        return found  # only a help for one warning: a server that shows nothing is still read
    return found


async def _tools(server: Any) -> Iterable[Any]:
    manager = getattr(server, "_tool_manager", None)
    if manager is not None and callable(getattr(manager, "list_tools", None)):
        tools = manager.list_tools()
    elif callable(getattr(server, "get_tools", None)):
        tools = server.get_tools()
    elif hasattr(server, "_mcp_server") and callable(getattr(server, "list_tools", None)):
        tools = server.list_tools()
    else:
        return ()
    tools = await tools if inspect.isawaitable(tools) else tools
    return tools.values() if isinstance(tools, dict) else tools  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]


def _parameters(tool: Any, function: Any) -> Iterable[str]:
    filled = {getattr(tool, "context_kwarg", None), *getattr(tool, "resolved_params", ())}
    for name, parameter in inspect.signature(function).parameters.items():
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD) or name in filled:
            continue
        if not _is_filled(parameter):
            yield name


def _is_filled(parameter: inspect.Parameter) -> bool:
    """Whether the server gives the value: its context, or a dependency given as the default value."""
    annotation = parameter.annotation
    name = annotation if isinstance(annotation, str) else getattr(annotation, "__name__", str(annotation))
    if name.partition("[")[0].rpartition(".")[2].partition(" ")[0] == "Context":
        return True
    return type(parameter.default).__name__ in ("Depends", "Dependency", "_Depends")
