"""`toolglot adk`: what an adapter of ADK-Rust makes of the tools of a server, and what that loses."""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, Any

import click

from toolglot.cli.console import write
from toolglot.cli.fitting import one_listing, tool_option
from toolglot.cli.options import config_options, option, output_option, source_options, verbose_option
from toolglot.cli.project import project
from toolglot.cli.sources import SourceCommand
from toolglot.report.escape import cut, embedded, name, plain
from toolglot.report.view import count

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from toolglot.adk import ListLedger, Loss, ToolLedger

LOSES = 1
"""Exit code where some arguments can no longer be said, names became equal, or a tool cannot be sent."""

NAMES = ("gemini", "gemini-vertex", "gemini-json", "openai-strict", "openai", "anthropic", "generic")
_LINE = 500


@click.command("adk", cls=SourceCommand)
@click.argument("sources", nargs=-1, metavar="[SOURCE]")
@option("--adapter", "-a", type=click.Choice(NAMES), help="The adapter, by a short name.")
@tool_option
@option("--json", is_flag=True, help="Write schemas and losses as JSON.")
@verbose_option
@output_option
@source_options
@config_options
def adk(**options: Any) -> None:
    """Show what an adapter of ADK-Rust makes of tools, and what it loses.

    For each tool that loses something: the schema that is sent, and every loss with a value that can no longer be said.
    -v also shows the tools and the places where nothing but hints or bounds is lost, and more values. Exit code 1:
    arguments are lost or may be, names became equal, or an empty schema is refused.

    \b
    toolglot adk tools.json --adapter gemini
    toolglot adk --adapter openai-strict --tool NAME -- npx -y SERVER
    """
    from toolglot.adk import explain
    from toolglot.adk.choose import ADAPTERS

    if options["adapter"] is None:
        raise click.UsageError(f"name one adapter with --adapter: {', '.join(NAMES)}.", click.get_current_context())
    found = project(options["config"], options["isolated"])
    ledger = explain(ADAPTERS[options["adapter"]], one_listing(options, found))
    wanted = options["tools"]
    tools = [one for one in ledger.tools if not wanted or one.tool.name in wanted]
    text = _json(ledger, tools) if options["json"] else "\n".join(_lines(ledger, tools, verbose=options["verbose"]))
    write(f"{text}\n", options["output"])
    if ledger.equal or ledger.problems or any(map(_loses, tools)):
        click.get_current_context().exit(LOSES)


def _loses(one: ToolLedger) -> bool:
    """Whether a call of a tool is lost, or may be, or its schema is refused."""
    return _fate(one) != "kept"


def _lines(ledger: ListLedger, tools: Sequence[ToolLedger], *, verbose: bool) -> Iterator[str]:
    for one in tools:
        if verbose or _loses(one):
            yield from _tool(one, verbose)
    for wire, published in ledger.equal.items():
        yield f"one name for several tools: {name(wire)} stands for {', '.join(map(name, published))}"
    for problem in ledger.problems:
        what = name(problem.tool) if problem.tool else f"entry {problem.index + 1}"
        yield f"not explained: {what} {plain(cut(problem.message, _LINE))}"
    yield _closing(ledger, tools)


def _closing(ledger: ListLedger, tools: Sequence[ToolLedger]) -> str:
    fates = Counter(map(_fate, tools))
    said = [f"{fates['lost']} lose arguments"]
    said += [f"{fates[fate]} {words}" for fate, words in _FATES.items() if fates[fate]]
    return f"{count(len(tools), 'tool')} with {ledger.adapter!r}: {', '.join(said)}, {fates['kept']} do not."


_FATES = {"open": "may lose some", "refused": "would be refused"}


def _fate(one: ToolLedger) -> str:
    """What becomes of a tool: arguments are lost, nobody can tell, its empty schema is refused, or nothing is lost."""
    if one.ledger.lost or one.ledger.witness is not _nothing():
        return "lost"
    if one.ledger.lost is None:
        return "open"
    return "refused" if one.refused else "kept"


def _tool(one: ToolLedger, verbose: bool) -> Iterator[str]:
    published = one.tool.name
    yield name(published) if published == one.name else f"{name(published)} -> {name(one.name)}"
    yield f"  schema: {_shown(one.ledger.normalized)}"
    for loss in one.ledger:
        if verbose or loss.values not in ("exact", "wider"):
            yield from _loss(loss, verbose)
    for violation in one.refused:
        yield f"  {violation.what}: {plain(violation.target)} refuses this schema of no parameters"
    if one.ledger.witness is not _nothing():
        yield f"  lost call: {_shown(one.ledger.witness)}"
    elif one.ledger.lost is None:
        yield "  whole calls: the algebra gives no verdict"


def _loss(loss: Loss, verbose: bool) -> Iterator[str]:
    yield f"  {plain(cut(loss.pointer)) or '(root)'}  {loss.step}: {loss.values}; {plain(cut(loss.reason, _LINE))}"
    for witness in loss.witnesses if verbose else loss.witnesses[:1]:
        yield f"    lost, for example: {_shown(witness)}"
    if verbose and isinstance(loss.lost, dict):
        yield f"    lost: {_shown(loss.lost)}"


def _nothing() -> object:
    from toolglot.schema.witness import NO_VALUE

    return NO_VALUE


def _shown(value: Any) -> str:
    return plain(cut(json.dumps(value, ensure_ascii=False), _LINE))


def _json(ledger: ListLedger, tools: Iterable[ToolLedger]) -> str:
    document = {
        "version": 1,
        "adapter": repr(ledger.adapter),
        "field": ledger.adapter.parameters_field(),
        "tools": [_row(one) for one in tools],
        "equal": {wire: list(published) for wire, published in ledger.equal.items()},
        "problems": [{"tool": one.tool, "index": one.index, "message": one.message} for one in ledger.problems],
    }
    return embedded(json.dumps(document, indent=2))


def _row(one: ToolLedger) -> dict[str, Any]:
    return {
        "published": one.tool.name,
        "name": one.name,
        "schema": one.ledger.normalized,
        "lost": one.ledger.lost,
        **_witness(one.ledger.witness),
        "refused": [violation.what for violation in one.refused],
        "losses": [{**loss._asdict(), **_witness(loss.witness)} for loss in one.ledger],
    }


def _witness(value: Any) -> dict[str, Any]:
    return {} if value is _nothing() else {"witness": value}
