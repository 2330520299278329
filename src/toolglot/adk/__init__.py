"""The schema adapters of ADK-Rust, with the price of each: the same names, the same answers, and what they lose."""

from toolglot.adk.adapters import (
    AnthropicSchemaAdapter,
    GeminiSchemaAdapter,
    GenericSchemaAdapter,
    OpenAiSchemaAdapter,
    OpenAiStrictSchemaAdapter,
    SchemaAdapter,
)

__all__ = [
    "AnthropicSchemaAdapter",
    "GeminiSchemaAdapter",
    "GenericSchemaAdapter",
    "OpenAiSchemaAdapter",
    "OpenAiStrictSchemaAdapter",
    "SchemaAdapter",
]
