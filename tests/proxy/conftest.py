from __future__ import annotations

import pytest


@pytest.fixture
def anyio_backend() -> str:
    """Conversations run on asyncio."""
    return "asyncio"
