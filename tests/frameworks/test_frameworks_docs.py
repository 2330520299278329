"""The examples of the documents run as they stand."""

from __future__ import annotations

import ast
import asyncio
import inspect
import os
import re
import sys
from pathlib import Path
from typing import Any

import pytest
from framework_parts import PAGE, UPSERT, Memory, framework, published

ROOT = Path(__file__).resolve().parents[2]
DOCUMENT = "docs/frameworks.md"


def blocks(path: str) -> list[str]:
    """The Python blocks of a document."""
    return re.findall(r"^```python\n(.*?)^```$", (ROOT / path).read_text(), re.MULTILINE | re.DOTALL)


def block(path: str, word: str) -> str:
    return next(text for text in blocks(path) if word in text)


def run(text: str, **names: Any) -> dict[str, Any]:
    """Run an example, which may await; its names."""

    async def whole() -> None:
        found = eval(compile(text, DOCUMENT, "exec", ast.PyCF_ALLOW_TOP_LEVEL_AWAIT), names)
        if inspect.isawaitable(found):
            await found

    asyncio.run(whole())
    return names


@pytest.fixture(autouse=True)
def _python(monkeypatch: pytest.MonkeyPatch) -> None:
    """`python` is this one."""
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)


def view_names(memory: Memory) -> dict[str, Any]:
    return {"tools": published(), "call": memory.acall}


def pydantic_script(target: str) -> Any:
    framework("pydantic_ai")
    from test_frameworks_pydantic_ai import Script, call

    return Script(call(target, "entries_upsert", UPSERT), call(target, "page_render", PAGE))


@pytest.mark.parametrize("path", [DOCUMENT, "README.md"])
def test_pydantic_ai(path: str) -> None:
    script = pydantic_script("openai-strict")
    names = run(block(path, "FittedToolset("), model=script.model)
    assert names["result"].output == "Done."
    assert script.steps == []


def test_pydantic_ai_over_a_view() -> None:
    memory = Memory()
    script = pydantic_script("openai-strict")
    run(block(DOCUMENT, "ViewToolset(view, call)"), model=script.model, **view_names(memory))
    assert memory.calls == [("entries_upsert", UPSERT), ("page_render", PAGE)]


def test_pydantic_ai_over_a_live_server() -> None:
    script = pydantic_script("openai-strict")
    example = block(DOCUMENT, "toolglot.connect(") + '    result = await agent.run("Do it.")\n'
    names = run(f"from pydantic_ai import Agent\n{example}", model=script.model)
    assert "Things to do" in str(names["result"].all_messages())


def langchain_script(target: str) -> Any:
    framework("langchain_core")
    from test_frameworks_langchain import Script, call

    return Script(steps=[call(target, "entries_upsert", UPSERT), call(target, "page_render", PAGE)])


def test_langchain() -> None:
    script = langchain_script("openai")
    names = run(block(DOCUMENT, "fit_tools("), model=script)
    assert names["result"]["messages"][-1].content == "Done."
    assert script.steps == []


def test_langchain_over_a_view() -> None:
    memory = Memory()
    script = langchain_script("openai")
    run(block(DOCUMENT, "view_tools("), model=script, **view_names(memory))
    assert memory.calls == [("entries_upsert", UPSERT), ("page_render", PAGE)]


def agents_script(target: str) -> Any:
    framework("agents")
    from test_frameworks_openai_agents import Script, call

    framework("agents").set_tracing_disabled(True)
    return Script(call(target, "entries_upsert", UPSERT), call(target, "page_render", PAGE))


def test_openai_agents() -> None:
    script = agents_script("openai-strict")
    names = run(block(DOCUMENT, "fit_mcp_tools("), model=script)
    assert names["result"].final_output == "Done."
    assert script.steps == []


def test_openai_agents_over_a_view() -> None:
    memory = Memory()
    script = agents_script("openai-strict")
    run(block(DOCUMENT, "function_tools("), model=script, **view_names(memory))
    assert memory.calls == [("entries_upsert", UPSERT), ("page_render", PAGE)]


def test_every_example_is_run() -> None:
    words = ("FittedToolset(", "ViewToolset(", "fit_tools(", "view_tools(", "fit_mcp_tools(", "function_tools(")
    assert all(any(word in text for word in words) for text in blocks(DOCUMENT))
