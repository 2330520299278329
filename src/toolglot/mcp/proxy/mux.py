"""One server process for many requests of the modern era: ids and tokens are made unique, and put back.

In the modern era every request stands alone; a server on one line cannot see who asks. What belongs to no request of
the line goes to nobody.
"""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from toolglot.mcp.proxy.conversation import LOST
from toolglot.mcp.proxy.envelope import dump, head_of, join, object_of, with_parts
from toolglot.mcp.wire import META

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Collection

    from toolglot.mcp.proxy.conversation import Conversation

_TOKEN = "progressToken"
_SUBSCRIPTION = f"{META}subscriptionId"


class Mux:
    """Who hears a shared server: each conversation hears what belongs to its requests."""

    def __init__(self, put: Callable[[bytes], None], changed: Callable[[], None]) -> None:
        self._put = put
        self._changed = changed
        self._numbers = count(1)
        self._owners: dict[bytes, tuple[Conversation, bytes, bytes]] = {}
        self._by_conversation: dict[Conversation, dict[bytes, bytes]] = {}

    def send(self, conversation: Conversation, raw: bytes) -> None:
        """Put a message of one conversation on the line."""
        head = head_of(raw)
        if head is None or not head.key or not head.name:
            self._put(raw if head is None else self._renamed_notice(conversation, raw))
            return
        new = dump(f"t{next(self._numbers)}")
        params = object_of(head.params)
        meta = object_of(params.get("_meta"))
        token = meta.get(_TOKEN, b"")
        self._owners[new] = (conversation, head.key, token)
        self._by_conversation.setdefault(conversation, {})[head.key] = new
        parts = {"id": new}
        if token:
            parts["params"] = join({**params, "_meta": join({**meta, _TOKEN: new})})
        self._put(with_parts(raw, **parts))

    def _renamed_notice(self, conversation: Conversation, raw: bytes) -> bytes:
        """A notice that names a request of the conversation names it as the server knows it."""
        parts = object_of(raw)
        params = object_of(parts.get("params"))
        new = self._by_conversation.get(conversation, {}).get(params.get("requestId", b""))
        return raw if new is None else with_parts(raw, params=join({**params, "requestId": new}))

    def leave(self, conversation: Conversation) -> None:
        """The client of a conversation has gone: what it still waits for is cancelled, as the modern era has it."""
        for new in self._by_conversation.pop(conversation, {}).values():
            if self._owners.pop(new, None) is not None:
                params = b'{"requestId":' + new + b',"reason":"the client has gone"}'
                self._put(b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":' + params + b"}")

    def server_says(self, raw: bytes) -> None:
        """Take one message of the server."""
        head = head_of(raw)
        if head is None:
            return
        if head.name:
            self._notice(raw, head.name, object_of(head.params))
            return
        owner = self._owners.pop(head.key, None)
        if owner is None:
            return
        conversation, key, _ = owner
        self._by_conversation.get(conversation, {}).pop(key, None)
        conversation.server_says(with_parts(_subscription_back(raw, head.key, key), id=key))

    def _notice(self, raw: bytes, method: str, params: dict[str, bytes]) -> None:
        if method == "notifications/tools/list_changed":
            self._changed()
        meta = object_of(params.get("_meta"))
        new = meta.get(_SUBSCRIPTION) or params.get(_TOKEN) or b""
        owner = self._owners.get(new)
        if owner is None:
            return
        conversation, key, token = owner
        if params.get(_TOKEN) == new:
            params = {**params, _TOKEN: token}
        if meta.get(_SUBSCRIPTION) == new:
            params = {**params, "_meta": join({**meta, _SUBSCRIPTION: key})}
        conversation.server_says(with_parts(raw, params=join(params)))

    def server_lost(self, said: str = LOST, waiting: Collection[bytes] = ()) -> None:
        """The server is gone: everybody gets an error for what was written to it, and no list counts any more."""
        self._changed()
        for conversation, names in list(self._by_conversation.items()):
            stay = {key: new for key, new in names.items() if new in waiting}
            for new in names.values():
                if new not in waiting:
                    self._owners.pop(new, None)
            self._by_conversation[conversation] = stay
            conversation.server_lost(said, stay)

    async def shake_hands(self, send: Callable[[bytes], Awaitable[None]]) -> None:
        """The modern era knows no handshake."""


def _subscription_back(raw: bytes, new: bytes, key: bytes) -> bytes:
    result = object_of(object_of(raw).get("result"))
    meta = object_of(result.get("_meta"))
    if meta.get(_SUBSCRIPTION) != new:
        return raw
    return with_parts(raw, result=join({**result, "_meta": join({**meta, _SUBSCRIPTION: key})}))
