"""The rules of the contract, in the order they are run and shown."""

from __future__ import annotations

from toolglot.contract.rule import Rule
from toolglot.contract.rules import (
    tg101_structural_union,
    tg102_hidden_root,
    tg103_invalid_schema,
    tg104_dangling_reference,
    tg105_remote_reference,
    tg106_array_without_items,
    tg107_untyped,
    tg108_required_undeclared,
    tg109_doubled_name,
    tg110_ambiguous_union,
    tg111_no_parameters_published,
    tg112_scalar_first,
    tg113_nested_union,
    tg114_unknown_dialect,
    tg115_pattern_not_linear,
    tg201_refused,
    tg202_narrowed,
    tg203_widened,
    tg204_hint_lost,
    tg205_over_limit,
    tg206_tool_name,
    tg207_property_name,
    tg208_request_budget,
)
from toolglot.contract.target_rule import TargetRule

RULES: tuple[Rule, ...] = (
    tg101_structural_union.RULE,
    tg102_hidden_root.RULE,
    tg103_invalid_schema.RULE,
    tg104_dangling_reference.RULE,
    tg105_remote_reference.RULE,
    tg106_array_without_items.RULE,
    tg107_untyped.RULE,
    tg108_required_undeclared.RULE,
    tg109_doubled_name.RULE,
    tg110_ambiguous_union.RULE,
    tg111_no_parameters_published.RULE,
    tg112_scalar_first.RULE,
    tg113_nested_union.RULE,
    tg114_unknown_dialect.RULE,
    tg115_pattern_not_linear.RULE,
)

TARGET_RULES: tuple[TargetRule, ...] = (
    tg201_refused.RULE,
    tg202_narrowed.RULE,
    tg203_widened.RULE,
    tg204_hint_lost.RULE,
    tg205_over_limit.RULE,
    tg206_tool_name.RULE,
    tg207_property_name.RULE,
    tg208_request_budget.RULE,
)

_BY_NAME: dict[str, Rule | TargetRule] = {
    key: rule for rule in (*RULES, *TARGET_RULES) for key in (rule.code.lower(), rule.name)
}


def by_code(code: str) -> Rule | TargetRule | None:
    """The rule with this code (`TG101`) or name (`structural-union`), whatever its case; None where there is none."""
    return _BY_NAME.get(code.lower())
