"""A bound for hostile input: how long it may take, in seconds of this process, on a machine that is slow or busy."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

SLACK = 5
"""A bound guards against blow-up, not against a slow machine: the clock may show this many times its figure."""

untraced = pytest.mark.untraced
"""Bounds on the clock, and sweeps over the corpus: `make test` runs them apart, without coverage, which is slow."""


@contextmanager
def ends_within(seconds: float) -> Iterator[None]:
    started = time.process_time()
    yield
    assert time.process_time() - started < seconds * SLACK
