"""`toolglot explain-error`: which tool, which place and which fact a provider's error text is about."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.console import write
from toolglot.cli.factsheet import limit_words, name_rule, proof_words
from toolglot.cli.fitting import one_listing
from toolglot.cli.options import config_options, option, output_option, source_options, verbose_option
from toolglot.cli.project import project
from toolglot.cli.sources import Given, SourceCommand, sources_of
from toolglot.errors import ToolglotError
from toolglot.fitting.refusals import Refusal, explain_published
from toolglot.report.escape import cut, plain
from toolglot.report.escape import name as shown
from toolglot.schema.features import FEATURES
from toolglot.targets.error_texts import LONGEST
from toolglot.targets.model import Fact, Limit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from toolglot.cli.project import Project
    from toolglot.schema.tool import Tool
    from toolglot.targets.model import NameRule, Proof

NOT_RECOGNISED = 1
"""Exit code where nothing in the text is recognised."""

VERSION = 1
_LINE = 500
_MOST_PLACES = 5


@click.command("explain-error", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@option("--error", metavar="TEXT", help="The error text. [default: standard input]")
@option("--for", "--target", "-t", "target", metavar="TARGET", help="Who said it. [default: whoever uses these words]")
@option("--json", "as_json", is_flag=True, help="Write what was found as JSON.")
@verbose_option
@output_option
@source_options
@config_options
def explain_error(**options: Any) -> None:
    """Say what a provider's error text is about: tool, place, feature, fact, and the way out.

    With a SOURCE the tool and the place in its published schema are named. Exit code 1: nothing is recognised.

    \b
    toolglot explain-error tools.json --error "tools.36.custom.input_schema: ..."
    toolglot explain-error tools.json --for TARGET < error.txt
    toolglot explain-error --error "Invalid schema for function ..."
    """
    found = project(options["config"], options["isolated"])
    target = found.catalogue.target(options["target"]) if options["target"] else None
    text = _text(options)
    tools = _tools(options, found)
    refusals = explain_published(text, tools, target, catalogue=found.catalogue)
    render = _json if options["as_json"] else _lines
    write(render(refusals, tools, bool(options["verbose"])), options["output"])
    if not refusals:
        click.get_current_context().exit(NOT_RECOGNISED)


def _text(options: Mapping[str, Any]) -> str:
    if options["error"] is not None:
        return options["error"]
    if "-" in options["sources"]:
        raise click.UsageError("standard input is the list of tools, so name --error.", click.get_current_context())
    if sys.stdin.isatty():
        raise click.UsageError("give the error text with --error, or on standard input.", click.get_current_context())
    return sys.stdin.read(LONGEST)


def _tools(options: Mapping[str, Any], found: Project) -> tuple[Tool, ...]:
    """The tools of the source; none where no source is named."""
    given = Given.of(options)
    if not (given.texts or given.command or (found.config.server and given.run_configured)):
        return ()
    if len(sources_of(given, found.config)) != 1:
        raise ToolglotError("`explain-error` takes one source.")
    return one_listing({**options, "tools": ()}, found).tools


def _lines(refusals: Sequence[Refusal], tools: Sequence[Tool], verbose: bool) -> str:
    lines: list[str] = []
    for one in refusals:
        lines += ["", *_one(one, bool(tools), verbose)] if lines else list(_one(one, bool(tools), verbose))
    if not refusals:
        lines = ["Nothing in this text is known.", "The texts that are known stand in the data of the targets."]
    return "".join(f"{line}\n" for line in lines)


def _one(one: Refusal, has_tools: bool, verbose: bool) -> Iterator[str]:
    yield f"{plain(one.target.id)}: {_short(one.says)}"
    yield from (f"  {label:9}{words}" for label, words in _facts(one, has_tools, verbose) if words)


def _facts(one: Refusal, has_tools: bool, verbose: bool) -> Iterator[tuple[str, str]]:
    yield "tool", _tool(one, has_tools)
    if one.pointer is not None:
        yield "place", _short(one.pointer) or "(root)"
        others = one.spots[1:] if verbose else one.spots[1:_MOST_PLACES]
        for spot in others:
            yield "", f"also {shown(spot.tool)} {_short(spot.pointer) or '(root)'}"
        hidden = len(one.spots) - 1 - len(others)
        yield "", f"and {hidden} more places; -v shows them" if hidden > 0 else ""
    elif one.path:
        yield "place", f"{_short(one.path)} in what was sent"
    yield "feature", _feature(one)
    yield "fact", _statement(one)
    yield "way out", way_out(one)
    yield "also", f"the same words come from {', '.join(map(plain, one.also))}" if one.also and verbose else ""


def _tool(one: Refusal, has_tools: bool) -> str:
    number = f"number {one.index}, counted from 0, of the request" if one.index is not None else ""
    named = f"`{_short(one.named)}` in the request" if one.named else number
    if one.tool is None:
        none = "; no tool of this source has that" if has_tools and one.feature not in _WHOLE else ""
        return f"{named or ('' if not none else 'not named')}{none}"
    if one.sure:
        return shown(one.tool) + (f" ({named})" if named and one.named != one.tool else "")
    asked = f"; the text says {named}, where this source has no such place" if named else "; the text names no tool"
    return f"likely {shown(one.tool)}{asked}"


_WHOLE = ("tools", "strict-tools", "optional-parameters", "union-parameters", "fields")
"""Limits of a request: no one tool is to blame."""


def _feature(one: Refusal) -> str:
    others = [cause for cause in one.causes if cause != one.feature and not one.spots]
    more = f"; or {', '.join(others)}" if others else ""
    if one.feature in FEATURES:
        return f"{one.feature}: a place that {FEATURES[one.feature].says}{more}"
    return _OTHER.get(one.feature, one.feature)


_OTHER = {
    "": "the text does not say why",
    "tool-name": "the name of the tool",
    "property-name": "the name of a parameter",
    "tools": "the number of tools in one request",
}


def _statement(one: Refusal) -> str:
    found = one.statement
    if found is None:
        return "nothing is known about this at the target" if one.feature else ""
    return f"{_words(found)} [{proof_words(found.proof)}; {plain(_short(found.proof.source))}]"


def _words(found: Fact | Limit | NameRule) -> str:
    if isinstance(found, Fact):
        return f"{plain(found.id)} is {found.status}"
    return limit_words(found) if isinstance(found, Limit) else f"names: {name_rule(found)}"


def way_out(one: Refusal) -> str:
    """What to do about a refusal, in one or two sentences."""
    if one.entry is not None:
        entry = one.entry
        cost = f"{entry.shape}, {entry.values}"
        return f"`normalize --for {plain(one.target.id)}` sends it in another form: {plain(entry.reason)} ({cost})"
    if one.feature in _WHOLE:
        return "send fewer tools in one request"
    if one.feature in ("tool-name", "property-name"):
        return f"`normalize --for {plain(one.target.id)}` gives it a legal name, and gives calls the old one back"
    if one.feature in FEATURES:
        return f"`toolglot explain {one.feature}` shows what each target does with it"
    return f"`normalize --for {plain(one.target.id)} --ledger` shows what the target is known to refuse"


def _short(text: str) -> str:
    return plain(cut(text, _LINE))


def _json(refusals: Sequence[Refusal], tools: Sequence[Tool], verbose: bool) -> str:
    rows = [_row(one) for one in refusals]
    return json.dumps({"version": VERSION, "refusals": rows}, indent=2) + "\n"


def _row(one: Refusal) -> dict[str, Any]:
    spots = [{"tool": spot.tool, "pointer": spot.pointer, "feature": spot.feature} for spot in one.spots]
    return {
        "target": one.target.id,
        "says": one.says,
        "index": one.index,
        "named": one.named,
        "path": one.path,
        "tool": one.tool,
        "pointer": one.pointer,
        "sure": one.sure,
        "feature": one.feature,
        "fact": None if one.statement is None else _proof(_words(one.statement), one.statement.proof),
        "way_out": way_out(one),
        "places": spots,
        "also": list(one.also),
    }


def _proof(words: str, proof: Proof) -> dict[str, Any]:
    seen = proof.seen.isoformat() if proof.seen else None
    return {"says": words, "evidence": proof.evidence, "source": proof.source, "date": seen}
