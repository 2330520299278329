"""Real clients against the demo server: what they cannot do alone, and that they can through the proxy.

No model and no key: the tests play the model. It sees the schemas that the client's own converter makes, and says only
what they show (`clients/model.py`). Whether an API takes them is asked of that API's target.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parent.parent / "proxy"))
from proxy_help import Line, proxy_command
from tests.accept.clients.model import can_say
from tests.accept.conftest import ROOT, Environment
from tests.accept.nodes import from_npm
from tests.accept.test_accept_frameworks import PACKAGES

from toolglot import Toolset, accept
from toolglot.demo.tools import TOOLS
from toolglot.targets.load import SHIPPED

HERE = Path(__file__).parent / "clients"
OURS = f"--editable={ROOT}"
TYPESCRIPT = "@modelcontextprotocol/sdk@1.32.2"

PICTURE = {"field": "picture", "type": "asset", "asset_id": 549896, "alt": "What it costs"}
STORED = {"type": "asset", "asset_id": 549896, "alt": "What it costs"}
WISHES: dict[str, tuple[str, dict[str, Any]]] = {
    "asset": (
        "entries_upsert",
        {"entry_id": "harbour-tour", "content_type": "card", "field_values": [PICTURE]},
    ),
    "change": ("groups_manage", {"group": "editors", "sites": {"add": ["shop"], "remove": ["www"]}}),
}
"""What the model is to do: put an asset into a field, and change a list by what to add and what to remove."""

DONE: dict[str, Callable[[Any], bool]] = {
    "asset": lambda store: store["entries"]["harbour-tour"]["fields"]["picture"] == STORED,
    "change": lambda store: (
        store["groups"]["editors"] == {"sites": ["shop"], "realms": ["public"], "admin_users": ["ada"]}
    ),
}

WRITTEN, REFUSED, UNSAID = "written", "the API refuses the tool", "the model cannot say it"


@dataclass(frozen=True, slots=True)
class Client:
    """One client: where it is installed, its target, the API behind it, and what it does without the proxy."""

    script: str
    home: str
    packages: tuple[str, ...]
    target: str
    api: str
    alone: tuple[str, str]
    env: dict[str, str] = field(default_factory=dict[str, str])


FRAMEWORKS = ("frameworks", PACKAGES)
GEMINI, STRICT = "gemini-parameters", "openai-strict"
OLDER = {"ADK_DISABLE_JSON_SCHEMA_FOR_FUNC_DECL": "1"}

CLIENTS = {
    "mcp 1.x": Client("mcp_1", "mcp1.x", ("mcp==1.*", OURS), GEMINI, GEMINI, (REFUSED, REFUSED)),
    "mcp 2.x": Client("mcp_2", "mcp2.x", ("mcp==2.*", OURS), f"mcp-python-sdk+{GEMINI}", GEMINI, (REFUSED, REFUSED)),
    "fastmcp": Client("fastmcp", "fastmcp4.x", ("fastmcp==4.*", OURS), STRICT, STRICT, (REFUSED, REFUSED)),
    "TypeScript SDK": Client("typescript", "", (), STRICT, STRICT, (REFUSED, REFUSED)),
    "langchain-mcp-adapters, OpenAI strict": Client(
        "langchain_openai", *FRAMEWORKS, f"langchain-mcp-adapters+{STRICT}", STRICT, (WRITTEN, UNSAID)
    ),
    # Its converter loses unions in lists, and requires all optional parameters of a nested object.
    "langchain-mcp-adapters, Gemini": Client(
        "langchain_gemini", *FRAMEWORKS, f"portable-strict+{STRICT}", "", (UNSAID, WRITTEN)
    ),
    "pydantic-ai, Gemini": Client("pydantic_ai", *FRAMEWORKS, "gemini", "gemini", (WRITTEN, WRITTEN)),
    "openai-agents, strict": Client("openai_agents", *FRAMEWORKS, STRICT, "", (WRITTEN, UNSAID)),
    "google-adk": Client("google_adk", "adk", ("google-adk[mcp]==2.*",), "gemini", "gemini", (WRITTEN, WRITTEN)),
    "google-adk, older conversion": Client(
        "google_adk", "adk", ("google-adk[mcp]==2.*",), f"google-adk+{GEMINI}", "", (UNSAID, WRITTEN), env=OLDER
    ),
    "llama-index-tools-mcp": Client(
        "llama_index", "llamaindex", ("llama-index-tools-mcp==0.*",), "llamaindex", "", (UNSAID, UNSAID)
    ),
}


def command_of(client: Client, environment: Environment) -> list[str]:
    """How the client is run; skips where it cannot be installed."""
    if client.script == "typescript":
        node, home = from_npm(environment, "typescript-sdk", TYPESCRIPT)
        script = home / "drive.mjs"
        script.write_text((HERE / "drive.mjs").read_text())
        return [str(node), str(script), client.script]
    try:
        python = environment(client.home, *client.packages)
    except subprocess.SubprocessError as error:
        pytest.skip(f"{client.packages[0]} could not be installed: {error}")
    return [str(python), str(HERE / "drive.py"), client.script]


@dataclass(slots=True)
class Talk:
    """A client that is open, and what its server stores."""

    line: Line
    store: Path
    shown: dict[str, Any]

    def call(self, name: str, arguments: Any) -> list[Any]:
        self.line.say(json.dumps({"name": name, "arguments": arguments}).encode())
        return json.loads(self.line.hear(60))

    def wish(self, name: str, wire: str, arguments: Any, api: str) -> str:
        """What comes of a wish."""
        tool, schema = WISHES[name][0], self.shown[wire]
        if api and accept({"name": tool, "inputSchema": schema}, SHIPPED.target(api)):
            return REFUSED
        if not can_say(schema, arguments):
            return UNSAID
        failed, said = self.call(wire, arguments)
        stored = json.loads(self.store.read_text())
        return WRITTEN if not failed and "updated" in str(said) and DONE[name](stored) else f"not written: {said}"


def outcomes(client: Client, command: Sequence[str], store: Path, target: str | None) -> dict[str, str]:
    """What comes of each wish, alone or through the proxy; a result with structured content is taken each time."""
    server = [sys.executable, str(HERE / "keeping.py"), str(store)]
    if target is not None:
        server = proxy_command("--for", target, server=server)
    view = None if target is None else Toolset([tool.published() for tool in TOOLS]).normalize(target)
    with Line([*command, *server], **client.env) as line:
        talk = Talk(line, store, json.loads(line.hear(60)))
        found: dict[str, str] = {}
        for name, wish in WISHES.items():
            found[name] = talk.wish(name, *(wish if view is None else view.encode(*wish)), client.api)
        failed, said = talk.call("page_render", {"page_id": "home"})
        assert not failed, said
        assert "Things to do" in str(said)
        assert line.close(60) == 0, line.said
    return found


@pytest.mark.parametrize("name", CLIENTS)
def test_alone_a_client_does_what_is_listed(name: str, environment: Environment, tmp_path: Path) -> None:
    """In both directions: a client that can do more than is listed fails the test, too."""
    client = CLIENTS[name]
    found = outcomes(client, command_of(client, environment), tmp_path / "store.json", None)
    assert tuple(found.values()) == client.alone


@pytest.mark.parametrize("name", CLIENTS)
def test_through_the_proxy_a_client_writes_everything(name: str, environment: Environment, tmp_path: Path) -> None:
    client = CLIENTS[name]
    found = outcomes(client, command_of(client, environment), tmp_path / "store.json", client.target)
    assert tuple(found.values()) == (WRITTEN, WRITTEN)
