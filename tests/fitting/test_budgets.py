"""Budgets of a request: never exceeded, as many tools as possible, the earlier of equal ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from toolglot.fitting.budgets import budgets, chosen, exceeded, most_tools
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import REQUEST_LIMITS, Limit, Proof

PROOF = Proof("toolglot: declared", "documented")
NAMES = ("strict-tools", "optional-parameters", "union-parameters")


def limit(name: str, value: int) -> Limit:
    return Limit(name, value, REQUEST_LIMITS[name], PROOF)


COUNTS = st.lists(
    st.fixed_dictionaries({"strict-tools": st.just(1)}, optional={name: st.integers(0, 30) for name in NAMES[1:]}),
    max_size=40,
)
LIMITS = st.tuples(*(st.integers(0, 40) for _ in NAMES)).map(
    lambda values: [limit(name, value) for name, value in zip(NAMES, values, strict=True)]
)


@given(counts=COUNTS, limits=LIMITS)
def test_no_budget_is_exceeded_and_nobody_else_would_fit(counts: list[dict[str, int]], limits: list[Limit]) -> None:
    kept = chosen(counts, limits)
    inside = [counts[place] for place in sorted(kept)]
    assert not exceeded(inside, limits)
    for place in set(range(len(counts))) - kept:
        assert exceeded([*inside, counts[place]], limits)
    if not exceeded(counts, limits):
        assert kept == frozenset(range(len(counts)))


@given(counts=st.lists(st.integers(0, 9), max_size=12), room=st.integers(0, 30))
def test_of_one_budget_as_many_as_possible(counts: list[int], room: int) -> None:
    kept = chosen([{"optional-parameters": one} for one in counts], [limit("optional-parameters", room)])
    most = 0
    for cost in sorted(counts):
        room -= cost
        most += room >= 0
    assert len(kept) == most


@pytest.mark.parametrize(
    ("counts", "limits", "kept"),
    [
        ([1, 1, 1, 1], 2, {0, 1}),
        ([9, 1, 9, 1], 10, {1, 3}),
        ([5, 5, 5], 10, {0, 1}),
        ([30, 0, 0], 24, {1, 2}),
        ([0, 0], 0, {0, 1}),
        ([1, 0], 0, {1}),
        ([], 0, set()),
    ],
)
def test_the_choice(counts: list[int], limits: int, kept: set[int]) -> None:
    rows = [{"optional-parameters": one} for one in counts]
    assert chosen(rows, [limit("optional-parameters", limits)]) == kept


def test_a_budget_that_is_kept_does_not_order_the_tools() -> None:
    counts = [{"strict-tools": 1, "optional-parameters": 9 - place} for place in range(9)]
    assert chosen(counts, [limit("strict-tools", 3), limit("optional-parameters", 100)]) == {0, 1, 2}


def test_the_budgets_of_the_data() -> None:
    strict = SHIPPED.target("anthropic-strict")
    assert {one.name for one in budgets(strict)} == set(NAMES)
    assert most_tools(strict, SHIPPED.target("anthropic-nonstrict")) is None
    openai = most_tools(SHIPPED.target("openai-strict"), None)
    assert openai is not None
    assert openai.value == SHIPPED.target("openai-strict").limits["tools"].value
