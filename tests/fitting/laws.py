"""The laws of normalising (DESIGN, *Laws*), each as a function that gives what is broken, in words.

Values are compared as JSON text: 1 is not true, 1 is not 1.0, large integers are exact.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from toolglot.errors import ArgumentsError
from toolglot.fitting.codec import IDENTITY
from toolglot.fitting.normalized import Normalized, normalize
from toolglot.schema.declared import declared
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import Document
from toolglot.schema.tool import Tool, thaw
from toolglot.schema.validate import validator
from toolglot.schema.witness import instances
from toolglot.targets.accept import accept
from toolglot.targets.model import Target

OWN_SUFFIX = r"_h[0-9a-f]{8}$"

HOSTILE_TEXTS = ("(leave out)", "null", "1", "true", '{"a": 1}', "[]", '"a"', "", " ", "item_1", "é\n\u2028")
"""Texts that look like another value: they must come back as they are."""


def text_of(value: Any) -> str:
    """A JSON value as canonical text."""
    return json.dumps(value, sort_keys=True)


class Subject:
    """A tool under test: what it published, and values that it takes."""

    def __init__(self, tool: Mapping[str, Any]) -> None:
        self.published = copy.deepcopy(dict(tool))
        self.before = text_of(self.published)
        self.tool = Tool.of(copy.deepcopy(self.published))
        self.means = _judge(meaning(self.tool.schema).schema)
        self._takes = _judge(declared(self.tool.schema))

    def takes(self, value: Any) -> bool:
        """Whether the server declares that it takes a value."""
        return self._takes(value) and self.means(value)

    @cached_property
    def null_is_absent(self) -> frozenset[str]:
        """Names of parameters with `default: null` somewhere: for them the server declares null and absent equal."""
        found: set[str] = set()
        waiting: list[Any] = [self.published.get("inputSchema")]
        while waiting:
            one = waiting.pop()
            waiting += one.values() if isinstance(one, dict) else one if isinstance(one, list) else ()
            if isinstance(one, dict) and isinstance(one.get("properties"), dict):
                found |= {name for name, schema in one["properties"].items() if self._defaults_to_null(schema)}
        return frozenset(found)

    def _defaults_to_null(self, schema: Any) -> bool:
        followed = Document(self.tool.schema).follow(schema)
        return any(isinstance(one, dict) and one.get("default", 0) is None for one in (schema, followed))

    def same(self, left: Any, right: Any) -> bool:
        """Whether two arguments are equal as JSON, or differ in nulls that the server declared equal to absent."""
        if text_of(left) == text_of(right):
            return True
        names = self.null_is_absent
        return bool(names) and text_of(_without_nulls(left, names)) == text_of(_without_nulls(right, names))

    @cached_property
    def values(self) -> list[Any]:
        """Covering values of the declared schema."""
        return [value for value in instances(self.tool.schema) if isinstance(value, dict)]

    @cached_property
    def twisted(self) -> list[Any]:
        """The values with one text replaced by a hostile one, where the declared schema takes that."""
        found = {text_of(value): value for value in twists(self.values, 60) if self.takes(value)}
        return list(found.values())


def _without_nulls(value: Any, names: Container[str]) -> Any:
    """A value without the members of these names that are null."""
    if isinstance(value, list):
        return [_without_nulls(item, names) for item in value]
    if not isinstance(value, dict):
        return value
    kept = {name: item for name, item in value.items() if item is not None or name not in names}
    return {name: _without_nulls(item, names) for name, item in kept.items()}


class _EveryName:
    def __contains__(self, name: object) -> bool:
        return True


def _judge(schema: Any) -> Callable[[Any], bool]:
    """Whether a value is valid; what the engine cannot read (half a surrogate pair) is not."""
    try:
        is_valid = validator(schema).is_valid
    except ValueError:
        return lambda value: False

    def judge(value: Any) -> bool:
        try:
            return is_valid(value)
        except ValueError:
            return False

    return judge


def twists(values: Iterable[Any], most: int, texts: Iterable[str] = HOSTILE_TEXTS) -> Iterator[Any]:
    """Copies of values with one text, or one name of an object, replaced."""
    texts = tuple(texts)
    turn = 0
    for value in values:
        for path in list(_texts(value)):
            for text in (texts[(turn + more) % len(texts)] for more in range(3)):
                yield _with(value, path, text)
                most -= 1
                if most == 0:
                    return
            turn += 1


def _texts(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for name, item in value.items():
            yield from _texts(item, (*path, name))
    elif isinstance(value, list):
        for place, item in enumerate(value):
            yield from _texts(item, (*path, place))


def _with(value: Any, path: tuple[Any, ...], new: Any) -> Any:
    if not path:
        return new
    changed = dict(value) if isinstance(value, dict) else list(value)
    changed[path[0]] = _with(value[path[0]], path[1:], new)
    return changed


class Fitted:
    """A subject normalised for a target, with what the laws ask about it."""

    def __init__(self, subject: Subject, target: Target) -> None:
        self.subject = subject
        self.target = target
        self.n: Normalized = normalize(subject.tool, target)

    @cached_property
    def wire_takes(self) -> Callable[[Any], bool]:
        """Whether a value is valid for the schema that is sent (its meaning: `nullable` counts)."""
        return _judge(True if self.n.schema is None else meaning(thaw(self.n.schema)).schema)

    @cached_property
    def losses(self) -> list[Callable[[Any], bool]]:
        return [_judge(meaning(entry.lost).schema) for entry in self.n.ledger if entry.lost is not None]

    def is_lost(self, value: Any) -> bool:
        """Whether the ledger says that these arguments cannot be said any more."""
        return any(lost(value) for lost in self.losses)

    def says(self, law: str, what: str, value: Any = None) -> str:
        """One problem: tool, target, law, what happened, the value."""
        shown = "" if value is None else f"\n  value: {_short(value)}"
        return f"{law} | {self.subject.tool.name} | {self.target.id} | {what}{shown}"


def _short(value: Any) -> str:
    text = text_of(value)
    return text if len(text) <= 600 else text[:600] + "..."


def law1(f: Fitted) -> list[str]:
    """What is sent is accepted, unless an entry says that nothing is sent and names the limit."""
    refusing = [entry for entry in f.n.ledger if entry.shape == "refused"]
    if bool(refusing) != f.n.refused:
        return [f.says("law 1", f"`refused` is {f.n.refused}, entries say {len(refusing)}")]
    if f.n.refused:
        nameless = [entry for entry in refusing if not entry.reason or entry.fact is None]
        return [f.says("law 1", f"refused without a limit: {entry}") for entry in nameless]
    return [
        f.says("law 1", f"not accepted: {found.what} ({type(found.statement).__name__}, {found.measured})", f.n.schema)
        for found in accept(f.n.tool, f.target)
    ]


def law2(f: Fitted, values: Iterable[Any] | None = None) -> list[str]:
    """What the server declares can be said, and comes back unchanged."""
    if f.n.refused:
        return []
    found: list[str] = []
    for value in f.subject.values if values is None else values:
        if not f.is_lost(value):
            found += _round_trip(f, value)
    return found


def _round_trip(f: Fitted, value: Any) -> Iterator[str]:
    before = text_of(value)
    wire = f.n.encode(value)
    if text_of(value) != before:
        yield f.says("law 2", "encode changed its input", value)
    if f.n.codec is IDENTITY and text_of(wire) != before:
        yield f.says("law 2", f"identity encodes to {_short(wire)}", value)
    if f.n.schema is not None and not f.wire_takes(wire):
        yield f.says("law 2", f"encodes to {_short(wire)}, not valid for {_short(f.n.schema)}", value)
        return
    yield from _comes_back(f, wire, value)


def _comes_back(f: Fitted, wire: Any, value: Any) -> Iterator[str]:
    sent = text_of(wire)
    for answer in (wire, json.dumps(wire)):
        try:
            restored = f.n.restore(answer, mend=False)
        except ArgumentsError as error:
            yield f.says("law 2", f"{_short(wire)} is refused: {error}", value)
            return
        if not f.subject.same(restored.arguments, value):
            yield f.says("law 2", f"{_short(wire)} comes back as {_short(restored.arguments)}", value)
            return
        if restored.mended:
            yield f.says("law 2", f"mended without leave: {restored.mended}", value)
    if text_of(wire) != sent:
        yield f.says("law 2", f"restore changed its input {sent}", value)


def comes_back_plain(f: Fitted, value: Any) -> list[str]:
    """The published shape passes `restore` too (models copy from docs and earlier turns).

    Where the wire reads it otherwise, that counts; null may be read as absent anywhere.
    """
    if f.n.refused:
        return []
    try:
        restored = f.n.restore(copy.deepcopy(value), mend=False)
    except ArgumentsError as error:
        return [f.says("plain", f"the published shape is refused: {error}", value)]
    left, right = _without_nulls(restored.arguments, _EveryName()), _without_nulls(value, _EveryName())
    if _reads_as(left, right) or f.wire_takes(value):
        return []
    return [f.says("plain", f"the published shape comes back as {_short(restored.arguments)}", value)]


def _reads_as(restored: Any, value: Any) -> bool:
    """Whether two values are equal but for texts that were read as the JSON that they are: the wire's reading."""
    if isinstance(restored, dict) and isinstance(value, dict):
        return restored.keys() == value.keys() and all(_reads_as(restored[name], value[name]) for name in value)
    if isinstance(restored, list) and isinstance(value, list):
        return len(restored) == len(value) and all(map(_reads_as, restored, value))
    if text_of(restored) == text_of(value):
        return True
    try:
        return isinstance(value, str) and text_of(json.loads(value)) == text_of(restored)
    except ValueError:
        return False


