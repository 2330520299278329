"""`toolglot eval`: what a model makes of the same tasks with tools as published, collapsed, and fitted."""

from __future__ import annotations

import json
import sys
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from toolglot import __version__
from toolglot.cli.asking import agree, asking_options
from toolglot.cli.console import progress, write
from toolglot.cli.fitting import one_listing
from toolglot.cli.options import config_options, names_option, option, output_option, source_options
from toolglot.cli.project import project
from toolglot.cli.sources import Given, SourceCommand
from toolglot.mcp.sources import parse_source, read
from toolglot.providers.eval import TURNS, key_variable, model_at
from toolglot.providers.eval_tasks import ARMS, run, score, tasks
from toolglot.report.escape import plain
from toolglot.report.view import count

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolglot.cli.project import Project
    from toolglot.providers.eval_tasks import Row, Task
    from toolglot.schema.tool import Listing

VERSION = 1
_TARGET = "portable-strict"
_DEMO = (sys.executable, "-m", "toolglot.demo")
_SHOWN = ("equal", "equal_in_first_turn", "valid_but_other", "refused", "not_sent", "turns")
_EVERY = 25


@click.command("eval", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@option("--endpoint", metavar="URL", required=True, help="Any endpoint that speaks Chat Completions.")
@asking_options
@option("--for", "--target", "-t", "target", metavar="TARGET", help=f"What our arm fits tools to. [default: {_TARGET}]")
@names_option("--tool", "tools", metavar="NAME", help="Take these tools only, by published name.")
@option("--tasks", "most", type=click.IntRange(min=1), default=30, show_default=True, help="The most tasks.")
@option("--seed", type=int, default=1, show_default=True, help="Chooses the tasks; the model gets it too.")
@option("--json", "as_json", is_flag=True, help="Write the result as JSON, with model, date and every task.")
@output_option
@source_options
@config_options
def evaluate(**options: Any) -> None:
    """Measure what a model makes of the same tasks with tools in three forms.

    The forms: as published; with the first branch of each union kept; as toolglot fits them. A task is a value that
    the tool takes, told in words. What counts is the share of calls that give the server exactly that value. Without
    a SOURCE the tools are those of the demo server.

    \b
    toolglot eval --endpoint http://127.0.0.1:11434/v1 --model NAME
    toolglot eval tools.json --endpoint URL --model NAME --for TARGET --tasks 100 --json -o result.json
    """
    found = project(options["config"], options["isolated"])
    target = found.catalogue.target(options["target"] or _TARGET)
    listing = _listing(options, found)
    wanted = [tool for tool in listing.tools if not options["tools"] or tool.name in options["tools"]]
    chosen = tasks(wanted, options["most"], options["seed"])
    with model_at(options["endpoint"], options["model"], options["seed"], options["key_from_env"] or "") as model:
        agree(_announced(chosen, len(wanted), options), options["yes"])
        model.check(found.catalogue.target(target.fallback) if target.fallback else target)
        rows: list[Row] = []
        for row in run(chosen, model.play, target, found.catalogue):
            rows.append(row)
            if len(rows) % _EVERY == 0:
                progress(f"{len(rows)} of {len(chosen) * len(ARMS)}")
        result = _result(rows, listing, target.id, options, model.requests)
    write(
        json.dumps(result, indent=2, ensure_ascii=False) + "\n" if options["as_json"] else _text(result),
        options["output"],
    )


def _listing(options: Mapping[str, Any], found: Project) -> Listing:
    """The tools of the source; of the demo server where none is named."""
    given = Given.of(options)
    if given.texts or given.command or found.config.server is not None:
        return one_listing(options, found)
    (listing,) = read(parse_source(command=_DEMO))
    return listing


def _announced(chosen: Sequence[Task], tools: int, options: Mapping[str, Any]) -> Iterator[str]:
    """What will be sent, in how many calls, to which host, with which key."""
    most = len(chosen) * len(ARMS) * TURNS + 1
    what = f"{count(len(chosen), 'task')} with {count(tools, 'tool')}"
    yield f"This sends {what} to {plain(_host(options))} with the model {plain(options['model'])}."
    yield f"Each task is asked in {len(ARMS)} forms, with one retry: at most {count(most, 'request')}."
    key = options["key_from_env"] or key_variable(options["endpoint"])
    yield f"They go {f'with the key from {key}' if key else 'without a key'}, and cost what the endpoint charges."


def _host(options: Mapping[str, Any]) -> str:
    """The endpoint without credentials."""
    before, at, after = options["endpoint"].partition("@")
    return f"{before.partition('//')[0]}//{after}" if at else before


def _result(
    rows: Sequence[Row], listing: Listing, target: str, options: Mapping[str, Any], requests: int
) -> dict[str, Any]:
    return {
        "version": VERSION,
        "toolglot": __version__,
        "date": date.today().isoformat(),
        "model": options["model"],
        "endpoint": _host(options),
        "target": target,
        "server": listing.server,
        "seed": options["seed"],
        "requests": requests,
        "arms": score(rows),
        "tasks": [_row(row) for row in rows],
    }


def _row(row: Row) -> dict[str, Any]:
    outcome = row.outcome
    return {
        "tool": row.task.tool.name,
        "arm": row.arm,
        "expected": row.task.expected,
        "given": outcome.given,
        "equal": row.equal,
        "turns": outcome.turns,
        "refused": outcome.refused,
        "prompt_tokens": outcome.prompt_tokens,
        "completion_tokens": outcome.completion_tokens,
    }


def _text(result: Mapping[str, Any]) -> str:
    width = max(map(len, ARMS))
    lines = [f"{plain(result['model'])} at {plain(result['endpoint'])}, {result['date']}, seed {result['seed']}"]
    for arm in ARMS:
        sums = result["arms"][arm]
        share = f"{100 * sums['equal_share']:.1f} %" if sums["equal_share"] is not None else "no task"
        tokens = sums["prompt_tokens"] + sums["completion_tokens"]
        detail = ", ".join(f"{sums[key]} {key.replace('_', ' ')}" for key in _SHOWN)
        lines.append(f"{arm:{width}}  {share:>7} as asked  ({detail}, {tokens:,} tokens)")
    return "".join(f"{line}\n" for line in lines)
