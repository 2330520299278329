"""The official conformance suite: a server of ours directly, and through the proxy."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "proxy"))
from tests.accept.conformance.suite import VERSIONS, Check, Suite, differing, install, listed
from tests.accept.conftest import Environment
from tests.waiting import free_port, is_listening, wait_for
from web_help import front

HERE = Path(__file__).parent / "conformance"
FIXTURE = (sys.executable, str(HERE / "fixture.py"))
DIFFERENCES = HERE / "differences.toml"
LEAST = {"2025-11-25": (33, 84), "2026-07-28": (40, 152)}
"""The least number of scenarios, and of passed checks, of each version."""


@pytest.fixture(scope="module", name="suite")
def _suite(environment: Environment) -> Suite:
    pytest.importorskip("mcp.server.subscriptions", reason="the official SDK 2.x is not installed")
    return install(environment)


@contextmanager
def serving() -> Iterator[str]:
    """The fixture over HTTP; its address."""
    port = free_port()
    with subprocess.Popen([*FIXTURE, str(port)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_for(lambda: is_listening(port), 30)
            yield f"http://127.0.0.1:{port}/mcp"
        finally:
            process.kill()


@pytest.fixture(scope="module", name="direct")
def _direct(suite: Suite, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[Check, list[str]]]:
    """What the suite says of the fixture itself, by version."""
    place = tmp_path_factory.mktemp("direct")
    with serving() as url:
        return {version: suite.run(url, version, place / version) for version in VERSIONS}


@pytest.mark.parametrize("version", VERSIONS)
def test_the_fixture_itself_passes_every_check(direct: dict[str, dict[Check, list[str]]], version: str) -> None:
    """Without this the comparison below would hold for a server that offers nothing."""
    checks = direct[version]
    assert {check: found for check, found in checks.items() if not set(found) <= {"SUCCESS", "INFO"}} == {}
    scenarios, passed = LEAST[version]
    assert len({scenario for scenario, _, _ in checks}) >= scenarios
    assert sum(found.count("SUCCESS") for found in checks.values()) >= passed


@pytest.mark.parametrize("version", VERSIONS)
@pytest.mark.parametrize("target", ["none", "portable"])
@pytest.mark.parametrize("behind", ["an address", "a command"])
def test_the_proxy_differs_only_in_what_is_listed(
    suite: Suite,
    direct: dict[str, dict[Check, list[str]]],
    version: str,
    target: str,
    behind: str,
    tmp_path: Path,
) -> None:
    if behind == "a command":
        with front("--for", target, server=FIXTURE) as url:
            through = suite.run(f"{url}/mcp", version, tmp_path / "results")
    else:
        with serving() as server, front("--for", target, url=server) as url:
            through = suite.run(f"{url}/mcp", version, tmp_path / "results")
    found = differing(direct[version], through)
    wanted = listed(DIFFERENCES, f"{target} before {behind}", version)
    new = {check: (direct[version].get(check), through.get(check)) for check in found - wanted}
    assert new == {}, "these checks differ, and are not listed"
    assert wanted - found == set(), "these checks are listed, and do not differ any more"


def test_nothing_is_listed_for_no_target_before_an_address() -> None:
    assert [listed(DIFFERENCES, "none before an address", version) for version in VERSIONS] == [set(), set()]
