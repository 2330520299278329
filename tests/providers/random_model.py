"""A model that answers at random: any answer that the grammar of the schema it was sent allows, with a fixed seed."""

from __future__ import annotations

import json
import random
from functools import lru_cache
from typing import Any

import pytest

from toolglot.providers.calling import is_whole

SEED = 20261130
LONGEST = 1_500
_TRIES = 3
NOTHING = {"type": "object", "additionalProperties": False}
"""What is said to a tool that was sent without parameters: an empty object."""


class Bytes:
    """A tokenizer whose tokens are single bytes: no model is needed."""

    eos_token_id = 256
    bos_token_id = None
    tokens = (*(bytes([number]) for number in range(256)), b"<eos>")
    special_token_ids = (256,)

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text if isinstance(text, bytes) else text.encode())


class RandomModel:
    """Answers drawn from grammars; `unsaid` counts the schemas that no grammar could be made of, by reason."""

    def __init__(self) -> None:
        self.guidance = pytest.importorskip("llguidance", reason="llguidance is not installed")
        self.tokenizer = self.guidance.LLTokenizer(self.guidance.TokenizerWrapper(Bytes()))
        self.chance = random.Random(SEED)
        self.grammar = lru_cache(maxsize=4096)(self._grammar)

    def answer(self, schema: Any) -> str | None:
        """Arguments for a schema, as text; None where there is no grammar for it, or no answer ends.

        An answer with a number that no double holds (1e999) is drawn again: no JSON reader of a server takes it.
        """
        grammar = self.grammar(json.dumps(schema if schema is not None else NOTHING))
        drawn = (self._sample(grammar) for _ in range(_TRIES) if grammar is not None)
        return next((text for text in drawn if text is not None and is_whole(text)), None)

    def has_grammar(self, schema: Any) -> bool:
        """Whether a grammar can be made of a schema."""
        return self.grammar(json.dumps(schema if schema is not None else NOTHING)) is not None

    def _grammar(self, schema: str) -> str | None:
        matcher = self.guidance.LLMatcher
        try:
            found = matcher.grammar_from_json_schema(schema, overrides={"whitespace_flexible": False})
        except ValueError:
            return None
        failed, _ = matcher.validate_grammar_with_warnings(found, self.tokenizer)
        return None if failed else found

    def _sample(self, grammar: str) -> str | None:
        matcher = self.guidance.LLMatcher(self.tokenizer, grammar, log_level=0)
        out = bytearray()
        while len(out) < LONGEST:
            forced = matcher.compute_ff_bytes()
            if forced:
                matcher.consume_tokens(list(forced))
                out += forced
                continue
            if matcher.is_accepting() or matcher.is_stopped():
                return out.decode("utf-8", "replace")
            token = self._letter(matcher.compute_bitmask())
            if token is None:
                return None
            matcher.consume_token(token)
            out.append(token)
        return None

    def _letter(self, mask: bytes) -> int | None:
        """A byte that may come next: letters mostly, and an end of what is open as often as not."""
        allowed = [number for number in range(256) if mask[number >> 3] >> (number & 7) & 1]
        plain = [number for number in allowed if 32 <= number < 127] or allowed
        if not plain:
            return None
        closing = [number for number in plain if chr(number) in '"]},' and len(plain) > 4]
        return self.chance.choice(closing if closing and self.chance.random() < 0.5 else plain)
