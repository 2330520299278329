"""What a step did to a node, in one sentence."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from typing import Any

from toolglot.adk.refs import MOST_NODES, name_of
from toolglot.adk.schema_utils import first_branch
from toolglot.adk.trace import Change
from toolglot.adk.transform import any_object, definitions_of
from toolglot.schema.values import is_list, is_map


def reason(change: Change) -> str:
    """The sentence for a change."""
    return _REASONS.get(change.step, _other)(change)


def _other(change: Change) -> str:
    return f"is changed by {change.step}"


def _reference(change: Change) -> str:
    ref = change.before.get("$ref")
    name = name_of(ref) if isinstance(ref, str) else None
    if name is None or name not in definitions_of(change.root):
        return f"the reference {ref} is not found: any object stands there"
    if change.after == any_object():
        return f"references end here, behind ten others or past {MOST_NODES:,} schemas: any object stands there"
    return f"what stands beside the reference is left out: {_named(_beside(change))}"


def _beside(change: Change) -> list[str]:
    return [word for word in change.before if word not in ("$ref", "$defs", "definitions")]


def _union(change: Change) -> str:
    word = "anyOf" if "anyOf" in change.before else "oneOf"
    branches: Any = change.before[word]
    if not is_list(branches) or not branches:
        return f"`{word}` without branches is left out"
    chosen = first_branch(branches)
    place = next(place for place, branch in enumerate(branches, 1) if branch is chosen)
    which = "the first branch" if place == 1 else f"branch {place}"
    return f"only {which} of {len(branches)} of `{word}` is kept"


def _parts(change: Change) -> str:
    parts: Any = change.before["allOf"]
    return f"the {len(parts) if is_list(parts) else 0} parts of `allOf` are joined, the last one before the others"


def _types(change: Change) -> str:
    return f"only `{change.after['type']}` is kept of the types {', '.join(map(str, change.before['type']))}"


def _left_out(change: Change) -> str:
    return f"left out: {_named(gone(change.before, change.after))}"


def _unsupported(change: Change) -> str:
    before, after = change.before, change.after
    said: list[str] = []
    if words := gone(before, after):
        said.append(f"left out: {_named(words)}")
    if before.get("items") is not after.get("items") and "items" in after:
        items = before.get("items")
        said.append("only the first of `items` is kept" if is_list(items) and items else "`items` are made texts")
    if after.get("additionalProperties") is False and before.get("additionalProperties") is not False:
        said.append("no other names are taken")
    return "; ".join(said)


def _format(change: Change) -> str:
    return f"left out: `format` {json.dumps(change.before['format'])}"


def _nested(_: Change) -> str:
    return "stands inside too many objects: any object stands there"


def _closed(_: Change) -> str:
    return "no other names are taken"


def _typed(_: Change) -> str:
    return "only objects are taken, since it has `properties`"


_REASONS: dict[str, Callable[[Change], str]] = {
    "resolve_refs": _reference,
    "collapse_combiners": _union,
    "merge_all_of": _parts,
    "collapse_type_arrays": _types,
    "strip_conditional_keywords": _left_out,
    "strip_null_from_enum": lambda _: "null is left out of `enum`",
    "convert_const_to_enum": lambda _: "`const` replaces the `enum` beside it",
    "add_implicit_object_type": _typed,
    "remove_unsupported_keywords": _unsupported,
    "remove_unsupported_keywords_vertex": _unsupported,
    "strip_unsupported_formats": _format,
    "enforce_nesting_depth": _nested,
    "close_objects": _closed,
}


def gone(before: Any, after: Any) -> list[str]:
    """The keywords that a node had and has no more."""
    return [word for word in before if word not in after] if is_map(before) and is_map(after) else []


def _named(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)
