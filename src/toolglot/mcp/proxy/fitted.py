"""A page of `tools/list` made fit: which entries change, which stay byte for byte, and the way back for calls."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from toolglot.contract.surface import read_only_hint
from toolglot.errors import ToolError
from toolglot.fitting.toolset import Toolset
from toolglot.mcp.pages import entry
from toolglot.mcp.prefixes import prefixed
from toolglot.mcp.proxy.envelope import dump, join, join_list, object_of, text_of
from toolglot.mcp.proxy.restrict import Restriction, narrowed
from toolglot.mcp.raw import items, members
from toolglot.schema.tool import BadTool, Listing, Tool
from toolglot.schema.values import is_map

if TYPE_CHECKING:
    from toolglot.contract.surface import SurfaceReading
    from toolglot.fitting.normalized import Normalized
    from toolglot.targets.load import Catalogue
    from toolglot.targets.model import Target

MARK = "io.toolglot/target"
"""The member of a tool's `_meta` that names the target it was made fit for."""

_KEPT_PAGES = 64
_BEYOND = "is not sent: "
"""How a tool is told that has no room in one request. What a request holds is the client's to choose."""

_HEADER = "x-mcp-header"


@dataclass(frozen=True, slots=True)
class Known:
    """A tool as the client knows it. `form` is the way back; None: its calls go on as they come.

    `name` is what the server calls it, `shown` the same with the prefix of its server, `wire` what the client calls it.
    """

    name: str
    shown: str
    wire: str
    form: Normalized | None
    reads: bool
    surface: SurfaceReading | None = None

    @property
    def changes(self) -> int:
        """How many places of the tool are sent in another form."""
        return 0 if self.form is None else len(self.form.noted)


@dataclass(frozen=True, slots=True)
class Note:
    """What happened to one entry of a list, in words; `tool` is the published name."""

    tool: str | None
    text: str


@dataclass(frozen=True, slots=True)
class Page:
    """One page made fit. `raw` is the list to send; None: nothing changed, send the bytes that came."""

    raw: bytes | None
    known: tuple[Known, ...]
    notes: tuple[Note, ...] = ()
    alone: int = 0
    hidden: int = 0
    names: tuple[str, ...] = ()

    @property
    def renamed(self) -> Mapping[str, str]:
        """Shown name to wire name, where they differ."""
        return {one.shown: one.wire for one in self.known if one.shown != one.wire}


@dataclass(slots=True)
class Fitter:
    """Makes pages fit one target under one restriction; the same page is made once, whoever asks.

    `target` None changes no tool: only the restriction counts.
    """

    target: Target | None
    catalogue: Catalogue
    restriction: Restriction = field(default_factory=Restriction)
    prefix: str = ""
    _pages: OrderedDict[tuple[bytes, frozenset[str]], Page] = field(
        default_factory=OrderedDict[tuple[bytes, frozenset[str]], Page], repr=False
    )

    @property
    def idle(self) -> bool:
        """Whether nothing would ever change."""
        return self.target is None and not self.restriction and not self.prefix

    def page(self, tools: bytes, doubled: frozenset[str] = frozenset()) -> Page:
        """Make the raw list of one page fit; `doubled` are names that other pages have too. Raises JsonError."""
        key = (sha256(tools).digest(), doubled)
        found = self._pages.get(key)
        if found is None:
            found = self._pages[key] = self._made(items(tools), doubled)
            if len(self._pages) > _KEPT_PAGES:
                self._pages.popitem(last=False)
        self._pages.move_to_end(key)
        return found

    def _made(self, raws: list[bytes], doubled: frozenset[str]) -> Page:
        work = _Work(self, raws, doubled)
        return work.page()

    def marked(self, tool: Tool) -> bool:
        """Whether the tool was made fit for this target already: then it passes as it is, name included."""
        meta = tool.raw.get("_meta")
        return self.target is not None and is_map(meta) and meta.get(MARK) == self.target.id


