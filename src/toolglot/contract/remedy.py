"""The way out of a structural union: which of the known ones fits, and what then goes into the description."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toolglot.contract.shapes import fingerprint, same_json, types_of
from toolglot.contract.unions import MAX_NAMED, Branch, Union, label, listed
from toolglot.schema.keywords import SCALARS
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema

DELTA_WORDS = frozenset(("add", "append", "delete", "insert", "prepend", "remove", "replace", "set", "unset", "update"))
"""Properties of an object that says how to change a list."""

DATA_TYPES = frozenset((
    "string", "number", "numeric", "integer", "int", "decimal", "float", "double", "boolean", "bool", "date",
    "datetime", "date_time", "timestamp", "json",
))  # fmt: skip
"""Tag values that name the type of a value: the server that stores it mostly knows that type."""


@dataclass(frozen=True, slots=True)
class Remedy:
    """`kind` names the way out, `fix` says what to write instead, the description included."""

    kind: str
    fix: str


def remedy(union: Union) -> Remedy:
    """The first way out that fits, in the order of `_WAYS`; the last one fits always."""
    return next(Remedy(kind, fix) for kind, way in _WAYS if (fix := way(union)))


def _disguised_enum(union: Union) -> str:
    """Objects that differ in one constant only."""
    tag = union.tag
    if not tag or union.scalars or _at_root(union) or any(len(branch.tags[tag]) != 1 for branch in union.structured):
        return ""
    if len({_without(branch, tag) for branch in union.structured}) != 1:
        return ""
    values = _values([branch.tags[tag][0] for branch in union.structured])
    return (
        f"Publish {_the(union)} as an enum of {values} and build the object in the server; "
        "say in the description what each value means."
    )


def _without(branch: Branch, tag: str) -> str:
    """What a branch says beside its tag's value and annotations."""
    if not is_map(branch.schema):
        return ""
    properties = {name: entry for name, entry in branch.properties.items() if name != tag}
    return fingerprint({**branch.schema, "properties": properties})


def _replace_or_delta(union: Union) -> str:
    """A list, or an object of changes to it."""
    lists = [branch for branch in union.structured if branch.is_array]
    deltas = [branch for branch in union.structured if branch.is_object]
    words = list(dict.fromkeys(name for branch in deltas for name in branch.properties))
    if len(lists) != 1 or not deltas or not _is_delta(words):
        return ""
    name = _snake(union.name) or "values"
    parts = listed([f"`{word}_{name}`" for word in words])
    return (
        f"Publish separate parameters: `{name}`, {parts}; say in the description that `{name}` replaces the whole list "
        "and the others change it, and refuse both at once in the server."
    )


def _is_delta(words: list[str]) -> bool:
    return bool({"add", "remove"} & set(words)) and DELTA_WORDS.issuperset(words)


def _permissive_value(union: Union) -> str:
    """Tagged objects that hold one value under one name, of another type each: the server knows which."""
    tag = union.tag
    differing = _differing(union.structured, tag) if tag else []
    shared = [name for name in differing if all(name in branch.properties for branch in union.structured)]
    if not shared:
        return ""
    name = shared[0]
    return (
        f"Publish one object with `{tag}` as an enum of {_tag_values(union)} and {_loose(name, union)}, and "
        f"dispatch on `{tag}` in the server; say in the description what `{name}` is for each `{tag}`: "
        f"{_cases(union, lambda b: _kind(b, name))}."
    )


def _typed_value(union: Union) -> str:
    """Tagged objects that hold one value each, under names of their own, and whose tag names the value's type."""
    tag = union.tag
    if not tag or sum(str(branch.tags[tag][0]).lower() in DATA_TYPES for branch in union.structured) < 2:
        return ""
    shared = set(union.structured[0].properties).intersection(*(b.properties for b in union.structured))
    own = [[name for name in branch.properties if name not in shared] for branch in union.structured]
    if sum(len(names) > 1 for names in own) * 3 > len(own):
        return ""
    kept = listed([f"`{name}`" for name in union.structured[0].properties if name in shared and name != tag])
    cases = _cases(union, lambda b: listed([name for name in b.properties if name not in shared]) or "nothing")
    return (
        f"Publish one object with {f'{kept} and ' if kept else ''}`value` as {_ANY_SCALAR}, and leave `{tag}` out: the "
        "server knows the type and dispatches on it; say in the description what `value` is for each type, in place of "
        f"{cases}."
    )


def _tagged(union: Union) -> str:
    """Objects that a tag tells apart."""
    tag = union.tag
    if not tag:
        return ""
    return (
        f"Publish one object: `{tag}` as an enum of {_tag_values(union)}, the other fields optional; check in the "
        f"server which go together and say it in the description: {_cases(union, lambda b: _fields(b, tag))}."
    )


def _one_or_many(union: Union) -> str:
    """A value, or a list of such values."""
    lists = [branch for branch in union.structured if branch.is_array]
    others = [branch for branch in union.structured if not branch.is_array]
    if len(lists) != 1 or len(others) != 1 or not is_map(lists[0].schema):
        return ""
    inner = lists[0].items
    if inner is None or fingerprint(union.document.follow(inner)) != fingerprint(others[0].schema):
        return ""
    if _at_root(union):
        return (
            "Publish `type: object` at the root with one parameter that is the list; say in the description that one "
            "value is a list of one."
        )
    return f"Publish {_the(union)} as the list alone; say in the description that one value is a list of one."


