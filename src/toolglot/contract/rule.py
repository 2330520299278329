"""What a rule is: a code, a name, a severity, a check of one tool, and documentation that is tested."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from toolglot.contract.model import NO_WITNESS, FactNote, Severity
from toolglot.contract.overlap import Values
from toolglot.contract.root import Root, read_root
from toolglot.contract.surface import VOCABULARY, SurfaceReading, Vocabulary, read_surface
from toolglot.contract.unions import Union, unions
from toolglot.schema.lazy import lazy
from toolglot.schema.meaning import Meaning, Repair, meaning
from toolglot.schema.refs import Document
from toolglot.schema.tool import Listing, Tool, read_entries
from toolglot.schema.walk import Node
from toolglot.targets.accept import ScannedTool


@dataclass(frozen=True, slots=True)
class Hit:
    """One place where a rule fires. `severity` None is the rule's own. Equal `group`s have the same cause and fold."""

    pointer: str
    message: str
    why: str = ""
    fix: str = ""
    keyword: str | None = None
    severity: Severity | None = None
    witness: Any = NO_WITNESS
    group: str = ""
    targets: tuple[str, ...] = ()
    fact: FactNote | None = None


@dataclass(frozen=True)
class Subject:
    """One tool under check. `namesakes` are the indexes of the tools of the list with this name, its own included.

    What is costly is computed when a rule first asks for it, once for all rules.
    """

    tool: Tool
    listing: Listing
    namesakes: tuple[int, ...] = ()
    vocabulary: Vocabulary = VOCABULARY

    @lazy
    def scanned(self) -> ScannedTool:
        """The tool with its scan, which all targets share."""
        return ScannedTool(self.tool)

    @property
    def document(self) -> Document:
        """The published schema with its references."""
        return self.scanned.document

    @property
    def nodes(self) -> tuple[Node, ...]:
        """Every schema of the document, parents first."""
        return self.document.nodes

    @lazy
    def unions(self) -> tuple[Union, ...]:
        """Every `anyOf` and `oneOf`."""
        return tuple(unions(self.document))

    @lazy
    def root(self) -> Root:
        """What the root shows of the parameters, and what hides them."""
        return read_root(self.document, missing=self.tool.input_schema is None)

    @lazy
    def meaning(self) -> Meaning:
        """What the schema means, and what had to be repaired to say so."""
        return meaning(self.document)

    @lazy
    def values(self) -> Values:
        """Questions about the values of the unions."""
        return Values(self.document)

    @lazy
    def surface(self) -> SurfaceReading:
        """The surface class, with the reason."""
        return read_surface(
            self.tool, self.document, self.meaning, doubled=len(self.namesakes) > 1, vocabulary=self.vocabulary
        )

    @property
    def handler(self) -> tuple[str, ...] | None:
        """The parameter names of the tool's function; None where it is not known (other processes)."""
        return self.listing.handlers.get(self.tool.name)

    def repairs(self, kinds: Iterable[str]) -> Iterator[Repair]:
        """The repairs of these kinds, in document order."""
        wanted = frozenset(kinds)
        return (repair for repair in self.meaning.repairs if repair.kind in wanted)


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule of the contract; `doc` is the documentation of its module (see `ruledoc`; None under `python -OO`).

    `repairs` are the kinds of repair of the meaning that this rule reports.
    """

    code: str
    name: str
    severity: Severity
    check: Callable[[Subject], Iterable[Hit]]
    doc: str | None
    repairs: tuple[str, ...] = ()


def subjects(listing: Listing, vocabulary: Vocabulary = VOCABULARY) -> Iterator[Subject]:
    """Each tool of a list as a Subject, in published order."""
    places: defaultdict[str, list[int]] = defaultdict(list)
    for tool in listing.tools:
        places[tool.name].append(tool.index)
    for tool in listing.tools:
        yield Subject(tool, listing, tuple(places[tool.name]), vocabulary)


def listing_of(tools: Iterable[Tool | Mapping[str, Any]], id: str = "tools") -> Listing:
    """Tools that are at hand already as a list that can be checked."""
    entries = read_entries(tool.raw if isinstance(tool, Tool) else tool for tool in tools)
    return Listing(id, entries, transport="memory")
