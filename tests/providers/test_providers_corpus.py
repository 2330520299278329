"""Real tools, through the real SDKs, against endpoints that refuse by the facts."""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from batches import WHOLE, as_published, batches, size, tools
from loopback import endpoint, problems
from sdks import CASES, Case
from tests.shared import needs_shared

from toolglot import Toolset
from toolglot.targets.load import SHIPPED

REPORT = Path(__file__).resolve().parents[2] / ".accept" / "provider-figures"
EACH = pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.provider}-{case.target}")


def report(name: str, case: Case, row: dict[str, Any]) -> None:
    """A row of the figures, printed, and kept where the whole corpus is run."""
    print(f"{name} {case.provider} {case.target}: {json.dumps(row)}")
    if WHOLE:
        REPORT.mkdir(parents=True, exist_ok=True)
        row = {"arm": name, "provider": case.provider, "target": case.target, **row}
        (REPORT / f"{name}-{case.provider}-{case.target}.json".replace(" ", "-")).write_text(json.dumps(row))


def ask(case: Case, url: str, sent: Any) -> bool:
    """Whether the endpoint takes a list; an SDK that refuses it itself counts as refused too."""
    try:
        case.ask(url, sent, [case.user("Hello")])
    except Exception as error:
        if "the endpoint failed" in str(error):
            raise
        return False
    return True


@needs_shared
@EACH
def test_every_tool_is_taken_or_left_out_with_a_reason(case: Case) -> None:
    target = SHIPPED.target(case.target)
    found = tools(60)
    began, sent, left = time.monotonic(), 0, Counter[str]()
    with endpoint(case.wire, case.target) as server:
        for batch in batches(found, size(target)):
            view = Toolset(batch).normalize(case.target)
            written = case.form.tools(view)
            assert ask(case, server.url, written), server.refused[-1:]
            arrived = case.wire.tools(server.requests.pop())
            assert [one.tool["name"] for one in arrived] == [n.name for n in view.tools]
            sent += len(view.tools)
            left.update(problem.message for problem in view.problems)
            assert len(batch) == len(view.tools) + len(view.problems)
        assert server.refused == server.changed == []
    assert sent + sum(left.values()) == len(found)
    reasons = Counter({re.sub(r"`.*?`|\d+", "...", reason): count for reason, count in left.items()})
    row = {"tools": len(found), "sent": sent, "left out": sum(left.values()), "reasons": dict(reasons)}
    report("ours", case, {**row, "seconds": round(time.monotonic() - began, 1)})
    assert not any("takes" in reason for reason in left), "a batch was too large"


@needs_shared
@EACH
def test_the_same_as_published_for_contrast(case: Case) -> None:
    """Not a promise: how many tools and requests the same endpoint refuses without us."""
    target = SHIPPED.target(case.target)
    found = tools(60)
    asked = refused = bad = changed = 0
    with endpoint(case.wire, case.target) as server:
        for batch in batches(found, size(target)):
            view = as_published(case, batch)
            written = case.form.tools(view)
            asked += 1
            refused += not ask(case, server.url, written)
            server.requests.clear()
            for tool in batch:
                (alone,) = case.wire.tools(body(case, as_published(case, [tool])))
                against = [refuses for _, _, refuses in problems([alone], target)]
                bad += any(against)
                changed += bool(against) and not any(against)
    row = {"tools": len(found), "refused": bad, "changed": changed, "requests": asked, "refused requests": refused}
    report("published", case, row)


def body(case: Case, view: Any) -> dict[str, Any]:
    """The part of a request that holds the tools, as it would be without an SDK between."""
    written = json.loads(json.dumps(case.form.tools(view)))
    if case.provider == "google_genai":
        return {"tools": [{"functionDeclarations": group["function_declarations"]} for group in written]}
    return {"toolConfig": {"tools": written}} if case.provider == "bedrock" else {"tools": written}
