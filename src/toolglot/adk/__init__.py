"""The schema adapters of ADK-Rust, with the price of each: the same names, the same answers, and what they lose."""

from toolglot.adk import schema_utils
from toolglot.adk.adapters import (
    AnthropicSchemaAdapter,
    GeminiSchemaAdapter,
    GenericSchemaAdapter,
    OpenAiSchemaAdapter,
    OpenAiStrictSchemaAdapter,
    SchemaAdapter,
)
from toolglot.adk.cache import SchemaCache
from toolglot.adk.choose import schema_adapter
from toolglot.adk.explained import ListLedger, ToolLedger, explain
from toolglot.adk.losses import Ledger, Loss
from toolglot.adk.lossless import LosslessSchemaAdapter, lossless

__all__ = [
    "AnthropicSchemaAdapter",
    "GeminiSchemaAdapter",
    "GenericSchemaAdapter",
    "Ledger",
    "ListLedger",
    "Loss",
    "LosslessSchemaAdapter",
    "OpenAiSchemaAdapter",
    "OpenAiStrictSchemaAdapter",
    "SchemaAdapter",
    "SchemaCache",
    "ToolLedger",
    "explain",
    "lossless",
    "schema_adapter",
    "schema_utils",
]
