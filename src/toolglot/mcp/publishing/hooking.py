"""`publish`: make a Python server publish portable tools; its handlers stay as they are."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, TypeVar

from toolglot.errors import ToolglotError
from toolglot.mcp.inprocess import lowlevel
from toolglot.mcp.proxy.fitted import Fitter
from toolglot.mcp.proxy.restrict import Restriction
from toolglot.mcp.proxy.settings import AUTO, NONE, Settings
from toolglot.mcp.proxy.switches import READ_ONLY, is_on
from toolglot.mcp.publishing import sdk1, sdk2
from toolglot.mcp.publishing.desk import Desk
from toolglot.targets.load import SHIPPED

if TYPE_CHECKING:
    from collections.abc import Iterable
    from os import PathLike
    from types import ModuleType

    from toolglot.targets.model import Target

ServerT = TypeVar("ServerT")

_KNOWN = (
    "Supported are Server and FastMCP of the official SDK 1.x (package mcp), Server and MCPServer of 2.x, and FastMCP "
    "of the package fastmcp."
)


def publish(
    server: ServerT,
    target: str | PathLike[str] | Target = "portable",
    read_only: bool | None = None,
    only: Iterable[str] | None = None,
    except_: Iterable[str] | None = None,
) -> ServerT:
    """Make a server publish its tools as a target takes them; handlers get arguments in their own shape, checked.

    In: a server object of the official SDK 1.x or 2.x, or of fastmcp; a target (an id, a short name, `a+b`, a file, a
    Target; "none" changes no tool); `read_only` (None: as the environment's TOOLGLOT_READ_ONLY says) hides tools that
    may change something; `only` and `except_` are names of published tools. Out: the server itself, hooked at the
    protocol: tools may still come and go. A second call with the same target and restrictions does nothing.
    Raises ToolglotError for what is no such server, for other wrong arguments and for a server that is published
    otherwise; UnknownTarget; ConfigError. The facts about the SDKs stand in sdk1.py and sdk2.py.
    """
    inner = _lowlevel(server)
    sdk = _sdk(inner, server)
    desk = _desk(target, _restriction(read_only, only, except_))
    before = sdk.hooked(inner)
    if before is None:
        sdk.hook(inner, desk)
    elif not before.does_the_same(desk):
        known = before.fitter.target.id if before.fitter.target else NONE
        raise ToolglotError(
            f"this server is published already, for {known!r}, with another target or other restrictions.",
            hint="Call publish once for each server.",
        )
    return server


def _lowlevel(server: Any) -> Any:
    found = lowlevel(server)
    if found is None:
        raise ToolglotError(f"publish got {_named(server)}, which is no MCP server it knows.", hint=_KNOWN)
    return found


def _sdk(inner: Any, server: Any) -> ModuleType:
    """The module that knows how to hook into a lowlevel server."""
    if isinstance(getattr(inner, "middleware", None), list) and callable(getattr(inner, "get_request_handler", None)):
        return sdk2
    if isinstance(getattr(inner, "request_handlers", None), dict):
        return sdk1
    raise ToolglotError(f"publish cannot hook into {_named(server)}: its SDK is of an unknown version.", hint=_KNOWN)


def _named(server: Any) -> str:
    if isinstance(server, type):
        return f"the class {server.__module__}.{server.__qualname__}, not an object of it"
    return f"an object of {type(server).__module__}.{type(server).__qualname__}"


def _desk(target: str | PathLike[str] | Target, restriction: Restriction) -> Desk:
    if target == AUTO:
        raise ToolglotError(
            'the target "auto" is for the proxy: a server publishes one list for all its clients.',
            hint='Name a target; "portable" is what all default targets take.',
        )
    found = None if target == NONE else SHIPPED.target(target)
    settings = Settings(target=NONE if found is None else found.id, restriction=restriction)
    return Desk(settings, Fitter(found, SHIPPED, restriction))


def _restriction(read_only: Any, only: Iterable[str] | None, except_: Iterable[str] | None) -> Restriction:
    if read_only is None:
        read_only = is_on(os.environ.get(READ_ONLY))
    elif not isinstance(read_only, bool):
        raise ToolglotError(f"`read_only` is True, False or None, not {read_only!r}.")
    return Restriction(read_only, _names("only", only), _names("except_", except_))


def _names(what: str, given: Any) -> frozenset[str]:
    if given is None:
        return frozenset()
    names: list[Any] = [] if isinstance(given, (str, bytes)) else list(given)
    if isinstance(given, (str, bytes)) or not all(isinstance(name, str) for name in names):
        raise ToolglotError(f'`{what}` is a list of tool names, for example ["search"], not {given!r}.')
    if what == "only" and not names:
        raise ToolglotError("`only` is an empty list: no tool would be left.", hint="Leave it out to publish all.")
    return frozenset(names)
