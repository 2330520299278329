"""The laws on drawn schemas: Hypothesis draws the tool and the target, and the values are twisted."""

from __future__ import annotations

from typing import Any

from drawn import tools
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from laws import Fitted, Subject, all_laws
from targets_asked import distinct_targets

from toolglot.errors import ToolError

TARGETS = {target.id: target for target in distinct_targets()}
_NO_CHECKS = (
    HealthCheck.too_slow,
    HealthCheck.data_too_large,
    HealthCheck.filter_too_much,
    HealthCheck.large_base_example,
)
STRICT = ("openai-strict", "anthropic-strict", "gemini-parameters", "portable-strict")


def the_laws_hold(examples: int) -> None:
    """Draw so many tools, always the same ones; half of them for the targets that ask for most."""

    @settings(max_examples=examples, derandomize=True, deadline=None, database=None, suppress_health_check=_NO_CHECKS)
    @given(tool=tools(), target=st.one_of(st.sampled_from(STRICT), st.sampled_from(list(TARGETS))))
    def hold(tool: dict[str, Any], target: str) -> None:
        try:
            f = Fitted(Subject(tool), TARGETS[target])
        except ToolError:
            return
        found = all_laws(f)
        assert found == [], "\n".join(found)

    hold()
