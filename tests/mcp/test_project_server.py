"""The `server` of a configuration as a source."""

from __future__ import annotations

from pathlib import Path

import pytest

from toolglot.contract.config import Config
from toolglot.errors import ConfigError
from toolglot.mcp.project_server import project_server
from toolglot.mcp.sources import Command, InProcess, SavedFile, Source, Url


@pytest.mark.parametrize(
    ("server", "source"),
    [
        (("uv", "run", "a b"), Command(("uv", "run", "a b"), {}, Path("here"))),
        ("uv run 'a b'", Command(("uv", "run", "a b"), {}, Path("here"))),
        ("my-server", Command(("my-server",), {}, Path("here"))),
        ("shop.server:mcp", InProcess("shop.server", "mcp")),
        ("https://example.org/mcp", Url("https://example.org/mcp")),
    ],
)
def test_what_a_server_means(server: tuple[str, ...] | str, source: Source) -> None:
    assert project_server(Config(path=Path("here/toolglot.toml"), server=server)) == source


def test_a_file_is_beside_the_configuration(tmp_path: Path) -> None:
    (tmp_path / "my tools.json").write_text("[]", encoding="utf-8")
    config = Config(path=tmp_path / "toolglot.toml", server="my tools.json")
    assert project_server(config) == SavedFile(tmp_path / "my tools.json")


@pytest.mark.parametrize(("server", "message"), [(None, "server: is missing."), ("a 'b", "server: is no command")])
def test_no_server(server: str | None, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        project_server(Config(path=Path("toolglot.toml"), server=server))
