"""Error texts as people reported them: the text, its source, and what it is about in a list of tools made for it."""

# Texts stand as they were reported, so lines are long.
# ruff: noqa: E501

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

OBJECT: dict[str, Any] = {"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]}


def tool(name: str, **properties: Any) -> dict[str, Any]:
    return {"name": name, "description": "It.", "inputSchema": {"type": "object", "properties": properties}}


def root(name: str, **schema: Any) -> dict[str, Any]:
    return {"name": name, "description": "It.", "inputSchema": schema}


def at(index: int, *tools: dict[str, Any]) -> list[dict[str, Any]]:
    """Tools behind as many that nobody refuses."""
    return [root(f"fine_{n}", **OBJECT) for n in range(index)] + list(tools)


@dataclass(frozen=True)
class Row:
    """`source` is where the text was reported. The tools are ours; the text is about the tool and place named here."""

    source: str
    text: str
    tools: list[dict[str, Any]]
    target: str
    tool: str | None
    pointer: str | None
    feature: str


UNION = {"anyOf": [{"required": ["a"]}, {"required": ["b"]}], "type": "object", "properties": {"a": {}, "b": {}}}
NULLABLE = {"anyOf": [{"type": "integer", "exclusiveMinimum": 0}, {"type": "null"}]}
S = {"type": "string"}


def numbered(place: int, schema: Any) -> dict[str, Any]:
    """Properties of which the one at a place has this schema."""
    return {**{f"p{n}": S for n in range(place)}, "odd": schema}


REF = {"$ref": "#/definitions/D"}

ROWS: list[Row] = [
    # Google
    Row(
        "pizza-bot-app/pizza-bot#62",
        "Invalid JSON payload received. Unknown name \"exclusiveMinimum\" at\n'tools[0].function_declarations[6].parameters"
        ".properties[3].value.any_of[0]': Cannot find field.",
        at(6, tool("grep", **numbered(3, NULLABLE))),
        *("gemini-parameters", "grep", "/properties/odd/anyOf/0", "exclusive-bounds"),
    ),
    Row(
        "fazer-ai/agents#64",
        "[400 Bad Request] Invalid JSON payload received. Unknown name \"exclusiveMinimum\" at\n"
        "'tools[0].function_declarations[9].parameters.properties[0].value'",
        at(9, tool("get_time", round={"type": "integer", "exclusiveMinimum": 0})),
        *("gemini-parameters", "get_time", "/properties/round", "exclusive-bounds"),
    ),
    Row(
        "decolua/9router#2309",
        r"""\"description\": \"Invalid JSON payload received. Unknown name \\\"multipleOf\\\" at """
        r"""'request.tools[0].function_declarations[25].parameters.properties[3].value.items': Cannot find field.\" """,
        at(25, tool("grid", **numbered(3, {"type": "array", "items": {"type": "number", "multipleOf": 8}}))),
        *("gemini-parameters", "grid", "/properties/odd/items", "multiple-of"),
    ),
    Row(
        "zed-industries/zed#43231",
        r"""Invalid JSON payload received. Unknown name \"additionalProperties\" at """
        r"""'tools[0].function_declarations[75].parameters': Cannot find field.""",
        at(75, root("closed", **OBJECT, additionalProperties=False)),
        *("gemini-parameters", "closed", "", "object-closed"),
    ),
    Row(
        "zed-extensions/mcp-server-brave-search#12",
        r"""Invalid JSON payload received. Unknown name \"const\" at 'tools[0].function_declarations[5].parameters"""
        r""".properties[8].value.any_of[1]': Cannot find field.\n""",
        at(5, tool("search", **numbered(8, {"anyOf": [{"type": "string", "const": "a"}, {"type": "string", "const": "b"}]}))),
        *("gemini-parameters", "search", "/properties/odd/anyOf/1", "const"),
    ),
    Row(
        "n8n-io/n8n#15553",
        'Invalid JSON payload received. Unknown name "type" at \'tools[0].function_declarations[1].parameters.properties[1]'
        ".value': Proto field is not repeating, cannot start list.",
        at(1, tool("ask", **numbered(1, {"type": ["string", "null"]}))),
        *("gemini-parameters", "ask", "/properties/odd", "type-list-null"),
    ),
    Row(
        "makenotion/notion-mcp-server#29",
        "Unknown name \"type\" at 'tools[0].function_declarations[3].parameters.properties[1].value.items.properties[0].value"
        ".properties[1].value': Proto field is not repeating, cannot start list.",
        at(3, tool("blocks", **numbered(1, {"type": "array", "items": {"type": "object", "properties": {
            "text": {"type": "object", "properties": {"content": S, "link": {"type": ["object", "null"]}}}}}}))),
        *("gemini-parameters", "blocks", "/properties/odd/items/properties/text/properties/link", "type-list-null"),
    ),
    Row(
        "microsoft/azure-devops-mcp#145",
        r"Invalid value at 'request.tools[0].function_declarations[21].parameters.properties[5].value.enum[0]' (TYPE_STRING), 0\n",
        at(21, tool("builds", **numbered(5, {"type": "integer", "enum": [0, 1, 2]}))),
        *("gemini-parameters", "builds", "/properties/odd", "enum-number"),
    ),
    Row(
        "cline/cline#7339",
        r"\"message\": \"* GenerateContentRequest.tools[0].function_declarations[16].parameters.properties[includeTags].items:"
        r" missing field.\\n",
        at(16, tool("scrape", includeTags={"type": "array"})),
        *("gemini-parameters", "scrape", "/properties/includeTags", "array-no-items"),
    ),
    Row(
        "agno-agi/agno#2112",
        "400 INVALID_ARGUMENT. {'error': {'code': 400, 'message': '* GenerateContentRequest.tools[0].function_declarations[2]"
        ".parameters.properties: should be non-empty for OBJECT type\\n', 'status': 'INVALID_ARGUMENT'}}",
        at(2, root("list_files", type="object", properties={})),
        *("gemini-parameters", "list_files", "", "root-no-parameters"),
    ),
    Row(
        "browser-use/browser-use#7",
        "* GenerateContentRequest.tools[0].function_declarations[0].parameters.properties[action].properties[go_back]"
        ".properties: should be non-empty for OBJECT type",
        [tool("act", action={"type": "object", "properties": {"go_back": {"type": "object"}}})],
        *("gemini-parameters", "act", "/properties/action/properties/go_back", "object-open"),
    ),
    Row(
        "google-gemini/gemini-cli#4031",
        "* \n  GenerateContentRequest.tools[0].function_declarations[45].parameters.properties[links].items.properties[url]"
        ".format: only 'enum' and 'date-time' are supported for STRING type\\\\n",
        at(45, tool("issue", links={"type": "array", "items": {"type": "object", "properties": {
            "url": {"type": "string", "format": "uri"}}}})),
        *("gemini-parameters", "issue", "/properties/links/items/properties/url", "format"),
    ),
    Row(
        "iBUHub/AIStudioToAPI#154",
        r'{"error":{"code":400,"message":"* GenerateContentRequest.tools[0].function_declarations[1].parameters.required[0]: '
        r'property is not defined\n","status":"INVALID_ARGUMENT"}}',
        at(1, root("click", type="object", properties={}, required=["ref"])),
        *("gemini-parameters", "click", "", "required-undeclared"),
    ),
    Row(
        "kaitranntt/ccs#25",
        'API Error: 400 {"error":{"code":400,"message":"The GenerateContentRequest proto is invalid:\\n  *\n'
        "    tools[0].function_declarations[53].name: [FIELD_INVALID] Invalid function name. \n    Must start with",
        at(53, root("1 odd name", **OBJECT)),
        *("gemini-parameters", "1 odd name", "", "tool-name"),
    ),
    Row(
        "modelcontextprotocol/servers#2014",
        "'message': 'Unable to submit request because `create_pull_request_review` functionDeclaration `parameters.comments` "
        "schema specified other fields alongside any_of. When using any_of, it must be the only field set.",
        at(4, tool("create_pull_request_review", comments={"description": "c", "anyOf": [S, {"type": "array", "items": S}]})),
        *("vertex-ai", "create_pull_request_review", "/properties/comments", "union-annotated"),
    ),
    Row(
        "google-gemini/gemini-cli#2282",
        "Unable to submit request because `create-field` functionDeclaration `parameters.data.meta.width` schema didn't \n"
        "  specify the schema type field.",
        at(2, tool("create-field", data={"type": "object", "properties": {"meta": {"type": "object", "properties": {
            "width": {"description": "w"}}}}})),
        *("vertex-ai", "create-field", "/properties/data/properties/meta/properties/width", "untyped"),
    ),
    # Anthropic
    Row(
        "anthropics/claude-code#5319",
        r'400 {\"type\":\"error\",\"error\":{\"type\":\"invalid_request_error\",\"message\":\"tools.106.custom.input_schema: '
        r'input_schema does not support oneOf, allOf, or anyOf at the top level\"}}',
        at(106, root("either", **UNION)),
        *("anthropic-nonstrict", "either", "", "root-union"),
    ),
    Row(
        "anthropics/claude-code#27337",
        '{"type":"error","error":{"type":"invalid_request_error","message":"tools.202.custom.input_schema:       \n     '
        "input_schema does not support oneOf, allOf, or anyOf at the top                                         \n     level\"}}",
        at(20, root("either", **UNION)),
        *("anthropic-nonstrict", "either", "", "root-union"),
    ),
    Row(
        "beautyfree/appstore-connect-mcp#2",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"tools.14.custom.input_schema.'
        "properties: Property keys should match pattern '^[a-zA-Z0-9_.-]{1,64}$'\"}}",
        at(14, tool("list-apps", **{"filter[id]": S, "limit": {"type": "integer"}})),
        *("anthropic-nonstrict", "list-apps", "/properties/filter[id]", "property-name"),
    ),
    Row(
        "anthropics/claude-code#7365",
        '"message":"tools.118.custom.input_schema: JSON schema is \n    invalid. It must match JSON Schema draft 2020-12',
        at(118, tool("broken", a={"type": "any"})),
        *("anthropic-nonstrict", "broken", "/properties/a", "schema-invalid"),
    ),
    Row(
        "anthropics/claude-code#3102",
        'API Error: 400 {"type":"error","error":{"type":"invalid_request_error","message":"tools.17.custom.name: String\n'
        '    should have at most 64 characters"}}',
        at(17, root("n" * 140, **OBJECT)),
        *("anthropic-nonstrict", "n" * 140, "", "tool-name"),
    ),
    Row(
        "vercel/ai#20681",
        "tools.0.custom: For 'object' type, 'additionalProperties' must be explicitly set to false",
        [tool("weather", city=S)],
        *("anthropic-strict", "weather", "", "object-not-closed"),
    ),
    # OpenAI
    Row(
        "sigoden/aichat#1049",
        "Invalid schema for function 'filesystem_read_multiple_files': In context=('properties', 'paths'), array schema "
        "missing items. (type: invalid_request_error)",
        at(3, tool("read_multiple_files", paths={"type": "array"})),
        *("openai-nonstrict", "read_multiple_files", "/properties/paths", "array-no-items"),
    ),
    Row(
        "modelscope/ms-agent#610",
        "Error code: 400 - {'error': {'message': \"Invalid schema for function 'get_room_layout': In context=('properties', "
        "'objects'), array schema missing items.\", 'type': 'invalid_request_error', 'param': 'tools[0].function.parameters'",
        [tool("get_room_layout", objects={"type": "array"})],
        *("openai-nonstrict", "get_room_layout", "/properties/objects", "array-no-items"),
    ),
    Row(
        "spring-projects/spring-ai#4776",
        "Invalid schema for function 'k8s_get': In context=(), object schema missing properties.",
        at(1, root("k8s_get", type="object")),
        *("openai-nonstrict", "k8s_get", "", "root-properties-missing"),
    ),
    Row(
        "nspady/google-calendar-mcp#39",
        "{'error': {'message': \"Invalid schema for function 'update-event': schema must have type 'object' and not have "
        "'oneOf'/'anyOf'/'allOf'/'enum'/'not' at the top level.\", 'param': 'tools[5].function.parameters'",
        at(5, root("update-event", **OBJECT, allOf=[{"if": {"required": ["a"]}, "then": {"required": ["a"]}}])),
        *("openai-nonstrict", "update-event", "", "root-all-of"),
    ),
    Row(
        "deepseek-ai/DeepSeek-V3#874",
        '{"message":"Invalid schema for function \'spotIntro\': schema must be a JSON Schema of \'type: \\"object\\"\', got '
        "'type: null'.\",\"type\":\"invalid_request_error\"",
        at(2, root("spotIntro", properties={"a": S})),
        *("openai-nonstrict", "spotIntro", "", "root-untyped"),
    ),
    Row(
        "vishalmysore/Tools4AI#16",
        "\"message\": \"Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with "
        'length 325 instead."',
        at(2),
        *("openai-nonstrict", None, None, "tools"),
    ),
    Row(
        "use-novamira/novamira#12",
        "API Error: 400 {\"error\":{\"message\":\"Invalid 'tools[25].function.name': string too long. Expected a string with "
        'maximum length 64, but got a string with length 67 instead."',
        at(25, root("n" * 67, **OBJECT)),
        *("openai-nonstrict", "n" * 67, "", "tool-name"),
    ),
    Row(
        "makenotion/notion-mcp-server#102",
        "'message': \"Invalid schema for function 'notion__notion-update-page': In context=('properties', 'data'), 'allOf' is "
        "not permitted.\"",
        at(6, tool("notion-update-page", data={"allOf": [{"type": "object", "properties": {"a": S}}, {"required": ["a"]}]})),
        *("openai-strict", "notion-update-page", "/properties/data", "all-of"),
    ),
    Row(
        "kevinwatt/mysql-mcp#5",
        "Invalid schema for function 'mysql_execute': In context=(), 'required' is required to be supplied and to be an array "
        "including every key in properties. Missing 'params'.",
        at(1, root("mysql_execute", **{**OBJECT, "properties": {"a": S, "params": S}}, additionalProperties=False)),
        *("openai-strict", "mysql_execute", "", "property-optional"),
    ),
    Row(
        "lastmile-ai/openai-agents-mcp#2",
        "{'error': {'message': \"Invalid schema for function 'filesystem-set_permissions': In context=('properties', "
        "'permissions'), 'additionalProperties' is required to be supplied and to be false.\"",
        at(22, tool("set_permissions", permissions={"type": "object", "properties": {"a": S}})),
        *("openai-strict", "set_permissions", "/properties/permissions", "object-not-closed"),
    ),
    Row(
        "anomalyco/opencode#13737",
        "Invalid schema for function 'question': In context=('properties', 'questions',\n'items'), 'required' is required to "
        "be supplied and to be an array including\nevery key in properties. Missing 'multiple'.",
        [tool("question", questions={"type": "array", "items": {"type": "object", "properties": {"multiple": S}}})],
        *("openai-strict", "question", "/properties/questions/items", "property-optional"),
    ),
    # Amazon
    Row(
        "earendil-works/pi#8279",
        "Error: Validation error: The value at toolConfig.tools.7.toolSpec.inputSchema.json.type must be one of the "
        "following: object.",
        at(7, root("no_type", oneOf=[OBJECT])),
        *("bedrock-converse-claude", "no_type", "", "root-untyped"),
    ),
    Row(
        "lastmile-ai/mcp-agent#126",
        "Malformed input request: \n#/toolConfig/tools/1/toolSpec/inputSchema/json: extraneous key [$defs] is not permitted, "
        "please reformat your input and try again.",
        at(1, root("human", type="object", properties={"a": {"$ref": "#/$defs/A"}}, **{"$defs": {"A": S}})),
        *("bedrock-converse-nova", "human", "", "defs"),
    ),
    # Others
    Row(
        "MoonshotAI/kimi-cli#2531",
        "Error: [provider.api_error] 400 tools.function.parameters is not a valid\nmoonshot flavored json schema, details: "
        "<At path 'root': when using anyOf,\ntype should be defined in anyOf items instead of the parent schema>",
        at(3, root("ft_balance", **UNION)),
        *("moonshot-kimi", "ft_balance", "", "union-typed"),
    ),
    Row(
        "CommandCodeAI/command-code#594",
        "tools.function.parameters is not a valid moonshot flavored json schema, details: <At path "
        "'properties.filters.properties.hiddenPageDuration.$ref':\n  references must start with #/$defs/>",
        at(2, root("trace", type="object", definitions={"D": S}, properties={
            "filters": {"type": "object", "properties": {"hiddenPageDuration": REF}}})),
        *("moonshot-kimi", "trace", "/properties/filters/properties/hiddenPageDuration", "ref-definitions"),
    ),
    Row(
        "earendil-works/pi#4138",
        r'{"error":{"message":"Invalid'
        "\n request:\n tools.function.parameters is not\n a valid moonshot flavored json\n schema, details: "
        r"\u003cAt path"
        "\n 'properties.source': type is not\n\n defined"
        r'\u003e","type"',
        at(2, tool("copy", source={"description": "s"})),
        *("moonshot-kimi", "copy", "/properties/source", "untyped"),
    ),
    Row(
        "can1357/oh-my-pi#2270",
        'Error: 400 Provider returned error {"error":{"message":"Invalid tool parameters schema : field `anyOf`: missing '
        'field `type`","type":"invalid_re',
        at(1, tool("edit", lines={"anyOf": [{"anyOf": [{"type": "object", "properties": {"a": S}},
            {"type": "array", "items": S}]}, {"type": "null"}]})),
        *("deepseek", "edit", "/properties/lines/anyOf/0", "structured-union"),
    ),
    Row(
        "SylphxAI/pdf-reader-mcp#63",
        "{\"object\":\"error\",\"message\":\"Invalid tool schema: {'type': 'object', 'properties': {'pages': {'anyOf': [{'type': "
        "'array', 'items': {'type': 'integer', 'exclusiveMinimum': True, 'minimum': 0}}]}}, 'additionalProperties': False} is "
        'not valid under any of the given schemas","type":"invalid_request_error"',
        at(2, tool("read_pdf", pages={"type": "integer", "exclusiveMinimum": True, "minimum": 0})),
        *("mistral", "read_pdf", "/properties/pages", "exclusive-flag"),
    ),
    Row(
        "ollama/ollama#10328",
        "json: cannot unmarshal array into Go struct field .tools.function.parameters.properties.type of type string",
        at(2, tool("typed", a={"type": ["string", "null"]})),
        *("ollama", "typed", "/properties/a", "type-list-null"),
    ),
    Row(
        "Azure/Azure-Resource-Manager-MCP#20",
        '{"error":{"code":400,"message":"JSON schema conversion failed:\\nUnrecognized schema: true\\nUnrecognized schema: true"',
        at(2, tool("arm", a=True)),
        *("llama-cpp-server", "arm", "/properties/a", "boolean-schema"),
    ),
    Row(
        "browseros-ai/BrowserOS#255",
        'JSON schema conversion failed: Unrecognized schema: {"description":"Arguments for the tool (JSON object)"}',
        at(2, tool("run", arguments={"description": "Arguments for the tool (JSON object)"})),
        *("llama-cpp-server", "run", "/properties/arguments", "untyped"),
    ),
    Row(
        "containers/kubernetes-mcp-server#758",
        '{"error":{"code":400,"message":"JSON schema conversion failed:\\nPattern must start with \'^\' and end with \'$\'"',
        at(2, tool("pods", selector={"type": "string", "pattern": "[a-z]+"})),
        *("llama-cpp-server", "pods", "/properties/selector", "pattern-unanchored"),
    ),
    Row(
        "noonghunna/club-3090#45",
        'API Error: 500 Grammar error: Unimplemented keys: ["propertyNames"]. This is a server-side issue, usually temporary',
        at(2, tool("env", vars={"type": "object", "propertyNames": {"pattern": "^[A-Z]+$"}})),
        *("llguidance", "env", "/properties/vars", "property-names"),
    ),
    Row(
        "QwenLM/Qwen3-VL#2069",
        '"message": "<400> InternalError.Algo.InvalidParameter: The length of the tool name cannot exceed 64.",',
        at(2, root("n" * 80, **OBJECT)),
        *("qwen", "n" * 80, "", "tool-name"),
    ),
    # A client's own words, known from its facts
    Row(
        "github microsoft/vscode-copilot-chat@main of 2026-03-29: src/extension/tools/common/toolSchemaNormalizer.ts",
        "tool parameters array type must have items",
        at(2, tool("words", texts={"type": "array"})),
        *("vscode-copilot", "words", "/properties/texts", "array-no-items"),
    ),
]  # fmt: skip
