"""`explain`: the price of an adapter, for one schema or for a whole list of tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, overload

from toolglot.adk.adapters import SchemaAdapter, SteppedAdapter
from toolglot.adk.choose import TARGETS
from toolglot.adk.losses import Ledger, explain_schema
from toolglot.adk.lossless import LosslessSchemaAdapter
from toolglot.errors import ToolError
from toolglot.fitting.problem import Problem
from toolglot.schema.tool import BadTool, Listing, Tool, read_entries
from toolglot.targets.accept import Violation, accept
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Target


@dataclass(frozen=True, slots=True)
class ToolLedger:
    """One tool: its names, published and as the adapter writes it, and the ledger of its schema.

    `refused` is what the adapter's target has against the schema of no parameters that is sent for it.
    """

    tool: Tool
    name: str
    ledger: Ledger
    refused: tuple[Violation, ...] = ()


@dataclass(frozen=True, slots=True)
class ListLedger:
    """A list of tools: each with its ledger, in published order.

    `equal`: names of the adapter that stand for several published names. `problems`: entries that are no tools, or too
    large to be explained.
    """

    adapter: SchemaAdapter
    tools: tuple[ToolLedger, ...]
    equal: Mapping[str, tuple[str, ...]]
    problems: tuple[Problem, ...]


@overload
def explain(adapter: SchemaAdapter, schema: Mapping[str, Any] | bool) -> Ledger: ...
@overload
def explain(
    adapter: SchemaAdapter, schema: Listing | Iterable[Tool | Mapping[str, Any]]
) -> ListLedger: ...  # fmt: skip
def explain(adapter: SchemaAdapter, schema: Any) -> Ledger | ListLedger:
    """What an adapter loses.

    In: a published input schema, or a list of tools (mappings, Tool, or a Listing). Out: the ledger of the schema; for
    a list one for each tool, with the names that became equal and the empty schemas that the adapter's target refuses.
    Raises ToolError for a schema with more nodes than a tool may have; in a list such a tool is a problem.
    """
    if isinstance(schema, (Mapping, bool)):
        return explain_schema(adapter, schema)
    entries = schema.entries if isinstance(schema, Listing) else read_entries(schema)
    return _explain_list(adapter, entries)


def _explain_list(adapter: SchemaAdapter, entries: Iterable[Tool | BadTool]) -> ListLedger:
    found: list[ToolLedger] = []
    problems: list[Problem] = []
    for place, entry in enumerate(entries):
        try:
            if isinstance(entry, BadTool):
                raise ToolError(entry.name, entry.pointer, entry.problem, hint=entry.hint)
            found.append(_explain_tool(adapter, entry))
        except ToolError as error:
            problems.append(Problem(entry.name, place, f"{error.message}. {error.hint}".rstrip()))
    return ListLedger(adapter, tuple(found), _equal(found), tuple(problems))


def _explain_tool(adapter: SchemaAdapter, tool: Tool) -> ToolLedger:
    ledger = explain_schema(adapter, adapter.empty_schema() if tool.input_schema is None else tool.input_schema)
    return ToolLedger(tool, adapter.normalize_tool_name(tool.name), ledger, _refused(adapter, ledger))


def _refused(adapter: SchemaAdapter, ledger: Ledger) -> tuple[Violation, ...]:
    """What the target has against a schema without parameters: the adapters send one wherever a tool has none."""
    target = _target(adapter)
    sent = ledger.normalized
    if target is None or not isinstance(sent, dict) or sent.get("properties"):  # pyright: ignore[reportUnknownMemberType]
        return ()
    found = accept({"name": "tool", "description": "A tool.", "inputSchema": sent}, target)
    return tuple(one for one in found if one.what in _EMPTY)


_EMPTY = ("root-no-parameters", "root-properties-missing", "object-empty")


def _target(adapter: SchemaAdapter) -> Target | None:
    if isinstance(adapter, LosslessSchemaAdapter):
        return adapter.target
    return SHIPPED.target(TARGETS[adapter]) if isinstance(adapter, SteppedAdapter) and adapter in TARGETS else None


def _equal(tools: Iterable[ToolLedger]) -> dict[str, tuple[str, ...]]:
    by_name: dict[str, list[str]] = {}
    for one in tools:
        by_name.setdefault(one.name, []).append(one.tool.name)
    return {name: tuple(published) for name, published in by_name.items() if len(published) > 1}
