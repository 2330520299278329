"""`publish` and `typed_value` on the SDKs that cannot be installed beside 2.x: the same tests, run there."""

from __future__ import annotations

import subprocess

import pytest
from tests.accept.conftest import ROOT, Environment

ENVIRONMENTS = {
    "publish-sdk1": ("mcp==1.*",),
    "publish-fastmcp2": ("fastmcp==2.*",),
    "publish-fastmcp3": ("fastmcp==3.*",),
}


@pytest.mark.parametrize(("name", "packages"), ENVIRONMENTS.items(), ids=list(ENVIRONMENTS))
def test_published_servers(environment: Environment, name: str, packages: tuple[str, ...]) -> None:
    python = environment(name, *packages, f"--editable={ROOT}", "pytest", "hypothesis")
    command = [python, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-o", "addopts=", "-o", "filterwarnings="]
    done = subprocess.run(
        [*command, "tests/publish"], cwd=ROOT, capture_output=True, text=True, timeout=1200, check=False
    )
    assert done.returncode == 0, done.stdout[-3000:]
    assert " passed" in done.stdout
