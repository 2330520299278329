"""pydantic-ai: any toolset in the form of a target, and the tools of any view as a toolset.

Source: pypi pydantic-ai-slim==2.68.0: pydantic_ai/toolsets/wrapper.py, pydantic_ai/tool_manager.py, pydantic_ai/mcp.py.
"""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from typing import TYPE_CHECKING, Any

from toolglot.errors import ToolglotError
from toolglot.fitting.models import target_for
from toolglot.providers.form import parameters
from toolglot.providers.frameworks.common import (
    Caller,
    Calling,
    Views,
    error_text,
    needed,
    published_names,
    strict_of,
    tightened,
)
from toolglot.providers.outcomes import media
from toolglot.providers.parts import Answered, Media, Shown
from toolglot.targets.load import PORTABLE, SHIPPED
from toolglot.targets.model import Fact, Proof

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.toolset import View
    from toolglot.fitting.toolview import SentTool, ToolView
    from toolglot.targets.model import Target

EXTRA = "pydantic-ai"

_root: Any = needed("pydantic_ai", EXTRA)
_tools: Any = needed("pydantic_ai.tools", EXTRA)
_toolsets: Any = needed("pydantic_ai.toolsets", EXTRA)
_abstract: Any = needed("pydantic_ai.toolsets.abstract", EXTRA)
_core: Any = needed("pydantic_core", EXTRA)

_AbstractToolset: Any = _toolsets.AbstractToolset
_WrapperToolset: Any = _toolsets.WrapperToolset
_ToolsetTool: Any = _abstract.ToolsetTool

_ANY: Any = _core.SchemaValidator(_core.core_schema.any_schema())

__all__ = ["FittedToolset", "ViewToolset", "target_in_pydantic_ai", "target_of"]

_TRANSFORMED = Proof(
    source="pypi anthropic==2.14.0: anthropic/lib/_parse/_transform.py; "
    "pypi pydantic-ai-slim==2.68.0: pydantic_ai/providers/anthropic.py",
    evidence="observed",
    seen=date(2026, 12, 1),
    note="Strict schemas go through transform_schema, which raises, or drops what it does not know.",
)
_ON_THE_ROAD = {
    "anthropic-strict": (
        *("type-list", "type-list-null", "untyped", "untyped-properties", "boolean-schema", "enum-structured"),
        *("ref-definitions", "ref-to-root", "ref-other", "ref-siblings", "defs-nested"),
    )
}
"""What the road to a target does not take, by target, beside what the target itself does not."""


@dataclass
class FittedToolset(_WrapperToolset):
    """A toolset that shows the tools of another one in the form of a target.

    In: the toolset (`MCPToolset`, or any other, wrapped or not); `target`, or None for the target of the run's model
    (strict ones are never chosen); `mend` as in `View.restore`. Schemas, names and `strict` are those of the target.
    Arguments are restored when the framework validates them, so hooks, approvals and the tool see the server's shape.
    Wrong ones raise ModelRetry with words for the model. Tools that run elsewhere (kind `external`) stay as they are.
    Put it outside of filters and prefixes, so that it sees the tools as they are sent.
    """

    wrapped: Any
    target: str | Target | None = None
    mend: Mend = "safe"
    views: Views = field(default_factory=Views, repr=False, compare=False)

    async def get_tools(self, ctx: Any) -> dict[str, Any]:
        """The tools of the wrapped toolset, fitted, in its order."""
        found: dict[str, Any] = await self.wrapped.get_tools(ctx)
        wanted = self.target if self.target is not None else target_of(ctx.model)
        ours = [_published(name, tool.tool_def) for name, tool in found.items() if not _runs_elsewhere(tool)]
        view = self.views.view(ours, wanted, target_in_pydantic_ai)
        sent = {tool.name: tool for tool in view.tools}
        made: dict[str, Any] = {}
        for name, tool in found.items():
            if _runs_elsewhere(tool):
                made[name] = tool
            elif name in view.names:
                made[view.names[name]] = self._fitted(name, tool, sent[view.names[name]], view)
        return made

    def _fitted(self, name: str, tool: Any, sent: SentTool, view: View) -> Any:
        return _FittedTool(
            toolset=self,
            tool_def=_definition(tool.tool_def, sent),
            max_retries=tool.max_retries,
            args_validator=_Restoring(view, sent.name, tool.args_validator, self.mend),
            args_validator_func=tool.args_validator_func,
            source=tool,
            source_name=name,
        )

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        """Call the wrapped toolset's tool under its own name. The arguments are restored already."""
        if isinstance(tool, _FittedTool):
            name, tool = tool.source_name, tool.source
            ctx = replace(ctx, tool_name=name)
        return await self.wrapped.call_tool(name, tool_args, ctx, tool)


@dataclass(kw_only=True)
class _FittedTool(_ToolsetTool):
    """A fitted tool with the one it was made from."""

    source: Any
    source_name: str


