"""The conversation in the middle: every provider reads its messages into these values, and writes them from these."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

Role = Literal["system", "user", "assistant"]

UNREAD = "INVALID_JSON"
"""The one member of the object that carries arguments which are no JSON object, where a provider wants an object.

Source: Anthropic's documentation on fine-grained tool streaming says to send them back like this.
"""


@dataclass(frozen=True, slots=True)
class Text:
    """Plain text; `extra` is what belongs to it at its provider (ids, signatures), kept as it came."""

    text: str
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Media:
    """An image, a sound or a document: base64 `data`, or only a `uri`."""

    mime: str
    data: str = ""
    uri: str = ""

    @property
    def is_image(self) -> bool:
        """Whether it is a picture."""
        return self.mime.startswith("image/")


Shown: TypeAlias = "Text | Media"


@dataclass(frozen=True, slots=True)
class Asked:
    """A call as the model wrote it: wire name, and arguments as a mapping, or as the text that is no JSON object.

    `id` is "" where the provider gave none. `extra` are members of the provider's own (signatures), kept as they came.
    """

    id: str
    name: str
    arguments: Any
    extra: Mapping[str, Any] = field(default_factory=dict[str, Any])


@dataclass(frozen=True, slots=True)
class Answered:
    """The result of a call; `structured` is the structured content, None where there is none."""

    id: str
    name: str
    parts: tuple[Shown, ...]
    structured: Any = None
    error: bool = False


@dataclass(frozen=True, slots=True)
class Kept:
    """What only the same provider understands (reasoning, its own tools): kept as it came, told to nobody else."""

    raw: Any


Part: TypeAlias = "Text | Media | Asked | Answered | Kept"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said. Results of calls stand in the user's turns."""

    role: Role
    parts: tuple[Part, ...]


def joined(turns: list[Turn]) -> list[Turn]:
    """Turns where neighbours of one side are one turn, and empty ones are gone."""
    found: list[Turn] = []
    for turn in turns:
        if found and found[-1].role == turn.role:
            found[-1] = Turn(turn.role, found[-1].parts + turn.parts)
        elif turn.parts:
            found.append(turn)
    return found
