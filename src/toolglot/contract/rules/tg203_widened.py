"""On a target, a constraint is lost, so the model may say what the server refuses.

## What it does

Reports bounds, patterns, formats and enums that a target drops or ignores. Lost enums are warnings, the rest are notes.

## Why it matters

The server still checks, so nothing wrong is stored; but the model learns of the rule only from the error, and a lost
enum leaves it to guess the values.

## Example

```json
{
  "type": "object",
  "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 100, "description": "How many."}}
}
```

## Instead

Say the rule in the description too. The bound may stay where every target that matters to you takes it.

```json
{
  "type": "object",
  "properties": {"limit": {"type": "integer", "description": "How many, 1 to 100."}}
}
```

```ts
const Arguments = z.object({ limit: z.number().describe("How many, 1 to 100.").optional() });
```

```python
class Arguments(BaseModel):
    limit: int = Field(default=20, description="How many, 1 to 100.")
```

```go
type Arguments struct {
        Limit int `json:"limit,omitempty" jsonschema:"How many, 1 to 100."`
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG203", "widened", "warning", "widened", __doc__ or "")
