"""What the codes mean that are no rules about schemas: list entries that cannot be checked, and the baseline."""

from __future__ import annotations

from toolglot.contract import baseline
from toolglot.contract.check import ListErrors

_TEXTS = {
    "TG001": (
        "An entry of the list is no tool: it has no name, or its inputSchema is no object. Clients on the official"
        " SDKs refuse the whole list for one such entry. The other tools are checked."
    ),
    "TG002": (
        "The input schema of a tool is too large or nested too deep to be checked. Publish a smaller one. The other"
        " tools are checked."
    ),
    "TG301": (
        "An entry of the baseline lists something that no longer violates. Remove the entry; `toolglot baseline"
        " prune` does it."
    ),
    "TG302": "An entry of the baseline names a tool that is no longer published. Remove it, or give it the new name.",
    "TG303": "An entry of the baseline gives no reason. Say why the violation has to stay for now.",
    "TG304": "An entry of the baseline names no issue. Give a URL, or what `issue-pattern` allows.",
    "TG305": "An entry of the baseline lists what another entry lists already. Remove the narrower one.",
    "TG306": "An entry of the baseline has expired. Remove the violation, or agree on a new date.",
    "TG307": (
        "The baseline lists more than it did at the commit it is compared with. Remove the violation, or accept the"
        " growth knowingly with --allow-growth."
    ),
    "TG308": (
        "An entry of the baseline was not judged: its tool was not read whole, or its rule or target was left out."
        " Nothing is to be done."
    ),
}

CODES: dict[str, tuple[str, str]] = {
    code: (name, _TEXTS[code]) for code, name in (*ListErrors.items(), *baseline.RULES.items())
}
"""Code to its name and its explanation."""
