"""ADK-Rust's adapters: each an ordered tuple of transformations.

Sources: the crates adk-core, adk-gemini, adk-model (OpenAI) and adk-anthropic of ADK-Rust 2.0.0; the tests compare with
what it answers.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from toolglot.adk.refs import resolving
from toolglot.adk.schema_utils import (
    add_implicit_object_type,
    collapse_combiners,
    collapse_type_arrays,
    convert_const_to_enum,
    is_object_schema,
    merge_all_of,
    nesting_limit,
    only_formats,
    strip_conditional_keywords,
    strip_null_from_enum,
    strip_schema_keyword,
    truncate_tool_name,
)
from toolglot.adk.transform import EVERYWHERE, Node, Transform, definitions_of, everywhere, read, without
from toolglot.schema.values import is_list

MOST_NAME_BYTES = 64
DEEPEST_OBJECTS = 5

FORMATS = ("date-time", "date", "time", "email", "uri", "uuid", "int32", "int64", "float", "double")
"""The formats that are kept."""

Step = Transform | Callable[[Any], Transform]
"""One step of an adapter: a transformation, or a function that makes one for the schema that came so far."""


class SchemaAdapter(ABC):
    """How one provider wants tools: the interface of ADK-Rust's trait of this name.

    Write one of your own by deriving from this and defining `normalize_schema`. An adapter is a value: it keeps nothing
    between calls, so threads may share it.
    """

    __slots__ = ()

    @abstractmethod
    def normalize_schema(self, schema: Any) -> Any:
        """The schema as the provider takes it. In: a published input schema, never changed. Out: the new schema."""

    def normalize_tool_name(self, name: str) -> str:
        """The name as the provider takes it: its first 64 bytes as UTF-8, no character cut in two."""
        return truncate_tool_name(name, MOST_NAME_BYTES)

    def empty_schema(self) -> dict[str, Any]:
        """What is sent for a tool that publishes no schema; a new one each time."""
        return {"type": "object", "properties": {}}

    def parameters_field(self) -> str:
        """The request member that takes the schema."""
        return "parameters"


class SteppedAdapter(SchemaAdapter):
    """An adapter that is a tuple of steps, `steps`, taken in their order."""

    __slots__ = ()

    @property
    @abstractmethod
    def steps(self) -> tuple[Step, ...]:
        """The steps, in their order."""

    def normalize_schema(self, schema: Any) -> Any:
        """The schema after all steps; the same object where none changes anything."""
        schema, words = read(schema)
        for step in self.steps:
            transform = transform_for(step, schema)
            if not transform.words.isdisjoint(words):
                schema = transform(schema)
        return schema


def transform_for(step: Step, schema: Any) -> Transform:
    """The transformation that a step is for a schema."""
    return step if isinstance(step, Transform) else step(schema)


def resolve_own_refs(schema: Any) -> Transform:
    """`resolve_refs` with the definitions at the root of the schema."""
    return resolving(definitions_of(schema), schema)


UNSUPPORTED = (
    *("$id", "additionalProperties", "contains", "contentEncoding", "contentMediaType", "default"),
    *("dependentRequired", "dependentSchemas", "deprecated", "examples", "exclusiveMaximum", "exclusiveMinimum"),
    *("maxItems", "maxLength", "maxProperties", "maximum", "minItems", "minLength", "minProperties", "minimum"),
    *("multipleOf", "not", "pattern", "patternProperties", "prefixItems", "propertyNames", "readOnly", "title"),
    *("unevaluatedProperties", "uniqueItems", "writeOnly"),
)
"""The keywords that Gemini's `parameters` field does not take, by ADK-Rust's list."""


_CHANGED = (*UNSUPPORTED, "items", "type", "properties", "$ref")


@everywhere(*_CHANGED)
def remove_unsupported_keywords(schema: Node) -> Node:
    """Remove what Gemini does not take; give each array one schema for `items`. In: a schema; out: the new one.

    `items` of what is no array are removed; an array without them gets texts; of a list of them the first counts.
    """
    return _supported(schema)


@everywhere(*_CHANGED)
def remove_unsupported_keywords_vertex(schema: Node) -> Node:
    """As `remove_unsupported_keywords`; then objects take no other names. In: a schema; out: the new one."""
    return _closed(_supported(schema)) if schema.get("type") == "object" else _supported(schema)


def _supported(schema: Node) -> Node:
    if schema.get("type") != "array":
        return without(schema, *UNSUPPORTED, "items")
    kept, items = without(schema, *UNSUPPORTED), schema.get("items")
    if is_list(items) or items is None:
        return {**kept, "items": items[0] if items else {"type": "string"}}
    return kept


def _closed(schema: Node) -> Node:
    return schema if schema.get("additionalProperties") is False else {**schema, "additionalProperties": False}


@everywhere("type", "properties", below=EVERYWHERE)
def close_objects(schema: Node) -> Node:
    """Set `additionalProperties: false` on each object, inside definitions too. In: a schema; out: the new one."""
    return _closed(schema) if is_object_schema(schema) else schema


def _without_definitions(schema: Node, depth: int) -> tuple[Node, None]:
    return without(schema, "definitions", "$defs"), None


remove_definitions = Transform("remove_definitions", _without_definitions, words=("definitions", "$defs"))
"""Removes `definitions` and `$defs` at the root."""

_formats = only_formats(FORMATS)
_five_deep = nesting_limit(DEEPEST_OBJECTS)

_TO_SUBSET: tuple[Transform, ...] = (
    collapse_combiners,
    merge_all_of,
    collapse_type_arrays,
    strip_conditional_keywords,
    convert_const_to_enum,
    strip_null_from_enum,
    add_implicit_object_type,
)
_ENDPOINT: tuple[Transform, ...] = (_formats, _five_deep, remove_definitions)

Surface = Literal["parameters", "vertex", "json-schema"]

_GEMINI: dict[Surface, tuple[Step, ...]] = {
    "parameters": (
        *(resolve_own_refs, strip_schema_keyword, *_TO_SUBSET),
        *(remove_unsupported_keywords, *_ENDPOINT),
    ),
    "vertex": (
        *(resolve_own_refs, strip_schema_keyword, *_TO_SUBSET),
        *(remove_unsupported_keywords_vertex, *_ENDPOINT),
    ),
    "json-schema": (resolve_own_refs, strip_schema_keyword, *_ENDPOINT),
}
_MODEST: tuple[Step, ...] = (
    *(strip_schema_keyword, strip_conditional_keywords, convert_const_to_enum, add_implicit_object_type, _formats),
)


@dataclass(frozen=True, slots=True, repr=False)
class GeminiSchemaAdapter(SteppedAdapter):
    """Gemini's `parameters` field. `.vertex_ai()` and `.json_schema()` are its other two surfaces."""

    surface: Surface = "parameters"

    @classmethod
    def vertex_ai(cls) -> GeminiSchemaAdapter:
        """For Vertex AI: as for `parameters`, but each object says that it takes no other names."""
        return cls("vertex")

    @classmethod
    def json_schema(cls) -> GeminiSchemaAdapter:
        """For the field `parametersJsonSchema`: unions and bounds stay."""
        return cls("json-schema")

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in their order."""
        return _GEMINI[self.surface]

    def parameters_field(self) -> str:
        """The request member that takes the schema."""
        return "parametersJsonSchema" if self.surface == "json-schema" else "parameters"

    def __repr__(self) -> str:
        maker = {"parameters": "", "vertex": ".vertex_ai", "json-schema": ".json_schema"}[self.surface]
        return f"GeminiSchemaAdapter{maker}()"


@dataclass(frozen=True, slots=True)
class OpenAiSchemaAdapter(SteppedAdapter):
    """OpenAI without strict mode."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in their order."""
        return _MODEST


@dataclass(frozen=True, slots=True)
class OpenAiStrictSchemaAdapter(SteppedAdapter):
    """OpenAI's strict mode: each object says that it takes no other names."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in their order."""
        return (*_MODEST, close_objects)

    def empty_schema(self) -> dict[str, Any]:
        """What is sent for a tool that publishes no schema; closed, too."""
        return {"type": "object", "properties": {}, "additionalProperties": False}


@dataclass(frozen=True, slots=True)
class AnthropicSchemaAdapter(SteppedAdapter):
    """Anthropic: every format and `const` stay."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in their order."""
        return (strip_schema_keyword, strip_conditional_keywords, add_implicit_object_type)


@dataclass(frozen=True, slots=True)
class GenericSchemaAdapter(SteppedAdapter):
    """Any other provider: the same as OpenAI without strict mode."""

    @property
    def steps(self) -> tuple[Step, ...]:
        """The steps, in their order."""
        return _MODEST
