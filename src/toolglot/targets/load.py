"""Finding targets: by id, short name, group, combination `client+api`, or path of a TOML file."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from importlib import resources
from os import PathLike, fspath
from pathlib import Path
from typing import Any

from toolglot.errors import ConfigError, UnknownTarget
from toolglot.schema.lazy import lazy
from toolglot.targets.combine import combine, portable
from toolglot.targets.model import Target
from toolglot.targets.parse import parse_fact, parse_target
from toolglot.targets.tables import Place

_TARGET = re.compile(r"^\[\[target\]\]$", re.MULTILINE)
_ID = re.compile(r'^id = "([^"]+)"$', re.MULTILINE)

PORTABLE = "portable"
GROUPS = ("default", "strict", "agents", "local", "all")


class Catalogue:
    """The targets that are known: the shipped ones, with a project's additions and corrections.

    A target is parsed when it is first asked for. `extra` are target tables, `corrections` are fact tables with a
    `target` key; `path` names their file in error texts.
    """

    def __init__(
        self,
        extra: Sequence[Mapping[str, Any]] = (),
        corrections: Sequence[Mapping[str, Any]] = (),
        path: str = "toolglot.toml",
    ) -> None:
        self._extra = {str(table.get("id")): table for table in extra}
        self._corrections = tuple(corrections)
        self._path = path
        self._parsed: dict[str, Target] = {}

    @lazy
    def _chunks(self) -> dict[str, tuple[str, str]]:
        """Target id to its file and its part of the text; a part is a TOML document of its own."""
        chunks: dict[str, tuple[str, str]] = {}
        for file, text in _shipped():
            for part in _TARGET.split(text)[1:]:
                found = _ID.search(part)
                if found is None:
                    raise ConfigError(file, "a target", "`id` is missing.")
                chunks[found[1]] = (file, f"[[target]]\n{part}")
        return chunks

    @lazy
    def _defaults(self) -> dict[str, Any]:
        return tomllib.loads(_TARGET.split(dict(_shipped())["default.toml"])[0])

    @property
    def ids(self) -> tuple[str, ...]:
        """Every target id, `portable` included."""
        return (*self._chunks, *(name for name in self._extra if name not in self._chunks), PORTABLE)

    @property
    def short_names(self) -> Mapping[str, str]:
        """Short name to id."""
        return self._defaults["short"]

    @property
    def models(self) -> Mapping[str, str]:
        """Name or pattern of a model or provider to target id, in the order in which they are tried."""
        return self._defaults["models"]

    def target(self, name: str | PathLike[str] | Target) -> Target:
        """The target with this id, short name or path, or the combination `a+b`. Raises UnknownTarget, ConfigError."""
        if isinstance(name, Target):
            return name
        name = fspath(name)
        if name not in self._parsed:
            self._parsed[name] = self._find(name)
        return self._parsed[name]

    def targets(self, names: Iterable[str | Target] | str | Target | None = None) -> tuple[Target, ...]:
        """The targets of these names, groups expanded, each once; the default targets for None."""
        if names is None:
            names = ("default",)
        wanted = [names] if isinstance(names, (str, Target)) else names
        found: dict[str, Target] = {}
        for name in wanted:
            for one in self.group(name) if isinstance(name, str) and name in GROUPS else (name,):
                target = self.target(one)
                found.setdefault(target.id, target)
        return tuple(found.values())

    def group(self, name: str) -> tuple[str, ...]:
        """The target ids of a group: default, strict, agents, local, all."""
        if name in ("default", "local"):
            return tuple(self._defaults[name] if name == "default" else self._defaults["groups"][name])
        if name == "all":
            return self.ids
        every = [self.target(one) for one in self.ids]
        if name == "strict":
            return tuple(target.id for target in every if target.fallback)
        return tuple(target.id for target in every if target.kind == "client")

    def _find(self, name: str) -> Target:
        if name.endswith(".toml") and ("+" not in name or Path(name).exists()):
            return self._from_file(name)
        if "+" in name:
            first, *others = (self.target(part.strip()) for part in name.split("+"))
            for other in others:
                first = combine(first, other)
            return first
        name = self.short_names.get(name, name)
        if name == PORTABLE:
            return portable(self.targets())
        return self._correct(self._load(name))

    def _load(self, name: str) -> Target:
        if name in self._extra:
            return self._parse(self._extra[name], self._path)
        if name not in self._chunks:
            known = [*self.ids, *self.short_names, *GROUPS]
            raise UnknownTarget(name, get_close_matches(name, known, 3))
        file, text = self._chunks[name]
        return self._parse(tomllib.loads(text)["target"][0], file)

    def _parse(self, table: Mapping[str, Any], path: str) -> Target:
        mirrored = table.get("mirror")
        return parse_target(table, path, self.target(mirrored) if mirrored else None)

    def _from_file(self, path: str) -> Target:
        tables = read_toml(path).get("target", [])
        if len(tables) != 1:
            raise ConfigError(path, "", f"has {len(tables)} [[target]] tables.", hint="A target file has exactly one.")
        return self._parse(tables[0], path)

    def _correct(self, target: Target) -> Target:
        facts = dict(target.facts)
        for number, row in enumerate(self._corrections, 1):
            if self._corrected(row, number) != target.id:
                continue
            place = Place(self._path, f"correct {number}")
            table = {key: value for key, value in row.items() if key != "target"}
            for fact in parse_fact(table, target.id, place):
                ours = facts.get(fact.feature)
                if ours is not None and (ours.status, ours.effect) == (fact.status, fact.effect):
                    raise place.wrong(f"the shipped fact {fact.id} says the same now.", "Remove this correction.")
                facts[fact.feature] = replace(fact, corrected=True)
        return target if facts == target.facts else replace(target, facts=facts)

    def _corrected(self, row: Mapping[str, Any], number: int) -> str:
        """The id of the target that a correction is about: one that has facts of its own."""
        name = str(row.get("target", ""))
        found = self.short_names.get(name, name)
        if found not in self._chunks and found not in self._extra:
            near = get_close_matches(name, [*self._chunks, *self._extra, *self.short_names], 3)
            hint = f"Did you mean {' or '.join(near)}?" if near else "`toolglot targets` lists them."
            raise ConfigError(self._path, f"correct {number}", f"no target {name!r} has facts to correct.", hint=hint)
        return found

    def check_corrections(self) -> tuple[str, ...]:
        """The ids of the corrected facts. Raises where a correction names no target or is no longer needed."""
        names = {self._corrected(row, number) for number, row in enumerate(self._corrections, 1)}
        corrected = [self.target(name).facts.values() for name in sorted(names)]
        return tuple(fact.id for facts in corrected for fact in facts if fact.corrected)


def read_toml(path: str) -> dict[str, Any]:
    """A TOML file as a dict. Raises ConfigError where it cannot be read, with the line."""
    try:
        return tomllib.loads(Path(path).read_text("utf-8"))
    except OSError as error:
        raise ConfigError(path, "", f"cannot be read: {error.strerror or error}.") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(path, "", f"is no TOML: {error}.") from None


def _shipped() -> list[tuple[str, str]]:
    data = resources.files("toolglot.targets") / "data"
    files = sorted((f for f in data.iterdir() if f.name.endswith(".toml")), key=lambda f: f.name)
    return [(file.name, file.read_text("utf-8")) for file in files]


SHIPPED = Catalogue()


def target(name: str | PathLike[str] | Target) -> Target:
    """The shipped target with this id, short name or path, or a combination. Raises UnknownTarget, ConfigError."""
    return SHIPPED.target(name)


def targets(names: Iterable[str | Target] | str | Target | None = None) -> tuple[Target, ...]:
    """The shipped targets of these names, groups expanded; the default targets for None."""
    return SHIPPED.targets(names)
