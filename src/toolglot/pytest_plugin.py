"""The pytest plugin: the tools of the configured server as tests of an ordinary `pytest` run.

With a `server` in the configuration of pytest's own rootdir, the run has one test for each published tool and group
of rules, and one strict xfail for each entry of the baseline. Without it nothing of toolglot is imported.
"""

from __future__ import annotations

import os
import sys
import traceback
import warnings
from collections import Counter
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import astuple, dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import pytest

if TYPE_CHECKING:
    from toolglot.contract.config import Config
    from toolglot.contract.entries import Entry
    from toolglot.contract.model import Finding, Report
    from toolglot.schema.tool import Listing

ROOT = "toolglot"
"""The first part of the ids of these tests: `toolglot::TOOL::GROUP`."""

GROUPS: tuple[tuple[str, tuple[str, ...]], ...] = (("contract", ("TG0", "TG1")), ("targets", ("TG2",)))
"""The groups of rules, with the beginnings of their codes."""

WHOLE_LIST = "tools/list"


class Violation(Exception):
    """What a test found; its text is the whole report of the failure."""


@dataclass(frozen=True, slots=True)
class Case:
    """One test, as plain texts, so that it can be sent to a worker process.

    `names` are the parts of its id. It fails with `failure`. `expected` makes it a strict xfail for this reason,
    `skipped` a skipped test.
    """

    names: tuple[str, ...]
    failure: str = ""
    expected: str = ""
    skipped: str = ""


