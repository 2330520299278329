"""The rules about targets: documentation that fires, severities by effect and doubt, budgets, names."""

from __future__ import annotations

from datetime import date
from typing import Any

import pytest

from toolglot.contract.check import check
from toolglot.contract.config import Config
from toolglot.contract.model import Finding, Report
from toolglot.contract.ruledoc import parse_doc
from toolglot.contract.rules import TARGET_RULES
from toolglot.contract.target_rule import TargetRule
from toolglot.errors import ToolglotError

TODAY = date(2026, 11, 30)


BAD_ARRAY = {"name": "t", "description": "d",
             "inputSchema": {"type": "object", "properties": {"a": {"type": "array"}}}}  # fmt: skip


def tools_of(value: Any) -> list[dict[str, Any]]:
    """An example of the documentation as a list of tools."""
    return value if isinstance(value, list) else [{"name": "tool", "description": "A tool.", "inputSchema": value}]


def codes(report: Report) -> set[str]:
    return {finding.code for finding in report.findings}


@pytest.mark.parametrize("rule", TARGET_RULES, ids=lambda rule: rule.code)
def test_the_example_fires(rule: TargetRule) -> None:
    report = check(tools_of(parse_doc(rule.doc).example_value), "all", today=TODAY)
    assert rule.code in codes(report)


@pytest.mark.parametrize("rule", TARGET_RULES, ids=lambda rule: rule.code)
def test_what_to_write_instead_does_not(rule: TargetRule) -> None:
    report = check(tools_of(parse_doc(rule.doc).instead_value), today=TODAY)
    assert [finding for finding in report.findings if finding.severity != "note"] == []
    assert rule.code not in codes(report)


PROOF = {"evidence": "observed", "source": "https://e.test/", "seen": date(2026, 10, 1)}
NULL_UNION = {"anyOf": [{"type": "string"}, {"type": "null"}]}


def target(**fact: Any) -> dict[str, Any]:
    return {"id": "mine", "title": "Mine", "kind": "api", "failure": "400", "fact": [{**PROOF, **fact}]}


def found(table: dict[str, Any], schema: dict[str, Any], **more: Any) -> list[Finding]:
    config = Config(extra_targets=(table,))
    tools = [{"name": "tool", "description": "A tool.", "inputSchema": {"type": "object", "properties": {"a": schema}}}]
    report = check(tools, "mine", config=config, today=TODAY, select=["TG2"], **more)
    return list(report.findings)


REJECTED = {"status": "rejected"}
DROPPED = {"status": "dropped"}
WEIGHED: list[tuple[str, dict[str, Any], Any, str, str]] = [
    ("refused", {**REJECTED, "effect": "refused", "feature": "null-union"}, NULL_UNION, "TG201", "error"),
    ("lost", {**DROPPED, "effect": "tool-lost", "feature": "null-union"}, NULL_UNION, "TG201", "error"),
    ("narrower", {**DROPPED, "effect": "narrower", "feature": "null-union"}, NULL_UNION, "TG202", "error"),
    ("changed", {**DROPPED, "effect": "changed", "feature": "null-union"}, NULL_UNION, "TG202", "error"),
    ("documented", {**REJECTED, "effect": "refused", "feature": "null-union", "evidence": "documented"}, NULL_UNION,
     "TG201", "error"),
    ("inferred", {**REJECTED, "effect": "refused", "feature": "null-union", "evidence": "inferred"}, NULL_UNION,
     "TG201", "warning"),
    ("undated", {**REJECTED, "effect": "refused", "feature": "null-union", "seen": "unknown"}, NULL_UNION,
     "TG201", "warning"),
    ("old", {**REJECTED, "effect": "refused", "feature": "null-union", "seen": date(2025, 1, 1)}, NULL_UNION,
     "TG201", "warning"),
    ("disputed", {**REJECTED, "effect": "refused", "feature": "null-union", "disputed": True}, NULL_UNION,
     "TG201", "warning"),
    ("preview", {**REJECTED, "effect": "refused", "feature": "null-union", "preview": True}, NULL_UNION,
     "TG201", "warning"),
    ("a lost enum", {**DROPPED, "effect": "wider", "feature": "enum"}, {"type": "string", "enum": ["x"]},
     "TG203", "warning"),
    ("a lost bound", {**DROPPED, "effect": "wider", "feature": "number-bounds"}, {"type": "integer", "minimum": 1},
     "TG203", "note"),
    ("a lost title", {**DROPPED, "effect": "none", "feature": "title"}, {"type": "string", "title": "A"},
     "TG204", "note"),
    ("a format that passes", {**REJECTED, "effect": "refused", "feature": "format", "allow": ["date"]},
     {"type": "string", "format": "uri"}, "TG201", "error"),
]  # fmt: skip


