"""Azure OpenAI: `AzureOpenAI(...).chat.completions.create(tools=..., messages=...)`.

The form is that of OpenAI's Chat Completions, and so is the validator. Microsoft says that strict tools do not
go with parallel calls: send `parallel_tool_calls=False` with a view for `azure-openai`.
"""

from __future__ import annotations

from dataclasses import replace

from toolglot.providers import openai_chat
from toolglot.providers.conversation import history

FORM = replace(openai_chat.FORM, name="azure_openai")

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
