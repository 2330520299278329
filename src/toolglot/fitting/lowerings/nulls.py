"""Null and type lists: in the target's spelling, or by other means."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from toolglot.fitting.codec import IDENTITY, Codec, Run
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.nodes import is_never, types_of, without
from toolglot.fitting.wire import on_wire
from toolglot.schema.features import mask_of
from toolglot.schema.keywords import ANNOTATIONS, KEYWORDS
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema


@dataclass(frozen=True, slots=True)
class Nullable:
    """Null travels as null, other values through a codec."""

    codec: Codec

    def encode(self, value: Any, run: Run) -> Any:
        """Null, or the value encoded."""
        return None if value is None else self.codec.encode(value, run)

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """Null, or the value restored."""
        return None if value is None else self.codec.restore(value, run, path)


def nullable(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """A type list or a union with null: the rest is fitted, null is spelled as the target spells it."""
    if site.is_root or not _mixes_null(schema):
        return None
    rest = without_null(fitter, schema)
    if rest is None:
        return _only_null(fitter, schema, site)
    fitter.null_beside.add(site.pointer)
    if takes_null(fitter, rest):
        return None if "oneOf" in schema else fitter.fit(rest, site)
    child = fitter.fit(rest, site)
    prefer = "list" if is_list(schema.get("type")) else "union"
    spelled = spell_null(fitter, child.schema, prefer=prefer)
    if spelled is None:
        return fitter.text(schema, site, "type-list-null" if prefer == "list" else "null-union")
    if spelled.get("type") != schema.get("type") or ("anyOf" in spelled) != ("anyOf" in schema):
        fitter.note(
            site, "type-list-null" if prefer == "list" else "null-union", "kept", "exact", "null spelled otherwise"
        )
    codec = child.codec
    return Fit(spelled, codec if codec is IDENTITY else Nullable(codec))


def _only_null(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """A union of which nothing but null is left."""
    if "anyOf" not in schema and "oneOf" not in schema:
        return None
    fitter.note(site, "null-union", "kept", "unproved" if "oneOf" in schema else "exact", "only null is left")
    return fitter.fit({**{word: value for word, value in schema.items() if word in ANNOTATIONS}, "type": "null"}, site)


def _mixes_null(schema: Mapping[str, Any]) -> bool:
    kind = schema.get("type")
    if is_list(kind):
        return "null" in kind
    return any(is_null_schema(branch) for word in ("anyOf", "oneOf") for branch in schema.get(word, ()))


def type_list(fitter: Fitter, schema: Mapping[str, Any], site: Site) -> Fit | None:
    """A type list: one type as a text; several, where the target takes no list, as a union of typed branches."""
    kind = schema.get("type")
    if not is_list(kind) or "enum" in schema or "const" in schema:
        return None
    names = [str(name) for name in kind]
    if len(names) == 1:
        return fitter.fit({**schema, "type": names[0]}, site)
    if site.is_root:
        return fitter.fit({**schema, "type": "object"}, site)
    if not fitter.own_at(schema, site) & mask_of("type-list", "type-list-null") and _plain(names):
        return None
    return fitter.fit(as_union(schema, names), site)


def _plain(names: list[str]) -> bool:
    return not {"object", "array"} & set(names)


def as_union(schema: Mapping[str, Any], names: list[str]) -> dict[str, Any]:
    """A node with several types as a union: each branch has the keywords that look at its type."""
    outside = {word: schema[word] for word in ("description", "title", "default", "examples") if word in schema}
    branches: list[dict[str, Any]] = []
    for name in names:
        branch: dict[str, Any] = {"type": name}
        for word, value in schema.items():
            known = KEYWORDS.get(word)
            if word == "type" or word in outside or known is None:
                continue
            domain = {"integer": "number"}.get(name, name)
            if known.domain in (domain, "any"):
                branch[word] = value
        branches.append(branch)
    return {**outside, "anyOf": branches}


def takes_null(fitter: Fitter, schema: Any) -> bool:
    """Whether null is a valid value, as far as structure says. A schema that leads back to itself adds nothing."""
    if is_map(schema) and isinstance(schema.get("type"), str) and "$ref" not in schema:
        return schema["type"] == "null"
    known = fitter.null_known.get(id(schema))
    if known is not None and known[0] is schema:
        return known[1]
    fitter.null_known[id(schema)] = (schema, False)
    found = _takes_null(fitter, schema)
    fitter.null_known[id(schema)] = (schema, found)
    return found


def _takes_null(fitter: Fitter, schema: Any) -> bool:
    schema = fitter.follow(schema)
    if not is_map(schema) or is_never(schema):
        return schema is True
    if "const" in schema:
        return schema["const"] is None
    if is_list(schema.get("enum")) and None not in schema["enum"]:
        return False
    types = types_of(schema)
    if types and "null" not in types:
        return False
    for word in ("anyOf", "oneOf"):
        if is_list(schema.get(word)) and not any(takes_null(fitter, branch) for branch in schema[word]):
            return False
    return all(takes_null(fitter, part) for part in schema.get("allOf", ()))


def wire_takes_null(fitter: Fitter, wire: Any) -> bool:
    """Whether a schema that is sent takes null; its references lead to definitions that are sent."""
    waiting, seen = [wire], set[int]()
    while waiting:
        one = on_wire(fitter, waiting.pop())
        branches = one.get("anyOf") if is_map(one) else None
        if is_map(one) and one.get("nullable") is True:
            return True
        if not is_list(branches):
            if takes_null(fitter, one):
                return True
        elif id(branches) not in seen:
            seen.add(id(branches))
            waiting += branches
    return False


def without_null(fitter: Fitter, schema: Any) -> Any:
    """The schema of the values other than null, where null is one of several; None where nothing is left."""
    schema = fitter.follow(schema)
    if not is_map(schema):
        return None
    new = dict(schema)
    kind = schema.get("type")
    if is_list(kind):
        names = [name for name in kind if name != "null"]
        if not names:
            return None
        new["type"] = names[0] if len(names) == 1 else names
    elif kind == "null":
        return None
    if is_list(schema.get("enum")):
        new["enum"] = [value for value in schema["enum"] if value is not None]
        if not new["enum"]:
            return None
    for word in ("anyOf", "oneOf"):
        if is_list(schema.get(word)):
            new = _without_null_branch(fitter, new, word)
            if new.get(word) == []:
                return None
    return new if new != schema else None


def _without_null_branch(fitter: Fitter, schema: dict[str, Any], word: str) -> dict[str, Any]:
    rest: list[Any] = []
    for branch in schema[word]:
        if is_never(fitter.follow(branch)):
            continue
        if not takes_null(fitter, branch):
            rest.append(branch)
        elif (other := without_null(fitter, branch)) is not None:
            rest.append(other)
        elif not _is_null_alone(fitter, branch):
            rest.append(branch)  # any value: null cannot be taken out of it
    if len(rest) == 1 and is_map(rest[0]) and not (set(rest[0]) & set(schema) - {"description", "title", "default"}):
        return {**rest[0], **without(schema, word)}
    return {**schema, word: rest}


def _is_null_alone(fitter: Fitter, schema: Any) -> bool:
    """Whether a branch takes null and no other value, also as a union of such branches."""
    schema = fitter.follow(schema)
    branches = [branch for word in ("anyOf", "oneOf") for branch in (schema.get(word, ()) if is_map(schema) else ())]
    return is_null_schema(schema) or (bool(branches) and all(_is_null_alone(fitter, branch) for branch in branches))


def spell_null(fitter: Fitter, wire: Mapping[str, Any], *, prefer: str = "") -> dict[str, Any] | None:
    """The wire schema with null beside its values, in the target's spelling; None where the target has none."""
    order = _order(fitter)
    if prefer and not _is_taken(fitter, "keyword"):
        order = (prefer, *order)
    for name in order:
        spelled = _SPELLINGS[name](fitter, wire)
        if spelled is not None:
            return spelled
    return None


