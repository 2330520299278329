"""The documents name what is there: options, commands, keys, codes, links, and examples that do what they say."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from toolglot.cli.app import COMMANDS, app
from toolglot.cli.codes import CODES
from toolglot.contract.check import check
from toolglot.contract.config import config_in, load_config
from toolglot.contract.rules import RULES, TARGET_RULES
from toolglot.contract.surface import ACTION_NAMES, MUTATING_VALUES, READING_VALUES
from toolglot.errors import ConfigError
from toolglot.targets.load import GROUPS, SHIPPED, Catalogue

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
DOCUMENTS = sorted([*ROOT.glob("*.md"), *DOCS.glob("*.md")])
EACH = pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)

FOREIGN_OPTIONS = {"--flag"}
"""Options of other programs."""

PLUGIN_OPTIONS = {"--toolglot", "--toolglot-off"}
DEMO_OPTIONS = {"--typed-values"}


def blocks(path: Path, language: str) -> list[str]:
    """The code blocks of a document in one language."""
    return re.findall(rf"^```{language}\n(.*?)^```$", path.read_text(), re.MULTILINE | re.DOTALL)


def options(command: click.Command = app) -> Iterator[str]:
    """Every option of a command and of those below it."""
    for parameter in command.params:
        yield from parameter.opts
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from options(below)


KNOWN_OPTIONS = {*options(), *PLUGIN_OPTIONS, *DEMO_OPTIONS, *FOREIGN_OPTIONS, "--help"}


@EACH
def test_options_exist(path: Path) -> None:
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", path.read_text()))
    assert told <= KNOWN_OPTIONS, sorted(told - KNOWN_OPTIONS)


@EACH
def test_commands_exist(path: Path) -> None:
    told = set(re.findall(r"(?:\$ |- run: |`)toolglot ([a-z]+)", path.read_text()))
    assert told <= COMMANDS.keys()


@EACH
def test_codes_exist(path: Path) -> None:
    known = {*CODES, *(rule.code for rule in (*RULES, *TARGET_RULES))}
    assert set(re.findall(r"\bTG\d{3}\b", path.read_text())) <= known


@EACH
def test_links_lead_somewhere(path: Path) -> None:
    links = re.findall(r"\]\((?!https?://)([^)#]+)", path.read_text())
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_every_document_is_linked_from_the_readme() -> None:
    readme = (ROOT / "README.md").read_text()
    assert [path.name for path in DOCS.iterdir() if f"docs/{path.name}" not in readme] == []


TOML = [(path, text) for path in DOCUMENTS for text in blocks(path, "toml")]


@pytest.mark.parametrize(("path", "text"), TOML, ids=[f"{path.name} {n}" for n, (path, _) in enumerate(TOML)])
def test_configurations_are_right(path: Path, text: str, tmp_path: Path) -> None:
    table = tomllib.loads(text)
    if "entry" in table or path.name == "CONTRIBUTING.md":
        return  # a baseline, or a row of the data
    name = "pyproject.toml" if "tool" in table else "toolglot.toml"
    (tmp_path / name).write_text(text)
    config = config_in(tmp_path)
    assert config is not None
    Catalogue(config.extra_targets, config.corrections).check_corrections()


def test_the_keys_of_the_configuration(tmp_path: Path) -> None:
    rows = re.findall(r"^\| ([^|]*) \|", (DOCS / "configuration.md").read_text(), re.MULTILINE)
    told = {key.strip("[]") for row in rows for key in re.findall(r"`([^`]+)`", row)}
    (tmp_path / "toolglot.toml").write_text("wrong = 1")
    with pytest.raises(ConfigError, match="is not known") as raised:
        load_config(tmp_path / "toolglot.toml")
    known = set(raised.value.hint.removeprefix("Known: ").rstrip(".").split(", "))
    assert told == known


def test_the_example_of_the_json_form_has_every_member() -> None:
    (example,) = [json.loads(text) for text in blocks(DOCS / "json.md", "json")]
    schema = json.loads((DOCS / "report.schema.json").read_text())
    assert list(example) == list(schema["properties"])
    for key in ("sources", "tools", "findings"):
        items = _followed(schema["properties"][key]["items"], schema)
        assert list(example[key][0]) == list(items["properties"])
    assert list(example["summary"]) == list(_followed(schema["properties"]["summary"], schema)["properties"])


def _followed(schema: dict[str, Any], root: dict[str, Any]) -> dict[str, Any]:
    ref = schema.get("$ref", "")
    return root["$defs"][ref.rpartition("/")[2]] if ref else schema


def test_the_words_of_the_surface() -> None:
    text = " ".join((DOCS / "surface.md").read_text().split())
    for start, words in (
        ("These values read: ", READING_VALUES),
        ("These are known to change something: ", MUTATING_VALUES),
    ):
        assert f"{start}{', '.join(words)}." in text
    assert f"named like an action: {', '.join(f'`{name}`' for name in ACTION_NAMES)}." in text


def test_groups_and_default_targets_are_named() -> None:
    text = (DOCS / "targets.md").read_text()
    assert all(f"`{group}`" in text for group in GROUPS)
    assert set(re.findall(r'^id = "(.*)"', text, re.MULTILINE)).isdisjoint(SHIPPED.ids)


UNIONS = [json.loads(text) for text in blocks(DOCS / "unions.md", "json")]


@pytest.mark.parametrize("number", range(len(UNIONS)))
def test_the_ways_out_of_a_union_are_ways_out(number: int) -> None:
    value = UNIONS[number]
    parameters = value if not {"anyOf", "type", "properties"} & value.keys() else {"value": value}
    schema = {"type": "object", "properties": parameters}
    found = check([{"name": "tool", "description": "A tool.", "inputSchema": schema}], select=["TG1"])
    fires = any(finding.code == "TG101" for finding in found.findings)
    scalars = json.dumps([{"type": "string"}, {"type": "number"}, {"type": "boolean"}])
    assert fires is ("anyOf" in json.dumps(value).replace(f'"anyOf": {scalars}', ""))


NORMALIZE = DOCS / "normalize.md"
GATEWAY = [text for text in blocks(NORMALIZE, "toml") if "my-gateway" in text]


def test_the_examples_about_normalising_do_what_they_say(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "my-gateway.toml").write_text(*GATEWAY)
    monkeypatch.chdir(tmp_path)
    names: dict[str, Any] = {}
    for text in blocks(NORMALIZE, "python"):
        exec(text, names)
    printed = capsys.readouterr().out
    told = re.findall(r"^ *print\(.*\)  # (.*)$", "".join(blocks(NORMALIZE, "python")), re.MULTILINE)
    assert printed.splitlines() == told
    said = re.findall(r"^ *([a-z].*?)  # (?=')(.*)$", "".join(blocks(NORMALIZE, "python")), re.MULTILINE)
    assert said
    for expression, value in said:
        assert eval(expression, names) == eval(value), expression


def test_the_example_of_the_readme_about_normalising_runs(capsys: pytest.CaptureFixture[str]) -> None:
    schema = {"type": "object", "properties": {"page": {"type": "string"}}, "required": ["page"]}
    tools = [{"name": "show.page", "description": "Shows a page.", "inputSchema": schema}]
    (text,) = [
        text for text in blocks(ROOT / "README.md", "python") if "view = Toolset(tools)" in text and "for n in" in text
    ]
    exec(text, {"tools": tools, "call_name": "show.page", "call_arguments": '{"page": "home"}'})
    assert capsys.readouterr().out.endswith("show.page {'page': 'home'}\n")
