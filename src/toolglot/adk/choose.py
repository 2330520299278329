"""Which adapter a model, a provider or an SDK client gets, and which target an adapter is meant for."""

from __future__ import annotations

from typing import Any

from toolglot.adk.adapters import (
    AnthropicSchemaAdapter,
    GeminiSchemaAdapter,
    GenericSchemaAdapter,
    OpenAiSchemaAdapter,
    OpenAiStrictSchemaAdapter,
    SchemaAdapter,
)
from toolglot.fitting.models import target_for

ADAPTERS: dict[str, SchemaAdapter] = {
    "gemini": GeminiSchemaAdapter(),
    "gemini-vertex": GeminiSchemaAdapter.vertex_ai(),
    "gemini-json": GeminiSchemaAdapter.json_schema(),
    "openai-strict": OpenAiStrictSchemaAdapter(),
    "openai": OpenAiSchemaAdapter(),
    "anthropic": AnthropicSchemaAdapter(),
    "generic": GenericSchemaAdapter(),
}
"""Every adapter, by a short name."""

TARGETS: dict[SchemaAdapter, str] = {
    ADAPTERS["gemini"]: "gemini-parameters",
    ADAPTERS["gemini-vertex"]: "vertex-ai",
    ADAPTERS["gemini-json"]: "gemini-parameters-json-schema",
    ADAPTERS["openai-strict"]: "openai-strict",
    ADAPTERS["openai"]: "openai-nonstrict",
    ADAPTERS["anthropic"]: "anthropic-nonstrict",
}
"""The target whose requests an adapter is meant for; the generic one has none."""

_BY_TARGET = {
    **{target: adapter for adapter, target in TARGETS.items()},
    "azure-openai": ADAPTERS["openai"],
    "anthropic-strict": ADAPTERS["anthropic"],
}

_MODEL_TARGETS = {"gemini-parameters-json-schema": ADAPTERS["gemini"]}
"""ADK-Rust gives a Gemini model the adapter for `parameters`; who wants `parametersJsonSchema` says so."""

_SDK_MODULES: tuple[tuple[str, SchemaAdapter], ...] = (
    ("google.genai", ADAPTERS["gemini"]),
    ("google.generativeai", ADAPTERS["gemini"]),
    ("vertexai", ADAPTERS["gemini-vertex"]),
    ("openai", ADAPTERS["openai"]),
    ("anthropic", ADAPTERS["anthropic"]),
)


def schema_adapter(model_or_provider: Any) -> SchemaAdapter:
    """The adapter for a model name, a provider name, a target id, or a client object of an official SDK.

    "gemini-3.7-flash", "openai:gpt-5", "anthropic" and `openai.OpenAI()` are understood. What is not known (Ollama,
    DeepSeek, ...) gets GenericSchemaAdapter, as in ADK-Rust. No SDK is imported.
    """
    if not isinstance(model_or_provider, str):
        return _for_client(model_or_provider)
    target = target_for(model_or_provider).id
    table = _BY_TARGET if model_or_provider == target else {**_BY_TARGET, **_MODEL_TARGETS}
    return table.get(target, ADAPTERS["generic"])


def _for_client(client: Any) -> SchemaAdapter:
    modules = [kind.__module__ for kind in type(client).__mro__]
    for name, adapter in _SDK_MODULES:
        if any(module == name or module.startswith(f"{name}.") for module in modules):
            on_vertex = adapter == ADAPTERS["gemini"] and getattr(client, "vertexai", False) is True
            return ADAPTERS["gemini-vertex"] if on_vertex else adapter
    return ADAPTERS["generic"]
