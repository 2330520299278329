"""Asking a provider's real API whether it takes tools, with the user's own key and the provider's own SDK.

One of the two modules that reach a model provider; nothing is sent before the user agreed. A key is read from the
variables that the SDK itself reads, goes to the SDK and nowhere else, and is removed from every text.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from toolglot.errors import ToolglotError
from toolglot.fitting.refusals import error_text, explain
from toolglot.fitting.toolset import Toolset
from toolglot.providers.conversation import form_of
from toolglot.providers.plain import plain, record, text_of
from toolglot.providers.probing import Part

if TYPE_CHECKING:
    from toolglot.targets.model import Target

SECONDS = 60
"""Time that a provider has for one answer."""
PROMPT = "Say OK."
CONTROL = {
    "name": "say",
    "description": "Says a text.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string"}},
        "required": ["text"],
        "additionalProperties": False,
    },
}
"""A tool that every target takes."""
_LONGEST = 4_000
_NOTHING = "none"
"""What is given as a key where none is to be sent."""


class NotAsked(ToolglotError):
    """The provider could not be asked, or its answer is not about tools."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the user named: the target, the model, another endpoint, the variable of its key."""

    target: Target
    model: str
    endpoint: str = ""
    key_from_env: str = ""


@dataclass(frozen=True, slots=True)
class Api:
    """How a target is asked. `form` is the request form, `package` the SDK with the module `module`.

    `keys`: the variables of which one must be set, none for what needs no key or finds it elsewhere; `host`: where it
    is, "" where only the SDK or the user knows. `client` opens the SDK's client: in the module, a key and an endpoint
    (None: the SDK's own). `send` sends tools with it: the client, the model, the tools.
    """

    form: str
    package: str
    module: str
    keys: tuple[str, ...]
    host: str
    client: Callable[[Any, str | None, str | None], Any]
    send: Callable[[Any, str, list[Any]], Any]


@dataclass(frozen=True, slots=True)
class Line:
    """An open line to a provider: `host` is where requests go, `sdk` the name and version of what sends them."""

    api: Api
    wanted: Wanted
    host: str
    key: str
    sdk: str
    client: Any

    @property
    def key_name(self) -> str:
        """The variable that the key comes from; empty where none is sent."""
        return _key_name(self.api, self.wanted)

    @property
    def credentials(self) -> str:
        """What the requests go with, in words."""
        if self.key_name:
            return f"the key from {self.key_name}"
        finds = self.api.form == "bedrock" or (self.api.client is _vertex and not self.wanted.endpoint)
        return "the credentials that the SDK finds" if finds else "no key"

    def ask(self, part: Part) -> str | None:
        """Send tools in one request with the smallest output. Out: None where it is accepted, else the refusal.

        Raises NotAsked for an answer that is about no tool: a wrong key, no credit, too many requests, no network.
        """
        tools = form_of(self.api.form).tools(part)
        try:
            self.api.send(self.client, self.wanted.model, tools)
        except Exception as error:
            return self._refusal(error, part)
        return None

    def _refusal(self, error: Exception, part: Part) -> str:
        text = self._clean(_sentence(error))
        status = _status(error)
        if status in _REFUSES or _local(error) or (status in _FAILS and explain(error_text(error), part)):
            return text
        if status in _KEY_PROBLEMS:
            raise NotAsked(f"{self.host} answered {status}: the key is not accepted.", hint=self._key_hint())
        answered = f"answered {status}" if status else "did not answer"
        raise NotAsked(f"{self.host} {answered}: {text}", hint="This says nothing about the tools.")

    def _clean(self, text: str) -> str:
        """A text without the key."""
        hidden = text.replace(self.key, "***") if self.key and self.key != _NOTHING else text
        return hidden[:_LONGEST]

    def _key_hint(self) -> str:
        return f"It was read from {self.key_name}." if self.key_name else ""


_REFUSES = (400, 422)
_FAILS = (500, 501, 502)
"""Some servers answer with a failure of their own where they cannot read a schema."""
_KEY_PROBLEMS = (401, 403)


