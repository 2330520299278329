"""What a call gave: an MCP result, a text or an exception, as parts that every provider can write."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from toolglot.errors import JsonError, parse_json
from toolglot.providers.parts import Answered, Asked, Media, Shown, Text
from toolglot.providers.plain import base64_of, dumped, plain, record, records, text_of
from toolglot.schema.values import same

NOT_MADE = "The call was not made."


def answered(asked: Asked, outcome: Any) -> Answered:
    """The answer to a call.

    In: the call, and what it gave: the result of `tools/call` as a mapping or as an object of the MCP SDK, a text, an
    exception, another JSON value, or None where the call was not made.
    """
    if outcome is None:
        return Answered(asked.id, asked.name, (Text(NOT_MADE),), error=True)
    if isinstance(outcome, BaseException):
        return Answered(asked.id, asked.name, (Text(str(outcome) or type(outcome).__name__),), error=True)
    if isinstance(outcome, str):
        return Answered(asked.id, asked.name, (Text(outcome),))
    result = plain(outcome)
    if not isinstance(result, dict) or not {"content", "structuredContent"} & record(result).keys():
        return Answered(asked.id, asked.name, (Text(dumped(result)),), structured=result)
    result = record(result)
    parts = tuple(_part(block) for block in records(result.get("content")))
    return Answered(asked.id, asked.name, parts, result.get("structuredContent"), bool(result.get("isError")))


def _part(block: dict[str, Any]) -> Shown:
    kind = block.get("type")
    if kind == "text":
        return Text(text_of(block.get("text")))
    if kind in ("image", "audio"):
        return Media(text_of(block.get("mimeType")), base64_of(block.get("data")))
    if kind == "resource":
        return _resource(record(block.get("resource")))
    if kind == "resource_link":
        words = [text_of(block.get(key)) for key in ("title", "name", "description")]
        return Text(": ".join([*dict.fromkeys(word for word in words if word), text_of(block.get("uri"))]))
    return Text(dumped(block))


def _resource(resource: dict[str, Any]) -> Shown:
    uri = text_of(resource.get("uri"))
    if "blob" in resource and resource["blob"] is not None:
        return Media(text_of(resource.get("mimeType")) or "application/octet-stream", base64_of(resource["blob"]), uri)
    return Text(f"{uri}:\n{text_of(resource.get('text'))}" if uri else text_of(resource.get("text")))


def texts(answer: Answered) -> list[str]:
    """The texts of an answer; the structured content too, as JSON, where no text says it already."""
    found = [part.text for part in answer.parts if isinstance(part, Text)]
    if answer.structured is not None and not says(found, answer.structured):
        found.append(dumped(answer.structured))
    return found


def says(found: Iterable[str], structured: Any) -> bool:
    """Whether one of some texts is the JSON of a value."""
    return any(_reads(text, structured) for text in found)


def _reads(text: str, structured: Any) -> bool:
    try:
        return same(parse_json(text), structured)
    except JsonError:
        return False


def media(answer: Answered) -> list[Media]:
    """The images, sounds and documents of an answer."""
    return [part for part in answer.parts if isinstance(part, Media)]


def unseen(part: Media) -> str:
    """What is said in the place of something that a provider cannot be shown."""
    where = f" {part.uri}" if part.uri else ""
    size = f", {len(part.data) * 3 // 4:,} bytes" if part.data else ""
    return f"[{part.mime or 'a file'}{where}{size}: cannot be shown here]"


def marked(answer: Answered, text: str) -> str:
    """The text of an answer, with a word in front that it is an error, for providers that have no place for that."""
    return f"Error: {text}" if answer.error and not text.lower().startswith("error") else text
