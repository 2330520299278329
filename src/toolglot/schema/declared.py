"""The declared schema: what a server says that it takes, silence about other names read as none."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import partial
from typing import Any

from toolglot.schema.keywords import COMBINERS, SCHEMA_HOLDERS, UNIONS
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document, ref_of
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema


def declared(document: Document | Schema) -> Schema:
    """The meaning, where an object that has properties and says nothing about other names is closed.

    Closed on the whole intersection, never per branch; where one branch of a union is open, the others are closed each
    with what stands beside the union. A name that is required or that another name depends on counts as declared, with
    any value. A root that declares nothing takes no parameters.

    A value has to be valid for the meaning too: of a `oneOf` a closed branch can refuse what the open one took.
    """
    schema = meaning(document).schema
    if isinstance(schema, bool):
        return schema
    closed = close(schema)
    return {**closed, "maxProperties": 0} if says_nothing(closed) else closed


_SAYING = ("patternProperties", "additionalProperties", "unevaluatedProperties", "propertyNames", "minProperties")


def says_nothing(schema: Mapping[str, Any]) -> bool:
    """Whether a schema declares no names and says nothing about any: as a root, it takes no parameters."""
    words = (*_SAYING, *_PARTS, "required", "dependentRequired", "dependentSchemas")
    return not schema.get("properties") and not any(word in schema for word in words)


def close(schema: Schema, document: Document | None = None) -> Any:
    """A meaning in which the schema of every value is closed; `document` is where its references lead."""
    return _whole(schema, document or Document(schema))


_PARTS = ("$ref", "anyOf", "oneOf", "allOf", "if")
_CONDITIONS = ("if", "then", "else")
_OTHERS = frozenset(("additionalProperties", "patternProperties", "unevaluatedProperties"))

Fold = Callable[[Any], Any]


def _below(schema: Mapping[str, Any], document: Document, part: Fold, branch: Fold) -> dict[str, Any]:
    """A schema with all below it closed: values as wholes, parts and branches as they are told."""
    new: dict[str, Any] = {}
    folds: dict[str, Fold] = {
        "branch": branch,
        "part": part,
        "definition": lambda below: _part(below, document, said_by([below], document).names),
    }
    for keyword, value in schema.items():
        word = SCHEMA_HOLDERS.get(keyword)
        if word is None or word.role in ("condition", "names", "content"):
            new[keyword] = value
            continue
        fold = folds.get(word.role, lambda below: _whole(below, document))
        if is_list(value):
            new[keyword] = [fold(item) for item in value]
        elif is_map(value) and word.holds == "map":
            new[keyword] = {name: fold(item) for name, item in value.items()}
        else:
            new[keyword] = fold(value)
    return new


def _whole(schema: Any, document: Document, outer: frozenset[str] = frozenset()) -> Any:
    """The schema of a value, closed; `outer` are names that are declared beside it."""
    if not is_map(schema):
        return schema
    said = Said(document)
    said.add(schema)
    names = said.names | outer
    if not names or not (said.others or _has_open_branch(schema, document)):
        loose = names if names and said.wanted - names else None
        part = partial(_part, document=document, names=loose)
        new = _below(schema, document, part, part)
        if loose is not None:
            new = _declaring(schema, new, document, loose)
        return _shut(schema, new, outer - said.names) if names else new
    beside = Said(document)
    beside.add({word: value for word, value in schema.items() if word not in UNIONS})
    open_part = partial(_part, document=document, names=None)
    if beside.others or sum(word in schema for word in UNIONS) != 1:
        return _below(schema, document, open_part, open_part)
    known = outer | beside.names | beside.wanted
    return _below(schema, document, open_part, partial(_whole, document=document, outer=known))


def _part(schema: Any, document: Document, names: Collection[str] | None) -> Any:
    """A part of a value's schema: what is below it closed. With the `names` of a closed whole: its own are declared."""
    if not is_map(schema):
        return schema
    fold = partial(_part, document=document, names=names)
    new = _below(schema, document, fold, fold)
    return new if names is None else _declaring(schema, new, document, names)


def _declaring(
    schema: Mapping[str, Any], new: dict[str, Any], document: Document, names: Collection[str]
) -> dict[str, Any]:
    """A schema in which the names that it only asks for are declared, with any value; its parts and $ref do so too."""
    if not _OTHERS.isdisjoint(schema):
        return new
    said = Said(document)
    said.add({word: value for word, value in schema.items() if word != "$ref" and word not in COMBINERS})
    loose = sorted(said.wanted.difference(names))
    return {**new, "properties": {**new.get("properties", {}), **dict.fromkeys(loose, True)}} if loose else new


def _shut(schema: Mapping[str, Any], new: dict[str, Any], outer: Iterable[str]) -> dict[str, Any]:
    """The schema of a value that takes no names but those it declares and the `outer` ones."""
    missing = sorted(set(outer).difference(new.get("properties", ())))
    if missing:
        new["properties"] = {**new.get("properties", {}), **dict.fromkeys(missing, True)}
    composed = any(word in schema for word in (*_PARTS, "dependentSchemas"))
    new["unevaluatedProperties" if composed else "additionalProperties"] = False
    return new


def said_by(schemas: Iterable[Any], document: Document) -> Said:
    """What schemas say about property names, themselves or through what they refer to and their parts."""
    said = Said(document)
    for schema in schemas:
        if is_map(schema):
            said.add(schema)
    return said


def _has_open_branch(schema: Mapping[str, Any], document: Document) -> bool:
    """Whether a plain union has an object branch that declares nothing: that one stays open, so the whole does."""
    if "properties" in schema:
        return False
    branches = [document.follow(branch) for word in UNIONS for branch in schema.get(word, ())]
    return any(
        is_map(branch) and branch.get("type") == "object" and says_nothing(branch) and "allOf" not in branch
        for branch in branches
    )


class Said:
    """What the whole intersection of one value's schema says about property names.

    `names` are declared, `wanted` asked for; `others`: something is said about names that are not declared.
    """

    def __init__(self, document: Document) -> None:
        self.document = document
        self.names: set[str] = set()
        self.wanted: set[str] = set()
        self.others = False

    def add(self, schema: Mapping[str, Any]) -> None:
        """Take in a schema, what it refers to, and its parts, each once."""
        seen: dict[int, Mapping[str, Any]] = {}
        waiting = [schema]
        while waiting:
            schema = waiting.pop()
            if id(schema) in seen:
                continue
            seen[id(schema)] = schema
            self._add_one(schema)
            waiting.extend(_parts(schema, self.document))

    def _add_one(self, schema: Mapping[str, Any]) -> None:
        self.names.update(schema.get("properties", ()))
        self.wanted.update(schema.get("required", ()))
        for key, names in schema.get("dependentRequired", {}).items():
            self.wanted.update((key, *names))
        self.wanted.update(schema.get("dependentSchemas", ()))
        if not _OTHERS.isdisjoint(schema):
            self.others = True


def _parts(schema: Mapping[str, Any], document: Document) -> list[Mapping[str, Any]]:
    """The schemas that look at the same value: what is referred to, branches, parts, conditions."""
    parts: list[Any] = []
    if ref_of(schema) is not None:
        parts.append(document.follow(schema))
    for word in COMBINERS:
        parts.extend(schema.get(word, ()))
    parts.extend(schema.get(word) for word in _CONDITIONS)
    parts.extend(schema.get("dependentSchemas", {}).values())
    return [part for part in parts if is_map(part)]
