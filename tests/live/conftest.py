from __future__ import annotations

import pytest
from tests.waiting import free_port


@pytest.fixture
def unused_port() -> int:
    """A port of this machine that nobody listens on."""
    return free_port()
