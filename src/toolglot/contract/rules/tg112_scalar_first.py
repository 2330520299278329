"""A union whose structured branch is not the first.

## What it does
Finds a union of one object or array and scalars in which the object or array is not the first branch.

## Why it matters
Some clients keep the first branch of a union. With the scalar first, the object or list can no longer be given; with
the structured branch first, everything that matters still can. Both orders take exactly the same values.

## Example
```json
{
  "type": "object",
  "properties": {
    "fields": {"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
  }
}
```

## Instead
Put the structured branch first.
```json
{
  "type": "object",
  "properties": {
    "fields": {"anyOf": [{"type": "array", "items": {"type": "string"}}, {"type": "string"}]}
  }
}
```
```ts
const Arguments = z.object({
  fields: z.union([z.array(z.string()), z.string()]).optional(),
});
```
```python
class Arguments(BaseModel):
    fields: list[str] | str = ""
```
```go
type Arguments struct {
        Fields any `json:"fields,omitempty"`
}

func (Arguments) JSONSchemaExtend(schema *jsonschema.Schema) {
        list := &jsonschema.Schema{Type: "array", Items: &jsonschema.Schema{Type: "string"}}
        text := &jsonschema.Schema{Type: "string"}
        schema.Properties.Set("fields", &jsonschema.Schema{AnyOf: []*jsonschema.Schema{list, text}})
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.shapes import is_condition
from toolglot.contract.unions import Union


def _check(subject: Subject) -> Iterator[Hit]:
    for union in subject.unions:
        if len(union.structured) == 1 and not union.branches[0].structured and not is_condition(union.node):
            yield _hit(union)


def _hit(union: Union) -> Hit:
    first, structured = union.label(union.branches[0]), union.label(union.structured[0])
    return Hit(
        pointer=union.node.pointer,
        keyword=union.keyword,
        message=f"`{union.keyword}` has {first} before {structured}.",
        why=f"Where only the first branch is kept, {structured} cannot be said.",
        fix=f"Put {structured} first: the order changes no value.",
        group=union.signature,
    )


RULE = Rule("TG112", "scalar-first", "warning", _check, __doc__)
