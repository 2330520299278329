"""The entries of a baseline file: reading them, and what each of them lists."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TYPE_CHECKING

from toolglot.contract.config import Config, Place, parse_toml, shown
from toolglot.contract.patterns import (
    Pattern,
    covers,
    is_literal,
    matches,
    name_pattern,
    pointer_pattern,
    segments_of,
)
from toolglot.errors import ConfigError, UnknownTarget

if TYPE_CHECKING:
    from pathlib import Path

    from toolglot.contract.model import Finding
    from toolglot.targets.load import Catalogue

_KEYS = ("tool", "pointer", "rule", "target", "reason", "issue", "expires")
_HEADER = re.compile(r"^[ \t]*\[\[[ \t]*entry[ \t]*\]\]", re.MULTILINE)
_RULE = re.compile(r"TG[12]\d\d")


@dataclass(frozen=True, slots=True)
class Entry:
    """One accepted violation, or all of them below one place.

    `tool` takes `*` for any characters and is empty for the list as a whole. `pointer` is a prefix of whole
    segments, with `*` and `**`. `target` None: whatever the target; `written` is the target as the file spells it.
    `number` counts the entries of the file; an entry with a list of targets is several with the same number.
    """

    tool: str
    pointer: str
    rule: str
    target: str | None = None
    reason: str = ""
    issue: str = ""
    expires: date | None = None
    number: int = 0
    line: int = 0
    written: str | None = None

    @property
    def where(self) -> str:
        """The place in the file, for messages."""
        return f"entry {self.number} (line {self.line})" if self.line else f"entry {self.number}"

    @property
    def violation(self) -> str:
        """The rule, with the target where there is one, for messages."""
        return f"{self.rule} for {self.target}" if self.target else self.rule

    @property
    def key(self) -> str:
        """Names the entry among those of its file; the `group` of findings about it."""
        return f"entry {self.number} {self.written or ''}".rstrip()

    @property
    def patterns(self) -> tuple[Pattern, Pattern]:
        """The tool and the pointer as patterns."""
        return name_pattern(self.tool), pointer_pattern(self.pointer)

    def lists(self, finding: Finding) -> bool:
        """Whether it accepts the finding for at least one of the finding's targets."""
        tool, pointer = self.patterns
        return (
            self.rule == finding.code
            and (self.target is None or self.target in finding.targets)
            and matches(tool, tuple(finding.tool or ""))
            and matches(pointer, segments_of(finding.pointer))
        )

    def covers(self, other: Entry) -> bool:
        """Whether it accepts all that the other one does."""
        (tool, pointer), (its_tool, its_pointer) = self.patterns, other.patterns
        same = self.rule == other.rule and self.target in (None, other.target)
        return same and covers(tool, its_tool) and covers(pointer, its_pointer)


@dataclass(frozen=True, slots=True)
class Baseline:
    """The entries of one file. `path` is for messages; `issue_pattern` says what an issue looks like, beside URLs."""

    entries: tuple[Entry, ...] = ()
    path: str = ""
    issue_pattern: str | None = None


def baseline_of(config: Config) -> Baseline:
    """The baseline of a configuration; empty where none is named and none lies beside it. Raises ConfigError."""
    if config.baseline is None and not config.baseline_path.is_file():
        return Baseline((), shown(config.baseline_path), config.issue_pattern)
    return load_baseline(config.baseline_path, config.issue_pattern)


def load_baseline(path: Path, issue_pattern: str | None = None) -> Baseline:
    """Read one baseline file. Raises ConfigError, with the entry and its line, also for a rule that does not exist."""
    try:
        text = path.read_bytes()
    except OSError as error:
        raise ConfigError(shown(path), "", f"cannot be read: {error.strerror or error}.") from None
    baseline = parse_baseline(text, shown(path), issue_pattern)
    _check_rules(baseline)
    return baseline


def _check_rules(baseline: Baseline) -> None:
    if not baseline.entries:
        return
    # Imported here: reading an old state needs no rules.
    from toolglot.contract.rules import RULES, TARGET_RULES

    codes = tuple(rule.code for rule in (*RULES, *TARGET_RULES))
    for entry in baseline.entries:
        if entry.rule not in codes:
            hint = "`toolglot explain` lists the rules."
            raise ConfigError(baseline.path, entry.where, f"{entry.rule} is no rule.", hint=hint)


