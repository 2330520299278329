'''A union with more than one structured branch.

## What it does
Finds an `anyOf` or `oneOf` with more than one branch that is an object or an array. A reference is judged by what it
refers to. Allowed are unions of scalars, one structured branch beside scalars, and an object or array or null.

## Why it matters
Some clients keep the first branch and drop the others without a word, some APIs refuse the tool or the whole request.
The model then sends the shape of the first branch for everything, and a server that stores what it is given stores it.

## Example
```json
{
  "type": "object",
  "properties": {
    "block": {
      "anyOf": [
        {
          "type": "object",
          "properties": {"kind": {"const": "text"}, "text": {"type": "string"}},
          "required": ["kind", "text"]
        },
        {
          "type": "object",
          "properties": {"kind": {"const": "image"}, "url": {"type": "string"}, "alt": {"type": "string"}},
          "required": ["kind", "url"]
        }
      ]
    }
  },
  "required": ["block"]
}
```

## Instead
Publish one object with the tag as an enum and the other fields optional, and check in the server which go together.
The union no longer explains itself, so the description says which fields belong to which kind. Objects that differ in
one constant only become an enum. A list, or an object of changes to it, becomes `x`, `add_x` and `remove_x`. A value
whose type the server knows becomes a text, a number or a boolean. `discriminator` is no way out: the union is still
there.
```json
{
  "type": "object",
  "properties": {
    "block": {
      "type": "object",
      "description": "text: give text. image: give url, and alt if you can.",
      "properties": {
        "kind": {"type": "string", "enum": ["text", "image"]},
        "text": {"type": "string"},
        "url": {"type": "string"},
        "alt": {"type": "string"}
      },
      "required": ["kind"]
    }
  },
  "required": ["block"]
}
```
```ts
const Arguments = z.object({
  block: z
    .object({
      kind: z.enum(["text", "image"]),
      text: z.string().optional(),
      url: z.string().optional(),
      alt: z.string().optional(),
    })
    .describe("text: give text. image: give url, and alt if you can."),
});
```
```python
class Block(BaseModel):
    """text: give text. image: give url, and alt if you can."""

    kind: Literal["text", "image"]
    text: str = ""
    url: str = ""
    alt: str = ""


class Arguments(BaseModel):
    block: Block
```
```go
type Block struct {
        Kind string `json:"kind" jsonschema:"enum=text,enum=image"`
        Text string `json:"text,omitempty"`
        URL  string `json:"url,omitempty"`
        Alt  string `json:"alt,omitempty"`
}

type Arguments struct {
        Block Block `json:"block" jsonschema:"description=text: give text. image: give url and alt if you can."`
}
```
'''

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.remedy import remedy
from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.unions import Union, listed
from toolglot.schema.refs import Document
from toolglot.schema.walk import Node


def _check(subject: Subject) -> Iterator[Hit]:
    for union in subject.unions:
        if len(union.structured) > 1:
            yield Hit(
                pointer=union.node.pointer,
                keyword=union.keyword,
                message=_message(union),
                why=_why(union),
                fix=remedy(union).fix,
                witness=subject.values.beyond_first(union),
                group=union.signature,
            )


def _message(union: Union) -> str:
    count = len(union.structured)
    where = used_at(union.node, union.document)
    return f"`{union.keyword}` has {count} structured branches: {union.listed(union.structured)}{where}."


def _why(union: Union) -> str:
    first = union.branches[0]
    lost = tuple(branch for branch in union.structured if branch is not first)
    return (
        f"Where only the first branch is kept ({union.label(first)}), {union.listed(lost)} cannot be said; "
        "where unions are refused, the tool is lost."
    )


def used_at(node: Node, document: Document) -> str:
    """Where the definition that a node stands in is used, in words; empty outside definitions."""
    definition: Node | None = node
    while definition is not None and definition.role != "definition":
        definition = definition.parent
    if definition is None:
        return ""
    users = document.uses.get(definition.pointer, ())
    places = listed(list(users)) if users else ""
    return f"; definition `{definition.key}` is used {f'by {places}' if places else 'nowhere'}"


RULE = Rule("TG101", "structural-union", "error", _check, __doc__)
