"""Writing a baseline file: entries for findings, and taking stale entries out. Comments and order stay.

A file is edited block by block: a block is one `[[entry]]` with the comment lines that touch it, so that a comment
goes with its entry. The new text is read again before it is handed out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any

import tomlkit

from toolglot.contract.entries import Entry, Index, parse_baseline
from toolglot.errors import ConfigError

if TYPE_CHECKING:
    from toolglot.contract.model import Finding

HEADER = """\
# Violations that this project knows and will remove. The list exists to reach zero.
# `toolglot baseline prune` takes out what no longer violates.

"""

_STALE = ("TG301", "TG302")
_LISTABLE = ("TG1", "TG2")
_SURROGATE = re.compile("[\ud800-\udfff]")
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SHORT_LIST = 3


def add(findings: Iterable[Finding], text: str, reason: str = "", issue: str = "", path: str = "") -> str:
    """The baseline text with entries for these findings; what the text lists already is left alone.

    In: findings of a report (those about the baseline itself are passed over), the text of the file ("" for none).
    New entries go to the end, in the order of tool, rule and pointer. Without reason and issue the entries fail
    until a person fills them in. A finding about targets is listed for its targets only. Raises ConfigError.
    """
    known = parse_baseline(text, path).entries
    index, new = Index(known), list[Entry]()
    for entry in sorted(_wanted(findings), key=_order):
        if not any(other.covers(entry) for other in index.near(entry.rule, entry.tool)):
            new.append(replace(entry, reason=reason.strip(), issue=issue.strip()))
            index.add(entry)
    if not new:
        return text
    blocks = "\n".join(_block(list(group)) for _, group in groupby(new, _place))
    head = f"{text.rstrip()}\n\n" if text.strip() else HEADER
    return _checked(_like(text, head + blocks), (*known, *new), path)


def prune(text: str, findings: Iterable[Finding], path: str = "") -> str:
    """The baseline text without the entries that findings of a report call stale (TG301) or without tool (TG302).

    An entry with several targets loses those that no longer violate. Raises ConfigError.
    """
    gone = {finding.group for finding in findings if finding.code in _STALE}
    entries = parse_baseline(text, path).entries
    kept = tuple(entry for entry in entries if entry.key not in gone)
    if kept == entries:
        return text
    lines = _LINE.findall(text)
    spans = _spans(lines, [entry.line for entry in entries], path)
    for line, group in groupby(reversed(entries), lambda entry: entry.line):
        first, last = spans[line]
        lines[first:last] = _without("".join(lines[first:last]), list(group), gone)
    rest = "".join(lines).rstrip()
    return _checked(_like(text, f"{rest}\n") if rest else "", kept, path)


def _wanted(findings: Iterable[Finding]) -> Iterator[Entry]:
    """An entry for each finding and each of its targets."""
    for finding in findings:
        if finding.code.startswith(_LISTABLE) and not finding.listed:
            tool, pointer = _writable(finding.tool or "", finding.pointer)
            by_target = finding.code.startswith("TG2") and finding.targets
            for target in finding.targets if by_target else (None,):
                yield Entry(tool, pointer, finding.code, target, written=target)


def _writable(tool: str, pointer: str) -> tuple[str, str]:
    """Tool and pointer as TOML can write them: a lone surrogate, which it cannot, becomes a wildcard."""
    segments = ("*" if _SURROGATE.search(segment) else segment for segment in pointer.split("/"))
    return _SURROGATE.sub("*", tool), "/".join(segments)


def _place(entry: Entry) -> tuple[str, str, str]:
    return (entry.tool, entry.rule, entry.pointer)


def _order(entry: Entry) -> tuple[str, ...]:
    return (*_place(entry), entry.target or "")


def _block(entries: Sequence[Entry]) -> str:
    """The text of entries that differ in their target only."""
    first = entries[0]
    targets = [entry.target for entry in entries if entry.target]
    members = {"tool": _text(first.tool), "pointer": _text(first.pointer), "rule": _text(first.rule)}
    if targets:
        members["target"] = _text(targets[0]) if len(targets) == 1 else _list(targets)
    members |= {"reason": _text(first.reason), "issue": _text(first.issue)}
    return "".join(["[[entry]]\n", *(f"{key} = {value}\n" for key, value in members.items())])


def _text(text: str) -> str:
    return tomlkit.string(text).as_string()


def _list(texts: Sequence[str]) -> str:
    if len(texts) <= _SHORT_LIST:
        return f"[{', '.join(map(_text, texts))}]"
    return "".join(["[\n", *(f"    {_text(text)},\n" for text in texts), "]"])


def _spans(lines: Sequence[str], headers: Iterable[int], path: str) -> dict[int, tuple[int, int]]:
    """First and last line (counted from 0, the last not included) of each block, by the line of its header."""
    starts = {header: _touching_above(lines, header - 1) for header in sorted(set(headers))}
    if 0 in starts:
        raise ConfigError(path, "", "is not written as [[entry]] tables.", hint="Edit it by hand.")
    ends = [*list(starts.values())[1:], len(lines)]
    return {
        header: (first, _end(lines, header, end)) for (header, first), end in zip(starts.items(), ends, strict=True)
    }


def _touching_above(lines: Sequence[str], place: int) -> int:
    while place > 0 and lines[place - 1].lstrip().startswith("#"):
        place -= 1
    return place


def _end(lines: Sequence[str], header: int, limit: int) -> int:
    """Behind the last member, the comments that touch it and the blank lines below."""
    members = (place for place in range(header, limit) if lines[place].split("#")[0].strip())
    end = max(members, default=header - 1) + 1
    while end < limit and lines[end].strip():
        end += 1
    while end < limit and not lines[end].strip():
        end += 1
    return end


def _without(block: str, entries: Sequence[Entry], gone: Iterable[str]) -> list[str]:
    """The block without the targets of the entries that are gone; nothing where all are."""
    stale = [entry for entry in entries if entry.key in gone]
    if len(stale) == len(entries):
        return []
    document: Any = tomlkit.parse(block)
    for entry in stale:
        document["entry"][0]["target"].remove(entry.written)
    return [tomlkit.dumps(document)]


def _like(old: str, text: str) -> str:
    """The text with the line ends of the old one."""
    return text.replace("\r\n", "\n").replace("\n", "\r\n") if "\r\n" in old else text


def _checked(text: str, wanted: Sequence[Entry], path: str) -> str:
    """The text, if it says what it should."""
    found = parse_baseline(text, path).entries
    if [_bare(entry) for entry in found] != [_bare(entry) for entry in wanted]:
        raise ConfigError(path, "", "is written in a form that cannot be edited.", hint="Edit it by hand.")
    return text


def _bare(entry: Entry) -> Entry:
    return replace(entry, number=0, line=0)
