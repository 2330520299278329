"""Configuration files of MCP clients: which servers they name, and how each would be started.

Forms: `mcpServers` (mcp.json, claude_desktop_config.json, .cursor/mcp.json and most others), `servers`
(.vscode/mcp.json), `mcp.servers` or `mcp: {servers}` (VS Code settings). Nothing is started here.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, cast

from toolglot.errors import MAX_BYTES, JsonError, SourceError, parse_json
from toolglot.mcp.jsonc import strip
from toolglot.mcp.kinds import Command, HttpTransport, Url, shown_url
from toolglot.mcp.raw import kind, members
from toolglot.mcp.saved import read_bytes, to_utf8
from toolglot.mcp.variables import Variables, read_env_file
from toolglot.mcp.wire import Problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

Entry: TypeAlias = "dict[str, Any]"

_PROJECT_FOLDERS = (".vscode", ".cursor", ".mcp", ".roo", ".kiro", ".gemini", ".claude")
_SERVER_KEYS = (b'"mcpServers"', b'"servers"', b'"mcp.servers"')
_URL_KEYS = ("url", "serverUrl", "httpUrl")
_SECRET_OPTION = re.compile(r"(?i)^--?[\w-]*(?:token|key|secret|passw|auth|header|credential)[\w-]*$")
_SECRET_VALUE = re.compile(r"(?i)\b(?:sk|pk|ghp|gho|xox[abp]|glpat|bearer)[-_ ]\S+")


@dataclass(frozen=True, slots=True)
class ConfiguredServer:
    """One server of a configuration.

    `shown` is what would be started, without secrets. `source` is None where it cannot be started: `problem` says
    why. A disabled server is not started by `--all`.
    """

    name: str
    shown: str
    source: Command | Url | None = field(default=None, repr=False)
    disabled: bool = False
    problem: SourceError | None = None
    transport: Literal["stdio", "http"] = "stdio"


def is_config(raw: bytes) -> bool:
    """Whether a text is a client configuration, by its members; cheap for a large saved list."""
    if not any(key in raw for key in _SERVER_KEYS):
        return False
    try:
        return _names_servers(members(raw)) if kind(raw) == "an object" else _is_commented(raw)
    except JsonError:
        return _is_commented(raw)


def _names_servers(parts: Mapping[str, bytes]) -> bool:
    nested = parts.get("mcp", b"null")
    found = [parts.get(key) for key in ("mcpServers", "servers", "mcp.servers")]
    found.append(members(nested).get("servers") if kind(nested) == "an object" else None)
    return "tools" not in parts and any(kind(value or b"") == "an object" for value in found)


def _is_commented(raw: bytes) -> bool:
    """Whether a text is a configuration once its comments are left out; no saved list has any."""
    if len(raw) > MAX_BYTES or kind(raw) == "a list":
        return False
    try:
        return _names_servers(members(strip(raw.decode("utf-8", "replace")).encode()))
    except JsonError:
        return False


def configured(path: Path | str) -> tuple[ConfiguredServer, ...]:
    """The servers of a configuration file in its order, disabled ones included.

    Raises SourceError where the file is no client configuration. A server that cannot be started (a variable
    without a value, no command) has a `problem`; the others are not touched by it.
    """
    path = Path(path)
    try:
        value = _object(_parse(to_utf8(read_bytes(path))))
        servers = None if value is None else _servers(value)
        if value is None or servers is None:
            raise Problem("it has no `mcpServers` or `servers`", "Name a configuration of an MCP client.")
    except (JsonError, Problem) as error:
        raise SourceError(str(path), f"{path}: {error.message}", hint=error.hint) from None
    return _all(value, servers, _workspace(path))


def configured_in(value: Mapping[str, Any]) -> tuple[ConfiguredServer, ...]:
    """The same for a configuration in memory, with `mcpServers` or `servers`; relative paths begin here."""
    entry = dict(value)
    return _all(entry, _servers(entry) or {}, Path.cwd())


def _all(value: Entry, servers: Entry, workspace: Path) -> tuple[ConfiguredServer, ...]:
    variables = Variables(workspace, dict(_inputs(value)))
    return tuple(_configured(name, entry, variables) for name, entry in servers.items())


def _parse(raw: bytes) -> Any:
    text = raw.decode("utf-8", "replace")
    try:
        return parse_json(text)
    except JsonError:
        return parse_json(strip(text))


def _object(value: Any) -> Entry | None:
    return cast("Entry", value) if isinstance(value, dict) else None


def _list(value: Any) -> list[Any] | None:
    return cast("list[Any]", value) if isinstance(value, list) else None


def _servers(value: Entry) -> Entry | None:
    nested = _object(value.get("mcp")) or {}
    found = (value.get("mcpServers"), value.get("servers"), value.get("mcp.servers"), nested.get("servers"))
    return next((servers for servers in map(_object, found) if servers is not None), None)


def _inputs(value: Entry) -> Iterator[tuple[str, str | None]]:
    for entry in filter(None, map(_object, _list(value.get("inputs")) or ())):
        default = entry.get("default")
        yield str(entry.get("id")), default if isinstance(default, str) else None


def _workspace(path: Path) -> Path:
    folder = path.resolve().parent
    return folder.parent if folder.name in _PROJECT_FOLDERS else folder


def _configured(name: str, entry: Any, variables: Variables) -> ConfiguredServer:
    server = _object(entry)
    if server is None:
        return ConfiguredServer(name, "?", problem=SourceError(name, f"{name}: its entry is not an object."))
    disabled = server.get("disabled") is True or server.get("enabled") is False
    try:
        source = _source(name, server, variables)
    except Problem as problem:
        error = SourceError(name, f"{name}: {problem.message}.", hint=problem.hint)
        transport = "http" if _address(server) and not server.get("command") else "stdio"
        return ConfiguredServer(name, _shown(server), None, disabled, error, transport)
    return ConfiguredServer(
        name, _shown(server), source, disabled, None, "http" if isinstance(source, Url) else "stdio"
    )


def _source(name: str, entry: Entry, variables: Variables) -> Command | Url:
    command = entry.get("command")
    if isinstance(command, str) and command:
        argv = tuple(variables.fill(word) for word in (command, *_texts(entry, "args")))
        env, cwd = _environment(entry, variables), _cwd(entry, variables)
        return Command(argv, env, cwd, name, tuple(variables.used))
    address = _address(entry)
    if address:
        headers = {key: variables.fill(value) for key, value in _pairs(entry, "headers").items()}
        return Url(variables.fill(address), headers, _transport(entry), name, tuple(variables.used))
    raise Problem("it has neither a `command` nor a `url`", "Give one of them.")


def _environment(entry: Entry, variables: Variables) -> Mapping[str, str]:
    """The variables of `envFile`, and over them those of `env`."""
    given = {key: variables.fill(value) for key, value in _pairs(entry, "env").items()}
    name = entry.get("envFile")
    if not isinstance(name, str):
        return given
    path = Path(variables.fill(name)).expanduser()
    path = path if path.is_absolute() else variables.workspace / path
    try:
        text = path.read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise Problem(f"its `envFile` {name} cannot be read", "Correct the path.") from None
    return {**read_env_file(text), **given}


def _cwd(entry: Entry, variables: Variables) -> Path | None:
    cwd = entry.get("cwd")
    if not isinstance(cwd, str):
        return None
    path = Path(variables.fill(cwd)).expanduser()
    return path if path.is_absolute() else variables.workspace / path


def _transport(entry: Entry) -> HttpTransport:
    kind = entry.get("type", entry.get("transport"))
    # VS Code, whose files say "http", tries the old transport where the new one is refused; "auto" does the same.
    return "sse" if isinstance(kind, str) and kind.lower() == "sse" else "auto"


def _address(entry: Entry) -> str:
    return next((entry[key] for key in _URL_KEYS if isinstance(entry.get(key), str) and entry[key]), "")


def _texts(entry: Entry, key: str) -> list[str]:
    values = _list(entry.get(key, []))
    if values is None:
        raise Problem(f"its `{key}` is not a list", "Write a list of texts.")
    return [_text(value) for value in values]


def _pairs(entry: Entry, key: str) -> dict[str, str]:
    """The members of `env` or `headers` as texts; null leaves a member out."""
    values = _object(entry.get(key) or {})
    if values is None:
        raise Problem(f"its `{key}` is not an object", "Write an object of texts.")
    return {name: _text(value) for name, value in values.items() if value is not None}


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _shown(entry: Entry) -> str:
    """What would be started, as written in the file: variables stay names, and what looks secret is hidden."""
    command = entry.get("command")
    if not isinstance(command, str):
        return shown_url(_address(entry)) or "?"
    return shlex.join(_masked([command, *map(_text, _list(entry.get("args")) or ())]))


def _masked(words: list[str]) -> Iterator[str]:
    before = ""
    for word in words:
        option, equals, value = word.partition("=")
        if equals and _SECRET_OPTION.match(option) and not value.startswith("${"):
            yield f"{option}=..."
        elif _SECRET_OPTION.match(before) and not word.startswith(("-", "${")):
            yield "..."
        elif "://" in word:
            yield shown_url(word)
        else:
            yield _SECRET_VALUE.sub("...", word)
        before = word
