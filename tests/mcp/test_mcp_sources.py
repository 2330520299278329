"""What a SOURCE argument means."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from toolglot.errors import SourceError
from toolglot.mcp.sources import FORMS, Command, InProcess, SavedFile, StandardInput, Url, parse_source

ACCEPTED = [
    ("-", StandardInput()),
    ("tools.json", SavedFile(Path("tools.json"))),
    ("big.json", SavedFile(Path("big.json"))),
    ("list.json", SavedFile(Path("list.json"))),
    ("broken.json", SavedFile(Path("broken.json"))),
    ("text.json", SavedFile(Path("text.json"))),
    ("http://localhost:3000/mcp", Url("http://localhost:3000/mcp")),
    ("https://example.com/mcp?x=1", Url("https://example.com/mcp?x=1")),
    ("server:mcp", InProcess("server", "mcp")),
    ("package.module:app.server", InProcess("package.module", "app.server")),
]


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "tools.json").write_text("[]")
    (tmp_path / "server.py").write_text("")
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "server.py").write_text("")
    (tmp_path / "project" / ".vscode").mkdir(parents=True)
    (tmp_path / "project" / ".vscode" / "mcp.json").write_text("{}")
    (tmp_path / "big.json").write_text(
        '{"tools": [{"name": "a", "inputSchema": {"properties": {"servers": {}}}}], "servers": {}}'
    )
    (tmp_path / "list.json").write_text('[{"name": "servers", "x": {"servers": NaN}}]')
    (tmp_path / "broken.json").write_text('{"servers": {"a": }}')
    (tmp_path / "text.json").write_text('{"servers": "a", "mcp": {"x": 1}}')
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("text", "source"), ACCEPTED)
def test_accepted_forms(text: str, source: object) -> None:
    assert parse_source(text) == source


def test_a_command_keeps_its_words() -> None:
    source = parse_source(command=["npx", "-y", "a b"], env={"A": "1"}, cwd=Path("x"))
    assert source == Command(("npx", "-y", "a b"), {"A": "1"}, Path("x"))
    assert source.id == "npx -y 'a b'"


REFUSED = [
    ("tool.json", "there is no such file.", "Did you mean tools.json?"),
    ("nowhere/else.json", "there is no such file.", ""),
    ("server.py:mcp", "there is no such file.", "Did you mean server:mcp?"),
    ("src/app/server.py:mcp", "there is no such file.", "Did you mean src.app.server:mcp?"),
    ("npx -y some-server", "this is no source.", "Did you mean `-- npx -y some-server`?"),
    ("npx", "this is no source.", "Did you mean `-- npx`?"),
    ("localhost:3000/mcp", "there is no such file.", "Did you mean http://localhost:3000/mcp?"),
    ("pkg.server", "there is no such file.", "Did you mean pkg.server:NAME, with the name of the server object?"),
    ("mcp.example.com", "there is no such file.", "Did you mean http://mcp.example.com?"),
    ("project", "this is a directory.", "Did you mean project/.vscode/mcp.json?"),
    (".", "this is a directory.", ""),
    ("word", "this is no source.", ""),
]


@pytest.mark.parametrize(("text", "message", "guess"), REFUSED)
def test_what_is_no_source_names_the_forms_and_the_nearest_guess(text: str, message: str, guess: str) -> None:
    with pytest.raises(SourceError) as caught:
        parse_source(text)
    assert caught.value.message == f"{text}: {message}"
    assert caught.value.hint == f"{guess} {FORMS}".strip()
    assert caught.value.source == text


def test_a_source_and_a_command_do_not_go_together() -> None:
    with pytest.raises(SourceError, match="both given"):
        parse_source("tools.json", command=["x"])


@pytest.mark.parametrize("text", [None, ""])
def test_no_source(text: str | None) -> None:
    with pytest.raises(SourceError, match="no source is named"):
        parse_source(text)


def test_a_python_file_is_read_as_a_saved_list_and_refused_there() -> None:
    assert parse_source("server.py") == SavedFile(Path("server.py"))


HEAVY = ("httpx", "mcp", "fastmcp", "asyncio", "anyio", "jsonschema_rs", "rich")


def test_importing_sources_imports_nothing_heavy() -> None:
    script = f"import sys, toolglot.mcp.sources; print([name for name in {HEAVY!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
