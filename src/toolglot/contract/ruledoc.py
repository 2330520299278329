"""The documentation of a rule: the parts of its module's docstring, and which language to show."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolglot.contract.shapes import named
from toolglot.errors import parse_json
from toolglot.schema.keywords import UNIONS
from toolglot.schema.values import is_list, is_map
from toolglot.schema.walk import Schema

LANGUAGES = {"json": "JSON Schema", "ts": "zod", "python": "pydantic", "go": "Go"}
"""The languages of *Instead*, by the mark of their code block, in the order they are shown."""

SECTIONS = ("What it does", "Why it matters", "Example", "Instead")

_HEADING = re.compile(r"^## (.+)$", re.MULTILINE)
_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True, slots=True)
class RuleDoc:
    """The parts of a rule's documentation. `example` is JSON that fires, `instead` what does not, by language."""

    summary: str
    what: str
    why: str
    example: str
    instead: Mapping[str, str]
    advice: str

    @property
    def example_value(self) -> Any:
        """The example as a value: an `inputSchema`, or a list of tools."""
        return parse_json(self.example)

    @property
    def instead_value(self) -> Any:
        """The JSON form of *Instead* as a value."""
        return parse_json(self.instead["json"])


def parse_doc(doc: str | None) -> RuleDoc:
    """The parts of a rule module's docstring. Raises ValueError where one is missing or out of order."""
    head, *rest = _HEADING.split(doc or "")
    if tuple(rest[::2]) != SECTIONS:
        raise ValueError(f"the sections are {', '.join(rest[::2])}; they must be {', '.join(SECTIONS)}")
    what, why, example, instead = rest[1::2]
    examples = dict(_blocks(example))
    blocks = dict(_blocks(instead))
    if list(examples) != ["json"] or list(blocks) != list(LANGUAGES):
        raise ValueError(f"*Example* has {list(examples)}, *Instead* has {list(blocks)}")
    advice = _BLOCK.sub("", instead).strip()
    return RuleDoc(head.strip(), _prose(what), _prose(why), examples["json"], blocks, _prose(advice))


def _blocks(text: str) -> Iterator[tuple[str, str]]:
    for match in _BLOCK.finditer(text):
        yield match[1], match[2]


def _prose(text: str) -> str:
    """A text with the lines of one paragraph joined."""
    return "\n\n".join(" ".join(part.split()) for part in text.strip().split("\n\n"))


def authored_with(schema: Schema) -> str:
    """Which language wrote a schema, judged by the marks its library leaves: a key of LANGUAGES.

    zod leaves `$schema` on a closed root, or the bounds of a safe integer; pydantic titles every property;
    Go libraries publish null first in a type list. No mark: "json".
    """
    if not is_map(schema):
        return "json"
    properties = [entry for entry in named(schema).values() if is_map(entry)]
    if any(_null_first(entry) for entry in properties) or "github.com" in str(schema.get("$id", "")):
        return "go"
    if _titled(schema) or any(_null_default(entry) for entry in properties):
        return "python"
    closed = schema.get("additionalProperties") is False
    if (closed and "$schema" in schema) or any(_safe_integer(entry) for entry in properties):
        return "ts"
    return "json"


def _null_first(entry: Mapping[str, Any]) -> bool:
    kinds = entry.get("type")
    return is_list(kinds) and kinds[:1] == ["null"]


def _titled(schema: Mapping[str, Any]) -> bool:
    properties = named(schema)
    return bool(properties) and all(
        is_map(entry) and ("$ref" in entry or entry.get("title") == name.replace("_", " ").title())
        for name, entry in properties.items()
    )


def _null_default(entry: Mapping[str, Any]) -> bool:
    """`Optional[...] = None`: a union that ends in null, with null as its default."""
    return "default" in entry and entry["default"] is None and any(keyword in entry for keyword in UNIONS)


def _safe_integer(entry: Mapping[str, Any]) -> bool:
    return entry.get("maximum") == 2**53 - 1