@dataclass(frozen=True, slots=True)
class _Restoring:
    """What validates the arguments of one tool: restores them, then lets the tool's own validator see them."""

    view: View
    name: str
    inner: Any
    mend: Mend

    def validate_json(self, input: str | bytes | bytearray, *, allow_partial: Any = False, **more: Any) -> Any:
        """The server's arguments for JSON text. Raises ModelRetry."""
        if allow_partial not in (False, "off"):
            return self.inner.validate_json(input, allow_partial=allow_partial, **more)
        text = input if isinstance(input, str) else bytes(input).decode("utf-8", "replace")
        return self._restored(text, more)

    def validate_python(self, input: Any, *, allow_partial: Any = False, **more: Any) -> Any:
        """The server's arguments for a mapping. Raises ModelRetry."""
        if allow_partial not in (False, "off"):
            return self.inner.validate_python(input, allow_partial=allow_partial, **more)
        return self._restored(input, more)

    def _restored(self, answer: Any, more: Mapping[str, Any]) -> Any:
        try:
            _, restored = self.view.restore(self.name, answer, self.mend)
        except ToolglotError as error:
            raise _root.ModelRetry(str(error)) from error
        return self.inner.validate_python(restored.arguments, **more)


class ViewToolset(_AbstractToolset):
    """The tools of a view as a toolset.

    In: the view (of a list, or live); `call`, which calls a tool of the server by its published name with its own
    arguments (a live view calls by itself); `id`, `max_retries` as in MCPToolset; `mend` as in `View.restore`.
    Wrong arguments, and results that are errors, raise ModelRetry. Raises TypeError where nobody could call.
    """

    def __init__(
        self,
        view: ToolView,
        call: Caller | None = None,
        *,
        id: str | None = None,
        max_retries: int | None = None,
        mend: Mend = "safe",
    ) -> None:
        self.view = view
        self.max_retries = max_retries
        self._calling = Calling(view, call, mend)
        self._id = id

    @property
    def id(self) -> str | None:
        """The id that was given."""
        return self._id

    async def get_tools(self, ctx: Any) -> dict[str, Any]:
        """The tools of the view, as it is now."""
        retries = self.max_retries if self.max_retries is not None else ctx.max_retries
        published = published_names(self.view)
        made: dict[str, Any] = {}
        for sent in self.view.tools:
            blank = _tools.ToolDefinition(name=sent.name, metadata={"published_name": published.get(sent.name)})
            definition = _definition(blank, sent)
            made[sent.name] = _ToolsetTool(
                toolset=self, tool_def=definition, max_retries=retries, args_validator=_ANY, args_validator_func=None
            )
        return made

    async def call_tool(self, name: str, tool_args: dict[str, Any], ctx: Any, tool: Any) -> Any:
        """Restore, call, and what came back as MCPToolset gives it. Raises ModelRetry for an error."""
        answer = await self._calling.outcome(name, tool_args)
        if answer.error:
            raise _root.ModelRetry(error_text(answer))
        return _returned(answer)


def target_in_pydantic_ai(target: str | Target) -> Target:
    """A target as it is reached through pydantic-ai, which hands strict schemas for Anthropic to that SDK's own writer.

    For views that are handed to ViewToolset; FittedToolset uses it by itself. Raises UnknownTarget.
    """
    found = SHIPPED.target(target)
    features = _ON_THE_ROAD.get(found.id, ())
    return tightened(found, [Fact(found.id, name, "rejected", "refused", _TRANSFORMED) for name in features])


def target_of(model: Any) -> Target:
    """The target that a model of pydantic-ai stands for; `portable` where its fallbacks need different ones."""
    several = getattr(model, "models", None)
    if several:
        found = {target.id: target for target in map(target_of, several)}
        return next(iter(found.values())) if len(found) == 1 else SHIPPED.target(PORTABLE)
    return target_for(f"{model.system}:{model.model_name}")


def _runs_elsewhere(tool: Any) -> bool:
    return tool.tool_def.kind == "external"


def _published(name: str, definition: Any) -> dict[str, Any]:
    return {
        "name": name,
        "description": definition.description or "",
        "inputSchema": definition.parameters_json_schema,
    }


def _definition(definition: Any, sent: SentTool) -> Any:
    return replace(
        definition,
        name=sent.name,
        description=sent.description if sent.description.strip() else None,
        parameters_json_schema=parameters(sent),
        strict=strict_of(sent),
    )


def _returned(answer: Answered) -> Any:
    """A result as MCPToolset maps it: structured content beside texts alone, else text and files."""
    if answer.structured is not None and not media(answer):
        return answer.structured
    found = [_content(part) for part in answer.parts]
    return found[0] if len(found) == 1 else found


def _content(part: Shown) -> Any:
    if not isinstance(part, Media):
        return part.text
    if not part.data:
        return part.uri
    return _root.BinaryContent(data=b64decode(part.data), media_type=part.mime)