class _Work:
    """The making of one page."""

    def __init__(self, fitter: Fitter, raws: list[bytes], doubled: frozenset[str]) -> None:
        self.fitter = fitter
        self.raws = raws
        self.entries = [entry(raw, index) for index, raw in enumerate(raws)]
        self.names = [one.name for one in self.entries]
        counts = Counter(name for name in self.names if name is not None)
        self.doubled = doubled | {name for name, times in counts.items() if times > 1}
        self.notes: list[Note] = []
        self.sent: list[bytes | None] = list(raws)
        self.known: list[Known] = []
        self.surfaces: dict[int, SurfaceReading] = {}

    def page(self) -> Page:
        shown = [self._looked_at(index, one) for index, one in enumerate(self.entries)]
        hidden = sum(1 for raw in self.sent if raw is None)
        tools = [one for one in shown if one is not None]
        self._fit(tools)
        sent = [raw for raw in self.sent if raw is not None]
        changed = len(sent) != len(self.raws) or any(a is not b for a, b in zip(sent, self.raws, strict=True))
        alone = sum(1 for one in tools if self.sent[one.index] is self.raws[one.index])
        names = tuple(name for name in self.names if name is not None)
        raw = join_list(sent) if changed else None
        return Page(raw, tuple(self.known), tuple(self.notes), alone, hidden, names)

    def _looked_at(self, index: int, one: Tool | BadTool) -> Tool | None:
        """As `_shown`; under a restriction an entry over which we fail ourselves is hidden."""
        try:
            return self._shown(index, one)
        except Exception as error:
            if not self.fitter.restriction:
                raise
            self.sent[index] = None
            self.notes.append(Note(one.name, f"is left out, it cannot be judged ({type(error).__name__})"))
            return None

    def _shown(self, index: int, one: Tool | BadTool) -> Tool | None:
        """The tool that is to be made fit; None where the entry is hidden, left out, or passes as it is."""
        if isinstance(one, BadTool):
            return self._bad(index, one)
        restriction = self.fitter.restriction
        shown = prefixed(one, self.fitter.prefix)
        if restriction:
            surface = restriction.read(one, doubled=one.name in self.doubled)
            if surface is None or not restriction.admits_name(one.name, shown.name):
                self.sent[index] = None
                return None
            self.surfaces[index] = surface
            if restriction.read_only:
                shown = narrowed(shown, surface)
        if self.fitter.marked(one):
            self._pass(shown, "was made fit for this target already, and passes as it is")
            return None
        return shown

    def _bad(self, index: int, bad: BadTool) -> None:
        restricted = bool(self.fitter.restriction)
        is_tool = bad.name is not None and bad.pointer == ""
        if self.fitter.target is None and not restricted:
            return
        if is_tool and not restricted and not self.fitter.prefix:
            self.notes.append(Note(bad.name, f"cannot be read ({bad.problem}), and passes as published"))
            self.known.append(Known(str(bad.name), str(bad.name), str(bad.name), None, False))
            return
        self.sent[index] = None
        self.notes.append(Note(bad.name, f"is left out: {bad.problem}"))

    def _fit(self, tools: list[Tool]) -> None:
        """Make the tools fit as one list, or leave them as they are where there is no target."""
        if self.fitter.target is None:
            for tool in tools:
                self._as_published(tool)
            return
        known, notes = list(self.known), list(self.notes)
        try:
            self._fit_as_one(tools)
        except Exception:  # a fault of ours: it costs one tool its form, never the list
            self.known, self.notes = known, notes
            for tool in tools:
                self._fit_alone(tool)

    def _fit_as_one(self, tools: list[Tool]) -> None:
        assert self.fitter.target is not None
        listing = Listing("", tuple(tools))
        view = Toolset(listing, catalogue=self.fitter.catalogue).normalize(self.fitter.target)
        made = [(form, self._sent(form)) for form in view.tools]
        for form, raw in made:
            self.sent[form.published.tool.index] = raw
            self._remember(form.published.tool, form.name, form)
        beyond = [one for one in view.problems if len(tools) > 1 and one.message.startswith(_BEYOND)]
        for problem in view.problems:
            if problem not in beyond:
                self._problem(tools[problem.index], problem.message)
        for problem in beyond:
            self._fit_alone(tools[problem.index])
        if beyond:
            limit = beyond[0].message.removeprefix(_BEYOND)
            said = f"{len(beyond)} tools are more than go into one request: {limit} The client has to choose"
            self.notes.append(Note(tools[beyond[0].index].name, said))

    def _fit_alone(self, tool: Tool) -> None:
        try:
            self._fit_as_one([tool])
        except Exception as error:
            self._problem(tool, f"it could not be made fit ({type(error).__name__})")

    def _problem(self, tool: Tool, message: str) -> None:
        """A tool that the target cannot get is left out; one that could not be made fit passes as published."""
        if "is not sent to" in message or "has the name of an earlier tool" in message:
            self.sent[tool.index] = None
            self.notes.append(Note(tool.name, f"is left out: {message}"))
        elif self.fitter.restriction.read_only:
            self.sent[tool.index] = None
            self.notes.append(Note(tool.name, f"is left out, it cannot be judged: {message}"))
        else:
            self._pass(tool, f"passes as published: {message}")

    def _as_published(self, tool: Tool) -> None:
        published = self.entries[tool.index]
        if tool is not published:
            parts = members(self.raws[tool.index])
            parts["name"] = dump(tool.name)
            if isinstance(published, Tool) and tool.schema != published.schema:
                parts["inputSchema"] = dump(tool.schema)
            self.sent[tool.index] = join(parts)
        self._remember(tool, tool.name, _judge_of(tool, self.fitter))

    def _pass(self, tool: Tool, said: str) -> None:
        self.notes.append(Note(tool.name, said))
        self._as_published(tool)
        if not self.fitter.restriction.read_only:
            self.known[-1] = replace(self.known[-1], form=None)

    def _sent(self, form: Normalized) -> bytes:
        """The entry as it goes to the client: the very bytes where nothing changed."""
        tool = form.published.tool
        published = self.entries[tool.index]
        if form.name != self.names[tool.index] or form.description != tool.description or _is_new(form, published):
            return self._rewritten(form)
        return self.raws[tool.index]

    def _remember(self, tool: Tool, wire: str, form: Normalized | None) -> None:
        hint = read_only_hint(tool) is True
        name = self.names[tool.index] or tool.name
        self.known.append(Known(name, tool.name, wire, form, hint, self.surfaces.get(tool.index)))

    def _rewritten(self, form: Normalized) -> bytes:
        """The entry with name, description and schema replaced; every other member keeps its bytes."""
        parts = members(self.raws[form.published.tool.index])
        parts["name"] = dump(form.name)
        if form.description or "description" in parts:
            parts["description"] = dump(form.description)
        published = form.published.tool.input_schema
        if form.schema is not None and form.schema is not published:
            parts["inputSchema"] = dump(shown_schema(form))
        elif published is not None and _is_new(form, self.entries[form.published.tool.index]):
            parts["inputSchema"] = dump(published)
        assert self.fitter.target is not None
        parts["_meta"] = join({**object_of(parts.get("_meta")), MARK: dump(self.fitter.target.id)})
        return join(parts)


