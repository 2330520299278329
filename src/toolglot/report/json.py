"""The stable JSON form of a report. Its keys and their order are an interface: `docs/report.schema.json`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast

from toolglot.contract.model import NO_WITNESS
from toolglot.report.escape import embedded

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from toolglot.contract.model import CheckedTool, FactNote, Finding, Report, Severity
    from toolglot.schema.tool import Listing

VERSION = 1


def render_json(report: Report, *, fail_on: Severity = "error", exit_code: int | None = None) -> str:
    """A report as one JSON document, ending in a line end.

    In: the report, the severity that fails, and the exit code where the caller decides it.
    Out: ASCII text, so that lone surrogates and terminal codes are escapes; `<` is escaped too.
    """
    code = report.exit_code(fail_on) if exit_code is None else exit_code
    members = (
        f'"version": {VERSION}',
        _rows("sources", map(_source, report.listings)),
        _rows("tools", map(_tool, report.tools)),
        _rows("findings", map(_finding, report.findings)),
        f'"summary": {_dump(_summary(report, code))}',
    )
    return embedded("{" + ",\n".join(members) + "}\n")


def _rows(key: str, values: Iterable[Mapping[str, Any]]) -> str:
    # One row a line: good to compare, and the encoder stays the fast one that has no indentation.
    rows = ",\n".join(map(_dump, values))
    return f'"{key}": [\n{rows}\n]' if rows else f'"{key}": []'


def _dump(value: Any) -> str:
    try:
        return json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return json.dumps(_json_value(value), allow_nan=False)


def _json_value(value: Any) -> Any:
    # In-process servers may publish values that JSON does not have.
    if isinstance(value, Mapping):
        return {str(key): _json_value(item) for key, item in cast("Mapping[Any, Any]", value).items()}
    if isinstance(value, (list, tuple)):
        return [_json_value(item) for item in cast("Sequence[Any]", value)]
    if isinstance(value, float) and not math.isfinite(value):
        return None
    return value if isinstance(value, (str, int, float, type(None))) else str(value)


def _source(listing: Listing) -> dict[str, Any]:
    return {
        "id": listing.id,
        "server": listing.server,
        "version": listing.version,
        "transport": listing.transport,
        "protocol": listing.protocol,
        "error": None if listing.error is None else str(listing.error),
    }


def _tool(tool: CheckedTool) -> dict[str, Any]:
    return {
        "source": tool.source,
        "name": tool.name,
        "index": tool.index,
        "class": tool.surface,
        "bytes": tool.bytes,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "source": finding.source,
        "code": finding.code,
        "rule": finding.rule,
        "severity": finding.severity,
        "tool": finding.tool,
        "index": finding.index,
        "pointer": finding.pointer,
        "keyword": finding.keyword,
        "targets": list(finding.targets),
        "message": finding.message,
        "why": finding.why,
        "fact": None if finding.fact is None else _fact(finding.fact),
        "witness": None if finding.witness is NO_WITNESS else finding.witness,
        "fix": finding.fix,
        "group": finding.group,
        "baseline": finding.baseline,
    }


def _fact(fact: FactNote) -> dict[str, Any]:
    return {"feature": fact.feature, "status": fact.status, "source": fact.source, "date": fact.date}


def _summary(report: Report, exit_code: int) -> dict[str, Any]:
    counts = report.counts
    return {
        "errors": counts["error"],
        "warnings": counts["warning"],
        "notes": counts["note"],
        "listed": sum(finding.listed for finding in report.findings),
        "tools": len(report.tools),
        "targets": list(report.targets),
        "unknown": dict(report.unknown),
        "corrected": list(report.corrected),
        "exit": exit_code,
    }
