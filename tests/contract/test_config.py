"""The configuration file: what it may say, where it is found, and what its errors name."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from toolglot.contract.config import Config, ToolIgnore, config_in, find_config, load_config
from toolglot.errors import ConfigError

FULL = """
for = ["gemini", "cursor+openai"]
select = ["TG1"]
fail-on = "warning"
preset = "policy"
baseline = "known/holes.toml"
issue-pattern = 'OPS-\\d+'
server = ["uv", "run", "server"]
timeout = 12
reading-values = ["get", "list"]
action-names = ["verb"]

[[ignore]]
tool = "legacy_*"
rule = "TG101"
reason = "goes with the old editor"

[[target]]
id = "house"
title = "House gateway"

[[correct]]
target = "gemini-parameters"
feature = "type-list"
status = "accepted"
seen = 2026-10-01
"""


def write(directory: Path, text: str, name: str = "toolglot.toml") -> Path:
    directory.mkdir(parents=True, exist_ok=True)
    path = directory / name
    path.write_text(text, encoding="utf-8")
    return path


def test_every_key_is_read(tmp_path: Path) -> None:
    path = write(tmp_path, FULL)
    assert load_config(path) == Config(
        path=path,
        target=("gemini", "cursor+openai"),
        select=("TG1",),
        fail_on="warning",
        preset="policy",
        baseline=tmp_path / "known/holes.toml",
        issue_pattern=r"OPS-\d+",
        server=("uv", "run", "server"),
        timeout=12.0,
        tool_ignores=(ToolIgnore("legacy_*", "TG101", "goes with the old editor"),),
        reading_values=("get", "list"),
        action_names=("verb",),
        extra_targets=({"id": "house", "title": "House gateway"},),
        corrections=(
            {
                "target": "gemini-parameters",
                "feature": "type-list",
                "status": "accepted",
                "seen": date(2026, 10, 1),
            },
        ),
    )


def test_pyproject_says_the_same(tmp_path: Path) -> None:
    own = load_config(write(tmp_path, FULL))
    table = "[tool.toolglot]\n" + FULL.replace("[[", "[[tool.toolglot.")
    in_pyproject = load_config(write(tmp_path, table, "pyproject.toml"))
    assert in_pyproject.path == tmp_path / "pyproject.toml"
    assert {**_fields(in_pyproject), "path": None} == {**_fields(own), "path": None}


def _fields(config: Config) -> dict[str, object]:
    return {name: getattr(config, name) for name in Config.__slots__}


@pytest.mark.parametrize(
    ("text", "field", "value"),
    [
        ("", "target", ()),
        ("", "fail_on", "error"),
        ("", "baseline", None),
        ("", "reading_values", None),
        ('target = ["gemini"]', "target", ("gemini",)),
        ('target = ["gemini", {id = "house"}]', "extra_targets", ({"id": "house"},)),
        ('ignore = ["TG107", "array-without-items"]', "ignore", ("TG107", "array-without-items")),
        (
            'ignore = ["TG107", {tool = "a", rule = "TG101", reason = "r"}]',
            "tool_ignores",
            (ToolIgnore("a", "TG101", "r"),),
        ),
        ('server = "uv run server"', "server", "uv run server"),
        ("timeout = 0.5", "timeout", 0.5),
        ("reading-values = []", "reading_values", ()),
        ("\ufefffor = ['gemini']", "target", ("gemini",)),
    ],
)
def test_single_keys(tmp_path: Path, text: str, field: str, value: object) -> None:
    assert getattr(load_config(write(tmp_path, text)), field) == value


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("fail_on = 'error'", "fail_on", "is not known. Did you mean fail-on?"),
        ("servr = 'x'", "servr", "Did you mean server?"),
        ("zzz = 1", "zzz", "Known: select, fail-on"),
        ("fail-on = 'errors'", "fail-on", "is 'errors', not one of error, warning, note. Did you mean error?"),
        ("fail-on = 3", "fail-on", "is 3, not one of"),
        ("preset = 'strict'", "preset", "not one of policy"),
        ("for = 'gemini'", "for", "is a text, not a list."),
        ("for = [1]", "for[1]", "is a number, not a text."),
        ("for = ['a', '']", "for[2]", "is empty."),
        ("for = ['a']\ntarget = ['b']", "target", "names targets, and so does `for`."),
        ("target = {id = 'x'}", "target", "is a table, not a list."),
        ("target = [2026-01-01]", "target[1]", "is a date or time, not a text."),
        ("select = true", "select", "is a boolean, not a list."),
        ("server = []", "server", "is empty."),
        ("server = 5", "server", "is a number, not a text or a list of texts."),
        ("server = ' '", "server", "is empty."),
        ("server = ['uv', 1]", "server[2]", "is a number, not a text."),
        ("timeout = '3'", "timeout", "is a text, not a number of seconds."),
        ("timeout = true", "timeout", "is a boolean, not a number of seconds."),
        ("timeout = 0", "timeout", "is not a number of seconds above 0."),
        ("timeout = nan", "timeout", "is not a number of seconds above 0."),
        ("issue-pattern = '('", "issue-pattern", "is no regular expression"),
        ("baseline = ['x']", "baseline", "is a list, not a text."),
        ("correct = [1]", "correct[1]", "is a number, not a table."),
        ("ignore = [1]", "ignore[1]", "is a number, not a text."),
        ("[[ignore]]\ntool = 'a'\nrule = 'TG101'", "ignore[1]", "has no `reason`. Say why"),
        ("[[ignore]]\ntool = 'a'\nreason = 'r'", "ignore[1]", "has no `rule`."),
        ("[[ignore]]\ntool = 'a'\nrule = 'b'\nreason = ' '", "ignore[1].reason", "is empty."),
        ("[[ignore]]\ntools = 'a'", "ignore[1].tools", "Did you mean tool?"),
        ("for = [\n  'a'\n\nselect = 1", "line 4, column 1", "is not TOML: Unclosed array."),
        ("a = 1\na = 2\n", "line 2, column 6", "is not TOML: Cannot overwrite a value."),
    ],
)
def test_wrong_keys(tmp_path: Path, text: str, where: str, message: str) -> None:
    path = write(tmp_path, text)
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.where == where
    assert message in str(caught.value)
    assert "toolglot.toml" in caught.value.path


def test_places_in_pyproject_are_named_in_full(tmp_path: Path) -> None:
    path = write(tmp_path, "[tool.toolglot]\nservr = 1\n", "pyproject.toml")
    with pytest.raises(ConfigError) as caught:
        load_config(path)
    assert caught.value.where == "tool.toolglot.servr"


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"\xff\xfe", "is not UTF-8: byte 0"), (b"tool = 1", "has no table"), (b"[tool]\ntoolglot = 1", "is a number")],
)
def test_a_pyproject_that_is_named_must_hold_the_table(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "pyproject.toml"
    path.write_bytes(content)
    with pytest.raises(ConfigError, match=message):
        load_config(path)


def test_a_missing_file_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        load_config(tmp_path / "nothing.toml")


WITH = "[tool.toolglot]\ntimeout = 1\n"


@pytest.mark.parametrize(
    ("files", "found"),
    [
        ({}, None),
        ({"a/b/toolglot.toml": ""}, "a/b/toolglot.toml"),
        ({"a/toolglot.toml": ""}, "a/toolglot.toml"),
        ({"a/toolglot.toml": "", "a/pyproject.toml": WITH}, "a/toolglot.toml"),
        ({"a/toolglot.toml": "", "a/b/pyproject.toml": WITH}, "a/b/pyproject.toml"),
        ({"a/toolglot.toml": "", "a/b/pyproject.toml": "[tool.ruff]\n"}, "a/toolglot.toml"),
        ({"toolglot.toml": "", "a/b/pyproject.toml": "[project]\nname = 'toolglot-x'\n"}, "toolglot.toml"),
        ({"a/pyproject.toml": WITH, "a/b/pyproject.toml": "this is broken"}, "a/pyproject.toml"),
        ({"a/b/c/toolglot.toml": ""}, None),
    ],
)
def test_the_nearest_configuration_is_found(tmp_path: Path, files: dict[str, str], found: str | None) -> None:
    start = tmp_path / "a/b"
    start.mkdir(parents=True)
    for name, text in files.items():
        write((tmp_path / name).parent, text, Path(name).name)
    assert find_config(start).path == (tmp_path / found if found else None)


def test_one_directory_only(tmp_path: Path) -> None:
    write(tmp_path, "timeout = 1")
    assert config_in(tmp_path / "below") is None
    assert config_in(tmp_path) == Config(path=tmp_path / "toolglot.toml", timeout=1.0)


def test_a_broken_pyproject_that_speaks_of_toolglot_is_an_error(tmp_path: Path) -> None:
    write(tmp_path, "[tool.toolglot\n", "pyproject.toml")
    with pytest.raises(ConfigError, match="is not TOML"):
        find_config(tmp_path)


@pytest.mark.parametrize(
    ("config", "path"),
    [
        (Config(), Path("toolglot-baseline.toml")),
        (Config(path=Path("p/toolglot.toml")), Path("p/toolglot-baseline.toml")),
        (Config(path=Path("p/toolglot.toml"), baseline=Path("q/b.toml")), Path("q/b.toml")),
    ],
)
def test_where_the_baseline_is(config: Config, path: Path) -> None:
    assert config.baseline_path == path


@pytest.mark.parametrize(
    ("ignore", "covered"),
    [
        (ToolIgnore("a", "TG101", "r"), True),
        (ToolIgnore("*", "TG101", "r"), True),
        (ToolIgnore("*", "structural-union", "r"), True),
        (ToolIgnore("*", "tg1", "r"), True),
        (ToolIgnore("*", "TG2", "r"), False),
        (ToolIgnore("b*", "TG101", "r"), False),
    ],
)
def test_ignores_for_one_tool(ignore: ToolIgnore, covered: bool) -> None:
    assert ignore.covers("a", "TG101", "structural-union") is covered
