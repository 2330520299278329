"""The features of one node. Many nodes have the same keywords: what to look at is planned once for each set of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.schema.detectors import DETECTORS, INVALID, Detector, boolean, malformed, typed, without_type
from toolglot.schema.features import FEATURES
from toolglot.schema.refs import Document
from toolglot.schema.walk import Node
from toolglot.schema.wellformed import has_form, wellformed


class _Plan:
    """What to look at in a node with certain keywords: many nodes have the same, so it is made once."""

    __slots__ = ("always", "checks", "detect", "plain", "texts", "typed")

    def __init__(self, words: tuple[str, ...]) -> None:
        self.always = 0
        self.detect: list[tuple[str, Detector]] = []
        self.texts: list[str] = []
        self.checks: list[str] = []
        self.typed = "type" in words
        for word in words:
            self._add(word)
        self.plain = self.typed and not self.detect and not self.checks

    def _add(self, word: str) -> None:
        detector = DETECTORS.get(word)
        if detector is None:
            self.always |= FEATURES["vendor-keyword" if word.startswith("x-") else "unknown-keyword"].bit
            return
        if isinstance(detector, int):
            self.always |= detector
        elif word != "type":
            self.detect.append((word, detector))
        if word in ("description", "title"):
            self.texts.append(word)
        elif word != "type" and has_form(word):
            self.checks.append(word)


_PLANS: dict[tuple[str, ...], _Plan] = {}
_MOST_PLANS = 10_000
_SCALAR_TYPES = frozenset(("string", "number", "integer", "boolean"))


def features_at(node: Node, document: Document) -> int:
    """The features of one node, as a mask of `features.FEATURES`. The scan and the search for places both ask it."""
    schema = node.schema
    if isinstance(schema, bool):
        return boolean(node)
    words = tuple(schema)
    plan = _PLANS.get(words)
    if plan is None:
        plan = _Plan(words)
        if len(_PLANS) < _MOST_PLANS:
            _PLANS[words] = plan
    mask = plan.always
    for word in plan.texts:
        if not isinstance(schema[word], str):
            mask |= INVALID
    if plan.plain and node.parent is not None:
        kind = schema["type"]
        if isinstance(kind, str) and kind in _SCALAR_TYPES:
            return mask
    return mask | _looked_at(schema, plan, node, document)


def _looked_at(schema: Mapping[str, Any], plan: _Plan, node: Node, document: Document) -> int:
    """What the detectors of a node's keywords find, and whether their values are well-formed."""
    if plan.typed:
        kind = schema["type"]
        mask = typed(schema, kind, node, document)
        if not wellformed("type", kind):
            mask |= INVALID
    else:
        mask = without_type(schema, node, document)
    for word, detector in plan.detect:
        mask |= detector(schema, schema[word], node, document)
    for word in plan.checks:
        if not wellformed(word, schema[word]):
            mask |= malformed(word, schema[word])
    return mask
