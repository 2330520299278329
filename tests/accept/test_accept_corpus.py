"""Every tool of the corpus against every target, one server at a time."""

from __future__ import annotations

import json
from collections import defaultdict
from typing import Any

from tests.shared import corpus, needs_shared

from toolglot.contract.check import check
from toolglot.contract.rule import listing_of
from toolglot.report.json import render_json
from toolglot.report.text import View, render_text


@needs_shared
def test_the_whole_corpus_on_all_targets() -> None:
    servers: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for tool in corpus():
        servers[tool["server"]].append(tool)
    checked = 0
    for server, tools in servers.items():
        report = check(listing_of(tools, server), "all")
        checked += len(report.tools)
        assert not [finding for finding in report.findings if finding.code.startswith("TG00")]
        assert render_text(report, View(verbose=True))
        json.loads(render_json(report))
    assert checked == len(corpus())
