"""One complex tool through every adapter of ADK-Rust, side by side, and through the way out. No key, no network.

python examples/schema_normalization.py
"""

from __future__ import annotations

import json
from typing import Any

from toolglot import adk

TOOL: dict[str, Any] = {
    "name": "set_field",
    "description": "Stores a value in a field of an entry.",
    "inputSchema": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "type": "object",
        "required": ["entry", "value"],
        "properties": {
            "entry": {"$ref": "#/definitions/id"},
            "value": {
                "oneOf": [
                    {
                        "type": "object",
                        "required": ["type", "text"],
                        "properties": {"type": {"const": "text"}, "text": {"type": "string", "maxLength": 200}},
                    },
                    {
                        "type": "object",
                        "required": ["type", "asset_id"],
                        "properties": {"type": {"const": "asset"}, "asset_id": {"type": ["integer", "null"]}},
                    },
                ]
            },
            "labels": {"type": "object", "additionalProperties": {"type": "string"}},
        },
        "definitions": {"id": {"type": "string", "format": "uuid"}},
    },
}
ADAPTERS: tuple[adk.SchemaAdapter, ...] = (
    adk.GeminiSchemaAdapter(),
    adk.GeminiSchemaAdapter.vertex_ai(),
    adk.GeminiSchemaAdapter.json_schema(),
    adk.OpenAiStrictSchemaAdapter(),
    adk.OpenAiSchemaAdapter(),
    adk.AnthropicSchemaAdapter(),
    adk.GenericSchemaAdapter(),
)
CALL = {
    "entry": "0b54a1f2-6a5e-4d0c-8d2c-2f6a1f3f9a10",
    "value": {"type": "asset", "asset_id": 549895},
    "labels": {"en": "Front"},
}


def show(adapter: adk.SchemaAdapter) -> None:
    """Print what an adapter sends under which member, what that costs, and whether the call can still be said."""
    ledger = adk.explain(adapter, TOOL["inputSchema"])
    print(f"\n{adapter!r}: {adapter.parameters_field()}")
    print(f"  {json.dumps(ledger.normalized)}")
    for loss in ledger:
        print(f"  {loss.pointer or '(root)'}: {loss.values}; {loss.reason}")
    print(f"  the call can {'no longer be said' if ledger.loses(CALL) else 'be said'}")


def main() -> None:
    """Show every adapter, then the way out."""
    print(f"published: {json.dumps(TOOL['inputSchema'])}")
    print(f"a call:    {json.dumps(CALL)}")
    for adapter in ADAPTERS:
        show(adapter)
    adapter = adk.lossless("gemini-parameters")
    show(adapter)
    answer = adapter.normalized(TOOL["inputSchema"]).encode(CALL)
    print(f"  a model would say:    {json.dumps(answer)}")
    print(f"  the server would get: {json.dumps(adapter.restore(TOOL, answer).arguments)}")


if __name__ == "__main__":
    main()
