"""LangChain and LangGraph: tools of langchain-mcp-adapters in the form of a target, and the tools of any view.

Source: pypi langchain-core==1.8.3: langchain_core/tools/base.py, langchain_core/tools/structured.py;
pypi langchain-mcp-adapters==0.3.2: langchain_mcp_adapters/tools.py; pypi langgraph-prebuilt==1.1.3: tool_node.py.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import date
from functools import wraps
from inspect import Parameter, signature
from typing import TYPE_CHECKING, Any, TypeAlias, cast

from toolglot.errors import ToolglotError
from toolglot.fitting.toolset import Toolset
from toolglot.providers.form import parameters
from toolglot.providers.frameworks.common import (
    Caller,
    Calling,
    error_text,
    log_problems,
    needed,
    published_names,
    shown,
    tightened,
)
from toolglot.providers.parts import Answered, Media, Shown
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Fact, Proof

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.toolset import View
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.targets.model import Target

EXTRA = "langchain"

_tools: Any = needed("langchain_core.tools", EXTRA)
_StructuredTool: Any = _tools.StructuredTool
_ToolException: Any = _tools.ToolException

_Record: TypeAlias = "dict[str, Any]"
_Restore: TypeAlias = "Callable[[Any], dict[str, Any]]"

__all__ = ["FittedTool", "fit_tools", "target_in_langchain", "view_tools"]

_CORE = "pypi langchain-core==1.8.3: langchain_core/utils/"
_INLINED = Proof(
    source=f"{_CORE}json_schema.py: dereference_refs",
    evidence="observed",
    seen=date(2026, 12, 1),
    note="References are inlined; where one comes round again, an empty schema is left.",
)
_REQUIRED = Proof(
    source=f"{_CORE}function_calling.py: _recursive_set_additional_properties_false",
    evidence="observed",
    seen=date(2026, 12, 1),
    note="With strict=True every property becomes required, for every provider.",
)


class FittedTool(_StructuredTool):
    """One tool in the form of a target. `args_schema` is the target's, `name` the wire name.

    The arguments go on as one mapping, so that a parameter called `config`, `run_manager` or `self` reaches the server:
    as keywords they would meet the framework's own.
    """

    if TYPE_CHECKING:
        args_schema: Any
        coroutine: Any
        func: Any

    def _to_args_and_kwargs(self, tool_input: Any, tool_call_id: str | None) -> tuple[tuple[Any], _Record]:
        """The arguments as one mapping, and what the framework itself gave (`runtime`) by name."""
        if not isinstance(tool_input, Mapping):
            return (tool_input,), {}
        values: _Record = dict(cast("Mapping[str, Any]", tool_input))
        declared = self.args_schema.get("properties", {})
        injected = [
            name
            for name in _named_parameters(self.coroutine or self.func)
            if name in values and not (name in declared and _is_json(values[name]))
        ]
        return (values,), {name: values.pop(name) for name in injected}


class _Refused(_ToolException):
    """An error for the model."""

    content: Any = None
    """What the model reads: a text or content blocks."""


def _refused(text: str, content: Any = None) -> Any:
    error = _Refused(text)
    error.content = content or text
    return error


def fit_tools(tools: Iterable[Any], target: str | Target, *, mend: Mend = "safe") -> list[Any]:
    """Tools of langchain-mcp-adapters in the form of a target; each stays the tool it is in everything else.

    In: the tools of `load_mcp_tools` or `MultiServerMCPClient.get_tools`; `mend` as in `View.restore`. Tools whose
    arguments are a Pydantic model are LangChain's own and stay as they are, fitted ones too. Wrong arguments come back
    to the model as a ToolMessage of status `error`; what else goes wrong is handled as the tool was told
    (`handle_tool_error`). Raises UnknownTarget.
    """
    given = list(tools)
    ours = [tool for tool in given if _is_from_a_server(tool)]
    view = Toolset([_published(tool) for tool in ours]).normalize(target_in_langchain(target))
    log_problems(view)
    sent = {published: tool for tool, published in zip(view.tools, view.names, strict=True)}
    made: list[Any] = []
    for tool in given:
        if not _is_from_a_server(tool):
            made.append(tool)
        elif (form := sent.pop(tool.name, None)) is not None:
            made.append(_fitted(tool, form, view, mend))
    return made


def target_in_langchain(target: str | Target) -> Target:
    """A target as it is reached through LangChain, which inlines references and cuts recursive ones.

    A strict target has no optional parameters there. For views that are handed to `view_tools`; `fit_tools` uses it by
    itself. Raises UnknownTarget.
    """
    found = SHIPPED.target(target)
    own = [Fact(found.id, "ref-recursive", "dropped", "wider", _INLINED)]
    if found.fallback:
        own.append(Fact(found.id, "property-optional", "dropped", "narrower", _REQUIRED))
    return tightened(found, own)


def view_tools(view: ToolView, call: Caller | None = None, *, mend: Mend = "safe", **options: Any) -> list[Any]:
    """The tools of a view as LangChain tools.

    In: the view (of a list, or live); `call`, which calls a tool of the server by its published name with its own
    arguments (a live view calls by itself); `options` are arguments of StructuredTool (`tags`, `metadata`,
    `return_direct`, ...). Content and artifact are those of langchain-mcp-adapters. Raises TypeError where nobody could
    call.
    """
    calling = Calling(view, call, mend)
    published = published_names(view)
    return [_viewed(tool, published.get(tool.name), calling, options) for tool in view.tools]


def _viewed(sent: SentTool, published: str | None, calling: Calling, options: Mapping[str, Any]) -> Any:
    async def run(arguments: Any) -> tuple[Any, Any]:
        answer = await calling.outcome(sent.name, arguments)
        if answer.error:
            raise _refused(error_text(answer), _blocks(answer))
        artifact = None if answer.structured is None else {"structured_content": answer.structured}
        return _blocks(answer), artifact

    return FittedTool(
        **{
            **_form(sent),
            "coroutine": run,
            "response_format": "content_and_artifact",
            "handle_tool_error": _content_of,
            "metadata": {"published_name": published},
            **options,
        }
    )


def _form(sent: SentTool) -> _Record:
    return {"name": sent.name, "description": sent.description, "args_schema": parameters(sent)}


def _fitted(tool: Any, sent: SentTool, view: View, mend: Mend) -> Any:
    def restore(answer: Any) -> _Record:
        try:
            return view.restore(sent.name, answer, mend)[1].arguments
        except ToolglotError as error:
            raise _refused(str(error)) from None

    kept = {name: getattr(tool, name) for name in _StructuredTool.model_fields if hasattr(tool, name)}
    if not isinstance(tool, _StructuredTool):
        kept |= {"coroutine": _through(tool), "response_format": "content"}
    running = {name: run(kept[name], restore) for name, run in _RUNNERS.items() if kept.get(name)}
    return FittedTool(**{**kept, **_form(sent), **running, "handle_tool_error": _handler(tool.handle_tool_error)})


def _through(tool: Any) -> Callable[..., Any]:
    """A tool of a class of its own, called as everybody calls it."""

    async def call(**arguments: Any) -> Any:
        return await tool.ainvoke(arguments)

    return call


def _run(inner: Callable[..., Any], restore: _Restore) -> Callable[..., Any]:
    @wraps(inner)
    def run(arguments: Any, /, **injected: Any) -> Any:
        return inner(**{**restore(arguments), **injected})

    return run


def _arun(inner: Callable[..., Any], restore: _Restore) -> Callable[..., Any]:
    @wraps(inner)
    async def run(arguments: Any, /, **injected: Any) -> Any:
        return await inner(**{**restore(arguments), **injected})

    return run


_RUNNERS = {"func": _run, "coroutine": _arun}
"""`wraps` keeps what the framework reads off the function: which arguments it injects (`runtime`)."""


def _handler(own: Any) -> Callable[[Any], Any]:
    """What handles the errors of a tool: ours go to the model, others where the tool sent them before."""

    def handle(error: Any) -> Any:
        if isinstance(error, _Refused):
            return error.content
        if callable(own):
            return own(error)
        if not own:
            raise error
        return own if isinstance(own, str) else (str(error) or "Tool execution error")

    return handle


def _content_of(error: Any) -> Any:
    return error.content if isinstance(error, _Refused) else str(error)


def _named_parameters(function: Any) -> list[str]:
    """The parameters by name of the function behind a tool: the framework fills them, the model does not."""
    wrapped = getattr(function, "__wrapped__", None)
    if wrapped is None:
        return []
    kinds = (Parameter.POSITIONAL_OR_KEYWORD, Parameter.KEYWORD_ONLY)
    return [parameter.name for parameter in signature(wrapped).parameters.values() if parameter.kind in kinds]


def _is_json(value: Any) -> bool:
    return value is None or isinstance(value, (str, int, float, bool, dict, list))


def _is_from_a_server(tool: Any) -> bool:
    return isinstance(tool.args_schema, Mapping) and not isinstance(tool, FittedTool)


def _published(tool: Any) -> _Record:
    return {"name": tool.name, "description": tool.description, "inputSchema": tool.args_schema}


def _blocks(answer: Answered) -> list[_Record]:
    return [_block(part) for part in shown(answer)]


def _block(part: Shown) -> _Record:
    """A part as a content block of LangChain."""
    if not isinstance(part, Media):
        return {"type": "text", "text": part.text}
    kind = part.mime.partition("/")[0]
    block: _Record = {"type": kind if kind in ("image", "audio", "video") else "file", "mime_type": part.mime}
    return {**block, "base64": part.data} if part.data else {**block, "url": part.uri}
