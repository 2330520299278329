"""The configuration: the only reader of `toolglot.toml` and of `[tool.toolglot]` in `pyproject.toml`.

Every unknown key and every value of a wrong type is an error that names its place.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, time
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn, cast

from toolglot.contract.model import SEVERITIES, Severity
from toolglot.contract.patterns import matches, name_pattern
from toolglot.errors import ConfigError
from toolglot.schema.tool import json_kind

FILE = "toolglot.toml"
PYPROJECT = "pyproject.toml"
BASELINE = "toolglot-baseline.toml"
PRESETS = ("policy",)


@dataclass(frozen=True, slots=True)
class ToolIgnore:
    """Rules that are not applied to some tools.

    `tool` takes `*` for any characters; `rule` is a code, the beginning of one, or a name, as in `ignore`.
    """

    tool: str
    rule: str
    reason: str

    def covers(self, tool: str, code: str, rule: str) -> bool:
        """Whether it takes the rule with this code and name away from this tool."""
        named = self.rule == rule or code.startswith(self.rule.upper())
        return named and matches(name_pattern(self.tool), tuple(tool))


@dataclass(frozen=True, slots=True)
class Config:
    """What a project has decided; `Config()` is the configuration of nobody (`--isolated`).

    `path` is the file it was read from. `target`, `select` and `ignore` are names. `server` is a list for a command
    and a text for anything that names a source. `baseline` is the file the configuration names (see
    `baseline_path`). `reading_values` and `action_names` replace the tables of the surface where they are not None.
    `extra_targets` and `corrections` are the raw tables `[[target]]` and `[[correct]]`: they are checked where the
    shipped data are.
    """

    path: Path | None = None
    target: tuple[str, ...] = ()
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: Severity = "error"
    preset: str | None = None
    baseline: Path | None = None
    issue_pattern: str | None = None
    server: tuple[str, ...] | str | None = None
    timeout: float | None = None
    tool_ignores: tuple[ToolIgnore, ...] = ()
    reading_values: tuple[str, ...] | None = None
    action_names: tuple[str, ...] | None = None
    extra_targets: tuple[Mapping[str, Any], ...] = ()
    corrections: tuple[Mapping[str, Any], ...] = ()

    @property
    def directory(self) -> Path:
        """Where relative paths and commands of the configuration start."""
        return self.path.parent if self.path else Path()

    @property
    def baseline_path(self) -> Path:
        """The baseline: the file that is named, else `toolglot-baseline.toml` beside the configuration."""
        return self.baseline or self.directory / BASELINE

    @property
    def shown(self) -> str:
        """The path for messages; empty for the configuration of nobody."""
        return shown(self.path) if self.path else ""


def find_config(start: Path) -> Config:
    """The nearest configuration in `start` or above; `Config()` where there is none.

    In one directory `toolglot.toml` wins over `pyproject.toml`. A `pyproject.toml` without `[tool.toolglot]` does
    not end the search. Raises ConfigError.
    """
    here = start.absolute()
    for directory in (here, *here.parents):
        config = config_in(directory)
        if config is not None:
            return config
    return Config()


def config_in(directory: Path) -> Config | None:
    """The configuration in exactly this directory, or None. Raises ConfigError."""
    if (directory / FILE).is_file():
        return load_config(directory / FILE)
    pyproject = directory / PYPROJECT
    if pyproject.is_file() and b"toolglot" in _bytes(pyproject) and _section(pyproject) is not None:
        return load_config(pyproject)
    return None


def load_config(path: Path) -> Config:
    """Read one file: `[tool.toolglot]` of a `pyproject.toml`, else the whole file. Raises ConfigError."""
    if path.name != PYPROJECT:
        return _config(path, "", read_toml(path))
    section = _section(path)
    if section is None:
        raise ConfigError(shown(path), "", "has no table [tool.toolglot].")
    return _config(path, "tool.toolglot", section)


def read_toml(path: Path) -> dict[str, Any]:
    """A TOML file. Raises ConfigError, with line and column for what is no TOML."""
    return parse_toml(_bytes(path), shown(path))


def parse_toml(text: bytes | str, name: str) -> dict[str, Any]:
    """A TOML text; `name` is its path for the error. Raises ConfigError, with line and column."""
    try:
        string = text if isinstance(text, str) else text.decode("utf-8")
        return tomllib.loads(string.removeprefix("\ufeff"))
    except UnicodeDecodeError as error:
        raise ConfigError(name, "", f"is not UTF-8: byte {error.start} cannot be read.") from None
    except tomllib.TOMLDecodeError as error:
        problem, _, place = str(error).removesuffix(")").partition(" (at ")
        raise ConfigError(name, place, f"is not TOML: {problem}.") from None


def shown(path: Path) -> str:
    """A path for messages: relative to the working directory where that is possible."""
    try:
        return os.path.relpath(path)
    except ValueError:
        return path.name


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise ConfigError(shown(path), "", f"cannot be read: {error.strerror or error}.") from None


def _section(path: Path) -> dict[str, Any] | None:
    tool = read_toml(path).get("tool")
    if not isinstance(tool, dict) or "toolglot" not in tool:
        return None
    return Place(shown(path), "tool.toolglot", cast("dict[str, Any]", tool)["toolglot"]).table()


@dataclass(frozen=True, slots=True)
class Place:
    """A value of a TOML file with the path of its key; reads it as one type or raises ConfigError."""

    file: str
    key: str
    value: object

    def fail(self, problem: str, hint: str = "") -> NoReturn:
        """Raise ConfigError about this value."""
        raise ConfigError(self.file, self.key, problem, hint=hint)

    def wrong(self, wanted: str) -> NoReturn:
        """Raise ConfigError: the value has another type than the wanted one."""
        self.fail(f"is {_kind(self.value)}, not {wanted}.")

    def is_a(self, kind: type) -> bool:
        """Whether the value is of this Python type."""
        return isinstance(self.value, kind)

    def text(self) -> str:
        """A text that is not empty."""
        if not isinstance(self.value, str):
            self.wrong("a text")
        return self.value if self.value.strip() else self.fail("is empty.")

    def raw_text(self) -> str:
        """A text that may be empty."""
        return self.value if isinstance(self.value, str) else self.wrong("a text")

    def table(self) -> dict[str, Any]:
        """A table."""
        return cast("dict[str, Any]", self.value) if self.is_a(dict) else self.wrong("a table")

    def items(self) -> tuple[Place, ...]:
        """The members of a list, each with its place (counted from 1)."""
        if not self.is_a(list):
            self.wrong("a list")
        values = enumerate(cast("list[object]", self.value), 1)
        return tuple(Place(self.file, f"{self.key}[{number}]", value) for number, value in values)

    def texts(self) -> tuple[str, ...]:
        """A list of texts."""
        return tuple(item.text() for item in self.items())

    def one_of(self, choices: tuple[str, ...]) -> str:
        """One of some texts."""
        if self.value not in choices:
            self.fail(f"is {self.value!r}, not one of {', '.join(choices)}.", nearest(str(self.value), choices))
        return str(self.value)

    def members(self, known: tuple[str, ...]) -> dict[str, Place]:
        """The members of a table, each with its place; a name that is not known is an error."""
        table = self.table()
        prefix = f"{self.key}." if self.key else ""
        for name in table:
            if name not in known:
                hint = nearest(name, known) or f"Known: {', '.join(known)}."
                Place(self.file, prefix + name, None).fail("is not known.", hint)
        return {name: Place(self.file, prefix + name, value) for name, value in table.items()}


def nearest(name: str, known: tuple[str, ...]) -> str:
    """The hint that names what the writer may have meant; empty where nothing resembles it."""
    found = get_close_matches(name.lower().replace("_", "-"), known, n=1)
    return f"Did you mean {found[0]}?" if found else ""


def _kind(value: object) -> str:
    if isinstance(value, dict):
        return "a table"
    return "a date or time" if isinstance(value, (date, time)) else json_kind(value)


def _config(path: Path, prefix: str, table: Mapping[str, Any]) -> Config:
    given = Place(shown(path), prefix, table).members((*_READERS, "baseline", "for", "target", "ignore"))
    values = {key.replace("-", "_"): read(given[key]) for key, read in _READERS.items() if key in given}
    values["corrections"] = values.pop("correct", ())
    if "baseline" in given:
        values["baseline"] = path.parent / given["baseline"].text()
    values["target"], values["extra_targets"] = _targets(given)
    values["ignore"], values["tool_ignores"] = _ignores(given)
    return Config(path=path, **values)


def _server(place: Place) -> tuple[str, ...] | str:
    if isinstance(place.value, str):
        return place.text()
    if not place.is_a(list):
        place.wrong("a text or a list of texts")
    return place.texts() or place.fail("is empty.", "Name the command first.")


def _timeout(place: Place) -> float:
    value = place.value
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        place.wrong("a number of seconds")
    return float(value) if 0 < value < _LONG else place.fail("is not a number of seconds above 0.")


def _regex(place: Place) -> str:
    try:
        re.compile(place.text())
    except re.error as error:
        place.fail(f"is no regular expression: {error}.")
    return place.text()


def _tables(place: Place) -> tuple[dict[str, Any], ...]:
    return tuple(item.table() for item in place.items())


def _split(place: Place) -> tuple[tuple[str, ...], tuple[Place, ...]]:
    """The texts of a list, and its tables."""
    items = place.items()
    tables = tuple(item for item in items if item.is_a(dict))
    return tuple(item.text() for item in items if item not in tables), tables


def _targets(given: Mapping[str, Place]) -> tuple[tuple[str, ...], tuple[dict[str, Any], ...]]:
    """The names of targets that are asked for (`for`, or the texts of `target`), and the tables `[[target]]`."""
    asked = given["for"].texts() if "for" in given else ()
    names, tables = _split(given["target"]) if "target" in given else ((), ())
    if asked and names:
        given["target"].fail("names targets, and so does `for`.", "Keep `for`.")
    return asked or names, tuple(item.table() for item in tables)


def _ignores(given: Mapping[str, Place]) -> tuple[tuple[str, ...], tuple[ToolIgnore, ...]]:
    """The rules that are left out (the texts of `ignore`), and the tables `[[ignore]]`."""
    names, tables = _split(given["ignore"]) if "ignore" in given else ((), ())
    return names, tuple(_tool_ignore(item) for item in tables)


def _tool_ignore(place: Place) -> ToolIgnore:
    given = place.members(("tool", "rule", "reason"))
    for key in ("tool", "rule", "reason"):
        if key not in given:
            place.fail(f"has no `{key}`.", "Say why this tool is left out." if key == "reason" else "")
    return ToolIgnore(given["tool"].text(), given["rule"].text(), given["reason"].text())


_LONG = 86_400
_READERS: dict[str, Callable[[Place], Any]] = {
    "select": Place.texts,
    "fail-on": lambda place: place.one_of(SEVERITIES),
    "preset": lambda place: place.one_of(PRESETS),
    "issue-pattern": _regex,
    "server": _server,
    "timeout": _timeout,
    "reading-values": Place.texts,
    "action-names": Place.texts,
    "correct": _tables,
}
"""The keys that give one field each; `baseline`, `for`, `target` and `ignore` are read beside them."""
