"""The whole list is more than one request of a target takes.

## What it does

Adds up what a target limits per request (number of tools, strict tools, optional parameters, unions) over all tools
of the server, and names the smallest set of tools to leave out.

## Why it matters

Every tool may be fine, and the request is refused all the same, often when the next tool is added.

## Example

```json
[{
  "name": "search",
  "description": "Searches.",
  "inputSchema": {
    "type": "object",
    "properties": {
      "a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}, "d": {"type": "string"},
      "e": {"type": "string"}, "f": {"type": "string"}, "g": {"type": "string"}, "h": {"type": "string"},
      "i": {"type": "string"}, "j": {"type": "string"}, "k": {"type": "string"}, "l": {"type": "string"},
      "m": {"type": "string"}, "n": {"type": "string"}, "o": {"type": "string"}, "p": {"type": "string"},
      "q": {"type": "string"}, "r": {"type": "string"}, "s": {"type": "string"}, "t": {"type": "string"},
      "u": {"type": "string"}, "v": {"type": "string"}, "w": {"type": "string"}, "x": {"type": "string"},
      "y": {"type": "string"}
    }
  }
}]
```

## Instead

Publish fewer tools, or let the client choose which to load.

```json
[{"name": "page_preview", "description": "Renders a page.", "inputSchema": {"type": "object", "properties": {}}}]
```

```ts
if (enabled.has("pages")) registerPageTools(server);
```

```python
if "pages" in enabled:
    register_page_tools(server)
```

```go
if enabled["pages"] {
        registerPageTools(server)
}
```
"""

from __future__ import annotations

from toolglot.contract.target_rule import TargetRule

RULE = TargetRule("TG208", "request-budget", "error", "budget", __doc__ or "")
