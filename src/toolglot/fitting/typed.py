"""A permissive value with dispatch in the server: for a value whose type the server knows, from its own list of fields.

What is published is one object with the name of the field, the type (which may be left out) and a value that every
model can write. What comes back is read by the type that the field really has, never by the type that was said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from typing import Any, Literal

from toolglot.errors import ArgumentsError, JsonError, ToolError, ToolglotError, parse_json
from toolglot.fitting import words
from toolglot.fitting.describe import describe
from toolglot.fitting.published import Published
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document
from toolglot.schema.rewrite import standalone
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.values import is_list, is_map

Fields = Mapping[str, Any]
"""Name of a field to the name of its type, or to an object that has it as its `type`."""

_PYTHON = {str: "string", int: "integer", float: "number", bool: "boolean"}
_SCALARS = ("string", "number", "boolean")
_VALUES = ((bool, "boolean"), ((int, float), "number"), (str, "string"), (dict, "object"), (list, "array"))
_MOST_SHOWN = 12


class ValueRefused(ToolglotError, ValueError):
    """A value that does not belong into its field; the text is for the model. Pydantic takes it as a wrong argument."""


@dataclass(frozen=True, slots=True)
class FieldValue:
    """One value, as its field takes it.

    `type` is the type that the field really has. `corrected` says, in words for the answer, that another type was said.
    """

    field: str
    type: str
    value: Any
    corrected: str = ""


@dataclass(frozen=True, slots=True)
class _Kind:
    """One type of value: who judges it, what it looks like in words, and which scalars say it."""

    published: Published
    looks: str
    scalars: frozenset[str]


def typed_value(
    types: Mapping[str, Any],
    fields: Fields | Callable[[Mapping[str, Any]], Fields] | None = None,
    *,
    wrong_type: Literal["correct", "refuse"] = "correct",
    description: str = "",
    names: tuple[str, str, str] = ("field", "type", "value"),
) -> TypedValue:
    """A value for a field whose type the server knows: what to publish for it, and how to read what comes.

    In: `types`, the name of each type to the JSON Schema of its values (or str, int, float, bool, a pydantic model);
    `fields`, the type of each field: a mapping where all are known at the start (the names are published), a function
    from the arguments before this one to such a mapping (pydantic models only: fastmcp reads each argument by itself),
    or None: then `read` is given them.
    `wrong_type` says what becomes of a call that names a type which is not the field's: "correct" reads the value as
    the field's own type where that is safe, "refuse" never does. `description` goes before ours; `names` are those of
    the three properties. Raises ToolglotError for a type without a schema and for other wrong arguments.
    """
    if wrong_type not in ("correct", "refuse"):
        raise ToolglotError(f'`wrong_type` is "correct" or "refuse", not {wrong_type!r}.')
    if not types:
        raise ToolglotError("typed_value needs at least one type.", hint='For example {"text": str, "count": int}.')
    kinds = {name: _kind(name, given) for name, given in types.items()}
    if fields is None or callable(fields):
        return TypedValue(kinds, {}, fields, wrong_type, description, names)
    known = {name: _type_of(declared) for name, declared in fields.items()}
    for name, kind in known.items():
        if kind not in kinds:
            raise ToolglotError(f"the field {name!r} has the type {kind!r}, which `types` does not list.")
    return TypedValue(kinds, known, None, wrong_type, description, names)


class TypedValue:
    """What `typed_value` makes. In an annotation, `Annotated[Any, value]`, pydantic publishes and reads it."""

    def __init__(
        self,
        kinds: Mapping[str, _Kind],
        known: Mapping[str, str],
        ask: Callable[[Mapping[str, Any]], Fields] | None,
        wrong_type: str,
        description: str,
        names: tuple[str, str, str],
    ) -> None:
        self._kinds = kinds
        self._known = known
        self._ask = ask
        self._wrong_type = wrong_type
        self._description = description
        self._names = names

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON Schema to publish for one object of field, type and value; a new one each time."""
        field, tag, value = self._names
        known = self._known
        types = list(dict.fromkeys(known.values())) if known else list(self._kinds)
        named: dict[str, Any] = {"type": "string", "description": "Name of the field."}
        told = "Type of the field. May be left out: the field has one type only."
        properties = {
            field: {**named, "enum": list(known)} if known else named,
            tag: {"type": "string", "enum": types, "description": told},
            value: self.value_schema,
        }
        return {"type": "object", "properties": properties, "required": [field, value], "additionalProperties": False}

    @property
    def value_schema(self) -> dict[str, Any]:
        """The JSON Schema to publish for the value alone, where field and value are parameters of their own."""
        used = set(self._known.values()) or set(self._kinds)
        wanted = frozenset[str]().union(*(self._kinds[name].scalars for name in used)) | {"string"}
        branches: list[dict[str, Any]] = [{"type": one} for one in _SCALARS if one in wanted]
        shape = branches[0] if len(branches) == 1 else {"anyOf": branches}
        return {**shape, "description": words.joined(self._description, self._choices())}

    def read(self, said: Any, fields: Fields | None = None) -> FieldValue:
        """The value for its field, as the field takes it.

        In: the object as the model said it, and the fields that there are, where `typed_value` was not given them.
        Coerced is what has one reading: numbers and booleans written as text, JSON as text, a whole number for a text.
        Raises ValueRefused, in words that the model can act on.
        """
        if isinstance(said, FieldValue):
            return said
        given = self._object(said)
        known = self._known if fields is None else fields
        if fields is None and not known:
            raise ToolglotError("read needs `fields`: the type of each field, for example {'seats': 'integer'}.")
        field, tag, value = self._names
        name = given[field]
        if not isinstance(name, str) or name not in known:
            raise ValueRefused(_no_field(name, known))
        return self._dispatched(name, _type_of(known[name]), given.get(tag), given[value])

    def _object(self, said: Any) -> Mapping[str, Any]:
        field, tag, value = self._names
        if not is_map(said):
            raise ValueRefused(f"Expected an object with `{field}` and `{value}`.")
        missing = [name for name in (field, value) if name not in said]
        if missing:
            raise ValueRefused(f"`{missing[0]}` is missing: give `{field}` and `{value}`.")
        others = [name for name in said if name not in self._names]
        if others:
            raise ValueRefused(f"`{others[0]}` is not known: give `{field}`, `{value}` and, if you like, `{tag}`.")
        return said

    def _dispatched(self, name: str, real: str, said: Any, value: Any) -> FieldValue:
        kind = self._kinds.get(real)
        if kind is None:
            raise ValueRefused(f"The field {name!r} is of type {real}, and cannot be set here.")
        other = f"The field {name!r} is of type {real}, not {said}" if said not in (None, real) else ""
        if other and self._wrong_type == "refuse":
            raise ValueRefused(f"{other}. {_takes(real, kind)}")
        try:
            coerced = _coerced(kind.published, value)
        except ArgumentsError as error:
            start = other or f"The field {name!r} is of type {real}"
            raise ValueRefused(f"{start}. {_takes(real, kind)} Given: {_wrong(error)}.") from None
        return FieldValue(name, real, coerced, f"{other}; the value was read as {real}." if other else "")

    def _choices(self) -> Iterable[str]:
        """One sentence for each form of value: which fields or types have it."""
        forms: dict[str, list[str]] = {}
        for name, kind in (self._known or dict(zip(self._kinds, self._kinds, strict=True))).items():
            forms.setdefault(self._kinds[kind].looks, []).append(name)
        for looks, whose in forms.items():
            yield f"{', '.join(whose)}: {looks}{'' if looks.endswith('.') else '.'}"

    def __get_pydantic_core_schema__(self, source: Any, handler: Any) -> Any:
        """Pydantic: read the value where the fields are known, else leave it to the handler."""
        core: Any = import_module("pydantic_core.core_schema")
        return core.with_info_plain_validator_function(self._validated)

    def __get_pydantic_json_schema__(self, core: Any, handler: Any) -> dict[str, Any]:
        """Pydantic: what to publish."""
        return self.schema

    def _validated(self, value: Any, info: Any) -> Any:
        if self._ask is None and not self._known:
            return value
        return self.read(value, None if self._ask is None else self._ask(_Alone() if info.data is None else info.data))