_CASES = pytest.StashKey[tuple[Case, ...] | None]()
_ASKED = pytest.StashKey[tuple[str, ...]]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options of the plugin."""
    group = parser.getgroup("toolglot", "toolglot: the tools of the configured MCP server")
    group.addoption(
        "--toolglot", action="store_true", help="Check the tools also where only single files or tests are asked for."
    )
    group.addoption("--toolglot-off", action="store_true", help="Do not start the server, check no tools.")


def pytest_configure(config: pytest.Config) -> None:
    """Declare the marker, and take ids of these tests off the list of files to collect."""
    config.addinivalue_line("markers", "toolglot: a test of a published MCP tool, made by the toolglot plugin")
    asked = tuple(arg for arg in config.args if arg.startswith(f"{ROOT}::"))
    if asked and not config.getoption("toolglot_off") and _maybe_configured(config.rootpath):
        config.stash[_ASKED] = asked
        config.args[:] = [arg for arg in config.args if arg not in asked]


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """With pytest-xdist: the controller reads the server once, and every worker gets the same tests."""
    cases = _cases(node.config)
    node.workerinput[ROOT] = None if cases is None else [astuple(case) for case in cases]


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    """Put the tools beside what the session collects."""
    report = yield
    if isinstance(collector, pytest.Session) and report.passed and _cases(collector.config) is not None:
        path = collector.config.rootpath / ROOT
        report.result.append(_node(Tools, collector, name=ROOT, nodeid=ROOT, path=path))
    return report


class Tools(pytest.Collector):
    """All tests of the plugin, or those of one tool."""

    cases: Sequence[Case] | None = None

    def collect(self) -> Iterable[pytest.Item | pytest.Collector]:
        """The tests of the tools, grouped by tool."""
        cases = _asked(self.config, _cases(self.config) or ()) if self.cases is None else self.cases
        grouped: dict[str, list[Case]] = {}
        for case in cases:
            if len(case.names) == 1:
                yield _item(self, case)
            else:
                grouped.setdefault(case.names[0], []).append(case)
        for name, below in grouped.items():
            child = _node(Tools, self, name=name)
            child.cases = [replace(case, names=case.names[1:]) for case in below]
            yield child


class CaseItem(pytest.Item):
    """One test; see Case."""

    case = Case(())

    def runtest(self) -> None:
        """Fail with what was found."""
        if self.case.skipped:
            pytest.skip(self.case.skipped)
        if self.case.failure:
            raise Violation(self.case.failure)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], *args: Any, **kwargs: Any) -> Any:
        """The finding alone: a traceback says nothing here."""
        if isinstance(excinfo.value, Violation):
            return str(excinfo.value)
        return super().repr_failure(excinfo, *args, **kwargs)

    def reportinfo(self) -> tuple[Path, None, str]:
        """The place and the title of a failure."""
        return self.path, None, self.nodeid.replace("::", " ")


_N = TypeVar("_N", bound=pytest.Item | pytest.Collector)


def _node(kind: type[_N], parent: pytest.Collector, **more: Any) -> _N:
    # The stubs of pytest leave the keywords of `from_parent` without types.
    return cast("Any", kind).from_parent(parent, **more)


def _item(parent: pytest.Collector, case: Case) -> CaseItem:
    item = _node(CaseItem, parent, name=case.names[0])
    item.case = case
    item.add_marker(pytest.mark.toolglot)
    if case.expected:
        item.add_marker(pytest.mark.xfail(reason=case.expected, raises=Violation, strict=True))
    return item


def _asked(config: pytest.Config, cases: Sequence[Case]) -> list[Case]:
    """The cases whose ids the command line names; all where it names none."""
    wanted = config.stash.get(_ASKED, ())
    ids = {case: "::".join((ROOT, *case.names)) for case in cases}
    for name in wanted:
        if not any(_is_below(one, name) for one in ids.values()):
            raise pytest.Collector.CollectError(f"not found: {name}")
    return [case for case, one in ids.items() if not wanted or any(_is_below(one, name) for name in wanted)]


def _is_below(one: str, name: str) -> bool:
    return one == name or one.startswith(f"{name}::")


# Whether to read the server.


def _cases(config: pytest.Config) -> tuple[Case, ...] | None:
    """The tests of this run, or None where the plugin has nothing to do; the server is read at most once."""
    if _CASES not in config.stash:
        worker: dict[str, Any] | None = getattr(config, "workerinput", None)
        if worker is not None and ROOT in worker:
            sent = worker[ROOT]
            config.stash[_CASES] = None if sent is None else tuple(Case(tuple(one[0]), *one[1:]) for one in sent)
        else:
            config.stash[_CASES] = _read(config.rootpath) if _wanted(config) else None
    return config.stash[_CASES]


def _wanted(config: pytest.Config) -> bool:
    if config.getoption("toolglot_off") or not _maybe_configured(config.rootpath):
        return False
    return bool(config.getoption("toolglot") or _ASKED in config.stash or _whole_project(config))


def _maybe_configured(root: Path) -> bool:
    """Whether the rootdir itself can hold a configuration; cheap, so that other projects pay nothing."""
    if (root / "toolglot.toml").is_file():
        return True
    try:
        return b"toolglot" in (root / "pyproject.toml").read_bytes()
    except OSError:
        return False


def _whole_project(config: pytest.Config) -> bool:
    """Whether the run is about the project, not about single files: no server is started for one test.

    That is so where pytest chose the paths by `testpaths`, or where a directory is collected that is the rootdir, one
    of its children, or one of the `testpaths`.
    """
    if config.args_source is pytest.Config.ArgsSource.TESTPATHS:
        return True
    root = config.rootpath
    tops = {root / path for path in config.getini("testpaths")}
    here = config.invocation_params.dir
    paths = [Path(os.path.normpath(here / arg)) for arg in config.args]
    return any(path.is_dir() and (root.is_relative_to(path) or path.parent == root or path in tops) for path in paths)


# Reading the server, and what it means for each test. The rest of toolglot is imported here only.


def _read(root: Path) -> tuple[Case, ...] | None:
    """The tests for the configuration in this directory; None where it names no server."""
    from toolglot.contract.config import config_in
    from toolglot.errors import SourceError, ToolglotError

    try:
        config = config_in(root)
        if config is None or config.server is None:
            return None
        with _undisturbed(root):
            return tuple(_distinct(_checked(config)))
    except SourceError as error:
        return (Case(("server",), f"The server could not be read. {error}"),)
    except ToolglotError as error:
        return (Case(("configuration",), str(error)),)
    except Exception:
        # A fault of ours is one failed test, and not the end of the project's own tests.
        return (Case(("internal error",), traceback.format_exc()),)


@contextmanager
def _undisturbed(root: Path) -> Generator[None]:
    """The project's own packages can be imported, and warnings of ours or of its server do not end the run."""
    sys.path.insert(0, str(root))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        sys.path.remove(str(root))


