"""The documentation of every rule is run: Example fires, Instead does not, in whatever language it is written."""

from __future__ import annotations

import re
from typing import Any, Literal, Optional

import pytest
from rule_rows import found, found_in

from toolglot.contract.check import check
from toolglot.contract.rule import Rule
from toolglot.contract.ruledoc import LANGUAGES, RuleDoc, authored_with, parse_doc
from toolglot.contract.rules import RULES, by_code
from toolglot.schema.meaning import REPAIR_KINDS

DOCS = {rule.code: parse_doc(rule.doc) for rule in RULES}
EACH = pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.code)


def fires(value: Any) -> set[str]:
    """The codes that say something about an example: an input schema or a list of tools."""
    told = found(value) if isinstance(value, list) else found_in(value)
    return {code for code, _, _ in told}


def names_in(schema: Any) -> set[str]:
    """Every parameter name that a schema, or the schemas of a list of tools, declare."""
    if isinstance(schema, list):
        return {name for item in schema for name in names_in(item)}
    if not isinstance(schema, dict):
        return set()
    own = set(schema["properties"]) if isinstance(schema.get("properties"), dict) else set()
    return own.union(*(names_in(value) for value in schema.values()))


@EACH
def test_example_fires(rule: Rule) -> None:
    assert rule.code in fires(DOCS[rule.code].example_value)


@EACH
def test_instead_says_nothing_at_all(rule: Rule) -> None:
    assert fires(DOCS[rule.code].instead_value) == set()


@EACH
def test_documentation_is_complete(rule: Rule) -> None:
    doc = DOCS[rule.code]
    assert list(doc.instead) == list(LANGUAGES)
    assert all([doc.summary.endswith("."), doc.what, doc.why, doc.advice])


def test_the_order_is_the_order_of_the_codes() -> None:
    codes = [rule.code for rule in RULES]
    assert codes == [f"TG{number}" for number in range(101, 116)]
    assert len({rule.name for rule in RULES}) == len(RULES)


@EACH
def test_a_rule_is_found_by_code_and_by_name(rule: Rule) -> None:
    assert by_code(rule.code.lower()) is rule
    assert by_code(rule.name.upper()) is rule
    assert by_code("TG999") is None


def test_every_kind_of_repair_belongs_to_one_rule() -> None:
    told = [(kind, rule.code) for rule in RULES for kind in rule.repairs]
    assert sorted(told) == [
        ("dangling-reference", "TG104"),
        ("invalid-keyword", "TG103"),
        ("remote-reference", "TG105"),
        ("uncompilable-pattern", "TG115"),
        ("unknown-dialect", "TG114"),
    ]
    assert {kind for kind, _ in told} == set(REPAIR_KINDS)


@EACH
def test_what_to_write_instead_works_on_the_default_targets(rule: Rule) -> None:
    value = DOCS[rule.code].instead_value
    tools = value if isinstance(value, list) else [{"name": "tool", "description": "A tool.", "inputSchema": value}]
    assert [found for found in check(tools).findings if found.severity != "note"] == []


# pydantic


class _Server:
    """Stands for an MCP server in a snippet: `@mcp.tool(name=...)`."""

    def tool(self, **_: Any) -> Any:
        return lambda function: function


def pydantic_schema(snippet: str) -> dict[str, Any]:
    """What a pydantic snippet publishes: the schema of its model `Arguments`."""
    pydantic = pytest.importorskip("pydantic")
    names: dict[str, Any] = {
        "BaseModel": pydantic.BaseModel,
        "Field": pydantic.Field,
        "Literal": Literal,
        "Optional": Optional,
        "mcp": _Server(),
        "__name__": "snippet",
    }
    exec(compile(snippet, "snippet", "exec", dont_inherit=True), names)  # the text is our own documentation
    names["Arguments"].model_rebuild(_types_namespace=names)
    return names["Arguments"].model_json_schema()


@EACH
def test_pydantic_snippet_publishes_the_json_form(rule: Rule) -> None:
    doc = DOCS[rule.code]
    schema = pydantic_schema(doc.instead["python"])
    assert fires(schema) == set()
    assert names_in(schema) <= names_in(doc.instead_value)
    if not isinstance(doc.instead_value, list):
        assert set(schema["properties"]) == set(doc.instead_value["properties"])


@EACH
def test_zod_and_go_snippets_name_the_parameters_of_the_json_form(rule: Rule) -> None:
    doc = DOCS[rule.code]
    names = names_in(doc.instead_value)
    assert set(re.findall(r'json:"(\w+)', doc.instead["go"])) == names
    assert all(re.search(rf"\b{name}:", doc.instead["ts"]) or f"{{ {name}" in doc.instead["ts"] for name in names)


# The parser


SOUND = parse_doc(RULES[0].doc)


@pytest.mark.parametrize(
    "doc",
    [
        None,
        "",
        "Summary.\n\n## What it does\nx\n",
        str(RULES[0].doc).replace("## Example", "## Examples"),
        str(RULES[0].doc).replace("```go", "```rust"),
        str(RULES[0].doc).replace("```json\n", "```js\n", 1),
    ],
)
def test_incomplete_documentation_is_refused(doc: str | None) -> None:
    with pytest.raises(ValueError, match=r"must be|has"):
        parse_doc(doc)


def test_prose_is_read_in_paragraphs_without_code() -> None:
    assert isinstance(SOUND, RuleDoc)
    assert "```" not in SOUND.advice + SOUND.what + SOUND.why
    assert SOUND.summary == "A union with more than one structured branch."
    assert SOUND.what.startswith("Finds an `anyOf` or `oneOf`")
    assert "\n" not in SOUND.what


@pytest.mark.parametrize(
    ("schema", "language"),
    [
        (True, "json"),
        ({}, "json"),
        ({"type": "object", "properties": {"a": {"type": "string"}}}, "json"),
        ({"type": "object", "properties": {"a_b": {"type": "string", "title": "A B"}}}, "python"),
        ({"properties": {"a": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None}}}, "python"),
        ({"properties": {"a": {}}, "additionalProperties": False, "$schema": "http://json-schema.org/x"}, "ts"),
        ({"properties": {"a": {"type": "integer", "maximum": 9007199254740991}}}, "ts"),
        ({"properties": {"a": {"type": ["null", "array"], "items": {}}}}, "go"),
        ({"$id": "https://github.com/acme/tool/arguments", "type": "object"}, "go"),
        ({"properties": {"a": {"type": "string"}}, "additionalProperties": False}, "json"),
    ],
)
def test_the_language_is_told_by_the_marks_of_its_library(schema: Any, language: str) -> None:
    assert authored_with(schema) == language
