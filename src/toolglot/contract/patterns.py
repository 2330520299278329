"""Patterns over words: `*` and `**` in tool names and pointers, matching and covering.

A pattern and a word are tuples. A pattern is made of literal items, ONE (any one item) and MANY (any number of
items, none included). For a tool name the items are characters, for a pointer its segments.
"""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache
from typing import TypeAlias, cast


class Wild(Enum):
    """The two wildcards."""

    ONE = "one"
    MANY = "many"


ONE, MANY = Wild.ONE, Wild.MANY

Pattern: TypeAlias = tuple["str | Wild", ...]
Word: TypeAlias = tuple[str, ...]

_STARS = re.compile(r"\*{2,}")
_FRESH = "\0fresh"
"""Stands for every item that neither of two patterns names."""
_BUDGET = 5_000


@lru_cache(maxsize=4096)
def name_pattern(text: str) -> Pattern:
    """A tool name with `*` for any characters, none included (`**` means the same)."""
    return tuple(MANY if char == "*" else char for char in _STARS.sub("*", text))


@lru_cache(maxsize=4096)
def pointer_pattern(text: str) -> Pattern:
    """A JSON Pointer as a prefix of whole segments: `*` is one segment, `**` any number of them.

    The empty pointer covers all. A star is a wildcard only where it is the whole segment.
    """
    wild: dict[str, str | Wild] = {"*": ONE, "**": MANY}
    segments: tuple[str | Wild, ...] = tuple(wild.get(segment, segment) for segment in segments_of(text))
    return segments if segments[-1:] == (MANY,) else (*segments, MANY)


def segments_of(pointer: str) -> Word:
    """The segments of a JSON Pointer, still escaped; the empty pointer has none."""
    return tuple(pointer.split("/")[1:])


def is_literal(pattern: Pattern) -> bool:
    """Whether the pattern has no wildcard."""
    return not any(isinstance(item, Wild) for item in pattern)


def matches(pattern: Pattern, word: Word) -> bool:
    """Whether the whole word is of the pattern."""
    if MANY not in pattern and len(pattern) != len(word):
        return False
    states = _start(pattern)
    for item in word:
        states = _step(pattern, states, item)
        if not states:
            return False
    return len(pattern) in states


@lru_cache(maxsize=65536)
def covers(wide: Pattern, narrow: Pattern) -> bool:
    """Whether every word of `narrow` is one of `wide`.

    Exact, but for monstrous patterns, where the answer is no. Both patterns are read side by side over the items
    that they name and one that neither does: `wide` covers if no word is reached that only `narrow` takes.
    """
    if is_literal(narrow):
        return matches(wide, cast("Word", narrow))
    alphabet = {item for item in (*wide, *narrow) if isinstance(item, str)} | {_FRESH}
    start = (_start(wide), _start(narrow))
    seen, waiting = {start}, [start]
    while waiting:
        of_wide, of_narrow = waiting.pop()
        if len(wide) in of_wide and wide[-1:] == (MANY,):
            continue
        if (len(narrow) in of_narrow and len(wide) not in of_wide) or len(seen) > _BUDGET:
            return False
        steps = {(_step(wide, of_wide, item), _step(narrow, of_narrow, item)) for item in alphabet}
        fresh = {step for step in steps if step[1]} - seen
        seen |= fresh
        waiting.extend(fresh)
    return True


def _start(pattern: Pattern) -> frozenset[int]:
    return _rest(pattern, {0})


def _step(pattern: Pattern, states: frozenset[int], item: str) -> frozenset[int]:
    """The places in the pattern after one more item of the word."""
    after: set[int] = set()
    for place in states:
        if place == len(pattern):
            continue
        if pattern[place] is MANY:
            after.add(place)
        elif pattern[place] is ONE or pattern[place] == item:
            after.add(place + 1)
    return _rest(pattern, after)


def _rest(pattern: Pattern, states: set[int]) -> frozenset[int]:
    """The same places and those behind a MANY that takes nothing."""
    reached = set(states)
    for place in states:
        ahead = place
        while ahead < len(pattern) and pattern[ahead] is MANY:
            ahead += 1
            reached.add(ahead)
    return frozenset(reached)
