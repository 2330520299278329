"""What everything needs that sends tools to a model: the tools of one target, and the way there and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.published import Restored
    from toolglot.targets.model import Target


class SentTool(Protocol):
    """One tool as it is sent. `schema` is None where the target wants no parameters member.

    `target` is the one this tool was made for: a strict target, or the non-strict twin of the view's target.
    """

    @property
    def name(self) -> str:
        """The wire name."""
        ...

    @property
    def description(self) -> str:
        """What the tool does; may be empty."""
        ...

    @property
    def schema(self) -> Mapping[str, Any] | None:
        """The schema to send."""
        ...

    @property
    def field(self) -> str:
        """The request member that takes the schema."""
        ...

    @property
    def target(self) -> Target:
        """The target of this one tool."""
        ...


class ToolView(Protocol):
    """The tools of one target, in their order: `Toolset.normalize` makes one, a live server another.

    `names` is published name to wire name.
    """

    @property
    def target(self) -> Target:
        """The target of the whole view."""
        ...

    @property
    def tools(self) -> Sequence[SentTool]:
        """The tools that are sent."""
        ...

    @property
    def names(self) -> Mapping[str, str]:
        """Published name to wire name."""
        ...

    def restore(self, name: str, answer: Any, mend: Mend = "safe") -> tuple[str, Restored]:
        """The published name and the server's arguments of a model's call. Raises UnknownTool, ArgumentsError."""
        ...

    def encode(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """The wire name and the wire arguments of a call as the server knows it. Raises UnknownTool."""
        ...
