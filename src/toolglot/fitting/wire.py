"""The schema that is sent: where its references lead, and whether the wire form of a part carries a value."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from toolglot.fitting.failures import Judge
from toolglot.schema.meaning import meaning
from toolglot.schema.refs import ref_of
from toolglot.schema.tool import thaw
from toolglot.schema.walk import Schema, unescape

if TYPE_CHECKING:
    from toolglot.fitting.engine import Fitter


def on_wire(fitter: Fitter, schema: Any) -> Any:
    """What a schema of the wire is: the reference at its top followed into the definitions that are sent."""
    for _ in range(50):
        ref = ref_of(schema)
        if ref is None:
            break
        container, _, name = ref.removeprefix("#/").partition("/")
        found = fitter.written.get(container, {}).get(unescape(name))
        if found is None:
            return fitter.follow(schema)
        beside = {word: value for word, value in schema.items() if word != "$ref"}
        schema = {**found, **beside} if beside else found
    return schema


class Wire:
    """Judges values by parts of the schema that is sent; each part is compiled when it is first asked for."""

    def __init__(self, sent: Mapping[str, Any] | None) -> None:
        self._boxes = {box: (sent or {})[box] for box in ("$defs", "definitions") if box in (sent or {})}
        self._known: dict[int, tuple[Schema, Judge]] = {}

    def takes(self, part: Schema, value: Any) -> bool | None:
        """Whether a value in its wire form is valid for a part; None where there is no verdict."""
        known = self._known.get(id(part))
        if known is None or known[0] is not part:
            whole = part if isinstance(part, bool) else {**self._boxes, **part}
            known = (part, Judge(meaning(thaw(whole)).schema))
            self._known[id(part)] = known
        return known[1].verdict(value)
