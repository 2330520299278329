"""Unions: kept where they can be told apart, else a tagged object, an enum, or one property per branch."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.codec import IDENTITY, Choice
from toolglot.fitting.codec_unions import ByForm, Case
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.intersect import Unmergeable, intersect
from toolglot.fitting.lowerings.branches import by_name
from toolglot.fitting.lowerings.exclusive import are_exclusive
from toolglot.fitting.lowerings.hints import write
from toolglot.fitting.lowerings.objects import other_names
from toolglot.fitting.lowerings.presence import with_null_apart
from toolglot.fitting.lowerings.tagged import by_tag, find_tag
from toolglot.fitting.lowerings.untyped import note_branches
from toolglot.fitting.lowerings.values import unique_texts
from toolglot.fitting.nodes import is_never, types_of, without
from toolglot.fitting.wire import on_wire
from toolglot.schema.features import mask_of
from toolglot.schema.keywords import SCALARS, UNIONS
from toolglot.schema.refs import ref_of
from toolglot.schema.values import Members, is_list, is_map

_UNION_BITS = mask_of(
    *("null-union", "scalar-union", "one-structured-union", "structured-union", "one-of", "union-typed"),
    *("union-annotated", "union-siblings", "root-union"),
)
_BESIDE = mask_of("union-typed", "union-annotated", "union-siblings", "one-of")
_UNDECLARED = mask_of("required-undeclared")
_OUTSIDE = ("description", "title", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly")


def union(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """`anyOf` and `oneOf`."""
    word = next((name for name in UNIONS if is_list(schema.get(name))), None)
    if word is None:
        return None
    only_required = _required_groups(schema, word)
    if only_required is not None and (site.is_root or fitter.own_at(schema, site) & _UNION_BITS):
        return _one_object(fitter, schema, word, only_required, site)
    kept = note_branches(fitter, schema, word, site) or _kept(fitter, schema, word, site)
    return kept if kept is not None else _rewritten(fitter, schema, word, site)


# Alternatives of `required`


def _required_groups(schema: Mapping[str, Any], word: str) -> list[list[str]] | None:
    """The names each branch requires, where branches say nothing else and the properties stand beside the union."""
    if not is_map(schema.get("properties")):
        return None
    groups: list[list[str]] = []
    for branch in schema[word]:
        if not is_map(branch) or set(branch) - {"required", "type", "description", "title"}:
            return None
        groups.append(list(branch.get("required", ())))
    return groups


def _one_object(
    fitter: Fitter, schema: Mapping[str, Any], word: str, groups: Sequence[Sequence[str]], site: Site
) -> Fit:
    feature = "root-union" if site.is_root else "structured-union"
    fitter.note(site, feature, "left out", "wider", "which names are needed is said in the description")
    rest = without(schema, word)
    known = rest["properties"]
    asked = {name for group in groups for name in group}
    rest["properties"] = {
        name: with_null_apart(fitter, part) if name in asked else part for name, part in known.items()
    }
    if other_names(fitter, rest, site) is False:
        rest["properties"] |= {name: True for group in groups for name in group if name not in known}
    sentence = words.needs([[name for name in group if name not in schema.get("required", ())] for group in groups])
    rest["description"] = words.joined(schema.get("description"), [sentence])
    return fitter.fit(rest, site)


# A union that stays a union


def _kept(fitter: Fitter, schema: Mapping[str, Any], word: str, site: Site) -> Fit | None:
    own = fitter.own_at(schema, site) & _UNION_BITS
    if own & ~_BESIDE or (site.is_root and own):
        return None
    tidy, word = _tidied(fitter, schema, word, site) if own else (dict(schema), word)
    if tidy is None or fitter.own_at(tidy, site) & _UNION_BITS:
        return None
    fitted = [fitter.fit(branch, site.below(word, place, deeper=0)) for place, branch in enumerate(tidy[word])]
    new = {**tidy, word: [one.schema for one in fitted]}
    if word == "oneOf" and any(one.schema is not branch for one, branch in zip(fitted, tidy[word], strict=True)):
        _note_any_of(fitter, tidy[word], site, "written as anyOf, since its branches became wider")
        new = {("anyOf" if name == "oneOf" else name): value for name, value in new.items()}
    if all(one.codec is IDENTITY for one in fitted):
        if fitter.own_at(new, site) & _UNION_BITS:
            return None
        return _siblings(fitter, schema, new, site)
    if set(new) - {*UNIONS, *_OUTSIDE}:
        return None
    cases = _cases(fitter, tidy[word], fitted, site)
    return None if cases is None else write(fitter, schema, new, site, ByForm(cases))


def _siblings(fitter: Fitter, schema: Mapping[str, Any], new: dict[str, Any], site: Site) -> Fit | None:
    """The keywords beside a union; properties beside it must be clean to stay there."""
    for keyword in ("properties", "items", "additionalProperties", "patternProperties", "prefixItems"):
        if keyword in new and not fitter.is_clean({keyword: new[keyword], "type": "object"}, site):
            return None
    if "required" in new and fitter.own_at(new, site) & _UNDECLARED:
        return None
    return write(fitter, schema, new, site)


def _tidied(fitter: Fitter, schema: Mapping[str, Any], word: str, site: Site) -> tuple[dict[str, Any] | None, str]:
    """The union with what stands beside it moved into its branches, and `oneOf` written as `anyOf`."""
    own = fitter.own_at(schema, site)
    branches = list(schema[word])
    inside = without(schema, word, *_OUTSIDE)
    if inside and own & mask_of("union-typed", "union-siblings"):
        pushed = pushed_in(fitter, inside, branches)
        if pushed is None:
            return None, word
        branches, inside = pushed, {}
    outside = {name: schema[name] for name in _OUTSIDE if name in schema}
    if outside and own & mask_of("union-annotated"):
        branches = _described(outside, branches)
        outside = {}
    if own & mask_of("one-of"):
        _note_any_of(fitter, schema[word], site, "written as anyOf")
        word = "anyOf"
    return {**outside, **inside, word: branches}, word


def _note_any_of(fitter: Fitter, branches: Sequence[Any], site: Site, reason: str) -> None:
    fitter.note(site, "one-of", "kept", "exact" if are_exclusive(fitter, branches) else "unproved", reason)


def pushed_in(fitter: Fitter, inside: Mapping[str, Any], branches: Sequence[Any]) -> list[Any] | None:
    """Each branch joined with what stands beside the union; None where that cannot be written."""
    joint: list[Any] = []
    for branch in branches:
        try:
            found = intersect(branch, inside, fitter.follow)
        except Unmergeable:
            return None
        if found is not False:
            joint.append(found)
    return joint or None


def _described(outside: Mapping[str, Any], branches: list[Any]) -> list[Any]:
    """The description beside a union in front of that of its first branch."""
    first = branches[0]
    if not is_map(first) or ref_of(first) is not None or "description" not in outside:
        return branches
    text = words.joined(outside["description"], [str(first.get("description", ""))])
    return [{**first, "description": text}, *branches[1:]]


def _cases(fitter: Fitter, published: Sequence[Any], fitted: Sequence[Fit], site: Site) -> tuple[Case, ...] | None:
    """How the branches are told apart on both sides without trial; None where they are not."""
    cases: list[Case] = []
    for branch, one in zip(published, fitted, strict=True):
        server, wire = _form(fitter.follow, branch), _form(partial(on_wire, fitter), one.schema)
        if server is None or wire is None:
            return None
        cases.append(Case(server, wire, one.codec))
    if _apart([case.server for case in cases]) and _apart([case.wire for case in cases]):
        return tuple(cases)
    return _tagged_cases(fitter, published, fitted, cases, site)


_OBJECT = frozenset(("object",))


def _apart(forms: Sequence[frozenset[str]]) -> bool:
    return sum(map(len, forms)) == len(frozenset[str]().union(*forms))


def _tagged_cases(
    fitter: Fitter, published: Sequence[Any], fitted: Sequence[Fit], cases: Sequence[Case], site: Site
) -> tuple[Case, ...] | None:
    """Objects are told apart by a tag that stays as it is on the wire, the other branches by their types."""
    objects = [place for place, case in enumerate(cases) if case.server == case.wire == _OBJECT]
    others = [case for place, case in enumerate(cases) if place not in objects]
    if not _apart([_OBJECT, *(case.server for case in others)]):
        return None
    if not _apart([_OBJECT, *(case.wire for case in others)]):
        return None
    tag = find_tag(fitter, [fitter.follow(published[place]) for place in objects], site, closed=False)
    if tag is None:
        return None
    known = dict(enumerate(cases))
    for place in objects:
        mine = _constant(fitter.follow(published[place]), tag)
        if mine is None or mine != _constant(on_wire(fitter, fitted[place].schema), tag):
            return None
        known[place] = replace(cases[place], tag=tag, wire_tag=tag, values=mine, wire_values=mine)
    return tuple(known[place] for place in range(len(cases)))


def _constant(schema: Any, tag: str) -> tuple[Any, ...] | None:
    """The only value of a tag, where it has one."""
    part = schema.get("properties", {}).get(tag) if is_map(schema) else None
    if not is_map(part):
        return None
    values = [part["const"]] if "const" in part else part.get("enum", [])
    return (values[0],) if len(values) == 1 else None


def _form(follow: Callable[[Any], Any], schema: Any, depth: int = 3) -> frozenset[str] | None:
    """The JSON types of a branch, whole numbers as both kinds; None where structure does not say, three unions deep."""
    schema = follow(schema)
    if not is_map(schema):
        return None
    types = types_of(schema)
    if not types and depth and is_list(schema.get("anyOf")):
        forms = [_form(follow, branch, depth - 1) for branch in schema["anyOf"]]
        known = [form for form in forms if form is not None]
        return frozenset[str]().union(*known) if len(known) == len(forms) else None
    if not types:
        return None
    names = set(types)
    return frozenset(names | ({"integer", "number"} if names & {"integer", "number"} else set()))


# A union that must go


def _rewritten(fitter: Fitter, schema: Mapping[str, Any], word: str, site: Site) -> Fit:
    inside = without(schema, word, *_OUTSIDE)
    branches = _flat(fitter, schema[word])
    if inside:
        pushed = pushed_in(fitter, inside, branches)
        if pushed is None:
            return fitter.text(schema, site, "union-siblings")
        branches = pushed
    outside = {name: schema[name] for name in _OUTSIDE if name in schema}
    if len(branches) == 1 and is_map(branches[0]):
        return fitter.fit({**branches[0], **outside}, site)
    whole = {**outside, "anyOf": branches}
    for lower in (_numbers, _one_enum, _types, _disguised, by_tag):
        found = lower(fitter, whole, branches, site)
        if found is not None:
            return found
    return by_name(fitter, whole, branches, site)


def _flat(fitter: Fitter, branches: Sequence[Any]) -> list[Any]:
    """The branches, those of a branch that is itself nothing but a union in its place."""
    flat: list[Any] = []
    for branch in branches:
        inner = fitter.follow(branch)
        word = next((name for name in UNIONS if is_map(inner) and is_list(inner.get(name))), None)
        if word and is_map(inner) and not set(inner) - {word, *_OUTSIDE} and ref_of(branch) is None:
            flat += _flat(fitter, inner[word])
        else:
            flat.append({} if branch is True else branch)
    return [branch for branch in flat if not is_never(branch)]


def _numbers(fitter: Fitter, whole: Mapping[str, Any], branches: Sequence[Any], site: Site) -> Fit | None:
    """Whole numbers and numbers are numbers."""
    plain = [fitter.follow(branch) for branch in branches]
    if not all(is_map(b) and not set(b) - {"type", "description", "title"} for b in plain):
        return None
    if {b["type"] for b in plain if is_map(b) and isinstance(b.get("type"), str)} != {"integer", "number"}:
        return None
    fitter.note(site, "scalar-union", "kept", "exact", "every whole number is a number")
    return fitter.fit({**without(whole, "anyOf"), "type": "number"}, site)


def _one_enum(fitter: Fitter, whole: Mapping[str, Any], branches: Sequence[Any], site: Site) -> Fit | None:
    """Branches that only list values are one list of values."""
    values: list[Any] = []
    known = Members()
    followed: list[Any] = [fitter.follow(part) for part in branches]
    for branch in followed:
        if not is_map(branch) or set(branch) - {"type", "enum", "const", "description", "title"}:
            return None
        if "enum" not in branch and "const" not in branch:
            return None
        values += [value for value in branch.get("enum", [branch.get("const")]) if known.add(value)]
    fitter.note(site, "scalar-union", "kept", "exact", "one list of values")
    return fitter.fit({**without(whole, "anyOf"), "enum": values}, site)


def _types(fitter: Fitter, whole: Mapping[str, Any], branches: Sequence[Any], site: Site) -> Fit | None:
    """Scalars of different types as a type list, where the target takes one."""
    plain: list[Any] = [fitter.follow(branch) for branch in branches]
    if fitter.refuses("type-list") or site.is_root:
        return None
    names: list[str] = []
    joint: dict[str, Any] = {}
    for branch in plain:
        kind = branch.get("type") if is_map(branch) else None
        if not isinstance(kind, str) or kind not in SCALARS or kind in names or "enum" in branch or "const" in branch:
            return None
        rest = without(branch, "type", "description", "title")
        if set(rest) & set(joint):
            return None
        names.append(kind)
        joint |= rest
    if {"integer", "number"} <= set(names):
        return None
    fitter.note(site, "scalar-union", "kept", "exact", "written as a type list")
    return fitter.fit({**without(whole, "anyOf"), "type": names, **joint}, site)


def _disguised(fitter: Fitter, whole: Mapping[str, Any], branches: Sequence[Any], site: Site) -> Fit | None:
    """Objects that differ in one constant only are an enum of the constants."""
    if site.is_root:
        return None
    found: list[Any] = []
    for branch in map(fitter.follow, branches):
        value = _constant_object(branch)
        if value is None:
            return None
        found.append(value)
    if len({next(iter(value)) for value in found}) != 1 or len(found) < 2:
        return None
    texts = unique_texts([next(iter(value.values())) for value in found])
    if fitter.refuses("enum"):
        return None
    fitter.note(site, "structured-union", "encoded", "exact", "objects that differ in one constant are an enum of it")
    wire = fitter.describe({"type": "string", "enum": list(texts)}, whole, [])
    return Fit(wire, Choice(texts, tuple(found)))


def _constant_object(branch: Any) -> dict[str, Any] | None:
    """The only value of an object schema with one required constant and nothing else."""
    if not is_map(branch) or types_of(branch) != ["object"]:
        return None
    properties = branch.get("properties", {})
    known = {"type", "properties", "required", "additionalProperties", "title", "description"}
    if len(properties) != 1 or set(branch) - known or branch.get("additionalProperties") not in (None, False):
        return None
    ((name, part),) = properties.items()
    if branch.get("required") != [name] or not is_map(part):
        return None
    if "const" in part:
        return {name: part["const"]}
    return {name: part["enum"][0]} if is_list(part.get("enum")) and len(part["enum"]) == 1 else None
