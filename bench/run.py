"""How long a check takes, as a whole process, beside the fastest peer on the same file and in the same run.

`python bench/run.py [RUNS]` takes 1,000 tools of the corpus, runs every command in turn RUNS times (11 by default) and
prints the minimum and the median of each. `mcp-strict-check` is installed from PyPI into `.bench`; it asks a smaller
question (three strict modes, no contract), so its time is a bar to look at, not a comparison of like with like.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import time
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = HERE.parent
CORPUS = ROOT.parent / "shared" / "corpus" / "tools.jsonl"
WORK = ROOT / ".bench"
PEER = "mcp-strict-check"
TOOLS = 1_000


def tools_file(count: int) -> Path:
    """A saved list with the first `count` tools of the corpus."""
    path = WORK / f"{count}.json"
    lines = CORPUS.read_text().splitlines()[:count]
    tools = [{**json.loads(line), "description": "What it does."} for line in lines]
    path.write_text(json.dumps({"tools": tools}))
    return path


def peer() -> Path:
    """The peer's command, installed into an environment of its own."""
    home = WORK / "peer"
    command = home / "bin" / PEER
    if not command.exists():
        venv.create(home, with_pip=True)
        subprocess.run([home / "bin" / "pip", "install", "--quiet", PEER], check=True)
    return command


def commands() -> dict[str, list[str]]:
    """Name and command line of everything that is timed."""
    ours = str(Path(sys.executable).parent / "toolglot")
    many, few = str(tools_file(TOOLS)), str(tools_file(5))
    return {
        f"toolglot check, {TOOLS:,} tools, default targets": [ours, "check", many, "--isolated"],
        f"toolglot check, {TOOLS:,} tools, all targets": [ours, "check", many, "--isolated", "--for", "all"],
        "toolglot check, 5 tools, default targets": [ours, "check", few, "--isolated"],
        "toolglot --help": [ours, "--help"],
        "import toolglot": [sys.executable, "-c", "import toolglot"],
        f"{PEER}, {TOOLS:,} tools, all axes": [str(peer()), "--tools", many, "--axis", "all"],
        "python -c pass": [sys.executable, "-c", "pass"],
    }


def timed(command: list[str]) -> float:
    """Seconds that a command takes as a process."""
    started = time.perf_counter()
    subprocess.run(command, check=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    return time.perf_counter() - started


def main() -> int:
    """Time everything in turn, print a table."""
    if not CORPUS.exists():
        print("bench/run.py needs the folder `shared` beside this checkout; it is not there.", file=sys.stderr)
        return 2
    WORK.mkdir(exist_ok=True)
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 11
    named = commands()
    times: dict[str, list[float]] = {name: [] for name in named}
    for _ in range(runs):
        for name, command in named.items():
            times[name].append(timed(command))
    print(f"{runs} runs, in turn; seconds of the whole process")
    print(f"{'':<52}{'min':>8}{'median':>8}")
    for name, found in times.items():
        print(f"{name:<52}{min(found):>8.3f}{statistics.median(found):>8.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
