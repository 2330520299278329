"""A reference to another document.

## What it does
Finds a `$ref` that leads outside the published schema: to a web address, a file, or a name relative to `$id`.

## Why it matters
Nobody should fetch a schema because a tool list says so, and few do: the parameter then has no schema. Who does fetch
can be sent anywhere by the server.

## Example
```json
{
  "type": "object",
  "properties": {"place": {"$ref": "https://example.com/schemas/place.json"}},
  "required": ["place"]
}
```

## Instead
Publish the schema that is meant as a definition.
```json
{
  "type": "object",
  "properties": {"place": {"$ref": "#/$defs/Place"}},
  "required": ["place"],
  "$defs": {
    "Place": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
  }
}
```
```ts
const Place = z.object({ city: z.string() });
const Arguments = z.object({ place: Place });
```
```python
class Place(BaseModel):
    city: str


class Arguments(BaseModel):
    place: Place
```
```go
type Place struct {
        City string `json:"city"`
}

type Arguments struct {
        Place Place `json:"place"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.repairs import repair_says
from toolglot.contract.rule import Hit, Rule, Subject

_WHY = "The reference is not fetched, so the model sees a parameter without a schema."
_FIX = "Copy what it refers to into `$defs` of this schema and refer to it as `#/$defs/NAME`."


def _check(subject: Subject) -> Iterator[Hit]:
    for repair in subject.repairs(("remote-reference",)):
        message = f"{repair_says(repair, subject.tool.schema)}."
        yield Hit(repair.pointer, message, _WHY, _FIX, repair.keyword, group=repair.detail)


RULE = Rule("TG105", "remote-reference", "error", _check, __doc__, repairs=("remote-reference",))