class _Alone(Mapping[str, Any]):
    """The other arguments, where pydantic does not know them: it reads a function's arguments each by itself."""

    def __getitem__(self, key: str) -> Any:
        raise ToolglotError(
            f"the fields depend on the argument {key!r}, which cannot be seen here.",
            hint="Leave `fields` out, and call read(value, fields) in the handler.",
        )

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 0


def _kind(name: str, given: Any) -> _Kind:
    schema = _schema_of(name, given)
    try:
        read = meaning(Document(schema))
    except ToolError as error:
        raise ToolglotError(f"the schema of the type {name!r} cannot be read: {error.message}") from None
    broken = [repair for repair in read.repairs if not repair.is_old_form]
    if broken:  # a keyword that counts for nothing would let values pass
        told = f"`{broken[0].keyword}` at {broken[0].pointer or 'the root'} cannot be used ({broken[0].kind})"
        raise ToolglotError(f"the schema of the type {name!r} is broken: {told}.")
    meant = Document(read.schema)
    own = standalone(meant.schema, meant)
    definitions = {"$defs": own["$defs"]} if is_map(own) and "$defs" in own else {}
    value = {word: item for word, item in own.items() if word != "$defs"} if is_map(own) else own
    root = {"type": "object", "properties": {"value": value}, "required": ["value"], **definitions}
    published = Published(Tool.of({"name": name, "inputSchema": root}))
    document = published.document_of_meaning
    return _Kind(published, _looks(value, document, schema), _scalars(value, document))


