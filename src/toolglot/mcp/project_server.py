"""The server that a project's configuration names, as a source."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from toolglot.errors import ConfigError, SourceError
from toolglot.mcp.sources import Source, parse_source

if TYPE_CHECKING:
    from toolglot.contract.config import Config


def project_server(config: Config) -> Source:
    """What `server` of the configuration means; files and commands start from its directory.

    A list, or a text with several words, is a command. Another text is a file, an address or an object, else a
    command without arguments. Raises ConfigError where no server is named.
    """
    server = config.server
    if server is None:
        raise ConfigError(config.shown, "server", "is missing.", hint='Write server = ["command", "argument"].')
    if not isinstance(server, str):
        return parse_source(command=server, cwd=config.directory)
    if (config.directory / server).is_file():
        return parse_source(str(config.directory / server))
    words = _words(server, config)
    try:
        return parse_source(server) if len(words) == 1 else parse_source(command=words, cwd=config.directory)
    except SourceError:
        return parse_source(command=words, cwd=config.directory)


def _words(server: str, config: Config) -> list[str]:
    try:
        return shlex.split(server)
    except ValueError as error:
        raise ConfigError(config.shown, "server", f"is no command: {error}.") from None
