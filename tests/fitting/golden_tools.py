"""Twenty tools of the kinds that real servers publish, each with the target it is normalised for."""

from __future__ import annotations

from typing import Any

TEXT: dict[str, Any] = {"type": "string"}
WHOLE: dict[str, Any] = {"type": "integer"}


def obj(required: str = "", /, **properties: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"type": "object", "properties": properties}
    return {**found, "required": required.split()} if required else found


def tool(name: str, description: str, schema: Any) -> dict[str, Any]:
    return {"name": name, "description": description, "inputSchema": schema}


FIELD = {
    "oneOf": [
        obj("type value", type={"const": "text"}, value={**TEXT, "description": "The text itself."}),
        obj("type asset_id", type={"const": "asset"}, asset_id={**WHOLE, "description": "From list_assets."}, alt=TEXT),
        obj("type target", type={"const": "link"}, target={"type": "string", "format": "uri"}),
    ],
    "description": "What to store.",
}  # fmt: skip

FILTER = {
    "$ref": "#/$defs/Filter",
    "$defs": {"Filter": {"anyOf": [
        obj("op args", op={"enum": ["and", "or"]}, args={"type": "array", "items": {"$ref": "#/$defs/Filter"}}),
        obj("field equals", field=TEXT, equals={"type": ["string", "number", "boolean"]}),
    ]}},
}  # fmt: skip

GOLDEN: dict[str, tuple[str, dict[str, Any], dict[str, Any]]] = {
    "tagged-union": ("gemini-parameters", tool("set_field", "Stores a value.", obj("field", field=FIELD)),
        {"field": {"type": "asset", "asset_id": 549895}}),
    "tagged-union-strict": ("openai-strict", tool("set_field", "Stores a value.", obj("field", field=FIELD)),
        {"field": {"type": "text", "value": "549895"}}),
    "tagged-root": ("anthropic-nonstrict", tool("notify", "Sends a message.", {"type": "object", "oneOf": [
        obj("channel address", channel={"const": "mail"}, address=TEXT, subject=TEXT),
        obj("channel number", channel={"const": "sms"}, number=WHOLE)]}),
        {"channel": "sms", "number": 4712345}),
    "named-union": ("gemini-parameters", tool("find", "Finds pages.", obj("by", by={"anyOf": [
        {**obj("id", id=WHOLE), "title": "By id"}, {**obj("slug", slug=TEXT), "title": "By slug"},
        {"type": "array", "items": TEXT}]})),
        {"by": ["home", "news"]}),
    "scalar-union": ("langflow", tool("get", "Reads an entry.", obj("id", id={"anyOf": [TEXT, WHOLE]})), {"id": "007"}),
    "map": ("openai-strict", tool("translate", "Sets translations.", obj("texts", texts={
        "type": "object", "additionalProperties": TEXT, "description": "By language code."})),
        {"texts": {"en": "Hello", "de": "Hallo"}}),
    "map-beside-properties": ("openai-strict", tool("log", "Writes an event.", {
        **obj("event", event=TEXT), "additionalProperties": {"type": ["string", "number"]}}),
        {"event": "start", "user": "a", "ms": 12}),
    "optional": ("openai-strict", tool("search", "Searches.", obj("query", query=TEXT,
        limit={"type": "integer", "minimum": 1, "maximum": 100, "default": 10},
        sort={"enum": ["new", "old"]}, after={"type": ["string", "null"], "default": None})),
        {"query": "a", "sort": "new"}),
    "optional-takes-null": ("openai-strict", tool("update", "Changes a page.", obj("id", id=WHOLE,
        parent={"type": ["integer", "null"], "description": "Null moves the page to the top."})),
        {"id": 1, "parent": None}),
    "recursion": ("gemini-parameters", tool("query", "Runs a query.", {
        **obj("where", where={"$ref": "#/$defs/Filter"}), "$defs": FILTER["$defs"]}),
        {"where": {"op": "or", "args": [{"field": "a", "equals": 1}]}}),
    "tuple": ("gemini-parameters", tool("crop", "Cuts an image.", obj("box", box={
        "type": "array", "prefixItems": [WHOLE, WHOLE, WHOLE, WHOLE], "items": False, "minItems": 4}, name={
        "type": "array", "prefixItems": [TEXT, WHOLE], "minItems": 1})),
        {"box": [1, 2, 3, 4], "name": ["a"]}),
    "enums": ("gemini-parameters", tool("set_priority", "Sets it.", obj("priority", priority={"enum": [1, 2, 3]},
        flag={"enum": [True, "auto"]}, kind={"const": "task"})),
        {"priority": 2, "flag": "auto", "kind": "task"}),
    "either-required": ("anthropic-nonstrict", tool("open", "Opens a page.", {
        **obj(id=WHOLE, slug=TEXT), "anyOf": [{"required": ["id"]}, {"required": ["slug"]}]}),
        {"slug": "home"}),
    "all-of": ("openai-strict", tool("save", "Saves a user.", {
        **obj("user", user={"allOf": [{"$ref": "#/$defs/Base"}, obj("role", role=TEXT, id={"minimum": 1})]}),
        "$defs": {"Base": obj("id", id=WHOLE, note={"type": "string", "maxLength": 200})}}),
        {"user": {"id": 1, "role": "editor"}}),
    "anything": ("openai-strict", tool("call", "Calls a method.", obj("method", method=TEXT, params={})),
        {"method": "a", "params": {"deep": [1, None]}}),
    "bounds": ("portable-strict", tool("resize", "Resizes.", obj("width", width={
        "type": "integer", "minimum": 1, "maximum": 4096, "description": "In pixels."},
        code={"type": "string", "pattern": "^[A-Z]{3}$", "minLength": 3}, tags={
        "type": "array", "items": TEXT, "maxItems": 5, "uniqueItems": True})),
        {"width": 10, "code": "ABC", "tags": ["a"]}),
    "names": ("anthropic-nonstrict", tool("pages/get.one", "Reads a page.", {"type": "object", "properties": {
        "page id": WHOLE, "$filter": TEXT, "größe": WHOLE}, "required": ["page id"]}),
        {"page id": 1, "$filter": "a", "größe": 2}),
    "no-parameters": ("gemini-parameters", tool("ping", "", {"type": "object", "properties": {}}), {}),
    "too-deep": ("openai-strict", tool("tree", "Writes a tree.", obj("a", a=obj("b", b=obj("c", c=obj("d", d=obj(
        "e", e=obj("f", f=obj("g", g=obj("h", h=obj("i", i=obj("j", j=obj("k", k=TEXT)))))))))))),
        {"a": {"b": {"c": {"d": {"e": {"f": {"g": {"h": {"i": {"j": {"k": "leaf"}}}}}}}}}}}),
    "untouched": ("portable", tool("list_pages", "Lists pages.", obj(limit=WHOLE, status={"enum": ["draft", "live"]},
        fields={"type": "array", "items": TEXT})),
        {"limit": 3, "status": "live"}),
}  # fmt: skip
"""Name of the file to target, tool, and arguments as the server takes them."""
