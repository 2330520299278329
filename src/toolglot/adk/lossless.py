"""The way out: an adapter of the same interface that loses nothing."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from toolglot.adk.adapters import SchemaAdapter
from toolglot.fitting.names import wire_name
from toolglot.fitting.normalized import Mend, Normalized, normalize
from toolglot.fitting.published import Restored
from toolglot.fitting.words import joined
from toolglot.schema.tool import Tool
from toolglot.targets.load import SHIPPED
from toolglot.targets.model import Target

_TOOL = {"name": "tool", "description": "A tool."}


@dataclass(frozen=True, slots=True)
class LosslessSchemaAdapter(SchemaAdapter):
    """An adapter built on `toolglot.normalize`. Make one with `lossless(target)`.

    Its schemas are in the target's form, and so are a model's arguments: hand them to `restore` before you call the
    server.
    """

    target: Target = field(repr=False)

    def normalize_schema(self, schema: Any) -> Any:
        """The schema as the target takes it; `empty_schema()` where it wants no schema member.

        Rules that `toolglot.normalize` puts into the tool's description stand in that of the schema here.
        In: a published input schema, never changed. Raises ToolError for what is no schema of an object, or too large.
        """
        made = self.normalized(schema)
        if made.schema is None:
            return self.empty_schema()
        rules = made.description.removeprefix(_TOOL["description"]).strip()
        return {**made.schema, "description": joined(made.schema.get("description"), [rules])} if rules else made.schema

    def normalized(self, schema: Any) -> Normalized:
        """What `toolglot.normalize` makes of a tool with this schema: with the ledger, and the way back."""
        return normalize({**_TOOL, "inputSchema": schema}, self.target)

    def restore(self, tool: Tool | Mapping[str, Any], answer: Any, mend: Mend = "safe") -> Restored:
        """What a model answered, as the server takes it: undoes what `normalize_schema` did to the tool's schema.

        In: the published tool, and the arguments as a mapping, None or JSON text. Raises ToolError; ArgumentsError with
        every error of the call.
        """
        return normalize(tool, self.target).restore(answer, mend)

    def normalize_tool_name(self, name: str) -> str:
        """The name as the target takes it; two names never become one."""
        return wire_name(name, self.target.tool_name)

    def parameters_field(self) -> str:
        """The request member that takes the schema."""
        return self.target.field

    def __repr__(self) -> str:
        return f"lossless({self.target.id!r})"


def lossless(target: str | Target) -> LosslessSchemaAdapter:
    """An adapter for a target that loses nothing: what it writes differently, its `restore` undoes.

    In: an id, a short name, a Target, the path of a TOML file, or a combination `client+api`. Raises UnknownTarget.
    """
    return LosslessSchemaAdapter(SHIPPED.target(target))