def shown_schema(form: Normalized) -> Any:
    """The schema that the client sees of a tool."""
    published = form.published.tool.input_schema
    if form.schema is None or form.schema is published:
        return published
    return without_headers(form.schema, published)


def _is_new(form: Normalized, published: Tool | BadTool) -> bool:
    """Whether the schema to send is not the published one."""
    if not isinstance(published, Tool):
        return True
    sent = form.published.tool.input_schema if form.schema is None else form.schema
    return sent is not published.input_schema


def _judge_of(tool: Tool, fitter: Fitter) -> Normalized | None:
    """Under `--read-only` calls are checked against the schema that is shown, without a target too."""
    if not fitter.restriction.read_only:
        return None
    from toolglot.fitting.codec import IDENTITY
    from toolglot.fitting.normalized import Normalized
    from toolglot.fitting.published import Published

    schema = tool.input_schema if isinstance(tool.input_schema, Mapping) else None
    nobody = fitter.target or fitter.catalogue.target("portable")
    try:
        return Normalized(Published(tool), nobody, tool.name, tool.description, schema, (), IDENTITY)
    except ToolError:
        return None


def without_headers(schema: Any, published: Any, chain: bool = True) -> Any:
    """A schema to send without `x-mcp-header`, except where a property is the published one on a path of properties."""
    if isinstance(schema, list):
        return [without_headers(item, None, False) for item in schema]  # pyright: ignore[reportUnknownVariableType]
    if not is_map(schema):
        return schema
    kept: dict[str, Any] = {}
    for word, value in schema.items():
        if word == _HEADER and not (chain and schema == published):
            continue
        if word == "properties" and is_map(value):
            before = published.get("properties") if is_map(published) else None
            before = before if is_map(before) else {}
            kept[word] = {name: without_headers(one, before.get(name), chain) for name, one in value.items()}
        elif word in ("enum", "const", "default", "examples"):
            kept[word] = value
        else:
            kept[word] = without_headers(value, None, False)
    return kept


def tools_of(result: bytes) -> tuple[bytes, str | None] | None:
    """The raw `tools` of a result and the cursor of the next page; None for a result that is no list of tools."""
    parts = object_of(result)
    tools = parts.get("tools")
    if tools is None or tools[:1] != b"[":
        return None
    return tools, text_of(parts.get("nextCursor")) or None
