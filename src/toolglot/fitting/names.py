"""Wire names: the published name where a target takes it, else a legal stem and a hash of the published name.

A wire name depends on the target's rule and on the published name, on nothing else, and it never changes between
releases: clients keep permissions under it, providers keep prompts that hold it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from hashlib import sha256
from itertools import count
from typing import TYPE_CHECKING

from toolglot.targets.accept import SMALLEST_SERVER, name_problem

if TYPE_CHECKING:
    from collections.abc import Iterable

    from toolglot.targets.model import NameRule

_DIGITS = 8
_SEPARATORS = ("_", "-", ".", "")
_JOINTS = "_-."
_FROZEN_UNICODE = unicodedata.ucd_3_2_0
"""Letters lose their accents as in this version for ever: a newer Python must not make another name of them."""


def wire_name(name: str, rule: NameRule | None) -> str:
    """The name that a target gets for a published name (DESIGN, *Names*).

    A legal name stays, unless it has the form of our own suffix. Any other name becomes its legal stem, `_h` and
    eight hexadecimal digits of the SHA-256 of the published name, cut so that it fits with a client's prefix. A rule
    that costs nothing (effect `none`: the client itself renames) changes nothing. Where no name can be legal the
    published one comes back; `name_problem` says what is wrong with it.
    """
    if rule is None or rule.effect == "none":
        return name
    if not name_problem(name, rule) and not _own_form(_separator(rule)).search(name):
        return name
    return _renamed(name, rule)


def property_names(names: Iterable[str], rule: NameRule | None) -> dict[str, str]:
    """The wire name of each property of one object, by published name; no two are the same.

    The same function as for tools. Only names made to have the same hash get another one.
    """
    if rule is None or rule.effect == "none":
        return {name: name for name in names}
    wire: dict[str, str] = {}
    taken: set[str] = set()
    for name in dict.fromkeys(names):
        found = wire_name(name, rule)
        for salt in count(1):
            if found not in taken:
                break
            found = _renamed(name, rule, str(salt))
        wire[name] = found
        taken.add(found)
    return wire


def _renamed(name: str, rule: NameRule, salt: str = "") -> str:
    hashed = f"{name}\0{salt}" if salt else name
    digest = sha256(hashed.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]
    suffix = f"{_separator(rule)}h{digest}"
    stem = _stem(name, rule)
    for form in (stem, stem.lstrip(_JOINTS), f"_{stem}", f"x{stem}", "", "x"):
        wire = _cut(form, rule, len(suffix)) + suffix
        if not name_problem(wire, rule):
            return wire
    return name


def _cut(stem: str, rule: NameRule, reserved: int) -> str:
    """The beginning of a stem that leaves room for the prefix and `reserved` more."""
    if rule.max is None:
        return stem
    whole = stem
    room = max(rule.max - len(rule.prefix.format(server=SMALLEST_SERVER)) - reserved, 0)
    if rule.unit == "bytes":
        stem = stem.encode("utf-8", "surrogatepass")[:room].decode("utf-8", "ignore")
    cut = stem[:room]
    return cut if cut == whole else cut.rstrip(_JOINTS)


def _stem(name: str, rule: NameRule) -> str:
    """The legal characters of a name; letters lose their accents, what else is illegal becomes one separator."""
    separator = _separator(rule)
    spelled = {character: _spelled(character, rule) for character in set(name)}
    parts: list[str] = []
    for character in name:
        if spelled[character]:
            parts.append(spelled[character])
        elif parts and parts[-1] != separator:
            parts.append(separator)
    stem = "".join(parts)
    return stem.rstrip(separator) if separator else stem


def _spelled(character: str, rule: NameRule) -> str:
    if _takes(rule, character):
        return character
    plain = _FROZEN_UNICODE.normalize("NFKD", character)
    letters = "".join(one for one in plain if one.isascii() and one.isalnum())
    return next((form for form in (letters, letters.lower()) if form and all(_takes(rule, c) for c in form)), "")


def _takes(rule: NameRule, character: str) -> bool:
    """Whether a name may have this character somewhere behind its first one."""
    pattern = _compiled(rule.pattern)
    return any(pattern.fullmatch(lead + character) for lead in ("a", "A", "_"))


@lru_cache(maxsize=256)
def _separator(rule: NameRule) -> str:
    """What stands before the hash: `_`, or where the target takes none in a name, the next best."""
    pattern = _compiled(rule.pattern)
    return next((s for s in _SEPARATORS if pattern.fullmatch(f"a{s}h0123abcd")), _SEPARATORS[0])


@lru_cache(maxsize=256)
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern or "(?s:.*)")


@lru_cache(maxsize=16)
def _own_form(separator: str) -> re.Pattern[str]:
    return re.compile(rf"{re.escape(separator)}h[0-9a-f]{{{_DIGITS}}}\Z")