def _status(error: Exception) -> int | None:
    """The HTTP status that an SDK's exception keeps; None where there was no answer."""
    for name in ("status_code", "code"):
        found = getattr(error, name, None)
        if isinstance(found, int):
            return found
    found = record(record(plain(getattr(error, "response", None))).get("ResponseMetadata")).get("HTTPStatusCode")
    return found if isinstance(found, int) else None


def _local(error: Exception) -> bool:
    """Whether the SDK itself refuses the tools, or falls over them, before anything is sent.

    Its types are a target's facts too. What the network raises is an OSError, or a type of the SDK's own.
    """
    own = type(error).__name__ in ("ValidationError", "ParamValidationError")
    return own or (type(error).__module__ == "builtins" and not isinstance(error, OSError))


def _sentence(error: Exception) -> str:
    """The provider's own words."""
    for name in ("body", "details", "response"):
        body = record(plain(getattr(error, name, None)))
        inner = record(body.get("error")) or record(body.get("Error")) or body
        if message := text_of(inner.get("message")) or text_of(inner.get("Message")):
            return message
    return str(error)


# Clients and requests of each SDK.


def _openai(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    return sdk.OpenAI(api_key=key, base_url=endpoint, max_retries=0, timeout=SECONDS)


def _azure(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    version = os.environ.get("OPENAI_API_VERSION", "2025-04-01-preview")
    endpoint = endpoint or os.environ.get("AZURE_OPENAI_ENDPOINT")
    return sdk.AzureOpenAI(api_key=key, azure_endpoint=endpoint, api_version=version, max_retries=0, timeout=SECONDS)


def _chat(client: Any, model: str, tools: list[Any]) -> Any:
    messages = [{"role": "user", "content": PROMPT}]
    return client.chat.completions.create(model=model, messages=messages, tools=tools, max_completion_tokens=16)


def _short_chat(client: Any, model: str, tools: list[Any]) -> Any:
    """Other endpoints know the older name of the limit only."""
    messages = [{"role": "user", "content": PROMPT}]
    return client.chat.completions.create(model=model, messages=messages, tools=tools, max_tokens=1)


def _anthropic(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    return sdk.Anthropic(api_key=key, base_url=endpoint, max_retries=0, timeout=SECONDS)


def _messages(client: Any, model: str, tools: list[Any]) -> Any:
    messages = [{"role": "user", "content": PROMPT}]
    return client.messages.create(model=model, messages=messages, tools=tools, max_tokens=1)


def _google(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    return sdk.Client(api_key=key, vertexai=False, http_options={"base_url": endpoint, "timeout": SECONDS * 1000})


def _vertex(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    """With another endpoint no token of the user is sent."""
    nobody: Any = None
    if endpoint is not None:
        nobody = import_module("google.oauth2.credentials").Credentials(_NOTHING)
    project, location = (os.environ.get(f"GOOGLE_CLOUD_{name}") for name in ("PROJECT", "LOCATION"))
    options = {"base_url": endpoint, "timeout": SECONDS * 1000}
    return sdk.Client(
        vertexai=True, project=project, location=location or "us-central1", credentials=nobody, http_options=options
    )


def _generate(client: Any, model: str, tools: list[Any]) -> Any:
    config = {"tools": tools, "max_output_tokens": 1, "automatic_function_calling": {"disable": True}}
    return client.models.generate_content(model=model, contents=PROMPT, config=config)


def _bedrock(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    """The SDK finds the credentials, and signs with them: the secret itself is never sent."""
    options = import_module("botocore.config").Config(
        retries={"total_max_attempts": 1}, read_timeout=SECONDS, connect_timeout=SECONDS
    )
    return sdk.client("bedrock-runtime", endpoint_url=endpoint, config=options)


def _converse(client: Any, model: str, tools: list[Any]) -> Any:
    messages = [{"role": "user", "content": [{"text": PROMPT}]}]
    return client.converse(
        modelId=model, messages=messages, toolConfig={"tools": tools}, inferenceConfig={"maxTokens": 1}
    )


def _mistral(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    return sdk.Mistral(api_key=key, server_url=endpoint, timeout_ms=SECONDS * 1000)


def _complete(client: Any, model: str, tools: list[Any]) -> Any:
    messages = [{"role": "user", "content": PROMPT}]
    return client.chat.complete(model=model, messages=messages, tools=tools, max_tokens=1)


def _ollama(sdk: Any, key: str | None, endpoint: str | None) -> Any:
    return sdk.Client(endpoint, timeout=SECONDS)


def _local_chat(client: Any, model: str, tools: list[Any]) -> Any:
    messages = [{"role": "user", "content": PROMPT}]
    return client.chat(model, messages, tools=tools, options={"num_predict": 1})


_OPENAI_HOST = "https://api.openai.com/v1"
_GOOGLE_HOST = "https://generativelanguage.googleapis.com"


def _compatible(host: str, *keys: str) -> Api:
    return Api("compatible", "openai", "openai", keys, host, _openai, _short_chat)


_OPENAI = Api("openai_chat", "openai", "openai", ("OPENAI_API_KEY",), _OPENAI_HOST, _openai, _chat)
_ANTHROPIC = Api(
    *("anthropic", "anthropic", "anthropic", ("ANTHROPIC_API_KEY",), "https://api.anthropic.com"), _anthropic, _messages
)
_GEMINI = Api(
    *("google_genai", "google-genai", "google.genai", ("GOOGLE_API_KEY", "GEMINI_API_KEY"), _GOOGLE_HOST),
    *(_google, _generate),
)
_BEDROCK = Api("bedrock", "boto3", "boto3", (), "", _bedrock, _converse)

APIS: Mapping[str, Api] = {
    "openai-nonstrict": _OPENAI,
    "openai-strict": _OPENAI,
    "azure-openai": Api("azure_openai", "openai", "openai", ("AZURE_OPENAI_API_KEY",), "", _azure, _chat),
    "anthropic-nonstrict": _ANTHROPIC,
    "anthropic-strict": _ANTHROPIC,
    "gemini-parameters": _GEMINI,
    "gemini-parameters-json-schema": _GEMINI,
    "vertex-ai": Api("google_genai", "google-genai", "google.genai", (), "", _vertex, _generate),
    "bedrock-converse-claude": _BEDROCK,
    "bedrock-converse-nova": _BEDROCK,
    "mistral": Api(
        *("mistral", "mistralai", "mistralai.client", ("MISTRAL_API_KEY",), "https://api.mistral.ai"),
        *(_mistral, _complete),
    ),
    "ollama": Api("ollama", "ollama", "ollama", (), "http://127.0.0.1:11434", _ollama, _local_chat),
    "gemini-openai-compat": _compatible(f"{_GOOGLE_HOST}/v1beta/openai/", "GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": _compatible("https://api.groq.com/openai/v1", "GROQ_API_KEY"),
    "deepseek": _compatible("https://api.deepseek.com", "DEEPSEEK_API_KEY"),
    "deepseek-strict": _compatible("https://api.deepseek.com/beta", "DEEPSEEK_API_KEY"),
    "xai-grok": _compatible("https://api.x.ai/v1", "XAI_API_KEY"),
    "moonshot-kimi": _compatible("https://api.moonshot.ai/v1", "MOONSHOT_API_KEY"),
    "openrouter": _compatible("https://openrouter.ai/api/v1", "OPENROUTER_API_KEY"),
    "qwen": _compatible("https://dashscope-intl.aliyuncs.com/compatible-mode/v1", "DASHSCOPE_API_KEY"),
    "glm": _compatible("https://api.z.ai/api/paas/v4", "ZAI_API_KEY"),
    "cohere": _compatible("https://api.cohere.ai/compatibility/v1", "CO_API_KEY", "COHERE_API_KEY"),
    "llama-cpp-server": _compatible("http://127.0.0.1:8080/v1"),
    "vllm-xgrammar": _compatible("http://127.0.0.1:8000/v1"),
}
"""How each target that has an API is asked. The variables are those of the provider's own SDK or documentation."""

_OWN_HOSTS = {
    "openai": ("OPENAI_BASE_URL",),
    "anthropic": ("ANTHROPIC_BASE_URL",),
    "google-genai": ("GOOGLE_GEMINI_BASE_URL",),
    "ollama": ("OLLAMA_HOST",),
}
"""Variables by which an SDK itself is told of another endpoint."""


def api_of(target: Target) -> Api:
    """How a target is asked. Raises NotAsked for what is no API: a client, a framework, a library."""
    found = APIS.get(target.id)
    if found is not None:
        return found
    if target.kind == "api" and "+" not in target.id and target.id not in ("portable", "portable-strict"):
        return _compatible("")
    raise NotAsked(f"{target.id} has no API that could be asked.", hint=f"These have one: {', '.join(APIS)}.")


@contextmanager
def line_to(wanted: Wanted) -> Generator[Line]:
    """An open line to a target; nothing is sent yet. Raises NotAsked where SDK, key or endpoint are missing."""
    api = api_of(wanted.target)
    sdk = _sdk(api)
    host = _host(api, wanted)
    key = _key(api, wanted)
    try:
        client = api.client(sdk, key or None, host if _is_named(api, wanted) else None)
    except Exception as error:
        raise NotAsked(f"the SDK {api.package} cannot be used: {error}", hint="It needs more settings.") from None
    shown = host or str(getattr(getattr(client, "meta", None), "endpoint_url", "")) or "the host that the SDK chooses"
    try:
        yield Line(api, wanted, _shown(shown), key, f"{api.package} {metadata.version(api.package)}", client)
    finally:
        close = getattr(client, "close", None)
        if callable(close):
            close()


def _sdk(api: Api) -> Any:
    try:
        return import_module(api.module)
    except ImportError:
        raise NotAsked(
            f"the SDK {api.package} is not installed.", hint=f"pip install 'toolglot[{api.form}]' installs it."
        ) from None


def _is_named(api: Api, wanted: Wanted) -> bool:
    """Whether the SDK must be told where to send: its own endpoint it knows."""
    return bool(wanted.endpoint) or api.form == "compatible"


def _host(api: Api, wanted: Wanted) -> str:
    """Where requests go; "" where only the client knows."""
    own = () if api.form == "compatible" else _OWN_HOSTS.get(api.package, ())
    told = next((os.environ[name] for name in own if os.environ.get(name)), "")
    if api.form == "azure_openai":
        told = os.environ.get("AZURE_OPENAI_ENDPOINT", "")
    host = wanted.endpoint or told or api.host
    if not host and api.form in ("compatible", "azure_openai"):
        raise NotAsked(f"where {wanted.target.id} is, is not known.", hint="Name it with --endpoint URL.")
    return host


def _shown(host: str) -> str:
    """An endpoint without credentials and parameters."""
    parts = urlsplit(host)
    name = (parts.hostname or host) + (f":{parts.port}" if parts.port else "")
    return f"{parts.scheme}://{name}{parts.path}".rstrip("/") if parts.scheme and parts.hostname else host


def _key_name(api: Api, wanted: Wanted) -> str:
    """The variable of the key. The user's key for a provider goes to that provider only."""
    if wanted.key_from_env:
        return wanted.key_from_env
    if wanted.endpoint and urlsplit(wanted.endpoint).hostname != urlsplit(api.host).hostname:
        return ""
    return next((name for name in api.keys if os.environ.get(name)), "")


def _key(api: Api, wanted: Wanted) -> str:
    name = _key_name(api, wanted)
    if name:
        if not os.environ.get(name):
            raise NotAsked(f"the environment variable {name} is not set.", hint="It is to hold the key.")
        return os.environ[name]
    if api.keys and not wanted.endpoint:
        names = " or ".join(api.keys)
        raise NotAsked(f"no key: {names} is not set.", hint="The key is read from the environment only.")
    return _NOTHING


def control(target: Target) -> Part:
    """The part that every target takes: what is refused with it is refused for another reason."""
    return Part.of(Toolset([CONTROL]).normalize(target))
