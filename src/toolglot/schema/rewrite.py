"""References under new names, and parts of a document that stand alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.refs import REF_WORDS, Document, Resolved
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Node, Schema, children


def rewrite_refs(schema: Any, refs: Mapping[str, str]) -> Any:
    """A schema in which each reference of `refs` has its new name; the same object where nothing changes."""
    if not is_map(schema):
        return schema
    new = {keyword: _value(keyword, value, refs) for keyword, value in schema.items()}
    for word in REF_WORDS:
        ref = new.get(word)
        if isinstance(ref, str) and ref in refs:
            del new[word]
            new["$ref"] = refs[ref]
    same = len(new) == len(schema) and all(
        new.get(word) is value or new.get(word) == value for word, value in schema.items()
    )
    return schema if same else new


def _value(keyword: str, value: Any, refs: Mapping[str, str]) -> Any:
    holds = SCHEMA_HOLDERS[keyword].holds if keyword in SCHEMA_HOLDERS else "data"
    if holds == "data":
        return value
    if is_map(value) and holds in ("map", "map-or-names"):
        return {name: rewrite_refs(item, refs) for name, item in value.items()}
    return [rewrite_refs(item, refs) for item in value] if is_list(value) else rewrite_refs(value, refs)


def standalone(schema: Schema, document: Document) -> Schema:
    """A part of a meaning with every definition it needs under `$defs`, so that it can be judged on its own.

    `document` is the whole meaning: its references are plain pointers. A part without references is returned as it is.
    """
    if isinstance(schema, bool):
        return schema
    names: dict[str, str] = {}
    needed: dict[str, Schema] = {}
    waiting: list[Schema] = [schema]
    while waiting:
        for ref in _refs_in(waiting.pop()):
            found = document.resolve(ref)
            if ref not in names and isinstance(found, Resolved):
                names[ref] = f"#/$defs/{len(names)}"
                needed[ref] = found.schema
                waiting.append(found.schema)
    if not names:
        return schema
    own = {word: value for word, value in schema.items() if word not in ("$defs", "definitions")}
    definitions = {name.rsplit("/", 1)[-1]: _bare(rewrite_refs(needed[ref], names)) for ref, name in names.items()}
    return {**rewrite_refs(own, names), "$defs": definitions}


def _bare(schema: Any) -> Any:
    """A definition without the definitions it may carry: they stand beside it now."""
    if not is_map(schema):
        return schema
    return {word: value for word, value in schema.items() if word not in ("$defs", "definitions")}


def _refs_in(schema: Schema) -> list[str]:
    refs: list[str] = []
    waiting = [Node(schema)]
    while waiting:
        node = waiting.pop()
        if is_map(node.schema):
            refs += [node.schema[word] for word in REF_WORDS if isinstance(node.schema.get(word), str)]
        waiting += [child for child in children(node) if child.keyword not in ("$defs", "definitions")]
    return refs
