"""OpenAI Chat Completions: `client.chat.completions.create(tools=..., messages=...)`.

Facts are those of the types of the SDK (openai 3.57): `chat/chat_completion_tool_param.py` and its neighbours.
An id of a call may have 40 characters.
"""

from __future__ import annotations

from toolglot.providers import chat
from toolglot.providers.conversation import history
from toolglot.providers.form import Form

FORM = Form(
    name="openai_chat",
    tool=chat.function_tool,
    reply=chat.reply,
    join=chat.join,
    read=chat.read,
    write=chat.Chat(chat.document_block).write,
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
