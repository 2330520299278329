"""Reading one table of a target file: its place for error texts, its keys, its values, its proof."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from difflib import get_close_matches
from typing import Any, cast

from toolglot.errors import ConfigError
from toolglot.schema.values import is_list, is_map
from toolglot.targets.model import EVIDENCE, Evidence, Proof

PROOF_KEYS = ("evidence", "source", "seen", "disputed", "note", "says")
"""The keys of a proof in a table."""

_SOURCE = re.compile(
    r"https?://\S|pypi \S+==\S|npm \S+@\S|github \S+/\S+@\S|(github )?[\w.-]+/[\w./-]+#\d|docs\.rs \S|public code"
    r"|fork of \S+/\S|toolglot: "
)
"""The forms of a source (DESIGN, *Targets are data*): an address, a package version and path, a commit and path, an
issue of a repository. "public code" is code whose address was not kept."""


class Place:
    """Where in which file a table stands, for error texts."""

    __slots__ = ("path", "where")

    def __init__(self, path: str, where: str) -> None:
        self.path = path
        self.where = where

    def at(self, where: str) -> Place:
        """A place inside this one."""
        return Place(self.path, f"{self.where}, {where}" if self.where else where)

    def wrong(self, message: str, hint: str = "") -> ConfigError:
        """The error that says what is wrong here."""
        return ConfigError(self.path, self.where, message, hint=hint)


def parse_proof(table: Mapping[str, Any], place: Place) -> Proof:
    """The proof of a fact, a limit or a name rule. Raises ConfigError where a source or a date is missing."""
    source = text_in(table, "source", place)
    if not _SOURCE.match(source):
        raise place.wrong(f"source {source!r} has no known form.", "Give an address, a package version or a commit.")
    evidence = cast("Evidence", choice_in(table, "evidence", EVIDENCE, place))
    if source.startswith("public code") and evidence != "inferred":
        raise place.wrong("a source without an address is at most `inferred`.")
    return Proof(
        source=source,
        evidence=evidence,
        seen=_seen(table, place),
        disputed=flag_in(table, "disputed", place, False),
        note=text_in(table, "note", place, ""),
        says=text_in(table, "says", place, ""),
    )


def _seen(table: Mapping[str, Any], place: Place) -> date | None:
    seen = table.get("seen")
    if isinstance(seen, date):
        return seen
    if seen == "unknown":
        return None
    raise place.wrong('`seen` is neither a date nor "unknown".', "Write it as 2026-09-06.")


def check_keys(table: Any, known: tuple[str, ...], place: Place) -> None:
    """Refuse what is no table, and keys that are not known. Raises ConfigError."""
    if not is_map(table):
        raise place.wrong("is no table.")
    for key in table:
        if key not in known:
            raise place.wrong(f"unknown key {key!r}.", nearest(key, known))


def text_in(table: Mapping[str, Any], key: str, place: Place, default: str | None = None) -> str:
    """A text of a table, or the default. Raises ConfigError where it is missing or no text."""
    value = table.get(key, default)
    if value is None:
        raise place.wrong(f"`{key}` is missing.")
    if not isinstance(value, str):
        raise place.wrong(f"`{key}` is no text.")
    return value


def texts_in(table: Mapping[str, Any], key: str, place: Place) -> tuple[str, ...]:
    """A list of texts of a table; empty where it is missing. Raises ConfigError."""
    value = table.get(key, [])
    if not is_list(value) or not all(isinstance(item, str) for item in value):
        raise place.wrong(f"`{key}` is no list of texts.")
    return tuple(value)


def flag_in(table: Mapping[str, Any], key: str, place: Place, default: bool) -> bool:
    """True or false in a table. Raises ConfigError for anything else."""
    value = table.get(key, default)
    if not isinstance(value, bool):
        raise place.wrong(f"`{key}` is neither true nor false.")
    return value


def choice_in(
    table: Mapping[str, Any], key: str, choices: tuple[str, ...], place: Place, default: str | None = None
) -> str:
    """One of a few texts. Raises ConfigError for any other."""
    value = text_in(table, key, place, default)
    if value not in choices:
        raise place.wrong(f"`{key}` is {value!r}.", f"It is one of: {', '.join(choices)}.")
    return value


def nearest(name: str, known: Any) -> str:
    """The hint that names what resembles an unknown name; empty where nothing does."""
    close = get_close_matches(name, list(known), 3)
    return f"Did you mean {' or '.join(close)}?" if close else ""
