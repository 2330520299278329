"""Whether at most one branch of a union takes a value, as far as structure shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolglot.fitting.engine import Fitter, Site
from toolglot.fitting.lowerings.tagged import find_tag
from toolglot.schema.values import Members, is_list, is_map


def are_exclusive(fitter: Fitter, branches: Sequence[Any]) -> bool:
    """Whether different types, different tags or different listed values tell all branches apart."""
    alike: dict[str, list[Any]] = {}
    for branch in map(fitter.follow, branches):
        kinds = _kinds(branch)
        if not kinds:
            return False
        for kind in kinds:
            alike.setdefault("number" if kind == "integer" else kind, []).append(branch)
    return all(len(group) == 1 or _told_apart(fitter, kind, group) for kind, group in alike.items())


def _kinds(branch: Any) -> list[str]:
    kind = branch.get("type") if is_map(branch) else None
    return [kind] if isinstance(kind, str) else kind if is_list(kind) else []


def _told_apart(fitter: Fitter, kind: str, group: Sequence[Mapping[str, Any]]) -> bool:
    if kind == "object":
        return find_tag(fitter, group, Site(), closed=False) is not None
    known = Members()
    return all(_is_listed(one) and all(known.add(value) for value in _listed(one)) for one in group)


def _is_listed(schema: Mapping[str, Any]) -> bool:
    return "const" in schema or is_list(schema.get("enum"))


def _listed(schema: Mapping[str, Any]) -> list[Any]:
    return [schema["const"]] if "const" in schema else schema["enum"]
