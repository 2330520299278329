"""Writing a baseline file: comments, order and line ends stay; only what has to change does."""

from __future__ import annotations

import pytest
from baseline_rows import RULES, TARGETS, URL, applied, entry, finding, judged
from hypothesis import given
from hypothesis import strategies as st

from toolglot.contract.baseline import parse_baseline
from toolglot.contract.baseline_edit import HEADER, add, prune
from toolglot.contract.model import Finding
from toolglot.errors import ConfigError

FIRST = """\
[[entry]]
tool = "t"
pointer = "/a"
rule = "TG101"
reason = "old editor"
issue = "https://example.org/1"
"""


def test_the_first_entry_makes_the_file() -> None:
    assert add([finding("t")], "", "old editor ", URL) == HEADER + FIRST


def test_entries_without_words_are_written_empty() -> None:
    assert add([finding("t")], "").endswith('reason = ""\nissue = ""\n')


def test_new_entries_go_to_the_end_in_order() -> None:
    text = "# mine\n\n[[entry]] # first\ntool = 'z'\npointer = ''\nrule = 'TG101'\n# bye"
    findings = [finding("t", "TG102"), finding("t", pointer="/b"), finding("a"), finding("z"), finding("t")]
    new = add(findings, text)
    assert new.startswith(text + "\n\n[[entry]]\n")
    assert [(one.tool, one.rule, one.pointer) for one in parse_baseline(new).entries] == [
        ("z", "TG101", ""),
        ("a", "TG101", "/a"),
        ("t", "TG101", "/a"),
        ("t", "TG101", "/b"),
        ("t", "TG102", "/a"),
    ]


@pytest.mark.parametrize(
    "findings",
    [
        [],
        [finding("t")],
        [finding("t", pointer="/a/b")],
        [finding("t", "TG301", "/z")],
        [finding("t", "TG001", "/z")],
        applied(entry(), [finding("t")], judged("t")),
    ],
)
def test_what_needs_no_entry_changes_nothing(findings: list[Finding]) -> None:
    text = entry().rstrip()
    assert add(findings, text) == text


@pytest.mark.parametrize(
    ("targets", "written"),
    [
        ([], ""),
        (["cursor"], 'target = "cursor"\n'),
        (["openai", "cursor"], 'target = ["cursor", "openai"]\n'),
        (["a", "b", "c", "d"], 'target = [\n    "a",\n    "b",\n    "c",\n    "d",\n]\n'),
    ],
)
def test_targets_of_a_finding_about_targets(targets: list[str], written: str) -> None:
    each = [finding("t", "TG201", targets=[target]) for target in targets]
    for findings in (each, [finding("t", "TG201", targets=targets)]) if each else ([finding("t", "TG201")],):
        assert f'rule = "TG201"\n{written}reason = ""\n' in add(findings, "")


def test_targets_of_a_rule_of_the_contract_are_not_written() -> None:
    assert "target" not in add([finding("t", "TG101", targets=["cursor"])], "").removeprefix(HEADER)


def test_only_the_targets_that_are_missing_are_added() -> None:
    text = entry(rule="TG201", target="gemini")
    new = parse_baseline(add([finding("t", "TG201", "/a/b", TARGETS)], text)).entries[1:]
    assert [(one.pointer, one.target) for one in new] == [("/a/b", "cursor"), ("/a/b", "openai")]


@pytest.mark.parametrize(
    ("tool", "pointer", "read"),
    [
        ('quote"\\', '/properties/"x"', ('quote"\\', '/properties/"x"')),
        ("line\nend\x7f\x00", "/a\tb", ("line\nend\x7f\x00", "/a\tb")),
        ("half \ud800 pair", "/a/\udfffb/c", ("half * pair", "/a/*/c")),
        ("[[entry]]", "/a\u2028b", ("[[entry]]", "/a\u2028b")),
        ("\r\n", "/\r", ("\r\n", "/\r")),
    ],
)
def test_hostile_names_are_written(tool: str, pointer: str, read: tuple[str, str]) -> None:
    found = finding(tool, pointer=pointer)
    text = add([found], "", "a reason", URL)
    (one,) = parse_baseline(text).entries
    assert (one.tool, one.pointer) == read
    assert one.lists(found)
    assert add([found], text) == text


