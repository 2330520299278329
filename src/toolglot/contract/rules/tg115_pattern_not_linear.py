r"""A pattern that a linear engine cannot compile.

## What it does
Finds a `pattern`, or a key of `patternProperties`, with look-around, a back-reference or a mistake in it.

## Why it matters
Engines that run in linear time, as many APIs and local engines do, refuse such a pattern or ignore it. toolglot never
runs one in an engine that can hang, so it does not check it either.

## Example
```json
{
  "type": "object",
  "properties": {"email": {"type": "string", "pattern": "^(?!\\.)[^@]+@[^@]+$"}}
}
```

## Instead
Say it without look-around, and let the server check the rest.
```json
{
  "type": "object",
  "properties": {"email": {"type": "string", "pattern": "^[^@.][^@]*@[^@]+$"}}
}
```
```ts
const Arguments = z.object({
  email: z.string().regex(/^[^@.][^@]*@[^@]+$/).optional(),
});
```
```python
class Arguments(BaseModel):
    email: str = Field("", pattern="^[^@.][^@]*@[^@]+$")
```
```go
type Arguments struct {
        Email string `json:"email,omitempty" jsonschema:"pattern=^[^@.][^@]*@[^@]+$"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.repairs import repair_says
from toolglot.contract.rule import Hit, Rule, Subject

_WHY = "Engines that run in linear time refuse it or ignore it; here it is not checked."
_FIX = "Write it without look-around and back-references, or check it in the server."


def _check(subject: Subject) -> Iterator[Hit]:
    for repair in subject.repairs(("uncompilable-pattern",)):
        message = f"{repair_says(repair, subject.tool.schema)}."
        yield Hit(repair.pointer, message, _WHY, _FIX, repair.keyword, group=repair.detail)


RULE = Rule("TG115", "pattern-not-linear", "note", _check, __doc__, repairs=("uncompilable-pattern",))
