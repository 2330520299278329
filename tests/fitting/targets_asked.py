"""Which targets a case runs on: the ones it names, by our ids, and the ones that every case runs on."""

from __future__ import annotations

from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Target

ALWAYS = (
    *("gemini-parameters", "openai-strict", "anthropic-strict", "langflow", "moonshot-kimi", "portable"),
    "portable-strict",
)

NAMED: dict[str, str] = {
    "agent-framework": "portable",
    "all": "portable",
    "anthropic": "anthropic-nonstrict",
    "bedrock": "bedrock-converse-claude",
    "codex": "codex-cli",
    "fastmcp": "mcp-python-sdk",
    "flowise": "portable",
    "freebuff": "portable",
    "gemini": "gemini-parameters-json-schema",
    "google-genai": "gemini-parameters",
    "langchain": "langchain-mcp-adapters",
    "langchain4j": "portable",
    "litellm": "portable",
    "llama.cpp": "llama-cpp-server",
    "lm-studio": "llama-cpp-server",
    "mastra": "portable",
    "mcp-inspector": "portable",
    "moonshot": "moonshot-kimi",
    "nemo-agent-toolkit": "portable",
    "openai": "openai-nonstrict",
    "openai-agents": "openai-strict",
    "openclaw": "portable",
    "openhands": "portable",
    "spring-ai": "portable",
    "uxc": "portable",
    "vertex": "vertex-ai",
    "vllm": "vllm-xgrammar",
    "xai": "xai-grok",
}
"""What the cases call a target, and ours; a name without a counterpart runs on `portable`."""


def targets_of(names: list[str]) -> list[str]:
    """The ids that these names stand for, and those of every case, each once."""
    named = [NAMED.get(name, name) for name in names]
    return list(dict.fromkeys([*named, *ALWAYS]))


def signature(target: Target) -> tuple[object, ...]:
    """What normalising depends on: targets with equal signatures give equal results."""
    limits = tuple(sorted((limit.name, limit.value, limit.effect) for limit in target.tool_limits))
    formats = target.facts["format"].allow if "format" in target.facts else ()
    statuses = tuple(sorted((fact.feature, fact.status, fact.effect) for fact in target.facts.values() if fact.refuses))
    return (target.refuses, formats, statuses, limits, _rule(target.tool_name), _rule(target.property_name))


def _rule(rule: object) -> tuple[object, ...]:
    names = ("pattern", "max", "unit", "prefix", "reserved", "effect")
    return tuple(getattr(rule, name) for name in names) if rule is not None else ()


def distinct_targets() -> list[Target]:
    """Every shipped target, those that ask for the same once."""
    found: dict[tuple[object, ...], Target] = {}
    for name in SHIPPED.ids:
        target = SHIPPED.target(name)
        found.setdefault(signature(target), target)
    return list(found.values())