def _order(fitter: Fitter) -> tuple[str, ...]:
    """The spellings of null, those first that the target is known to take."""
    if not fitter.null_order:
        names = sorted(("list", "union", "keyword"), key=lambda name: not _is_taken(fitter, name))
        fitter.null_order = tuple(names)
    return fitter.null_order


def _is_taken(fitter: Fitter, name: str) -> bool:
    """Whether the target is known to take a spelling; what nobody knows comes after."""
    feature = {"list": "type-list-null", "union": "null-union", "keyword": "nullable"}[name]
    fact = fitter.target.facts.get(feature)
    return fact is not None and fact.status in ("enforced", "accepted", "passed on")


def _null_in_list(fitter: Fitter, wire: Mapping[str, Any]) -> dict[str, Any] | None:
    kind = wire.get("type")
    names = [kind] if isinstance(kind, str) else list(kind) if is_list(kind) else []
    if not names or fitter.refuses("type-list-null" if len(names) == 1 else "type-list"):
        return None
    if "anyOf" in wire or "oneOf" in wire or "const" in wire:
        return None
    new = {**wire, "type": [*names, "null"] if "null" not in names else kind}
    if "enum" in wire:
        if fitter.refuses("enum-null"):
            return None
        new["enum"] = [*wire["enum"], None]
    return new


def _null_branch(fitter: Fitter, wire: Mapping[str, Any]) -> dict[str, Any] | None:
    if "anyOf" in wire and ANNOTATIONS.issuperset(without(wire, "anyOf")):
        return {**wire, "anyOf": [*wire["anyOf"], {"type": "null"}]}
    if fitter.refuses("null-union") or ("$ref" in wire and fitter.refuses("ref-in-union")):
        return None
    inside = dict(wire)
    outside: dict[str, Any] = {}
    if not fitter.refuses("union-annotated"):
        outside = {word: inside.pop(word) for word in ("description", "title", "default") if word in inside}
    return {**outside, "anyOf": [inside, {"type": "null"}]}


def _nullable(fitter: Fitter, wire: Mapping[str, Any]) -> dict[str, Any] | None:
    fact = fitter.target.facts.get("nullable")
    if fact is None or fact.status not in ("enforced", "accepted") or "type" not in wire:
        return None
    return {**wire, "nullable": True}


_SPELLINGS = {"list": _null_in_list, "union": _null_branch, "keyword": _nullable}


def is_null_schema(schema: Schema) -> bool:
    """Whether a branch takes null alone."""
    return is_map(schema) and (
        schema.get("type") == "null" or schema.get("enum") == [None] or ("const" in schema and schema["const"] is None)
    )
