"""A required parameter that is not declared.

## What it does
Finds names in `required` that no `properties` of the same object declares, here, in a part, a branch, a condition or
through a reference, and that no pattern or map covers.

## Why it matters
The model is asked for a parameter about which it knows nothing. Where undeclared names are refused, every call fails.

## Example
```json
{
  "type": "object",
  "properties": {"limit": {"type": "integer"}},
  "required": ["period", "limit"]
}
```

## Instead
Declare the parameter, or take it out of `required`.
```json
{
  "type": "object",
  "properties": {"period": {"type": "string"}, "limit": {"type": "integer"}},
  "required": ["period", "limit"]
}
```
```ts
const Arguments = z.object({
  period: z.string(),
  limit: z.number().int(),
});
```
```python
class Arguments(BaseModel):
    period: str
    limit: int
```
```go
type Arguments struct {
        Period string `json:"period"`
        Limit  int    `json:"limit"`
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject
from toolglot.contract.shapes import is_condition, named, parameters_of, required_of, same_value_owner
from toolglot.contract.unions import listed
from toolglot.schema.values import is_map
from toolglot.schema.walk import Node

_OPEN = ("patternProperties", "additionalProperties", "unevaluatedProperties")


def _check(subject: Subject) -> Iterator[Hit]:
    for node in subject.nodes:
        names = required_of(node.schema)
        if names and not is_condition(node) and _tells_properties(node):
            missing = _missing(names, node, subject)
            if missing:
                yield _hit(node, missing)


def _tells_properties(node: Node) -> bool:
    """Whether the object says what it has: a bare `required` in a definition is a part of something else."""
    return is_map(node.schema) and ("properties" in node.schema or "type" in node.schema or node.role != "definition")


def _missing(names: tuple[str, ...], node: Node, subject: Subject) -> list[str]:
    owner = same_value_owner(node)
    for schema in (node.schema, owner.schema):
        if is_map(schema) and any(schema.get(word, False) is not False for word in _OPEN):
            return []
    if named(node.schema).keys() >= set(names):
        return []
    declared = parameters_of(owner.schema, subject.document).schemas
    return [name for name in names if name not in declared]


def _hit(node: Node, missing: list[str]) -> Hit:
    names = listed([f"`{name}`" for name in missing])
    return Hit(
        pointer=node.pointer,
        message=f"{names} {'is' if len(missing) == 1 else 'are'} required but not declared.",
        why="The model must give a parameter that nothing describes.",
        fix=f"Declare {names} in `properties`, or take {'it' if len(missing) == 1 else 'them'} out of `required`.",
        keyword="required",
        group=names,
    )


RULE = Rule("TG108", "required-undeclared", "warning", _check, __doc__)
