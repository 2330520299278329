"""What a published schema means, as a 2020-12 schema, and what had to be left out to say so.

`meaning` is total: whatever a server publishes has a meaning, and every keyword that had to be dropped or read
differently is a Repair. Laws, restoring and proofs use the meaning; the checker reports the repairs.

Sources: draft-04 5.1, 5.3 (boolean exclusive bounds, list `items`); draft-07 8.3 (nothing counts beside `$ref`);
2019-09 and 2020-12 release notes (`items`/`prefixItems`, `dependencies`); OpenAPI 3.0.3 (`nullable`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote

from toolglot.schema.dialect import OLD_REFERENCES, declared_dialect, dialect_of
from toolglot.schema.keywords import KEYWORDS, SCHEMA_HOLDERS
from toolglot.schema.refs import REF_WORDS, Document, Resolved, ref_of
from toolglot.schema.rewrite import rewrite_refs
from toolglot.schema.values import has_type, is_list, is_map, is_schema
from toolglot.schema.walk import Schema, escape
from toolglot.schema.wellformed import wellformed

RepairKind = Literal[
    "invalid-keyword", "dangling-reference", "remote-reference", "unknown-dialect", "uncompilable-pattern"
]
REPAIR_KINDS: tuple[RepairKind, ...] = (
    "invalid-keyword",
    "dangling-reference",
    "remote-reference",
    "unknown-dialect",
    "uncompilable-pattern",
)


@dataclass(frozen=True, slots=True)
class Repair:
    """A keyword that counts for nothing, or not as written: `pointer` is its node, `detail` its value in short."""

    kind: RepairKind
    pointer: str
    keyword: str
    detail: str = ""

    @property
    def is_old_form(self) -> bool:
        """Whether the keyword is read in the sense of an older draft, which the schema does not declare."""
        return self.detail == _OLDER


_OLDER = "the form of an older draft"


@dataclass(frozen=True, slots=True)
class Meaning:
    """A 2020-12 schema without `$schema`, whose references are local and resolve, and the repairs it took."""

    schema: Schema
    repairs: tuple[Repair, ...]


def meaning(document: Document | Schema) -> Meaning:
    """The meaning of a published schema. Never raises for what a server may publish; the input is never changed.

    The result shares what did not change with the input. Raises ToolError past the budget of nodes.
    """
    document = document if isinstance(document, Document) else Document(document)
    reader = _Reader(document)
    schema = reader.read(document.schema, "")
    return Meaning(reader.point(schema), tuple(reader.repairs))


_DROPPED = frozenset(("$schema", "$id", "id", "$anchor", "$dynamicAnchor", "$recursiveAnchor", "$vocabulary"))
"""Identifiers: references are rewritten to plain pointers, so that nothing can move a base URI any more."""


class _Reader:
    """Reads one document into its meaning; collects repairs, and how pointers move."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.repairs: list[Repair] = []
        self.moved: dict[str, str] = {}
        self.old = dialect_of(document.schema) in OLD_REFERENCES
        self.targets = self._targets()
        schema = document.schema
        if is_map(schema) and isinstance(schema.get("$schema"), str) and declared_dialect(schema) is None:
            self.repairs.append(Repair("unknown-dialect", "", "$schema", schema["$schema"][:200]))

    def _targets(self) -> dict[str, Resolved | str]:
        return {node.pointer: self.document.target(node) or "dangling" for node in self.document.refs}

    def read(self, schema: Schema, pointer: str) -> Schema:
        """The meaning of the schema at a pointer; the same object where it means what it says."""
        if isinstance(schema, bool):
            return schema
        read: dict[str, Any] = {}
        changed = False
        for keyword, value in schema.items():
            kept, mine = self._keyword(schema, keyword, value, pointer, read)
            changed = changed or not kept or mine is not value
            if kept:
                read[keyword] = mine
        changed = self._modernise(schema, read, pointer) or changed
        return read if changed else schema

    def _keyword(
        self, schema: Mapping[str, Any], keyword: str, value: Any, pointer: str, read: dict[str, Any]
    ) -> tuple[bool, Any]:
        """Whether a keyword stays, and its value."""
        if keyword in _DROPPED and (keyword != "id" or isinstance(value, str)):
            return False, None
        if keyword in REF_WORDS:
            return self._reference(keyword, value, pointer)
        if self.old and "$ref" in schema and keyword in KEYWORDS and KEYWORDS[keyword].kind in _SILENCED:
            return False, None
        if keyword in _OLD_FORMS and _OLD_FORMS[keyword](value):
            self._note_old(keyword, pointer)
            return True, self._below(keyword, value, pointer)
        if not wellformed(keyword, value):
            return self._malformed(keyword, value, pointer)
        if keyword == "pattern" and not _compiles(value):
            self.repairs.append(Repair("uncompilable-pattern", pointer, keyword, value[:200]))
            return False, None
        return True, self._below(keyword, value, pointer)

    def _reference(self, keyword: str, value: Any, pointer: str) -> tuple[bool, Any]:
        found = self.targets.get(pointer, "dangling")
        if isinstance(found, Resolved) and isinstance(value, str):
            return True, value
        if not isinstance(value, str):
            return self._malformed(keyword, value, pointer)
        kind: RepairKind = "remote-reference" if found == "remote" else "dangling-reference"
        self.repairs.append(Repair(kind, pointer, keyword, value[:200]))
        return False, None

    def _malformed(self, keyword: str, value: Any, pointer: str) -> tuple[bool, Any]:
        self.repairs.append(Repair("invalid-keyword", pointer, keyword, _short(value)))
        if keyword in ("properties", "patternProperties", "$defs", "definitions", "dependentSchemas") and is_map(value):
            sound = {name: item for name, item in value.items() if is_schema(item)}
            return True, self._below(keyword, sound, pointer)
        if keyword == "required" and is_list(value):
            return True, list(dict.fromkeys(name for name in value if isinstance(name, str)))
        if keyword == "type" and is_list(value):
            known = list(dict.fromkeys(name for name in value if wellformed("type", name)))
            return bool(known), known
        return False, None

    def _note_old(self, keyword: str, pointer: str) -> None:
        """A form of an older draft: read in its sense; a repair only where the schema does not declare that draft."""
        dialect = dialect_of(self.document.schema)
        allowed = dialect == "draft-04" if keyword.startswith("exclusive") else dialect != "2020-12"
        if not allowed:
            self.repairs.append(Repair("invalid-keyword", pointer, keyword, _OLDER))

    def _below(self, keyword: str, value: Any, pointer: str) -> Any:
        """The value of a keyword with every schema in it read."""
        if keyword not in SCHEMA_HOLDERS or SCHEMA_HOLDERS[keyword].holds == "data":
            return value
        here = f"{pointer}/{keyword}"
        if is_map(value) and SCHEMA_HOLDERS[keyword].holds in ("map", "map-or-names"):
            return self._map(keyword, value, here)
        if is_list(value):
            read = [self.read(item, f"{here}/{place}") if is_schema(item) else item for place, item in enumerate(value)]
            return value if all(a is b for a, b in zip(read, value, strict=True)) else read
        return self.read(value, here) if is_schema(value) else value

    def _map(self, keyword: str, value: dict[str, Any], pointer: str) -> dict[str, Any]:
        read: dict[str, Any] = {}
        for name, item in value.items():
            if keyword == "patternProperties" and not _compiles(name):
                node = pointer.removesuffix(f"/{keyword}")
                self.repairs.append(Repair("uncompilable-pattern", node, keyword, name[:200]))
            else:
                read[name] = self.read(item, f"{pointer}/{escape(name)}") if is_schema(item) else item
        unchanged = len(read) == len(value) and all(read[name] is item for name, item in value.items())
        return value if unchanged else read

    def _modernise(self, schema: Mapping[str, Any], read: dict[str, Any], pointer: str) -> bool:
        """Write what is left of older drafts and of OpenAPI in the words of 2020-12. Says whether anything changed."""
        changed = _exclusive_flags(read) | _dependencies(read)
        if is_list(read.get("items")):
            self._tuple(read, pointer)
            changed = True
        elif "additionalItems" in read:
            del read["additionalItems"]
            changed = True
        if schema.get("nullable") is True and _add_null(read):
            changed = True
        if "nullable" in read:
            del read["nullable"]
            changed = True
        return _filter_enum(read) or changed

    def _tuple(self, read: dict[str, Any], pointer: str) -> None:
        items = read.pop("items")
        rest = read.pop("additionalItems", None)
        if items:
            read["prefixItems"] = items
        self.moved[f"{pointer}/items"] = f"{pointer}/prefixItems"
        if rest is not None:
            read["items"] = rest
            self.moved[f"{pointer}/additionalItems"] = f"{pointer}/items"

    def point(self, schema: Schema) -> Schema:
        """The schema with every reference as a plain pointer to where its target stands now."""
        if not self.targets:
            return schema
        return rewrite_refs(schema, _new_refs(self.moved, self.targets, self.document))


