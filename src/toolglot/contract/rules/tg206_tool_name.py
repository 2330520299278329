"""A target does not take the tool's name.

## What it does

Checks the name against the rule of each target, with the prefix that a client puts in front (counted with a server
name of one letter, so that what is reported is certain).

## Why it matters

A name with a dot or a slash makes every request fail on most providers; a name that is too long with its prefix makes
the tool disappear in some clients, or collide with another.

## Example

```json
[{"name": "page.render/preview", "description": "Renders.", "inputSchema": {"type": "object", "properties": {}}}]
```

## Instead

Letters, digits and underscores, at most 50 characters.

```json
[{"name": "page_preview", "description": "Renders a page.", "inputSchema": {"type": "object", "properties": {}}}]
```

```ts
server.registerTool("page_preview", { description: "Renders a page.", inputSchema: {} }, handler);
```

```python
@server.tool(name="page_preview", description="Renders a page.")
def page_preview() -> str: ...
```

```go
mcp.AddTool(server, &mcp.Tool{Name: "page_preview", Description: "Renders a page."}, handler)
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG206", "tool-name", "error", "tool-name", __doc__ or "")
