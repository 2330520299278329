"""What a project has decided: its configuration, and the targets with its additions and corrections."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import click

from toolglot.contract.config import Config, find_config, load_config
from toolglot.targets.load import Catalogue


@dataclass(frozen=True, slots=True)
class Project:
    """A configuration with the targets that follow from it."""

    config: Config
    catalogue: Catalogue


def project(config: str | None, isolated: bool) -> Project:
    """The project of these options: the named file, none (`isolated`), or the nearest one upwards.

    Raises ConfigError for a file that is wrong, UsageError where both options are given.
    """
    if config and isolated:
        raise click.UsageError("--config and --isolated exclude each other.", click.get_current_context())
    if isolated:
        return Project(Config(), Catalogue())
    found = load_config(Path(config)) if config else find_config(Path())
    return Project(found, Catalogue(found.extra_targets, found.corrections, found.shown))
