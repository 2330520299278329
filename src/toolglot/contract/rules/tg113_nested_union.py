'''Structured branches that are hidden one level down in a union.

## What it does
Finds a union that shows at most one structured branch itself, but has several when its branches that are unions or
`allOf` are opened: a union in a union, or each object wrapped in an `allOf`.

## Why it matters
It is a structural union (TG101) that does not look like one. Who flattens it meets the same losses; who does not, shows
the model a branch about which it says nothing.

## Example
```json
{
  "type": "object",
  "properties": {
    "parent": {
      "anyOf": [
        {"allOf": [{"$ref": "#/$defs/Page"}]},
        {"allOf": [{"$ref": "#/$defs/Space"}]}
      ]
    }
  },
  "$defs": {
    "Page": {"type": "object", "properties": {"page_id": {"type": "string"}}, "required": ["page_id"]},
    "Space": {"type": "object", "properties": {"space_id": {"type": "string"}}, "required": ["space_id"]}
  }
}
```

## Instead
Publish one object with the fields of all forms, optional, and say in the description which is meant when.
```json
{
  "type": "object",
  "properties": {
    "parent": {
      "type": "object",
      "description": "Give page_id or space_id.",
      "properties": {"page_id": {"type": "string"}, "space_id": {"type": "string"}}
    }
  }
}
```
```ts
const Arguments = z.object({
  parent: z
    .object({ page_id: z.string().optional(), space_id: z.string().optional() })
    .describe("Give page_id or space_id.")
    .optional(),
});
```
```python
class Parent(BaseModel):
    """Give page_id or space_id."""

    page_id: str = ""
    space_id: str = ""


class Arguments(BaseModel):
    parent: Parent = Parent()
```
```go
type Parent struct {
        PageID  string `json:"page_id,omitempty"`
        SpaceID string `json:"space_id,omitempty"`
}

type Arguments struct {
        Parent *Parent `json:"parent,omitempty" jsonschema:"description=Give page_id or space_id."`
}
```
'''

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.shapes import entries, is_structured
from toolglot.contract.unions import Branch, Union
from toolglot.schema.keywords import COMBINERS
from toolglot.schema.refs import Document
from toolglot.schema.values import is_map
from toolglot.schema.walk import Schema

_MAX_LOOKS = 500


def _check(subject: Subject) -> Iterator[Hit]:
    for union in subject.unions:
        inside = [branch for branch in union.branches if not branch.structured and _combines(branch)]
        if len(union.structured) <= 1 and inside:
            hidden = sum(_structured_below(branch.schema, subject.document) for branch in inside)
            if hidden and hidden + len(union.structured) > 1:
                yield _hit(union, inside, hidden)


def _combines(branch: Branch) -> bool:
    return is_map(branch.schema) and any(keyword in branch.schema for keyword in COMBINERS)


def _structured_below(schema: Schema, document: Document) -> int:
    """How many structured branches a branch has when its unions and `allOf`s are opened, each place once.

    An `allOf` is one value, however many of its parts are structured.
    """
    opened: set[int] = set()
    waiting = [schema]
    found = 0
    while waiting and len(opened) < _MAX_LOOKS:
        place = document.follow(waiting.pop())
        if id(place) in opened:
            continue
        opened.add(id(place))
        if is_structured(place, document):
            found += 1
            continue
        for keyword in COMBINERS:
            below = entries(place, keyword)
            if keyword == "allOf":
                below = [entry for entry in below if is_structured(entry, document)][:1] or below
            waiting.extend(below)
    return found


def _hit(union: Union, inside: list[Branch], hidden: int) -> Hit:
    count = "one structured branch" if hidden == 1 else f"{hidden} structured branches"
    names = union.listed(tuple(inside))
    return Hit(
        pointer=union.node.pointer,
        keyword=union.keyword,
        message=f"`{union.keyword}` hides {count} one level down, in {names}.",
        why="It is a structural union that does not look like one (TG101).",
        fix="Publish one object with the fields of all forms, optional; say in the description which is meant when.",
        group=union.signature,
    )


RULE = Rule("TG113", "nested-union", "note", _check, __doc__)
