"""A reference to a place that does not exist.

## What it does
Finds a `$ref` whose place is not in the schema.

## Why it matters
A client that resolves references fails on the tool or on the whole list; one that does not shows the model a parameter
about which nothing is known. Often a step on the way has dropped or renamed `$defs`.

## Example
```json
{
  "type": "object",
  "properties": {"order": {"$ref": "#/$defs/Order"}},
  "required": ["order"]
}
```

## Instead
Publish the definition with the schema, or write it where it is used.
```json
{
  "type": "object",
  "properties": {"order": {"$ref": "#/$defs/Order"}},
  "required": ["order"],
  "$defs": {
    "Order": {"type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}
  }
}
```
```ts
const Order = z.object({ id: z.number().int() });
const Arguments = z.object({ order: Order });
```
```python
class Order(BaseModel):
    id: int


class Arguments(BaseModel):
    order: Order
```
```go
type Order struct {
        ID int `json:"id"`
}

type Arguments struct {
        Order Order `json:"order"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.repairs import repair_says
from toolglot.contract.rule import Hit, Rule, Subject

_WHY = "A client that resolves references fails on the tool or the list; one that does not knows nothing about it."
_FIX = "Publish the definition in `$defs` of the same schema, or write it where it is used."


def _check(subject: Subject) -> Iterator[Hit]:
    for repair in subject.repairs(("dangling-reference",)):
        message = f"{repair_says(repair, subject.tool.schema)}."
        yield Hit(repair.pointer, message, _WHY, _FIX, repair.keyword, group=repair.detail)


RULE = Rule("TG104", "dangling-reference", "error", _check, __doc__, repairs=("dangling-reference",))
