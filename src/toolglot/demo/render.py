"""Pages as text: where a stored value of the wrong type shows at last."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from toolglot.demo.store import Record, Store

_WIDTH = 50


def render_page(store: Store, page: Record) -> str:
    """A page of the store as text: its title and one box for each of its cards."""
    cards = [_box(_card(store, store.entries[name])) for name in page["entries"] if name in store.entries]
    return "\n".join([page["title"], *cards])


def _card(store: Store, entry: Record) -> list[str]:
    declared = store.content_types[entry["content_type"]]
    fields = entry["fields"]
    shown = [(name, declared[name]["type"]) for name in declared if name in fields]
    shown.sort(key=lambda field: field[1] != "asset")  # the picture is at the top of a card
    return [_field(store, declared_type, fields[name]) for name, declared_type in shown]


def _field(store: Store, declared_type: str, value: Record) -> str:
    render = _RENDERERS.get(declared_type)
    if render is not None:
        return render(store, value)
    rest = [str(item) for key, item in value.items() if key not in ("type", "field")]
    return ", ".join(rest)


def _asset(store: Store, value: Record) -> str:
    # The template asks for the id of an asset. A text has none: nothing is found, the text itself is shown.
    asset = store.assets.get(str(value.get("asset_id")))
    if asset is not None:
        return f"[picture: {asset['file']}] {value.get('alt', asset['alt'])}"
    return f"[picture missing] {_raw(value)}"


def _link(_: Store, value: Record) -> str:
    return f"{value['label']} -> {value['url']}" if "url" in value and "label" in value else _raw(value)


def _raw(value: Record) -> str:
    return str(value.get("value", value.get("asset_id", value)))


_RENDERERS: dict[str, Callable[[Any, Record], str]] = {"asset": _asset, "link": _link}


def _box(lines: list[str]) -> str:
    width = max(_WIDTH, *map(len, lines))
    edge = "+" + "-" * (width + 2) + "+"
    return "\n".join([edge, *(f"| {line.ljust(width)} |" for line in lines), edge])
