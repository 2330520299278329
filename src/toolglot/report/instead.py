"""The *Instead* of rules, in the language that wrote the schema: for the verbose text."""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING

from toolglot.contract.ruledoc import LANGUAGES, authored_with, parse_doc
from toolglot.contract.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from toolglot.report.fold import Cause
    from toolglot.schema.tool import Listing


def instead_lines(causes: Iterable[Cause], listing: Listing) -> Iterator[str]:
    """What to write instead, once for each rule of the contract that has an error or a warning.

    In: the causes that are shown, and their list. The language is that of the first tool: see `authored_with`.
    """
    schemas = {tool.index: tool.schema for tool in listing.tools}
    docs = {rule.code: rule.doc for rule in RULES if rule.doc}
    firsts = {cause.first.code: cause.first for cause in reversed([*causes]) if cause.first.code in docs}
    for code, first in sorted(firsts.items()):
        if first.severity != "note" and not first.listed:
            language = authored_with(schemas.get(-1 if first.index is None else first.index, {}))
            yield f"{code} in {LANGUAGES[language]}, for example (`toolglot explain {code}` shows all):"
            yield from indent(parse_doc(docs[code]).instead[language].expandtabs(4).rstrip(), "    ").splitlines()
