"""The published side of a tool: what it means, who judges values, and the last step of restoring."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from toolglot.errors import ArgumentError, ArgumentsError
from toolglot.fitting.failures import Judge, pointer_of
from toolglot.fitting.mend import WHOLE_FLOAT, Mended, as_arguments, mended
from toolglot.fitting.says import errors_of, kind_of
from toolglot.fitting.takes import extent, with_whole_numbers
from toolglot.fitting.unknown import Slip, slips
from toolglot.schema.declared import declared
from toolglot.schema.lazy import lazy
from toolglot.schema.meaning import Meaning, meaning
from toolglot.schema.refs import Document
from toolglot.schema.rewrite import standalone
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema
from toolglot.targets.accept import ScannedTool

Mend = Literal["safe", "all", False]

__all__ = ["Mend", "Mended", "Published", "Restored"]


@dataclass(frozen=True, slots=True)
class Restored:
    """The arguments of a call in the server's shape.

    `mended` says what was repaired, and where; `checked` is False where the validator could give no verdict; `plain`
    are pointers of values that came in the published shape already.
    """

    arguments: dict[str, Any]
    mended: tuple[Mended, ...] = ()
    checked: bool = True
    plain: tuple[str, ...] = ()


class Published:
    """One published tool with what restoring needs. Immutable; what is costly is made once, when first asked for."""

    def __init__(self, tool: Tool) -> None:
        self.tool = tool
        self.scanned = ScannedTool(tool)
        self._others: dict[int, tuple[Schema, Judge]] = {}

    @property
    def document(self) -> Document:
        """The published schema with its references."""
        return self.scanned.document

    @lazy
    def meaning(self) -> Meaning:
        """What the published schema means. Raises ToolError past the budget of nodes."""
        return meaning(self.document)

    @property
    def document_of_meaning(self) -> Document:
        """The meaning with its references."""
        return self.judge.document

    @lazy
    def judge(self) -> Judge:
        """Who judges values by the meaning."""
        return Judge(self.meaning.schema)

    @lazy
    def declared(self) -> Schema:
        """The declared schema: the meaning, objects closed that have properties and say nothing about other names."""
        return declared(self.document)

    @lazy
    def _declared_judge(self) -> Judge | None:
        """Who judges by the declared schema; None where it is the meaning."""
        return None if self.declared == self.meaning.schema else Judge(self.declared)

    @lazy
    def _has_whole_numbers(self) -> bool:
        return any(_is_whole(node.schema) for node in self.document_of_meaning.nodes)

    def is_valid(self, value: Any) -> bool:
        """Whether a value is valid for the meaning; False too where there is no verdict."""
        return self.judge.verdict(value) is True

    def valid_for(self, schema: Schema, value: Any) -> bool | None:
        """Whether a value is valid for a schema whose references lead into the meaning; None: no verdict."""
        known = self._others.get(id(schema))
        if known is None or known[0] is not schema:
            known = (schema, Judge(standalone(schema, self.document_of_meaning)))
            self._others[id(schema)] = known
        return known[1].verdict(value)

    def finish(self, arguments: Any, mend: Mend = "safe", plain: tuple[str, ...] = ()) -> Restored:
        """Arguments in the server's shape, checked against the meaning.

        In: the restored value; None for no arguments; `mend` says what may be repaired. Floats without a fraction
        become integers where the meaning takes integers only, always. Never changes its input. Raises ArgumentsError
        with all errors of the call as it was sent.
        """
        value, read = self._root(arguments, mend)
        whole, too_large = extent(value)
        if too_large:
            return Restored(value, read, False, plain)
        if whole:
            value, changed = self._whole(value)
            read += changed
        return self._checked(value, read, mend, plain)

    def _root(self, arguments: Any, mend: Mend) -> tuple[dict[str, Any], tuple[Mended, ...]]:
        """The arguments as an object."""
        if is_map(arguments):
            return arguments, ()
        if arguments is None:
            return {}, ()
        found = as_arguments(arguments) if mend else None
        if found is None:
            raise ArgumentsError(self.tool.name, (_no_object(arguments),))
        return found[0], (Mended("", found[1]),)

    def _whole(self, value: dict[str, Any]) -> tuple[dict[str, Any], tuple[Mended, ...]]:
        if not self._has_whole_numbers:
            return value, ()
        value, places = with_whole_numbers(self.judge, value)
        return value, tuple(Mended(pointer_of(path), WHOLE_FLOAT) for path in places)

    def _checked(self, value: dict[str, Any], read: tuple[Mended, ...], mend: Mend, plain: tuple[str, ...]) -> Restored:
        verdict = self.judge.verdict(value)
        if verdict is None:
            value = thaw(value)
            verdict = self.judge.verdict(value)
        if verdict is None:
            return Restored(value, read, False, plain)
        if verdict and not self._slips(value):
            return Restored(value, read, True, plain)
        found = mended(self.judge, value, guess=mend == "all") if mend and not verdict else None
        if found is not None and not self._slips(found[0]):
            value, changed = self._whole(found[0])
            return Restored(value, (*read, *found[1], *changed), True, plain)
        raise ArgumentsError(self.tool.name, errors_of(self.judge, value, self._slips(value)))

    def _slips(self, value: Any) -> list[Slip]:
        judge = self._declared_judge
        if judge is None or judge.verdict(value) is not False:
            return []
        return slips(self.judge, judge, value)


def _is_whole(schema: Any) -> bool:
    """Whether a schema takes integers by name or lists one."""
    if not is_map(schema):
        return False
    kind = schema.get("type")
    values = [*schema.get("enum", ()), schema.get("const")]
    return kind == "integer" or (is_list(kind) and "integer" in kind) or any(isinstance(value, int) for value in values)


def _no_object(value: Any) -> ArgumentError:
    return ArgumentError("", kind_of(value), "an object with the arguments")
