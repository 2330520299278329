"""A target refuses the tool, or loses it.

## What it does

Compares every construct of the published schema with what is known of the targets asked for, and reports what a
target answers with an error, or with the silent disappearance of the tool.

## Why it matters

Most providers refuse the whole request for one construct in one tool: none of the server's tools can be used then.
Clients that drop the tool say nothing at all.

## Example

```json
{
  "type": "object",
  "properties": {"tags": {"type": "array", "description": "Labels."}}
}
```

## Instead

Say what the entries are.

```json
{
  "type": "object",
  "properties": {"tags": {"type": "array", "items": {"type": "string"}, "description": "Labels."}}
}
```

```ts
const Arguments = z.object({ tags: z.array(z.string()).describe("Labels.").optional() });
```

```python
class Arguments(BaseModel):
    tags: list[str] = Field(default=[], description="Labels.")
```

```go
type Arguments struct {
        Tags []string `json:"tags,omitempty" jsonschema:"Labels."`
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG201", "refused", "error", "refused", __doc__ or "")