def _new_refs(moved: Mapping[str, str], targets: Mapping[str, Resolved | str], document: Document) -> dict[str, str]:
    """Each reference that leads somewhere, as a plain pointer; `moved` says which places stand elsewhere now."""
    order = sorted(moved.items(), key=lambda pair: -len(pair[0]))
    refs: dict[str, str] = {}
    for node in document.refs:
        ref, found = ref_of(node.schema), targets[node.pointer]
        if ref is not None and isinstance(found, Resolved):
            refs[ref] = f"#{quote(_move(found.pointer, order), safe=_SAFE)}"
    return refs


def _move(pointer: str, moved: Sequence[tuple[str, str]]) -> str:
    for old, new in moved:
        if pointer == old or pointer.startswith(old + "/"):
            pointer = new + pointer[len(old) :]
    return pointer


_SAFE = "/$-._~!&'()*+,;=:@?"
"""What stands unescaped in a URI fragment (RFC 3986)."""

_SILENCED = ("assertion", "applicator", "annotation")


def _is_flag(value: Any) -> bool:
    return isinstance(value, bool)


def _is_tuple(value: Any) -> bool:
    return is_list(value) and all(is_schema(item) for item in value)


_OLD_FORMS: dict[str, Callable[[Any], bool]] = {
    "items": _is_tuple,
    "exclusiveMinimum": _is_flag,
    "exclusiveMaximum": _is_flag,
}


