"""Name rules of every kind, and published names that meet them."""

from __future__ import annotations

from toolglot.targets.model import NameRule, Proof

_PROOF = Proof("toolglot: declared", "documented")

RULES: dict[str, NameRule] = {
    "letters, 64": NameRule(_PROOF, "[a-zA-Z0-9_-]+", 64),
    "letters first, 64": NameRule(_PROOF, "[a-zA-Z_][a-zA-Z0-9_.:-]*", 64),
    "a letter first": NameRule(_PROOF, "[a-zA-Z][a-zA-Z0-9_-]*"),
    "prefix, 64": NameRule(_PROOF, "[a-zA-Z0-9_-]+", 64, prefix="mcp__{server}__"),
    "prefix, 60, no dash": NameRule(_PROOF, "[a-zA-Z0-9_]+", 60, prefix="{server}_"),
    "bytes, 24": NameRule(_PROOF, r"[\w-]+", 24, unit="bytes"),
    "small letters": NameRule(_PROOF, "[a-z0-9_]+", 64),
    "dashes only": NameRule(_PROOF, "[a-z][a-z0-9-]*", 32),
    "letters and digits": NameRule(_PROOF, "[a-zA-Z0-9]+", 32),
    "reserved": NameRule(_PROOF, reserved=("search",)),
    "length only": NameRule(_PROOF, max=20),
    "no room": NameRule(_PROOF, "[a-z_]+", 8),
}

NAMES = (
    "pages_list",
    "pages-list",
    "pages.list",
    "pages/list",
    "PagesList",
    "3d_model",
    "_internal",
    "__meta__",
    "search",
    "user name",
    "  spaced   out  ",
    "@scope/package:tool",
    "café/öffnen",
    "ﬁle½",
    "日本語",
    "页面 list",
    "🙂",
    "\ud800lone",
    "a\x00b\n",
    "-",
    "...",
    "l" * 64,
    "l" * 65,
    "l" * 300,
    "é" * 40,
    "日" * 40,
    "a_rather_long_name_of_a_tool_that_has_an_underscore_where_it_is_cut__off",
    "pages_list_h0123abcd",
    "pages_list_h0123ABCD",
    "pages_list_h0123abc",
    "pages-list-h0123abcd",
    "pageslisth0123abcd",
    "_h0123abcd",
)