def _untagged(union: Union) -> str:
    """Objects that nothing tells apart."""
    if not all(branch.is_object for branch in union.structured) or union.scalars:
        return ""
    loose = "".join(f", {_loose(name, union)}" for name in _differing(union.structured, "")[:MAX_NAMED])
    if not all(branch.properties for branch in union.structured):
        return f"Publish {_the(union)} as a plain object; say in the description which forms the server knows."
    return (
        f"Publish one object with the fields of all forms, optional{loose}; check in the server which go together and "
        f"say it in the description: {_cases(union, lambda b: _fields(b, ''))}."
    )


def _one_parameter_each(union: Union) -> str:
    """Whatever else: every form gets a name of its own."""
    base = _snake(union.name)
    names = [f"`{name}`" for name in _form_names(union, base)]
    return (
        f"Publish one optional parameter for each form ({listed(names)}); say in the description that exactly one is "
        "to be given, and check it in the server."
    )


_WAYS: tuple[tuple[str, Callable[[Union], str]], ...] = (
    ("enum", _disguised_enum),
    ("parameters", _replace_or_delta),
    ("permissive-value", _permissive_value),
    ("permissive-value", _typed_value),
    ("tagged-object", _tagged),
    ("list", _one_or_many),
    ("object", _untagged),
    ("parameter-each", _one_parameter_each),
)


_ANY_SCALAR = "`anyOf` of string, number and boolean"
"""What every model can write, and every default target takes; a value without a type is neither."""


def _differing(branches: tuple[Branch, ...], tag: str) -> list[str]:
    """The properties that two branches declare with other types, or as objects or lists with other contents.

    Those that list their values wherever they are declared do not count: they become one enum.
    """
    forms: dict[str, set[str]] = {}
    for branch in branches:
        for name, entry in branch.properties.items():
            forms.setdefault(name, set()).add("" if name in branch.tags else _form(entry))
    return [name for name, found in forms.items() if name != tag and len(found) > 1]


def _form(entry: Schema) -> str:
    kinds = types_of(entry)
    return " ".join(kinds) if kinds and SCALARS.issuperset(kinds) else fingerprint(entry)


def _loose(name: str, union: Union) -> str:
    """How to publish a property that the branches declare differently."""
    kinds = [types_of(b.properties[name]) for b in union.structured if name in b.properties]
    found = list(dict.fromkeys(kind for one in kinds for kind in one)) if all(kinds) else []
    if len(found) == 1:
        return f"`{name}` as a plain {found[0]}"
    if found and SCALARS.issuperset(found):
        return f"`{name}` as `anyOf` of {' and '.join(found)}"
    return f"`{name}` without a type"


def _cases(union: Union, says: Callable[[Branch], str]) -> str:
    """`text: url; image: url, alt`: what belongs to which form, for the description."""
    parts = [f"{_case(branch, union.tag)}: {says(branch)}" for branch in union.structured[:MAX_NAMED]]
    more = len(union.structured) - MAX_NAMED
    return "; ".join(parts) + (f"; and {more} more" if more > 0 else "")


def _case(branch: Branch, tag: str) -> str:
    return same_json(branch.tags[tag][0]) if tag else branch.title or f"form {branch.place + 1}"


def _fields(branch: Branch, tag: str) -> str:
    return listed([name for name in branch.properties if name != tag]) or "nothing else"


def _kind(branch: Branch, name: str) -> str:
    entry = branch.properties.get(name)
    kinds = entry.get("type", "value") if is_map(entry) else "value"
    return kinds if isinstance(kinds, str) else "value"


def _tag_values(union: Union) -> str:
    return _values([value for branch in union.structured for value in branch.tags[union.tag]])


def _values(values: list[object]) -> str:
    return listed([same_json(value) for value in values])


def _at_root(union: Union) -> bool:
    """Whether it is the whole input schema, which has to be an object."""
    return union.node.pointer == ""


def _the(union: Union) -> str:
    return f"`{union.name}`" if union.name else "it"


def _form_names(union: Union, base: str) -> Iterator[str]:
    seen: set[str] = set()
    for branch in union.structured + union.scalars:
        kind = _list_name(branch, union) if branch.is_array else _object_name(branch) or _scalar(branch)
        name = _snake(branch.title) or (f"{base}_{kind}" if base else kind)
        while name in seen:
            name = f"{name}_{branch.place + 1}"
        seen.add(name)
        yield name


def _list_name(branch: Branch, union: Union) -> str:
    """`list`, or where several branches are lists, what it is a list of."""
    several = sum(other.is_array for other in union.structured) > 1
    of = _snake(label(branch).removeprefix("array").removeprefix(" of ")) if several else ""
    return f"{of}_list" if of else "list"


def _object_name(branch: Branch) -> str:
    """The first field of an object, which mostly says what the object is; "" where it is none."""
    return next((_snake(name) for name in branch.properties if _snake(name)), "object") if branch.is_object else ""


def _scalar(branch: Branch) -> str:
    kinds = types_of(branch.schema)
    return kinds[0] if kinds and kinds[0] != "string" else "text"


def _snake(name: str) -> str:
    """A name in the manner of parameters: `SiteList` becomes `site_list`."""
    return re.sub(r"\W+", "_", re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name)).strip("_").lower()
