"""Short texts that a regular expression of a schema should match: guesses, which the caller checks.

Reads what ECMA 262 and the linear engine share. What only forbids something (look-around, boundaries) is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

MAX_PATTERN = 2_000
MAX_DEPTH = 30
MAX_TEXT = 2_000


def texts_matching(pattern: str, lengths: tuple[int, ...] = ()) -> Iterator[str]:
    """Texts that the pattern should match, the shortest first, then some of these lengths where that is easy.

    None for a pattern that is not understood.
    """
    if len(pattern) > MAX_PATTERN:
        return
    try:
        node = _Reader(pattern).read()
    except (ValueError, IndexError):
        return
    seen: set[str] = set()
    shortest = len("".join(_render(node, 0, 0)))
    wanted = ((length - shortest) // many for length in lengths for many in (1, 2, 3))
    for extra in (0, 1, 2, 4, 8, 16, 32, 64, 128, 256, *(more for more in wanted if 0 < more < MAX_TEXT)):
        for choice in range(3):
            text = "".join(_render(node, extra, choice))[:MAX_TEXT]
            if text not in seen:
                seen.add(text)
                yield text


@dataclass(frozen=True, slots=True)
class _Sequence:
    items: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Choice:
    options: tuple[_Node, ...]


@dataclass(frozen=True, slots=True)
class _Repeat:
    node: _Node
    low: int
    high: int


_Node = _Sequence | _Choice | _Repeat | str


def _render(node: _Node, extra: int, choice: int) -> Iterator[str]:
    """The parts of one text: `extra` repeats beyond the least, the option number `choice` where there are several."""
    if isinstance(node, str):
        yield node
    elif isinstance(node, _Sequence):
        for item in node.items:
            yield from _render(item, extra, choice)
    elif isinstance(node, _Choice):
        yield from _render(node.options[choice % len(node.options)], extra, choice)
    else:
        once = "".join(_render(node.node, extra, choice))
        yield once * min(node.low + extra, node.high, MAX_TEXT // max(1, len(once)))


_MANY = 1_000_000
_CLASSES = {"d": "0123456789", "w": "aA0_", "s": " \t"}
_CONTROLS = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "0": "\0"}
_PREFERRED = "a1A-_. xyzBC023456789/:,@#bcdefghijklmnopqrstuvwDEFGHIJKLMNOPQRSTUVWXYZ+=é"
_SILENT = ("?=", "?!", "?<=", "?<!")


class _Reader:
    """Reads a pattern into nodes. Raises ValueError or IndexError for what it does not understand."""

    def __init__(self, pattern: str) -> None:
        self.text = pattern
        self.place = 0

    def read(self) -> _Node:
        node = self.choice(MAX_DEPTH)
        if self.place < len(self.text):
            raise ValueError(self.text)
        return node

    def choice(self, depth: int) -> _Node:
        """Options between bars."""
        if depth == 0:
            raise ValueError(self.text)
        options = [self.sequence(depth)]
        while self.peek() == "|":
            self.place += 1
            options.append(self.sequence(depth))
        return options[0] if len(options) == 1 else _Choice(tuple(options))

    def sequence(self, depth: int) -> _Node:
        items: list[_Node] = []
        while self.peek() not in ("", "|", ")"):
            items.append(self.repeated(self.atom(depth)))
        return _Sequence(tuple(items))

    def peek(self) -> str:
        return self.text[self.place : self.place + 1]

    def next(self) -> str:
        self.place += 1
        return self.text[self.place - 1]

    def atom(self, depth: int) -> _Node:
        """One character, class or group."""
        char = self.next()
        if char in "^$":
            return ""
        if char == ".":
            return "a"
        if char == "[":
            return self.set()
        if char == "(":
            return self.group(depth)
        return self.escaped()[0] if char == "\\" else char

    def group(self, depth: int) -> _Node:
        silent = self.text.startswith(_SILENT, self.place)
        if self.peek() == "?":
            self.place = self.text.index(self._opener(), self.place) + 1
        node = self.choice(depth - 1)
        if self.next() != ")":
            raise ValueError(self.text)
        return "" if silent else node

    def _opener(self) -> str:
        """The last character of what opens a group: `?:`, `?=`, `?!`, `?<name>`."""
        after = self.text[self.place + 1]
        if after != "<":
            return after
        looking = self.text[self.place + 2]
        return looking if looking in "=!" else ">"

    def escaped(self) -> str:
        """The characters that an escape stands for, the one to write first; empty for boundaries."""
        char = self.next()
        if char in "bB":
            return ""
        if char in _CLASSES:
            return _CLASSES[char]
        if char in "DWS":
            return {"D": "a", "W": "-", "S": "a"}[char]
        if char in "pP":
            self.place = self.text.index("}", self.place) + 1
            return "a"
        if char in "xu":
            return self.code(2 if char == "x" else 4)
        if char.isdecimal() and char != "0":
            raise ValueError(self.text)
        return _CONTROLS.get(char, char)

    def code(self, digits: int) -> str:
        if self.peek() == "{":
            end = self.text.index("}", self.place)
            number = self.text[self.place + 1 : end]
            self.place = end + 1
        else:
            number = self.text[self.place : self.place + digits]
            self.place += digits
        return chr(int(number, 16))

    def set(self) -> _Node:
        """A class in brackets: up to three of its characters, those first that people know."""
        negated = self.peek() == "^"
        self.place += negated
        ranges: list[tuple[str, str]] = []
        while self.peek() != "]":
            ranges.extend(self.member())
        self.place += 1
        inside = [c for c in _PREFERRED if any(low <= c <= high for low, high in ranges) != negated]
        inside = inside or [low for low, _ in ranges if not negated]
        if not inside:
            raise ValueError(self.text)
        return inside[0] if len(inside) == 1 else _Choice(tuple(inside[:3]))

    def member(self) -> list[tuple[str, str]]:
        char = self.next()
        low = self.escaped() if char == "\\" else char
        if len(low) != 1:
            return [(one, one) for one in low]
        if self.peek() != "-" or self.text[self.place + 1] == "]":
            return [(low, low)]
        self.place += 1
        char = self.next()
        high = self.escaped() if char == "\\" else char
        return [(low, high)] if len(high) == 1 else [(low, low), ("-", "-"), *((one, one) for one in high)]

    def repeated(self, node: _Node) -> _Node:
        """The node with the quantifiers after it."""
        char = self.peek()
        if char in ("*", "+", "?") and char:
            self.place += 1
            node = _Repeat(node, int(char == "+"), 1 if char == "?" else _MANY)
        elif char == "{" and (end := self.text.find("}", self.place)) > 0:
            low, comma, high = self.text[self.place + 1 : end].partition(",")
            if not low.isdecimal():
                return node
            self.place = end + 1
            node = _Repeat(node, int(low), int(high or _MANY) if comma else int(low))
        else:
            return node
        if self.peek() == "?":
            self.place += 1
        return node
