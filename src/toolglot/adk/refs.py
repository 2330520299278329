"""Writing out references by ADK-Rust's rules, within a budget."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from toolglot.adk.transform import Node, Transform, any_object
from toolglot.schema.values import is_map

DEEPEST = 10
"""A reference behind more than this many others is cut (ADK-Rust: "circular chains are broken at depth 10")."""

MOST_NODES = 2_000
"""Most schemas that writing out references may make of one schema.

Where they would become more, references are cut behind fewer others: behind as many as the budget has room for. So what
comes out does not depend on the order of keys. Of 5,976 real tools one needs more (5 million), the next 510.
"""

_PREFIXES = ("#/definitions/", "#/$defs/")


def resolving(definitions: Mapping[str, Any], schema: Any, depth: int = 0) -> Transform:
    """`resolve_refs` with these definitions, for a schema that stands behind `depth` references."""
    return _cut_behind(allowed_depth(definitions, schema, depth), definitions)


def _cut_behind(allowed: int, definitions: Mapping[str, Any]) -> Transform:
    def local(node: Node, depth: int) -> tuple[Any, int | None]:
        new: Any = node
        while is_map(new) and depth <= DEEPEST and isinstance(ref := new.get("$ref"), str):
            new = target(ref, definitions) if depth <= allowed else any_object()
            depth += 1
        if depth <= DEEPEST or not is_map(new):
            return new, depth
        return any_object() if "$ref" in new else new, None

    return Transform("resolve_refs", local, words=("$ref",))


def target(ref: str, definitions: Mapping[str, Any]) -> Any:
    """The definition that a reference names, as it is; `{"type": "object"}` where ADK-Rust finds none."""
    name = name_of(ref)
    return any_object() if name is None or name not in definitions else definitions[name]


def name_of(ref: str) -> str | None:
    """The name of the definition that a reference stands for; None for a reference of another form."""
    return next((ref.removeprefix(prefix) for prefix in _PREFIXES if ref.startswith(prefix)), None)


def allowed_depth(definitions: Mapping[str, Any], schema: Any, depth: int = 0) -> int:
    """Behind how many others a reference is still written out: DEEPEST, or less where that would be past MOST_NODES."""
    count = _counter(definitions)
    allowed = DEEPEST
    while allowed >= depth and count(schema, depth, allowed) > MOST_NODES:
        allowed -= 1
    return allowed


def _counter(definitions: Mapping[str, Any]) -> Callable[[Any, int, int], int]:
    """A function that counts the schemas a schema has once its references are written out, without doing so.

    It is called with the schema, the references that the schema stands behind, and the allowed depth.
    """

    @cache
    def parts(name: str) -> tuple[int, Counter[str]]:
        return parts_of(definitions[name])

    def size(found: tuple[int, Counter[str]], depth: int, allowed: int) -> int:
        nodes, refs = found
        if depth > DEEPEST:
            return nodes
        return nodes + sum(times * below(ref, depth + 1, allowed) for ref, times in refs.items() if depth <= allowed)

    @cache
    def below(ref: str, depth: int, allowed: int) -> int:
        name = name_of(ref)
        return size(parts(name), depth, allowed) if name in definitions else 0

    return lambda schema, depth, allowed: size(parts_of(schema), depth, allowed)


def parts_of(schema: Any) -> tuple[int, Counter[str]]:
    """How many schemas a schema has, and which references how often. References are not followed."""
    refs: Counter[str] = Counter()
    nodes = 0

    def count(node: Node, depth: int) -> tuple[Node, int | None]:
        nonlocal nodes
        nodes += 1
        if isinstance(ref := node.get("$ref"), str):
            refs[ref] += 1
            return node, None
        return node, depth

    Transform("count", count)(schema)
    return nodes, refs
