"""A `$schema` that names no known dialect.

## What it does
Finds a `$schema` that is not draft-04, draft-06, draft-07, 2019-09 or 2020-12. The schema is then read as 2020-12.

## Why it matters
A validator that looks at `$schema` refuses the schema, or tries to fetch the address.

## Example
```json
{
  "$schema": "https://example.com/our-dialect",
  "type": "object",
  "properties": {"query": {"type": "string"}}
}
```

## Instead
Name the dialect, or leave `$schema` out: MCP reads the schema as 2020-12 then.
```json
{
  "$schema": "https://json-schema.org/draft/2020-12/schema",
  "type": "object",
  "properties": {"query": {"type": "string"}}
}
```
```ts
const Arguments = z.object({
  query: z.string().optional(),
});
```
```python
class Arguments(BaseModel):
    query: str = ""
```
```go
type Arguments struct {
        Query string `json:"query,omitempty"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.repairs import repair_says
from toolglot.contract.rule import Hit, Rule, Subject

_WHY = "It is read as 2020-12; a validator that looks at `$schema` may refuse it."
_FIX = 'Leave `$schema` out, or write "https://json-schema.org/draft/2020-12/schema".'


def _check(subject: Subject) -> Iterator[Hit]:
    for repair in subject.repairs(("unknown-dialect",)):
        message = f"{repair_says(repair, subject.tool.schema)}."
        yield Hit(repair.pointer, message, _WHY, _FIX, repair.keyword, group=repair.detail)


RULE = Rule("TG114", "unknown-dialect", "note", _check, __doc__, repairs=("unknown-dialect",))
