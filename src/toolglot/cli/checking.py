"""From the command line to a report: configuration, sources, baseline, and the check itself."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.project import Project, project
from toolglot.cli.sources import Given, read_all
from toolglot.contract.baseline import baseline_of, load_baseline
from toolglot.contract.check import check
from toolglot.contract.entries import Baseline

if TYPE_CHECKING:
    from collections.abc import Mapping

    from toolglot.contract.config import Config
    from toolglot.contract.model import Report, Severity
    from toolglot.schema.tool import Listing


@dataclass(frozen=True, slots=True)
class Checking:
    """One check as the command line asks for it."""

    project: Project
    given: Given
    options: Mapping[str, Any]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Checking:
        """From the options of a command. Raises ConfigError, UsageError."""
        return cls(project(options["config"], options["isolated"]), Given.of(options), options)

    @property
    def config(self) -> Config:
        """The configuration of the project."""
        return self.project.config

    @property
    def fail_on(self) -> Severity:
        """The mildest severity that fails."""
        return self.options.get("fail_on") or self.config.fail_on

    @property
    def default_targets(self) -> bool:
        """Whether nobody named targets."""
        return not (self.options.get("target") or self.config.target)

    @property
    def baseline_path(self) -> Path:
        """The file that holds the baseline, or will hold it."""
        named = self.options.get("baseline")
        return Path(named) if named else self.config.baseline_path

    def baseline(self) -> Baseline | None:
        """The baseline that counts; None with `--no-baseline`, and with `--isolated` unless one is named."""
        named = self.options.get("baseline")
        if self.options.get("no_baseline"):
            if named:
                raise click.UsageError("--baseline and --no-baseline exclude each other.", click.get_current_context())
            return None
        if self.options["isolated"] and not named:
            return None
        return load_baseline(Path(named), self.config.issue_pattern) if named else baseline_of(self.config)

    def read(self, *, keep_errors: bool = False) -> tuple[Listing, ...]:
        """What the sources published; see `read_all`. Raises SourceError, UsageError, ToolglotError."""
        return read_all(self.given, self.config, keep_errors=keep_errors)

    def report(self, listings: tuple[Listing, ...], baseline: Baseline | None) -> Report:
        """Check what was read. Raises UnknownTarget, ConfigError, ToolglotError for an unknown rule."""
        options = self.options
        return check(
            listings,
            target=options.get("target") or None,
            select=options.get("select") or None,
            ignore=options.get("ignore") or None,
            baseline=baseline,
            preset=options.get("preset"),
            config=self.config,
            catalogue=self.project.catalogue,
        )
