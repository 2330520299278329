"""The tools of live servers for one target: always those of the list that counts now, with the way to call them."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from threading import Lock
from typing import TYPE_CHECKING, Any, Protocol

from toolglot.errors import ToolglotError, UnknownTool
from toolglot.fitting.toolview import ToolView
from toolglot.mcp.live import results
from toolglot.mcp.proxy.envelope import refusal

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend
    from toolglot.fitting.problem import Problem
    from toolglot.fitting.published import Restored
    from toolglot.fitting.refusals import Refusal
    from toolglot.fitting.toolset import Toolset
    from toolglot.fitting.toolview import SentTool
    from toolglot.mcp.live.connection import Connection
    from toolglot.targets.model import Target


class WholeView(ToolView, Protocol):
    """A view that also says what is not sent, and reads refusals."""

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why tools are not sent."""
        ...

    @property
    def notes(self) -> tuple[Problem, ...]:
        """Which tools are sent to the non-strict twin, and why."""
        ...

    def explain(self, error: BaseException | str) -> tuple[Refusal, ...]:
        """What a provider refused."""
        ...


Make = Callable[["Toolset"], WholeView]

FORMER_NAMES = 10_000
"""How many names of tools that are no longer there are known, about; then the oldest are forgotten."""


class CurrentView(ABC):
    """The tools of connected servers for one target.

    `tools`, `names`, `problems` and `notes` are those of the list that counts now. A list that has not changed is made
    fit once, however often it is asked for. Hand it to everything that takes a view: `toolglot.providers`, frameworks.
    """

    @property
    @abstractmethod
    def now(self) -> WholeView:
        """The view of the list that counts now, as a value that does not change."""

    @property
    def target(self) -> Target:
        """The target of the whole view."""
        return self.now.target

    @property
    def tools(self) -> Sequence[SentTool]:
        """The tools that are sent."""
        return self.now.tools

    @property
    def names(self) -> Mapping[str, str]:
        """Published name to wire name; published names of several servers have the prefix of their server."""
        return self.now.names

    @property
    def problems(self) -> tuple[Problem, ...]:
        """Why tools are not sent."""
        return self.now.problems

    @property
    def notes(self) -> tuple[Problem, ...]:
        """Which tools are sent to the target's non-strict twin, and why."""
        return self.now.notes

    def restore(self, name: str, answer: Any, mend: Mend = "safe") -> tuple[str, Restored]:
        """The published name and the server's arguments of a model's call. Raises UnknownTool, ArgumentsError."""
        return self.now.restore(name, answer, mend)

    def encode(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, Any]:
        """The wire name and the wire arguments of a call as the server knows it. Raises UnknownTool."""
        return self.now.encode(name, arguments)

    def explain(self, error: BaseException | str) -> tuple[Refusal, ...]:
        """What a provider refused of these tools: the exception of its SDK, or its text."""
        return self.now.explain(error)


class LiveView(CurrentView):
    """The tools of connected servers for one target, with the way to call them; made by `Connection.view`."""

    def __init__(self, connection: Connection, make: Make) -> None:
        self._connection = connection
        self._make = make
        toolset = connection.toolset
        self._made = toolset, make(toolset)
        self._former: set[str] = set()
        self._making = Lock()

    @property
    def now(self) -> WholeView:
        """The view of the list that counts now, as a value that does not change."""
        with self._making:
            toolset, view = self._connection.toolset, self._made[1]
            if toolset is not self._made[0]:
                self._made = toolset, self._make(toolset)
                kept = self._former if len(self._former) < FORMER_NAMES else set[str]()
                self._former = kept | {*view.names, *view.names.values()}
            return self._made[1]

    async def call(
        self, name: str, arguments: Any = None, *, mend: Mend = "safe", timeout: float | None = None
    ) -> dict[str, Any]:
        """Carry out a model's call: restore, check, call the server.

        In: the wire name; the arguments as a mapping, JSON text, or None; `timeout` in seconds instead of the
        connection's. Out: the result of `tools/call`. It has `isError` and a text for the model where the arguments are
        wrong, the tool is not there, or the server fails, dies or does not answer; such a call is never repeated if
        the server may have seen it. Raises nothing for what a model or a server did.
        """
        try:
            return await self._call(name, arguments, mend, timeout)
        except UnknownTool as error:
            return refusal(results.unknown(name, error.nearest, self._former), modern=False)
        except ToolglotError as error:
            return refusal(str(error), modern=False)

    async def _call(self, name: str, arguments: Any, mend: Mend, timeout: float | None) -> dict[str, Any]:
        try:
            published, restored = self.restore(name, arguments, mend)
        except UnknownTool:
            await self._connection.refresh_for_unknown()
            published, restored = self.restore(name, arguments, mend)
        return await self._connection.call(published, restored.arguments, timeout=timeout)
