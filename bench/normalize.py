"""How long it takes to make a tool fit a target, beside the peers that do a part of it, in one run and one process.

`python bench/normalize.py` makes an environment in `.bench` with this checkout and `pydantic-ai-slim`, `google-adk`,
`litellm` and `openai`, takes 1,000 tools of the corpus and prints the median and the mean of microseconds a tool. Each
tool is timed once a round; the minimum over the rounds counts. The peers answer a smaller question: they change a
schema for one provider and do not say what is lost, nor how to get the arguments back.
"""

from __future__ import annotations

import copy
import json
import os
import statistics
import subprocess
import sys
import time
import timeit
import venv
from collections.abc import Callable
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
ROOT = HERE.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "tools.jsonl"
HOME = ROOT / ".bench" / "normalize"
PEERS = ("pydantic-ai-slim[openai,google]", "google-adk", "litellm", "openai")
TOOLS = 1_000
ROUNDS = 7

Job = Callable[[Any], Any]


def tools() -> list[dict[str, Any]]:
    """The first tools of the corpus, as mappings."""
    lines = CORPUS.read_text().splitlines()[:TOOLS]
    found = [json.loads(line) for line in lines]
    return [{"name": t["name"], "description": "What it does.", "inputSchema": t["inputSchema"]} for t in found]


def ours(target: str) -> Job:
    """Ours: the whole tool."""
    from toolglot import target as find
    from toolglot.fitting.normalized import normalize

    chosen = find(target)
    return lambda tool: normalize(tool, chosen)


def adk_gemini(tool: Any) -> Any:
    """Ours, as ADK-Rust does it: the adapter for Gemini, which keeps the first branch of a union."""
    from toolglot.adk import GeminiSchemaAdapter

    return GeminiSchemaAdapter().normalize_schema(tool["inputSchema"])


def pydantic_ai_google(tool: Any) -> Any:
    """pydantic-ai: its transformer for Google."""
    from pydantic_ai.profiles.google import GoogleJsonSchemaTransformer

    return GoogleJsonSchemaTransformer(tool["inputSchema"], strict=None).walk()


def pydantic_ai_openai(tool: Any) -> Any:
    """pydantic-ai: its transformer for strict tools of OpenAI."""
    from pydantic_ai.profiles.openai import OpenAIJsonSchemaTransformer

    return OpenAIJsonSchemaTransformer(tool["inputSchema"], strict=True).walk()


def google_adk(tool: Any) -> Any:
    """google-adk: its conversion to Gemini's Schema."""
    from google.adk.tools._gemini_schema_util import _to_gemini_schema

    return _to_gemini_schema(tool["inputSchema"])


def litellm_vertex(tool: Any) -> Any:
    """litellm: its conversion for Vertex; it changes its input, so a copy is part of the job."""
    from litellm.llms.vertex_ai.common_utils import _build_vertex_schema

    return _build_vertex_schema(copy.deepcopy(tool["inputSchema"]))


def openai_strict(tool: Any) -> Any:
    """openai: its helper for strict schemas; it changes its input, so a copy is part of the job."""
    from openai.lib._pydantic import _ensure_strict_json_schema

    schema = copy.deepcopy(tool["inputSchema"])
    return _ensure_strict_json_schema(schema, path=(), root=schema)


def jobs() -> dict[str, Job]:
    """Everything that is timed, by name."""
    return {
        "toolglot, gemini-parameters": ours("gemini-parameters"),
        "toolglot.adk, GeminiSchemaAdapter": adk_gemini,
        "pydantic-ai, Google transformer": pydantic_ai_google,
        "google-adk, _to_gemini_schema": google_adk,
        "litellm, _build_vertex_schema": litellm_vertex,
        "toolglot, openai-strict": ours("openai-strict"),
        "pydantic-ai, OpenAI transformer": pydantic_ai_openai,
        "openai, strict helper": openai_strict,
        "toolglot, openai-nonstrict (most untouched)": ours("openai-nonstrict"),
        "toolglot, portable (most untouched)": ours("portable"),
    }


def timed(named: dict[str, Job], given: list[Any]) -> tuple[dict[str, list[float]], dict[str, int]]:
    """Microseconds a tool for each job, the minimum over the rounds; and how many tools it failed on."""
    best: dict[str, list[float]] = {name: [float("inf")] * len(given) for name in named}
    failed: dict[str, set[int]] = {name: set() for name in named}
    clock = time.perf_counter
    for _ in range(ROUNDS):
        for name, job in named.items():
            times = best[name]
            for place, tool in enumerate(given):
                started = clock()
                try:
                    job(tool)
                except Exception:
                    failed[name].add(place)
                times[place] = min(times[place], (clock() - started) * 1e6)
    return best, {name: len(places) for name, places in failed.items()}


