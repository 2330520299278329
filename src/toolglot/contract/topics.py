"""What the rules of the contract and the facts about targets say about the same thing.

A rule such as TG106 says that a place is wrong; the facts say which targets refuse it there. For the author of a server
this is one cause: a report shows it once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

TOPICS: Final[Mapping[str, tuple[str, ...]]] = {
    "TG101": ("structured-union", "one-of"),
    "TG102": (
        *("root-untyped", "root-union", "root-all-of", "root-conditional", "root-not", "root-enum", "root-ref"),
        *("root-no-parameters", "root-properties-missing"),
    ),
    "TG103": ("tuple-items", "exclusive-flag", "schema-invalid", "schema-invalid-draft7"),
    "TG104": ("ref-dangling",),
    "TG105": ("ref-remote",),
    "TG106": ("array-no-items",),
    "TG108": ("required-undeclared",),
}
"""The code of a rule, and the features that its way out takes away."""

_BY_FEATURE = {feature: code for code, features in TOPICS.items() for feature in features}


def topic_of(code: str, feature: str | None) -> str:
    """The rule of the contract that a finding belongs to: its own code, or that of its feature; "" for none."""
    return code if code in TOPICS else _BY_FEATURE.get(feature or "", "")