def test_line_ends_stay() -> None:
    text = entry().replace("\n", "\r\n")
    assert "\n" not in add([finding("u")], text).replace("\r\n", "")
    assert "\n" not in prune(text + entry("u").replace("\n", "\r\n"), stale(text, 1)).replace("\r\n", "")


def stale(text: str, *numbers: int) -> list[Finding]:
    """The findings of a check where these entries no longer violate."""
    found = applied(text, [], judged("t", "u", "v"))
    return [part for part in found if any(part.group.startswith(f"entry {number}") for number in numbers)]


COMMENTED = """\
# The file.

# About t.
[[entry]] # here
tool = "t"
pointer = "/a"
rule = "TG101"
# why, at length

# A section.

# About u.
[[entry]]
tool = "u"
pointer = '''
/a''' # note
rule = "TG201"
target = ["cursor", "gemini"] # both
"""


@pytest.mark.parametrize(
    ("numbers", "rest"),
    [
        ([], COMMENTED),
        ([1], "# The file.\n\n# A section.\n\n# About u." + COMMENTED.partition("# About u.")[2]),
        ([2], COMMENTED.partition("\n# About u.")[0]),
        ([1, 2], "# The file.\n\n# A section.\n"),
    ],
)
def test_pruning_takes_the_entry_with_its_comments(numbers: list[int], rest: str) -> None:
    assert prune(COMMENTED, stale(COMMENTED, *numbers) if numbers else []) == rest


def test_pruning_takes_out_single_targets() -> None:
    found = [part for part in stale(COMMENTED, 2) if part.targets == ("cursor",)]
    assert prune(COMMENTED, found) == COMMENTED.replace('"cursor", ', "")


def test_pruning_the_last_entry_leaves_nothing_behind() -> None:
    assert prune(entry(), stale(entry(), 1)) == ""


def test_pruning_takes_entries_of_tools_that_are_gone() -> None:
    text = entry() + entry("gone")
    assert prune(text, applied(text, [finding("t")], judged("t"))) == entry().rstrip() + "\n"


def test_pruning_keeps_what_was_not_judged_or_lacks_words() -> None:
    text = entry(reason="") + entry(rule="TG102")
    assert prune(text, applied(text, [finding("t")], judged("t", rules=["TG101"]))) == text


@pytest.mark.parametrize("text", ['entry = [{tool = "t", pointer = "/a", rule = "TG101"}]\n'])
def test_other_spellings_are_refused_not_spoilt(text: str) -> None:
    with pytest.raises(ConfigError, match="Edit it by hand"):
        prune(text, stale(text, 1))
    with pytest.raises(ConfigError):
        add([finding("u")], text)


COMMENT_LINES = st.sampled_from(["", "# note", "  # [[entry]] in a comment", "#"])


@given(
    st.lists(st.sampled_from(["t", "u", "v"]), min_size=1, max_size=5),
    st.lists(COMMENT_LINES, min_size=12, max_size=12),
    st.data(),
)
def test_pruning_among_comments(tools: list[str], notes: list[str], data: st.DataObject) -> None:
    blocks = [entry(tool, "TG201", f"/{place}", target=list(TARGETS[:2])) for place, tool in enumerate(tools)]
    around = zip(blocks, notes, notes[1:], notes[2:], strict=False)
    text = "".join(f"{first}\n{second}\n{block}{third}\n" for block, first, second, third in around)
    found = [part for part in applied(text, [], judged(*tools, rules=RULES)) if data.draw(st.booleans())]
    after = parse_baseline(prune(text, found)).entries
    before = parse_baseline(text).entries
    groups = {part.group for part in found}
    assert [(one.pointer, one.target) for one in after] == [
        (one.pointer, one.target) for one in before if one.key not in groups
    ]


@given(st.lists(st.builds(finding, st.sampled_from("tuv"), st.sampled_from(RULES), st.sampled_from(["/a", "/b", ""]))))
def test_adding_and_pruning_is_as_if_nothing_was(findings: list[Finding]) -> None:
    text = HEADER + "# a word\n"
    grown = add(findings, text, "a reason", URL)
    assert prune(grown, applied(grown, [], judged(*"tuv"))) == text