@pytest.mark.parametrize(("fact", "schema", "code", "severity"), [w[1:] for w in WEIGHED], ids=[w[0] for w in WEIGHED])
def test_effect_and_doubt_decide(fact: dict[str, Any], schema: Any, code: str, severity: str) -> None:
    (finding,) = found(target(**fact), schema)
    assert (finding.code, finding.severity) == (code, severity)
    if severity == "warning" and code == "TG201":
        assert finding.why.endswith((").", "fused by mine: 400."))


SILENT: list[tuple[dict[str, Any], Any]] = [
    ({"status": "accepted", "feature": "null-union"}, NULL_UNION),
    ({**DROPPED, "effect": "unknown", "feature": "null-union"}, NULL_UNION),
    ({**REJECTED, "effect": "refused", "feature": "null-union", "only": "old models"}, NULL_UNION),
    ({**REJECTED, "effect": "refused", "feature": "format", "allow": ["date"]}, {"type": "string", "format": "date"}),
    ({**REJECTED, "effect": "refused", "feature": "ref"}, NULL_UNION),
]


@pytest.mark.parametrize(("fact", "schema"), SILENT)
def test_what_is_no_finding(fact: dict[str, Any], schema: Any) -> None:
    assert found(target(**fact), schema) == []


def test_every_place_of_a_refusal_is_a_finding_and_they_fold() -> None:
    schema = {"type": "object", "properties": {"x": NULL_UNION, "y": NULL_UNION}}
    findings = found(target(**REJECTED, effect="refused", feature="null-union"), schema)
    assert [f.pointer for f in findings] == ["/properties/a/properties/x", "/properties/a/properties/y"]
    assert len({f.group for f in findings}) == 1
    assert {f.keyword for f in findings} <= {None, "anyOf"}


def test_targets_that_agree_are_one_finding() -> None:
    tools = [
        {"name": "t", "description": "d", "inputSchema": {"type": "object", "properties": {"a": {"type": "array"}}}}
    ]
    report = check(tools, ["openai-nonstrict", "vscode-copilot"], select=["TG201"], today=TODAY)
    (finding,) = report.findings
    assert finding.targets == ("openai-nonstrict", "vscode-copilot")
    assert finding.fact is not None
    assert finding.fact.source


def tool(name: str, optional: int = 0) -> dict[str, Any]:
    properties = {f"p{n}": {"type": "string"} for n in range(optional)}
    return {"name": name, "description": "d", "inputSchema": {"type": "object", "properties": properties}}


def budget(name: str, value: int) -> Config:
    table = {"id": "mine", "title": "Mine", "kind": "api", "limits": {name: {"value": value, **PROOF}}}
    return Config(extra_targets=(table,))


BUDGETS: list[tuple[str, int, list[dict[str, Any]], str]] = [
    ("tools", 2, [tool("a"), tool("b"), tool("c"), tool("d")], "Leave out at least 2: d, c."),
    ("tools", 4, [tool("a"), tool("b")], ""),
    ("optional-parameters", 10, [tool("a", 4), tool("b", 8), tool("c", 3)], "Leave out at least 1: b."),
    ("optional-parameters", 2, [tool("a", 4), tool("b", 8), tool("c", 1)], "Leave out at least 2: b, a."),
    ("optional-parameters", 13, [tool("a", 4), tool("b", 8), tool("c", 1)], ""),
]


@pytest.mark.parametrize(("name", "value", "tools", "fix"), BUDGETS)
def test_the_smallest_set_to_leave_out(name: str, value: int, tools: list[dict[str, Any]], fix: str) -> None:
    report = check(tools, "mine", select=["TG208"], config=budget(name, value), today=TODAY)
    assert [finding.fix for finding in report.findings] == ([fix] if fix else [])


