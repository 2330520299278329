"""On a target, arguments that the server takes can no longer be said.

## What it does

Reports constructs that a target takes but rewrites, so that values which the server accepts are lost to the model, or
arrive in another form.

## Why it matters

Nobody sees an error. The model fills in what is left, the server gets well-formed, wrong arguments, and stores them.

## Example

```json
{
  "type": "object",
  "properties": {
    "by_id": {"type": "object", "properties": {"id": {"type": "string"}}, "required": ["id"]}
  },
  "anyOf": [{"required": ["by_id"]}, {"properties": {"slug": {"type": "string"}}, "required": ["slug"]}]
}
```

## Instead

Keep every parameter in sight, and check the combination in the server.

```json
{
  "type": "object",
  "properties": {
    "id": {"type": "string", "description": "Give id or slug."},
    "slug": {"type": "string", "description": "Give id or slug."}
  }
}
```

```ts
const Arguments = z.object({
  id: z.string().describe("Give id or slug.").optional(),
  slug: z.string().describe("Give id or slug.").optional(),
});
```

```python
class Arguments(BaseModel):
    id: str = Field(default="", description="Give id or slug.")
    slug: str = Field(default="", description="Give id or slug.")
```

```go
type Arguments struct {
        ID   string `json:"id,omitempty" jsonschema:"Give id or slug."`
        Slug string `json:"slug,omitempty" jsonschema:"Give id or slug."`
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG202", "narrowed", "error", "narrowed", __doc__ or "")
