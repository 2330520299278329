"""The tools of a list as a schema adapter makes them: ADK-Rust's adapters, and those that users write themselves."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass
from dataclasses import field as member
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

from toolglot.adk.choose import TARGETS
from toolglot.adk.lossless import LosslessSchemaAdapter
from toolglot.errors import ToolError, UnknownTool
from toolglot.fitting.codec import IDENTITY
from toolglot.fitting.names import wire_name
from toolglot.fitting.normalized import Normalized
from toolglot.fitting.problem import Problem
from toolglot.fitting.published import Published
from toolglot.fitting.refusals import explain
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import NameRule, Proof, Target

if TYPE_CHECKING:
    from toolglot.adk.adapters import SchemaAdapter
    from toolglot.adk.cache import SchemaCache
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.published import Restored
    from toolglot.fitting.refusals import Refusal
    from toolglot.fitting.toolset import Toolset
    from toolglot.schema.tool import Tool

_NAMES = NameRule(Proof("the adapter", "inferred"), "[A-Za-z0-9_.-]+", 64)
"""For a name that the adapter gave to two tools: the later one gets our own form."""


@dataclass(frozen=True, slots=True)
class AdaptedTool:
    """One tool as an adapter sends it. Nothing is re-shaped reversibly: `toolglot.adk.explain` says what is lost."""

    name: str
    description: str
    schema: Mapping[str, Any] | None
    field: str
    target: Target = member(repr=False)
    form: Normalized = member(repr=False)

    @property
    def published(self) -> str:
        """The published name."""
        return self.form.published.tool.name


@dataclass(frozen=True, slots=True, eq=False)
class AdaptedView:
    """The tools of a list as an adapter makes them; see `toolglot.fitting.toolview.ToolView`."""

    target: Target
    tools: tuple[AdaptedTool, ...]
    problems: tuple[Problem, ...]
    notes: tuple[Problem, ...]
    names: Mapping[str, str]
    _by_wire: Mapping[str, AdaptedTool] = member(repr=False)

    def restore(self, name: str, answer: Any, mend: Mend = "safe") -> tuple[str, Restored]:
        """The published name and the arguments, checked against the published schema.

        Raises UnknownTool, ArgumentsError.
        """
        found = self._by_wire.get(name) or self._by_wire.get(self.names.get(name, ""))
        if found is None:
            raise UnknownTool(name, get_close_matches(name[:200], self._by_wire, 3))
        return found.published, found.form.restore(answer, mend)

    def encode(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """The wire name; the arguments stay as they are. Raises UnknownTool."""
        if name not in self.names:
            raise UnknownTool(name, get_close_matches(name[:200], self.names, 3))
        return self.names[name], arguments

    def explain(self, error: BaseException | str) -> tuple[Refusal, ...]:
        """What a provider refused of these tools, see `View.explain`."""
        return explain(error, self)


def adapt(toolset: Toolset, cache: SchemaCache) -> AdaptedView:
    """The view of a list through the adapter of a cache. A tool that the adapter fails on is a problem."""
    adapter = cache.adapter
    target = target_of(adapter)
    tools: list[AdaptedTool] = []
    problems: list[Problem] = list(toolset.problems)
    taken: set[str] = set()
    for tool in toolset.tools:
        try:
            tools.append(_adapted(tool, _name(adapter, tool, taken), cache, target))
            taken.add(tools[-1].name)
        except Exception as error:  # the adapter may be the user's own
            said = error.message if isinstance(error, ToolError) else f"{type(error).__name__}: {error}"
            problems.append(Problem(tool.name, tool.index, f"is not sent: the adapter failed with {said}"))
    return AdaptedView(
        target=target,
        tools=tuple(tools),
        problems=tuple(problems),
        notes=(),
        names={tool.published: tool.name for tool in tools},
        _by_wire={tool.name: tool for tool in tools},
    )


def _adapted(tool: Tool, name: str, cache: SchemaCache, target: Target) -> AdaptedTool:
    adapter = cache.adapter
    schema = _checked(adapter.empty_schema() if tool.input_schema is None else cache.normalize(tool.input_schema))
    form = Normalized(Published(tool), target, name, tool.description, schema, (), IDENTITY)
    return AdaptedTool(name, tool.description, schema, adapter.parameters_field(), target, form)


def _checked(schema: Any) -> Mapping[str, Any] | None:
    if schema is None or isinstance(schema, Mapping):
        return cast("Mapping[str, Any] | None", schema)
    raise TypeError(f"a schema must be a mapping, not {type(schema).__name__}")


def _name(adapter: SchemaAdapter, tool: Tool, taken: Container[str]) -> str:
    """The adapter's name for a tool; of two tools that it gives one name the later gets another."""
    name, other = adapter.normalize_tool_name(tool.name), tool.name
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]: the adapter may be the user's own
        raise TypeError(f"a name must be a text, not {type(name).__name__}")
    while name in taken:
        other += " "  # no legal name, so that it gets our own form
        name = wire_name(other, _NAMES)
    return name


def target_of(adapter: SchemaAdapter) -> Target:
    """The target that an adapter is meant for; for one that is not known, a target about which nothing is known."""
    if isinstance(adapter, LosslessSchemaAdapter):
        return adapter.target
    known = next((target for one, target in TARGETS.items() if one == adapter), None)
    if known is not None:
        return SHIPPED.target(known)
    name = type(adapter).__name__
    return Target(id=name, title=name, kind="api", field=adapter.parameters_field(), failure="unknown")
