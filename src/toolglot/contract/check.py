"""`check`: the rules over what sources published, as one Report."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from difflib import get_close_matches
from typing import Any, cast

from toolglot.contract.baseline import Judged, apply
from toolglot.contract.budgets import budget_hits
from toolglot.contract.config import Config
from toolglot.contract.entries import Baseline, resolve_targets
from toolglot.contract.losses import Judge, Loss, hits
from toolglot.contract.model import SEVERITIES, CheckedTool, Finding, Report
from toolglot.contract.rule import Hit, Rule, Subject, listing_of, subjects
from toolglot.contract.rules import RULES, TARGET_RULES
from toolglot.contract.surface import Vocabulary
from toolglot.contract.target_rule import TargetRule
from toolglot.errors import ConfigError, ToolError, ToolglotError, UnknownTarget
from toolglot.schema.lazy import lazy
from toolglot.schema.tool import BadTool, Listing, Tool
from toolglot.targets.accept import unknown
from toolglot.targets.load import Catalogue
from toolglot.targets.model import Target

AnyRule = Rule | TargetRule
EVERY_RULE: tuple[AnyRule, ...] = (*RULES, *TARGET_RULES)
POLICY = ("TG101", "TG102")
"""The preset `policy`: these rules and the baseline, nothing else."""

ListErrors = {"TG001": "malformed-tool", "TG002": "not-checked"}
"""Findings about list entries that the rules cannot look at. They cannot be deselected or listed."""

Tools = Listing | Sequence[Listing] | Iterable[Tool | Mapping[str, Any]] | Mapping[str, Any]


@dataclass(frozen=True)
class Plan:
    """What a check does: these rules, for these targets, with this configuration, as of this day."""

    rules: tuple[AnyRule, ...]
    targets: tuple[Target, ...]
    config: Config
    today: date
    corrected: tuple[str, ...] = ()

    @lazy
    def judge(self) -> Judge:
        """What the targets do to tools."""
        return Judge(self.targets, self.today)

    @property
    def target_rules(self) -> tuple[TargetRule, ...]:
        """The selected rules about targets."""
        return tuple(rule for rule in self.rules if isinstance(rule, TargetRule))


def check(
    tools: Tools,
    target: str | Target | Iterable[str | Target] | None = None,
    select: str | Iterable[str] | None = None,
    ignore: str | Iterable[str] | None = None,
    baseline: Baseline | None = None,
    *,
    preset: str | None = None,
    config: Config | None = None,
    catalogue: Catalogue | None = None,
    today: date | None = None,
) -> Report:
    """Check published tools against the contract and against what the targets take.

    `tools`: what a source published (a Listing or several), tools as mappings, one tool, or a `tools/list` result.
    `target`: names of targets or groups; None means the default targets. `select` and `ignore`: codes, names of rules,
    or beginnings of codes, one or several.
    `catalogue`: the targets with the configuration's additions, where a caller has them already. One tool that cannot
    be checked is a finding; the others are checked. Raises UnknownTarget, ConfigError, and
    ToolglotError for an unknown rule.
    """
    config = config or Config()
    catalogue = catalogue or Catalogue(config.extra_targets, config.corrections, config.shown)
    plan = make_plan(target, select, ignore, preset=preset, config=config, catalogue=catalogue, today=today)
    listings = _listings(tools)
    findings: list[Finding] = []
    checked: list[CheckedTool] = []
    not_known: Counter[str] = Counter()
    for listing in listings:
        result = _check_listing(listing, plan)
        findings += result.findings
        checked += result.tools
        not_known += result.unknown
    ids = tuple(one.id for one in plan.targets)
    if baseline is not None:
        named = resolve_targets(baseline, catalogue)
        findings = list(apply(named, findings, _judged(listings, plan), plan.today))
    return Report(
        listings=listings,
        tools=tuple(checked),
        findings=_sorted(findings, listings),
        targets=ids,
        unknown={name: not_known[name] for name in ids if not_known[name]},
        corrected=plan.corrected,
    )


def make_plan(
    target: str | Target | Iterable[str | Target] | None,
    select: str | Iterable[str] | None,
    ignore: str | Iterable[str] | None,
    *,
    preset: str | None = None,
    config: Config,
    catalogue: Catalogue,
    today: date | None = None,
) -> Plan:
    """The rules, targets and configuration of a check; arguments win over the configuration. Raises as `check`."""
    preset = preset or config.preset
    chosen = POLICY if preset == "policy" else _names(select, config.select)
    left_out = _names(ignore, config.ignore)
    rules = tuple(r for r in EVERY_RULE if _named(r, chosen, every=not chosen) and not _named(r, left_out))
    _check_names((*chosen, *left_out, *(one.rule for one in config.tool_ignores)))
    needs_targets = any(isinstance(rule, TargetRule) for rule in rules)
    return Plan(
        rules=rules,
        targets=_targets(target, config, catalogue) if needs_targets else (),
        config=config,
        today=today or datetime.now(UTC).date(),
        corrected=catalogue.check_corrections(),
    )


def _targets(
    target: str | Target | Iterable[str | Target] | None, config: Config, catalogue: Catalogue
) -> tuple[Target, ...]:
    """The targets of a check. A name that the configuration has wrong is an error of that file."""
    if target is not None or not config.target:
        return catalogue.targets(target)
    try:
        return catalogue.targets(config.target)
    except UnknownTarget as error:
        raise ConfigError(config.shown, "for", error.message, hint=error.hint) from None


def _names(given: str | Iterable[str] | None, configured: tuple[str, ...]) -> tuple[str, ...]:
    if given is None:
        return configured
    return (given,) if isinstance(given, str) else tuple(given)


def _named(rule: AnyRule, names: Iterable[str], *, every: bool = False) -> bool:
    return every or any(rule.name == name or rule.code.startswith(name.upper()) for name in names)


def _check_names(names: Iterable[str]) -> None:
    for name in names:
        if not any(_named(rule, (name,)) for rule in EVERY_RULE):
            known = [word for rule in EVERY_RULE for word in (rule.code, rule.name)]
            close = get_close_matches(name, known, 3)
            hint = f"Did you mean {' or '.join(close)}?" if close else "`toolglot explain` lists the rules."
            raise ToolglotError(f"unknown rule {name!r}.", hint=hint)


def _listings(tools: Tools) -> tuple[Listing, ...]:
    if isinstance(tools, Listing):
        return (tools,)
    given = _given(tools)
    if given and all(isinstance(one, Listing) for one in given):
        return tuple(one for one in given if isinstance(one, Listing))
    return (listing_of(one for one in given if not isinstance(one, Listing)),)


def _given(tools: Iterable[Any] | Mapping[str, Any]) -> list[Any]:
    """The tools of a list; those of a `tools/list` result; one tool alone."""
    if not isinstance(tools, Mapping):
        return list(tools)
    listed = cast("Mapping[str, Any]", tools).get("tools")
    return list(cast("list[Any]", listed)) if isinstance(listed, list) else [tools]


@dataclass(slots=True)
class _Result:
    findings: list[Finding]
    tools: list[CheckedTool]
    unknown: Counter[str]


def _check_listing(listing: Listing, plan: Plan) -> _Result:
    result = _Result(
        [_malformed(entry, listing) for entry in listing.entries if isinstance(entry, BadTool)], [], Counter()
    )
    vocabulary = Vocabulary.of(plan.config.action_names, plan.config.reading_values)
    hints: list[Loss] = []
    known: list[Subject] = []
    for subject in subjects(listing, vocabulary):
        try:
            result.findings += _check_tool(subject, plan, hints)
            result.tools.append(_checked(subject))
            result.unknown.update(one.id for one in plan.targets if unknown(subject.scanned, one))
            known.append(subject)
        except (ToolError, RecursionError) as error:
            result.findings.append(_unchecked(subject, error))
    result.findings += _whole_list(listing, known, hints, plan)
    return result


def _check_tool(subject: Subject, plan: Plan, hints: list[Loss]) -> Iterator[Finding]:
    """The findings of one tool; losses that only concern hints are collected for one note about the whole list."""
    for rule in plan.rules:
        if isinstance(rule, Rule) and not _left_out(subject.tool, rule, plan.config):
            for hit in rule.check(subject):
                yield _finding(rule, hit, subject.listing.id, subject.tool)
    by_class: defaultdict[str, list[Loss]] = defaultdict(list)
    for loss in plan.judge.losses(subject.scanned):
        by_class[loss.class_].append(loss)
    hints += by_class.pop("annotation", [])
    for rule in plan.target_rules:
        if rule.reports in by_class and not _left_out(subject.tool, rule, plan.config):
            for hit in hits(subject, by_class[rule.reports]):
                yield _finding(rule, hit, subject.listing.id, subject.tool)


def _left_out(tool: Tool, rule: AnyRule, config: Config) -> bool:
    return any(one.covers(tool.name, rule.code, rule.name) for one in config.tool_ignores)


def _whole_list(listing: Listing, known: Sequence[Subject], hints: Sequence[Loss], plan: Plan) -> Iterator[Finding]:
    for rule in plan.target_rules:
        if rule.reports == "annotation" and hints:
            yield _finding(rule, _hints_hit(hints), listing.id, None)
        elif rule.reports == "budget":
            for hit in budget_hits([subject.scanned for subject in known], plan.targets, plan.today):
                yield _finding(rule, hit, listing.id, None)


def _hints_hit(hints: Sequence[Loss]) -> Hit:
    features = tuple(dict.fromkeys(loss.violation.what for loss in hints))
    targets = tuple(dict.fromkeys(loss.target.id for loss in hints))
    return Hit(
        pointer="",
        message=f"Hints that some targets drop: {', '.join(features)}.",
        why="The arguments stay as they are; the model knows a little less.",
        fix="Say in the description what matters.",
        targets=targets,
    )


def _finding(rule: AnyRule, hit: Hit, source: str, tool: Tool | None) -> Finding:
    return Finding(
        code=rule.code,
        rule=rule.name,
        severity=hit.severity or rule.severity,
        source=source,
        tool=tool.name if tool else None,
        index=tool.index if tool else None,
        pointer=hit.pointer,
        keyword=hit.keyword,
        message=_sentence(hit.message),
        why=_sentence(hit.why),
        fix=_sentence(hit.fix),
        targets=hit.targets,
        fact=hit.fact,
        witness=hit.witness,
        group=hit.group,
    )


def _sentence(text: str) -> str:
    """The text with a capital letter and a full stop, so that sentences can stand beside one another."""
    if not text:
        return text
    return text[0].upper() + text[1:] + ("" if text.endswith((".", "?", "!", ":")) else ".")


def _checked(subject: Subject) -> CheckedTool:
    tool = subject.tool
    return CheckedTool(subject.listing.id, tool.name, tool.index, subject.surface.surface, subject.scanned.bytes)


def _malformed(entry: BadTool, listing: Listing) -> Finding:
    return Finding(
        code="TG001",
        rule=ListErrors["TG001"],
        severity="error",
        source=listing.id,
        tool=entry.name,
        index=entry.index,
        pointer=entry.pointer,
        keyword=None,
        message=f"This list entry is no tool: {entry.problem}.",
        why="Clients on the official SDKs refuse the whole list for one such entry.",
        fix=entry.hint,
    )


def _unchecked(subject: Subject, error: Exception) -> Finding:
    problem = error.message if isinstance(error, ToolError) else "is nested too deep"
    return Finding(
        code="TG002",
        rule=ListErrors["TG002"],
        severity="error",
        source=subject.listing.id,
        tool=subject.tool.name,
        index=subject.tool.index,
        pointer=error.pointer if isinstance(error, ToolError) else "",
        keyword=None,
        message=f"The input schema cannot be checked: it {problem}.",
        why="No provider takes a schema of this size.",
        fix="Publish a smaller schema.",
    )


def _judged(listings: Sequence[Listing], plan: Plan) -> Judged:
    names = {tool.name for listing in listings for tool in listing.tools}
    skipped = (
        (n, r.code)
        for n in names
        for r in plan.rules
        for one in plan.config.tool_ignores
        if one.covers(n, r.code, r.name)
    )
    return Judged.of(listings, (rule.code for rule in plan.rules), (one.id for one in plan.targets), skipped)


def _sorted(findings: Iterable[Finding], listings: Sequence[Listing]) -> tuple[Finding, ...]:
    order = {listing.id: place for place, listing in enumerate(listings)}

    def key(finding: Finding) -> tuple[object, ...]:
        index = finding.index if finding.index is not None else -1
        place = order.get(finding.source, -1)
        return (place, index, SEVERITIES.index(finding.severity), finding.code, finding.pointer)

    return tuple(sorted(findings, key=key))


__all__ = ["EVERY_RULE", "POLICY", "Plan", "check", "make_plan"]
