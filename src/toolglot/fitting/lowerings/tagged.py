"""Objects with a tag as one object: the tag as an enum of texts, the fields of all branches, differing ones renamed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from toolglot.fitting import words
from toolglot.fitting.codec_unions import Branch, ByTag
from toolglot.fitting.engine import Fit, Fitter, Site
from toolglot.fitting.lowerings.branches import snake
from toolglot.fitting.lowerings.hints import LOOKS_INSIDE
from toolglot.fitting.lowerings.nulls import spell_null
from toolglot.fitting.lowerings.objects import declared_names, other_names
from toolglot.fitting.lowerings.values import unique_texts
from toolglot.fitting.names import wire_name
from toolglot.fitting.nodes import types_of, without
from toolglot.schema.keywords import UNIONS
from toolglot.schema.values import Members, is_list, is_map, same


def by_tag(fitter: Fitter, whole: Mapping[str, Any], branches: Sequence[Any], site: Site) -> Fit | None:
    """One object for all branches, where every branch is an object that requires the same tag."""
    objects: list[Any] = [fitter.follow(branch) for branch in branches]
    tag = find_tag(fitter, objects, site)
    if tag is None or len(branches) < 2:
        return None
    values = [_tag_values(one["properties"][tag])[0] for one in objects]
    texts = unique_texts(values)
    places = [site.below("anyOf", place, deeper=0) for place in range(len(objects))]
    inner = [
        fitter.fit(_untagged(one, declared_names(fitter, one, place), tag), place)
        for one, place in zip(objects, places, strict=True)
    ]
    if not all(is_map(one.schema.get("properties")) or one.schema.get("type") == "object" for one in inner):
        return None
    merged = _Merge(fitter, tag)
    for text, one in zip(texts, inner, strict=True):
        merged.add(text, one)
    return merged.finish(whole, list(texts), values, objects, site)


def find_tag(fitter: Fitter, objects: Sequence[Any], site: Site, *, closed: bool = True) -> str | None:
    """The first property that every branch requires with constants that no other branch has.

    `closed`: only for branches that take no names but their own.
    """
    if not all(is_map(one) and types_of(one) == ["object"] and is_map(one.get("properties")) for one in objects):
        return None
    if closed and not all(other_names(fitter, one, site.below("anyOf", 0)) is False for one in objects):
        return None
    for name in objects[0]["properties"] if objects else ():
        values = [_tag_values(one["properties"].get(name)) for one in objects]
        required = all(name in one.get("required", ()) for one in objects)
        if required and all(len(v) == 1 for v in values) and _disjoint([v[0] for v in values]):
            return name
    return None


def _tag_values(part: Any) -> list[Any]:
    if not is_map(part):
        return []
    if "const" in part:
        return [part["const"]]
    return part["enum"] if is_list(part.get("enum")) else []


def _disjoint(values: Sequence[Any]) -> bool:
    known = Members()
    return all(known.add(value) for value in values)


def _untagged(one: Mapping[str, Any], declared: Mapping[str, Any], tag: str) -> dict[str, Any]:
    """A branch without its tag; what looks at the object as a whole is checked after the call."""
    properties = without(declared, tag)
    rest = without(one, "description", "title", "properties", "required", "additionalProperties", *LOOKS_INSIDE)
    for word in UNIONS:
        if any(is_map(part) and tag in part.get("required", ()) for part in rest.get(word, ())):
            rest[word] = [_not_asking(part, tag) for part in rest[word]]
    required = [name for name in one.get("required", ()) if name != tag]
    new = {**rest, "type": "object", "properties": properties, "additionalProperties": False}
    return {**new, "required": required} if required else new


def _not_asking(part: Any, tag: str) -> Any:
    """An alternative that does not require the tag: every branch does."""
    if not is_map(part) or "required" not in part:
        return part
    return {**part, "required": [name for name in part["required"] if name != tag]}


class _Merge:
    """The fields of all branches on the wire."""

    def __init__(self, fitter: Fitter, tag: str) -> None:
        self.fitter = fitter
        self.tag = tag
        self.wire_tag = wire_name(tag, fitter.target.property_name)
        self.properties: dict[str, Any] = {}
        self.owners: dict[str, list[str]] = {}
        self.branches: list[tuple[str, Fit, dict[str, str]]] = []

    def add(self, text: str, one: Fit) -> None:
        """Take in the fields of one branch."""
        names: dict[str, str] = {}
        for name, part in one.schema.get("properties", {}).items():
            wire = self._name(name, part, text)
            names[wire] = name
            self.owners.setdefault(wire, []).append(text)
        self.branches.append((text, one, names))

    def _name(self, name: str, part: Any, text: str) -> str:
        """The name of a field: its own where it means the same in every branch that has it."""
        wire = name
        taken = name in (self.tag, self.wire_tag)
        if taken or (name in self.properties and not _alike(self.properties[name], part)):
            longer = f"{name}_{snake(text)}"
            wire = wire_name(longer, self.fitter.target.property_name)
            while wire in self.properties and not _alike(self.properties[wire], part):
                longer += "_"
                wire = wire_name(longer, self.fitter.target.property_name)
        self.properties.setdefault(wire, part)
        return wire

    def finish(
        self, whole: Mapping[str, Any], texts: list[str], values: Sequence[Any], objects: Sequence[Any], site: Site
    ) -> Fit | None:
        """The one object, and how its values travel."""
        fill = self.fitter.refuses("property-optional")
        wired = self._nullable(len(texts)) if fill else dict(self.properties)
        if wired is None:
            return None
        tag: dict[str, Any] = {"type": "string", "enum": texts}
        if self.fitter.refuses("enum"):
            tag = {"type": "string", "description": words.listed(texts)}
        required = [self.wire_tag, *(list(wired) if fill else self._demanded())]
        new: dict[str, Any] = {"type": "object", "properties": {self.wire_tag: tag, **wired}, "required": required}
        if self.fitter.refuses("object-not-closed"):
            new["additionalProperties"] = False
        feature = "root-union" if site.is_root else "structured-union"
        self.fitter.note(site, feature, "encoded", "wider", f"one object, told apart by {self.tag}")
        branches = tuple(
            Branch(text, one, fit.codec, value, names)
            for (text, fit, names), value, one in zip(self.branches, values, objects, strict=True)
        )
        codec = ByTag(self.tag, self.wire_tag, branches, dict(whole), tuple(wired) if fill else ())
        return Fit(self.fitter.describe(new, whole, self._sentences(texts)), codec)

    def _nullable(self, count: int) -> dict[str, Any] | None:
        """The fields for a target that demands them all: null for those that some branch does not have."""
        wired: dict[str, Any] = {}
        for name, part in self.properties.items():
            if len(self.owners[name]) == count and name in self._demanded():
                wired[name] = part
                continue
            spelled = part if _is_nullable(part) else spell_null(self.fitter, part)
            if spelled is None:
                return None
            wired[name] = spelled
        return wired

    def _demanded(self) -> list[str]:
        """The fields that every branch requires."""
        demanded = list(self.properties)
        for _, one, names in self.branches:
            wanted = one.schema.get("required", ())
            mine = {wire for wire, server in names.items() if server in wanted}
            demanded = [name for name in demanded if name in mine]
        return demanded

    def _sentences(self, texts: Sequence[str]) -> list[str]:
        said: list[str] = []
        for text in texts:
            own = [name for name, owners in self.owners.items() if owners == [text]]
            if own and len(texts) > 1:
                said.append(words.only_with(self.tag, text, own))
        return said


def _alike(left: Any, right: Any) -> bool:
    """Whether two fields mean the same, whatever is said about them."""
    hints = ("description", "title", "default", "examples")
    return same(without(left, *hints), without(right, *hints)) if is_map(left) and is_map(right) else same(left, right)


def _is_nullable(part: Any) -> bool:
    if not is_map(part):
        return False
    kind = part.get("type")
    branches = part.get("anyOf", ())
    return part.get("nullable") is True or (is_list(kind) and "null" in kind) or {"type": "null"} in branches
