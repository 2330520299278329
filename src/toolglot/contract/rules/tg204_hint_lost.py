"""On a target, only a hint is lost: a default, a title, an example.

## What it does

Counts annotations that a target drops. At most one note for a whole server.

## Why it matters

The arguments stay as they are; the model knows a little less. Worth a look only where a description relies on it.

## Example

```json
{
  "type": "object",
  "properties": {"format": {"type": "string", "title": "Output format"}}
}
```

## Instead

Say it in the description.

```json
{
  "type": "object",
  "properties": {"format": {"type": "string", "description": "Output format."}}
}
```

```ts
const Arguments = z.object({ format: z.string().describe("Output format.").optional() });
```

```python
class Arguments(BaseModel):
    format: Annotated[str, Field(description="Output format.", title=None)]

    model_config = ConfigDict(json_schema_extra=without_titles)
```

```go
type Arguments struct {
        Format string `json:"format,omitempty" jsonschema:"Output format."`
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG204", "hint-lost", "note", "annotation", __doc__ or "")
