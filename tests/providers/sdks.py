"""The real SDKs, each asked the same way: tools and messages in, its own answer (or its events) out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from loopback import Wire
from wire_openai import CHAT, COMPATIBLE, MISTRAL, RESPONSES
from wire_others import ANTHROPIC, BEDROCK, GOOGLE, OLLAMA

from toolglot.providers.conversation import form_of
from toolglot.providers.form import Form

Request = Callable[[str, Any, Any, bool], Any]


def sdk(name: str) -> Any:
    """An SDK; the test is skipped where it is not installed."""
    return pytest.importorskip(name, reason=f"the SDK {name} is not installed (make accept installs it)")


OBJECTS = ("anthropic", "bedrock")
"""Providers whose plain answers hold arguments as an object; their streams bring text."""


@dataclass(frozen=True)
class Case:
    """A provider for a target: how its SDK asks, and how its server speaks.

    `id` is an id of a call as this provider makes it, "" where it gives none.
    """

    provider: str
    target: str
    wire: Wire
    request: Request
    id: str = "call_{}"
    said: Callable[[str], Any] = lambda text: {"role": "user", "content": text}

    def can_break(self, stream: bool) -> bool:
        """Whether arguments travel as text, so that a model's broken JSON arrives."""
        return self.provider not in ("google_genai", "ollama") and (stream or self.provider not in OBJECTS)

    @property
    def form(self) -> Form:
        return form_of(self.provider)

    def user(self, text: str) -> Any:
        """A message of the user."""
        return self.said(text)

    def ask(self, url: str, tools: Any, messages: Any, stream: bool = False) -> Any:
        """The SDK's answer; the list of its events for a stream."""
        return self.request(url, tools, messages, stream)


def _given(**members: Any) -> dict[str, Any]:
    """The members that are not empty: SDKs and servers refuse empty lists."""
    return {name: value for name, value in members.items() if value}


def openai_chat(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    with sdk("openai").OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        found = client.chat.completions.create(model="m", messages=messages, stream=stream, **_given(tools=tools))
        return list(found) if stream else found


def openai_responses(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    with sdk("openai").OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0) as client:
        found = client.responses.create(model="m", input=messages, stream=stream, **_given(tools=tools))
        return list(found) if stream else found


def azure(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    azure = sdk("openai").AzureOpenAI
    with azure(azure_endpoint=url, api_key="none", api_version="2025-04-01-preview", max_retries=0) as client:
        found = client.chat.completions.create(model="m", messages=messages, stream=stream, **_given(tools=tools))
        return list(found) if stream else found


def groq(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    with sdk("groq").Groq(base_url=url, api_key="none", max_retries=0) as client:
        found = client.chat.completions.create(model="m", messages=messages, stream=stream, **_given(tools=tools))
        return list(found) if stream else found


def anthropic(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    with sdk("anthropic").Anthropic(base_url=url, api_key="none", max_retries=0) as client:
        more = _given(tools=tools)
        found = client.messages.create(model="m", max_tokens=99, messages=messages, stream=stream, **more)
        return list(found) if stream else found


def google(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    genai = sdk("google.genai")
    return _google(genai.Client(api_key="none", http_options={"base_url": url}), tools, messages, stream)


def vertex(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    genai = sdk("google.genai")
    nobody = sdk("google.oauth2.credentials").Credentials("none")
    client = genai.Client(vertexai=True, project="p", location="l", credentials=nobody, http_options={"base_url": url})
    return _google(client, tools, messages, stream)


def _google(client: Any, tools: Any, messages: Any, stream: bool) -> Any:
    config = {"automatic_function_calling": {"disable": True}, **_given(tools=tools)}
    with client:
        if stream:
            return list(client.models.generate_content_stream(model="m", contents=messages, config=config))
        return client.models.generate_content(model="m", contents=messages, config=config)


def bedrock(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    config = sdk("botocore.config").Config(retries={"total_max_attempts": 1})
    keys = {"aws_access_key_id": "none", "aws_secret_access_key": "none"}
    client = sdk("boto3").client("bedrock-runtime", "us-east-1", endpoint_url=url, config=config, **keys)
    try:
        ask = client.converse_stream if stream else client.converse
        found = ask(modelId="m", messages=messages, **_given(toolConfig=_given(tools=tools)))
        return list(found["stream"]) if stream else found
    finally:
        client.close()


def mistral(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    with sdk("mistralai.client").Mistral(api_key="none", server_url=url) as client:
        ask = client.chat.stream if stream else client.chat.complete
        found = ask(model="m", messages=messages, **_given(tools=tools))
        return list(found) if stream else found


def ollama(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    client = sdk("ollama").Client(url)
    try:
        found = client.chat("m", messages, tools=tools, stream=stream)
        return list(found) if stream else found
    finally:
        client.close()


def blocks(text: str) -> Any:
    return {"role": "user", "content": [{"text": text}]}


def parts(text: str) -> Any:
    return {"role": "user", "parts": [{"text": text}]}


OPENAI = ("openai-nonstrict", "openai-strict")
ENDPOINTS = (
    "openrouter",
    "xai-grok",
    "deepseek",
    "deepseek-strict",
    "moonshot-kimi",
    "llama-cpp-server",
    "vllm-xgrammar",
    "gemini-openai-compat",
    "qwen",
    "glm",
)
BEDROCK_MODELS = ("bedrock-converse-claude", "bedrock-converse-nova")
GEMINI = ("gemini-parameters", "gemini-parameters-json-schema")

CASES = (
    *(Case("openai_chat", target, CHAT, openai_chat) for target in OPENAI),
    *(Case("openai_responses", target, RESPONSES, openai_responses) for target in OPENAI),
    Case("azure_openai", "azure-openai", CHAT, azure),
    *(Case("anthropic", f"anthropic-{kind}", ANTHROPIC, anthropic, "toolu_{}") for kind in ("nonstrict", "strict")),
    *(Case("google_genai", target, GOOGLE, google, "", said=parts) for target in GEMINI),
    Case("google_genai", "vertex-ai", GOOGLE, vertex, "id-{}", said=parts),
    *(Case("bedrock", target, BEDROCK, bedrock, "tooluse_{}", said=blocks) for target in BEDROCK_MODELS),
    Case("mistral", "mistral", MISTRAL, mistral, "abcdefgh{}"),
    Case("ollama", "ollama", OLLAMA, ollama, ""),
    Case("compatible", "ollama", COMPATIBLE, openai_chat),
    Case("compatible", "groq", COMPATIBLE, groq),
    *(Case("compatible", target, COMPATIBLE, openai_chat) for target in ENDPOINTS),
)
"""Every request form with each target that it is for."""