def _checked(config: Config) -> Iterator[Case]:
    """Read the server of the configuration and check it. Raises ToolglotError."""
    from toolglot.contract.check import check, make_plan
    from toolglot.contract.entries import baseline_of, resolve_targets
    from toolglot.mcp.project_server import project_server
    from toolglot.mcp.sources import read
    from toolglot.targets.load import Catalogue

    catalogue = Catalogue(config.extra_targets, config.corrections, config.shown)
    baseline = resolve_targets(baseline_of(config), catalogue)
    codes = [rule.code for rule in make_plan(None, None, None, config=config, catalogue=catalogue).rules]
    (listing,) = read(project_server(config), timeout=config.timeout or _SECONDS)
    report = check(listing, baseline=baseline, config=config)
    if listing.error is not None:
        yield Case(("server",), f"The server could not be read whole. {listing.error}")
    failing = report.failing(config.fail_on)
    for tool in _tools(listing):
        yield from _groups(tool, failing, codes)
    for entry in baseline.entries:
        yield _entry(entry, report)


_SECONDS = 30.0


def _tools(listing: Listing) -> Iterator[str]:
    """The labels of the tools, each once, in published order; the list as a whole comes last."""
    labels = dict.fromkeys(entry.name or _label(None, entry.index) for entry in listing.entries)
    return iter((*labels, WHOLE_LIST))


def _label(tool: str | None, index: int | None) -> str:
    if tool:
        return tool
    return WHOLE_LIST if index is None else f"entry {index}"


def _groups(tool: str, failing: Sequence[Finding], codes: Sequence[str]) -> Iterator[Case]:
    """A case for each group of rules that ran; for the list as a whole only for what judges it as a whole."""
    from toolglot.report.escape import cut, plain

    for group, starts in GROUPS:
        found = [f for f in failing if f.code.startswith(starts) and _label(f.tool, f.index) == tool]
        ran = any(code.startswith(starts) for code in codes) and (tool != WHOLE_LIST or group == "targets")
        if ran or found:
            yield Case((plain(cut(tool)), group), _text(found))


def _entry(entry: Entry, report: Report) -> Case:
    """An entry is expected to violate; where it is wrong itself, it fails."""
    from toolglot.report.escape import cut, plain

    place = " ".join(part for part in (entry.tool or WHOLE_LIST, entry.rule, entry.pointer, entry.target) if part)
    names = ("baseline", plain(cut(place)))
    problems = [f for f in report.findings if f.code.startswith("TG3") and f.group == entry.key]
    stale = [f for f in problems if f.code == "TG301"]
    if stale:
        return Case(names, expected=plain(f"{stale[0].message} {stale[0].fix}"))
    if problems:
        return Case(names, _text(problems))
    listed = [f for f in report.findings if f.listed and entry.lists(f)]
    if not listed:
        return Case(names, skipped="not judged: its tool was not read whole, or its rule or target did not run")
    return Case(names, _text(listed), expected=plain(f"{entry.reason} ({entry.issue})"))


def _text(findings: Sequence[Finding]) -> str:
    """Findings as the text of a failure; empty for none."""
    from toolglot.report.escape import cut, name, plain

    lines: list[str] = []
    for finding in findings:
        told = all(target in finding.why for target in finding.targets)
        targets = "" if told else f" ({', '.join(finding.targets)})"
        lines.append(f"{finding.code} {finding.rule} {name(finding.pointer) if finding.pointer else ''}".rstrip())
        lines.append(f"  {plain(cut(f'{finding.message} {finding.why}{targets}'.strip(), _LONGEST))}")
        if finding.fix:
            lines.append(f"  instead: {plain(cut(finding.fix, _LONGEST))}")
    return "\n".join(lines)


_LONGEST = 800


def _distinct(cases: Iterable[Case]) -> Iterator[Case]:
    """The same cases; where ids are equal (a name that was cut, a doubled entry), the later ones get a number."""
    seen: Counter[tuple[str, ...]] = Counter()
    for case in cases:
        seen[case.names] += 1
        number = seen[case.names]
        yield case if number == 1 else replace(case, names=(*case.names[:-1], f"{case.names[-1]} #{number}"))
