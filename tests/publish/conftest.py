from __future__ import annotations

import pytest
from publish_help import MODERN, flavours


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


@pytest.fixture(autouse=True)
def _no_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    flavours.CALLS.clear()
    monkeypatch.delenv("TOOLGLOT_READ_ONLY", raising=False)


@pytest.fixture(params=[False, True] if MODERN else [False], ids=lambda modern: "modern" if modern else "legacy")
def modern(request: pytest.FixtureRequest) -> bool:
    """Both eras, where the SDK that is installed speaks both."""
    return request.param


@pytest.fixture(params=flavours.FLAVOURS)
def flavour(request: pytest.FixtureRequest) -> str:
    """Each kind of server."""
    return request.param