def _compiles(pattern: str) -> bool:
    from toolglot.schema.validate import compiles

    return compiles(pattern)


def _short(value: Any) -> str:
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def _exclusive_flags(read: dict[str, Any]) -> bool:
    """Draft-04: `exclusiveMinimum: true` makes the bound beside it exclusive."""
    changed = False
    for flag, bound in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        value = read.get(flag)
        if not isinstance(value, bool):
            continue
        changed = True
        del read[flag]
        if value and bound in read:
            read[flag] = read.pop(bound)
    return changed


def _dependencies(read: dict[str, Any]) -> bool:
    given = read.get("dependencies")
    if not is_map(given):
        return False
    del read["dependencies"]
    names = {key: value for key, value in given.items() if is_list(value)}
    schemas = {key: value for key, value in given.items() if not is_list(value)}
    if names:
        read["dependentRequired"] = {**names, **read.get("dependentRequired", {})}
    if schemas:
        read["dependentSchemas"] = {**schemas, **read.get("dependentSchemas", {})}
    return True


def _add_null(read: dict[str, Any]) -> bool:
    """OpenAPI `nullable: true`: null is a value too, whatever `type` and `enum` say. Without a type it says nothing."""
    kind = read.get("type")
    if kind is None:
        return False
    names = [kind] if isinstance(kind, str) else list(kind)
    if "null" not in names:
        read["type"] = [*names, "null"]
    values = read.get("enum")
    if is_list(values) and None not in values:
        read["enum"] = [*values, None]
    return True


def _filter_enum(read: dict[str, Any]) -> bool:
    """`type` filters `enum`: values of another type can never be given."""
    values, kind = read.get("enum"), read.get("type")
    if not is_list(values) or kind is None:
        return False
    names = [kind] if isinstance(kind, str) else kind
    fitting = [value for value in values if any(has_type(value, name) for name in names)]
    if len(fitting) == len(values):
        return False
    read["enum"] = fitting
    return True
