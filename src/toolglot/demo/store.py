"""The memory of the demo server: what it is given, it keeps as it is."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Record = dict[str, Any]


class Refused(Exception):
    """The server does not do what a call asks; the text goes back to the caller."""


def _content_types() -> dict[str, Record]:
    return {
        "card": {
            "headline": {"type": "string"},
            "teaser": {"type": "text"},
            "picture": {"type": "asset", "validations": {"asset_types": [{"kind": "image"}]}},
            "price": {"type": "decimal"},
            "seats": {"type": "integer"},
            "starts": {"type": "date"},
            "bookable": {"type": "boolean"},
            "more": {"type": "link"},
        }
    }


def _assets() -> dict[str, Record]:
    return {
        "549895": {"file": "harbour-at-dawn.jpg", "kind": "image", "alt": "The harbour at dawn"},
        "549896": {"file": "price-list.pdf", "kind": "document", "alt": "Prices"},
    }


def _entries() -> dict[str, Record]:
    fields = {
        "headline": {"type": "string", "value": "Harbour tour"},
        "teaser": {"type": "text", "text": "Two hours on the water."},
        "picture": {"type": "asset", "asset_id": 549895},
        "price": {"type": "decimal", "amount": "24.90"},
        "seats": {"type": "integer", "number": 12},
        "more": {"type": "link", "url": "https://example.com/tour", "label": "Book"},
    }
    return {"harbour-tour": {"content_type": "card", "published": False, "fields": fields}}


def _pages() -> dict[str, Record]:
    return {"home": {"title": "Things to do", "entries": ["harbour-tour"]}}


def _groups() -> dict[str, Record]:
    return {"editors": {"sites": ["www"], "realms": ["public"], "admin_users": ["ada"]}}


@dataclass(slots=True)
class Store:
    """Everything the demo server knows, by kind and id. A new store holds one page with one card."""

    content_types: dict[str, Record] = field(default_factory=_content_types)
    assets: dict[str, Record] = field(default_factory=_assets)
    entries: dict[str, Record] = field(default_factory=_entries)
    pages: dict[str, Record] = field(default_factory=_pages)
    groups: dict[str, Record] = field(default_factory=_groups)
    numbers: dict[str, Record] = field(default_factory=dict[str, Record])
    redirects: list[Any] = field(default_factory=list[Any])


def known(records: dict[str, Record], key: str, kind: str) -> Record:
    """The record of this key. Raises Refused where there is none; `kind` names it in the text."""
    if key not in records:
        raise Refused(f"no {kind} {key!r}; there are: {', '.join(sorted(records)) or 'none'}")
    return records[key]
