"""The group of commands, and the one place where an error becomes a line on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

import click

from toolglot import __version__
from toolglot.cli.console import fail, harmless_streams
from toolglot.cli.options import HelpfulGroup
from toolglot.errors import ToolglotError

if TYPE_CHECKING:
    from collections.abc import Sequence

COMMANDS: dict[str, tuple[str, str]] = {
    "check": ("toolglot.cli.check:check", "Say which tools break, for whom, and what to write instead."),
    "normalize": ("toolglot.cli.normalize:normalize", "Make tools fit a target: what is sent, and what that costs."),
    "names": ("toolglot.cli.names:names", "Show which names a target gets, where they are not the published ones."),
    "adk": ("toolglot.cli.adk:adk", "Show what an adapter of ADK-Rust makes of tools, and what it loses."),
    "proxy": (
        "toolglot.cli.proxy:proxy",
        "Stand between a client and a server, and make the tools fit the client's model.",
    ),
    "capture": ("toolglot.cli.capture:capture", "Save what a server answers to tools/list, verbatim."),
    "surface": ("toolglot.cli.surface:surface", "Show which tools read, can be gated, or may change something."),
    "targets": ("toolglot.cli.targets:targets", "Show what is known about providers, clients and engines."),
    "explain": ("toolglot.cli.explain:explain", "Explain a rule, a feature or a target."),
    "explain-error": (
        "toolglot.cli.explain_error:explain_error",
        "Say which tool and which place a provider's error text is about.",
    ),
    "probe": ("toolglot.cli.probe:probe", "Send tools to a provider's real API, and say which it refuses."),
    "eval": (
        "toolglot.cli.eval:evaluate",
        "Measure what a model makes of tools, as published and as fitted.",
    ),
    "rule": ("toolglot.cli.explain:rule", "The same as explain."),
    "baseline": ("toolglot.cli.baseline:baseline", "Keep the list of known violations: add, prune, check."),
}
"""Name, where it is, and the line of the overview: the overview imports no command."""

INTERRUPTED = 130
CLOSED_PIPE = 141
_HIDDEN = ("rule",)


class LazyGroup(HelpfulGroup):
    """A group whose commands are imported when they are used."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The commands in the order of the overview."""
        return [name for name in COMMANDS if name not in _HIDDEN]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command with this name, imported now; None where there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name][0].partition(":")
        return getattr(import_module(module), attribute)

    def hint(self, ctx: click.Context, word: str) -> str:
        """The nearest command, or how to check what is named."""
        return super().hint(ctx, word) or f"To check a source: `toolglot check {word}`."

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The overview, without importing a command."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name][1]) for name in self.list_commands(ctx)])

    def invoke(self, ctx: click.Context) -> Any:
        """Run; Ctrl-C and a closed pipe end it quietly."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            ctx.exit(INTERRUPTED)
        except BaseExceptionGroup as group:
            if group.split(KeyboardInterrupt)[0] is None:
                raise
            ctx.exit(INTERRUPTED)


@click.group(
    cls=LazyGroup,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Every option can also be set in the environment: TOOLGLOT_FAIL_ON=warning is --fail-on warning.",
)
@click.version_option(__version__, "--version", message="%(prog)s %(version)s")
def app() -> None:
    """Check what an MCP server publishes in tools/list.

    \b
    toolglot check tools.json                       a saved list
    toolglot check -- npx -y SERVER                 a server over stdio
    toolglot check https://example.com/mcp          a server over HTTP
    toolglot check package.module:server            a server in process
    toolglot check .vscode/mcp.json --server NAME   a server of a client's configuration
    """


def run(args: Sequence[str]) -> int:
    """Run one command line; every error becomes one line on stderr, and a next step. Out: the exit code."""
    harmless_streams()
    try:
        code = app.main(list(args), prog_name="toolglot", standalone_mode=False)
        print(end="", flush=True)  # works without a stdout, too
    except click.exceptions.Abort:
        return INTERRUPTED
    except click.UsageError as error:
        return _usage(error)
    except click.ClickException as error:
        return fail(error.format_message())
    except ToolglotError as error:
        return fail(error.message, error.hint)
    except BrokenPipeError:
        _drop_output()
        return CLOSED_PIPE
    except OSError as error:
        _drop_output()
        return fail(f"{error.filename or 'the output'}: {error.strerror or error}.")
    except Exception as error:
        return _unexpected(error)
    return code if isinstance(code, int) else 0


def _usage(error: click.UsageError) -> int:
    what, _, hint = error.format_message().partition("\n")
    if isinstance(error, click.NoSuchOption):
        what = f"no such option {error.option_name}."
        hint = f"Did you mean {' or '.join(error.possibilities)}?" if error.possibilities else ""
    steps = [hint] if hint else []
    if error.ctx is not None:
        steps.append(f"`{error.ctx.command_path} --help` shows the options.")
    return fail(what[:1].lower() + what[1:], "\n".join(steps))


def _drop_output() -> None:
    # Python flushes stdout once more at exit; that must not fail again.
    with suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unexpected(error: Exception) -> int:
    if os.environ.get("TOOLGLOT_DEBUG"):
        raise error
    where = f"{type(error).__name__}: {error}".rstrip(": ")
    return fail(
        f"toolglot itself failed: {where[:300]}. Please report it with the command; "
        "TOOLGLOT_DEBUG=1 shows where it happened."
    )
