"""Growth of a baseline between two states of a repository: a new entry, or one that lists more than before."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from toolglot.contract.baseline import RULES
from toolglot.contract.entries import (
    Baseline,
    Entry,
    Index,
    load_baseline,
    parse_baseline,
    resolve_targets,
)
from toolglot.contract.model import Finding
from toolglot.errors import ConfigError

if TYPE_CHECKING:
    from pathlib import Path

    from toolglot.targets.load import Catalogue


@dataclass(frozen=True, slots=True)
class Growth:
    """An entry that the old baseline does not cover; `widens` are the old entries that it replaces and exceeds."""

    entry: Entry
    widens: tuple[Entry, ...] = ()

    def finding(self, baseline: Baseline) -> Finding:
        """It as a finding TG307, with reason and issue of the entry."""
        entry = self.entry
        kind = "lists more than before" if self.widens else "is new"
        reason, issue = entry.reason or "no reason", entry.issue or "no issue"
        return Finding(
            code="TG307",
            rule=RULES["TG307"],
            severity="error",
            source=baseline.path,
            tool=entry.tool or None,
            index=None,
            pointer=entry.pointer,
            keyword=None,
            message=f"{entry.where} ({entry.violation}) {kind}: {reason} ({issue}).",
            why="The list of accepted violations exists to reach zero.",
            fix="Remove the violation, or accept the growth knowingly with --allow-growth.",
            targets=(entry.target,) if entry.target else (),
            group=entry.key,
        )


def growth(old: Baseline, new: Baseline) -> tuple[Growth, ...]:
    """The entries of the new baseline that list something which the old one does not, in the order of the file.

    An entry is no growth if one old entry covers it. Narrowing, removing, and other reasons, issues or dates are
    none. Targets are compared as they are: see `resolve_targets`.
    """
    index, staying = Index(old.entries), Index(new.entries)
    return tuple(
        Growth(entry, tuple(_widened(entry, old.entries, staying)))
        for entry in new.entries
        if not any(other.covers(entry) for other in index.near(entry.rule, entry.tool))
    )


def _widened(entry: Entry, old: Iterable[Entry], staying: Index) -> Iterable[Entry]:
    """The old entries that the new one covers and that are no longer there themselves."""
    for other in old:
        alike = (now for now in staying.near(other.rule, other.tool) if other.covers(now))
        if entry.covers(other) and not any(now.covers(other) for now in alike):
            yield other


def check_against(ref: str, path: Path, catalogue: Catalogue) -> tuple[Growth, ...]:
    """The growth of the baseline file since a commit. A file that is missing on one side is an empty baseline.

    In: anything that git takes for a commit, the path of the file, the known targets. Raises ConfigError: no git, no
    repository, an unknown commit, a file that is no baseline.
    """
    new = load_baseline(path) if path.is_file() else Baseline()
    old = baseline_at(ref, path)
    return growth(resolve_targets(old, catalogue), resolve_targets(new, catalogue))


def baseline_at(ref: str, path: Path) -> Baseline:
    """The baseline as a commit has it; empty where the file did not exist then. Raises ConfigError."""
    git = _Git(path.absolute().parent)
    commit = git.commit(ref)
    name = f"{commit}:./{path.name}"
    if not git.ask("cat-file", "-e", name).ok:
        return Baseline()
    return parse_baseline(git.ask("cat-file", "blob", name).output, f"{ref}:{path.name}")


@dataclass(frozen=True, slots=True)
class _Answer:
    ok: bool
    output: bytes
    error: str


class _Git:
    """Asks git about one directory."""

    def __init__(self, directory: Path) -> None:
        self._directory = directory

    def ask(self, *words: str) -> _Answer:
        """Run one git command that changes nothing."""
        command = ("git", "-C", str(self._directory), *words)
        try:
            done = subprocess.run(command, capture_output=True, check=False, stdin=subprocess.DEVNULL)
        except OSError as error:
            raise ConfigError("git", "", f"cannot be started: {error.strerror or error}.") from None
        return _Answer(done.returncode == 0, done.stdout, done.stderr.decode("utf-8", "replace").strip())

    def commit(self, ref: str) -> str:
        """The id of the commit."""
        inside = self.ask("rev-parse", "--git-dir")
        if not inside.ok:
            problem = inside.error.splitlines()[0] if inside.error else "git refuses"
            raise ConfigError(ref, "", f"cannot be looked up: {problem}.", hint="Run it inside the repository.")
        # A name that starts with a dash would be an option.
        found = self.ask("rev-parse", "--verify", "--quiet", f"{ref}^{{commit}}")
        if ref.startswith("-") or not found.ok:
            hint = "Fetch it first: a shallow clone has one commit only."
            raise ConfigError(ref, "", "is no commit here.", hint=hint)
        return found.output.decode("ascii").strip()
