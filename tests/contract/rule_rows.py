"""What the tests of the rules share: running rules over one schema or one list."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from toolglot.contract.rule import Hit, Rule, listing_of, subjects
from toolglot.contract.rules import RULES, by_code
from toolglot.schema.tool import Listing, read_entries

STRING = {"type": "string"}


def obj(required: Iterable[str] = (), /, **properties: Any) -> dict[str, Any]:
    """An object schema with these properties."""
    found: dict[str, Any] = {"type": "object", "properties": properties}
    return {**found, "required": list(required)} if required else found


def param(schema: Any, **more: Any) -> dict[str, Any]:
    """A root with one parameter `x`."""
    return {**obj(x=schema), **more}


def tagged(told: Any, /, *required: str, tag: str = "kind", **properties: Any) -> dict[str, Any]:
    """An object with a required constant."""
    return obj([tag, *required], **{tag: {"const": told}, **properties})


def union(*branches: Any, keyword: str = "anyOf") -> dict[str, Any]:
    """A union of these branches."""
    return {keyword: list(branches)}


def hits_of_list(
    tools: Iterable[Mapping[str, Any]], rules: Iterable[Rule] = RULES, handlers: Mapping[str, tuple[str, ...]] = {}
) -> list[tuple[Rule, Hit]]:
    """What the rules say about a list of tools."""
    listing = listing_of(tools)
    listing = Listing(listing.id, listing.entries, transport="memory", handlers=handlers)
    return [(rule, hit) for subject in subjects(listing) for rule in rules for hit in rule.check(subject)]


def hits(schema: Any, code: str = "", description: str = "") -> list[Hit]:
    """What one rule (or all) says about one input schema."""
    rules = RULES if not code else [by_code(code)]
    tool = {"name": "t", "description": description, "inputSchema": schema}
    return [hit for _, hit in hits_of_list([tool], [rule for rule in rules if rule is not None])]


def found(tools: Iterable[Mapping[str, Any]]) -> set[tuple[str, str, str]]:
    """Code, severity and pointer of everything that all rules say."""
    return {(rule.code, hit.severity or rule.severity, hit.pointer) for rule, hit in hits_of_list(tools)}


def found_in(schema: Any) -> set[tuple[str, str, str]]:
    """The same for one input schema."""
    return found([{"name": "t", "inputSchema": schema}])


__all__ = ["STRING", "found", "found_in", "hits", "hits_of_list", "obj", "param", "read_entries", "tagged", "union"]
