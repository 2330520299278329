"""`toolglot explain`: a rule, a feature or a target in words."""

from __future__ import annotations

import json
import re
from difflib import get_close_matches
from textwrap import indent
from typing import TYPE_CHECKING

import click

from toolglot.cli import factsheet
from toolglot.cli.codes import CODES
from toolglot.cli.console import write
from toolglot.cli.examples import example
from toolglot.cli.options import config_options, output_option, verbose_option
from toolglot.cli.project import project
from toolglot.contract.check import EVERY_RULE
from toolglot.contract.ruledoc import LANGUAGES, RuleDoc, parse_doc
from toolglot.errors import ToolglotError, UnknownTarget
from toolglot.schema.features import FEATURES
from toolglot.targets.load import GROUPS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolglot.contract.check import AnyRule
    from toolglot.targets.load import Catalogue

_CODE = re.compile(r"tg\d{3}", re.IGNORECASE)
_WIDTH = 100


@click.command("explain")
@click.argument("name", required=False, metavar="[CODE|RULE|FEATURE|TARGET]")
@verbose_option
@output_option
@config_options
def explain(name: str | None, verbose: bool, output: str | None, config: str | None, isolated: bool) -> None:
    """Explain a rule, a feature or a target. Without a name: list the rules and the features.

    \b
    toolglot explain TG101
    toolglot explain structural-union
    toolglot explain portable
    """
    catalogue = project(config, isolated).catalogue
    write("".join(f"{line}\n" for line in _lines(name, catalogue, verbose)), output)


rule = explain


def _lines(name: str | None, catalogue: Catalogue, verbose: bool) -> Iterable[str]:
    if name is None:
        return _everything()
    found = [*_rule_lines(name)]
    if name in FEATURES:
        found += [""] * bool(found) + [*_feature_lines(name, catalogue)]
    return found or _target_lines(name, catalogue, verbose)


def _rule_lines(name: str) -> Iterator[str]:
    code = name.upper()
    for one in EVERY_RULE:
        if code == one.code or name == one.name:
            yield from _rule(one)
    for code_, (title, text) in CODES.items():
        if code == code_ or name == title:
            yield f"{code_} {title}"
            yield from _prose(text)


def _target_lines(name: str, catalogue: Catalogue, verbose: bool) -> Iterable[str]:
    try:
        found = catalogue.targets(name)
    except UnknownTarget:
        raise _unknown(name, catalogue) from None
    return (line for target in found for line in factsheet.sheet(target, verbose=verbose))


def _unknown(name: str, catalogue: Catalogue) -> ToolglotError:
    rules = [word for one in EVERY_RULE for word in (one.code, one.name)]
    known = [*rules, *CODES, *FEATURES, *catalogue.ids, *catalogue.short_names, *GROUPS]
    near = get_close_matches(name.upper() if _CODE.match(name) else name, known, 3)
    hint = f"Did you mean {' or '.join(near)}?" if near else "`toolglot explain` lists the rules and features."
    return ToolglotError(f"{name!r} is no rule, no feature and no target.", hint=hint)


def _rule(one: AnyRule) -> Iterator[str]:
    doc = parse_doc(one.doc)
    yield f"{one.code} {one.name} ({one.severity})"
    yield from _prose(doc.summary)
    yield from _part("What it does", _prose(doc.what))
    yield from _part("Why it matters", _prose(doc.why))
    yield from _part("Example", _block(doc.example))
    yield from _part("Instead", _instead(doc))


def _part(title: str, lines: Iterable[str]) -> Iterator[str]:
    yield ""
    yield title
    yield from lines


def _instead(doc: RuleDoc) -> Iterator[str]:
    yield from _prose(doc.advice)
    for mark, title in LANGUAGES.items():
        yield f"  {title}:"
        yield from _block(doc.instead[mark])


def _prose(text: str) -> list[str]:
    return click.wrap_text(text, _WIDTH, "  ", "  ", preserve_paragraphs=True).splitlines() if text else []


def _block(text: str) -> list[str]:
    return indent(text.expandtabs(4).rstrip(), "    ").splitlines()


def _feature_lines(name: str, catalogue: Catalogue) -> Iterator[str]:
    yield f"{name} (feature): a place that {FEATURES[name].says}"
    yield from _part("Example", _block(json.dumps(example(name))))
    targets = [catalogue.target(one) for one in catalogue.ids]
    yield from _part("What targets do", factsheet.about_feature(name, targets))


def _everything() -> Iterator[str]:
    yield "Rules"
    for one in EVERY_RULE:
        yield f"  {one.code}  {one.name:26} {one.severity:8} {parse_doc(one.doc).summary}"
    for code, (title, text) in CODES.items():
        yield f"  {code}  {title:26} {'':8} {text.partition('. ')[0].rstrip('.')}."
    yield "Features (a place that ...)"
    for name, feature in FEATURES.items():
        yield f"  {name:26} {feature.says}"
