"""What the two directions of one conversation share: open requests, and the tools that the client may know."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.pending import Pending, Policy
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.mcp.proxy.shelf import Shelf


@dataclass(slots=True)
class State:
    """`pending` are the requests that went to the server, by raw id; `client` is the name that the client gave."""

    policy: Policy
    shelf: Shelf
    pending: dict[bytes, Pending] = field(default_factory=dict[bytes, "Pending"])
    client: str = ""

    @classmethod
    def of(cls, policy: Policy) -> State:
        """The state before anything was said."""
        return cls(policy, policy.shelf_of(None))

    @property
    def settings(self) -> Settings:
        """How calls and lists are treated."""
        return self.policy.settings

    @property
    def journal(self) -> Journal:
        """Where it is told."""
        return self.policy.journal

    @property
    def target(self) -> str:
        """The id of the target, for logs; `none` where there is none."""
        found = self.shelf.fitter.target
        return found.id if found else "none"

    def look_again(self) -> None:
        """Take the shelf that counts for the client now: a list may have moved it, or the name of the client."""
        self.shelf = self.policy.shelf_of(self.client or None)

    def take(self, key: bytes) -> Pending | None:
        """The request that an answer is for, which is open no longer; some servers answer 1 with "1", and back."""
        found = self.pending.pop(key, None)
        return found or self.pending.pop(key.strip(b'"'), None) or self.pending.pop(b'"' + key + b'"', None)
