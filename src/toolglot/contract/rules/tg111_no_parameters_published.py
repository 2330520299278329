"""A tool that publishes no parameters.

## What it does
Finds an object root without `properties`. A note, since a tool may really take nothing; a warning where the
description names a parameter or, for servers in the same process, the tool's function has some.

## Why it matters
A schema library that cannot write down what the code says often publishes an empty object: for a union, a refinement
or a transform at the root. The model then calls the tool without arguments, and the call fails or does the default.

## Example
```json
{"type": "object", "properties": {}}
```

## Instead
Publish the parameters at the root. Move a refinement or a transform into the server, and turn a union at the root into
one object (TG102).
```json
{
  "type": "object",
  "properties": {"id": {"type": "string"}, "slug": {"type": "string"}}
}
```
```ts
const Arguments = z.object({
  id: z.string().optional(),
  slug: z.string().optional(),
}); // no .refine() or .transform() on it: check in the handler that one of the two is given
```
```python
class Arguments(BaseModel):
    id: str = ""
    slug: str = ""
```
```go
type Arguments struct {
        ID   string `json:"id,omitempty"`
        Slug string `json:"slug,omitempty"`
}
```
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.unions import listed
from toolglot.schema.values import is_map

_CAUSE = "a schema library that publishes a union, a refinement or a transform at the root as an empty object"

_FINE = f"Fine where the tool takes none; where it does, the usual cause is {_CAUSE}."


def _check(subject: Subject) -> Iterator[Hit]:
    schema = subject.tool.schema
    if subject.root.hidden or (is_map(schema) and is_map(schema.get("properties")) and schema["properties"]):
        return
    told, group = _told(subject)
    yield Hit(
        pointer="",
        message=f"Publishes no parameters{told}.",
        why=f"The model can give no arguments; the usual cause is {_CAUSE}." if told else _FINE,
        fix="Publish an object with `properties` at the root, refinements and transforms moved into the server.",
        severity="warning" if told else "note",
        group=group,
    )


def _told(subject: Subject) -> tuple[str, str]:
    """What speaks for parameters, in words, and the group of the finding."""
    if subject.handler:
        return f", but its function has {listed([f'`{name}`' for name in subject.handler])}", "handler"
    name = described_parameter(subject.tool.description)
    return (f", but its description names `{name}`", "described") if name else ("", "none")


_MARKED = re.compile(
    r"(?:@param[ \t]+(?:\{[^}\n]{0,80}\}[ \t]+)?\[?|:param[ \t]+(?:[\w.]{1,40}[ \t]+)?)([A-Za-z_]\w{0,60})"
)
_HEADING = re.compile(
    r"^[ \t#*]*(?:args|arguments|parameters|params|inputs?)\b[ \t*]*(?::[ \t*]*|\n[ \t]*-{3,}[ \t]*)\n(?:[ \t]*\n)?"
    r"[ \t]*(?:[-*•][ \t]*)?[`*\"']{0,3}([A-Za-z_]\w{0,60})[`*\"']{0,3}[ \t]*(?:\([^)\n]{0,80}\)[ \t]*)?"
    r"(?::|-|–|—|\n|$)",
    re.IGNORECASE | re.MULTILINE,
)
_NOTHING = frozenset(("none", "no", "nothing", "empty", "null", "returns", "return", "example", "examples"))


def described_parameter(description: str) -> str:
    """The first parameter that a description documents (`Args:`, `Parameters:`, `@param`, `:param`), or ""."""
    for pattern in (_MARKED, _HEADING):
        found = pattern.search(description)
        if found and found[1].lower() not in _NOTHING:
            return found[1]
    return ""


RULE = Rule("TG111", "no-parameters-published", "note", _check, __doc__)
