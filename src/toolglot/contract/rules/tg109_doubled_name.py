"""Two tools with the same name.

## What it does
Finds tool names that stand more than once in the list.

## Why it matters
A call names a tool and nothing else. Which of the two answers is chance, some APIs refuse the whole request, and a
tool whose name is not its own must be taken for one that changes things.

## Example
```json
[
  {"name": "search", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}},
  {"name": "search", "inputSchema": {"type": "object", "properties": {"mailbox": {"type": "string"}}}}
]
```

## Instead
Give each tool a name of its own, or publish one tool with the parameters of both.
```json
[
  {"name": "search_files", "inputSchema": {"type": "object", "properties": {"query": {"type": "string"}}}},
  {"name": "search_mail", "inputSchema": {"type": "object", "properties": {"mailbox": {"type": "string"}}}}
]
```
```ts
const Files = z.object({ query: z.string().optional() });
server.registerTool("search_files", { inputSchema: Files.shape }, searchFiles);
const Arguments = z.object({ mailbox: z.string().optional() });
server.registerTool("search_mail", { inputSchema: Arguments.shape }, searchMail);
```
```python
@mcp.tool(name="search_files")
def search_files(query: str = "") -> str: ...


class Arguments(BaseModel):
    mailbox: str = ""


@mcp.tool(name="search_mail")
def search_mail(arguments: Arguments) -> str: ...
```
```go
type Files struct {
        Query string `json:"query,omitempty"`
}

type Arguments struct {
        Mailbox string `json:"mailbox,omitempty"`
}

var tools = []mcp.Tool{
        mcp.NewTool("search_files", mcp.WithInputSchema[Files]()),
        mcp.NewTool("search_mail", mcp.WithInputSchema[Arguments]()),
}
```
"""

from __future__ import annotations

from collections.abc import Iterator

from toolglot.contract.rule import Hit, Rule, Subject


def _check(subject: Subject) -> Iterator[Hit]:
    places = subject.namesakes
    if len(places) > 1 and subject.tool.index != places[0]:
        nth = ", ".join(str(place + 1) for place in places)
        yield Hit(
            pointer="",
            message=f"The name `{subject.tool.name}` stands {len(places)} times in the list (entries {nth}).",
            why="A call names only the tool: which one answers is chance, and some APIs refuse the request.",
            fix="Give each tool a name of its own, or publish one tool with the parameters of both.",
            group=subject.tool.name,
        )


RULE = Rule("TG109", "doubled-name", "error", _check, __doc__)
