"""Independent judges: other people's code says whether what we send is taken, and what comes back.

`google.genai.types.Schema` refuses fields it does not know, the 2020-12 meta-schema judges plain JSON Schema, and
`llguidance` compiles what is meant for constrained decoding and lets answers be sampled from the grammar.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import llguidance
import pytest
from golden_tools import GOLDEN
from google.genai import types
from pydantic import ValidationError
from tests.shared import cases, corpus, hard, needs_shared

from toolglot.errors import ArgumentsError, ToolError
from toolglot.fitting.normalized import Normalized, normalize
from toolglot.schema.features import FEATURES
from toolglot.schema.tool import thaw
from toolglot.schema.validate import meta_error


def tools() -> list[dict[str, Any]]:
    """Tools of every kind: the golden ones, the cases, the hard schemas, some of the corpus where it is there."""
    found = [tool for _, tool, _ in GOLDEN.values()]
    found += [case["tool"] for case in cases()]
    found += [{"name": row["id"], "description": "What it does.", "inputSchema": row["inputSchema"]} for row in hard()]
    found += [{**tool, "description": "What it does."} for tool in (corpus()[::40] if hard() else ())]
    return found


def sent(target: str) -> Iterator[Normalized]:
    """What is sent to a target for each tool."""
    for tool in tools():
        n = normalize({key: value for key, value in tool.items() if key != "server"}, target)
        if not n.refused and n.schema is not None:
            yield n


@pytest.mark.parametrize("target", ["gemini-parameters", "vertex-ai"])
def test_googles_own_type_takes_the_parameters(target: str) -> None:
    assert types.Schema.model_config.get("extra") == "forbid"
    wrong: list[str] = []
    for n in sent(target):
        try:
            types.FunctionDeclaration.model_validate(
                {"name": n.name, "description": n.description, "parameters": thaw(n.schema)}
            )
        except ValidationError as error:
            places = [e["loc"] for e in error.errors()]
            wrong.append(f"{n.name}: {places[:3]} {json.dumps(thaw(n.schema))}")
    assert wrong == [], "\n".join(wrong[:20])


def has_an_old_tuple(n: Normalized) -> bool:
    """Whether a list as `items`, well-formed up to draft 2019-09, is left to a target that no fact tells us about."""
    old = FEATURES["tuple-items"].bit
    return bool(n.published.scanned.mask & old and not n.target.refuses & (old | FEATURES["schema-invalid"].bit))


@pytest.mark.parametrize("target", ["anthropic-nonstrict", "anthropic-strict", "openai-strict", "claude-code"])
def test_the_meta_schema_takes_what_is_sent(target: str) -> None:
    wrong = [
        f"{n.name}: {error.pointer} wants {error.expected}"
        for n in sent(target)
        if not has_an_old_tuple(n)
        if (error := meta_error({**thaw(n.schema), "$schema": "https://json-schema.org/draft/2020-12/schema"}))
    ]
    assert wrong == [], "\n".join(wrong[:20])


DECODED = ("openai-strict", "anthropic-strict", "llguidance", "portable-strict")
SEED = 20261130
SAMPLES = 4


class Bytes:
    """A tokenizer whose tokens are single bytes: no model is needed."""

    eos_token_id = 256
    bos_token_id = None
    tokens = [*(bytes([number]) for number in range(256)), b"<eos>"]  # noqa: RUF012
    special_token_ids = [256]  # noqa: RUF012

    def __call__(self, text: str | bytes) -> list[int]:
        return list(text if isinstance(text, bytes) else text.encode())


def grammar(schema: Any) -> str:
    compact = {"whitespace_flexible": False}
    return llguidance.LLMatcher.grammar_from_json_schema(json.dumps(schema), overrides=compact)


def answer(tokenizer: Any, schema: Any, chance: random.Random, longest: int = 1_500) -> str | None:
    """One answer that the grammar allows, letters at random; None where it does not end in time."""
    matcher = llguidance.LLMatcher(tokenizer, grammar(schema), log_level=0)
    out = bytearray()
    while len(out) < longest:
        mask = matcher.compute_bitmask()
        allowed = [number for number in range(257) if mask[number >> 3] >> (number & 7) & 1]
        if matcher.is_accepting() or not allowed:
            return out.decode("utf-8") if matcher.is_accepting() else None
        plain = [number for number in allowed if 32 <= number < 127] or allowed
        closing = [number for number in plain if chr(number) in '"]},' and len(plain) > 4]
        token = chance.choice(closing if closing and chance.random() < 0.5 else plain)
        matcher.consume_token(token)
        out.append(token)
    return None


@needs_shared
@pytest.mark.parametrize("target", DECODED)
def test_a_grammar_is_made_and_its_answers_restore(target: str) -> None:
    """Every schema compiles; of sampled answers nearly all restore to arguments that the server accepts."""
    tokenizer = llguidance.LLTokenizer(llguidance.TokenizerWrapper(Bytes()))
    chance = random.Random(SEED)
    wrong: list[str] = []
    asked = restored = 0
    for n in list(sent(target))[::2]:
        schema = thaw(n.schema)
        failed, notes = llguidance.LLMatcher.validate_grammar_with_warnings(grammar(schema), tokenizer)
        if failed:
            wrong += [] if NUL in notes[0] else [f"{n.name}: {notes[0][:200]} {json.dumps(schema)[:300]}"]
            continue
        for _ in range(SAMPLES):
            text = answer(tokenizer, schema, chance)
            if text is not None:
                asked += 1
                restored += _restores(n, text)
    assert wrong == [], "\n".join(wrong[:20])
    print(f"{target}: {restored} of {asked} sampled answers restore")
    assert restored / asked >= LEAST[target]


NUL = "backreferences are not supported"
"""What `\\0` in a pattern is read as: the note of llguidance's fact about patterns says so; no feature tells it."""

LEAST = {"openai-strict": 0.9, "anthropic-strict": 0.85, "llguidance": 0.9, "portable-strict": 0.65}
"""Shares of sampled answers that restore: what is lost are bounds and JSON texts, which a grammar does not know."""


def _restores(n: Normalized, text: str) -> bool:
    try:
        n.restore(text)
    except (ArgumentsError, ToolError):
        return False
    return True
