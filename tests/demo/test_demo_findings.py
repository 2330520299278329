"""The contract finds the faults of the demo server, each at its place, and nothing in the allowed forms."""

from __future__ import annotations

import pytest

from toolglot.contract.rule import listing_of, subjects
from toolglot.contract.rules import (
    tg101_structural_union,
    tg102_hidden_root,
    tg106_array_without_items,
)
from toolglot.demo.tools import TOOLS

RULES = (tg101_structural_union.RULE, tg102_hidden_root.RULE, tg106_array_without_items.RULE)
ASSET_TYPES = "/definitions/field/properties/validations/properties/asset_types/items"

FOUND = {
    "entries_upsert": [("TG101", "/properties/field_values/items", "17 structured branches")],
    "content_types_manage": [
        ("TG101", "/properties/fields", "add_fields"),
        ("TG101", ASSET_TYPES, "Publish `asset_types` as an enum"),
    ],
    "groups_manage": [("TG101", "/properties/sites", "remove_sites"), ("TG101", "/properties/realms", "add_realms")],
    "originations_set": [("TG101", "/properties/plan", "2 structured branches")],
    "releases_manage": [("TG101", "", "`action` as an enum"), ("TG102", "", "would be gated")],
    "redirects_import": [("TG106", "/properties/rows", "no `items`")],
}
SUBJECTS = tuple(subjects(listing_of([tool.published() for tool in TOOLS])))


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.tool.name)
def test_findings_of_the_contract(subject):
    hits = [(rule.code, hit.pointer, f"{hit.message} {hit.fix}") for rule in RULES for hit in rule.check(subject)]
    expected = FOUND.get(subject.tool.name, [])
    assert [hit[:2] for hit in hits] == [(code, pointer) for code, pointer, _ in expected]
    for hit, (_, _, text) in zip(hits, expected, strict=True):
        assert text in hit[2]
