"""One call judged: restored, mended, checked, and refused in words that the model can act on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from toolglot.errors import ArgumentsError, JsonError, parse_json
from toolglot.fitting.codec import IDENTITY
from toolglot.fitting.mend import JSON_TEXT, NO_ARGUMENTS, Mended
from toolglot.schema.values import is_map, same
from toolglot.schema.walk import escape

if TYPE_CHECKING:
    from toolglot.fitting.published import Restored
    from toolglot.mcp.proxy.fitted import Known
    from toolglot.mcp.proxy.settings import Settings

_UNCHECKED = "The arguments could not be checked, and this server is restricted here."


@dataclass(frozen=True, slots=True)
class Verdict:
    """What becomes of one call.

    `refused` is the text for the model; empty: the call goes on. `arguments` are the server's; None: those that came
    go on byte for byte. `gate`: refused by a restriction. `warning` is for the log, and names no value.
    """

    refused: str = ""
    gate: bool = False
    arguments: dict[str, Any] | None = None
    mends: tuple[Mended, ...] = ()
    reshaped: tuple[str, ...] = ()
    warning: str = ""

    @property
    def restored(self) -> list[dict[str, str]]:
        """What was done to the arguments, kinds and places only: the member `io.toolglot/restored` of the result."""
        shapes = [{"kind": "re-shaped", "pointer": pointer} for pointer in self.reshaped]
        return [*shapes, *({"kind": mend.what, "pointer": mend.pointer} for mend in self.mends)]


def judge(known: Known, raw: bytes | None, settings: Settings) -> Verdict:
    """Judge the raw arguments of a call of a known tool (None: it has none). Never raises."""
    restriction = settings.restriction
    if known.form is None:
        return Verdict(_UNCHECKED, gate=True) if restriction.read_only else Verdict()
    try:
        value = None if raw is None else parse_json(raw)
        restored = known.form.restore(value, settings.mends(known.reads))
    except ArgumentsError as error:
        return Verdict(str(error))
    except JsonError as error:
        return Verdict(f"The arguments of {known.wire} are no JSON that can be read: {error.message}")
    except Exception as error:  # a fault of ours costs the check, never the call
        reason = f"the arguments could not be checked ({type(error).__name__}), and went on as they came"
        return Verdict(_UNCHECKED, gate=True) if restriction else Verdict(warning=reason)
    if restriction:
        return _gated(known, value, restored, settings)
    return _verdict(known, raw, value, restored)


def _gated(known: Known, value: Any, restored: Restored, settings: Settings) -> Verdict:
    """Under a restriction what was judged goes on, never what came."""
    said = settings.restriction.refusal(known.surface, restored.arguments)
    if not restored.checked and settings.restriction.read_only:
        said = said or _UNCHECKED
    if said:
        return Verdict(said, gate=True)
    changes = _changes(known, value, restored.arguments)
    return Verdict(arguments=restored.arguments, mends=restored.mended, reshaped=changes)


def _verdict(known: Known, raw: bytes | None, value: Any, restored: Restored) -> Verdict:
    warning = "" if restored.checked else "the arguments could not be checked"
    mends = restored.mended
    if raw is not None and not is_map(value) and not mends:
        mends = (Mended("", NO_ARGUMENTS if value is None else JSON_TEXT),)
    reshaped = _changes(known, value, restored.arguments)
    if not mends and not reshaped:
        return Verdict(warning=warning)
    return Verdict(arguments=restored.arguments, mends=mends, reshaped=reshaped, warning=warning)


def _changes(known: Known, value: Any, restored: dict[str, Any]) -> tuple[str, ...]:
    """The parameters whose value has another form for the server than it had on the wire."""
    if known.form is None or known.form.codec is IDENTITY or not is_map(value):
        return ()
    changed = (name for name, item in restored.items() if name not in value or not same(item, value[name]))
    gone = (name for name in value if name not in restored)
    return tuple(f"/{escape(name)}" for name in (*changed, *gone))