NAMES: list[tuple[str, str, bool]] = [
    ("claude-code", "a" * 59, False),
    ("cursor", "get_page", False),
    ("cursor", "a" * 59, True),
    ("openai-nonstrict", "a.b", True),
    ("openai-nonstrict", "a" * 64, False),
    ("openai-nonstrict", "a" * 65, True),
    ("anthropic-nonstrict", "a" * 128, False),
    ("anthropic-nonstrict", "a" * 129, True),
    ("moonshot-kimi", "_page", True),
    ("gemini-parameters", "1page", True),
]


@pytest.mark.parametrize(("name", "tool_name", "fires"), NAMES)
def test_tool_names_with_the_clients_prefix(name: str, tool_name: str, fires: bool) -> None:
    report = check([tool(tool_name)], name, select=["TG206"], today=TODAY)
    assert bool(report.findings) == fires


def test_hints_are_one_note_for_a_server() -> None:
    tools = [
        {"name": f"t{n}", "description": "d",
         "inputSchema": {"type": "object", "title": "T", "properties": {"a": {"type": "string", "default": "x"}}}}
        for n in range(5)
    ]  # fmt: skip
    report = check(tools, "all", select=["TG204"], today=TODAY)
    assert [(finding.code, finding.severity, finding.tool) for finding in report.findings] == [("TG204", "note", None)]


def test_what_nobody_knows_is_counted() -> None:
    table = {"id": "mine", "title": "Mine", "kind": "api"}
    tools = [{"name": "t", "description": "d", "inputSchema": {"type": "object", "properties": {"a": NULL_UNION}}}]
    report = check(tools, "mine", config=Config(extra_targets=(table,)), today=TODAY)
    assert report.unknown == {"mine": 1}
    assert not report.failing()


CHOSEN: list[tuple[dict[str, Any], set[str]]] = [
    ({}, {"TG106", "TG201"}),
    ({"select": ["TG106"]}, {"TG106"}),
    ({"select": ["array-without-items"]}, {"TG106"}),
    ({"select": ["tg1"]}, {"TG106"}),
    ({"ignore": ["TG2"]}, {"TG106"}),
    ({"select": ["TG1", "TG201"], "ignore": ["TG106"]}, {"TG201"}),
    ({"preset": "policy"}, set()),
    ({"config": Config(select=("TG106",))}, {"TG106"}),
    ({"config": Config(preset="policy")}, set()),
]


@pytest.mark.parametrize(("how", "expected"), CHOSEN)
def test_rules_are_chosen(how: dict[str, Any], expected: set[str]) -> None:
    report = check([BAD_ARRAY], "openai-nonstrict", today=TODAY, **how)
    assert codes(report) == expected


@pytest.mark.parametrize("tools", [[BAD_ARRAY], (BAD_ARRAY,), iter([BAD_ARRAY]), BAD_ARRAY, {"tools": [BAD_ARRAY]}])
def test_tools_in_any_form(tools: Any) -> None:
    assert {finding.code for finding in check(tools, select="TG106").findings} == {"TG106"}


def test_one_name_need_not_be_a_list() -> None:
    assert "TG106" not in codes(check([BAD_ARRAY], ignore="TG106"))
    assert check([BAD_ARRAY], "cursor").targets == ("cursor",)


@pytest.mark.parametrize("how", [{"select": ["TG999"]}, {"ignore": ["array-without-item"]}])
def test_an_unknown_rule_is_an_error(how: dict[str, Any]) -> None:
    with pytest.raises(ToolglotError, match="unknown rule"):
        check([BAD_ARRAY], **how)


def test_one_bad_entry_loses_nothing_beside_it() -> None:
    report = check([{"inputSchema": {}}, BAD_ARRAY, {"name": "u", "inputSchema": 3}], "openai-nonstrict", today=TODAY)
    assert [(f.code, f.index) for f in report.findings if f.code == "TG001"] == [("TG001", 0), ("TG001", 2)]
    assert [one.name for one in report.tools] == ["t"]
    assert {"TG106", "TG201"} <= codes(report)
