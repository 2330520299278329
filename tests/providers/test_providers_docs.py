"""The examples of the documents run as they stand."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from loopback import Answer, Ask, endpoint
from sdks import sdk
from test_providers_loop import TOOLS, WRITE
from wire_openai import CHAT
from wire_others import ANTHROPIC

from toolglot import Toolset

ROOT = Path(__file__).resolve().parents[2]


def block(path: str, word: str) -> str:
    """The Python block of a document that has a word in it."""
    blocks = re.findall(r"^```python\n(.*?)^```$", (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)
    return next(text for text in blocks if word in text)


def test_the_loop_of_the_document(monkeypatch: pytest.MonkeyPatch) -> None:
    sdk("openai")
    view = Toolset(TOOLS).normalize("openai")
    wire, encoded = view.encode("entries.upsert", WRITE)
    asked: list[Any] = []

    def server_call(name: str, arguments: Any) -> Any:
        asked.append((name, arguments))
        return {"content": [{"type": "text", "text": "written"}]}

    with endpoint(CHAT, "openai-nonstrict", Answer((Ask(wire, encoded, "call_1"),)), Answer(text="Done.")) as server:
        monkeypatch.setenv("OPENAI_BASE_URL", f"{server.url}/v1")
        monkeypatch.setenv("OPENAI_API_KEY", "none")
        names: dict[str, Any] = {"tools": TOOLS, "server_call": server_call}
        exec(block("docs/providers.md", "while True:"), names)
        names["client"].close()
    assert asked == [("entries.upsert", WRITE)]
    assert [message["role"] for message in names["messages"]] == ["user", "assistant", "tool", "assistant"]


def test_the_example_of_the_readme() -> None:
    view = Toolset(TOOLS).normalize("anthropic")
    wire, encoded = view.encode("entries.upsert", WRITE)
    with endpoint(ANTHROPIC, "anthropic-nonstrict", Answer((Ask(wire, encoded, "toolu_1"),))) as server:
        with sdk("anthropic").Anthropic(base_url=server.url, api_key="none", max_retries=0) as client:
            messages: list[Any] = [{"role": "user", "content": "Write the entry."}]
            names = {"tools": TOOLS, "Toolset": Toolset, "client": client, "messages": messages}
            exec(
                block("README.md", "from toolglot.providers import anthropic"), {**names, "server_call": lambda c: "ok"}
            )
        assert server.refused == []
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
