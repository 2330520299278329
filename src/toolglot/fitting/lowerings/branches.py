"""A union as an object with one property per branch, of which exactly one is given."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.codec_unions import Branch, ByName
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.lowerings.nulls import spell_null
from toolglot.fitting.nodes import types_of
from toolglot.schema.keywords import SCALARS
from toolglot.schema.refs import ref_of
from toolglot.schema.values import is_list, is_map, type_of


def by_name(fitter: Fitter, whole: Mapping[str, Any], branches: Sequence[Any], site: Site) -> Fit:
    """One property per branch, named after titles, definitions, tags, types."""
    if site.depth + 1 > fitter.depth_limit:
        return fitter.text(whole, site, "depth")
    names = branch_names(fitter, branches)
    sites = [site.below("anyOf", place)._replace(keyword="properties") for place in range(len(branches))]
    apart = [{**branch} if is_map(branch) else branch for branch in branches]  # as properties they are judged anew
    fitted = [fitter.fit(branch, below) for branch, below in zip(apart, sites, strict=True)]
    fill = fitter.refuses("property-optional")
    properties: dict[str, Any] = {}
    for name, one in zip(names, fitted, strict=True):
        wire = spell_null(fitter, one.schema) if fill else one.schema
        if wire is None:
            return fitter.text(whole, site, "structured-union")
        properties[name] = wire
    fitter.note(
        site, _feature(fitter, branches, site), "encoded", "wider", "one property per branch, of which one is given"
    )
    codec = ByName(
        tuple(
            Branch(name, branch, one.codec, wire=one.schema)
            for name, branch, one in zip(names, branches, fitted, strict=True)
        ),
        dict(whole),
        fill,
    )
    new: dict[str, Any] = {"type": "object", "properties": properties}
    if fill:
        new["required"] = names
    if fitter.refuses("object-not-closed"):
        new["additionalProperties"] = False
    return Fit(fitter.describe(new, whole, [words.one_of(names)]), codec)


def _feature(fitter: Fitter, branches: Sequence[Any], site: Site) -> str:
    if site.is_root:
        return "root-union"
    return "scalar-union" if all(_is_scalar(fitter.follow(branch)) for branch in branches) else "structured-union"


def _is_scalar(branch: Any) -> bool:
    return is_map(branch) and bool(types := types_of(branch)) and SCALARS.issuperset(types)


def branch_names(fitter: Fitter, branches: Sequence[Any]) -> list[str]:
    """A name for each branch, in snake case, all different."""
    names: dict[str, int] = {}
    for branch in branches:
        name = unique = snake(_name(fitter, branch))
        while unique in names:
            names[name] += 1
            unique = f"{name}_{names[name]}"
        names[unique] = 1
    return list(names)


def _name(fitter: Fitter, branch: Any) -> str:
    if is_map(branch) and isinstance(branch.get("title"), str) and branch["title"].strip():
        return branch["title"]
    ref = ref_of(branch)
    if ref is not None and re.match(r"#/(\$defs|definitions)/[^/]+\Z", ref):
        return ref.rsplit("/", 1)[-1]
    branch = fitter.follow(branch)
    if not is_map(branch):
        return "value"
    return _tag_value(branch) or _type_name(branch)


def _tag_value(branch: Mapping[str, Any]) -> str:
    properties = branch.get("properties")
    for part in properties.values() if is_map(properties) else ():
        if is_map(part) and isinstance(part.get("const"), str):
            return part["const"]
        if is_map(part) and is_list(part.get("enum")) and len(part["enum"]) == 1 and isinstance(part["enum"][0], str):
            return part["enum"][0]
    return ""


_PLAIN = {"string": "text", "array": "list"}


def _type_name(branch: Mapping[str, Any]) -> str:
    types = types_of(branch)
    if not types:
        values = branch.get("enum", [branch["const"]] if "const" in branch else [])
        types = [type_of(values[0])] if values else []
    return "_or_".join(_PLAIN.get(name, name) for name in types) or "value"


def snake(text: str) -> str:
    """A name of lower-case letters, digits and underscores, starting with a letter, at most 40 characters."""
    split = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    plain = re.sub(r"[^a-z0-9]+", "_", split.lower()).strip("_")[:40].strip("_")
    return plain if plain and plain[0].isalpha() else f"form_{plain}".rstrip("_")