def calls(given: list[Any]) -> list[tuple[str, float, float]]:
    """A repeated look-up of a whole list, and a call: median and mean microseconds."""
    from toolglot.adk import GeminiSchemaAdapter, SchemaCache
    from toolglot.fitting.normalized import normalize
    from toolglot.fitting.toolset import Toolset
    from toolglot.schema.witness import instances

    ts = Toolset(given[:100])
    ts.normalize("gemini-parameters")
    looks = [_once(lambda: ts.normalize("gemini-parameters")) for _ in range(2_000)]
    cache = SchemaCache.for_adapter(GeminiSchemaAdapter())
    by_sight = [_again(cache.normalize, tool.schema) for tool in ts.tools]
    by_content = [_again(cache.normalize, tool["inputSchema"]) for tool in given]
    restores: list[float] = []
    for tool in given:
        n = normalize(tool, "gemini-parameters")
        values = [value for value in instances(tool["inputSchema"], 3) if isinstance(value, dict)]
        wires = [n.encode(value) for value in values]
        restores += [min(_once(lambda w=w, n=n: n.restore(w)) for _ in range(5)) for w in wires[-1:]]
    return [
        ("Toolset of 100: normalize again", statistics.median(looks), statistics.mean(looks)),
        ("SchemaCache: a frozen tool again", statistics.median(by_sight), statistics.mean(by_sight)),
        ("SchemaCache: a dict again", statistics.median(by_content), statistics.mean(by_content)),
        ("restore and validate a call", statistics.median(restores), statistics.mean(restores)),
    ]


def _again(job: Job, given: Any) -> float:
    """The least microseconds of a job that was done once before; many at a time, since one is too short to be timed."""
    job(given)
    return min(timeit.repeat(lambda: job(given), number=100, repeat=5)) * 1e4


def _once(job: Callable[[], Any]) -> float:
    started = time.perf_counter()
    job()
    return (time.perf_counter() - started) * 1e6


def measure() -> None:
    """Time everything in this process and print a table."""
    named = {name: job for name, job in jobs().items() if _works(name, job)}
    given = tools()
    found, failed = timed(named, given)
    untouched = ours("portable")
    same = [place for place, tool in enumerate(given) if untouched(tool).schema == tool["inputSchema"]]
    print(f"{len(given):,} tools of the corpus, minimum of {ROUNDS} rounds, microseconds a tool")
    print(f"{'':<48}{'median':>9}{'mean':>9}{'failed':>8}")
    for name, times in found.items():
        print(f"{name:<48}{statistics.median(times):>9.1f}{statistics.mean(times):>9.1f}{failed[name]:>8}")
    alone = [found["toolglot, portable (most untouched)"][place] for place in same]
    print(f"{'untouched tools alone, portable':<48}{statistics.median(alone):>9.1f}{statistics.mean(alone):>9.1f}")
    for name, median, mean in calls(given):
        print(f"{name:<48}{median:>9.1f}{mean:>9.1f}")


def _works(name: str, job: Job) -> bool:
    """Whether a peer can be asked at all: names inside its package may have moved."""
    try:
        job(
            {"name": "a", "description": "", "inputSchema": {"type": "object", "properties": {"a": {"type": "string"}}}}
        )
    except Exception as error:
        print(f"left out: {name}: {type(error).__name__}: {error}", file=sys.stderr)
        return False
    return True


def environment() -> Path:
    """The Python of an environment with the peers and this checkout, made once."""
    python = HOME / "bin" / "python"
    done = HOME / ".done"
    if not done.exists() or done.read_text() != "\n".join(PEERS):
        venv.create(HOME, with_pip=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", *PEERS], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "--editable", str(ROOT)], check=True)
        done.write_text("\n".join(PEERS))
    return python


def main() -> int:
    """Measure inside the environment; make it first where this is another one."""
    if not CORPUS.exists():
        print("bench/normalize.py needs the folder `shared` beside this checkout; it is not there.", file=sys.stderr)
        return 2
    if "--here" in sys.argv:
        measure()
        return 0
    offline = {**os.environ, "LITELLM_LOCAL_MODEL_COST_MAP": "True"}
    return subprocess.run([environment(), __file__, "--here"], check=False, env=offline).returncode


if __name__ == "__main__":
    sys.exit(main())
