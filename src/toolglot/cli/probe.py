"""`toolglot probe`: send tools to a provider's real API, and say which it refuses."""

from __future__ import annotations

import json
from datetime import date
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.asking import agree, asking_options, endpoint_option
from toolglot.cli.console import write
from toolglot.cli.examples import example
from toolglot.cli.fitting import Fitting
from toolglot.cli.options import config_options, names_option, option, output_option, source_options
from toolglot.cli.project import project
from toolglot.cli.sources import SourceCommand
from toolglot.fitting.toolset import Toolset
from toolglot.providers.fact_patch import Seen, ask_features, news, patch
from toolglot.providers.probe import Wanted, control, line_to
from toolglot.providers.probing import Calls, Part, batches, judge
from toolglot.report.escape import cut, name, plain
from toolglot.report.view import count
from toolglot.schema.features import FEATURES

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolglot.fitting.problem import Problem
    from toolglot.providers.fact_patch import Asked
    from toolglot.providers.probe import Line
    from toolglot.providers.probing import Verdict
    from toolglot.targets.model import Target

REFUSED = 1
"""Exit code where a tool is refused, or was not asked."""

VERSION = 1
_LINE = 500


@click.command("probe", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@option("--for", "--target", "-t", "target", metavar="TARGET", help="The target to ask.")
@names_option("--tool", "tools", metavar="NAME", help="Send these tools only, by published name.")
@option("--as-published", is_flag=True, help="Send the tools as the server published them.")
@option("--facts", metavar="TARGET", help="Send the smallest schema of each feature, and write a patch for the data.")
@option("--max-calls", type=click.IntRange(min=1), default=20, show_default=True, help="The most requests to send.")
@endpoint_option
@asking_options
@option("--json", "as_json", is_flag=True, help="Write what became of each tool as JSON.")
@output_option
@source_options
@config_options
def probe(**options: Any) -> None:
    """Send tools to a provider's real API, and say which it refuses.

    The key is the one in the environment variable that the provider's SDK reads. Nothing is sent before you agree, or
    without --yes. The answers are cut at the smallest length; requests cost what your provider charges. Exit code 1:
    some tool is refused, or was not asked.

    \b
    toolglot probe tools.json --for TARGET --model NAME
    toolglot probe tools.json --for TARGET --model NAME --as-published --yes
    toolglot probe --facts TARGET --model NAME -o facts.patch
    """
    if options["facts"]:
        _facts(options)
    else:
        _tools(options)


def _wanted(options: Mapping[str, Any], target: Target) -> Wanted:
    return Wanted(target, options["model"], options["endpoint"] or "", options["key_from_env"] or "")


def _tools(options: Mapping[str, Any]) -> None:
    fitting = Fitting.of(options)
    wanted = [one for one in fitting.listing.tools if fitting.shows(one.name)]
    view = Toolset(wanted, catalogue=fitting.project.catalogue).normalize(fitting.target)
    part = Part.published(wanted, fitting.target) if options["as_published"] else Part.of(view)
    left_out = () if options["as_published"] else view.problems
    groups = batches(part)
    with line_to(_wanted(options, fitting.target)) as line:
        shape = "as published" if options["as_published"] else f"as toolglot fits them to {plain(fitting.target.id)}"
        agree(_announced(f"{count(len(part.tools), 'tool')}, {shape}", len(groups), line, options), options["yes"])
        calls = Calls(line.ask, options["max_calls"])
        catalogue = fitting.project.catalogue
        verdicts = judge(part, calls, groups=groups, control=control(fitting.target), catalogue=catalogue)
        text = _json(verdicts, left_out, line, calls) if options["as_json"] else _text(verdicts, left_out, line, calls)
    write(text, options["output"])
    if left_out or any(verdict.status != "accepted" for verdict in verdicts):
        click.get_current_context().exit(REFUSED)


def _announced(what: str, requests: int, line: Line, options: Mapping[str, Any]) -> Iterator[str]:
    """What will be sent, in how many calls, to which host, with which key."""
    most = options["max_calls"]
    yield f"This sends {what}, to {plain(line.host)} with the model {plain(options['model'])} ({line.sdk})."
    yield f"{count(requests, 'request')} first; a refused one is sent again in parts. At most {count(most, 'request')}."
    yield f"They go with {line.credentials}, and cost what your provider charges."


def _text(verdicts: Sequence[Verdict], left_out: Sequence[Problem], line: Line, calls: Calls) -> str:
    lines = [one for verdict in verdicts for one in _verdict(verdict)]
    lines += [f"not sent: {name(one.tool or '')} {plain(cut(one.message, _LINE))}" for one in left_out]
    refused = sum(verdict.status.startswith("refused") for verdict in verdicts)
    taken = sum(verdict.status == "accepted" for verdict in verdicts)
    parts = [f"{count(len(verdicts), 'tool')} at {plain(line.host)}: {taken} accepted, {refused} refused"]
    rest = len(verdicts) - taken - refused
    parts += [f"{rest} not asked (--max-calls)"] if rest else []
    lines.append(f"{', '.join(parts)}; {count(calls.made, 'request')}.")
    return "".join(f"{text}\n" for text in lines)


def _verdict(one: Verdict) -> Iterator[str]:
    yield f"{name(one.tool)}  {one.status}"
    if one.says:
        yield f"  {plain(cut(one.refusal.says if one.refusal else one.says, _LINE))}"
    if one.refusal is not None and one.refusal.pointer is not None:
        yield f"  at {plain(cut(one.refusal.pointer)) or '(root)'}: {one.refusal.feature}"


def _json(verdicts: Sequence[Verdict], left_out: Sequence[Problem], line: Line, calls: Calls) -> str:
    document = {
        "version": VERSION,
        "target": line.wanted.target.id,
        "model": line.wanted.model,
        "host": line.host,
        "sdk": line.sdk,
        "date": date.today().isoformat(),
        "requests": calls.made,
        "tools": [_row(one) for one in verdicts],
        "not_sent": [{"tool": one.tool, "index": one.index, "message": one.message} for one in left_out],
    }
    return json.dumps(document, indent=2) + "\n"


def _row(one: Verdict) -> dict[str, Any]:
    refusal = one.refusal
    return {
        "tool": one.tool,
        "wire": one.wire,
        "status": one.status,
        "says": one.says,
        "pointer": None if refusal is None else refusal.pointer,
        "feature": None if refusal is None else refusal.feature or None,
    }


def _facts(options: Mapping[str, Any]) -> None:
    if options["sources"] or options["target"] or options["as_published"] or options["tools"]:
        raise click.UsageError("--facts takes a target and no tools.", click.get_current_context())
    target = project(options["config"], options["isolated"]).catalogue.target(options["facts"])
    with line_to(_wanted(options, target)) as line:
        what = f"the smallest schema of each of {len(FEATURES)} features"
        agree(_announced(what, 3, line, options), options["yes"])
        calls = Calls(line.ask, options["max_calls"])
        asked = ask_features(target, example, calls, control(target))
    seen = Seen(options["model"], line.sdk, date.today())
    found = news(target, asked, seen)
    write(_features_json(asked, seen, line) if options["as_json"] else patch(target, found, seen), options["output"])
    for text in _outcomes(asked, found):
        click.echo(text, err=True)
    if any(one.outcome == "not asked" for one in asked):
        click.get_current_context().exit(REFUSED)


def _outcomes(asked: Sequence[Asked], found: Sequence[Asked]) -> Iterator[str]:
    for outcome in ("refused", "not alone", "not asked"):
        names = [one.feature for one in asked if one.outcome == outcome]
        if names:
            yield f"{outcome}: {', '.join(names)}"
    yield f"{len(asked)} features: {len(found)} are news, and stand in the patch."


def _features_json(asked: Sequence[Asked], seen: Seen, line: Line) -> str:
    rows = [
        {"feature": one.feature, "outcome": one.outcome, "says": one.says, "others": list(one.others)} for one in asked
    ]
    head = {"version": VERSION, "target": line.wanted.target.id, "source": seen.source, "date": seen.day.isoformat()}
    return json.dumps({**head, "features": rows}, indent=2) + "\n"