def _schema_of(name: str, given: Any) -> Any:
    """The JSON Schema of a type, from whatever it was given as."""
    if isinstance(given, Mapping):
        return thaw(given)
    if isinstance(given, type) and given in _PYTHON:
        return {"type": _PYTHON[given]}
    made = getattr(given, "model_json_schema", None)
    if not callable(made):
        hint = "Give a JSON Schema, one of str, int, float and bool, or a pydantic model."
        raise ToolglotError(f"the type {name!r} has no schema: {given!r}.", hint=hint)
    return made()


def _looks(schema: Any, document: Document, published: Any) -> str:
    """What a value of a type looks like, in a few words: the author's, else ours; objects and lists as JSON text."""
    author = published.get("description") if is_map(published) else None
    text = author.strip() if isinstance(author, str) else ""
    branches = list(_branches(schema, document))
    written = [one for one in branches if _is_structured(one, document)]
    if not written:
        return text or describe(schema, document)
    as_text = words.json_text(written[0] if len(written) == 1 else {"anyOf": written}, document)
    if len(written) == len(branches):
        return words.joined(text, [as_text])
    scalars = text or describe({"anyOf": [one for one in branches if one not in written]}, document)
    return f"{scalars.rstrip('.')}, or {as_text}"


def _branches(schema: Any, document: Document) -> Iterable[Any]:
    """The alternatives of a schema, references followed; itself where it has none."""
    schema = document.follow(schema) if is_map(schema) and "$ref" in schema else schema
    for word in ("anyOf", "oneOf"):
        if is_map(schema) and is_list(schema.get(word)):
            for branch in schema[word]:
                yield from _branches(branch, document)
            return
    yield schema


def _types(schema: Any, document: Document) -> Iterable[str]:
    for branch in _branches(schema, document):
        kind = branch.get("type") if is_map(branch) else None
        if kind is not None:
            yield from kind if is_list(kind) else [kind]
        elif is_map(branch) and ("const" in branch or is_list(branch.get("enum"))):
            yield from (_type_of_value(one) for one in branch.get("enum", [branch.get("const")]))
        elif is_map(branch) and is_list(branch.get("allOf")):
            parts = {kind for part in branch["allOf"] for kind in _types(part, document)}
            yield from parts - {"any"} or {"any"}
        else:
            yield "any"


def _type_of_value(value: Any) -> str:
    if value is None:
        return "null"
    return next((name for kind, name in _VALUES if isinstance(value, kind)), "any")


def _is_structured(schema: Any, document: Document) -> bool:
    """Whether some value of a type has to be written as JSON text."""
    return any(kind in ("object", "array") for kind in _types(schema, document))


def _scalars(schema: Any, document: Document) -> frozenset[str]:
    """The scalar types that say a value natively; everything else is said as text."""
    kinds = {"number" if kind == "integer" else kind for kind in _types(schema, document)}
    return frozenset(_SCALARS) if "any" in kinds else frozenset(kinds) & frozenset(_SCALARS)


def _type_of(declared: Any) -> str:
    """The type of a field: its name, or the `type` of an object that describes the field."""
    found = declared.get("type") if is_map(declared) else declared
    if not isinstance(found, str):
        raise ToolglotError(f"the type of a field is a name, or an object with a `type`, not {declared!r}.")
    return found


def _takes(real: str, kind: _Kind) -> str:
    return f"A value of type {real} is: {kind.looks}{'' if kind.looks.endswith('.') else '.'}"


def _coerced(published: Published, value: Any) -> Any:
    """The value as its type takes it; a whole number is a text where only a text fits. Raises ArgumentsError."""
    try:
        return published.finish({"value": value}).arguments["value"]
    except ArgumentsError:
        if isinstance(value, int) and not isinstance(value, bool) and published.is_valid({"value": str(value)}):
            return str(value)
        read = _json_of(value)
        if read is not None:
            published.finish({"value": read})  # says what is wrong inside of the JSON
        raise


def _json_of(value: Any) -> Any:
    """The object or list that a text is as JSON; None for everything else."""
    try:
        read = parse_json(value) if isinstance(value, str) else None
    except JsonError:
        return None
    return read if isinstance(read, (dict, list)) else None


def _wrong(error: ArgumentsError) -> str:
    """What is wrong, each once, with its place inside of the value."""
    said = (f"{one.pointer.removeprefix('/value')}: {one.wrong}".removeprefix(": ") for one in error.errors[:3])
    return "; ".join(dict.fromkeys(said))


def _no_field(name: Any, known: Fields) -> str:
    names = list(known)
    near = get_close_matches(str(name)[:100], names, 1)
    more = ", ..." if len(names) > _MOST_SHOWN else ""
    there = f"there are: {', '.join(names[:_MOST_SHOWN])}{more}" if names else "there are none"
    return f"There is no field {str(name)[:100]!r}; {there}.{f' Did you mean {near[0]!r}?' if near else ''}"
