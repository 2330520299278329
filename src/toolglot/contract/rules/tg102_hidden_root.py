"""A root that is not an object with its parameters in sight.

## What it does
Finds an input schema whose root has no `type: object`, is a reference or a union, is empty or only names its dialect,
or declares parameters inside `anyOf`, `oneOf`, `allOf` or a condition that its own `properties` do not have.

## Why it matters
What a tool may do is told from its root: `readOnlyHint`, and an action parameter with its values. When the root shows
nothing, a tool must be taken for one that changes things: it leaves the catalogue in read-only mode, or it loses the
gate that lets its reading actions through. Some clients drop such a tool, or every tool of its server.

## Example
```json
{
  "anyOf": [
    {"type": "object", "properties": {"action": {"const": "list"}}, "required": ["action"]},
    {
      "type": "object",
      "properties": {"action": {"const": "delete"}, "id": {"type": "string"}},
      "required": ["action", "id"]
    }
  ]
}
```

## Instead
Publish `type: object` at the root and every parameter in its `properties`. What only some actions need is optional,
checked in the server and told in the description.
```json
{
  "type": "object",
  "properties": {
    "action": {"type": "string", "enum": ["list", "delete"]},
    "id": {"type": "string", "description": "Needed by delete."}
  },
  "required": ["action"]
}
```
```ts
const Arguments = z.object({
  action: z.enum(["list", "delete"]),
  id: z.string().describe("Needed by delete.").optional(),
});
```
```python
class Arguments(BaseModel):
    action: Literal["list", "delete"]
    id: str = Field("", description="Needed by delete.")
```
```go
type Arguments struct {
        Action string `json:"action" jsonschema:"enum=list,enum=delete"`
        ID     string `json:"id,omitempty" jsonschema:"description=Needed by delete."`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.surface import SurfaceReading
from toolglot.contract.unions import listed


def _check(subject: Subject) -> Iterator[Hit]:
    root = subject.root
    if root.hidden:
        reading = subject.surface
        yield Hit(
            pointer="",
            keyword=root.keyword,
            message=_message(root.hidden, reading),
            why=_harm(reading),
            fix=_fix(list(root.parameters.schemas)),
            group=root.hidden,
        )


def _message(hidden: str, reading: SurfaceReading) -> str:
    says = f"{hidden[0].upper()}{hidden[1:]}"
    return f"{says}: its surface class is {reading.surface}, {_would_be(reading)}."


def _would_be(reading: SurfaceReading) -> str:
    kept = reading.in_sight == reading.surface
    return f"with the root in sight {'too' if kept else f'it would be {reading.in_sight}'}"


def _harm(reading: SurfaceReading) -> str:
    if reading.in_sight == "read":
        return "The tool only reads, yet it leaves the catalogue in read-only mode."
    if reading.in_sight == "gated":
        reads = [f"`{value}`" for action in reading.actions for value in action.reading]
        verb = "is" if len(reads) == 1 else "are"
        return f"The tool loses its gate: in read-only mode {listed(reads)} {verb} gone with the rest."
    return "A client that reads the root's properties sees no parameters, or drops the tool and those beside it."


def _fix(names: list[str]) -> str:
    if not names:
        return 'Publish {"type": "object", "properties": {...}} at the root.'
    return f"Publish `type: object` at the root with every parameter in its `properties`: {listed(names)}."


RULE = Rule("TG102", "hidden-root", "error", _check, __doc__)
