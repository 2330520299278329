"""Names of models and providers as SDKs and frameworks write them."""

from __future__ import annotations

import pytest

from toolglot.fitting.models import explain_target_for, target_for
from toolglot.targets.load import SHIPPED

ROWS = [
    # Bare names of models.
    ("gpt-5.6", "openai-nonstrict"),
    ("GPT-4o", "openai-nonstrict"),
    ("o3", "openai-nonstrict"),
    ("o4-mini", "openai-nonstrict"),
    ("chatgpt-4o-latest", "openai-nonstrict"),
    ("ft:gpt-4o-mini:org::id", "openai-nonstrict"),
    ("claude-sonnet-4-5", "anthropic-nonstrict"),
    ("claude-3-5-sonnet@20240620", "anthropic-nonstrict"),
    ("gemini-3.7-flash", "gemini-parameters-json-schema"),
    ("models/gemini-3.7-flash", "gemini-parameters-json-schema"),
    ("mistral-large-latest", "mistral"),
    ("open-mixtral-8x22b", "mistral"),
    ("command-r-plus", "cohere"),
    ("deepseek-chat", "deepseek"),
    ("kimi-k2", "moonshot-kimi"),
    ("grok-4", "xai-grok"),
    ("qwen3-max", "qwen"),
    ("glm-4.6", "glm"),
    # With a provider in front.
    ("openai:gpt-5", "openai-nonstrict"),
    ("openai/gpt-5", "openai-nonstrict"),
    ("openai-responses:gpt-5", "openai-nonstrict"),
    ("azure/my-deployment", "openai-nonstrict"),
    ("azure_ai/claude-opus-4", "anthropic-nonstrict"),
    ("anthropic:claude-opus-4", "anthropic-nonstrict"),
    ("google-gla:gemini-3.7-flash", "gemini-parameters-json-schema"),
    ("google_genai:gemini-3.7-flash", "gemini-parameters-json-schema"),
    ("gemini/gemini-3.7-flash", "gemini-parameters-json-schema"),
    ("google-vertex:gemini-3.7-flash", "vertex-ai"),
    ("vertex_ai/gemini-3.7-flash", "vertex-ai"),
    ("projects/p/locations/us/publishers/google/models/gemini-3.7-flash", "vertex-ai"),
    ("vertex_ai/claude-sonnet-4@20250514", "anthropic-nonstrict"),
    ("vertex_ai/mistral-large-2411", "mistral"),
    ("google-vertex", "vertex-ai"),
    ("bedrock/anthropic.claude-3-5-sonnet-20241022-v2:0", "bedrock-converse-claude"),
    ("bedrock:us.anthropic.claude-sonnet-4-5-v1:0", "bedrock-converse-claude"),
    ("us.anthropic.claude-sonnet-4-5-v1:0", "bedrock-converse-claude"),
    ("arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-x", "bedrock-converse-claude"),
    ("amazon.nova-pro-v1:0", "bedrock-converse-nova"),
    ("bedrock/amazon.nova-pro-v1:0", "bedrock-converse-nova"),
    ("openrouter/anthropic/claude-sonnet-4-5", "openrouter"),
    ("openrouter:openai/gpt-5", "openrouter"),
    ("groq/llama-3.3-70b-versatile", "groq"),
    ("groq:openai/gpt-oss-120b", "groq"),
    ("ollama/llama3.2", "ollama"),
    ("ollama_chat/qwen3:8b", "ollama"),
    ("llama3.2:latest", "ollama"),
    ("qwen3:0.6b", "ollama"),
    ("gpt-oss:20b", "ollama"),
    ("hosted_vllm/meta-llama/Llama-3.3-70B", "vllm-xgrammar"),
    ("moonshotai/kimi-k2", "moonshot-kimi"),
    ("zai/glm-4.6", "glm"),
    ("dashscope/qwen-max", "qwen"),
    # A provider that nobody knows: the model counts.
    ("litellm_proxy/gpt-5", "openai-nonstrict"),
    ("github:openai/gpt-5", "openai-nonstrict"),
    # Providers, target ids and short names.
    ("openai", "openai-nonstrict"),
    ("anthropic", "anthropic-nonstrict"),
    ("google", "gemini-parameters-json-schema"),
    ("bedrock", "bedrock-converse-claude"),
    ("openai-strict", "openai-strict"),
    ("cursor", "cursor"),
    (" gemini ", "gemini-parameters-json-schema"),
    # Unknown.
    ("meta-llama/Llama-3.3-70B-Instruct", "portable"),
    ("bedrock/meta.llama3-70b", "portable"),
    ("gpt-oss-120b", "portable"),
    ("accounts/fireworks/models/firefunction-v2", "portable"),
    ("", "portable"),
    ("x" * 100_000, "portable"),
    ("a:" * 10_000, "portable"),
]


@pytest.mark.parametrize(("model", "expected"), ROWS, ids=[row[0][:60] for row in ROWS])
def test_a_model_has_a_target(model: str, expected: str) -> None:
    assert target_for(model).id == expected
    found, note = explain_target_for(model)
    assert found.id == expected
    assert note.endswith(".")


@pytest.mark.parametrize("row", SHIPPED.models)
def test_every_row_names_a_target_that_is_not_strict(row: str) -> None:
    assert row == row.lower()
    assert not SHIPPED.target(SHIPPED.models[row]).fallback


def test_an_unknown_model_is_noted() -> None:
    found = target_for("frobnicate-7")
    assert found.notes[0] == "No target is known for 'frobnicate-7': what all default targets take is used."
    assert found.facts == SHIPPED.target("portable").facts
    assert target_for("frobnicate-7") is found


def test_a_known_model_is_the_target_itself() -> None:
    assert target_for("gpt-5") is SHIPPED.target("openai-nonstrict")
