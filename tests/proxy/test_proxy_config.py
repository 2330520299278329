"""Several servers, the entry to paste, and the proxy in a client's configuration."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from proxy_help import DEMO, INITIALIZE, INITIALIZED, SERVERS, Line, environment
from test_proxy_fidelity import MESSAGES

from toolglot.mcp.proxy.install import planned, restore
from toolglot.mcp.wire import Problem

OTHER = """
import json, sys
TOOL = {"name": "read_page", "inputSchema": {"type": "object", "properties": {"n": {"type": "integer"}}}}
RESULTS = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"prompts": {}, "resources": {}},
                          "serverInfo": {"name": "other"}, "instructions": "Be kind."},
           "prompts/list": {"prompts": [{"name": "greet"}]}, "tools/list": {"tools": [TOOL]},
           "resources/list": {"resources": [{"uri": "x:1", "name": "one"}]}}
for line in sys.stdin:
    m = json.loads(line)
    if "id" not in m or "method" not in m: continue
    result = RESULTS.get(m["method"], {"content": [], "heard": m.get("params")})
    print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": result}), flush=True)
"""


@pytest.fixture(name="both")
def _both(tmp_path: Path) -> Any:
    servers = {
        "demo": {"command": DEMO[0], "args": list(DEMO[1:])},
        "other": {"command": sys.executable, "args": ["-c", OTHER]},
        "gone": {"command": "no-such-command-anywhere"},
        "off": {"command": "x", "disabled": True},
    }
    config = tmp_path / "mcp.json"
    config.write_text(json.dumps({"mcpServers": servers}))
    with Line([sys.executable, "-m", "toolglot", "proxy", "--isolated", "--config", str(config)]) as line:
        line.say(INITIALIZE)
        yield line, json.loads(line.hear())["result"]
        line.close()


def test_several_servers_are_one(both: Any) -> None:
    line, hello = both
    assert hello["protocolVersion"] == "2025-06-18"
    assert {"tools", "prompts", "resources"} <= hello["capabilities"].keys()
    assert "Be kind." in hello["instructions"]
    line.say(INITIALIZED)
    result = line.ask("tools/list")["result"]
    names = [tool["name"] for tool in result["tools"]]
    assert names[0] == "demo_entries_upsert"
    assert names[-1] == "other_read_page"
    assert len(names) == 11
    assert "nextCursor" not in result
    mended = line.ask("tools/call", {"name": "other_read_page", "arguments": {"n": "5"}}, id=2)["result"]
    assert mended["heard"] == {"name": "read_page", "arguments": {"n": 5}}
    page = line.ask("tools/call", {"name": "demo_page_render", "arguments": {"page_id": "home"}}, id=3)
    assert "Things to do" in page["result"]["content"][0]["text"]


ROUTES = [
    ("prompts/list", None, {"prompts": [{"name": "other_greet"}]}),
    ("prompts/get", {"name": "other_greet"}, {"heard": {"name": "greet"}}),
    ("resources/read", {"uri": "x:1"}, {"heard": {"uri": "x:1"}}),
    ("ping", None, {}),
]


@pytest.mark.parametrize(("method", "params", "expected"), ROUTES, ids=[row[0] for row in ROUTES])
def test_requests_find_their_server(both: Any, method: str, params: Any, expected: dict[str, Any]) -> None:
    line, _ = both
    line.ask("resources/list", id=1)
    result = line.ask(method, params, id=2)["result"]
    assert {key: result[key] for key in expected} == expected


@pytest.mark.parametrize(
    ("method", "params", "code"),
    [("tools/call", {"name": "nothing", "arguments": {}}, -32602), ("future/method", {}, -32601)],
)
def test_what_has_no_server_is_refused(both: Any, method: str, params: Any, code: int) -> None:
    assert both[0].ask(method, params)["error"]["code"] == code


@pytest.mark.parametrize("option", ["--for=portable", "--for=none", "--read-only"])
def test_messages_that_are_none_do_not_end_it(tmp_path: Path, option: str) -> None:
    """Noise, doubled keys, depth: whatever a client or a server says, the next call gets its answer."""
    config = tmp_path / "mcp.json"
    noisy = tmp_path / "noisy.json"
    noisy.write_text(json.dumps([["hello", *MESSAGES]]))
    servers = {
        "other": {"command": sys.executable, "args": ["-c", OTHER]},
        "noisy": {"command": sys.executable, "args": [str(SERVERS / "scripted.py"), str(noisy), str(tmp_path / "r")]},
    }
    config.write_text(json.dumps({"mcpServers": servers}))
    with Line([sys.executable, "-m", "toolglot", "proxy", "--isolated", "--config", str(config), option]) as line:
        line.say(*(message.encode() for message in MESSAGES if "initialize" not in message))
        line.say(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')
        while True:
            heard = json.loads(line.hear(60))
            if isinstance(heard, dict) and heard.get("id") == "last":
                break
        line.process.terminate()
        assert line.process.wait(30) == 143
        line.close()
    assert "failed" not in line.said
    assert "toolglot/mcp" not in line.said  # no traceback of ours


def command(*args: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "toolglot", "proxy", *args],
        cwd=cwd, env=environment(HOME=str(cwd)), text=True, capture_output=True, timeout=60, stdin=subprocess.DEVNULL,
    )  # fmt: skip


USAGE: list[tuple[list[str], str]] = [
    (["--for", "auto", "--http", "127.0.0.1:0", "--", "x"], "there are many"),
    (["--http", "8080", "--", "x"], "takes HOST:PORT"),
    (["--observe", "--read-only", "--", "x"], "changes nothing"),
    (["--allow-host", "a", "--", "x"], "goes with --http"),
    (["--session-prefix", "a", "--", "x"], "goes with --http"),
    (["--http", "127.0.0.1:0", "--session-prefix", "a b", "--", "x"], "letters, digits"),
    (["--http", "127.0.0.1:0", "--public-url", "example.com", "--", "x"], "takes an address"),
    (["--server", "a", "--", "x"], "goes with --config"),
    (["--client", "cursor", "--", "x"], "goes with `install`"),
    (["--config", "mcp.json", "--http", "127.0.0.1:0"], "over stdio"),
    (["--config", "nothing.json"], "cannot be read"),
    (["--config", "broken.json"], "not JSON"),
    (["--config", "empty.json"], "no server that can be started"),
    (["--config", "gone.json"], "none of the servers can be started"),
    (["--for", "nothing", "--", "x"], "unknown target"),
    (["--log", "no/such/folder", "--", "x"], "cannot be written"),
    (["--header", "none", "https://example.com/mcp"], "NAME:VALUE"),
    (["--header-from-env", "A=NOT_THERE", "https://example.com/mcp"], "is not set"),
    (["--print-config", "nobody", "--", "x"], "name the client"),
    (["--print-config", "cursor"], "command after `--`, or its address"),
    (["tools.json"], "no such file"),
    ([], "name one server"),
]


@pytest.mark.parametrize(("options", "says"), USAGE, ids=[" ".join(row[0]) or "nothing" for row in USAGE])
def test_what_is_wrong_is_one_clear_message(tmp_path: Path, options: list[str], says: str) -> None:
    (tmp_path / "broken.json").write_text("{bad")
    (tmp_path / "empty.json").write_text('{"mcpServers": {"a": {"command": 5}}}')
    (tmp_path / "gone.json").write_text('{"mcpServers": {"a": {"command": "no-such-command-anywhere"}}}')
    start = [sys.executable, "-m", "toolglot", "proxy", "--isolated", *options]
    with subprocess.Popen(start, cwd=tmp_path, env=environment(), stdin=-1, stdout=-1, stderr=-1) as process:
        assert process.wait(30) == 2  # its input is open: it does not wait for a client
        assert process.stderr
        said = process.stderr.read().decode()
        assert process.stdout
        assert process.stdout.read() == b""
    assert says in said
    assert "itself failed" not in said
    assert said.count("error: ") == 1


PRINTED = [
    ("cursor", "mcpServers", "cursor", {}),
    ("claude", "mcpServers", "claude-desktop", {}),
    ("vscode", "servers", "vscode-copilot", {"type": "stdio"}),
    ("langflow", "mcpServers", "langflow", {}),
]


@pytest.mark.parametrize(("client", "key", "target", "more"), PRINTED, ids=[row[0] for row in PRINTED])
def test_the_entry_to_paste(tmp_path: Path, client: str, key: str, target: str, more: dict[str, str]) -> None:
    done = command("--print-config", client, "--server", "mine", "--", "npx", "-y", "thing", cwd=tmp_path)
    args = ["proxy", "--for", target, "--", "npx", "-y", "thing"]
    assert json.loads(done.stdout) == {key: {"mine": {**more, "command": "toolglot", "args": args}}}


def test_every_option_stands_in_the_entry(tmp_path: Path) -> None:
    given = ["--for", "none", "--mend", "off", "--refuse", "off", "--read-only", "--allow", "a", "--allow", "b",
             "--log-arguments", "--quiet", "--header-from-env", "A=NOT_THERE", "--isolated"]  # fmt: skip
    done = command("--print-config", "cursor", *given, "--log", "x.log", "--", "npx", "thing", cwd=tmp_path)
    args = json.loads(done.stdout)["mcpServers"]["thing"]["args"]
    place = args.index("--")
    assert args[place + 1 :] == ["npx", "thing"]
    assert sorted(args[1:place]) == sorted([*given, "--log", str(tmp_path / "x.log")])


def test_an_address_may_be_printed_too(tmp_path: Path) -> None:
    given = ["--for", "none", "--header", "Authorization: Bearer x", "https://example.com/mcp"]
    done = command("--print-config", "claude", *given, cwd=tmp_path)
    args = ["proxy", "--for", "none", "--header-from-env", "Authorization=TOOLGLOT_HEADER_1", "https://example.com/mcp"]
    entry = {"command": "toolglot", "args": args, "env": {"TOOLGLOT_HEADER_1": "Bearer x"}}
    assert json.loads(done.stdout) == {"mcpServers": {"example.com": entry}}


JSONC = b"""{
  // what I use
  "mcpServers": {
    "pages": {
      "command": "npx", /* node */
      "args": ["-y", "pages", "--key=${K}"],
      "env": {"TOKEN": "secret-value"}, // mine
    },
    "plain": {"command": "run-me"},
    "web": {"url": "https://example.com/mcp", "headers": {"Authorization": "Bearer secret-value"}},
  },\r
}
"""


def test_install_and_uninstall(tmp_path: Path) -> None:
    path = tmp_path / ".cursor" / "mcp.json"
    path.parent.mkdir()
    path.write_bytes(JSONC)
    done = command("install", "--client", "cursor", "--server", "pages", "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "secret-value" not in done.stdout
    assert '+      "args": ["proxy", "--for", "cursor", "--", "npx", "-y", "pages", "--key=${K}"],' in done.stdout
    before, after = JSONC.splitlines(), path.read_bytes().splitlines()
    assert [n for n, (a, b) in enumerate(zip(before, after, strict=True)) if a != b] == [4, 5]
    program = json.dumps(str(Path(sys.executable).parent / "toolglot")).encode()
    assert b'"command": ' + program + b", /* node */" in after[4]
    assert command("install", "--client", "cursor", "--server", "plain", "-y", cwd=tmp_path).returncode == 0
    again = command("install", "--client", "cursor", "--server", "pages", "-y", cwd=tmp_path)
    assert again.returncode == 2
    assert "already" in again.stderr
    assert command("uninstall", "--client", "cursor", cwd=tmp_path).returncode == 0
    assert path.read_bytes() == JSONC
    assert [one.name for one in path.parent.iterdir()] == ["mcp.json"]


def test_nothing_is_written_without_a_yes(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(JSONC)
    assert command("install", "--file", str(path), "--server", "pages", cwd=tmp_path).returncode != 0
    assert path.read_bytes() == JSONC


def test_an_address_keeps_its_header_off_the_command_line(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(JSONC)
    edit = planned(path, "web", ["--for", "portable"])
    assert b'"--header-from-env", "Authorization=TOOLGLOT_HEADER_1", "https://example.com/mcp"]' in edit.after
    assert b'"env": {"TOOLGLOT_HEADER_1": "Bearer secret-value"}' in edit.after
    assert "secret-value" not in edit.diff


def test_a_file_that_was_changed_since_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(JSONC)
    planned(path, "plain", []).write()
    path.write_bytes(path.read_bytes() + b"\n")
    with pytest.raises(Problem, match="changed since"):
        restore(path)
    restore(path, anyway=True)
    assert path.read_bytes() == JSONC


@pytest.mark.parametrize(("server", "says"), [("nobody", "names no server"), ("command", "names no server")])
def test_a_server_that_is_not_there(tmp_path: Path, server: str, says: str) -> None:
    path = tmp_path / "mcp.json"
    path.write_bytes(JSONC)
    with pytest.raises(Problem, match=says):
        planned(path, server, [])


def test_the_words_of_the_project_count_for_the_gate(tmp_path: Path) -> None:
    (tmp_path / "toolglot.toml").write_text('reading-values = ["rename"]\n')
    start = [sys.executable, "-m", "toolglot", "proxy", "--for", "none", "--read-only", "--", *DEMO]
    hello = b"\n".join([INITIALIZE, INITIALIZED, b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}', b""])
    done = subprocess.run(start, cwd=tmp_path, env=environment(), input=hello, capture_output=True, timeout=60)
    tools = json.loads(done.stdout.splitlines()[-1])["result"]["tools"]
    (manage,) = [tool for tool in tools if tool["name"] == "assets_manage"]
    assert manage["inputSchema"]["properties"]["action"]["enum"] == ["rename"]
