"""Codecs of lists and tuples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from toolglot.fitting.codec import Codec, JsonText, Run, plain, wrong
from toolglot.schema.values import is_list, is_map


@dataclass(frozen=True, slots=True)
class Items:
    """Every entry of a list travels through one codec."""

    codec: Codec

    def encode(self, value: Any, run: Run) -> Any:
        """The list with its entries encoded."""
        return [self.codec.encode(item, run) for item in value] if is_list(value) else value

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The list with its entries restored."""
        if not is_list(value):
            return value
        if isinstance(self.codec, JsonText) and _is_published(value, self.codec, run):
            return plain(value, run, path)
        return [self.codec.restore(item, run, f"{path}/{place}") for place, item in enumerate(value)]


def _is_published(items: list[Any], codec: JsonText, run: Run) -> bool:
    """Whether a list is no list of JSON texts: some entry is no text, and those that are may stay as they are."""
    texts = [item for item in items if isinstance(item, str)]
    return len(texts) < len(items) and all(run.valid(codec.schema, text) for text in texts)


@dataclass(frozen=True, slots=True)
class Positions:
    """A tuple travels as an object with `item_1`, `item_2`, ... and `more`.

    `full_from`: every member is there, and from this position on null stands for a missing item.
    """

    items: tuple[Codec, ...]
    more: Codec | None
    full_from: int | None = None

    def encode(self, value: Any, run: Run) -> Any:
        """The object of a list."""
        if not is_list(value):
            return value
        known = len(self.items)
        wire: dict[str, Any] = {
            f"item_{place + 1}": codec.encode(item, run)
            for place, (codec, item) in enumerate(zip(self.items, value, strict=False))
        }
        if self.more is not None and len(value) > known:
            wire["more"] = [self.more.encode(item, run) for item in value[known:]]
        if self.full_from is not None:
            wire.update({f"item_{place + 1}": None for place in range(len(value), known)})
            if self.more is not None:
                wire.setdefault("more", [])
        return wire

    def restore(self, value: Any, run: Run, path: str) -> Any:
        """The list of an object; a list passes as it is, a gap is an error."""
        if not is_map(value):
            return plain(value, run, path) if is_list(value) else value
        if self.full_from is not None:
            kept = {f"item_{place + 1}" for place in range(self.full_from)}
            value = {name: item for name, item in value.items() if item is not None or name in kept}
        given = [f"item_{place + 1}" in value for place in range(len(self.items))]
        length = given.index(False) if False in given else len(given)
        rest = value.get("more")
        if any(given[length:]) or (rest and length < len(given)):
            wrong(run, path, f"item_{length + 1} is missing before later items", "items without a gap")
            return value
        found = [
            codec.restore(value[f"item_{place + 1}"], run, f"{path}/item_{place + 1}")
            for place, codec in enumerate(self.items[:length])
        ]
        if is_list(rest) and self.more is not None:
            found += [self.more.restore(item, run, f"{path}/more/{place}") for place, item in enumerate(rest)]
        return found
