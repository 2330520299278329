"""Variables in client configurations: `${VAR}`, `${VAR:-default}`, `${env:VAR}`, `${input:id}`, ..."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from toolglot.mcp.wire import Problem

_VARIABLE = re.compile(r"\$\{([^{}]*)\}")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
INPUT_PREFIX = "TOOLGLOT_INPUT_"


@dataclass(frozen=True, slots=True)
class Variables:
    """What can stand in `${...}`: the environment, the folder of the project, the inputs of the file."""

    workspace: Path
    inputs: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ, repr=False)
    used: set[str] = field(default_factory=set[str], repr=False)
    """Values of the environment and of inputs that were filled in: they may be secrets."""

    def fill(self, text: str) -> str:
        """The text with every variable replaced; raises Problem that names one without a value."""
        return _VARIABLE.sub(lambda found: self._value(found[1]), text)

    def _value(self, name: str) -> str:
        known: Mapping[str, Callable[[], str]] = {
            "workspaceFolder": lambda: str(self.workspace),
            "workspaceFolderBasename": lambda: self.workspace.name,
            "userHome": lambda: str(Path.home()),
            "pathSeparator": lambda: os.sep,
            "/": lambda: os.sep,
        }
        if name in known:
            return known[name]()
        if name.startswith("input:"):
            return self._input(name.removeprefix("input:"))
        variable, marked, default = name.removeprefix("env:").partition(":-")
        if not _NAME.fullmatch(variable):
            raise Problem(
                f"${{{name}}} is not a variable that can be filled in here",
                "Known: ${VAR}, ${VAR:-default}, ${env:VAR}, ${input:id}, ${workspaceFolder}, ${userHome}.",
            )
        value = self.environment.get(variable, "" if not marked else None)
        if marked and not value:
            return default
        if variable not in self.environment:
            raise Problem(f"the environment variable {variable} is not set", f"Set {variable}, then try again.")
        self.used.add(value or "")
        return value or ""

    def _input(self, name: str) -> str:
        variable = INPUT_PREFIX + re.sub(r"[^A-Z0-9]", "_", name.upper())
        value = self.environment.get(variable, self.inputs.get(name))
        if value is None:
            raise Problem(f"the input {name!r} has no value", f"Set the environment variable {variable}.")
        self.used.add(value)
        return value


def read_env_file(text: str) -> dict[str, str]:
    """The variables of an env file: NAME=VALUE lines, `export`, quotes, comments."""
    found: dict[str, str] = {}
    for line in text.splitlines():
        name, equals, value = line.strip().removeprefix("export ").partition("=")
        if equals and _NAME.fullmatch(name.strip()):
            found[name.strip()] = _unquoted(value.strip())
    return found


def _unquoted(value: str) -> str:
    if value[:1] in ("'", '"') and (end := value.find(value[0], 1)) > 0:
        return value[1:end]
    return re.split(r"\s#", value, maxsplit=1)[0].strip()
