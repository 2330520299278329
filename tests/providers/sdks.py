"""The real SDKs, each asked the same way: tools and messages in, its own answer (or its events) out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from loopback import Wire
from wire_openai import CHAT

from toolglot.providers.conversation import form_of
from toolglot.providers.form import Form

Request = Callable[[str, Any, Any, bool], Any]


def sdk(name: str) -> Any:
    """An SDK; the test is skipped where it is not installed."""
    return pytest.importorskip(name, reason=f"the SDK {name} is not installed (make accept installs it)")


@dataclass(frozen=True)
class Case:
    """A provider for a target: how its SDK asks, and how its server speaks.

    `id` is an id of a call as this provider makes it; `text` is whether arguments travel as text, so that they can be
    broken.
    """

    provider: str
    target: str
    wire: Wire
    request: Request
    id: str = "call_{}"
    text: bool = True
    broken: bool = True
    said: Callable[[str], Any] = lambda text: {"role": "user", "content": text}

    @property
    def form(self) -> Form:
        return form_of(self.provider)

    def user(self, text: str) -> Any:
        """A message of the user."""
        return self.said(text)

    def ask(self, url: str, tools: Any, messages: Any, stream: bool = False) -> Any:
        """The SDK's answer; the list of its events for a stream."""
        return self.request(url, tools, messages, stream)


def openai_chat(url: str, tools: Any, messages: Any, stream: bool) -> Any:
    client = sdk("openai").OpenAI(base_url=f"{url}/v1", api_key="none", max_retries=0)
    with client:
        found = client.chat.completions.create(
            model="m", messages=messages, stream=stream, **({"tools": tools} if tools else {})
        )
        return list(found) if stream else found


CASES = (
    Case("openai_chat", "openai-nonstrict", CHAT, openai_chat),
    Case("openai_chat", "openai-strict", CHAT, openai_chat),
)
