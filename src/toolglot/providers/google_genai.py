"""Google Gen AI: `client.models.generate_content(contents=..., config={"tools": ...})`, on Vertex too.

Facts are those of the types of the SDK (google-genai 3.6): `types.py`. A view for `gemini-parameters` or
`vertex-ai` goes into `parameters`, any other into `parameters_json_schema`. A tool without parameters has
neither.

A call that another model made has no signature, and Gemini 3 refuses the first call of a turn without one: such
a call gets the text that Google's documentation on thought signatures names for that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, cast

from toolglot.fitting.toolview import SentTool
from toolglot.providers.conversation import history
from toolglot.providers.form import Form, Record, Reply, described, takes_nothing
from toolglot.providers.google_streams import joined_parts, pick, snaked
from toolglot.providers.outcomes import media, says, texts, unseen
from toolglot.providers.parts import Answered, Asked, Kept, Media, Part, Role, Shown, Text, Turn, joined
from toolglot.providers.plain import (
    base64_of,
    bytes_of,
    dumped,
    object_of,
    plain,
    read_arguments,
    record,
    records,
    text_of,
    without_nulls,
)
from toolglot.schema.tool import thaw
from toolglot.targets.load import SHIPPED

_PARAMETERS = ("gemini-parameters", "vertex-ai")
_UNSIGNED = b"skip_thought_signature_validator"
_SHOWN = ("image/", "audio/", "video/", "application/pdf", "text/")


def _tool(tool: SentTool) -> Record:
    if tool.schema is None or takes_nothing(tool.schema):
        return described(tool)
    return {**described(tool), _field(tool): thaw(dict(tool.schema))}


def _field(tool: SentTool) -> str:
    """`parameters` for targets of that field: Google's own, and a user's that says so."""
    last = tool.target.id.rpartition("+")[2]
    own = last in _PARAMETERS or (last not in SHIPPED.ids and tool.field == "parameters")
    return "parameters" if own else "parameters_json_schema"


def _wrap(tools: list[Record]) -> list[Record]:
    return [{"function_declarations": tools}]


def _write(turns: Sequence[Turn]) -> list[Record]:
    return [content for turn in joined(list(turns)) if (content := _content(turn))["parts"]]


def _content(turn: Turn) -> Record:
    if turn.role == "assistant":
        return {"role": "model", "parts": list(_model_parts(turn.parts))}
    answers = [part for part in turn.parts if isinstance(part, Answered)]
    shown: list[Shown] = []
    for answer in answers:
        pictures = [part for part in media(answer) if _block(part) is not None]
        shown += [Text(f"From the result of {answer.name}:"), *pictures] if pictures else []
    shown += [part for part in turn.parts if isinstance(part, (Text, Media))]
    return {"role": "user", "parts": [*map(_response, answers), *map(_part_of, shown)]}


def _model_parts(parts: Iterable[Part]) -> Iterable[Record]:
    signed = False
    for part in parts:
        if isinstance(part, Asked):
            call = {"id": part.id} if part.id else {}
            extra = part.extra or ({} if signed else {"thought_signature": _UNSIGNED})
            signed = True
            yield {"function_call": {**call, "name": part.name, "args": object_of(part.arguments)}, **extra}
        elif isinstance(part, Kept):
            yield dict(part.raw)
        elif isinstance(part, Text):
            yield {"text": part.text, **part.extra}


def _response(answer: Answered) -> Record:
    found = texts(answer)
    unshown = [unseen(part) for part in media(answer) if _block(part) is None]
    output: Any = "\n".join([*found, *unshown])
    if _as_object(answer, found) and not unshown:
        output = answer.structured
    id = {"id": answer.id} if answer.id else {}
    response = {"error" if answer.error else "output": output}
    return {"function_response": {**id, "name": answer.name, "response": response}}


def _as_object(answer: Answered, found: Sequence[str]) -> bool:
    """Whether structured content says all of a result. The API refuses one that names `$ref`, so that goes as text."""
    if answer.structured is None or '"$ref"' in dumped(answer.structured):
        return False
    return all(says([text], answer.structured) for text in found)


def _part_of(part: Shown) -> Record:
    if isinstance(part, Text):
        return {"text": part.text}
    return _block(part) or {"text": unseen(part)}


def _block(part: Media) -> Record | None:
    if not part.mime.startswith(_SHOWN):
        return None
    if part.data:
        return {"inline_data": {"mime_type": part.mime, "data": bytes_of(part.data)}}
    return {"file_data": {"mime_type": part.mime, "file_uri": part.uri}} if part.uri else None


def _read(contents: Any) -> list[Turn]:
    if isinstance(contents, str):
        return [Turn("user", (Text(contents),))]
    found = plain(contents)
    items = cast("list[Any]", found) if isinstance(found, list) else [found]
    return joined([_turn(item) for item in items])


def _turn(content: Any) -> Turn:
    if isinstance(content, str):
        return Turn("user", (Text(content),))
    content = record(content)
    role: Role = "assistant" if content.get("role") == "model" else "user"
    parts = records(content["parts"]) if "parts" in content else [content]
    return Turn(role, tuple(map(_part, map(without_nulls, parts))))


def _part(part: Record) -> Part:
    signature = pick(part, "thoughtSignature")
    extra = {"thought_signature": signature} if signature else {}
    if part.get("thought"):
        return Kept(part)
    if isinstance(part.get("text"), str):
        return Text(part["text"], extra)
    if call := record(pick(part, "functionCall")):
        return Asked(text_of(call.get("id")), text_of(call.get("name")), read_arguments(call.get("args")), extra)
    if response := record(pick(part, "functionResponse")):
        return _answered(response)
    return _media(part) or Kept(part)


def _answered(response: Record) -> Answered:
    given = record(response.get("response"))
    key = next((key for key in ("output", "error", "result") if key in given), None)
    value: Any = given if key is None else given[key]
    text = value if isinstance(value, str) else dumped(value)
    structured = None if isinstance(value, str) else value
    name, id = text_of(response.get("name")), text_of(response.get("id"))
    return Answered(id, name, (Text(text),), structured, key == "error")


def _media(part: Record) -> Media | None:
    inline, file = record(pick(part, "inlineData")), record(pick(part, "fileData"))
    if inline:
        return Media(text_of(pick(inline, "mimeType")), base64_of(inline.get("data")))
    return Media(text_of(pick(file, "mimeType")), uri=text_of(pick(file, "fileUri"))) if file else None


_MALFORMED = ("MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL")


def _reply(response: Record) -> Reply:
    candidates = records(response.get("candidates"))
    candidate = candidates[0] if candidates else {}
    parts = [_said(part) for part in joined_parts(records(record(candidate.get("content")).get("parts")))]
    reason = text_of(pick(candidate, "finishReason"))
    failure = ""
    if reason in _MALFORMED:
        failure = text_of(pick(candidate, "finishMessage")) or f"The call was not usable ({reason}). Write it again."
    said = [{"role": "model", "parts": parts}] if parts else []
    last = bool(parts) and "function_call" in parts[-1]
    return Reply(said, reason == "MAX_TOKENS" and last, failure)


def _said(part: Record) -> Record:
    """A part as the SDK takes it back: signatures are bytes, calls have no unset members."""
    found = {snaked(key): value for key, value in part.items()}
    if isinstance(found.get("thought_signature"), str):
        found["thought_signature"] = bytes_of(found["thought_signature"])
    if "function_call" in found:
        call = without_nulls(record(found["function_call"]))
        found["function_call"] = {**call, "args": object_of(call.get("args"))}
    return found


def _join(chunks: list[Any]) -> Record:
    parts: list[Record] = []
    last: Record = {}
    for chunk in map(record, chunks):
        for candidate in records(chunk.get("candidates"))[:1]:
            parts += records(record(candidate.get("content")).get("parts"))
            last = {**last, **without_nulls(candidate)}
    return {"candidates": [{**last, "content": {"parts": parts}}]}


FORM = Form(
    name="google_genai",
    tool=_tool,
    wrap=_wrap,
    reply=_reply,
    join=_join,
    read=_read,
    write=_write,
    ids=None,
    partial=True,
    system_apart=True,
)

tools = FORM.tools
calls = FORM.calls
said = FORM.said
results = FORM.results

__all__ = ["FORM", "calls", "history", "results", "said", "tools"]
