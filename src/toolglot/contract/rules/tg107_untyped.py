"""A node without a type.

## What it does
Finds a parameter, an item or a branch that says nothing about its type: no `type`, `enum`, `const`, reference or
union. A node with `properties` or `items` but no `type` counts too.

## Why it matters
Readers fill in a type of their own: text, or an object. A value that may be anything, described in words, is a legal
choice; a forgotten `type` is not, and the two look the same.

## Example
```json
{
  "type": "object",
  "properties": {"value": {}}
}
```

## Instead
Give the type. Where a value may be of several types, take a text and convert it in the server, or leave the type out
knowingly: then the description says what is expected.
```json
{
  "type": "object",
  "properties": {
    "value": {"type": "string", "description": "The new value of the field, as text."}
  }
}
```
```ts
const Arguments = z.object({
  value: z.string().describe("The new value of the field, as text.").optional(),
});
```
```python
class Arguments(BaseModel):
    value: str = Field("", description="The new value of the field, as text.")
```
```go
type Arguments struct {
        Value string `json:"value,omitempty" jsonschema:"description=The new value of the field, as text."`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.shapes import is_condition, place_name
from toolglot.schema.values import is_map
from toolglot.schema.walk import Node, Schema

_TYPED = frozenset(("type", "enum", "const", "$ref", "$dynamicRef", "$recursiveRef", "anyOf", "oneOf", "allOf", "not"))
_ROLES = ("property", "items", "branch", "definition", "value")
_WHY = "Some readers take it for text, others for an object."


def _check(subject: Subject) -> Iterator[Hit]:
    for node in subject.nodes:
        if _is_untyped(node.schema) and _should_be_typed(node) and not is_condition(node):
            name = place_name(node)
            message = f"{f'`{name}`' if name else 'A node'} has no type{_but(node.schema)}."
            fix = "Give it a `type`; if it may be anything, describe what is expected."
            yield Hit(node.pointer, message, _WHY, fix, group="untyped")


def _is_untyped(schema: Schema) -> bool:
    return _TYPED.isdisjoint(schema) if is_map(schema) else schema is True


def _should_be_typed(node: Node) -> bool:
    """Whether a type belongs here: not at a map's or a list's blank for "anything", nor at a part of a typed node."""
    if node.role not in _ROLES:
        return False
    if node.role == "value":
        return is_map(node.schema) and bool(node.schema)
    if node.keyword in ("additionalItems", "unevaluatedItems", "contains"):
        return False
    return not _is_part_of_typed(node)


def _is_part_of_typed(node: Node) -> bool:
    """Whether a branch only adds to a value whose type stands further out."""
    step = node
    while step.parent is not None and step.role in ("branch", "part"):
        step = step.parent
        if is_map(step.schema) and "type" in step.schema:
            return True
    return False


def _but(schema: Schema) -> str:
    said = [word for word in ("properties", "items") if is_map(schema) and word in schema]
    return f", only `{said[0]}`" if said else ""


RULE = Rule("TG107", "untyped", "note", _check, __doc__)