def parse_baseline(text: bytes | str, path: str = "", issue_pattern: str | None = None) -> Baseline:
    """The baseline in a TOML text; `path` is for messages. Raises ConfigError, with the entry and its line."""
    given = Place(path, "", parse_toml(text, path)).members(("entry",))
    places = given["entry"].items() if "entry" in given else ()
    lines = _lines(text if isinstance(text, str) else text.decode("utf-8-sig"), len(places))
    entries = [
        entry
        for number, (place, line) in enumerate(zip(places, lines, strict=True), 1)
        for entry in _entries(place, number, line)
    ]
    return Baseline(tuple(entries), path, issue_pattern)


def _lines(text: str, entries: int) -> list[int]:
    """The line of each `[[entry]]`, or zeros where the file is written otherwise."""
    lines = [text.count("\n", 0, found.start()) + 1 for found in _HEADER.finditer(text)]
    return lines if len(lines) == entries else [0] * entries


def _entries(place: Place, number: int, line: int) -> Iterator[Entry]:
    """The entry, once per target."""
    place = replace(place, key=f"entry {number} (line {line})" if line else f"entry {number}")
    given = place.members(_KEYS)
    for key in ("tool", "pointer", "rule"):
        if key not in given:
            place.fail(f"has no `{key}`.")
    words = {key: given[key].raw_text().strip() for key in ("reason", "issue") if key in given}
    entry = Entry(
        tool=given["tool"].raw_text(),
        pointer=_pointer(given["pointer"]),
        rule=_rule(given["rule"]),
        expires=_expires(given["expires"]) if "expires" in given else None,
        number=number,
        line=line,
        **words,
    )
    for target in _entry_targets(given.get("target")):
        yield replace(entry, target=target, written=target)


def _entry_targets(place: Place | None) -> tuple[str | None, ...]:
    if place is None:
        return (None,)
    targets = place.texts() if place.is_a(list) else (place.text(),)
    return tuple(dict.fromkeys(targets)) or place.fail("is empty.")


def _pointer(place: Place) -> str:
    pointer = place.raw_text()
    if pointer and not pointer.startswith("/"):
        place.fail("is no JSON Pointer.", 'It starts with "/"; the empty text covers the whole schema.')
    return pointer


def _rule(place: Place) -> str:
    if not _RULE.fullmatch(place.text()):
        place.fail(f"{place.text()} cannot be listed.", "Write the code of a rule, such as TG101.")
    return place.text()


def _expires(place: Place) -> date:
    value = place.value
    if not isinstance(value, date) or isinstance(value, datetime):
        place.fail("is no date.", "Write it without quotes: 2026-12-31.")
    return value


def resolve_targets(baseline: Baseline, catalogue: Catalogue) -> Baseline:
    """The baseline with target ids in place of short names. Raises ConfigError for a name that is no target."""
    return replace(baseline, entries=tuple(_resolved(entry, baseline.path, catalogue) for entry in baseline.entries))


def _resolved(entry: Entry, path: str, catalogue: Catalogue) -> Entry:
    try:
        return replace(entry, target=catalogue.target(entry.target).id) if entry.target else entry
    except UnknownTarget as error:
        raise ConfigError(path, entry.where, error.message, hint=error.hint) from None


class Index:
    """Entries by rule and tool, so that a long baseline costs no more than a short one."""

    def __init__(self, entries: Iterable[Entry]) -> None:
        self._by_tool: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
        self._wild: defaultdict[str, list[Entry]] = defaultdict(list)
        for entry in entries:
            self.add(entry)

    def add(self, entry: Entry) -> None:
        """Take one more entry in."""
        literal = is_literal(name_pattern(entry.tool))
        (self._by_tool[entry.rule, entry.tool] if literal else self._wild[entry.rule]).append(entry)

    def near(self, rule: str, tool: str) -> tuple[Entry, ...]:
        """The entries of a rule that can concern a tool (or a pattern of tools)."""
        return (*self._by_tool.get((rule, tool), ()), *self._wild.get(rule, ()))
