"""What the command line says about a proxy, as one frozen value."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from toolglot.mcp.proxy.restrict import Restriction

if TYPE_CHECKING:
    from toolglot.fitting.normalized import Mend

MendOption = Literal["safe", "all", "all-tools", "off"]

NONE = "none"
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Settings:
    """How calls and lists are treated. `target` is the name as given: an id, `none`, or `auto`."""

    target: str = "portable"
    mend: MendOption = "safe"
    refuse: bool = True
    observe: bool = False
    restriction: Restriction = field(default_factory=Restriction)

    def mends(self, reads: bool) -> Mend:
        """What may be repaired in a call; guesses of intent only for tools that say they read, unless asked for."""
        if self.mend == "off":
            return False
        return "all" if self.mend == "all-tools" or (self.mend == "all" and reads) else "safe"
