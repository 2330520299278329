"""What the server says, on its way to the client: lists made fit, results that say what was done to a call."""

from __future__ import annotations

import time
from contextlib import suppress
from typing import TYPE_CHECKING

import msgspec

from toolglot.errors import JsonError
from toolglot.mcp.proxy.envelope import head_of, join_list, with_meta, with_parts
from toolglot.mcp.proxy.fitted import tools_of
from toolglot.mcp.proxy.shelf import is_public

if TYPE_CHECKING:
    from toolglot.mcp.proxy.envelope import Head
    from toolglot.mcp.proxy.fitted import Page
    from toolglot.mcp.proxy.pending import Pending
    from toolglot.mcp.proxy.questions import OwnQuestions
    from toolglot.mcp.proxy.shelf import Tally
    from toolglot.mcp.proxy.state import State

RESTORED = "io.toolglot/restored"
"""The member of a result's `_meta` that says what was done to the arguments: kinds and places, no values."""

_MOST_NAMES = 20


class Answers:
    """Decides about every message of the server."""

    def __init__(self, state: State, own: OwnQuestions) -> None:
        self._state = state
        self._own = own
        self.by_form = bool(state.settings.restriction)
        """Whether a list is known by its form, too: on a stream that is taken up again its request is not known."""

    def batch(self, raw: bytes, batch: list[bytes]) -> bytes | None:
        """What the client gets instead of a batch; None: nothing."""
        made = [self.one(message, head) if (head := head_of(message)) else message for message in batch]
        if made == batch:
            return raw
        kept = [one for one in made if one is not None]
        return join_list(kept) if kept else None

    def one(self, raw: bytes, head: Head) -> bytes | None:
        """What the client gets instead of a message; None: nothing."""
        if head.name:
            if head.name == "notifications/tools/list_changed":
                self._state.shelf.outdate()
            return raw
        if self._own.take(head.key, head):
            return None
        return self._answer(raw, head, self._state.take(head.key))

    def _answer(self, raw: bytes, head: Head, pending: Pending | None) -> bytes:
        if pending is not None and pending.method == "tools/call":
            return self._call_result(raw, head, pending)
        is_list = self.by_form if pending is None else pending.method == "tools/list"
        if is_list and head.result is not msgspec.UNSET:
            return self._list_result(raw, bytes(head.result), pending is not None and pending.first_page)
        return raw

    # Lists

    def _list_result(self, raw: bytes, result: bytes, first: bool) -> bytes:
        found = tools_of(result)
        state = self._state
        if found is None or state.shelf.fitter.idle:
            return raw
        state.shelf = state.policy.settle(state.shelf, is_public(result))
        try:
            page = state.shelf.fitter.page(found[0], state.shelf.doubled)
        except JsonError as error:
            state.journal.tell(f"the list of tools cannot be read: {error}")
            return raw if not state.settings.restriction else with_parts(raw, result=with_parts(result, tools=b"[]"))
        self._learn(page, first, last=found[1] is None)
        if page.raw is None or state.settings.observe:
            return raw
        return with_parts(raw, result=with_parts(result, tools=page.raw))

    def _learn(self, page: Page, first: bool, last: bool) -> None:
        shelf = self._state.shelf
        if not self._state.settings.restriction:
            shelf.learn(page)
            if last:
                shelf.heed()
        tell_notes(self._state, page)
        shelf.tally.add(page, first=first)
        if last:
            tell_tally(self._state, shelf.tally)
        self._state.journal.listed(page, self._state.target)

    # Results

    def _call_result(self, raw: bytes, head: Head, pending: Pending) -> bytes:
        state, verdict = self._state, pending.verdict
        seconds = time.perf_counter() - pending.started
        outcome = "passed" if head.result is not msgspec.UNSET else "error"
        if state.settings.observe and verdict and (verdict.refused or verdict.restored):
            outcome = "would be refused" if verdict.refused else "would be changed"
        state.journal.called(pending.known, state.target, outcome, seconds, verdict, pending.arguments)
        if head.result is msgspec.UNSET or verdict is None or state.settings.observe or not verdict.restored:
            return raw
        with suppress(JsonError):
            return with_parts(raw, result=with_meta(bytes(head.result), RESTORED, verdict.restored))
        return raw


def tell_notes(state: State, page: Page) -> None:
    """Say what happened to single entries of a list."""
    for note in page.notes:
        state.journal.tell(f"{note.tool or 'an entry without a name'}: {note.text}")


def tell_tally(state: State, tally: Tally) -> None:
    """Say once what the target makes of the whole list."""
    names = [f"{shown} is {wire}" for shown, wire in list(tally.renamed.items())[:_MOST_NAMES]]
    more = len(tally.renamed) - len(names)
    renamed = ", ".join(names) + (f", and {more} more" if more else "")
    target = f"{state.target}, which is only observed" if state.settings.observe else state.target
    said = f"{target}: {tally.alone} of {tally.tools} tools left alone"
    said += f", {tally.hidden} hidden" if tally.hidden else ""
    state.journal.tell(f"{said}; renamed: {renamed or 'none'}")
