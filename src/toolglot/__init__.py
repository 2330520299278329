"""toolglot: make the tools of an MCP server work with every model provider and every MCP client.

The public names. They load when first used: `import toolglot` costs next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolglot.contract.check import check
    from toolglot.contract.entries import Baseline, load_baseline
    from toolglot.contract.model import Finding, Report
    from toolglot.errors import (
        ArgumentError,
        ArgumentsError,
        CallError,
        ConfigError,
        SourceError,
        ToolError,
        ToolglotError,
        UnknownTarget,
        UnknownTool,
    )
    from toolglot.fitting.ledger import Entry
    from toolglot.fitting.models import target_for
    from toolglot.fitting.normalized import Normalized, normalize
    from toolglot.fitting.published import Restored
    from toolglot.fitting.toolset import Toolset
    from toolglot.fitting.typed import FieldValue, TypedValue, ValueRefused, typed_value
    from toolglot.mcp.live.blocking import connect_sync
    from toolglot.mcp.live.connection import connect
    from toolglot.mcp.publishing.hooking import publish
    from toolglot.schema.tool import Listing, Tool
    from toolglot.targets.accept import accept
    from toolglot.targets.load import target
    from toolglot.targets.model import Target

__version__ = "0.1.0"

_HOMES = {
    "normalize": "fitting.normalized",
    "Normalized": "fitting.normalized",
    "Toolset": "fitting.toolset",
    "target_for": "fitting.models",
    "Restored": "fitting.published",
    "Entry": "fitting.ledger",
    "ArgumentError": "errors",
    "ArgumentsError": "errors",
    "publish": "mcp.publishing.hooking",
    "typed_value": "fitting.typed",
    "TypedValue": "fitting.typed",
    "FieldValue": "fitting.typed",
    "ValueRefused": "fitting.typed",
    "check": "contract.check",
    "Baseline": "contract.entries",
    "load_baseline": "contract.entries",
    "Finding": "contract.model",
    "Report": "contract.model",
    "CallError": "errors",
    "ConfigError": "errors",
    "SourceError": "errors",
    "ToolError": "errors",
    "ToolglotError": "errors",
    "UnknownTarget": "errors",
    "UnknownTool": "errors",
    "Listing": "schema.tool",
    "Tool": "schema.tool",
    "connect": "mcp.live.connection",
    "connect_sync": "mcp.live.blocking",
    "accept": "targets.accept",
    "target": "targets.load",
    "Target": "targets.model",
}

__all__ = [
    "ArgumentError",
    "ArgumentsError",
    "Baseline",
    "CallError",
    "ConfigError",
    "Entry",
    "FieldValue",
    "Finding",
    "Listing",
    "Normalized",
    "Report",
    "Restored",
    "SourceError",
    "Target",
    "Tool",
    "ToolError",
    "ToolglotError",
    "Toolset",
    "TypedValue",
    "UnknownTarget",
    "UnknownTool",
    "ValueRefused",
    "__version__",
    "accept",
    "check",
    "connect",
    "connect_sync",
    "load_baseline",
    "normalize",
    "publish",
    "target",
    "target_for",
    "typed_value",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'toolglot' has no attribute {name!r}")
    return getattr(import_module(f"toolglot.{_HOMES[name]}"), name)
