"""A tool is larger than a target takes: too deep, too many properties or enum values.

## What it does

Compares depth, number of properties, enum values and characters, and bytes of each tool with the limits of the
targets asked for.

## Why it matters

Past a limit the provider refuses the request, or the client cuts the schema.

## Example

```json
{
  "type": "object",
  "properties": {"a": {"type": "object", "properties": {"b": {"type": "object", "properties": {
    "c": {"type": "object", "properties": {"d": {"type": "object", "properties": {
    "e": {"type": "object", "properties": {"f": {"type": "object", "properties": {
    "g": {"type": "object", "properties": {"h": {"type": "object", "properties": {
    "i": {"type": "object", "properties": {"j": {"type": "object", "properties": {
    "k": {"type": "object", "properties": {"text": {"type": "string"}}}
  }}}}}}}}}}}}}}}}}}}}}
}
```

## Instead

Publish fewer, flatter parameters; take rare settings as one text that the server parses.

```json
{
  "type": "object",
  "properties": {"settings": {"type": "string", "description": "Settings as JSON text."}}
}
```

```ts
const Arguments = z.object({ settings: z.string().describe("Settings as JSON text.").optional() });
```

```python
class Arguments(BaseModel):
    settings: str = Field(default="{}", description="Settings as JSON text.")
```

```go
type Arguments struct {
        Settings string `json:"settings,omitempty" jsonschema:"Settings as JSON text."`
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG205", "over-limit", "error", "limit", __doc__ or "")
