"""Configuration files of clients: which servers they name, and how each would be started."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest
from mcp_help import SERVERS, hand

from toolglot.errors import SourceError
from toolglot.mcp.clientconfig import configured
from toolglot.mcp.kinds import ClientConfig, Command, Url
from toolglot.mcp.sources import parse_source, read

ENV = {"TG_TOKEN": "tok-1234567890", "TG_DIR": "data", "TG_EMPTY": "", "TOOLGLOT_INPUT_API_KEY": "in-1234567890"}


@pytest.fixture(autouse=True)
def _environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in ENV.items():
        monkeypatch.setenv(name, value)


def _write(tmp_path: Path, value: Any, name: str = "mcp.json") -> Path:
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value), "utf-8")
    return path


def _one(tmp_path: Path, entry: dict[str, Any], name: str = "mcp.json") -> Command | Url:
    (server,) = configured(_write(tmp_path, {"mcpServers": {"s": entry}}, name))
    if server.problem is not None:
        raise server.problem
    assert server.source is not None
    return server.source


FORMS = [
    {"mcpServers": {"a": {"command": "x"}}},
    {"servers": {"a": {"command": "x"}}, "inputs": []},
    {"mcp": {"servers": {"a": {"command": "x"}}}},
    {"mcp.servers": {"a": {"command": "x"}}, "editor.fontSize": 12},
    '// for the team\n{"servers": {\n  /* one */ "a": {"command": "x", "args": [],},\n}, }\n',
    '\ufeff{"mcpServers": {"a": {"command": "x"}}}',
]


@pytest.mark.parametrize("value", FORMS)
def test_every_form_is_a_configuration(value: Any, tmp_path: Path) -> None:
    path = _write(tmp_path, value)
    assert parse_source(str(path)) == ClientConfig(path)
    assert [(server.name, server.shown) for server in configured(path)] == [("a", "x")]


VARIABLES = [
    ("${TG_DIR}/x", "data/x"),
    ("${env:TG_DIR}", "data"),
    ("${TG_NONE:-there}", "there"),
    ("${env:TG_NONE:-}", ""),
    ("${TG_EMPTY:-there}", "there"),
    ("${TG_EMPTY}", ""),
    ("${TG_DIR:-there}", "data"),
    ("${TG_DIR}${TG_DIR}", "datadata"),
    ("${input:api-key}", "in-1234567890"),
    ("${input:port}", "8080"),
    ("${workspaceFolderBasename}", "project"),
    ("$TG_DIR ${", "$TG_DIR ${"),
    ("${userHome}", str(Path.home())),
]


@pytest.mark.parametrize(("text", "value"), VARIABLES)
def test_variables_are_filled_in_everywhere(text: str, value: str, tmp_path: Path) -> None:
    inputs = [{"id": "api-key", "password": True}, {"id": "port", "default": "8080"}]
    servers = {
        "command": {"command": "run", "args": [text], "env": {"A": text}},
        "url": {"url": f"http://h/{text}", "headers": {"X": text}},
    }
    path = _write(tmp_path, {"servers": servers, "inputs": inputs}, "project/mcp.json")
    command, url = (server.source for server in configured(path))
    assert command == Command(("run", value), {"A": value}, None, "command")
    assert url == Url(f"http://h/{value}", {"X": value}, "auto", "url")


@pytest.mark.parametrize("folder", [".vscode", ".cursor", "config"])
def test_the_workspace_is_the_project(folder: str, tmp_path: Path) -> None:
    source = _one(tmp_path, {"command": "${workspaceFolder}/run", "cwd": "sub"}, f"{folder}/mcp.json")
    project = tmp_path / folder if folder == "config" else tmp_path
    assert source == Command((f"{project}/run",), {}, project / "sub", "s")


PROBLEMS = [
    ({"command": "x", "args": ["${TG_NONE}"]}, "s: the environment variable TG_NONE is not set."),
    ({"command": "x", "env": {"A": "${env:TG_NONE}"}}, "s: the environment variable TG_NONE is not set."),
    ({"url": "http://h", "headers": {"A": "${TG_NONE}"}}, "s: the environment variable TG_NONE is not set."),
    ({"command": "${input:none}"}, "s: the input 'none' has no value."),
    ({"command": "${command:pick}"}, "s: ${command:pick} is not a variable that can be filled in here."),
    ({"command": "x", "envFile": "none.env"}, "s: its `envFile` none.env cannot be read."),
    ({"command": "x", "args": "a b"}, "s: its `args` is not a list."),
    ({"command": "x", "env": []}, None),
    ({"command": "x", "env": ["A"]}, "s: its `env` is not an object."),
    ({"type": "stdio"}, "s: it has neither a `command` nor a `url`."),
    ("x", "s: its entry is not an object."),
]


@pytest.mark.parametrize(("entry", "message"), PROBLEMS)
def test_what_cannot_be_started_says_why(entry: Any, message: str | None, tmp_path: Path) -> None:
    path = _write(tmp_path, {"mcpServers": {"s": entry, "good": {"command": "y"}}})
    bad, good = configured(path)
    assert (bad.problem.message if bad.problem else None) == message
    assert (bad.source is None) == (message is not None)
    assert good.source == Command(("y",), {}, None, "good")
    assert (bad.transport, good.transport) == ("http" if "url" in entry else "stdio", "stdio")


def test_an_env_file(tmp_path: Path) -> None:
    text = "# c\nexport A=1\nB = \"two words\" # c\nC='x#y'\nD=d # c\n\nnot a line\nE=\nF=over\n"
    _write(tmp_path, text, ".env")
    source = _one(
        tmp_path,
        {"command": "x", "envFile": "${workspaceFolder}/.env", "env": {"F": "f", "G": 1, "H": True, "I": None}},
    )
    assert isinstance(source, Command)
    assert dict(source.env) == {
        "A": "1",
        "B": "two words",
        "C": "x#y",
        "D": "d",
        "E": "",
        "F": "f",
        "G": "1",
        "H": "true",
    }


@pytest.mark.parametrize(
    ("entry", "transport"),
    [
        ({"url": "http://h/sse", "type": "sse"}, "sse"),
        ({"url": "http://h", "type": "http"}, "auto"),
        ({"serverUrl": "http://h"}, "auto"),
        ({"httpUrl": "http://h", "transport": "streamable-http"}, "auto"),
    ],
)
def test_addresses(entry: dict[str, Any], transport: str, tmp_path: Path) -> None:
    source = _one(tmp_path, entry)
    assert isinstance(source, Url)
    assert source.transport == transport


SHOWN = [
    ({"command": "npx", "args": ["-y", "pkg", "--api-key", "k-123"]}, "npx -y pkg --api-key ..."),
    ({"command": "npx", "args": ["pkg", "--token=t-123", "-H", "x"]}, "npx pkg --token=... -H x"),
    (
        {"command": "npx", "args": ["mcp-remote", "http://u:p@h/?k=v", "--header", "A: Bearer t"]},
        "npx mcp-remote 'http://h/?k=…' --header ...",
    ),
    ({"command": "x", "args": ["--token", "${TG_TOKEN}", "${TG_TOKEN}"]}, "x --token '${TG_TOKEN}' '${TG_TOKEN}'"),
    ({"command": "x", "args": ["sk-abcdef"], "env": {"A": "tok-1234567890"}}, "x ..."),
    ({"url": "https://u:p@h/mcp?key=abc", "headers": {"A": "tok-1234567890"}}, "https://h/mcp?key=…"),
    ({}, "?"),
]


@pytest.mark.parametrize(("entry", "shown"), SHOWN)
def test_what_is_shown_has_no_secret(entry: dict[str, Any], shown: str, tmp_path: Path) -> None:
    (server,) = configured(_write(tmp_path, {"mcpServers": {"s": entry}}))
    assert server.shown == shown
    assert "tok-1234567890" not in repr(server)


FILES = [
    ('{"mcpServers": ', "not JSON"),
    ('{"mcpServers": []}', "no `mcpServers` or `servers`"),
    ("[]", "no `mcpServers` or `servers`"),
]


@pytest.mark.parametrize(("text", "message"), FILES)
def test_what_is_no_configuration(text: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=message):
        configured(_write(tmp_path, text))


def _entry(mode: str, **more: Any) -> dict[str, Any]:
    return {"command": sys.executable, "args": [str(SERVERS / "hand.py"), mode], **more}


def test_all_servers_are_read_and_one_bad_one_loses_no_other(tmp_path: Path) -> None:
    servers = {
        "good": _entry("good"),
        "crash": _entry("crash", env={"HAND_SECRET": "${TG_TOKEN}"}),
        "off": _entry("good", disabled=True),
        "out": _entry("good", enabled=False),
        "unset": _entry("good", env={"A": "${TG_NONE}"}),
        "modern": _entry("modern"),
    }
    steps: list[str] = []
    listings = read(
        parse_source(str(_write(tmp_path, {"mcpServers": servers}))), all_servers=True, on_progress=steps.append
    )
    assert [(listing.id, len(listing.tools)) for listing in listings] == [
        ("good", 2),
        ("crash", 0),
        ("unset", 0),
        ("modern", 2),
    ]
    errors = [listing.error.message if listing.error else None for listing in listings]
    assert errors[0] is None
    assert errors[3] is None
    assert "crash: the server ended with exit code 3" in str(errors[1])
    assert errors[2] == "unset: the environment variable TG_NONE is not set."
    assert "SECRET is [hidden]" in str(listings[1].error)
    assert {"starting good", "good: 2 tools", "crash: failed", "unset: failed"} <= set(steps)


def test_one_server_is_chosen_by_name(tmp_path: Path) -> None:
    source = parse_source(str(_write(tmp_path, {"mcpServers": {"a": _entry("crash"), "b": _entry("good")}})))
    (listing,) = read(source, server="b")
    assert (listing.id, len(listing.tools)) == ("b", 2)


CHOICES = [
    ({"a": {"command": "x"}, "b": {"command": "y"}}, {}, "it names a, b.", "--server NAME or --all"),
    ({"a": {"command": "x"}}, {"server": "c"}, "it names no server 'c'.", "Its servers: a."),
    ({"a": {"command": "x", "disabled": True}}, {"server": "a"}, "it is switched off", "Switch it on"),
    ({"a": {"command": "x", "disabled": True}}, {"all_servers": True}, "no server that is switched on", ""),
    ({}, {"server": "a"}, "it names no server 'a'.", "Its servers: none."),
]


@pytest.mark.parametrize(("servers", "choice", "message", "hint"), CHOICES)
def test_nothing_is_started_without_a_choice(
    servers: Any, choice: dict[str, Any], message: str, hint: str, tmp_path: Path
) -> None:
    path = _write(tmp_path, {"mcpServers": servers})
    with pytest.raises(SourceError) as caught:
        read(parse_source(str(path)), **choice)
    assert message in caught.value.message
    assert hint in caught.value.hint


def test_a_server_that_fails_is_an_error_of_its_listing(tmp_path: Path) -> None:
    (listing,) = read(ClientConfig(_write(tmp_path, {"mcpServers": {"a": _entry("crash")}})), server="a")
    assert listing.error is not None
    assert hand("crash").argv[0] == sys.executable
