"""Wildcards in tool names and pointers: matching, and whether one pattern covers another."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolglot.contract.patterns import covers, matches, name_pattern, pointer_pattern, segments_of


@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("a", "a", True),
        ("a", "ab", False),
        ("", "", True),
        ("", "a", False),
        ("*", "", True),
        ("*", "anything.at/all", True),
        ("**", "anything", True),
        ("a*", "a", True),
        ("a*", "ba", False),
        ("*_upsert", "entries_upsert", True),
        ("*_upsert", "entries_upsert_2", False),
        ("a*b*c", "a--b--b--c", True),
        ("a*b*c", "acb", False),
        ("[ab]?", "a1", False),
        ("a*", "a*", True),
    ],
)
def test_names(pattern: str, name: str, expected: bool) -> None:
    assert matches(name_pattern(pattern), tuple(name)) is expected


@pytest.mark.parametrize(
    ("pattern", "pointer", "expected"),
    [
        ("", "", True),
        ("", "/properties/a", True),
        ("/properties/a", "/properties/a", True),
        ("/properties/a", "/properties/a/items", True),
        ("/properties/a", "/properties/ab", False),
        ("/properties/a", "/properties", False),
        ("/properties/a", "", False),
        ("/properties/*", "/properties/a", True),
        ("/properties/*", "/properties/a/items", True),
        ("/properties/*", "/properties", False),
        ("/properties/*/items", "/properties/a/b/items", False),
        ("/properties/**/items", "/properties/a/b/items", True),
        ("/properties/**/items", "/properties/items", True),
        ("/**", "", True),
        ("/**/enum", "/properties/a/enum/3", True),
        ("/properties/a*", "/properties/ab", False),
        ("/properties/a*", "/properties/a*", True),
        ("/a~1b", "/a~1b", True),
        ("/", "/", True),
        ("/", "//x", True),
        ("/", "/a", False),
    ],
)
def test_pointers(pattern: str, pointer: str, expected: bool) -> None:
    assert matches(pointer_pattern(pattern), segments_of(pointer)) is expected


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [
        ("", "/a", True),
        ("/a", "", False),
        ("/a", "/a/b", True),
        ("/*", "/a", True),
        ("/a", "/*", False),
        ("/*/*", "/**", False),
        ("/**", "/*/*", True),
        ("/**/a", "/a", True),
        ("/**/a", "/x/**/a/b", True),
        ("/*/**/a", "/**/*/a", True),
        ("/**/*/a", "/*/**/a", True),
        ("/a/*", "/a", False),
        ("/**", "", True),
        ("/*", "", False),
    ],
)
def test_covering_of_pointers(wide: str, narrow: str, expected: bool) -> None:
    assert covers(pointer_pattern(wide), pointer_pattern(narrow)) is expected


@pytest.mark.parametrize(
    ("wide", "narrow", "expected"),
    [("*", "a*b", True), ("a*", "a*b", True), ("a*b", "a*", False), ("*a*", "*b*a", True), ("a*a", "a", False)],
)
def test_covering_of_names(wide: str, narrow: str, expected: bool) -> None:
    assert covers(name_pattern(wide), name_pattern(narrow)) is expected


def test_monstrous_patterns_end() -> None:
    wide = pointer_pattern("/**/a" + "/*" * 40 + "/b")
    assert covers(wide, pointer_pattern("/**/a" + "/**/*" * 40)) is False


SEGMENTS = st.sampled_from(["a", "b", "c", ""])
POINTERS = st.lists(SEGMENTS, max_size=5).map(lambda parts: "".join(f"/{part}" for part in parts))
POINTER_PATTERNS = st.lists(SEGMENTS | st.sampled_from(["*", "**"]), max_size=4).map(
    lambda parts: "".join(f"/{part}" for part in parts)
)
NAMES = st.text("ab", max_size=5)
NAME_PATTERNS = st.text("ab*", max_size=4)


@given(POINTER_PATTERNS, POINTER_PATTERNS, POINTERS)
def test_covering_agrees_with_matching_pointers(wide: str, narrow: str, pointer: str) -> None:
    if covers(pointer_pattern(wide), pointer_pattern(narrow)):
        word = segments_of(pointer)
        assert matches(pointer_pattern(wide), word) or not matches(pointer_pattern(narrow), word)


@given(POINTER_PATTERNS, POINTER_PATTERNS)
def test_what_is_not_covered_has_a_pointer_that_shows_it(wide: str, narrow: str) -> None:
    if not covers(pointer_pattern(wide), pointer_pattern(narrow)):
        assert any(
            matches(pointer_pattern(narrow), word) and not matches(pointer_pattern(wide), word)
            for word in _words_of(narrow)
        )


def _words_of(pattern: str) -> list[tuple[str, ...]]:
    """Enough words of a pattern: each wildcard as nothing, as a fresh segment, as several, as known segments."""
    words: list[tuple[str, ...]] = [()]
    fill = {
        "*": [("new",), ("a",), ("b",), ("c",), ("",)],
        "**": [(), ("new",), ("new", "new"), ("new",) * 5, ("a",), ("b",), ("c",), ("",)],
    }
    for segment in pattern.split("/")[1:]:
        words = [(*word, *more) for word in words for more in fill.get(segment, [(segment,)])]
    return words


@given(NAME_PATTERNS, NAME_PATTERNS, NAME_PATTERNS, NAMES)
def test_covering_is_transitive_and_agrees_with_matching_names(a: str, b: str, c: str, name: str) -> None:
    one, two, three = map(name_pattern, (a, b, c))
    if covers(one, two):
        assert matches(one, tuple(name)) or not matches(two, tuple(name))
        assert covers(one, three) or not covers(two, three)


@given(POINTER_PATTERNS, POINTER_PATTERNS, POINTER_PATTERNS)
def test_covering_of_pointers_is_transitive(a: str, b: str, c: str) -> None:
    one, two, three = map(pointer_pattern, (a, b, c))
    assert covers(one, one)
    assert covers(one, three) or not (covers(one, two) and covers(two, three))
