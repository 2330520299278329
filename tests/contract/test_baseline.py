"""The baseline: what an entry lists, and every way in which an entry itself is wrong."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest
from baseline_rows import RULES, TARGETS, TODAY, URL, applied, entry, finding, judged, listing, problems
from hypothesis import given
from hypothesis import strategies as st

from toolglot.contract.baseline import Baseline, Entry, Judged, apply, baseline_of, load_baseline, parse_baseline
from toolglot.contract.baseline_edit import add
from toolglot.contract.config import Config
from toolglot.contract.entries import resolve_targets
from toolglot.contract.model import Finding
from toolglot.errors import ConfigError, SourceError
from toolglot.schema.tool import Listing, read_entries
from toolglot.targets.load import SHIPPED


def test_an_entry_is_read_with_its_line() -> None:
    text = "# head\n\n" + entry("a") + entry("b*", "TG201", "", target=["gemini", "cursor"], expires=TODAY)
    assert parse_baseline(text, "b.toml").entries == (
        Entry("a", "/a", "TG101", None, "old editor", URL, None, 1, 3),
        Entry("b*", "", "TG201", "gemini", "old editor", URL, TODAY, 2, 10, "gemini"),
        Entry("b*", "", "TG201", "cursor", "old editor", URL, TODAY, 2, 10, "cursor"),
    )


@pytest.mark.parametrize(
    ("text", "where", "message"),
    [
        ("[[entri]]\na = 1", "entri", "Did you mean entry?"),
        ("entry = 1", "entry", "is a number, not a list."),
        ("entry = [1]", "entry 1", "is a number, not a table."),
        ("[[entry]]\nrule = 'TG101'\ntool = 'a'", "entry 1 (line 1)", "has no `pointer`."),
        ("[[entry]]\npath = ''", "entry 1 (line 1).path", "is not known."),
        ("\n\n" + entry(pointer="a"), "entry 1 (line 3).pointer", "is no JSON Pointer."),
        (entry() + entry(rule="TG301"), "entry 2 (line 8).rule", "TG301 cannot be listed."),
        (entry(rule="TG001"), "entry 1 (line 1).rule", "cannot be listed."),
        (entry(rule="structural-union"), "entry 1 (line 1).rule", "Write the code"),
        (entry(expires="2026-01-01"), "entry 1 (line 1).expires", "is no date. Write it without quotes"),
        (entry(target=[]), "entry 1 (line 1).target", "is empty."),
        (entry(target=[1]), "entry 1 (line 1).target[1]", "is a number, not a text."),
        (entry(reason=[]), "entry 1 (line 1).reason", "is a list, not a text."),
        ("[[entry]\n", "line 1, column 8", "is not TOML"),
    ],
)
def test_a_malformed_file_names_the_place(text: str, where: str, message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        parse_baseline(text, "b.toml")
    assert caught.value.where == where
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("given_entry", "found", "listed"),
    [
        (entry(), finding("t"), True),
        (entry(), finding("t", pointer="/a/anyOf/0"), True),
        (entry(), finding("t", pointer="/ab"), False),
        (entry(), finding("t", "TG102"), False),
        (entry(), finding("u"), False),
        (entry("*"), finding("u"), True),
        (entry("*"), finding(None), True),
        (entry(""), finding(None), True),
        (entry(""), finding("t"), False),
        (entry(pointer="/**/anyOf"), finding("t", pointer="/x/y/anyOf/0"), True),
        (entry(rule="TG201"), finding("t", "TG201", targets=["gemini"]), True),
        (entry(rule="TG201", target="gemini"), finding("t", "TG201", targets=["gemini"]), True),
        (entry(rule="TG201", target="gemini"), finding("t", "TG201", targets=["cursor"]), False),
        (entry(rule="TG201", target="gemini"), finding("t", "TG201"), False),
    ],
)
def test_what_an_entry_lists(given_entry: str, found: Finding, listed: bool) -> None:
    first = applied(given_entry, [found], judged("t", "u"))[0]
    assert first.listed is listed
    assert first.baseline == ("old editor" if listed else None)


def test_a_finding_that_is_listed_for_some_targets_is_split() -> None:
    text = entry(rule="TG201", target=["gemini", "cursor"])
    found = finding("t", "TG201", targets=["gemini", "openai", "cursor"])
    assert [(part.targets, part.listed) for part in applied(text, [found], judged("t"))] == [
        (("gemini", "cursor"), True),
        (("openai",), False),
    ]


LISTED = finding("t")


@pytest.mark.parametrize(
    ("text", "findings", "codes"),
    [
        (entry(), [LISTED], []),
        (entry(), [], ["TG301"]),
        (entry(), [finding("t", pointer="/b")], ["TG301"]),
        (entry("*"), [], ["TG301"]),
        (entry(""), [], ["TG301"]),
        (entry("gone"), [], ["TG302"]),
        (entry("gone*"), [LISTED], ["TG302"]),
        (entry(reason=""), [LISTED], ["TG303"]),
        (entry(reason=None), [LISTED], ["TG303"]),
        (entry(reason="  "), [LISTED], ["TG303"]),
        (entry(issue=""), [LISTED], ["TG304"]),
        (entry(issue=None), [LISTED], ["TG304"]),
        (entry(issue="later"), [LISTED], ["TG304"]),
        (entry(issue="OPS-12"), [LISTED], []),
        (entry(issue="OPS-12 or so"), [LISTED], ["TG304"]),
        (entry(reason="", issue=""), [LISTED], ["TG303", "TG304"]),
        (entry(reason=""), [], ["TG301"]),
        (entry() + entry(), [LISTED], ["TG305"]),
        (entry() + entry("*", pointer=""), [LISTED], ["TG305"]),
        (entry("*", pointer="") + entry(), [LISTED], ["TG305"]),
        (entry(pointer="/**/a") + entry(pointer="/a/**"), [LISTED], ["TG305"]),
        (entry() + entry(rule="TG102"), [LISTED, finding("t", "TG102")], []),
        (entry() + entry(pointer="/a/b"), [], ["TG301", "TG301"]),
        (entry(expires=TODAY), [LISTED], []),
        (entry(expires=date(2026, 11, 29)), [LISTED], ["TG306"]),
        (entry(expires=date(2026, 11, 29)), [], ["TG301"]),
    ],
)
def test_what_is_wrong_with_entries(text: str, findings: list[Finding], codes: list[str]) -> None:
    found = applied(text, findings, judged("t"), issue_pattern=r"OPS-\d+")
    assert problems(found) == codes
    assert all(part.severity == "error" for part in found)


TARGETED = entry(rule="TG201", target="gemini")


@pytest.mark.parametrize(
    ("text", "looked", "cause"),
    [
        (entry(), judged("t", rules=["TG102"]), "TG101 did not run"),
        (entry("gone"), judged("t", rules=["TG102"]), "TG101 did not run"),
        (TARGETED, judged("t", targets=["openai"]), "gemini was not asked for"),
        (entry(), judged("t", skipped=[("t", "TG101")]), "TG101 is ignored for the tool"),
        (entry("*"), judged("t", "u", skipped=[("u", "TG101")]), "TG101 is ignored for the tool"),
        (entry("gone"), judged("t", None), "the tool could not be read whole"),
        (entry("t*"), judged("t", None), "the tool could not be read whole"),
        (entry(""), judged("t", None), "the tool could not be read whole"),
    ],
)
def test_what_was_not_looked_at_is_not_judged(text: str, looked: Judged, cause: str) -> None:
    (found,) = applied(text, [], looked)
    assert (found.code, found.severity, found.tool) == ("TG308", "note", None)
    assert found.message == f"Not judged, because {cause}: entry 1 of b.toml."


def test_an_entry_with_several_targets_has_its_words_once() -> None:
    text = entry(rule="TG201", target=list(TARGETS[:2]), reason="", issue="")
    found = finding("t", "TG201", targets=TARGETS[:2])
    assert [part.code for part in applied(text, [found], judged("t")) if not part.listed] == ["TG303", "TG304"]
    (note,) = applied(entry(rule="TG201", target=list(TARGETS[:2])), [], judged("t", rules=["TG101"]))
    assert note.message == "Not judged, because TG201 did not run: entry 1 of b.toml."


def test_entries_that_were_not_judged_are_one_note() -> None:
    found = applied(entry() + entry("u") + entry("v", "TG102"), [], judged("t", "u", "v", rules=[]))
    assert [part.message for part in found] == [
        "Not judged, because TG101 did not run: entries 1, 2 of b.toml.",
        "Not judged, because TG102 did not run: entry 3 of b.toml.",
    ]


def test_a_nameless_bad_entry_does_not_save_an_entry_whose_tool_was_read() -> None:
    assert problems(applied(entry(), [], judged("t", None))) == ["TG301"]


@pytest.mark.parametrize(("tool", "code"), [("bad", "TG308"), ("b*", "TG308"), ("t", "TG301"), ("gone", "TG302")])
def test_a_tool_that_was_not_read_whole(tool: str, code: str) -> None:
    broken = read_entries([{"name": "bad", "inputSchema": 5}])
    looked = Judged.of([Listing("server", (*listing("t").entries, *broken))], RULES)
    assert problems(applied(entry(tool), [], looked)) == [code]


def test_a_tool_that_could_not_be_checked() -> None:
    found = applied(entry() + entry("u"), [finding("t", "TG002", "")], judged("t", "u"))
    assert problems(found) == ["TG301", "TG308"]


@pytest.mark.parametrize(("tool", "code"), [("t", "TG301"), ("gone", "TG308"), ("*", "TG308"), ("", "TG308")])
def test_a_source_that_could_not_be_read(tool: str, code: str) -> None:
    lost = listing(error=SourceError("other", "is away"))
    looked = Judged.of([listing("t"), lost], RULES)
    assert problems(applied(entry(tool), [], looked)) == [code]


def test_findings_name_the_source_of_the_tool() -> None:
    first, second = listing("t"), Listing("second", listing("u").entries)
    looked = Judged.of([first, second], RULES)
    found = applied(entry("t") + entry("u") + entry("gone"), [], looked)
    assert [part.source for part in found] == ["server", "second", "server"]


def test_the_message_says_where_the_entry_is() -> None:
    (found,) = applied("\n\n" + entry(), [], judged("t"))
    assert found.message == "TG101 no longer violates here, but entry 1 (line 3) of b.toml lists it."
    assert (found.tool, found.pointer) == ("t", "/a")


def test_no_baseline_changes_nothing() -> None:
    assert apply(Baseline(), [LISTED], judged("t"), TODAY) == (LISTED,)


@pytest.mark.parametrize(
    ("config", "files", "count"),
    [
        ({}, {}, 0),
        ({}, {"toolglot-baseline.toml": entry()}, 1),
        ({"baseline": "b.toml"}, {"b.toml": entry(), "toolglot-baseline.toml": entry() * 2}, 1),
    ],
)
def test_the_baseline_of_a_configuration(
    tmp_path: Path, config: dict[str, str], files: dict[str, str], count: int
) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    named = tmp_path / config["baseline"] if config else None
    found = baseline_of(Config(path=tmp_path / "toolglot.toml", baseline=named, issue_pattern="x"))
    assert (len(found.entries), found.issue_pattern) == (count, "x")


def test_a_baseline_that_is_named_must_exist(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read: No such file"):
        baseline_of(Config(baseline=tmp_path / "b.toml"))
    with pytest.raises(ConfigError, match="cannot be read"):
        load_baseline(tmp_path)


def test_a_rule_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "b.toml").write_text(entry() + entry(rule="TG199"), encoding="utf-8")
    with pytest.raises(ConfigError, match=r"entry 2 \(line 8\): TG199 is no rule\."):
        load_baseline(tmp_path / "b.toml")


def test_short_names_of_targets_are_resolved() -> None:
    baseline = resolve_targets(parse_baseline(entry(rule="TG201", target="gemini") + entry()), SHIPPED)
    assert [one.target for one in baseline.entries] == ["gemini-parameters-json-schema", None]
    assert baseline.entries[0].written == "gemini"


def test_an_unknown_target_is_an_error() -> None:
    with pytest.raises(ConfigError, match=r"b.toml: entry 1 \(line 1\): unknown target 'gemnii'"):
        resolve_targets(parse_baseline(entry(target="gemnii"), "b.toml"), SHIPPED)


TOOLS = ("t", "u", "entries_upsert")
FINDINGS = st.builds(
    finding,
    st.sampled_from([*TOOLS, None]),
    st.sampled_from(RULES),
    st.sampled_from(["", "/a", "/a/b", "/*", "/a~1b/0", "/**/x"]),
    st.lists(st.sampled_from(TARGETS), unique=True, max_size=3),
)


@given(st.lists(FINDINGS, max_size=12))
def test_adding_all_leaves_only_the_words_to_fill_in(findings: list[Finding]) -> None:
    after = applied(add(findings, ""), findings, judged(*TOOLS))
    assert {part.code for part in after if not part.listed} <= {"TG303", "TG304"}
    filled = applied(add(findings, "", "a reason", URL), findings, judged(*TOOLS))
    assert all(part.listed for part in filled)


@given(st.lists(FINDINGS, min_size=1, max_size=8), st.data())
def test_removing_a_violation_makes_exactly_its_entry_stale(findings: list[Finding], data: st.DataObject) -> None:
    text = add(findings, "", "a reason", URL)
    removed = data.draw(st.sampled_from(findings))
    rest = [found for found in findings if found != removed]
    unused = [one for one in parse_baseline(text).entries if not any(one.lists(found) for found in rest)]
    after = applied(text, rest, judged(*TOOLS))
    assert sorted(part.group for part in after if not part.listed) == sorted(one.key for one in unused)
    assert all(one.lists(removed) for one in unused)
