"""A value that fits two branches of a union.

## What it does
Looks, on the declared schema, for a value that two structured branches of an `anyOf` or `oneOf` both take. Where the
branches have different tags or names this is an error: the value means two things. Any other overlap is a note.

## Why it matters
The server picks one of the two readings, usually the first, and nobody is told. Under `oneOf` the value is refused,
although each branch alone takes it. The common cause is a tag that is not required.

## Example
```json
{
  "type": "object",
  "properties": {
    "target": {
      "anyOf": [
        {
          "title": "Page",
          "type": "object",
          "properties": {"kind": {"const": "page"}, "id": {"type": "string"}},
          "required": ["id"]
        },
        {
          "title": "Site",
          "type": "object",
          "properties": {"kind": {"const": "site"}, "id": {"type": "string"}},
          "required": ["id"]
        }
      ]
    }
  }
}
```

## Instead
Publish one object with the tag as a required enum. (A union with required tags would be unambiguous, but still a
structural union, see TG101.)
```json
{
  "type": "object",
  "properties": {
    "target": {
      "type": "object",
      "properties": {
        "kind": {"type": "string", "enum": ["page", "site"]},
        "id": {"type": "string"}
      },
      "required": ["kind", "id"]
    }
  }
}
```
```ts
const Arguments = z.object({
  target: z.object({ kind: z.enum(["page", "site"]), id: z.string() }).optional(),
});
```
```python
class Target(BaseModel):
    kind: Literal["page", "site"]
    id: str


class Arguments(BaseModel):
    target: Target | None = None
```
```go
type Target struct {
        Kind string `json:"kind" jsonschema:"enum=page,enum=site"`
        ID   string `json:"id"`
}

type Arguments struct {
        Target *Target `json:"target,omitempty"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.overlap import Overlap
from toolglot.contract.remedy import remedy
from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.unions import Union


def _check(subject: Subject) -> Iterator[Hit]:
    for union in subject.unions:
        if len(union.structured) > 1:
            found = list(subject.values.overlaps(union))
            if found:
                yield _hit(union, found)


def _hit(union: Union, found: list[Overlap]) -> Hit:
    """One finding a union: the first pair that means different things, else the first pair."""
    telling = [pair for pair in found if _differ(pair, union)]
    pair = (telling or found)[0]
    more = len(found) - 1
    others = f" (and {more} more pair{'s' if more > 1 else ''})" if more else ""
    return Hit(
        pointer=union.node.pointer,
        keyword=union.keyword,
        severity="error" if telling else "note",
        message=f"One value fits both {union.label(pair.left)} and {union.label(pair.right)}{others}.",
        why=_why(union),
        fix=_fix(union, pair),
        witness=pair.witness,
        group=union.signature,
    )


def _differ(pair: Overlap, union: Union) -> bool:
    """Whether the two branches have different tags or names, so that the value means two things."""
    return bool(union.tag) or bool(pair.left.title and pair.right.title and pair.left.title != pair.right.title)


def _why(union: Union) -> str:
    if union.keyword == "oneOf":
        return "`oneOf` refuses the value although each branch takes it."
    return "The server picks one reading, usually the first, and nobody is told."


def _fix(union: Union, pair: Overlap) -> str:
    tag = union.tag or next(iter(set(pair.left.tags) & set(pair.right.tags)), "")
    if tag:
        return f"Make `{tag}` required in every branch; better, publish one object with `{tag}` as an enum (TG101)."
    return remedy(union).fix


RULE = Rule("TG110", "ambiguous-union", "error", _check, __doc__)
