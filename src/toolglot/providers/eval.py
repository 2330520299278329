"""Measuring what a model makes of tools: any endpoint that speaks Chat Completions, a local one too.

One of the two modules that reach a model provider; nothing is sent before the user agreed.
"""

from __future__ import annotations

import os
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import httpx

from toolglot.errors import JsonError, parse_json
from toolglot.providers import compatible
from toolglot.providers.eval_tasks import Outcome
from toolglot.providers.plain import record, text_of
from toolglot.providers.probe import APIS, CONTROL, NotAsked
from toolglot.providers.probing import Part
from toolglot.schema.tool import Tool

if TYPE_CHECKING:
    from toolglot.fitting.toolview import ToolView
    from toolglot.providers.calling import Call
    from toolglot.providers.eval_tasks import Task
    from toolglot.targets.model import Target

SECONDS = 120
"""Time that an endpoint has for one answer: small machines are slow."""
TURNS = 2
"""The call, and one retry after an error."""
_TRIES = 3
_BUSY = (429, 500, 502, 503, 529)
_WAITS = 30.0
_NO_CALL = "You did not call the tool. Call it now."
_LONGEST = 300


@dataclass
class Model:
    """A model behind an endpoint. `options` are what every request asks for; those it does not know are dropped."""

    name: str
    url: str
    client: httpx.Client
    key: str = field(default="", repr=False)
    options: dict[str, Any] = field(default_factory=dict[str, Any])
    requests: int = 0

    def check(self, target: Target) -> None:
        """Send the simplest tool. Raises NotAsked where even that is refused: the model's name, the account."""
        tools = compatible.tools(Part.published([Tool.of(CONTROL)], target))
        answer = self._ask([{"role": "user", "content": "Call say with the text hello."}], tools)
        if isinstance(answer, str):
            raise NotAsked(f"even the simplest tool is refused: {answer}", hint="So nothing can be measured.")

    def play(self, task: Task, view: ToolView) -> Outcome:
        """One task: a turn, and another one after an error. Raises NotAsked for an answer that is about no tool."""
        messages: list[Any] = [{"role": "user", "content": task.prompt(view.tools[0].name)}]
        tools = compatible.tools(view)
        spent = [0, 0]
        for turn in range(1, TURNS + 1):
            answer = self._ask(messages, tools)
            if isinstance(answer, str):
                return Outcome(None, turn, False, answer, False, *spent)
            usage = record(answer.get("usage"))
            spent = [spent[0] + _number(usage, "prompt_tokens"), spent[1] + _number(usage, "completion_tokens")]
            calls = compatible.calls(answer, view)
            good = next((call for call in calls[:1] if call.error is None), None)
            if good is not None:
                return Outcome(good.arguments, turn, turn == 1, "", False, *spent)
            messages += [*compatible.said(answer), *_reply(calls)]
        return Outcome(None, TURNS, False, "", False, *spent)

    def _ask(self, messages: list[Any], tools: list[Any]) -> dict[str, Any] | str:
        """One request: the response, or the endpoint's words where it refuses the tools."""
        while True:
            body = {"model": self.name, "messages": messages, "tools": tools, **self.options}
            response = self._post(body)
            if response.status_code not in (400, 422):
                return self._read(response)
            words = self._words(response)
            unknown = [name for name in self.options if name in words]
            if not unknown:
                return words
            for name in unknown:
                del self.options[name]

    def _post(self, body: dict[str, Any]) -> httpx.Response:
        """Send; again after a while where the endpoint is busy."""
        response = self._send(body)
        for tries in range(1, _TRIES):
            if response.status_code not in _BUSY:
                break
            time.sleep(min(_wait(response, tries), _WAITS))
            response = self._send(body)
        return response

    def _send(self, body: dict[str, Any]) -> httpx.Response:
        self.requests += 1
        try:
            return self.client.post(self.url, json=body)
        except httpx.HTTPError as error:
            raise NotAsked(f"{self.url}: {type(error).__name__}: {error}".rstrip(": ")) from None

    def _words(self, response: httpx.Response) -> str:
        words = _words(response)
        return words.replace(self.key, "***") if self.key else words

    def _read(self, response: httpx.Response) -> dict[str, Any]:
        if response.status_code != 200:
            raise NotAsked(f"{self.url} answered {response.status_code}: {self._words(response)}")
        try:
            return record(parse_json(response.content))
        except JsonError as error:
            raise NotAsked(f"{self.url}: the answer is {error}.") from None


def _reply(calls: list[Call]) -> list[Any]:
    """What the model reads after a turn without a good call."""
    return compatible.results(calls) if calls else [{"role": "user", "content": _NO_CALL}]


def _number(usage: dict[str, Any], key: str) -> int:
    found = usage.get(key)
    return found if isinstance(found, int) else 0


def _wait(response: httpx.Response, tries: int) -> float:
    told = response.headers.get("retry-after", "")
    return float(told) if told.replace(".", "", 1).isdecimal() else 2.0**tries


def _words(response: httpx.Response) -> str:
    """The endpoint's own words of an error."""
    try:
        body = record(parse_json(response.content))
    except JsonError:
        body = {}
    error = body.get("error")
    words = text_of(record(error).get("message")) or text_of(error) or text_of(body.get("message")) or response.text
    return words[:_LONGEST]


@contextmanager
def model_at(endpoint: str, name: str, seed: int, key_from_env: str = "") -> Generator[Model]:
    """A model at an endpoint; nothing is sent yet.

    A key is sent where its variable is named, or where the endpoint is that of a provider whose own variable is set.
    Raises NotAsked for an address that is none, and for a variable that is not set.
    """
    parts = urlsplit(endpoint)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise NotAsked(f"{endpoint!r} is no address.", hint="Write it as http://127.0.0.1:8000/v1.")
    variable = key_from_env or key_variable(endpoint)
    if key_from_env and not os.environ.get(key_from_env):
        raise NotAsked(f"the environment variable {key_from_env} is not set.", hint="It is to hold the key.")
    key = os.environ[variable] if variable else ""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    with httpx.Client(headers=headers, timeout=SECONDS) as client:
        options = {"temperature": 0, "seed": seed, "max_tokens": 2000}
        yield Model(name, f"{endpoint.rstrip('/')}/chat/completions", client, key, options)


def key_variable(endpoint: str) -> str:
    """The variable of the key for an endpoint, where it is a known provider's and is set; else empty."""
    host = urlsplit(endpoint).hostname
    keys = [key for api in APIS.values() if api.host and urlsplit(api.host).hostname == host for key in api.keys]
    return next((key for key in keys if os.environ.get(key)), "")
