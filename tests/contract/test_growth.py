"""Growth of a baseline: what counts, and reading the old state from git."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from baseline_rows import entry

from toolglot.contract.baseline import parse_baseline
from toolglot.contract.growth import baseline_at, check_against, growth
from toolglot.errors import ConfigError
from toolglot.targets.load import SHIPPED

WIDE = entry("*", pointer="")
NEAR = entry(pointer="/a/b")


@pytest.mark.parametrize(
    ("old", "new", "grown"),
    [
        ("", "", []),
        ("", entry(), [(1, [])]),
        (entry(), "", []),
        (entry(), entry(), []),
        (entry(), entry(reason="", issue="", expires="2027-01-01").replace("'2027-01-01'", "2027-01-01"), []),
        (entry(), entry("u") + entry(), [(1, [])]),
        (entry(), NEAR, []),
        (NEAR, entry(), [(1, [1])]),
        (NEAR, NEAR + entry(), [(2, [])]),
        (NEAR + entry(pointer="/a/c"), entry(), [(1, [1, 2])]),
        (entry(), WIDE, [(1, [1])]),
        (WIDE, entry() + entry("u"), []),
        (entry("t*"), entry("te*"), []),
        (entry("te*"), entry("t*"), [(1, [1])]),
        (entry("t*"), entry("*t"), [(1, [])]),
        (entry(pointer="/**/a"), entry(pointer="/a/**"), []),
        (entry(rule="TG201"), entry(rule="TG201", target="gemini"), []),
        (entry(rule="TG201", target="gemini"), entry(rule="TG201"), [(1, [1])]),
        (entry(target="gemini"), entry(target=["gemini", "cursor"]), [(1, [])]),
        (entry(), entry(rule="TG102"), [(1, [])]),
    ],
)
def test_what_is_growth(old: str, new: str, grown: list[tuple[int, list[int]]]) -> None:
    found = growth(parse_baseline(old), parse_baseline(new))
    assert [(one.entry.number, [other.number for other in one.widens]) for one in found] == grown


@pytest.mark.parametrize(
    ("old", "message"),
    [
        ("", "entry 1 (line 1) (TG101) is new: old editor (https://example.org/1)."),
        (NEAR, "entry 1 (line 1) (TG101) lists more than before: old editor (https://example.org/1)."),
    ],
)
def test_growth_as_a_finding(old: str, message: str) -> None:
    new = parse_baseline(entry(), "b.toml")
    (found,) = growth(parse_baseline(old), new)
    as_finding = found.finding(new)
    assert (as_finding.code, as_finding.severity, as_finding.message) == ("TG307", "error", message)


needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with a baseline in a directory, in the second of two commits."""
    below = tmp_path / "server"
    below.mkdir()
    _git(tmp_path, "init", "-q", "-b", "main")
    _git(tmp_path, "commit", "-q", "--allow-empty", "-m", "first")
    (below / "b.toml").write_text(entry(rule="TG201", target="gemini"), encoding="utf-8")
    _git(tmp_path, "add", ".")
    _git(tmp_path, "commit", "-q", "-m", "second")
    return below


def _git(directory: Path, *words: str) -> None:
    who = ["-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", "-C", str(directory), *who, *words], check=True, capture_output=True)


@needs_git
@pytest.mark.parametrize(("ref", "grown"), [("HEAD", ["u"]), ("main", ["u"]), ("HEAD~1", ["t", "u"])])
def test_against_a_commit(repository: Path, ref: str, grown: list[str]) -> None:
    same_by_id = entry(rule="TG201", target="gemini-parameters-json-schema")
    (repository / "b.toml").write_text(same_by_id + entry("u"), encoding="utf-8")
    assert [one.entry.tool for one in check_against(ref, repository / "b.toml", SHIPPED)] == grown


@needs_git
def test_a_file_that_is_gone_has_not_grown(repository: Path) -> None:
    (repository / "b.toml").unlink()
    assert check_against("HEAD", repository / "b.toml", SHIPPED) == ()


@needs_git
@pytest.mark.parametrize("ref", ["nowhere", "--all", "HEAD:server/b.toml", ""])
def test_an_unknown_commit(repository: Path, ref: str) -> None:
    with pytest.raises(ConfigError, match="is no commit here"):
        check_against(ref, repository / "b.toml", SHIPPED)


@needs_git
def test_an_old_file_that_is_no_baseline(repository: Path) -> None:
    (repository / "b.toml").write_text("[[entri]]\n", encoding="utf-8")
    _git(repository, "commit", "-q", "-a", "-m", "third")
    with pytest.raises(ConfigError, match=r"HEAD:b.toml: entri: is not known"):
        baseline_at("HEAD", repository / "b.toml")


@needs_git
def test_no_repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    with pytest.raises(ConfigError, match="not a git repository"):
        check_against("HEAD", tmp_path / "b.toml", SHIPPED)


def test_no_git(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="git: cannot be started"):
        check_against("HEAD", tmp_path / "b.toml", SHIPPED)