def law3(f: Fitted, answers: Iterable[Any] | None = None) -> list[str]:
    """What the wire takes restores to something valid, or is refused at a place; only if the ledger says so."""
    if f.n.refused or f.n.schema is None:
        return []
    promising = not any(entry.values in ("wider", "changed", "unproved") for entry in f.n.ledger)
    found: list[str] = []
    for answer in f_answers(f) if answers is None else answers:
        try:
            restored = f.n.restore(copy.deepcopy(answer), mend=False)
        except ArgumentsError as error:
            found += _refusal(f, answer, error, promising)
            continue
        if restored.checked and not f.subject.means(restored.arguments):
            found.append(f.says("law 3", f"{_short(answer)} restores to invalid {_short(restored.arguments)}"))
    return found


def f_answers(f: Fitted) -> list[Any]:
    """Answers of a model that keeps to the schema it was sent."""
    values = [value for value in instances(thaw(f.n.schema), 25) if isinstance(value, dict)]
    return [*values, *(value for value in twists(values, 20) if f.wire_takes(value))]


def _refusal(f: Fitted, answer: Any, error: ArgumentsError, promising: bool) -> Iterator[str]:
    if promising and f.wire_takes(answer) and not _only_unknown(f, error):
        yield f.says("law 3", f"no entry is wider, but an answer is refused: {error}", answer)
    if not error.errors or any(not one.wrong for one in error.errors):
        yield f.says("law 3", "an error without a word", answer)
    if len(str(error).splitlines()) > 20:
        yield f.says("law 3", f"an error of {len(str(error).splitlines())} lines", answer)
    try:
        str(error).encode()
    except UnicodeEncodeError:
        yield f.says("law 3", "an error text with half a surrogate pair", answer)


