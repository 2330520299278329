"""An array that does not say what its items are.

## What it does
Finds `type: array` without `items` (or `prefixItems`). An array whose values are listed by `enum` or `const`, and one
that is tested by `not` or `if`, is left alone.

## Why it matters
Several APIs refuse the whole request over one such array, nested ones included. Elsewhere the model guesses.

## Example
```json
{
  "type": "object",
  "properties": {"rows": {"type": "array", "items": {"type": "array"}}}
}
```

## Instead
Say what the items are. Where anything may stand there, take texts, describe them and convert them in the server.
```json
{
  "type": "object",
  "properties": {
    "rows": {"type": "array", "items": {"type": "array", "items": {"type": "string"}}}
  }
}
```
```ts
const Arguments = z.object({
  rows: z.array(z.array(z.string())).optional(),
});
```
```python
class Arguments(BaseModel):
    rows: list[list[str]] = []
```
```go
type Arguments struct {
        Rows [][]string `json:"rows,omitempty"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.shapes import entries, is_condition, place_name, types_of
from toolglot.schema.refs import Document
from toolglot.schema.values import is_map
from toolglot.schema.walk import Node

_SAYS = frozenset(("items", "prefixItems", "enum", "const"))
_WHY = "Several APIs refuse the whole request for one array without `items`."


def _check(subject: Subject) -> Iterator[Hit]:
    for node in subject.nodes:
        if "array" in types_of(node.schema) and not _says_items(node, subject.document) and not is_condition(node):
            name = place_name(node)
            message = f"The array `{name}` has no `items`." if name else "An array has no `items`."
            fix = 'Say what the items are: "items": {"type": "string"}, or whatever they are.'
            yield Hit(node.pointer, message, _WHY, fix, "type", group="no-items")


def _says_items(node: Node, document: Document) -> bool:
    """Whether the node, what it refers to, a part of it or the node it is a part of says what the items are."""
    schema = node.schema
    said = [schema, document.follow(schema, node), *entries(schema, "allOf")]
    if node.parent is not None and node.role in ("part", "branch"):
        said.append(node.parent.schema)
    return any(is_map(source) and not _SAYS.isdisjoint(source) for source in said)


RULE = Rule("TG106", "array-without-items", "error", _check, __doc__)
