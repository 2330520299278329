"""Texts and numbers that several schemas take together: a plain one, the shortest, the longest, a fraction."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import chain, islice
from math import ceil, floor
from typing import Any, TypeVar

from toolglot.schema.making.conjunction import Part, bound, matches
from toolglot.schema.making.matching import texts_matching

MAX_LENGTH = 2_000
"""Longest text that is made."""

_BY_FORMAT = {
    "date": "2026-01-31",
    "date-time": "2026-01-31T12:00:00Z",
    "time": "12:00:00Z",
    "duration": "P1D",
    "email": "a@example.com",
    "uri": "https://example.com/a",
    "url": "https://example.com/a",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "hostname": "example.com",
}

_KNOWN = ("text", "a", "1", "2026-01-31", "2026-01-31T12:00:00Z", "a@example.com", "https://example.com", "en", "A1")


_T = TypeVar("_T", str, int | float)


def _once(shown: Iterator[tuple[str, _T]]) -> Iterator[tuple[str, _T]]:
    """Each value once, with the first thing that it shows."""
    seen: set[_T] = set()
    for what, value in shown:
        if value not in seen:
            seen.add(value)
            yield what, value


def texts(parts: list[Part]) -> Iterator[tuple[str, str]]:
    """What each text shows ("text", "shortest", "longest") and the text; patterns and lengths are kept."""
    return _once(_texts(parts))


def _texts(parts: list[Part]) -> Iterator[tuple[str, str]]:
    least: int = ceil(bound(parts, "minLength", max) or 0)
    most: int | None = bound(parts, "maxLength", min)
    most = None if most is None else floor(most)
    patterns = list(dict.fromkeys(part["pattern"] for part in parts if "pattern" in part))
    if least > MAX_LENGTH or (most is not None and most < least):
        return
    top = MAX_LENGTH if most is None else min(most, MAX_LENGTH)
    fitting = list(islice((text for text in _candidates(parts, patterns, least, top) if _fits(text, patterns)), 40))
    if fitting:
        yield "text", fitting[0]
    if least == 0 and not patterns:
        yield "shortest", ""
    elif least and (short := min(fitting, key=len, default=None)) is not None:
        yield "shortest", short
    if most is not None and most <= MAX_LENGTH and (long := max(fitting, key=len, default=None)) is not None:
        yield "longest", long


def _candidates(parts: list[Part], patterns: list[str], least: int, most: int) -> Iterator[str]:
    formats = (_BY_FORMAT[part["format"]] for part in parts if part.get("format") in _BY_FORMAT)
    known = chain(formats, _KNOWN, ("x" * least, "x" * most))
    if not patterns:
        yield from (text.ljust(least, "x")[:most] for text in known)
        return
    for text in chain(known, *(texts_matching(pattern, (least, most)) for pattern in patterns)):
        if least <= len(text) <= most:
            yield text


def _fits(text: str, patterns: list[str]) -> bool:
    return all(matches(pattern, text) for pattern in patterns)


def numbers(parts: list[Part], whole: bool) -> Iterator[tuple[str, int | float]]:
    """What each number shows ("number", "lowest", "highest", "fraction") and the number; whole ones are integers."""
    return _once(_numbers(parts, whole))


def _numbers(parts: list[Part], whole: bool) -> Iterator[tuple[str, int | float]]:
    fitting = [value for value in _near(parts) if not (whole and value.denominator > 1) and _within(value, parts)]
    if not fitting:
        return
    yield "number", _plain(fitting[0])
    if any("minimum" in part or "exclusiveMinimum" in part for part in parts):
        yield "lowest", _plain(min(fitting))
    if any("maximum" in part or "exclusiveMaximum" in part for part in parts):
        yield "highest", _plain(max(fitting))
    broken = next((value for value in fitting if value.denominator > 1), None)
    if broken is not None:
        yield "fraction", _plain(broken)


def _plain(value: Fraction) -> int | float:
    return int(value) if value.denominator == 1 else float(value)


def _exact(value: Any) -> Fraction:
    """The number as it is written: 0.1 is a tenth."""
    return Fraction(value) if isinstance(value, int) else Fraction(repr(value))


_BOUNDS = ("minimum", "exclusiveMinimum", "maximum", "exclusiveMaximum")


def _near(parts: list[Part]) -> Iterator[Fraction]:
    """Numbers worth a try, round ones first."""
    yield from map(Fraction, (1, 0))
    edges = [_exact(part[word]) for part in parts for word in _BOUNDS if word in part]
    for edge in edges:
        yield from (edge, edge + 1, edge - 1, Fraction(ceil(edge)), Fraction(floor(edge)))
    if edges:
        yield (min(edges) + max(edges)) / 2
    yield from map(Fraction, (2, 10, 100))
    for part in parts:
        if part.get("multipleOf"):
            step = _exact(part["multipleOf"])
            yield from (step, *(ceil(edge / step) * step for edge in edges), *(edge // step * step for edge in edges))
    half = Fraction(1, 2)
    yield from (1 + half, *(edge + half for edge in edges), *(edge - half for edge in edges), Fraction(-1), -half)


def _within(value: Fraction, parts: list[Part]) -> bool:
    return all(
        value >= part.get("minimum", value)
        and value <= part.get("maximum", value)
        and ("exclusiveMinimum" not in part or value > part["exclusiveMinimum"])
        and ("exclusiveMaximum" not in part or value < part["exclusiveMaximum"])
        and (not part.get("multipleOf") or value % _exact(part["multipleOf"]) == 0)
        for part in parts
    )