def _only_unknown(f: Fitted, error: ArgumentsError) -> bool:
    """Whether only the rule about unknown names refused: it is stricter than the published schema, on purpose."""
    return all("unknown" in one.wrong or "no parameter" in one.wrong for one in error.errors)


def law5(f: Fitted) -> list[str]:
    """The published tool is unchanged; what fits is returned as it is, also the second time."""
    found: list[str] = []
    if text_of(thaw(f.subject.tool.raw)) != f.subject.before:
        found.append(f.says("law 5", "the published tool was changed"))
    if not accept(f.subject.tool, f.target):
        found += _untouched(f, f.n, f.subject.tool, "a tool that fits")
    if not f.n.refused and not accept(f.n.tool, f.target):
        sent = Tool.of(f.n.tool)
        found += _untouched(f, normalize(sent, f.target), sent, "what was sent")
    return found


def _untouched(f: Fitted, n: Normalized, tool: Tool, what: str) -> Iterator[str]:
    import re

    if n.schema is not tool.input_schema:
        yield f.says("law 5", f"{what} gets another schema object: {_short(thaw(n.schema))}", thaw(tool.input_schema))
    if n.description != tool.description:
        yield f.says("law 5", f"{what} gets another description: {n.description!r}")
    if n.name != tool.name and not re.search(OWN_SUFFIX, tool.name):
        yield f.says("law 5", f"{what} gets another name: {n.name}")
    if n.codec is not IDENTITY:
        yield f.says("law 5", f"{what} gets a codec: {n.codec}")


def sent_bytes(n: Normalized) -> str:
    """What is sent, as text that shows the order of keys."""
    return json.dumps([n.name, n.description, None if n.schema is None else thaw(n.schema)])


def law7(f: Fitted) -> list[str]:
    """The same tool gives the same bytes."""
    again = normalize(copy.deepcopy(f.subject.published), f.target)
    if sent_bytes(again) != sent_bytes(f.n):
        return [f.says("law 7", f"other bytes: {sent_bytes(again)}")]
    return []


def ledger_is_sound(f: Fitted) -> list[str]:
    """Every entry is about a place that was published and says why; a loss says what is lost."""
    from toolglot.fitting.ledger import SHAPES, VALUES
    from toolglot.schema.walk import at

    found: list[str] = []
    for entry in f.n.ledger:
        try:
            at({"": thaw(f.subject.tool.schema)}[""], entry.pointer)
        except LookupError:
            found.append(f.says("ledger", f"no place {entry.pointer!r} in the published schema: {entry.feature}"))
        if entry.shape not in SHAPES or entry.values not in VALUES or not entry.reason:
            found.append(f.says("ledger", f"an entry that says too little: {entry}"))
        if entry.values in ("narrower", "changed") and entry.lost is None:
            found.append(f.says("ledger", f"a loss that does not say what is lost: {entry}"))
        if entry.values in ("exact", "wider") and entry.lost is not None:
            found.append(f.says("ledger", f"an entry that loses nothing, with `lost`: {entry}"))
    return found


def all_laws(f: Fitted, *, twisted: bool = True) -> list[str]:
    """Laws 1, 2, 3, 5 and 7 for one tool and target."""
    found = [*law1(f), *law2(f), *law3(f), *law5(f), *law7(f), *ledger_is_sound(f)]
    if twisted:
        found += law2(f, f.subject.twisted)
    for value in f.subject.values:
        found += comes_back_plain(f, value)
    return found
