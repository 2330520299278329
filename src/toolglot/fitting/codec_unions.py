"""Codecs of unions: by name, by tag, by form."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglot.fitting.codec import Codec, Run, index_of, plain, wrong
from toolglot.schema.values import is_map, same, type_of
from toolglot.schema.walk import Schema, escape


@dataclass(frozen=True, slots=True)
class Branch:
    """One branch of a union: how the wire calls it, its meaning, its codec, and its tag value if it has one.

    `wire` is its schema on the wire.
    """

    name: str
    schema: Schema
    codec: Codec
    tag: Any = None
    names: Mapping[str, str] = field(default_factory=dict[str, str])
    wire: Schema = True


@dataclass(frozen=True, slots=True)
class ByName:
    """A union travels as an object with one property per branch, of which exactly one is given."""

    branches: tuple[Branch, ...]
    schema: Schema
    fill: bool = False

    def encode(self, value: Any, run: Run) -> Any:
        """The object with the first branch that takes the value and carries it; with `fill` the others are null."""
        fitting = [branch for branch in self.branches if run.valid(branch.schema, value)]
        forms = ((branch, branch.codec.encode(value, run)) for branch in fitting)
        found = next((one for one in forms if len(fitting) == 1 or run.carries(one[0].wire, one[1])), None)
        if found is None and fitting:
            found = (fitting[0], fitting[0].codec.encode(value, run))
        if found is None:
            return value
        others = {one.name: None for one in self.branches} if self.fill else {}
        return {**others, found[0].name: found[1]}

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The value of the one branch that is given; a bare value passes where the server takes it."""
        names = [branch.name for branch in self.branches]
        if is_map(value):
            given = [branch for branch in self.branches if value.get(branch.name) is not None]
            if not given:
                given = [branch for branch in self.branches if branch.name in value]
                if len(given) > 1 and len(given) == len(value) and run.valid(self.schema, None):
                    return None
            if len(given) == 1 and all(name in names for name, item in value.items() if item is not None):
                return self._restored(given[0], value, run, path)
        if not is_map(value) or run.valid(self.schema, value):
            return plain(value, run, path)
        wrong(run, path, "does not give exactly one form", f"exactly one of: {', '.join(names)}")
        return value

    def _restored(self, branch: Branch, value: Mapping[str, Any], run: Run, path: str) -> Any:
        """The value of a branch; an object that the server takes and the wire does not is no choice of a branch."""
        given = value[branch.name]
        whole = not self.fill or len(value) == len(self.branches)
        if run.valid(self.schema, value) and not (whole and run.carries(branch.wire, given)):
            return plain(value, run, path)
        return branch.codec.restore(given, run, f"{path}/{escape(branch.name)}")


@dataclass(frozen=True, slots=True)
class ByTag:
    """Tagged objects travel as one object: the tag as a text, the fields of all branches, differing ones renamed."""

    tag: str
    wire_tag: str
    branches: tuple[Branch, ...]
    schema: Schema
    fill: tuple[str, ...] = ()

    def encode(self, value: Any, run: Run) -> Any:
        """The object of the branch whose tag the value has; the names in `fill` that it lacks are null."""
        branch = self._of(value.get(self.tag)) if is_map(value) else None
        if branch is None:
            return value
        wire: dict[str, Any] = {self.wire_tag: branch.name}
        inner = branch.codec.encode({name: item for name, item in value.items() if name != self.tag}, run)
        back: dict[str, str] = {server: name for name, server in branch.names.items()}
        for name, item in inner.items():
            wire[back.get(str(name), str(name))] = item
        wire.update({name: None for name in self.fill if name not in wire})
        return wire

    def _of(self, tag: Any) -> Branch | None:
        return next((b for b in self.branches if type_of(b.tag) == type_of(tag) and same(b.tag, tag)), None)

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The object of one branch; a field of another branch that is not null is an error naming both."""
        if not is_map(value):
            return value
        text = value.get(self.wire_tag)
        branch = next((b for b in self.branches if b.name == text), None) or self._of(value.get(self.tag))
        if branch is None:
            wanted = ", ".join(json.dumps(b.name) for b in self.branches)
            wrong(run, f"{path}/{escape(self.wire_tag)}", "is not one of the kinds", f"one of {wanted}")
            return value
        inner = self._inner(value, branch, run, path)
        restored = branch.codec.restore(inner, run, path)
        return {self.tag: branch.tag, **restored} if is_map(restored) else restored

    def _inner(self, value: Mapping[str, Any], branch: Branch, run: Run, path: str) -> dict[str, Any]:
        others = {name for one in self.branches for name in one.names} - set(branch.names)
        inner: dict[str, Any] = {}
        for name, item in value.items():
            if name in (self.wire_tag, self.tag):
                continue
            if name in branch.names:
                inner[branch.names[name]] = item
            elif name in others and item is None:
                continue
            elif name in others:
                wrong(
                    run,
                    f"{path}/{escape(name)}",
                    f"does not go with {self.tag} {json.dumps(branch.name)}",
                    "leave it out",
                )
            else:
                inner[name] = item
        return inner


@dataclass(frozen=True, slots=True)
class Case:
    """How to know a branch of a union that stays a union: by JSON types, and by a tag among objects."""

    server: frozenset[str]
    wire: frozenset[str]
    codec: Codec
    tag: str = ""
    wire_tag: str = ""
    values: tuple[Any, ...] = ()
    wire_values: tuple[Any, ...] = ()


@dataclass(frozen=True, slots=True)
class ByForm:
    """A union stays a union, and its branches are told apart by form: JSON type, or a tag."""

    cases: tuple[Case, ...]

    def encode(self, value: Any, run: Run) -> Any:
        """As the branch of this form encodes."""
        case = self._find(value, lambda case: (case.server, case.tag, case.values))
        return value if case is None else case.codec.encode(value, run)

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """As the branch of this form restores."""
        case = self._find(value, lambda case: (case.wire, case.wire_tag, case.wire_values))
        return value if case is None else case.codec.restore(value, run, path)

    def _find(self, value: Any, side: Callable[[Case], tuple[frozenset[str], str, tuple[Any, ...]]]) -> Case | None:
        kind = type_of(value)
        for case in self.cases:
            types, tag, values = side(case)
            tagged = not tag or (is_map(value) and tag in value and index_of(values, value[tag]) is not None)
            if tagged and (kind in types or (kind == "integer" and "number" in types)):
                return case
        return None
