"""OpenAI Agents SDK: function tools of a server in the form of a target, and of any view.

Source: pypi openai-agents==0.24.0: agents/tool.py, agents/mcp/util.py, agents/mcp/server.py.
"""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from toolglot.errors import ToolglotError
from toolglot.fitting.toolset import Toolset
from toolglot.providers.form import parameters
from toolglot.providers.frameworks.common import Caller, Calling, data_uri, error_text, log_problems, needed, shown
from toolglot.providers.outcomes import unseen
from toolglot.providers.parts import Answered, Media, Shown
from toolglot.providers.plain import plain

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.toolset import View
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.targets.model import Target

EXTRA = "openai-agents"

_agents: Any = needed("agents", EXTRA)
_mcp: Any = needed("agents.mcp", EXTRA)

__all__ = ["fit_mcp_tools", "function_tools"]


async def fit_mcp_tools(
    server: Any, target: str | Target, *, agent: Any = None, run_context: Any = None, mend: Mend = "safe"
) -> list[Any]:
    """The tools of a connected MCP server of the SDK as function tools in the form of a target.

    In: `MCPServerStdio`, `MCPServerStreamableHttp`, ...; `agent` and `run_context` where filters or approvals of the
    server ask for them; `mend` as in `View.restore`. Approvals, guardrails and error handling of the server stay.
    Wrong arguments are answered with words for the model. The list is read once: call again when it has changed.
    Raises UnknownTarget, and what the SDK raises.
    """
    listed: list[Any] = await server.list_tools(run_context, agent)
    view = Toolset([_published(tool) for tool in listed]).normalize(target)
    log_problems(view)
    own = {tool.name: tool for tool in reversed(listed)}
    made: list[Any] = []
    for sent, name in zip(view.tools, view.names, strict=True):
        inner = _mcp.MCPUtil.to_function_tool(own[name], server, False, agent)
        made.append(_formed(replace(inner, on_invoke_tool=_restoring(inner, sent, view, mend)), sent))
    return made


def function_tools(view: ToolView, call: Caller | None = None, *, mend: Mend = "safe", **options: Any) -> list[Any]:
    """The tools of a view as function tools.

    In: the view (of a list, or live); `call`, which calls a tool of the server by its published name with its own
    arguments (a live view calls by itself); `options` are arguments of FunctionTool (`needs_approval`,
    `timeout_seconds`, ...). Wrong arguments, and results that are errors, are answered with words for the model.
    Raises TypeError where nobody could call.
    """
    calling = Calling(view, call, mend)
    return [_viewed(tool, calling, options) for tool in view.tools]


def _viewed(sent: SentTool, calling: Calling, options: dict[str, Any]) -> Any:
    async def invoke(context: Any, text: str) -> Any:
        answer = await calling.outcome(sent.name, text or None)
        return error_text(answer) if answer.error else _output(answer)

    blank: dict[str, Any] = {"name": sent.name, "description": "", "params_json_schema": {}}
    return _formed(
        _agents.FunctionTool(**blank, on_invoke_tool=invoke, strict_json_schema=False, **options),
        sent,
    )


def _restoring(inner: Any, sent: SentTool, view: View, mend: Mend) -> Any:
    async def invoke(context: Any, text: str) -> Any:
        try:
            _, restored = view.restore(sent.name, text or None, mend)
        except ToolglotError as error:
            return str(error)
        return await inner.on_invoke_tool(context, json.dumps(restored.arguments))

    return invoke


def _formed(tool: Any, sent: SentTool) -> Any:
    """The tool with name, description, schema and `strict` of the target.

    They are set afterwards: the SDK writes strict schemas anew when a tool is made, and these are strict already.
    """
    tool.name = sent.name
    tool.description = sent.description
    tool.params_json_schema = parameters(sent)
    tool.strict_json_schema = bool(sent.target.fallback)
    return tool


def _published(tool: Any) -> dict[str, Any]:
    """A tool of the MCP SDK, of either generation, as it was published."""
    found: dict[str, Any] = plain(tool)
    return {"name": tool.name, "description": tool.description or "", "inputSchema": found.get("inputSchema")}


def _output(answer: Answered) -> Any:
    found = [_item(part) for part in shown(answer)]
    return found[0] if len(found) == 1 else found


def _item(part: Shown) -> Any:
    if not isinstance(part, Media):
        return _agents.ToolOutputText(text=part.text)
    if part.is_image:
        return _agents.ToolOutputImage(image_url=data_uri(part))
    if part.mime == "application/pdf":
        where = {"file_data": data_uri(part), "filename": "file.pdf"} if part.data else {"file_url": part.uri}
        return _agents.ToolOutputFileContent(**where)
    return _agents.ToolOutputText(text=unseen(part))
