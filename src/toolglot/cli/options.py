"""Options that several commands share. Every option is also read from `TOOLGLOT_<OPTION>`."""

from __future__ import annotations

from collections.abc import Callable
from difflib import get_close_matches
from functools import reduce
from typing import TYPE_CHECKING, Any, TypeVar

import click

from toolglot.contract.model import SEVERITIES

if TYPE_CHECKING:
    from collections.abc import Iterable

_F = TypeVar("_F", bound=Callable[..., Any])

PREFIX = "TOOLGLOT_"


def option(*names: str, **settings: Any) -> Callable[[_F], _F]:
    """`click.option` that is read from the environment too: `--fail-on` from `TOOLGLOT_FAIL_ON`."""
    return click.option(*names, envvar=env_names(names), **settings)


class HelpfulGroup(click.Group):
    """A group that names the nearest command, and shows its help where no command is given."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does it; without arguments the help and exit code 2."""
        if not args:
            click.echo(ctx.get_help())
            ctx.exit(2)
        return super().parse_args(ctx, args)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it; an unknown command is an error with a hint."""
        if self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise click.UsageError(f"no such command {args[0]!r}.\n{self.hint(ctx, args[0])}", ctx)
        return super().resolve_command(ctx, args)

    def hint(self, ctx: click.Context, word: str) -> str:
        """What may have been meant; empty where nothing resembles it."""
        near = get_close_matches(word, self.list_commands(ctx), 1)
        return f"Did you mean {near[0]}?" if near else ""


def env_names(names: Iterable[str]) -> list[str]:
    """The environment variables of an option with these names: one for each long name."""
    return [PREFIX + name[2:].replace("-", "_").upper() for name in names if name.startswith("--")]


class _Listed(click.types.StringParamType):
    # In the environment an option that may be repeated is one text; click would cut it at spaces.
    envvar_list_splitter = ","


class _Lines(click.types.StringParamType):
    envvar_list_splitter = "\n"


def _flat(ctx: click.Context, param: click.Parameter, value: tuple[str, ...]) -> tuple[str, ...]:
    names = (name.strip() for text in value for name in text.split(","))
    return tuple(dict.fromkeys(filter(None, names)))


def names_option(*names: str, help: str, metavar: str = "NAME") -> Callable[[_F], _F]:
    """An option that takes names: repeated, or in one list with commas."""
    return option(*names, type=_Listed(), multiple=True, callback=_flat, metavar=metavar, help=help)


def all_of(*decorators: Callable[[_F], _F]) -> Callable[[_F], _F]:
    """Several options as one decorator, in the order in which the help shows them."""
    return lambda function: reduce(lambda inner, decorate: decorate(inner), reversed(decorators), function)


target_option = names_option(
    "--for",
    "--target",
    "-t",
    "target",
    metavar="TARGET",
    help="Targets: ids, short names, groups, `client+api`, or files. [default: the default targets]",
)

output_option = option("--output", "-o", metavar="FILE", help="Write the result to a file.")
verbose_option = option("--verbose", "-v", is_flag=True, help="Show notes, sources, dates and every place.")

config_options = all_of(
    option("--config", metavar="FILE", help="The configuration to read. [default: the nearest toolglot.toml]"),
    option("--isolated", is_flag=True, help="Read no configuration."),
)

source_options = all_of(
    option(
        "--timeout",
        type=click.FloatRange(min=0, min_open=True),
        metavar="SECONDS",
        help="Time that a server has to answer. [default: 30]",
    ),
    option("--header", type=_Lines(), multiple=True, metavar="NAME:VALUE", help="A header for a server over HTTP."),
    option(
        "--header-from-env",
        type=_Lines(),
        multiple=True,
        metavar="NAME=VAR",
        help="A header with the value of an environment variable.",
    ),
    option(
        "--transport",
        type=click.Choice(["auto", "http", "sse"]),
        default="auto",
        show_default=True,
        help="How to speak to a URL.",
    ),
    option("--server", metavar="NAME", help="A server of the client configuration that SOURCE is."),
    option("--all", "all_servers", is_flag=True, help="All servers of the client configuration that SOURCE is."),
    option("--schema", is_flag=True, help="SOURCE holds a bare JSON Schema, not a list of tools."),
    option("--allow-empty", is_flag=True, help="A server without tools is fine."),
    option("--run-configured", is_flag=True, help="Run the server command that the configuration names."),
)

rule_options = all_of(
    names_option("--select", metavar="RULE", help="Check these rules only: codes, prefixes of codes, or names."),
    names_option("--ignore", metavar="RULE", help="Leave these rules out."),
    option(
        "--preset",
        type=click.Choice(["policy"]),
        help="A fixed choice of rules; policy is TG101, TG102 and the baseline.",
    ),
    option("--fail-on", type=click.Choice(SEVERITIES), help="The mildest severity that fails. [default: error]"),
)

baseline_options = all_of(
    option(
        "--baseline", metavar="FILE", help="The baseline. [default: toolglot-baseline.toml beside the configuration]"
    ),
    option("--no-baseline", is_flag=True, help="Read no baseline."),
)
