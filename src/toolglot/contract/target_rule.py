"""Rules about what targets do to a tool. What differs between them is data: which class of losses they report."""

from __future__ import annotations

from dataclasses import dataclass

from toolglot.contract.model import Severity


@dataclass(frozen=True, slots=True)
class TargetRule:
    """A rule of the TG2 family: it reports the losses of one class (see `losses`); `severity` is its worst."""

    code: str
    name: str
    severity: Severity
    reports: str
    doc: str
    repairs: tuple[str, ...] = ()
