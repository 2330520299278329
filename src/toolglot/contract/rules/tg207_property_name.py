"""A target does not take the name of a parameter.

## What it does

Checks every property name, nested ones included, against the rule of each target.

## Why it matters

Names with `$`, brackets, spaces or letters outside ASCII, and very long ones, make the whole request fail on some
providers.

## Example

```json
{
  "type": "object",
  "properties": {"$filter": {"type": "string", "description": "Which rows."}}
}
```

## Instead

Letters, digits, underscores, at most 64 characters; map the name in the server.

```json
{
  "type": "object",
  "properties": {"filter": {"type": "string", "description": "Which rows."}}
}
```

```ts
const Arguments = z.object({ filter: z.string().describe("Which rows.").optional() });
```

```python
class Arguments(BaseModel):
    filter: str = Field(default="", description="Which rows.")
```

```go
type Arguments struct {
        Filter string `json:"filter,omitempty" jsonschema:"Which rows."`
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG207", "property-name", "error", "property-name", __doc__ or "")
