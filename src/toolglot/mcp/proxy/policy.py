"""From settings to what all conversations share: the targets, and one shelf of tools for each kind of caller."""

from __future__ import annotations

import tomllib
from collections import OrderedDict
from functools import cache
from importlib import resources
from typing import TYPE_CHECKING

from toolglot.mcp.proxy.fitted import Fitter
from toolglot.mcp.proxy.pending import Policy
from toolglot.mcp.proxy.settings import AUTO, NONE
from toolglot.mcp.proxy.shelf import Shelf

if TYPE_CHECKING:
    from toolglot.mcp.proxy.journal import Journal
    from toolglot.mcp.proxy.settings import Settings
    from toolglot.targets.load import Catalogue

FALLBACK = "portable"
_MOST_SHELVES = 1000


@cache
def known_clients() -> dict[str, str]:
    """The beginning of a client's name, in lower case, to its target."""
    text = resources.files("toolglot.mcp.proxy").joinpath("clients.toml").read_text("utf-8")
    return tomllib.loads(text)["names"]


def target_of_client(name: str) -> str:
    """The target for a client by the name it gives itself; `portable` for one that is not known."""
    lower = name.lower()
    return next((target for start, target in known_clients().items() if lower.startswith(start)), FALLBACK)


class Fitters:
    """One fitter for each target that is asked for."""

    def __init__(self, settings: Settings, catalogue: Catalogue, prefix: str = "") -> None:
        self._settings = settings
        self._catalogue = catalogue
        self._prefix = prefix
        self._made: dict[str, Fitter] = {}

    def of(self, target: str) -> Fitter:
        """The fitter of a target, or of `none`. Raises UnknownTarget."""
        if target not in self._made:
            found = None if target == NONE else self._catalogue.target(target)
            self._made[target] = Fitter(found, self._catalogue, self._settings.restriction, self._prefix)
        return self._made[target]


def single_policy(settings: Settings, catalogue: Catalogue, journal: Journal, prefix: str = "") -> Policy:
    """The policy for one client over standard streams. Raises UnknownTarget."""
    fitters = Fitters(settings, catalogue, prefix)
    if settings.target != AUTO:
        shelf = Shelf(fitters.of(settings.target))
        return Policy(settings, journal, lambda _: shelf)
    shelves = {name: Shelf(fitters.of(name)) for name in (FALLBACK,)}

    def shelf_of(client: str | None) -> Shelf:
        target = FALLBACK if client is None else target_of_client(client)
        if target not in shelves:
            shelves[target] = Shelf(fitters.of(target))
        if client is not None:
            journal.tell(f"the client calls itself {client[:80]!r}: its target is {target}")
            journal.tell("which model is behind the client cannot be seen; --for CLIENT+API names both")
        return shelves[target]

    return Policy(settings, journal, shelf_of)


class Shelves:
    """The shelves of many callers for one target, by what tells callers apart; those used last are kept."""

    def __init__(self, fitter: Fitter) -> None:
        self._fitter = fitter
        self._kept: OrderedDict[bytes, Shelf] = OrderedDict()
        self._public: Shelf | None = None

    def policy(self, caller: bytes, settings: Settings, journal: Journal) -> Policy:
        """The policy for one caller: its own shelf, or everybody's."""

        def settle(shelf: Shelf, public: bool) -> Shelf:
            return self._settle(caller, shelf, public)

        return Policy(settings, journal, lambda _: self._of(caller), settle)

    def session(self, settings: Settings, journal: Journal) -> Policy:
        """The policy for one session with a server of its own, whose list may be its own too."""
        shelf = Shelf(self._fitter)
        return Policy(settings, journal, lambda _: shelf)

    def _of(self, caller: bytes) -> Shelf:
        """The shelf of a caller; a new one is empty. What the server calls public is everybody's."""
        if self._public is not None:
            return self._public
        found = self._kept.pop(caller, None) or Shelf(self._fitter)
        self._kept[caller] = found
        if len(self._kept) > _MOST_SHELVES:
            self._kept.popitem(last=False)
        return found

    def _settle(self, caller: bytes, shelf: Shelf, public: bool) -> Shelf:
        """The shelf that learns from a list: never everybody's from a list for one caller."""
        if public:
            # A new one: what the caller's own shelf has may be for this caller only.
            self._public = self._public or Shelf(self._fitter)
            return self._public
        if shelf is self._public:
            self._public = None
            return self._of(caller)
        return shelf

    def outdate(self) -> None:
        """The list has changed, for whoever."""
        for shelf in self._kept.values():
            shelf.outdate()
        if self._public is not None:
            self._public.outdate()
