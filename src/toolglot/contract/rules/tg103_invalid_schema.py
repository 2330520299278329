"""A schema that is not valid for its dialect.

## What it does
Checks the schema against the meta-schema of the dialect that `$schema` names. MCP reads a schema without `$schema` as
2020-12. A form of an older draft (a list as `items`, `exclusiveMinimum: true`) is valid only where `$schema` says so.

## Why it matters
Some clients and APIs validate what they are given and refuse the tool or the server. The others skip what they do not
understand: the bound or the property is then not there at all.

## Example
```json
{
  "type": "object",
  "properties": {
    "quality": {"type": "number", "minimum": 0, "exclusiveMinimum": true}
  }
}
```

## Instead
Write the keyword in the form of 2020-12.
```json
{
  "type": "object",
  "properties": {
    "quality": {"type": "number", "exclusiveMinimum": 0}
  }
}
```
```ts
const Arguments = z.object({
  quality: z.number().positive().optional(),
});
```
```python
class Arguments(BaseModel):
    quality: float = Field(1, gt=0)
```
```go
type Arguments struct {
        Quality float64 `json:"quality,omitempty" jsonschema:"exclusiveMinimum=0"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.repairs import repair_says
from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.schema.dialect import dialect_of
from toolglot.schema.validate import meta_error
from toolglot.schema.values import is_map

_WHY = "A client that validates schemas refuses the tool or its server; one that does not skips the keyword."


def _check(subject: Subject) -> Iterator[Hit]:
    schema = subject.tool.schema
    found = False
    for repair in subject.repairs(("invalid-keyword",)):
        found = True
        fix = _fix(repair.keyword, dialect_of(schema))
        group = f"{repair.keyword}: {repair.detail}"
        message = f"{repair_says(repair, schema)}."
        yield Hit(repair.pointer, message, _WHY, fix, repair.keyword, group=group)
    error = None if found or not is_map(schema) else meta_error(schema)
    if error is not None:
        node, _, _ = error.pointer.rpartition("/")
        message = f"`{error.keyword}` is not valid in JSON Schema {dialect_of(schema)}: it breaks {error.expected}."
        yield Hit(node, message, _WHY, _fix(error.keyword, dialect_of(schema)), error.keyword, group=error.keyword)


def _fix(keyword: str, dialect: str) -> str:
    return _FORMS.get(keyword, f"Write `{keyword}` in the form that {dialect} gives it, or leave it out.")


_FORMS = {
    "items": "Write a list of item schemas as `prefixItems`, or declare draft-07 in `$schema`.",
    "exclusiveMinimum": "Write the bound itself as `exclusiveMinimum` and leave `minimum` out.",
    "exclusiveMaximum": "Write the bound itself as `exclusiveMaximum` and leave `maximum` out.",
    "required": "Write `required` as a list of names at the object, not as a flag at the property.",
    "properties": "Write a schema (an object or a boolean) for every entry of `properties`.",
}

RULE = Rule("TG103", "invalid-schema", "error", _check, __doc__, repairs=("invalid-keyword",))
