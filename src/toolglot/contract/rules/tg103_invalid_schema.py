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
from typing import TYPE_CHECKING, Any

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.shapes import same_json
from toolglot.schema.dialect import dialect_of
from toolglot.schema.keywords import SCHEMA_HOLDERS
from toolglot.schema.values import is_map, is_schema
from toolglot.schema.walk import Schema, at

if TYPE_CHECKING:
    from toolglot.schema.validate import MetaError

_WHY = "A client that validates schemas refuses the tool or its server; one that does not skips the keyword."


def _check(subject: Subject) -> Iterator[Hit]:
    schema = subject.tool.schema
    dialect = dialect_of(schema)
    repairs = list(subject.repairs(("invalid-keyword",)))
    for repair in repairs:
        value = at(schema, repair.pointer)[repair.keyword]
        message = _message(repair.keyword, value, dialect)
        fix = _NO_MAP if repair.keyword == "properties" and not is_map(value) else _fix(repair.keyword, dialect)
        yield Hit(repair.pointer, message, _WHY, fix, repair.keyword, group=message)
    error = None if repairs else _meta_error(schema)
    if error is not None:
        message = f"`{error.keyword}` is not valid in JSON Schema {dialect}: {error.expected} is expected there."
        node = error.pointer.rpartition("/")[0]
        yield Hit(node, message, _WHY, _fix(error.keyword, dialect), error.keyword, group=message)


def _meta_error(schema: Schema) -> MetaError | None:
    from toolglot.schema.validate import meta_error

    try:
        return meta_error(schema) if is_map(schema) else None
    except UnicodeEncodeError:  # half a surrogate pair: the engine cannot read the text, so it is not judged
        return None


def _message(keyword: str, value: Any, dialect: str) -> str:
    """What stands behind the keyword; of a map of schemas, the entry that is none."""
    if is_map(value) and keyword in SCHEMA_HOLDERS:
        for name, entry in value.items():
            if not is_schema(entry):
                return f"`{keyword}` has an entry `{name}` that is no schema but {_short(entry)}."
    return f"`{keyword}` is {_short(value)}, which is not valid in JSON Schema {dialect}."


def _short(value: Any) -> str:
    text = same_json(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


def _fix(keyword: str, dialect: str) -> str:
    return _FORMS.get(keyword, f"Write `{keyword}` in the form that {dialect} gives it, or leave it out.")


_FORMS = {
    "items": "Write a list of item schemas as `prefixItems`, or declare draft-07 in `$schema`.",
    "exclusiveMinimum": "Write the bound itself as `exclusiveMinimum` and leave `minimum` out.",
    "exclusiveMaximum": "Write the bound itself as `exclusiveMaximum` and leave `maximum` out.",
    "required": "Write `required` as a list of names at the object, not as a flag at the property.",
    "properties": "Write a schema (an object or a boolean) for every entry of `properties`.",
}

_NO_MAP = "Write `properties` as an object, `{}` where there are no parameters."

RULE = Rule("TG103", "invalid-schema", "error", _check, __doc__, repairs=("invalid-keyword",))
