"""How loud a check is: findings, causes and output lines per server of the corpus, by rule.

`python bench/noise.py` prints the table, writes `bench/noise.json` and the section about it in the README; a test
compares both with the code. The
corpus is 5,976 tools of 217 published servers with human-language texts removed, so every tool and parameter is given
a description: a missing one would be a finding about the removal, not about the server.
"""

from __future__ import annotations

import json
import statistics
import sys
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import Any

from toolglot.contract.check import check
from toolglot.contract.rule import listing_of
from toolglot.fitting.normalized import normalize
from toolglot.report.fold import fold
from toolglot.report.text import View, render_text
from toolglot.targets.accept import accept
from toolglot.targets.load import target

HERE = Path(__file__).parent
CORPUS = HERE.parent.parent / "shared" / "corpus" / "tools.jsonl"
RESULT = HERE / "noise.json"
README = HERE.parent / "README.md"
START, END = "<!-- noise: written by bench/noise.py -->", "<!-- /noise -->"
ROOM = 12
DAY = date(2026, 11, 30)
"""Facts grow old, and old ones give warnings: the measurement is as of this day."""


def servers() -> dict[str, list[dict[str, Any]]]:
    """The tools of each server of the corpus, in published order."""
    found: defaultdict[str, list[dict[str, Any]]] = defaultdict(list)
    for line in CORPUS.read_text().splitlines():
        tool = json.loads(line)
        found[tool["server"]].append(
            {"name": tool["name"], "description": "What it does.", "inputSchema": tool["inputSchema"]}
        )
    return dict(found)


def measure() -> dict[str, Any]:
    """Check every server on the default targets and count."""
    lines: list[int] = []
    findings: Counter[str] = Counter()
    causes: Counter[str] = Counter()
    hit: defaultdict[str, set[str]] = defaultdict(set)
    tools = untouched = 0
    reasons: Counter[str] = Counter()
    everywhere = target("portable")
    for server, published in servers().items():
        report = check(listing_of(published, server), today=DAY)
        lines.append(len(render_text(report, View(default_targets=True)).splitlines()))
        tools += len(published)
        for finding in report.findings:
            key = f"{finding.code} {finding.rule} {finding.severity}"
            findings[key] += 1
            hit[key].add(server)
        causes.update(f"{c.first.code} {c.first.rule} {c.first.severity}" for c in fold(report.findings))
        for tool in published:
            if normalize(tool, everywhere).schema == tool["inputSchema"]:
                untouched += 1
            else:
                reasons.update({found.what for found in accept(tool, everywhere)} or {"another reason"})
    return {
        "servers": len(lines),
        "tools": tools,
        "lines": {
            "median": statistics.median(lines),
            "most": max(lines),
            "share within 12": round(sum(n <= ROOM for n in lines) / len(lines), 3),
            "share clean": round(sum(n <= 2 for n in lines) / len(lines), 3),
        },
        "rules": {
            key: {"findings": findings[key], "causes": causes[key], "servers": len(hit[key])}
            for key in sorted(findings)
        },
        "portable": {
            "untouched": untouched,
            "causes": dict(sorted(reasons.items(), key=lambda row: (-row[1], row[0]))),
        },
    }


def _rarest_last(row: tuple[str, int]) -> tuple[int, str]:
    return -row[1], row[0]


def show(result: dict[str, Any]) -> str:
    """The measurement as a text table."""
    lines = result["lines"]
    rows = [
        f"{result['servers']} servers, {result['tools']:,} tools, default targets",
        f"lines a server: median {lines['median']}, at most {lines['most']};"
        f" {lines['share within 12']:.1%} within {ROOM}, {lines['share clean']:.1%} the two of a clean run",
        f"{'rule':<42}{'findings':>9}{'causes':>8}{'servers':>9}",
    ]
    rows += [f"{key:<42}{r['findings']:>9}{r['causes']:>8}{r['servers']:>9}" for key, r in result["rules"].items()]
    rows += [f"untouched on portable: {result['portable']['untouched']:,}", f"others: {_reasons(result)}"]
    return "\n".join(rows)


def _reasons(result: dict[str, Any]) -> str:
    return ", ".join(f"`{what}` {count}" for what, count in result["portable"]["causes"].items())


def section(result: dict[str, Any]) -> str:
    """The measurement as it stands in the README."""
    lines = result["lines"]
    rows = [
        f"{result['tools']:,} tools of {result['servers']} published servers, on the default targets, as of {DAY}:"
        f" the median server gets {lines['median']:g} lines of",
        f"text, the loudest {lines['most']}; {lines['share clean']:.0%} get the two of a clean run,"
        f" {lines['share within 12']:.0%} at most {ROOM}. *Causes* are the findings after folding.",
        "",
        "| rule | severity | findings | causes | servers |",
        "| --- | --- | ---: | ---: | ---: |",
    ]
    for key, found in result["rules"].items():
        code, rule, severity = key.split()
        rows.append(f"| {code} {rule} | {severity} | {found['findings']:,} | {found['causes']} | {found['servers']} |")
    untouched = result["portable"]["untouched"]
    share = f"{untouched:,} of these tools ({untouched / result['tools']:.1%})"
    rows += [
        "",
        f"`toolglot normalize` sends {share} as published where all default targets have to take them",
        f"(`portable`). What keeps the others from it, a tool counted for each: {_reasons(result)}.",
    ]
    return "\n".join([START, *rows, END])


def replaced(readme: str, result: dict[str, Any]) -> str:
    """The README with the section about this measurement."""
    before, _, rest = readme.partition(START)
    return before + section(result) + rest.partition(END)[2]


def main() -> int:
    """Measure, print, write."""
    if not CORPUS.exists():
        print("bench/noise.py needs the folder `shared` beside this checkout; it is not there.", file=sys.stderr)
        return 2
    result = measure()
    RESULT.write_text(json.dumps(result, indent=2) + "\n")
    README.write_text(replaced(README.read_text(), result))
    print(show(result))
    return 0


if __name__ == "__main__":
    sys.exit(main())
