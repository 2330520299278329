"""The surface class of a tool: does a call read, can it be gated by its action, or may it change something.

The facts: `annotations.readOnlyHint` (MCP specification, *Tool annotations*: a missing hint means false) and enum
parameters named like an action. docs/surface.md has the table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from typing import Any

from toolglot.contract.model import Surface
from toolglot.contract.repairs import BROKEN, repair_says
from toolglot.contract.root import Root, read_root
from toolglot.contract.shapes import finite_values, same_json
from toolglot.contract.unions import listed
from toolglot.schema.meaning import Meaning, meaning
from toolglot.schema.refs import Document, Resolved, ref_of
from toolglot.schema.tool import Tool
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


ACTION_NAMES = ("action", "operation", "command", "method", "mode", "op")
"""Parameters that say what a call does, when they list their values."""

READING_VALUES = _words(
    "browse compare count describe diff exists explain fetch find get head help history info inspect list lookup"
    " options peek ping preview read search show stat stats status summary tail validate version view"
)
"""Values of an action parameter that only read. The configuration's `reading_values` replaces them."""

MUTATING_VALUES = _words(
    "activate add append apply approve archive assign cancel change clear close commit copy create deactivate delete"
    " deploy disable drop edit enable execute import insert install invoke kill merge modify move open patch pause"
    " post publish purge push put reject remove rename reopen replace reset restart restore resume revert rollback"
    " run save send set start stop submit subscribe sync truncate unassign uninstall unpublish unsubscribe update"
    " upload upsert write"
)
"""Values known to change something: they outweigh a `readOnlyHint`."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """Which parameters are actions, and which of their values read or are known to change something.

    A value is compared without regard to case; a word of the table may end in `*`.
    """

    action_names: tuple[str, ...] = ACTION_NAMES
    reading_values: tuple[str, ...] = READING_VALUES
    mutating_values: tuple[str, ...] = MUTATING_VALUES

    @classmethod
    def of(cls, action_names: Iterable[str] | None = None, reading_values: Iterable[str] | None = None) -> Vocabulary:
        """The tables, with those replaced that are given (the configuration's `action_names`, `reading_values`)."""
        return cls(
            ACTION_NAMES if action_names is None else tuple(name.lower() for name in action_names),
            READING_VALUES if reading_values is None else tuple(value.lower() for value in reading_values),
        )

    def is_action(self, name: str) -> bool:
        """Whether a parameter is named like an action."""
        return name.lower() in self.action_names

    def reads(self, value: Any) -> bool:
        """Whether a value of an action parameter is listed as reading."""
        return isinstance(value, str) and _in_table(value, self.reading_values)

    def mutates(self, value: Any) -> bool:
        """Whether a value of an action parameter is known to change something."""
        return isinstance(value, str) and _in_table(value, self.mutating_values) and not self.reads(value)


def _in_table(value: str, table: tuple[str, ...]) -> bool:
    word = value.lower()
    return word in table or any(fnmatchcase(word, entry) for entry in table if "*" in entry)


VOCABULARY = Vocabulary()


@dataclass(frozen=True, slots=True)
class Action:
    """One action parameter: its values, those that read, those known to change something.

    `settled`: a call that leaves it out still reads (it is required, or its default is listed as reading).
    """

    name: str
    values: tuple[Any, ...]
    reading: tuple[Any, ...]
    mutating: tuple[Any, ...]
    settled: bool

    @property
    def reads_only(self) -> bool:
        """Whether every call reads, as far as this parameter says."""
        return len(self.reading) == len(self.values) and self.settled


@dataclass(frozen=True, slots=True)
class SurfaceReading:
    """The class of one tool, why, and the class it would have with its root in sight and nothing broken."""

    surface: Surface
    reason: str
    in_sight: Surface
    hint: bool | None
    actions: tuple[Action, ...]


def surface_class(
    tool: Tool | Mapping[str, Any], *, doubled: bool = False, vocabulary: Vocabulary = VOCABULARY
) -> Surface:
    """The surface class of a tool; `doubled`: its list has another tool of the same name. Raises ToolError."""
    return explain_surface(tool, doubled=doubled, vocabulary=vocabulary).surface


def explain_surface(
    tool: Tool | Mapping[str, Any], *, doubled: bool = False, vocabulary: Vocabulary = VOCABULARY
) -> SurfaceReading:
    """The surface class of a tool, with the reason. Raises ToolError for what is no tool."""
    tool = Tool.of(tool)
    document = Document(tool.schema)
    return read_surface(tool, document, meaning(tool.schema), doubled=doubled, vocabulary=vocabulary)


def read_surface(
    tool: Tool, document: Document, read: Meaning, *, doubled: bool = False, vocabulary: Vocabulary = VOCABULARY
) -> SurfaceReading:
    """The same, for a tool whose document and meaning are known.

    A hidden root, a broken schema and a doubled name make a tool *mutation*: what a call does cannot be told.
    """
    root = read_root(document, missing=tool.input_schema is None)
    if not root.hidden and read.schema is not document.schema:
        document = Document(read.schema)
        root = read_root(document)
    hint = read_only_hint(tool)
    actions = tuple(_actions(root, document, vocabulary))
    in_sight, reason = _class_of(hint, actions)
    unreadable = _unreadable(root, read, tool.schema, doubled)
    if unreadable:
        return SurfaceReading("mutation", unreadable, in_sight, hint, actions)
    return SurfaceReading(in_sight, reason, in_sight, hint, actions)


def read_only_hint(tool: Tool) -> bool | None:
    """`annotations.readOnlyHint` as published; None where it is missing or no boolean."""
    annotations = tool.raw.get("annotations")
    hint = annotations.get("readOnlyHint") if is_map(annotations) else None
    return hint if isinstance(hint, bool) else None


def _unreadable(root: Root, read: Meaning, schema: Schema, doubled: bool) -> str:
    if doubled:
        return "another tool has the same name"
    if root.hidden:
        return root.hidden
    broken = [repair for repair in read.repairs if repair.kind in BROKEN]
    return f"the schema is broken: {repair_says(broken[0], schema)}" if broken else ""


def _actions(root: Root, document: Document, vocabulary: Vocabulary) -> Iterable[Action]:
    """The action parameters; of a root in sight only what its own `properties` list counts."""
    for name, schemas in root.parameters.schemas.items():
        if vocabulary.is_action(name):
            told = schemas if root.hidden else schemas[:1]
            values = _values_of(told, document)
            if values:
                required = name in root.parameters.required
                yield _action(name, values, required, _default_of(told, document), vocabulary)


def _values_of(schemas: tuple[Schema, ...], document: Document) -> tuple[Any, ...]:
    """The values that the branches which declare a parameter list together; empty where none lists any."""
    found: dict[str, Any] = {}
    for schema in schemas:
        for value in finite_values(schema, document) or ():
            found[same_json(value)] = value
    return tuple(found.values()) if any(value is not None for value in found.values()) else ()


def _default_of(schemas: tuple[Schema, ...], document: Document) -> Any:
    for schema in schemas:
        ref = ref_of(schema)
        target = document.resolve(ref) if ref is not None else None
        for source in (schema, target.schema if isinstance(target, Resolved) else None):
            if is_map(source) and "default" in source:
                return source["default"]
    return None


def _action(name: str, values: tuple[Any, ...], required: bool, default: Any, vocabulary: Vocabulary) -> Action:
    named = tuple(value for value in values if value is not None)
    left_out = not required or None in values
    return Action(
        name,
        named,
        tuple(value for value in named if vocabulary.reads(value)),
        tuple(value for value in named if vocabulary.mutates(value)),
        not left_out or vocabulary.reads(default),
    )


def _class_of(hint: bool | None, actions: tuple[Action, ...]) -> tuple[Surface, str]:
    if not actions:
        return ("read", "`readOnlyHint` is true") if hint else ("mutation", _no_hint(hint))
    if all(action.reads_only for action in actions):
        return "read", f"every value of {_names(actions)} reads"
    if all(action.reading for action in actions):
        return "gated", f"some values of {_names(actions)} read, others may change something"
    if hint and not any(action.mutating for action in actions):
        return "read", f"`readOnlyHint` is true and no value of {_names(actions)} is known to change anything"
    dull = next(action for action in actions if not action.reading)
    return "mutation", f"no value of `{dull.name}` is listed as reading"


def _no_hint(hint: bool | None) -> str:
    return f"no action parameter, and `readOnlyHint` is {'missing' if hint is None else 'false'}"


def _names(actions: tuple[Action, ...]) -> str:
    return listed([f"`{action.name}`" for action in actions])
