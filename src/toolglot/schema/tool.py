"""A tool exactly as `tools/list` published it: frozen, deeply read-only."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, cast

from toolglot.errors import MAX_DEPTH, ToolError
from toolglot.schema.values import is_list, is_map

if TYPE_CHECKING:
    from toolglot.errors import SourceError


def _refuse(self: object, *_: object, **__: object) -> NoReturn:
    raise TypeError("a published tool is read-only; copy it to change it")


class FrozenDict(dict[str, Any]):
    """A dict that refuses every write; still a dict for `json`, `isinstance` and the validator."""

    __slots__ = ()
    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse  # pyright: ignore[reportAssignmentType]

    def __copy__(self) -> FrozenDict:
        return self

    def __deepcopy__(self, _: object) -> FrozenDict:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenDict, (dict(self),))


class FrozenList(list[Any]):
    """A list that refuses every write; still a list for `json`, `isinstance` and the validator."""

    __slots__ = ()
    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse
    append = extend = insert = remove = clear = pop = sort = reverse = _refuse  # pyright: ignore[reportAssignmentType]

    def __copy__(self) -> FrozenList:
        return self

    def __deepcopy__(self, _: object) -> FrozenList:
        return self

    def __reduce__(self) -> tuple[object, ...]:
        return (FrozenList, (list(self),))


def freeze(value: Any) -> Any:
    """A JSON value as read-only containers; what is frozen already is returned as it is.

    Other mappings and sequences of Python (tuples, MappingProxyType) become their JSON form. Raises ToolError below
    200 levels, so that a value which contains itself ends too.
    """
    return _freeze(value, MAX_DEPTH)


def _freeze(value: Any, levels: int) -> Any:
    kind = cast("type[Any]", type(value))
    if kind in _FINAL:
        return value
    if levels < 0:
        raise ToolError(None, "", f"is nested deeper than {MAX_DEPTH} levels", hint="Publish a flatter schema.")
    return _FREEZERS.get(kind, _freeze_other)(value, levels)


def _freeze_dict(value: Mapping[str, Any], levels: int) -> FrozenDict:
    made = FrozenDict(value)
    for key, item in value.items():
        if type(item) not in _FINAL:
            _put(made, key, _freeze(item, levels - 1))
    return made


def _freeze_list(value: Iterable[Any], levels: int) -> FrozenList:
    return FrozenList([item if type(item) in _FINAL else _freeze(item, levels - 1) for item in value])


def _freeze_other(value: Any, levels: int) -> Any:
    """Relatives of Python's own containers."""
    if isinstance(value, Mapping):
        return _freeze_dict(cast("Mapping[str, Any]", value), levels)
    if isinstance(value, (list, tuple)):
        return _freeze_list(cast("Sequence[Any]", value), levels)
    return value


_put = dict[str, Any].__setitem__
_FINAL = frozenset((str, int, float, bool, type(None), FrozenDict, FrozenList))
_FREEZERS: dict[type, Callable[[Any, int], Any]] = {dict: _freeze_dict, list: _freeze_list, tuple: _freeze_list}


def thaw(value: Any) -> Any:
    """A JSON value in plain containers: the validator's engine takes no subclass of list."""
    if is_map(value):
        return {key: thaw(item) for key, item in value.items()}
    return [thaw(item) for item in value] if is_list(value) else value


@dataclass(frozen=True, slots=True)
class Tool:
    """One published tool.

    `raw` is the whole published object, unknown members included; `input_schema` is its `inputSchema`, or None
    where the member is missing or null. `index` is its place in the list.
    """

    name: str
    description: str
    input_schema: Mapping[str, Any] | bool | None
    raw: Mapping[str, Any] = field(repr=False, compare=False)
    index: int = 0

    @classmethod
    def of(cls, tool: Tool | Mapping[str, Any], index: int = 0) -> Tool:
        """A Tool from a mapping with `name`, `description`, `inputSchema`, ...; a Tool is returned as it is.

        Raises ToolError where `name` is no text or `inputSchema` is neither an object nor a boolean.
        """
        if isinstance(tool, Tool):
            return tool
        _check_shape(tool, index)
        raw = _frozen(tool)
        description = raw.get("description")
        return cls(
            name=raw["name"],
            description=description if isinstance(description, str) else "",
            input_schema=raw.get("inputSchema"),
            raw=raw,
            index=index,
        )

    @property
    def schema(self) -> Mapping[str, Any] | bool:
        """The input schema; a missing one is read as the schema of no parameters, `{"type": "object"}`."""
        return _NO_SCHEMA if self.input_schema is None else self.input_schema


def _frozen(tool: Mapping[str, Any]) -> FrozenDict:
    try:
        return freeze(tool)
    except ToolError as error:
        raise ToolError(tool["name"], "/inputSchema", error.message, hint=error.hint) from None


_NO_SCHEMA = FrozenDict({"type": "object"})


def _check_shape(tool: Any, index: int) -> None:
    if not isinstance(tool, Mapping):
        raise ToolError(None, f"/{index}", f"is {json_kind(tool)}, not an object", hint="A tool is an object.")
    name: Any = tool.get("name")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if not isinstance(name, str) or not name:
        raise ToolError(None, "/name", f"`name` is {json_kind(name)}, not a text", hint="Give every tool a name.")
    schema: Any = tool.get("inputSchema")  # pyright: ignore[reportUnknownVariableType, reportUnknownMemberType]
    if schema is not None and not isinstance(schema, (Mapping, bool)):
        problem = f"`inputSchema` is {json_kind(schema)}, not an object"
        raise ToolError(name, "/inputSchema", problem, hint="Publish a JSON Schema object.")


def json_kind(value: Any) -> str:
    """What a JSON value is, in words: "a text", "a number", "null", "missing" for None."""
    if value is None:
        return "missing or null"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, str):
        return "a text" if value else "an empty text"
    if isinstance(value, (int, float)):
        return "a number"
    return "an object" if isinstance(value, Mapping) else "a list"


@dataclass(frozen=True, slots=True)
class BadTool:
    """A list entry that is no tool: what is wrong, and where in the entry (`pointer`)."""

    index: int
    name: str | None
    pointer: str
    problem: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class Listing:
    """What one source published.

    `id` is what the user named (path, URL, command, name in a configuration); `transport` is one of file, stdin,
    stdio, http, sse, memory; `error` says why nothing could be read. `handlers` gives, for in-process servers only,
    the parameter names of each tool's function.
    """

    id: str
    entries: tuple[Tool | BadTool, ...] = ()
    server: str | None = None
    version: str | None = None
    transport: str = "file"
    protocol: str | None = None
    error: SourceError | None = None
    handlers: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def tools(self) -> tuple[Tool, ...]:
        """The entries that are tools, in published order."""
        return tuple(entry for entry in self.entries if isinstance(entry, Tool))


def read_entries(entries: Iterable[object]) -> tuple[Tool | BadTool, ...]:
    """Each entry of a list as a Tool, or as a BadTool that says what is wrong; never raises."""
    return tuple(_read_entry(entry, index) for index, entry in enumerate(entries))


def _read_entry(entry: Any, index: int) -> Tool | BadTool:
    try:
        return Tool.of(entry, index)
    except ToolError as error:
        return BadTool(index, error.tool, error.pointer, error.message, error.hint)
