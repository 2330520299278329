"""Requests and answers of model providers, for their own SDKs: tools, calls, results, and whole conversations.

One module per request form: `from toolglot.providers import anthropic`. No module imports an SDK.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from toolglot.providers.calling import Call
    from toolglot.providers.conversation import History, UnknownProvider, history

_HOMES = {"Call": "calling", "History": "conversation", "UnknownProvider": "conversation", "history": "conversation"}

__all__ = ["Call", "History", "UnknownProvider", "history"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'toolglot.providers' has no attribute {name!r}")
    return getattr(import_module(f"toolglot.providers.{_HOMES[name]}"), name)
