"""From the command line to one list of tools and one target: for `normalize` and `names`."""

from __future__ import annotations

from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.options import all_of, names_option
from toolglot.cli.project import Project, project
from toolglot.cli.sources import Given, read_all, sources_of
from toolglot.errors import UnknownTool
from toolglot.targets.load import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from toolglot.schema.tool import Listing
    from toolglot.targets.model import Target

tool_option = names_option("--tool", "tools", metavar="NAME", help="Show these tools only, by published name.")
fitting_options = all_of(
    names_option(
        "--for",
        "--target",
        "-t",
        "target",
        metavar="TARGET",
        help="The target: an id, a short name, `client+api`, or a file. [default: the one of the configuration]",
    ),
    tool_option,
)


@dataclass(frozen=True, slots=True)
class Fitting:
    """One source and one target, as the command line names them; `wanted` are the names of `--tool`."""

    project: Project
    target: Target
    listing: Listing
    wanted: tuple[str, ...]

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Fitting:
        """Read the source. Raises UsageError, ConfigError, UnknownTarget, SourceError; UnknownTool for `--tool`."""
        found = project(options["config"], options["isolated"])
        named = options["target"] or ()
        target = _one_target((named,) if isinstance(named, str) else named, found)
        return cls(found, target, one_listing(options, found), options["tools"])

    def shows(self, name: str | None) -> bool:
        """Whether a published name is one of those to be shown."""
        return not self.wanted or name in self.wanted


def one_listing(options: Mapping[str, Any], found: Project) -> Listing:
    """Read the one source of the command line. Raises UsageError, SourceError; UnknownTool for `--tool`."""
    given = Given.of(options)
    if len(sources_of(given, found.config)) != 1 or given.all_servers:
        raise _usage(f"`{click.get_current_context().info_name}` takes one source.")
    (listing,) = read_all(given, found.config)
    _check_names(options["tools"], listing)
    return listing


def _one_target(named: tuple[str, ...], found: Project) -> Target:
    names = named or found.config.target or ()
    if len(names) != 1:
        raise _usage("name one target with --for TARGET.\n`toolglot targets` lists them.")
    if names[0] in GROUPS:
        members = ", ".join(found.catalogue.group(names[0])[:4])
        raise _usage(f"{names[0]!r} is a group of targets, and one is needed.\nIts targets are {members}, ...")
    return found.catalogue.target(names[0])


def _check_names(names: Iterable[str], listing: Listing) -> None:
    known = [tool.name for tool in listing.tools]
    for name in names:
        if name not in known:
            raise UnknownTool(name, get_close_matches(name, known, 3))


def _usage(message: str) -> click.UsageError:
    return click.UsageError(message, click.get_current_context())
