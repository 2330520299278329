"""The features of one node. Many nodes have the same keywords: what to look at is planned once for each set of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.schema.detectors import DETECTORS, INVALID, Detector, boolean, malformed, typed, without_type
from toolglot.schema.features import FEATURES
from toolglot.schema.refs import Document
from toolglot.schema.tally import TALLIED
from toolglot.schema.walk import Node
from toolglot.schema.wellformed import FORMS, Form


class Plan:
    """What to look at in a node with certain keywords. `tallied`: whether it has any that the counters look at."""

    __slots__ = ("_always", "_checks", "_detect", "_scalar", "_texts", "_typed", "tallied")

    def __init__(self, words: tuple[str, ...]) -> None:
        self._always = 0
        self._detect: list[tuple[str, Detector]] = []
        self._texts: list[str] = []
        self._checks: list[tuple[str, Form]] = []
        self._typed = "type" in words
        for word in words:
            self._add(word)
        self._scalar = self._typed and not self._detect and not self._checks
        self.tallied = not TALLIED.isdisjoint(words)

    def _add(self, word: str) -> None:
        detector = DETECTORS.get(word)
        if detector is None:
            self._always |= FEATURES["vendor-keyword" if word.startswith("x-") else "unknown-keyword"].bit
            return
        if isinstance(detector, int):
            self._always |= detector
        elif word != "type":
            self._detect.append((word, detector))
        if word in ("description", "title"):
            self._texts.append(word)
        elif word != "type" and word in FORMS:
            self._checks.append((word, FORMS[word]))

    def features(self, schema: Mapping[str, Any], node: Node, document: Document) -> int:
        """The features of a node with the keywords of this plan."""
        mask = self._always
        for word in self._texts:
            if not isinstance(schema[word], str):
                mask |= INVALID
        if self._scalar and schema["type"] in _SCALAR_TYPES and node.parent is not None:
            return mask
        return mask | self._looked_at(schema, node, document)

    def _looked_at(self, schema: Mapping[str, Any], node: Node, document: Document) -> int:
        """What the detectors of a node's keywords find, and whether their values are well-formed."""
        if self._typed:
            kind = schema["type"]
            mask = typed(schema, kind, node, document)
            if not FORMS["type"](kind):
                mask |= INVALID
        else:
            mask = without_type(schema, node, document)
        for word, detector in self._detect:
            mask |= detector(schema, schema[word], node, document)
        for word, well_formed in self._checks:
            if not well_formed(schema[word]):
                mask |= malformed(word, schema[word])
        return mask


_PLANS: dict[tuple[str, ...], Plan] = {}
_MOST_PLANS = 10_000
_SCALAR_TYPES = ("string", "number", "integer", "boolean")


def plan_of(schema: Mapping[str, Any]) -> Plan:
    """What to look at in a node: made once for each set of keywords."""
    words = tuple(schema)
    plan = _PLANS.get(words)
    if plan is None:
        plan = Plan(words)
        if len(_PLANS) < _MOST_PLANS:
            _PLANS[words] = plan
    return plan


def features_at(node: Node, document: Document) -> int:
    """The features of one node, as a mask of `features.FEATURES`. The scan and the search for places both ask it."""
    schema = node.schema
    return boolean(node) if isinstance(schema, bool) else plan_of(schema).features(schema, node, document)
